// The operator's console, as the handler of a separate HTTP server. It has the pages below
// /operator and their assets, and nothing else.
import type { HealthCheck } from '../../core/domain/service/health-check.js';
import type { PageWatch } from '../../core/usecases/hosted/page-watch.js';
import { ConcurrencyLimiter } from '../../core/usecases/service/concurrency-limiter.js';
import type { HostedPages } from './hosted-pages.js';
import { placeOf } from './kit/page-paths.js';
import { loadedOnce } from './loaded-once.js';

export interface ConsoleOptions {
  readonly watch: PageWatch;
  /** The address at which operators open it; on a free port it is known once that listens. */
  readonly url: () => string;
  readonly checkHealth: () => Promise<readonly HealthCheck[]>;
}

export function operatorConsole({
  watch,
  url,
  checkHealth,
}: ConsoleOptions): Pick<HostedPages, 'owns' | 'serve'> {
  const pages = loadedOnce(loadConsole);
  const uploads = new ConcurrencyLimiter(() => undefined);
  return {
    owns: () => true,
    async serve(deps, ...rest) {
      const { servePage, site } = await pages();
      const place = placeOf(new URL(url()));
      const context = { deps, watch, uploads, mailbox: null, checkHealth, ...place };
      await servePage(site, context, ...rest);
    },
  };
}

async function loadConsole() {
  const [{ servePage }, { pageMatcher }, { consolePages }, { assetPages }, { consoleError }] =
    await Promise.all([
      import('./kit/page-pipeline.js'),
      import('./kit/page-match.js'),
      import('./console/console-pages.js'),
      import('./buyer/service-pages.js'),
      import('./console/console-layout.js'),
    ]);
  const match = pageMatcher([...consolePages, ...assetPages]);
  return { servePage, site: { match, errorPage: consoleError } };
}
