// What every store promises about the money desk: its queues hold what the domain says, page by
// page, and no two decisions about one item have one number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { money } from '../../core/domain/base/money.js';
import {
  type CommandState,
  commandMoves,
  type MoneyCommand,
  moneyKinds,
} from '../../core/domain/commands/partner-command.js';
import { depositStates, isUnmatched } from '../../core/domain/deposits/deposit.js';
import { queueOf } from '../../core/domain/money-desk/money-decision.js';
import { positions } from '../../core/domain/payments/funds.js';
import { paymentStatuses, verifiedStatuses } from '../../core/domain/payments/payment.js';
import type { QueuePage } from '../../core/ports/storage.js';
import { aDeposit } from '../support/samples/deposit-samples.js';
import {
  aBarePayment,
  aCommand,
  aPartyCommand,
  otherMode,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { aProposal } from '../support/samples/proposal-samples.js';
import { valuesOf } from '../support/values-of.js';
import { assertContended } from './contention.js';
import type { OpenStore } from './store-contracts.js';

const all: QueuePage = { afterId: null, limit: 1_000 };
const ends = ['open', 'completed', 'failed', 'returned'] as const;

export function storeDeskContract(fresh: OpenStore): void {
  test('a decision is stored whole, with and without what is optional', async () => {
    const bare = aProposal({
      id: 'dec_2',
      itemId: 'dep_1',
      orgId: null,
      action: { verb: 'refund' },
      evidence: null,
      state: 'proposed',
      endedById: null,
      endedBy: null,
      endedAtMs: null,
    });
    const store = await fresh((tx) => {
      tx.proposals.insert(aProposal());
      tx.proposals.insert(bare);
    });
    assert.deepEqual(await store.run((tx) => tx.proposals.ofItem('cmd_1')), [aProposal()]);
    assert.deepEqual(await store.run((tx) => tx.proposals.ofItem('dep_1')), [bare]);
  });

  test('a decision ends, and keeps what was proposed', async () => {
    const proposed = aProposal({
      state: 'proposed',
      endedById: null,
      endedBy: null,
      endedAtMs: null,
    });
    const store = await fresh((tx) => tx.proposals.insert(proposed));
    const over = {
      state: 'replaced',
      endedById: 'opr_eva',
      endedBy: 'eva',
      endedAtMs: T0 + 9,
    } as const;
    const who = { proposedById: 'opr_ivo', proposedBy: 'ivo', expiresAtMs: T0 };
    const other = { ...who, evidence: 'other', basis: 'other' };
    await store.run(async (tx) => tx.proposals.update({ ...proposed, ...over, ...other }));
    const found = await store.run((tx) => tx.proposals.ofItem('cmd_1'));
    assert.deepEqual(found, [{ ...proposed, ...over, version: 2 }]);
  });

  test('decisions about one item are numbered', async () => {
    const store = await fresh((tx) => {
      tx.proposals.insert(aProposal({ id: 'dec_2', number: 2 }));
      tx.proposals.insert(aProposal());
      tx.proposals.insert(aProposal({ id: 'dec_3', itemId: 'cmd_2' }));
    });
    const found = await store.run((tx) => tx.proposals.ofItem('cmd_1'));
    assert.deepEqual(valuesOf(found, 'id'), ['dec_1', 'dec_2']);
    await assertContended(store, (tx) =>
      tx.proposals.insert(aProposal({ id: 'dec_4', number: 2 })),
    );
  });

  test('decisions are listed newest first, of all or some tenants, page by page', async () => {
    const store = await fresh((tx) => {
      for (const [index, place] of [tenant, otherMode, otherOrg, tenant].entries()) {
        tx.proposals.insert(aProposal({ ...place, id: `dec_${index}`, itemId: `cmd_${index}` }));
      }
    });
    const list = (filter: object) =>
      store.run(async (tx) => {
        const page = { orgId: null, mode: null, beforeId: null, limit: 9, ...filter };
        return valuesOf(await tx.proposals.list(page), 'id').join(' ');
      });
    assert.deepEqual(
      [
        await list({}),
        await list({ limit: 2 }),
        await list({ beforeId: 'dec_2' }),
        await list(tenant),
        await list({ mode: 'live' }),
      ],
      ['dec_3 dec_2 dec_1 dec_0', 'dec_3 dec_2', 'dec_1 dec_0', 'dec_3 dec_0', 'dec_1'],
    );
  });

  test('the queues of commands hold those that the domain names, in id order', async () => {
    const states = Object.keys(commandMoves) as readonly CommandState[];
    const commands: readonly MoneyCommand[] = moneyKinds.flatMap((kind) =>
      states.flatMap((state) =>
        ends.flatMap((end) =>
          [null, '{}'].map((review) => {
            const id = `cmd_${kind}_${state}_${end}_${review}`;
            return aCommand({ id, kind, state, end, review, ...(review ? otherOrg : tenant) });
          }),
        ),
      ),
    );
    const store = await fresh((tx) => {
      for (const command of commands) tx.commands.insert(command);
      tx.commands.insert(aPartyCommand({ id: 'cmd_party', state: 'refused' }));
    });
    for (const queue of ['owed', 'in_review'] as const) {
      const expected = valuesOf(
        commands.filter((command) => queueOf(command) === queue),
        'id',
      ).toSorted();
      const read = (page: Partial<QueuePage>) =>
        store.run(async (tx) => {
          const found = await tx.moneyQueues.commands(queue, { ...all, ...page });
          return valuesOf(found, 'id');
        });
      assert.ok(expected.length > 4);
      assert.deepEqual(await read({}), expected, queue);
      const [first, second, third] = expected;
      assert.deepEqual(await read({ afterId: first ?? null, limit: 2 }), [second, third]);
    }
  });

  test('the queue of deposits holds those that the domain calls unmatched, in id order', async () => {
    const rows = depositStates.flatMap((state) =>
      ends.flatMap((end) =>
        ['USD', 'EUR'].map((currency) => {
          const id = `dep_${currency}_${state}_${end}`;
          const paymentId = state === 'assigned' ? 'pi_1' : null;
          return aDeposit({
            id,
            partnerRef: id,
            state,
            end,
            paymentId,
            amount: money(1n, currency),
          });
        }),
      ),
    );
    const store = await fresh((tx) => {
      for (const row of rows) tx.deposits.insert(row);
    });
    const expected = valuesOf(rows.filter(isUnmatched), 'id').toSorted();
    const read = (page: Partial<QueuePage>) =>
      store.run(async (tx) => valuesOf(await tx.moneyQueues.deposits({ ...all, ...page }), 'id'));
    assert.equal(expected.length, 2);
    assert.deepEqual(await read({}), expected);
    assert.deepEqual(await read({ afterId: expected[0] ?? null }), expected.slice(1));
    assert.deepEqual(await read({ limit: 1 }), expected.slice(0, 1));
  });

  test('running payments whose buyer lost its approval are found, in id order', async () => {
    const store = await fresh((tx) => {
      for (const status of paymentStatuses) {
        for (const approvalLostAtMs of [null, T0]) {
          const id = `pi_${approvalLostAtMs}_${status}`;
          const publicId = `pub_${id}`;
          tx.payments.insert(aBarePayment({ ...otherOrg, id, publicId, status, approvalLostAtMs }));
        }
      }
    });
    const read = (page: Partial<QueuePage>) =>
      store.run(async (tx) => valuesOf(await tx.moneyQueues.unapproved({ ...all, ...page }), 'id'));
    const expected = verifiedStatuses.map((status) => `pi_${T0}_${status}`).toSorted();
    assert.deepEqual(await read({}), expected);
    assert.deepEqual(await read({ afterId: expected[0] ?? null, limit: 1 }), [expected[1]]);
  });

  test('payments with a loss that is not written off are found, in id order', async () => {
    const lost = { ...otherOrg, payoutMinor: 5n, lossMinor: 5n };
    const store = await fresh((tx) => {
      tx.funds.put(someFunds({ ...lost, paymentId: 'pi_3' }));
      tx.funds.put(someFunds({ ...lost, paymentId: 'pi_2', writtenOffMinor: 5n }));
      tx.funds.put(someFunds({ ...lost, paymentId: 'pi_1', writtenOffMinor: 4n }));
      tx.funds.put(someFunds({ ...otherOrg, paymentId: 'pi_0', position: 'needs_review' }));
    });
    const read = (page: Partial<QueuePage>) =>
      store.run(async (tx) =>
        valuesOf(await tx.moneyQueues.lost({ ...all, ...page }), 'paymentId'),
      );
    assert.deepEqual(await read({}), ['pi_1', 'pi_3']);
    assert.deepEqual(await read({ afterId: 'pi_1' }), ['pi_3']);
  });

  test('payments that hold money are found by their funds, in id order', async () => {
    const store = await fresh((tx) => {
      for (const [index, position] of [...positions, 'received' as const].entries()) {
        tx.funds.put(someFunds({ ...otherOrg, paymentId: `pi_${index}`, position }));
      }
    });
    const read = (page: Partial<QueuePage>) =>
      store.run(async (tx) =>
        valuesOf(await tx.moneyQueues.received({ ...all, ...page }), 'paymentId'),
      );
    assert.deepEqual(await read({}), ['pi_2', 'pi_7']);
    assert.deepEqual(await read({ afterId: 'pi_2' }), ['pi_7']);
    assert.deepEqual(await read({ limit: 1 }), ['pi_2']);
  });
}
