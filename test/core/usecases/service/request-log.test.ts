// The request log: what is kept of a refusal, how much of it, for how long, and how it is found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import {
  fieldOf,
  REFUSALS_PER_MINUTE,
  REFUSALS_WAITING_MAX,
  Refusals,
} from '../../../../core/domain/service/refused-request.js';
import { PonteError } from '../../../../core/errors.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import { audited } from '../../../../core/usecases/service/audit-log.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import {
  findRequest,
  flushRefusals,
  listRefusals,
  noteRefusal,
  runRefusalDeletion,
} from '../../../../core/usecases/service/request-log.js';
import { aRefusedRequest } from '../../../support/samples/domain-samples.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

const bare = { operation: null, orgId: null, mode: null, credentialId: null } as const;
const noted = {
  operation: 'createPaymentIntent',
  orgId: 'org_a',
  mode: 'test',
  credentialId: 'key_1',
} as const;

const flush = ({ deps }: World) => flushRefusals(deps, deps.clock.nowMs(), 1_000);
const all = { orgId: null, beforeId: null, limit: 100 } as const;

test('a refusal is kept with its code and field, and without its message', async (t) => {
  const made = await world(t);
  const refusal = new PonteError('ValidationError', 'buyer.email: maria@acme.example is too long.');
  noteRefusal(made.deps, refusal, { requestId: 'req-1', ...noted });
  assert.equal(await flush(made), 1);
  const [row] = await listRefusals(made.deps, all);
  const { id, ...kept } = row ?? assert.fail();
  assert.match(id, /^req_/);
  assert.deepEqual(kept, {
    ...noted,
    requestId: 'req-1',
    atMs: made.deps.clock.nowMs(),
    status: 400,
    code: 'ValidationError',
    field: 'buyer.email',
    version: 1,
  });
});

test('the field of a message is its first word, if that is a name', () => {
  assert.equal(fieldOf('amount: give a decimal number.'), 'amount');
  assert.equal(fieldOf('lines[0].tax: too large.'), 'lines[0].tax');
  assert.equal(fieldOf('The API key is missing: send one.'), null);
  assert.equal(fieldOf('maria@acme.example: not known.'), null);
});

test('a refusal is stored once, also in quarantine', async (t) => {
  const made = await world(t);
  noteRefusal(made.deps, new PonteError('NotFound'), { requestId: 'req-1', ...bare });
  await quarantineRestored(made.deps);
  assert.deepEqual([await flush(made), await flush(made)], [1, 0]);
  assert.equal((await listRefusals(made.deps, all)).length, 1);
});

test('a refusal that the database did not take is stored later', async (t) => {
  const made = await world(t);
  noteRefusal(made.deps, new PonteError('NotFound'), { requestId: 'req-1', ...bare });
  const run = () => Promise.reject(new PonteError('StoreUnavailable'));
  await assert.rejects(flushRefusals({ ...made.deps, store: { ...made.deps.store, run } }, 0, 9));
  assert.equal(await flush(made), 1);
});

test('a client in a loop is kept so often in a minute, and hides no other one', () => {
  const refusals = new Refusals();
  const at = (atMs: number, orgId: string | null) =>
    refusals.note(aRefusedRequest({ atMs, orgId }));
  for (let count = 0; count < REFUSALS_PER_MINUTE; count += 1) assert.ok(at(count, 'org_a'));
  assert.equal(at(MINUTE_MS - 1, 'org_a'), false);
  assert.ok(at(MINUTE_MS - 1, 'org_b'));
  assert.ok(at(MINUTE_MS - 1, null));
  assert.ok(at(MINUTE_MS, 'org_a'));
});

test('while the database takes none, so many wait', () => {
  const refusals = new Refusals();
  const add = (count: number) => refusals.note(aRefusedRequest({ orgId: `org_${count}` }));
  for (let count = 0; count < REFUSALS_WAITING_MAX; count += 1) assert.ok(add(count));
  assert.equal(add(-1), false);
  refusals.stored(1);
  assert.ok(add(-2));
});

test('refusals of more than a week ago are removed', async (t) => {
  const made = await world(t);
  for (const requestId of ['old', 'young']) {
    noteRefusal(made.deps, new PonteError('NotFound'), { requestId, ...bare });
    await flush(made);
    made.advanceClock(4 * DAY_MS);
  }
  const remove = () => runRefusalDeletion(made.deps, made.deps.clock.nowMs(), 10);
  assert.deepEqual([await remove(), await remove()], [1, 0]);
  assert.deepEqual(valuesOf(await listRefusals(made.deps, all), 'requestId'), ['young']);
});

test('an organization has its refusals, newest first and in pages', async (t) => {
  const made = await world(t);
  for (const [requestId, orgId] of Object.entries({ a: 'org_a', b: 'org_b', c: 'org_a' })) {
    noteRefusal(made.deps, new PonteError('NotFound'), { requestId, ...noted, orgId });
    made.advanceClock(1);
  }
  await flush(made);
  const page = async (orgId: string | null, beforeId: string | null, limit: number) =>
    listRefusals(made.deps, { orgId, beforeId, limit });
  assert.deepEqual(valuesOf(await page('org_a', null, 9), 'requestId'), ['c', 'a']);
  const [first] = await page(null, null, 1);
  assert.equal(first?.requestId, 'c');
  assert.deepEqual(valuesOf(await page(null, first.id, 9), 'requestId'), ['b', 'a']);
});

test('a request is found by its id: each refusal, and what it changed since then', async (t) => {
  const made = await world(t);
  const orgId = await made.organization();
  noteRefusal(made.deps, new PonteError('NotFound'), { requestId: 'req-1', ...noted, orgId });
  noteRefusal(made.deps, new PonteError('NotFound'), { requestId: 'req-2', ...noted, orgId });
  await flush(made);
  const author = {
    actor: { kind: 'member', id: 'mem_1' },
    action: 'addMember',
    orgId,
    requestId: 'req-1',
  } as const;
  await addMember(audited(made.deps, author), { orgId, email: 'bo@acme.example', role: 'viewer' });
  const find = (sinceMs: number) => findRequest(made.deps, 'req-1', sinceMs);
  const { refused, records } = await find(made.deps.clock.nowMs());
  assert.deepEqual(valuesOf(refused, 'requestId'), ['req-1']);
  assert.deepEqual(valuesOf(records, 'action'), ['addMember']);
  assert.deepEqual((await find(made.deps.clock.nowMs() + 1)).records, []);
});
