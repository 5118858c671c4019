// What a member sees and does of API keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../../../core/domain/base/instant.js';
import type { Mode } from '../../../../../core/domain/base/tenant.js';
import {
  authenticateKey,
  createKey,
  flushKeyUse,
  KEYS_MAX,
  listKeys,
  unlimitedKey,
} from '../../../../../core/usecases/access/keys.js';
import { type PageSite, pageSite, textOf } from '../../visitor.js';
import { rootOf, secretIn, signedInAs } from '../dashboard-site.js';

async function keyOf({ world, tenant }: PageSite, name: string, mode: Mode = 'test') {
  const { orgId } = tenant;
  const createdBy = 'development';
  return createKey(world.deps, { ...unlimitedKey, orgId, mode, createdBy, name });
}

test('a member creates a key with the ticked scopes and an end, and it works', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  const admin = await signedInAs(site, 'admin');
  await admin.open(`${rootOf(site)}/keys/new`);
  const fields = { name: ' order service ', life: '30', 'webhooks:read': 'yes', mode: 'live' };
  const made = await admin.send('/new', fields);
  assert.equal(made.heading, 'Key “order service” created');
  const actor = await authenticateKey(deps, secretIn(made));
  assert.deepEqual([actor.mode, actor.scopes], ['test', ['webhooks:read']]);
  const [stored] = await listKeys(deps, site.tenant.orgId);
  assert.equal(stored?.expiresAtMs, deps.clock.nowMs() + 30 * DAY_MS);
  assert.match(stored?.createdBy ?? '', /^mem_/);
  assert.match(made.words, /curl -s \S+\/v1\/me -H "X-API-Key: \$KEY"/);
  const { text } = await admin.open(`${rootOf(site)}/keys`);
  assert.match(textOf(text), /order service pk_test_key_\w+ .*webhooks:read not yet 31 Jan, 00:00/);
});

test('a key has at least one scope: none would be all of them', async (t) => {
  const site = await pageSite(t);
  const admin = await signedInAs(site, 'admin');
  await admin.open(`${rootOf(site)}/keys/new`);
  for (const [fields, refusal] of [
    [{ name: 'x' }, /Tick at least one/],
    [{ name: 'x', 'api_keys:write': 'yes', 'everything:write': 'yes' }, /Tick at least one/],
    [{ name: ' ', 'webhooks:read': 'yes' }, /Give a name of at most 200/],
    [{ name: 'x'.repeat(201), 'webhooks:read': 'yes' }, /Give a name of at most 200/],
  ] as const) {
    const refused = await admin.send('/new', { ...fields, life: '7' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, refusal);
    assert.match(refused.text, /<option value="7" selected/);
  }
  const { world, tenant } = site;
  assert.deepEqual(await listKeys(world.deps, tenant.orgId), []);
  for (let count = 0; count < KEYS_MAX; count += 1) await keyOf(site, `key ${count}`);
  const full = await admin.send('/new', { name: 'one more', 'webhooks:read': 'yes' });
  assert.match(full.text, /There are 100 active keys/);
});

test('a list has the keys of its mode, and those that ended apart', async (t) => {
  const site = await pageSite(t);
  await keyOf(site, 'for tests');
  await keyOf(site, 'for money', 'live');
  const viewer = await signedInAs(site, 'viewer');
  const { text } = await viewer.open(`${rootOf(site)}/keys`);
  assert.match(textOf(text), /for tests pk_test_key_\w+ .*everything not yet never/);
  assert.doesNotMatch(text, /for money|Revoke|New key|Keys that ended/);
  assert.match(text, /Owners and admins create and revoke keys/);
});

test('a key is revoked after its last use was shown, and is refused from then on', async (t) => {
  const site = await pageSite(t);
  const { world, tenant } = site;
  const { key, secret } = await keyOf(site, 'warehouse');
  const { id: liveId } = (await keyOf(site, 'for money', 'live')).key;
  const root = rootOf(site);
  const admin = await signedInAs(site, 'admin');
  const page = `${root}/keys/${key.id}/revoke`;
  assert.match((await admin.open(page)).text, /It was never used/);
  await authenticateKey(world.deps, secret);
  await flushKeyUse(world.deps, world.deps.clock.nowMs(), 10);
  world.advanceClock(3 * MINUTE_MS);
  assert.match((await admin.open(page)).text, /It was used 3 minutes ago/);
  world.advanceClock(50 * MINUTE_MS);
  await admin.open(root);
  world.advanceClock(50 * MINUTE_MS);
  assert.match((await admin.open(page)).text, /It was last used at 1 January 2030, 00:00/);
  const revoked = await admin.send('/revoke');
  assert.equal(revoked.path, `${root}/keys?done=key_revoked`);
  assert.match(revoked.words, /Keys that ended .*warehouse .*revoked 1 Jan, 01:43/);
  await assert.rejects(authenticateKey(world.deps, secret), { code: 'InvalidApiKey' });
  assert.equal((await admin.open(page)).status, 404);
  assert.equal((await admin.open(`${root}/keys/${liveId}/revoke`)).status, 404);
  const active = (await listKeys(world.deps, tenant.orgId)).filter(
    (one) => one.revokedAtMs === null,
  );
  assert.deepEqual(
    active.map(({ id }) => id),
    [liveId],
  );
});

test('a key is rolled once: the other one works, and the former until the overlap ends', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  const { key, secret } = await keyOf(site, 'warehouse');
  const page = `${rootOf(site)}/keys/${key.id}/roll`;
  const admin = await signedInAs(site, 'admin');
  assert.equal((await admin.open(page)).heading, 'Roll “warehouse”?');
  assert.equal((await admin.send('/roll', { overlap: '9999' })).status, 400);
  await admin.open(page);
  const rolled = await admin.send('/roll', { overlap: '1' });
  assert.match(rolled.text, /The former key works until 1 January 2030, 01:00/);
  const { keyId } = await authenticateKey(deps, secretIn(rolled));
  const other = (await listKeys(deps, site.tenant.orgId)).find(({ id }) => id === keyId);
  assert.match(other?.createdBy ?? '', /^mem_/);
  await authenticateKey(deps, secret);
  assert.equal((await admin.open(page)).status, 404);
  const { text } = await admin.open(`${rootOf(site)}/keys`);
  assert.equal([...text.matchAll(/\/roll"/g)].length, 1);
  site.world.advanceClock(60 * MINUTE_MS);
  await assert.rejects(authenticateKey(deps, secret), { code: 'InvalidApiKey' });
  await authenticateKey(deps, secretIn(rolled));
});
