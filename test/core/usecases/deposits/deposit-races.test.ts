// A message about a pay-in may come before the answer to the call that ordered it. While a command
// may own a pay-in, it is no deposit. After a restore, a pay-in whose order was lost is one, until
// its command finds it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { schedules } from '../../../../core/domain/base/schedules.js';
import type { CommandEnd } from '../../../../core/domain/commands/partner-command.js';
import type { PayinReport } from '../../../../core/domain/commands/report-check.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { PartnerAnswer, PartnerEntry } from '../../../../core/ports/partner.js';
import { applyPartnerUpdate, runInbox } from '../../../../core/usecases/commands/partner-inbox.js';
import { runBookReadings } from '../../../../core/usecases/deposits/book-readings.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { endQuarantine, quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { racing } from '../../../support/racing-store.js';
import { Scene } from '../../../support/scenes/command-scene.js';
import { refundDeposit, resolveDeposit } from '../../../support/scenes/deposit-decisions.js';
import { type DepositScene, depositScene } from '../../../support/scenes/deposit-scene.js';
import { valuesOf } from '../../../support/values-of.js';

const lost = { outcome: 'unknown', reason: 'time-out' } as const;
const nothing = { transactionHash: null, reason: null };

/** A payment whose pay-in is in the books, and in a message, before the call is answered. */
async function overtaken(scene: DepositScene, entry: Partial<PartnerEntry>, answers: boolean) {
  const { made, books, tenant } = scene;
  const { payin } = made.partner;
  const seen = { partnerRef: '', messageId: '', isWaiting: false, deposits: [] as unknown[] };
  let executed: Awaited<ReturnType<typeof payin.start>> | null = null;
  changePartner(made.partner, {
    payin: {
      async start(request) {
        const answer = await payin.start(request);
        assert.equal(answer.outcome, 'done');
        if (answer.outcome !== 'done') return answer;
        executed = answer;
        seen.partnerRef = answer.value.partnerRef;
        const partnerQuoteId = await quoteOf(scene, id);
        scene.deposit(seen.partnerRef, { partnerQuoteId, status: 'open', ...entry });
        seen.messageId = await scene.tell(seen.partnerRef);
        // Tried once more, and scanned, while the call is in flight.
        made.advanceClock(20 * MINUTE_MS);
        await runInbox(made.deps, made.deps.clock.nowMs(), 10);
        await runBookReadings(made.deps);
        seen.deposits.push(await scene.stored(seen.partnerRef));
        seen.isWaiting = await scene.waits(seen.messageId);
        return answers ? answer : lost;
      },
      find: async () => executed ?? { outcome: 'done', value: null },
    },
  });
  const id = await made.newPayment(tenant);
  await advancePayment(made.deps, tenant, id, 'on_ramp_pending');
  const at = new Scene(made, tenant, id);
  await at.pass(12, 10_000);
  return { at, seen, books };
}

/** The partner's id of the quote of a payment. */
async function quoteOf({ made, tenant }: DepositScene, paymentId: string) {
  const { store } = made.deps;
  const payment = await store.run((tx) => tx.payments.get(tenant, paymentId));
  const quote = await store.run((tx) => tx.quotes.get(tenant, payment?.quoteId ?? ''));
  return quote?.partnerQuoteId ?? null;
}

const entries: Readonly<Record<string, Partial<PartnerEntry>>> = {
  'with its quote': {},
  'without its quote, of the party': { partnerQuoteId: null },
  'without quote and party': { partnerQuoteId: null, partyRef: null },
  'completed at once': { status: 'completed' },
};

for (const [how, entry] of Object.entries(entries)) {
  for (const answers of [true, false]) {
    const then = answers ? 'is answered' : 'times out';
    test(`a message ${how} overtakes a call that ${then}: no deposit, and the command has it`, async (t) => {
      const scene = await depositScene(t);
      const { at, seen, books } = await overtaken(scene, entry, answers);
      assert.notEqual(seen.partnerRef, '');
      assert.ok(books.pagesRead.length > 0, 'a scan has seen it too');
      assert.deepEqual(seen.deposits, [null], 'no deposit while the call was in flight');
      assert.equal(seen.isWaiting, true, 'the message was tried again');
      assert.equal(await scene.stored(seen.partnerRef), null, 'nor later');
      assert.equal(await scene.waits(seen.messageId), false, 'the message found its command');
      assert.deepEqual(valuesOf(await at.commands('payin'), 'partnerRef'), [seen.partnerRef]);
      books.change(seen.partnerRef, { status: 'completed' });
      await at.pass(40, 10_000);
      assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
    });
  }
}

test('money of another party does not wait for a command in flight', async (t) => {
  const scene = await depositScene(t);
  const stranger = await scene.made.newTenant();
  const profile = await scene.made.deps.store.run((tx) => tx.organizations.profile(stranger));
  const { payin } = scene.made.partner;
  changePartner(scene.made.partner, {
    payin: {
      async start(request) {
        const entry = { partyRef: profile?.partnerRef ?? null, partnerQuoteId: null };
        await scene.arrive('va_1', entry);
        return payin.start(request);
      },
    },
  });
  await scene.awaiting();
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

test('after a restore a pay-in whose order was lost is a deposit, and its quote names the payment', async (t) => {
  const scene = await depositScene(t);
  const { made, tenant } = scene;
  const id = await made.newPayment(tenant);
  // The backup has the quote; the confirmation and the command came later.
  await made.play(tenant, id, 'fx_quoted');
  await quarantineRestored(made.deps);
  scene.deposit('pa_lost', { partnerQuoteId: await quoteOf(scene, id) });
  scene.deposit('pa_gone', { partnerQuoteId: 'of a quote after the backup' });
  const messages = [await scene.tell('pa_lost'), await scene.tell('pa_gone')];
  await made.settle();
  assert.deepEqual([await scene.stored('pa_lost'), scene.books.reads], [null, 0]);
  for (const one of messages) assert.equal(await scene.waits(one), true, 'kept for the release');
  await endQuarantine(made.deps, { by: 'ana', forcedBecause: 'a test' });
  const at = new Scene(made, tenant, id);
  await at.pass(10);
  assert.equal(await scene.shown('pa_lost'), 'assigned completed quote');
  assert.equal((await at.shown())[0], 'settled');
  assert.equal(await scene.shown('pa_gone'), 'waiting completed null');
});

for (const way of ['message', 'reading'] as const) {
  test(`a pay-in of a command that counted as absent is found by its quote, by a ${way}`, async (t) => {
    const scene = await depositScene(t);
    const { made, tenant } = scene;
    changePartner(made.partner, {
      payin: {
        start: async () => ({ outcome: 'refused', code: 'already_used', message: 'no' }),
        find: async () => ({ outcome: 'done', value: null }),
      },
    });
    const id = await made.newPayment(tenant);
    await advancePayment(made.deps, tenant, id, 'on_ramp_pending');
    const at = new Scene(made, tenant, id);
    await at.pass(10);
    assert.equal((await at.shown())[0], 'failed');
    scene.deposit('pa_late', { partnerQuoteId: await quoteOf(scene, id) });
    if (way === 'message') await scene.tell('pa_late');
    else made.advanceClock(schedules.recentReading.waitsMs[0]);
    await at.pass(3);
    assert.equal(await scene.shown('pa_late'), 'assigned completed quote');
    await at.pass(3);
    assert.equal(await at.summary(), 'failed returned_to_buyer needs_review 100 0 100 0 0');
  });
}

test('a command that stays in doubt does not keep a deposit: a scan finds it', async (t) => {
  const scene = await depositScene(t);
  const { made } = scene;
  const { payin } = made.partner;
  let isLost = true;
  changePartner(made.partner, {
    payin: {
      start: async (request) => (isLost ? lost : payin.start(request)),
      find: async () => (isLost ? lost : { outcome: 'done', value: null }),
    },
  });
  const id = await made.newPayment(scene.tenant);
  await advancePayment(made.deps, scene.tenant, id, 'on_ramp_pending');
  const at = new Scene(made, scene.tenant, id);
  await at.pass(3);
  await scene.arrive('va_1', { partnerQuoteId: null });
  assert.equal(await scene.stored('va_1'), null);
  // The message is given up; the look-ups of the command fail for hours.
  await at.pass(24, HOUR_MS / 4);
  assert.equal(await scene.stored('va_1'), null);
  isLost = false;
  await at.pass(10, HOUR_MS / 4);
  assert.match(await scene.shown('va_1'), /^assigned completed amount|^waiting completed null/);
});

/** The partner answers the next call for a pay-in with one that its books already had. */
function ownsAtPartner({ made }: DepositScene, partnerRef: string): void {
  const { payin } = made.partner;
  changePartner(made.partner, {
    payin: {
      async start(request) {
        const answer = await payin.start(request);
        if (answer.outcome !== 'done') return answer;
        return { outcome: 'done', value: { ...answer.value, partnerRef } };
      },
    },
  });
}

/** A deposit that was decided on, then a payment whose pay-in it turns out to be. */
async function decidedBefore(t: TestContext, decide: DepositDecision) {
  const scene = await depositScene(t);
  await decide(scene);
  ownsAtPartner(scene, 'va_1');
  const at = await scene.awaiting();
  await at.pass(4);
  return { scene, at };
}

type DepositDecision = (scene: DepositScene) => Promise<unknown>;

const decideArrived =
  (decide: (deps: Deps, id: string) => Promise<unknown>): DepositDecision =>
  async (scene) => {
    await scene.arrive('va_1');
    return decide(scene.made.deps, (await scene.found('va_1')).id);
  };

const assignArrived: DepositDecision = async (scene) => {
  const other = await scene.awaiting();
  await scene.arrive('va_1');
  await other.pass(3);
  assert.equal(await other.summary(), 'settled paid none 100 100 0 0 0');
};

const held = 'on_ramp_pending needs_review none 0 0 0 0 0';
const unknownPosition = 'the position of the money is unknown';

for (const [decision, decide, shown, reason] of [
  ['paid back', decideArrived(refundDeposit), 'refunded completed null', 'was paid back'],
  ['assigned', assignArrived, 'assigned completed amount', 'counts as another pay-in'],
] as const) {
  test(`a pay-in that was ${decision} as a deposit is never booked again`, async (t) => {
    const { scene, at } = await decidedBefore(t, decide);
    assert.equal(await at.summary(), held);
    assert.deepEqual(scene.alerts().slice(-1), [unknownPosition]);
    await assert.rejects(at.accept('payin'), {
      code: 'CommandNotRetryable',
      message: new RegExp(`cannot be booked: the money of dep_\\w+ ${reason}`),
    });
    await at.pass(HOUR_MS / 60_000, MINUTE_MS);
    assert.equal(await at.summary(), held);
    assert.deepEqual(await at.commands('payout'), []);
    assert.equal(await scene.shown('va_1'), shown);
  });
}

test('a pay-in that was settled otherwise as a deposit is booked if a person accepts it', async (t) => {
  const { scene, at } = await decidedBefore(t, decideArrived(resolveDeposit));
  assert.equal(await at.summary(), held);
  assert.deepEqual(scene.alerts().slice(-1), [unknownPosition]);
  assert.deepEqual(await at.commands('payout'), []);
  assert.equal(await scene.shown('va_1'), 'resolved completed null');
  await at.accept('payin');
  await at.pass(3);
  assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
  assert.equal(await scene.shown('va_1'), 'assigned completed quote');
  assert.deepEqual(await scene.postings('va_1'), [
    'deposit_assigned',
    'deposit_resolved',
    'funds_received',
  ]);
});

/** A deposit, and a payment whose command has its pay-in; the partner reports it as `stated`. */
async function foundByCommand(t: TestContext, entry: Partial<PartnerEntry> = {}) {
  const scene = await depositScene(t);
  // Of an amount that no payment waits for.
  const amount = money(9_000n, 'USD');
  await scene.arrive('va_1', { amount, ...entry });
  ownsAtPartner(scene, 'va_1');
  let stated: PartnerAnswer<PayinReport> = { outcome: 'later', reason: 'busy' };
  changePartner(scene.made.partner, { payin: { read: async () => stated } });
  const at = await scene.awaiting();
  await at.pass(2);
  const { id } = await scene.found('va_1');
  const report = async (status: CommandEnd, amountMinor: bigint) => {
    const received = money(amountMinor, 'USD');
    const value = { status, received, ...nothing };
    stated = { outcome: 'done', value };
    await at.answer('payin', value);
  };
  return { scene, at, id, report };
}

test('a deposit whose pay-in a command has is not decided: its money counts once', async (t) => {
  for (const status of ['open', 'completed'] as const) {
    const { scene, at, id, report } = await foundByCommand(t, { status });
    assert.equal(await scene.shown('va_1'), `waiting ${status} null`, 'no report brought money');
    for (const decide of [refundDeposit, resolveDeposit]) {
      await assert.rejects(decide(scene.made.deps, id), { code: 'DepositDecided' });
    }
    await assert.rejects(scene.assign('va_1', at.id), { code: 'DepositDecided' });
    await report('completed', 10_000n);
    await at.pass(30);
    assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
    assert.equal(await scene.shown('va_1'), `assigned ${status} quote`);
  }
});

test('a deposit whose pay-in a command has stays with a person while the report is unusable', async (t) => {
  const { scene, at, id, report } = await foundByCommand(t);
  await report('completed', -1n);
  await cancelPayment(scene.made.deps, at.tenant, at.id, 'withdrawn');
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  assert.deepEqual(await scene.postings('va_1'), ['funds_received']);
  await refundDeposit(scene.made.deps, id);
  // The partner corrects its report: the money was paid back.
  await report('completed', 9_000n);
  await at.pass(10, HOUR_MS);
  assert.equal(await at.summary(), 'cancelled needs_review none 0 0 0 0 0');
  assert.equal(await scene.shown('va_1'), 'refunded completed null');
});

test('a corrected report books the pay-in of a deposit, which is not decided from then on', async (t) => {
  const { scene, at, id, report } = await foundByCommand(t);
  await report('completed', -1n);
  await cancelPayment(scene.made.deps, at.tenant, at.id, 'withdrawn');
  await report('completed', 9_000n);
  await assert.rejects(refundDeposit(scene.made.deps, id), { code: 'DepositDecided' });
  await at.pass(10);
  assert.equal((await at.shown()).slice(3).join(' '), '90 0 90 0 0');
  assert.equal(await scene.shown('va_1'), 'assigned completed quote');
});

for (const [status, shown] of [
  ['failed', 'waiting failed null'],
  ['returned', 'returned returned null'],
] as const) {
  test(`a deposit whose command has ${status} without money holds none`, async (t) => {
    const { scene, at, id, report } = await foundByCommand(t);
    await report(status, 0n);
    assert.equal(await scene.shown('va_1'), shown);
    await assert.rejects(refundDeposit(scene.made.deps, id), { code: 'DepositDecided' });
    assert.equal((await scene.postings('va_1')).length, 2);
    await at.made.booksAreRight();
    // It arrives after all.
    await report('completed', 10_000n);
    assert.equal(await scene.shown('va_1'), `assigned ${status} quote`);
    await at.pass(30);
    assert.equal((await at.shown()).slice(3).join(' '), '100 0 100 0 0');
  });
}

for (const status of ['failed', 'returned'] as const) {
  test(`a message that the command of a deposit has ${status} may be old: the partner is polled`, async (t) => {
    const { scene, at, report } = await foundByCommand(t);
    await at.report('payin', { status, received: money(0n, 'USD'), ...nothing });
    assert.equal(await scene.shown('va_1'), 'waiting completed null');
    assert.deepEqual(await scene.postings('va_1'), ['funds_received']);
    assert.equal((await at.command('payin')).dueAtMs, scene.made.deps.clock.nowMs());
    // Nor does an unusable answer count.
    await report('completed', -1n);
    assert.deepEqual(await scene.postings('va_1'), ['funds_received']);
    await report(status, 0n);
    assert.equal((await scene.postings('va_1')).length, 2);
  });
}

test('a deposit does not arrive because its command has completed without money', async (t) => {
  const { scene, at, report } = await foundByCommand(t, { status: 'open' });
  await report('completed', 0n);
  assert.equal(await scene.shown('va_1'), 'waiting open null');
  await at.accept('payin');
  assert.equal((await at.command('payin')).end, 'completed');
  assert.equal(await scene.shown('va_1'), 'waiting open null');
  assert.deepEqual(await scene.postings('va_1'), []);
});

for (const first of ['person', 'report'] as const) {
  test(`a person and a report race for a pay-in: the ${first} is first, and it is booked once`, async (t) => {
    const { scene, at, id, report } = await foundByCommand(t);
    const { deps } = scene.made;
    await report('completed', -1n);
    const command = await at.command('payin');
    const { reference } = command;
    const corrected = { status: 'completed', received: money(9_000n, 'USD'), ...nothing } as const;
    const fact = { kind: 'payin', reference, partnerRef: 'va_1', report: corrected } as const;
    const moves = {
      person: (by: Deps) => refundDeposit(by, id),
      report: (by: Deps) => applyPartnerUpdate(by, command, fact),
    };
    const other = first === 'person' ? 'report' : 'person';
    let runs = 0;
    // It commits between the reads of the other one and its writes.
    const raced = racing(deps, (nth) => {
      runs = nth;
      return nth === 1 ? moves[first](deps) : null;
    });
    const lost = moves[other](raced);
    if (other === 'person') await assert.rejects(lost, { code: 'DepositDecided' });
    else await lost;
    assert.equal(runs, other === 'person' ? 1 : 2, 'a report is read again');
    const shown = first === 'person' ? 'refunded completed null' : 'assigned completed quote';
    assert.equal(await scene.shown('va_1'), shown);
    const received = (await at.read()).funds.receivedMinor;
    assert.equal(received, first === 'person' ? 0n : 9_000n);
  });
}

test('a recall reaches the command that booked a deposit, not another one with its id', async (t) => {
  const scene = await depositScene(t);
  const other = await scene.awaiting();
  await scene.arrive('va_1');
  await other.pass(3);
  ownsAtPartner(scene, 'va_1');
  const at = await scene.awaiting();
  await at.pass(4);
  assert.equal(await at.summary(), held);
  const { reference } = await at.command('payin');
  scene.books.change('va_1', { status: 'returned', reference });
  await other.pass(20, HOUR_MS);
  assert.equal(await other.summary(), 'settled paid refunded 100 100 0 100 100');
});
