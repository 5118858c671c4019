// A session that is older than ten minutes: what it may not change in live mode, over all rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRESH_MS } from '../../../core/domain/access/session.js';
import { modes } from '../../../core/domain/base/tenant.js';
import { createKey } from '../../../core/usecases/access/keys.js';
import { type Answer, refusalOf } from './checked-site.js';
import { operations, tableScene } from './table-scene.js';

const withSession = operations.filter(({ route }) => route.access.proof !== undefined);

test('an old session changes nothing of live mode that needs a fresh one', async (t) => {
  const { site, tenant, exampleOf, send } = await tableScene(t);
  const { orgId } = tenant;
  const old: { readonly name: string; readonly call: () => Promise<Answer> }[] = [];
  for (const { operationId, route } of withSession) {
    const example = await exampleOf(operationId);
    const session = await site.world.session(orgId, { mode: 'live' });
    const answer = await send(route, example, { session });
    assert.doesNotMatch(refusalOf(answer), /SessionNotFresh/, operationId);
    for (const mode of modes) {
      const aged = { session: await site.world.session(orgId, { mode }) };
      const call = async () => send(route, await exampleOf(operationId), aged);
      old.push({ name: `${operationId} ${mode}`, call });
    }
  }
  site.world.advanceClock(FRESH_MS);
  const refused: string[] = [];
  for (const { name, call } of old) {
    if (refusalOf(await call()) === '403 SessionNotFresh') refused.push(name);
  }
  // The example of a new key is of live mode, that of a rolled one of test mode.
  assert.deepEqual(refused.toSorted(), [
    'approveInvoice live',
    'approvePayment live',
    'approvePaymentIntent live',
    'createApiKey live',
    'createApiKey test',
  ]);
});

test('what an old session of one mode makes of the other counts as of that mode', async (t) => {
  const { site, tenant } = await tableScene(t);
  const { orgId } = tenant;
  const session = await site.world.session(orgId);
  site.world.advanceClock(FRESH_MS);
  for (const mode of modes) {
    const given = { orgId, mode, name: 'a key', scopes: [], networks: [], expiresAtMs: null };
    const { key } = await createKey(site.world.deps, { ...given, createdBy: 'development' });
    const path = `/v1/api-keys/${key.id}/roll`;
    const rolled = await site.call('POST', path, { body: {}, session });
    const made = await site.call('POST', '/v1/api-keys', { body: { name: 'k', mode }, session });
    const expected = mode === 'live' ? [403, 403] : [200, 201];
    assert.deepEqual([rolled.status, made.status], expected, mode);
  }
  const elsewhere = await site.world.newTenant();
  const given = { name: 'a key', scopes: [], networks: [], expiresAtMs: null } as const;
  const other = {
    ...given,
    orgId: elsewhere.orgId,
    mode: 'live',
    createdBy: 'development',
  } as const;
  const { key } = await createKey(site.world.deps, other);
  const foreign = await site.call('POST', `/v1/api-keys/${key.id}/roll`, { body: {}, session });
  assert.equal(foreign.status, 404, 'it does not show whether a foreign key is of live mode');
});
