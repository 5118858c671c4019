// The order of postings, which readers of the books resume by, when processes follow each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '../../core/domain/base/instant.js';
import { money } from '../../core/domain/base/money.js';
import { posting, transfer } from '../../core/domain/payments/ledger.js';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { openForOperator } from '../../host/operator-access.js';
import { anOrganization } from '../support/samples/domain-samples.js';
import { temporaryFolder } from '../support/temporary-folder.js';

test('a host and a command post after the last posting, also after the clock went back', async () => {
  const env = { PONTE_DATA_DIR: temporaryFolder(), PONTE_LOG_LEVEL: 'silent', PONTE_PORT: '0' };
  const made = await openForOperator(env, { opening: 'makes' });
  const { clock, store } = made.deps;
  const aheadMs = clock.nowMs() + HOUR_MS;
  const tenant = { orgId: anOrganization().id, mode: 'test' } as const;
  const paid = posting('funds_received', transfer('buyer', 'partner_float', money(7n, 'EUR')));
  await store.run(async (tx) => {
    tx.organizations.insert(anOrganization(), []);
    tx.ledger.append(tenant, 'pi_1', 'pst_1', paid, aheadMs);
  });
  await made.close();
  const command = await openForOperator(env);
  assert.equal(command.deps.ids.posting(clock.nowMs()).atMs, aheadMs + 1);
  await command.close();
  const host = await startHost(readConfig(env));
  assert.equal(host.deps.ids.posting(clock.nowMs()).atMs, aheadMs + 1);
  await host.stop();
});
