// What every store promises about lists: they keep their order where moments are equal, pages
// follow each other without gap, and what waits comes in the order of its time.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type CommandKind,
  type CommandState,
  commandMoves,
  isStuck,
  moneyKinds,
  type PartnerCommand,
  partyCommandKinds,
} from '../../core/domain/commands/partner-command.js';
import { type Payment, paymentStatuses } from '../../core/domain/payments/payment.js';
import type { CommandFilter, Store, Tx } from '../../core/ports/storage.js';
import {
  aBarePayment,
  aCommand,
  aDelivery,
  aKey,
  aMessage,
  anAdvance,
  anEvent,
  anOrganization,
  aPartyCommand,
  aRefusedRequest,
  aSubscription,
  duePage,
  otherMode,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { aSimulatedReport } from '../support/samples/payin-samples.js';
import { valuesOf } from '../support/values-of.js';
import { assertContended } from './contention.js';
import type { OpenStore } from './store-contracts.js';

const payoutFails = { kind: 'payout', status: 'failed', reason: null } as const;

export function storeListsContract(fresh: OpenStore): void {
  test('an advance that is put again is replaced; due ones come in order', async () => {
    const store = await fresh((tx) => tx.advances.put(anAdvance({ tries: 4 })));
    await store.run(async (tx) => {
      tx.advances.put(anAdvance({ to: 'fx_quoted', dueAtMs: T0 + 1 }));
      tx.advances.put(anAdvance({ paymentId: 'pi_2' }));
      tx.advances.put(anAdvance({ paymentId: 'pi_3', dueAtMs: T0 + 2 }));
    });
    const replaced = anAdvance({ to: 'fx_quoted', dueAtMs: T0 + 1, version: 2 });
    assert.deepEqual(await store.run((tx) => tx.advances.due(duePage(9, T0 + 1))), [
      anAdvance({ paymentId: 'pi_2' }),
      replaced,
    ]);
    const behind = duePage(9, T0 + 1, { dueAtMs: T0, id: 'pi_2' });
    assert.deepEqual(await store.run((tx) => tx.advances.due(behind)), [replaced]);
    await store.run(async (tx) => tx.advances.remove(replaced));
    assert.equal(await store.run((tx) => tx.advances.get(tenant, 'pi_1')), null);
  });

  test('an outcome that is chosen again replaces the one before, with the next version', async () => {
    const store = await fresh();
    const [first, second] = [aSimulatedReport(), aSimulatedReport(payoutFails)];
    const read = () => store.run((tx) => tx.simulations.get('test', first.reference));
    assert.equal(await read(), null);
    await store.run(async (tx) => tx.simulations.put(first));
    assert.deepEqual(await read(), first);
    await store.run(async (tx) => tx.simulations.put(second));
    assert.deepEqual(await read(), { ...second, version: 2 });
    assert.equal(await store.run((tx) => tx.simulations.get('live', first.reference)), null);
  });

  test('the feed is read on from a sequence', async () => {
    const store = await fresh((tx) => {
      for (const id of ['evt_2', 'evt_1', 'evt_4', 'evt_3']) {
        tx.feed.append(anEvent({ id }));
      }
    });
    const after2 = await store.run((tx) => tx.feed.after(tenant, 1, 2));
    assert.deepEqual(valuesOf(after2, 'sequence'), [2, 3]);
    assert.deepEqual(valuesOf(after2, 'id'), ['evt_1', 'evt_4']);
  });

  test('messages wait in the order of their due time until they are applied', async () => {
    const store = await fresh((tx) => {
      tx.inbox.insert(aMessage({ messageId: 'm1', dueAtMs: T0 + 2 }));
      tx.inbox.insert(aMessage({ messageId: 'm2', dueAtMs: T0 + 1 }));
      tx.inbox.insert(aMessage({ messageId: 'm3', dueAtMs: T0 + 3 }));
    });
    const due = await store.run((tx) => tx.inbox.unapplied(duePage(9, T0 + 2)));
    assert.deepEqual(valuesOf(due, 'messageId'), ['m2', 'm1']);
    const behind = duePage(9, T0 + 2, { dueAtMs: T0 + 1, id: 'm2' });
    assert.deepEqual(await store.run((tx) => tx.inbox.unapplied(behind)), due.slice(1));
    await store.run(async (tx) => {
      tx.inbox.update(aMessage({ messageId: 'm2', dueAtMs: null, tries: 1 }));
    });
    const [left] = await store.run((tx) => tx.inbox.unapplied(duePage(9, T0 + 2)));
    assert.equal(left?.messageId, 'm1');
  });

  test('a mark of a name is left once', async () => {
    const store = await fresh();
    const mark = { name: 'documents', value: 'database-1', createdAtMs: T0 };
    assert.equal(await store.run((tx) => tx.fingerprints.get('documents')), null);
    await store.run(async (tx) => tx.fingerprints.insert(mark));
    await assertContended(store, (tx) => tx.fingerprints.insert({ ...mark, value: 'database-2' }));
    assert.deepEqual(await store.run((tx) => tx.fingerprints.get('documents')), mark);
    assert.equal(await store.run((tx) => tx.fingerprints.get('others')), null);
  });

  test('open funds are those with a debt, an unknown position or an open loss, oldest first', async () => {
    const store = await fresh((tx) => {
      const held = { receivedMinor: 5n };
      tx.funds.put(someFunds({ paymentId: 'pi_04', ...held, refundOwedMinor: 1n }));
      tx.funds.put(someFunds({ paymentId: 'inv_02', ...held, refundOrderedMinor: 1n }));
      tx.funds.put(someFunds({ paymentId: 'pi_03', position: 'needs_review' }));
      tx.funds.put(someFunds({ paymentId: 'pi_01', refund: 'needs_review' }));
      tx.funds.put(someFunds({ paymentId: 'pi_00', ...held, refundedMinor: 5n }));
      tx.funds.put(someFunds({ paymentId: 'pi_05', ...held, position: 'received' }));
      const lost = { payoutMinor: 5n, lossMinor: 5n };
      tx.funds.put(someFunds({ paymentId: 'pi_02', ...lost }));
      tx.funds.put(someFunds({ paymentId: 'pi_06', ...lost, writtenOffMinor: 5n }));
    });
    const open = await store.run((tx) => tx.funds.open(9));
    assert.deepEqual(valuesOf(open, 'paymentId'), ['pi_01', 'inv_02', 'pi_02', 'pi_03', 'pi_04']);
  });

  test('stuck commands are those that the domain calls so', async () => {
    const states = Object.keys(commandMoves) as readonly CommandState[];
    const all: PartnerCommand[] = states.flatMap((state) =>
      [null, '{}'].flatMap((review) => {
        const rest = (kind: CommandKind) => ({
          id: `cmd_${kind}_${state}_${review}`,
          state,
          review,
        });
        return [
          ...moneyKinds.map((kind) => aCommand({ ...rest(kind), kind })),
          ...partyCommandKinds.map((kind) => aPartyCommand({ ...rest(kind), kind })),
        ];
      }),
    );
    const store = await fresh((tx) => {
      for (const command of all) tx.commands.insert(command);
    });
    const stuck = await store.run((tx) => tx.commands.list({ stuck: true, limit: 100 }));
    const expected = all.filter(isStuck).map(({ id }) => id);
    assert.deepEqual(stuck.map(({ id }) => id).sort(), expected.sort());
    const [first = assert.fail()] = stuck;
    await store.run(async (tx) => {
      tx.commands.update({ ...first, state: 'void', review: null } as PartnerCommand);
    });
    const left = await store.run((tx) => tx.commands.list({ stuck: true, limit: 100 }));
    assert.equal(
      left.some(({ id }) => id === first.id),
      false,
      'an update derives again',
    );
  });

  test('commands are listed of one tenant or payment, page by page, newest first', async () => {
    const all = [tenant, otherOrg, otherMode].flatMap((of, at) =>
      [0, 1, 2].map((nth) =>
        aCommand({
          ...of,
          id: `cmd_list_${nth}${at}`,
          reference: `list_${nth}${at}`,
          paymentId: `pi_list_${nth}`,
          createdAtMs: T0 + nth,
        }),
      ),
    );
    const store = await fresh((tx) => {
      for (const command of all) tx.commands.insert(command);
    });
    const idsOf = async (filter: Partial<CommandFilter>) =>
      (await store.run((tx) => tx.commands.list({ stuck: false, limit: 9, ...filter }))).map(
        ({ id }) => id,
      );
    assert.deepEqual(await idsOf(tenant), ['cmd_list_20', 'cmd_list_10', 'cmd_list_00']);
    const last = { ...tenant, beforeId: 'cmd_list_10', limit: 1 };
    assert.deepEqual(await idsOf(last), ['cmd_list_00']);
    assert.deepEqual(await idsOf({ ...tenant, paymentId: 'pi_list_1' }), ['cmd_list_10']);
    assert.deepEqual(await idsOf({ beforeId: 'cmd_list_20', limit: 2 }), [
      'cmd_list_12',
      'cmd_list_11',
    ]);
  });

  test('all active subscriptions are listed, and so many deleted ones, newest first', async () => {
    const store = await fresh((tx) => {
      for (const [id, active] of [
        ['whs_1', false] as const,
        ['whs_2', true] as const,
        ['whs_3', false] as const,
        ['whs_4', false] as const,
        ['whs_5', true] as const,
        ['whs_6', true] as const,
      ]) {
        tx.subscriptions.insert(aSubscription({ id, active }));
      }
      tx.subscriptions.insert(aSubscription({ id: 'whs_7', ...otherMode }));
      tx.subscriptions.insert(aSubscription({ id: 'whs_8', ...otherOrg, active: false }));
    });
    const lists = await store.run((tx) =>
      Promise.all([
        tx.subscriptions
          .active(tenant)
          .then((subscriptions) => subscriptions.toSorted((a, b) => (a.id < b.id ? 1 : -1))),
        ...[0, 2, 9].map((deletedMax) => tx.subscriptions.list(tenant, deletedMax)),
      ]),
    );
    assert.deepEqual(
      lists.map((list) => list.map(({ id }) => id.slice(-1)).join('')),
      ['652', '652', '65432', '654321'],
    );
  });

  test('all keys but the revoked ones are listed, and so many of those, newest first', async () => {
    const store = await fresh((tx) => {
      for (const [id, revokedAtMs] of [
        ['key_1', T0] as const,
        ['key_2', null] as const,
        ['key_3', T0 + 9] as const,
        ['key_4', T0 + 8] as const,
        ['key_5', null] as const,
      ]) {
        tx.keys.insert(aKey({ id, revokedAtMs, ...(id === 'key_5' ? otherMode : tenant) }));
      }
      tx.keys.insert(aKey({ id: 'key_6', ...otherOrg }));
    });
    const lists = await store.run((tx) =>
      Promise.all([0, 2, 9].map((revokedMax) => tx.keys.list(tenant.orgId, revokedMax))),
    );
    assert.deepEqual(
      lists.map((list) => list.map(({ id }) => id.slice(-1)).join('')),
      ['52', '5432', '54321'],
    );
  });

  test('a key takes the slot that another one leaves in the same batch', async () => {
    const was = aKey({ id: 'key_1', slot: 3 });
    const store = await fresh((tx) => tx.keys.insert(was));
    await store.run(async (tx) => {
      tx.keys.update({ ...was, slot: null, rolledAtMs: T0, expiresAtMs: T0 + 1 });
      tx.keys.insert(aKey({ id: 'key_2', slot: 3 }));
    });
    assert.deepEqual(await store.run((tx) => tx.keys.slots(tenant)), [3]);
  });

  test('keys that are not revoked, newest first', async () => {
    const store = await fresh((tx) => {
      for (const [id, revokedAtMs] of [
        ['key_1', null] as const,
        ['key_2', T0] as const,
        ['key_3', T0 + 1] as const,
        ['key_4', null] as const,
      ]) {
        tx.keys.insert(aKey({ id, revokedAtMs }));
      }
      tx.keys.insert(aKey({ id: 'key_5', ...otherOrg }));
    });
    const found = await store.run((tx) => tx.keys.unrevoked(tenant.orgId));
    assert.deepEqual(valuesOf(found, 'id'), ['key_4', 'key_1']);
  });

  test('refused requests are found by request and by organization, newest first', async () => {
    const row = aRefusedRequest();
    const bare = { operation: null, field: null, orgId: null, mode: null, credentialId: null };
    const store = await fresh((tx) => {
      tx.refusedRequests.insert(row);
      tx.refusedRequests.insert(aRefusedRequest({ id: 'req_2', ...bare }));
      tx.refusedRequests.insert(aRefusedRequest({ id: 'req_3', requestId: 'request 3' }));
      tx.refusedRequests.insert(aRefusedRequest({ id: 'req_4', ...otherOrg }));
    });
    const any = { orgId: null, beforeId: null, limit: 9 } as const;
    const { orgId } = tenant;
    const lists = await store.run((tx) =>
      Promise.all([
        tx.refusedRequests.byRequestId('request 1', 2),
        tx.refusedRequests.list({ ...any, orgId }),
        tx.refusedRequests.list({ ...any, beforeId: 'req_3' }),
        tx.refusedRequests.oldest(2),
      ]),
    );
    assert.deepEqual(
      lists.map((list) => list.map(({ id }) => id.slice(-1)).join('')),
      ['42', '31', '21', '12'],
    );
    assert.deepEqual(lists[3], [row, aRefusedRequest({ id: 'req_2', ...bare })]);
    await store.run(async (tx) => tx.refusedRequests.remove(row));
    const left = await store.run((tx) => tx.refusedRequests.list({ ...any, orgId }));
    assert.deepEqual(valuesOf(left, 'id'), ['req_3']);
  });

  test('organizations are listed newest first', async () => {
    const store = await fresh((tx) => {
      tx.organizations.insert(anOrganization({ id: 'org_1' }), []);
      tx.organizations.insert(anOrganization({ id: 'org_2' }), []);
    });
    const organizations = await store.run((tx) => tx.organizations.list());
    assert.deepEqual(valuesOf(organizations, 'id'), ['org_2', 'org_1']);
  });

  test('a slot is of one active subscription and one key that is not revoked', async () => {
    const store = await fresh();
    let runs = 0;
    // What takes a slot that is taken runs again, and again.
    const refused = (insert: (tx: Tx) => void) =>
      assert.rejects(
        store.run(async (tx) => {
          runs += 1;
          insert(tx);
        }),
        { code: 'StoreContention' },
      );
    const slotsNow = () =>
      store.run((tx) => Promise.all([tx.subscriptions.slots(tenant), tx.keys.slots(tenant)]));
    const [subscription, key] = [aSubscription({ slot: 7 }), aKey({ slot: 7 })];
    await store.run(async (tx) => {
      tx.subscriptions.insert(subscription);
      tx.subscriptions.insert(aSubscription({ id: 'whs_2', slot: 7, ...otherMode }));
      tx.subscriptions.insert(aSubscription({ id: 'whs_3', slot: 7, ...otherOrg }));
      tx.subscriptions.insert(aSubscription({ id: 'whs_4', slot: null }));
      tx.keys.insert(key);
      tx.keys.insert(aKey({ id: 'key_2', slot: 7, ...otherMode }));
      tx.keys.insert(aKey({ id: 'key_3', slot: null }));
    });
    await refused((tx) => tx.subscriptions.insert(aSubscription({ id: 'whs_5', slot: 7 })));
    await refused((tx) => tx.keys.insert(aKey({ id: 'key_4', slot: 7 })));
    assert.ok(runs > 2);
    assert.deepEqual(await slotsNow(), [[7], [7]]);
    await store.run(async (tx) => {
      tx.subscriptions.update({ ...subscription, active: false });
      tx.keys.update({ ...key, revokedAtMs: T0 });
    });
    assert.deepEqual(await slotsNow(), [[], []]);
    await store.run(async (tx) => {
      tx.subscriptions.insert(aSubscription({ id: 'whs_5', slot: 7 }));
      tx.keys.insert(aKey({ id: 'key_4', slot: 7 }));
    });
    assert.deepEqual(await slotsNow(), [[7], [7]]);
  });

  describe('pages', () => {
    let store: Store;
    before(async () => {
      store = await fresh();
      await store.run(async (tx) => {
        for (let index = 0; index < 13; index += 1) {
          const id = String(index).padStart(2, '0');
          // Three moments only, so that ids must break the ties. They begin with the moment.
          const moment = index % 3;
          const createdAtMs = T0 + moment;
          const place = index % 4 === 0 ? otherOrg : tenant;
          const status = paymentStatuses[index % 2] ?? 'failed';
          const prefix = index % 5 === 0 ? 'inv' : 'pi';
          const fields = {
            ...place,
            id: `${prefix}_${moment}`.padEnd(prefix.length + 11, '0') + id,
            status,
            createdAtMs,
          };
          tx.payments.insert(aBarePayment(fields));
          const dead = index % 2 === 0;
          const end = { status: 'dead_letter', dueAtMs: null, nextAttemptAtMs: null } as const;
          const subscriptionId = index % 3 === 0 ? 'whs_2' : 'whs_1';
          tx.deliveries.insert(
            aDelivery({ id: `whd_${id}`, subscriptionId, ...(dead ? end : {}) }),
          );
        }
      });
    });

    for (const filter of [
      { status: null, orgId: null },
      { status: 'approved', orgId: null },
      { status: null, orgId: 'org_b' },
      { status: 'awaiting_approval', orgId: 'org_a' },
    ] as const) {
      test(`payments by ${JSON.stringify(filter)} follow each other without gap`, async () => {
        const list = (beforeId: string | null, limit: number) =>
          store.run((tx) => tx.payments.list({ ...filter, beforeId, limit }));
        const whole = await list(null, 100);
        const bareId = ({ id }: Payment) => id.slice(id.indexOf('_') + 1);
        const sorted = [...whole].sort((a, b) => (bareId(a) < bareId(b) ? 1 : -1));
        assert.ok(whole.length > 0);
        assert.deepEqual(whole, sorted);
        assert.ok(whole.every((row) => filter.status === null || row.status === filter.status));
        assert.ok(whole.every((row) => filter.orgId === null || row.orgId === filter.orgId));
        assert.deepEqual(await paged(list), whole);
      });
    }

    for (const filter of [
      { status: null, subscriptionId: null },
      { status: 'dead_letter', subscriptionId: null },
      { status: null, subscriptionId: 'whs_2' },
      { status: 'pending', subscriptionId: 'whs_1' },
    ] as const) {
      test(`deliveries by ${JSON.stringify(filter)} follow each other without gap`, async () => {
        const list = (beforeId: string | null, limit: number) =>
          store.run((tx) => tx.deliveries.list({ ...filter, beforeId, limit }));
        const whole = await list(null, 100);
        const found = whole.map(({ id }) => id);
        assert.ok(whole.length > 0);
        assert.deepEqual(found, [...found].sort().reverse());
        assert.ok(whole.every((row) => filter.status === null || row.status === filter.status));
        const { subscriptionId } = filter;
        const fits = whole.every(
          (row) => subscriptionId === null || row.subscriptionId === subscriptionId,
        );
        assert.ok(fits);
        assert.deepEqual(await paged(list), whole);
      });
    }

    test('pending deliveries of one subscription are found for its end', async () => {
      const pending = await store.run((tx) => tx.deliveries.pendingOf('whs_1', 100));
      assert.deepEqual(valuesOf(pending, 'id'), ['whd_01', 'whd_05', 'whd_07', 'whd_11']);
      const soonest = Math.min(...pending.map(({ dueAtMs }) => dueAtMs ?? 0));
      const waiting = (nowMs: number) =>
        store.run((tx) => tx.deliveries.waitingOf('whs_1', nowMs, 100));
      const later = pending.filter(({ leaseToken }) => leaseToken === null);
      assert.deepEqual(await waiting(soonest - 1), later);
      assert.deepEqual(await waiting(Date.UTC(2100, 0)), []);
    });
  });
}

async function paged<T extends { readonly id: string }>(
  list: (beforeId: string | null, limit: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  for (;;) {
    const page = await list(rows.at(-1)?.id ?? null, 2);
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}
