// No operation of the route table changes anything without an entry in the audit log: a new row is
// covered on arrival. Each change names its author, its operation and its request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOwner } from '../../../core/domain/access/api-key.js';
import type { Actor } from '../../../core/domain/base/actor.js';
import { auditFeed, auditRecord } from '../../../core/domain/service/audit-record.js';
import type { Deps } from '../../../core/ports/deps.js';
import { createKey, rollKey, unlimitedKey } from '../../../core/usecases/access/keys.js';
import { addMember } from '../../../core/usecases/access/members.js';
import { createSession } from '../../../core/usecases/access/sessions.js';
import { requireApproval } from '../../../core/usecases/parties/organizations.js';
import { auditHead } from '../../../core/usecases/service/audit-log.js';
import { suiteEnd } from '../../support/suite-end.js';
import { valuesOf } from '../../support/values-of.js';
import { type Credentials, operations, tableScene } from './table-scene.js';

/** They make another token of a session, which changes nothing. */
const changeNothing = ['switchMode'];
/** Their `created` event names the key (audit.test.ts). */
const createPayments = operations
  .filter(({ route }) => route.access.rateLimit === 'create')
  .map(({ operationId }) => operationId);
const changing = operations.filter(
  ({ operationId, route }) =>
    route.method !== 'GET' && ![...changeNothing, ...createPayments].includes(operationId),
);

const scene = await tableScene(suiteEnd());

test('each operation that changes something leaves an entry, with its author', async () => {
  const { world } = scene.site;
  for (const { operationId, route } of changing) {
    const needsApproval = operationId.startsWith('approve');
    for (const origin of ['invoice', 'payment_intent'] as const) {
      await requireApproval(world.deps, scene.tenant.orgId, needsApproval, origin);
    }
    const example = await scene.exampleOf(operationId);
    const from = (await auditHead(world.deps))?.sequence ?? 0;
    const { auth } = route.access;
    const { status } = await scene.send(route, example, scene.accepted[auth]);
    assert.ok(status < 300, `${operationId}: ${status}`);
    const entries = (await world.deps.store.run((tx) => tx.feed.after(auditFeed, from, 100))).map(
      auditRecord,
    );
    assert.ok(entries.length > 0, `${operationId} leaves an entry`);
    for (const { actor, action, requestId, address, objects } of entries) {
      const kinds: Readonly<Record<typeof auth, Actor['kind'] | null>> = {
        key: 'key',
        session: 'member',
        either: 'member',
        keyElseSession: 'member',
        partner: 'partner',
        signature: 'link',
        none: null,
      };
      assert.equal(actor.kind, kinds[auth], operationId);
      assert.ok(actor.id !== '', operationId);
      if (auth !== 'partner') assert.equal(action, operationId);
      assert.ok(requestId !== null && address !== null, operationId);
      assert.ok(objects.length > 0, operationId);
    }
  }
});

const operator = 'opr_test';
/** Each credential that an operator can make for others. */
const madeByOperators: Readonly<Record<string, (at: Deps, orgId: string) => Promise<Credentials>>> =
  {
    'a session token': async (deps, orgId) => {
      const email = 'marina@a.example';
      await addMember(deps, { orgId, email, role: 'owner' });
      return {
        session: (await createSession(deps, { orgId, email, mode: 'test' }, operator)).token,
      };
    },
    'an API key': async (deps, orgId) => {
      const input = { orgId, mode: 'test', name: 'erp', createdBy: operator } as const;
      return { key: (await createKey(deps, { ...input, ...unlimitedKey })).secret };
    },
    "the next key of a member's": async (deps, orgId) => {
      const [owner] = await deps.store.run((tx) => tx.members.list(orgId));
      assert.ok(owner !== undefined);
      const input = { orgId, mode: 'test', name: 'shop', createdBy: owner.id } as const;
      const { key } = await createKey(deps, { ...input, ...unlimitedKey });
      const by = { createdBy: operator, overlapHours: 0 };
      const rolled = await rollKey(deps, orgId, key.id, by);
      // It ends with its owner, as before.
      assert.equal(keyOwner(rolled.key), owner.id);
      return { key: rolled.secret };
    },
  };
const own = { key: ['key'], session: ['session', 'either', 'keyElseSession'] } as const;

for (const [kind, make] of Object.entries(madeByOperators)) {
  test(`${kind} that an operator made names the operator in each entry`, async (t) => {
    // Mails to one address have a budget, which another test would have used up.
    const { site, tenant, exampleOf, send } = await tableScene(t);
    const { deps } = site.world;
    const { orgId } = tenant;
    const credentials = await make(deps, orgId);
    const [used = 'key'] = Object.keys(credentials) as readonly (keyof typeof own)[];
    const fit = changing.filter(({ route: { access } }) => {
      return own[used].some((auth) => auth === access.auth);
    });
    assert.ok(fit.length > 5);
    for (const { operationId, route } of fit) {
      for (const origin of ['invoice', 'payment_intent'] as const) {
        await requireApproval(deps, orgId, operationId.startsWith('approve'), origin);
      }
      const example = await exampleOf(operationId);
      const from = (await auditHead(deps))?.sequence ?? 0;
      const { status } = await send(route, example, credentials);
      assert.ok(status < 300, `${operationId}: ${status}`);
      const rows = await deps.store.run((tx) => tx.feed.after(auditFeed, from, 100));
      assert.ok(rows.length > 0, operationId);
      for (const row of rows) assert.equal(auditRecord(row).operator, operator, operationId);
    }
  });
}

test('a create leaves an entry in no other way than by its event', () => {
  assert.deepEqual(createPayments.toSorted(), [
    'createInvoice',
    'createPayment',
    'createPaymentIntent',
  ]);
});

test('owners and admins alone read the entries of their organization', async () => {
  const { site, tenant } = scene;
  const { deps } = site.world;
  const own = await site.call('GET', '/v1/audit?limit=100', { session: scene.own.session });
  assert.equal(own.status, 200);
  const rows = own.body['data'] as readonly { readonly action: string }[];
  assert.ok(valuesOf(rows, 'action').includes('rollApiKey'));
  const stranger = await site.world.session(await site.world.organization());
  const none = await site.call('GET', '/v1/audit', { session: stranger });
  assert.deepEqual(none.body, { data: [], nextCursor: null });
  const { orgId } = tenant;
  for (const role of ['finance', 'viewer'] as const) {
    const email = `${role}@a.example`;
    await addMember(deps, { orgId, email, role });
    const { token } = await createSession(deps, { orgId, email, mode: 'test' });
    const refused = await site.call('GET', '/v1/audit', { session: token });
    assert.equal(refused.status, 403, role);
  }
});
