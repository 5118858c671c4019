// A PostgreSQL server that took over without all that its predecessor had acknowledged.
import { setTimeout as wait } from 'node:timers/promises';
import { SECOND_MS } from '../core/domain/instant.js';
import type { Deps } from '../core/ports/deps.js';
import type { Store } from '../core/ports/storage.js';
import { quarantineLostCommits } from '../core/usecases/epochs.js';

const RETRY_MS = SECOND_MS;

/**
 * After lost commits, what is ordered again may be done already: nothing more until the partner was
 * asked. Right after a failover the database may be away, so this retries until the quarantine is
 * stored through `store`; this process does nothing else on the server before.
 */
export async function quarantined(
  deps: Deps,
  store: Pick<Store, 'run'>,
  timeline: number,
): Promise<void> {
  deps.log.error('alert', {
    alert: 'the database lacks commits that were acknowledged, or may lack them',
  });
  for (;;) {
    try {
      await quarantineLostCommits({ ...deps, store }, timeline);
      return;
    } catch (error) {
      deps.log.error('the quarantine could not begin yet', { error });
      await wait(RETRY_MS, undefined, { ref: false });
    }
  }
}
