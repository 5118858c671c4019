// The response to a PostgreSQL failover that lost acknowledged commits.
import { setTimeout as wait } from 'node:timers/promises';
import { SECOND_MS } from '../core/domain/base/instant.js';
import type { Deps } from '../core/ports/deps.js';
import type { Store } from '../core/ports/storage.js';
import { forgetProof } from '../core/usecases/service/audit-log.js';
import { quarantineLostCommits } from '../core/usecases/service/epochs.js';

/**
 * Puts the database into quarantine through `store`: the partner may have done already what would
 * be sent again. Retries until it is stored, since the database may be unreachable after a
 * failover. This process does nothing else on the new server before that.
 */
export async function startQuarantine(
  deps: Deps,
  store: Pick<Store, 'run'>,
  timeline: number,
): Promise<void> {
  deps.log.error('alert', { alert: 'the database lacks acknowledged commits, or may lack them' });
  for (;;) {
    try {
      await quarantineLostCommits({ ...deps, store }, timeline);
      forgetProof(deps);
      return;
    } catch (error) {
      deps.log.error('the quarantine could not be stored; retrying', { error });
      await wait(SECOND_MS, undefined, { ref: false });
    }
  }
}
