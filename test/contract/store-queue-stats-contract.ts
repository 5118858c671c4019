// What every store promises about the backlog: how much is due in each queue and since when, what
// receivers are still owed, and what needs a person, over all tenants.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Deposit } from '../../core/domain/deposits/deposit.js';
import type { QueueStats, Store, Tx } from '../../core/ports/storage.js';
import { aBookReading, aDeposit, aReconciliation } from '../support/samples/deposit-samples.js';
import {
  aCommand,
  aDelivery,
  aDocument,
  aMessage,
  anAdvance,
  otherMode,
  otherOrg,
  someFunds,
  T0,
} from '../support/samples/domain-samples.js';
import { aMail, aNotice } from '../support/samples/mail-samples.js';
import type { OpenStore } from './store-contracts.js';

const COUNT_MAX = 5;
const nothing = { due: 0, oldestDueAtMs: null } as const;
const emptyQueues: QueueStats['queues'] = {
  deliveries: nothing,
  commands: nothing,
  inbox: nothing,
  mails: nothing,
  documents: nothing,
  advances: nothing,
};

export function storeQueueStatsContract(open: OpenStore): void {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  const stage = (work: (tx: Tx) => void) => store.run(async (tx) => work(tx));
  const backlog = (nowMs = T0, countMax = COUNT_MAX) =>
    store.run((tx) => tx.queueStats.read(nowMs, countMax));

  test('where nothing waits, everything is zero', async () => {
    assert.deepEqual(await backlog(), {
      queues: emptyQueues,
      oldestUndeliveredAtMs: null,
      stuckCommands: 0,
      deadLetters: 0,
      blockedMails: 0,
      fundsToReview: { live: 0, test: 0 },
      losses: 0,
      booksRead: [],
      reconciliations: [],
      unmatched: [],
    });
  });

  test('each queue counts what is due of all tenants, and since when the oldest is', async () => {
    await stage((tx) => {
      for (const [at, id] of ['1', '2', '3'].entries()) {
        const tenant = [otherOrg, otherMode, otherOrg][at] ?? otherOrg;
        // The third one is not due yet.
        const dueAtMs = [T0 - 50, T0, T0 + 1][at] as number;
        tx.deliveries.insert(aDelivery({ ...tenant, id, subscriptionId: `whs_${id}`, dueAtMs }));
        tx.commands.insert(aCommand({ ...tenant, id, dueAtMs }));
        tx.inbox.insert(aMessage({ messageId: id, dueAtMs }));
        tx.mails.insert(aMail({ ...tenant, id, dueAtMs, tokenHash: id, nth: at + 1 }));
        tx.documents.insert(aDocument({ ...tenant, id, dueAtMs }));
        tx.advances.put(anAdvance({ ...tenant, paymentId: id, dueAtMs }));
      }
    });
    const two = { due: 2, oldestDueAtMs: T0 - 50 };
    assert.deepEqual((await backlog()).queues, {
      deliveries: two,
      commands: two,
      inbox: two,
      mails: two,
      documents: two,
      advances: two,
    });
    assert.deepEqual((await backlog(T0 - 51)).queues, emptyQueues);
  });

  test('money that nobody ordered is added up by currency while it needs a decision', async () => {
    const usd = (amountMinor: bigint) => ({ amountMinor, currency: 'USD' });
    const rows: readonly Partial<Deposit>[] = [
      { amount: usd(9_007_199_254_740_993n), completedAtMs: T0 - 2 },
      { amount: usd(2n), completedAtMs: T0 - 7 },
      { amount: { amountMinor: 5n, currency: 'EUR' }, completedAtMs: T0 - 1 },
      { amount: usd(9n), end: 'open', completedAtMs: null },
      { amount: usd(9n), state: 'refunded', completedAtMs: T0 - 9 },
    ];
    await stage((tx) => {
      for (const [at, fields] of rows.entries()) {
        tx.deposits.insert(aDeposit({ id: `dep_${at}`, partnerRef: `pa_${at}`, ...fields }));
      }
    });
    assert.deepEqual((await backlog()).unmatched, [
      { currency: 'EUR', amountMinor: 5n, oldestAtMs: T0 - 1 },
      { currency: 'USD', amountMinor: 9_007_199_254_740_995n, oldestAtMs: T0 - 7 },
    ]);
  });

  test('the books of a partner are as old as the older of their complete readings', async () => {
    const complete = { span: 'complete', completedAtMs: T0 - 5 } as const;
    await stage((tx) => {
      tx.bookReadings.insert(aBookReading({ completedAtMs: null }));
      tx.bookReadings.insert(aBookReading(complete));
      tx.bookReadings.insert(aBookReading({ ...complete, book: 'payout', completedAtMs: T0 - 9 }));
      const never = { ...complete, mode: 'live', completedAtMs: null, fromMs: T0 - 20 } as const;
      tx.bookReadings.insert(aBookReading(never));
    });
    assert.deepEqual((await backlog()).booksRead, [
      { partner: 'fake', mode: 'live', atMs: T0 - 20 },
      { partner: 'fake', mode: 'test', atMs: T0 - 9 },
    ]);
  });

  test('the comparison with each partner has its last result', async () => {
    const waiting = aReconciliation({ mode: 'live', last: null });
    await stage((tx) => {
      tx.reconciliations.insert(aReconciliation());
      tx.reconciliations.insert(waiting);
    });
    assert.deepEqual((await backlog()).reconciliations, [waiting, aReconciliation()]);
  });

  test('a count ends at its limit, and the oldest is still the oldest', async () => {
    await stage((tx) => {
      for (let at = 0; at <= COUNT_MAX; at += 1) {
        const id = `${at}`;
        // The last subscription has the oldest one.
        const dueAtMs = T0 - at;
        tx.deliveries.insert(aDelivery({ id, subscriptionId: id, dueAtMs }));
        tx.commands.insert(aCommand({ id, dueAtMs }));
      }
    });
    const { queues } = await backlog();
    const full = { due: COUNT_MAX, oldestDueAtMs: T0 - COUNT_MAX };
    assert.deepEqual([queues.deliveries, queues.commands], [full, full]);
  });

  test('a delivery is owed until it has ended, between its attempts too, but not in a pause', async () => {
    const waiting = aDelivery({ id: 'whd_2', createdAtMs: T0 - 70, dueAtMs: T0 + 9_000 });
    await stage((tx) => {
      const ended = { dueAtMs: null, nextAttemptAtMs: null, createdAtMs: T0 - 90 };
      tx.deliveries.insert(aDelivery({ id: 'whd_1', status: 'delivered', ...ended }));
      tx.deliveries.insert(waiting);
      const held = { nextAttemptAtMs: null, createdAtMs: T0 - 80 };
      tx.deliveries.insert(aDelivery({ id: 'whd_4', ...held }));
      tx.deliveries.insert(aDelivery({ id: 'whd_3', createdAtMs: T0 - 60 }));
    });
    assert.equal((await backlog()).oldestUndeliveredAtMs, T0 - 70);
    await stage((tx) => tx.deliveries.update({ ...waiting, status: 'delivered', dueAtMs: null }));
    assert.equal((await backlog()).oldestUndeliveredAtMs, T0 - 60);
  });

  test('what needs a person is counted, up to the limit', async () => {
    const ended = { dueAtMs: null, nextAttemptAtMs: null } as const;
    await stage((tx) => {
      for (let at = 0; at <= COUNT_MAX; at += 1) {
        tx.deliveries.insert(aDelivery({ id: `dead ${at}`, status: 'dead_letter', ...ended }));
      }
      tx.deliveries.insert(aDelivery({ id: 'taken', status: 'delivered', ...ended }));
      tx.mails.insert(aMail({ id: 'mail_blocked' }));
      const other = { tokenHash: 'aa'.repeat(32), nth: 8 } as const;
      tx.mails.insert(aMail({ id: 'mail_waits', isBlocked: false, ...other }));
      const dropped = { status: 'dropped', dueAtMs: null, leaseToken: null } as const;
      tx.mails.insert(aNotice({ id: 'mail_dropped', ...dropped }));
      tx.commands.insert(aCommand({ id: 'cmd_in_doubt', state: 'unknown' }));
      tx.commands.insert(aCommand({ id: 'cmd_in_review', state: 'done', review: '{}' }));
      const refund = { kind: 'refund', dueAtMs: null } as const;
      tx.commands.insert(aCommand({ id: 'cmd_debt', ...refund, state: 'refused' }));
      tx.commands.insert(aCommand({ id: 'cmd_paid', ...refund, state: 'done', end: 'completed' }));
      tx.funds.put(someFunds({ paymentId: 'pi_lost', position: 'needs_review' }));
      tx.funds.put(someFunds({ paymentId: 'pi_debt', refund: 'needs_review' }));
      const live = { ...otherMode, paymentId: 'pi_live', position: 'needs_review' } as const;
      tx.funds.put(someFunds(live));
      const lost = { refundedMinor: 5n, lossMinor: 5n };
      tx.funds.put(someFunds({ paymentId: 'pi_loss', ...lost, writtenOffMinor: 4n }));
      tx.funds.put(someFunds({ paymentId: 'pi_off', ...lost, writtenOffMinor: 5n }));
      tx.funds.put(
        someFunds({
          paymentId: 'pi_refund',
          refund: 'refund_ordered',
          receivedMinor: 5n,
          refundOrderedMinor: 5n,
        }),
      );
    });
    const { stuckCommands, deadLetters, blockedMails, fundsToReview, losses } = await backlog();
    assert.deepEqual([stuckCommands, deadLetters, losses], [2, COUNT_MAX, 1]);
    assert.equal(blockedMails, 1);
    assert.deepEqual(fundsToReview, { live: 1, test: 2 });
  });
}
