// The pages for buyers, as one handler for the HTTP server. Their code is loaded with the first
// page: a start does not wait for it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../../core/ports/deps.js';
import type { Mailbox } from '../../core/ports/outside.js';
import type { PageWatch } from '../../core/usecases/hosted/page-watch.js';
import { ConcurrencyLimiter } from '../../core/usecases/service/concurrency-limiter.js';
import { below, prefixOf } from './kit/page-paths.js';
import type { PageRequest } from './kit/page-route.js';

/** The first segment of the path of every page. */
const ownPath = /^\/(r|kyc|owner|verify|assets|dev)(\/|$)/;
/** Paths of the service, under each of its hosts. */
const wellKnown = /^\/\.well-known\//;

export interface PagesOptions {
  readonly watch: PageWatch;
  /** The mails of a development host; null in production. */
  readonly mailbox: Mailbox | null;
  /** Read for each request: without a configured address it is known once the service listens. */
  readonly settings: Pick<Deps['settings'], 'baseUrl' | 'payUrl'>;
}

export interface HostedPages {
  /** The page with the mails of a development host; null where mails are sent. */
  mailboxUrl(): string | null;
  owns(request: IncomingMessage): boolean;
  serve(
    deps: Deps,
    request: IncomingMessage,
    response: ServerResponse,
    about: PageRequest,
  ): Promise<void>;
}

/** If pages and API have different hosts, each host has its own paths only. */
export function hostedPages({ watch, mailbox, settings }: PagesOptions): HostedPages {
  let loaded: ReturnType<typeof loadPages> | null = null;
  const uploads = new ConcurrencyLimiter(() => undefined);
  return {
    mailboxUrl: () => (mailbox === null ? null : `${settings.payUrl}/dev/mailbox`),
    owns({ url = '', headers }) {
      const [api, pages] = [new URL(settings.baseUrl), new URL(settings.payUrl)];
      const path = url.split('?', 1)[0] ?? '';
      if (api.host !== pages.host) return headers.host === pages.host && !wellKnown.test(path);
      return ownPath.test(below(prefixOf(pages), path));
    },
    async serve(deps, ...rest) {
      loaded ??= loadPages();
      const { servePage, site } = await loaded;
      const pages = new URL(settings.payUrl);
      const secure = pages.protocol === 'https:';
      const context = { deps, watch, uploads, mailbox, prefix: prefixOf(pages), secure };
      await servePage(site, context, ...rest);
    },
  };
}

async function loadPages() {
  const [{ servePage }, { pageMatcher }, { pageRoutes }, { errorPage }] = await Promise.all([
    import('./kit/page-pipeline.js'),
    import('./kit/page-match.js'),
    import('./page-routes.js'),
    import('./buyer/error-page.js'),
  ]);
  return { servePage, site: { match: pageMatcher(pageRoutes), errorPage } };
}
