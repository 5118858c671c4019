// The pages for buyers and the dashboard, as one handler for the HTTP server. Their code is loaded
// with the first page: a start does not wait for it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { linkPath } from '../../core/domain/base/link-text.js';
import type { Deps } from '../../core/ports/deps.js';
import type { Mailbox } from '../../core/ports/outside.js';
import type { PageWatch } from '../../core/usecases/hosted/page-watch.js';
import { ConcurrencyLimiter } from '../../core/usecases/service/concurrency-limiter.js';
import type {
  DocumentAnswer,
  Documentation,
  DocumentationSource,
} from './documentation/documentation.js';
import { below, placeOf } from './kit/page-paths.js';
import type { PageSite } from './kit/page-pipeline.js';
import type { PageRequest } from './kit/page-route.js';
import { loadedOnce } from './loaded-once.js';

/** The first segment of the path of every page. */
const ownPath = /^\/(r|kyc|owner|onboarding|proof|verify|stop|dashboard|assets|dev)(\/|$)/;
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
  /** A page of /docs, or a file that it loads; null if there is none. */
  document(path: string, json: string): Promise<DocumentAnswer | null>;
  /** What a browser is shown at an address that the service does not have. */
  missingPage(url: string, json: string): Promise<DocumentAnswer>;
}

/** If pages and API have different hosts, each host has its own paths only. */
export function hostedPages({ watch, mailbox, settings }: PagesOptions): HostedPages {
  const pages = loadedOnce(loadPages);
  let addresses = addressesOf(settings);
  let documents: { readonly source: string; readonly load: () => Promise<Documentation> } | null =
    null;
  const documentation = (json: string) => {
    const { baseUrl, payUrl } = settings;
    const source = `${baseUrl} ${payUrl}`;
    if (documents?.source !== source) {
      documents = { source, load: loadedOnce(() => loadDocuments({ json, baseUrl, payUrl })) };
    }
    return documents.load();
  };
  const uploads = new ConcurrencyLimiter(() => undefined);
  return {
    mailboxUrl: () => (mailbox === null ? null : `${settings.payUrl}/dev/mailbox`),
    owns({ url = '', headers }) {
      if (!isCurrent(addresses, settings)) addresses = addressesOf(settings);
      const { ownHost, prefix } = addresses;
      const path = url.split('?', 1)[0] ?? '';
      if (ownHost !== null) return isHost(headers.host, ownHost) && !wellKnown.test(path);
      return ownPath.test(linkPath(below(prefix, path)));
    },
    async serve(deps, ...rest) {
      const { servePage, site } = await pages();
      const { prefix, secure, origin } = addresses;
      const place = { prefix, secure, origin };
      const context = { deps, watch, uploads, mailbox, checkHealth: null, ...place };
      await servePage(site, context, ...rest);
    },
    document: async (path, json) => (await documentation(json)).read(path),
    missingPage: async (url, json) => (await documentation(json)).missingPage(url),
  };
}

/** Browsers write a host in lower case, other programs as a mail has it. */
function isHost(given: string | undefined, host: string): boolean {
  return given === host || given?.toLowerCase() === host;
}

/** What follows from the addresses of the service: read once, because every request needs it. */
function addressesOf({ baseUrl, payUrl }: PagesOptions['settings']) {
  const pages = new URL(payUrl);
  const ownHost = pages.host === new URL(baseUrl).host ? null : pages.host;
  return { baseUrl, payUrl, ownHost, ...placeOf(pages) };
}

function isCurrent(known: PagesOptions['settings'], { baseUrl, payUrl }: PagesOptions['settings']) {
  return known.baseUrl === baseUrl && known.payUrl === payUrl;
}

async function loadDocuments(source: DocumentationSource): Promise<Documentation> {
  const { documentation } = await import('./documentation/documentation.js');
  return documentation(source);
}

async function loadPages() {
  const [{ servePage }, { pageMatcher }, { pageRoutes }, buyer, dashboard] = await Promise.all([
    import('./kit/page-pipeline.js'),
    import('./kit/page-match.js'),
    import('./page-routes.js'),
    import('./buyer/error-page.js'),
    import('./dashboard/dashboard-error.js'),
  ]);
  const errorPage: PageSite['errorPage'] = (refusal, where) =>
    /^\/dashboard(\/|$)/.test(where.path)
      ? dashboard.dashboardError(refusal, where)
      : buyer.errorPage(refusal, where);
  return { servePage, site: { match: pageMatcher(pageRoutes), errorPage } };
}
