// The check after a restore: what the partner did in the life that was lost is read back, so that
// nothing is ordered a second time. The other life is played at the partner, under the references
// that the service would have used.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FakeMemory } from '../../../../adapters/partner/fake-memory.js';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { type MoneyKind, newCommand } from '../../../../core/domain/commands/partner-command.js';
import type { PaymentStatus } from '../../../../core/domain/payments/payment.js';
import type {
  PartnerAnswer,
  PartnerEntry,
  PartnerStatement,
  SettlementPartner,
} from '../../../../core/ports/partner.js';
import { commandRunner } from '../../../../core/usecases/commands/command-runner.js';
import type { CheckedPayment } from '../../../../core/usecases/money-desk/payment-check.js';
import {
  checkRestored,
  isCheckComplete,
} from '../../../../core/usecases/money-desk/restore-check.js';
import { commandReference } from '../../../../core/usecases/payments/command-references.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment, runAdvances } from '../../../../core/usecases/sandbox/sandbox.js';
import {
  currentEpoch,
  endQuarantine,
  quarantineRestored,
} from '../../../../core/usecases/service/epochs.js';
import { currentKey } from '../../../../core/usecases/service/service-keys.js';
import {
  booksOf,
  changeLists,
  changePartner,
  changeReports,
  later,
} from '../../../support/partners/changed-partner.js';
import { memoryOnly } from '../../../support/partners/memory-only.js';
import { interrupted } from '../../../support/racing-store.js';
import { Scene, scene } from '../../../support/scenes/command-scene.js';
import { assignDeposit } from '../../../support/scenes/deposit-decisions.js';
import { valuesOf } from '../../../support/values-of.js';

const stillOpen = { status: 'open', received: money(0n, 'USD') } as const;

interface Life {
  readonly at: Scene;
  readonly memory: FakeMemory;
  /** Commands of this kind that the partner ever took. */
  readonly taken: (kind: MoneyKind) => number;
}

/** A payment as the backup has it: at `status`, its pay-in ordered where that says so. */
async function backedUp(t: TestContext, status: PaymentStatus): Promise<Life> {
  const memory = memoryOnly();
  const at = await scene(t, 10_000n, memory, status);
  const { deps } = at.made;
  const commands = commandRunner(deps);
  const place = async () => {
    await commands.runOnce(deps.clock.nowMs(), 100);
    await commands.idle();
  };
  while ((await at.shown())[0] !== status) {
    await place();
    await at.made.partner.sendDueMessages(deps.clock.nowMs(), 100);
    at.made.advanceClock(1_000);
    await runAdvances(deps, deps.clock.nowMs(), 100);
  }
  await place();
  const taken = (kind: MoneyKind) =>
    memory.all().filter((transaction) => transaction.kind === kind).length;
  return { at, memory, taken };
}

function done<T>(answer: PartnerAnswer<T> | { readonly outcome: 'over_limit' }): T {
  return answer.outcome === 'done' ? answer.value : assert.fail(JSON.stringify(answer));
}

async function referenceOf({ at }: Life, kind: MoneyKind, number: number, subject = at.id) {
  const { bytes } = await currentKey(at.made.deps, 'partner');
  return commandReference(bytes, { subject, kind, number });
}

/** The other life sends a pay-in; yields the partner's id. */
async function otherPayin(life: Life, number = 1): Promise<string> {
  const { partner } = life.at.made;
  const { payment } = await life.at.read();
  const { amount: source, destination } = payment;
  const quote = done(await partner.quote({ source, destination }));
  const reference = await referenceOf(life, 'payin', number);
  const place = { reference, quote, payerEmail: 'buyer@example.com' };
  return done(await partner.payin.start(done(await partner.payin.prepare(place)))).partnerRef;
}

async function otherPayout(life: Life, number = 1): Promise<void> {
  const { partner } = life.at.made;
  const { amount, destination } = (await life.at.read()).payment;
  const reference = await referenceOf(life, 'payout', number);
  const request = done(
    await partner.payout.prepare({ reference, amount, destination, payinRefs: [], quote: null }),
  );
  done(await partner.payout.start(request));
}

async function otherRefund(life: Life, amountMinor = 10_000n): Promise<void> {
  const { partnerRef } = await life.at.command('payin');
  const payinRef = partnerRef ?? '';
  const { partner } = life.at.made;
  const subject = await referenceOf(life, 'payin', 1);
  const reference = await referenceOf(life, 'refund', 1, subject);
  const amount = { amountMinor, currency: 'USD' };
  const request = done(await partner.refund.prepare({ reference, payinRef, amount }));
  done(await partner.refund.start(request));
}

async function checked({ at }: Life): Promise<readonly CheckedPayment[]> {
  const found: CheckedPayment[] = [];
  await checkRestored(at.made.deps, (payment) => found.push(payment));
  return found;
}

/** An hour after the release. */
async function released({ at }: Life): Promise<void> {
  await endQuarantine(at.made.deps, { by: 'ana', forcedBecause: null });
  await at.pass(120, 30_000);
}

/** From the restored copy to an hour after its release. */
async function restored(life: Life): Promise<readonly CheckedPayment[]> {
  const { at } = life;
  await quarantineRestored(at.made.deps);
  const found = await checked(life);
  await endQuarantine(at.made.deps, { by: 'ana', forcedBecause: null });
  await advancePayment(at.made.deps, at.tenant, at.id, null).catch(() => undefined);
  await at.pass(120, 30_000);
  await at.made.booksAreRight();
  return found;
}

for (const status of ['buyer_kyc_approved', 'fx_quoted', 'on_ramp_pending'] as const) {
  test(`a payment that was paid out after a backup at ${status} is not paid again`, async (t) => {
    const life = await backedUp(t, status);
    const { at } = life;
    if (status !== 'on_ramp_pending') await otherPayin(life);
    await otherPayout(life);
    assert.notEqual((await at.shown())[0], 'settled');
    const [payment] = await restored(life);
    assert.deepEqual([payment?.was, payment?.is, payment?.missed], [status, 'settled', []]);
    assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
    assert.deepEqual([life.taken('payin'), life.taken('payout')], [1, 1]);
  });
}

test('a payout that was sent after a backup with its command unsent is found by the check', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { at } = life;
  const { deps, partner } = at.made;
  while ((await at.shown())[0] !== 'on_chain_confirmed') {
    at.made.advanceClock(1_000);
    await partner.sendDueMessages(deps.clock.nowMs(), 100);
  }
  assert.equal((await at.command('payout')).state, 'pending');
  await otherPayout(life);
  await quarantineRestored(deps);
  const [payment] = await checked(life);
  assert.deepEqual([payment?.is, payment?.adopted, payment?.missed], ['settled', [], []]);
});

for (const [rule, amountMinor, refunds] of [
  ['a payment that was refunded after the backup is not paid out', 10_000n, 1],
  ['a refund of another amount counts for what it gave back; the rest is refunded', 4_000n, 2],
] as const) {
  test(rule, async (t) => {
    const life = await backedUp(t, 'on_ramp_pending');
    await otherRefund(life, amountMinor);
    await restored(life);
    assert.equal(await life.at.summary(), 'failed returned_to_buyer refunded 100 0 0 100 0');
    assert.deepEqual([life.taken('payout'), life.taken('refund')], [0, refunds]);
  });
}

test('a refund whose amount is not read, or cannot be one, leaves the check incomplete', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { partner } = life.at.made;
  await otherRefund(life);
  const { refund } = partner;
  changePartner(partner, { refund: { read: async () => later() } });
  await quarantineRestored(life.at.made.deps);
  const [unread] = await checked(life);
  assert.deepEqual([unread?.adopted, await life.at.commands('refund')], [[], []]);
  Object.assign(partner, { refund });
  const amounts = [
    [{ amountMinor: -1n, currency: 'USD' }, /above zero/],
    [{ amountMinor: 10n ** 19n, currency: 'USD' }, /cannot be stored/],
    [{ amountMinor: 10_000n, currency: 'EUR' }, /not in USD/],
  ] as const;
  for (const [amount, why] of amounts) {
    const correct = changeReports(partner, 'refund', () => ({ amount }));
    const [payment] = await checked(life);
    assert.match(payment?.missed.join() ?? '', why);
    assert.deepEqual([payment?.adopted, await life.at.commands('refund')], [[], []]);
    correct();
  }
  await checked(life);
  assert.equal((await life.at.commands('refund')).length, 1);
});

for (const [refunded, why] of [
  [{ amountMinor: 20_000n, currency: 'USD' }, /refunds 20000 minor units, 10000 were requested/],
  [{ amountMinor: 9_000n, currency: 'EUR' }, /the refund is not in USD/],
] as const) {
  const { amountMinor, currency } = refunded;
  test(`a payout waits while a refund of the lost life of ${amountMinor} ${currency} awaits a decision`, async (t) => {
    const life = await backedUp(t, 'on_ramp_pending');
    const { partner } = life.at.made;
    await otherRefund(life);
    // The buyer paid twice; the lost life gave all of it back, this one owes the surplus only.
    const received = money(20_000n, 'USD');
    changeReports(partner, 'payin', () => ({ status: 'completed', received }));
    changeReports(partner, 'refund', () => ({ amount: refunded }));
    await restored(life);
    assert.deepEqual([life.taken('payout'), life.taken('refund')], [0, 1]);
    const { review } = await life.at.command('refund');
    assert.match(review ?? '', why);
  });
}

test('a payment that was paid out after the backup cannot be cancelled and refunded', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { at } = life;
  await otherPayout(life);
  await quarantineRestored(at.made.deps);
  const cancel = () => cancelPayment(at.made.deps, at.tenant, at.id, 'withdrawn');
  await assert.rejects(cancel, { code: 'InQuarantine' });
  await checked(life);
  await endQuarantine(at.made.deps, { by: 'ana', forcedBecause: null });
  await assert.rejects(cancel, { code: 'PaymentNotCancellable' });
  await at.pass(120, 30_000);
  assert.deepEqual([life.taken('payout'), life.taken('refund')], [1, 0]);
});

test('a payout that could be found and not be looked at is not sent again', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { partner } = life.at.made;
  const { partnerRef } = await life.at.command('payin');
  await otherPayout(life);
  const { findCommand, payin, payout } = partner;
  let finds = 0;
  const once: SettlementPartner['findCommand'] = async (kind, reference) => {
    if (kind === 'payout') finds += 1;
    return kind === 'payout' && finds > 1 ? later() : findCommand(kind, reference);
  };
  Object.assign(partner, { findCommand: once });
  changePartner(partner, { payout: { read: async () => later() } });
  changeReports(partner, 'payin', () => stillOpen);
  await quarantineRestored(life.at.made.deps);
  const [first] = await checked(life);
  assert.notDeepEqual(first?.missed, []);
  Object.assign(partner, { findCommand, payin, payout });
  assert.equal(done(await payin.read(partnerRef ?? '')).status, 'completed');
  await checked(life);
  const commands = await life.at.commands('payout');
  assert.deepEqual(valuesOf(commands, 'state'), ['done']);
  assert.equal((await life.at.shown())[0], 'settled');
});

test('a payout is found although its pay-in went back since', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { partner } = life.at.made;
  await otherPayout(life);
  const received = money(10_000n, 'USD');
  changeReports(partner, 'payin', () => ({ status: 'returned', received }));
  const [payment] = await restored(life);
  assert.deepEqual(payment?.adopted, ['payout']);
  assert.equal((await life.at.shown()).at(-1), 100, 'the house has lost it, and knows');
});

test('a payout that was read back counts, also while a report of its pay-in waits for a person', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { deps, partner } = life.at.made;
  await otherPayout(life);
  const correct = changeReports(partner, 'payin', () => ({ received: money(70_000n, 'USD') }));
  await quarantineRestored(deps);
  await checked(life);
  assert.equal((await life.at.shown())[0], 'settled');
  correct();
  await released(life);
  assert.deepEqual([life.taken('payout'), life.taken('refund')], [1, 0]);
  assert.equal(await life.at.summary(), 'settled paid none 100 100 0 0 0');
});

test('a look-up that answers with the id of another command counts nothing, and is missed', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { at } = life;
  const { deps, partner } = at.made;
  const partnerRef = (await at.command('payin')).partnerRef ?? assert.fail();
  const second = new Scene(at.made, at.tenant, await at.another());
  await at.made.play(at.tenant, second.id, 'fx_quoted');
  const own = await otherPayin({ ...life, at: second });
  const { findCommand } = partner;
  const wrong: SettlementPartner['findCommand'] = async (kind, reference) => {
    const answer = await findCommand(kind, reference);
    const found = answer.outcome === 'done' ? answer.value : null;
    return found?.partnerRef === own ? { outcome: 'done', value: { partnerRef } } : answer;
  };
  Object.assign(partner, { findCommand: wrong });
  await quarantineRestored(deps);
  const missed = (await checked(life)).flatMap((one) => one.missed);
  assert.match(missed.join(), /with the id of another command/);
  assert.deepEqual(await second.commands('payin'), []);
  Object.assign(partner, { findCommand });
  assert.deepEqual(
    (await checked(life)).flatMap((one) => one.missed),
    [],
  );
  assert.equal((await second.command('payin')).partnerRef, own);
});

test('a pay-in that became a deposit counts once when another check finds its command', async (t) => {
  const life = await backedUp(t, 'fx_quoted');
  const { at } = life;
  const { deps, partner } = at.made;
  const partnerRef = await otherPayin(life);
  await at.made.partner.sendDueMessages(deps.clock.nowMs(), 100);
  at.made.advanceClock(HOUR_MS);
  await at.made.partner.sendDueMessages(deps.clock.nowMs(), 100);
  await quarantineRestored(deps);
  const { findCommand } = partner;
  Object.assign(partner, { findCommand: async () => later() });
  await checked(life);
  const deposit = () =>
    deps.store.run((tx) =>
      tx.deposits.byPartnerRef(partner.name, at.tenant.mode, 'payin', partnerRef),
    );
  assert.equal((await deposit())?.state, 'waiting');
  Object.assign(partner, { findCommand });
  const correct = changeReports(partner, 'payin', () => stillOpen);
  await checked(life);
  assert.deepEqual(valuesOf(await at.commands('payin'), 'end'), ['open']);
  const found = await deposit();
  assert.equal(found?.state, 'waiting', 'its money is not reported yet');
  await assert.rejects(assignDeposit(deps, found?.id ?? '', at.id), { code: 'DepositDecided' });
  correct();
  await checked(life);
  await released(life);
  assert.equal((await deposit())?.state, 'assigned');
  assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
});

test('a check whose epoch is over leaves the next one unchecked', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { deps, partner } = life.at.made;
  const begun = await quarantineRestored(deps);
  const { findCommand } = partner;
  const racing: SettlementPartner['findCommand'] = async (...request) => {
    if (begun.number === (await currentEpoch(deps)).number) await quarantineRestored(deps);
    return findCommand(...request);
  };
  Object.assign(partner, { findCommand: racing });
  await assert.rejects(checked(life), { code: 'NotQuarantined' });
  assert.equal((await currentEpoch(deps)).checkedAtMs, null);
});

test('commands are found beyond numbers that the partner refused', async (t) => {
  const life = await backedUp(t, 'fx_quoted');
  await otherPayin(life, 10);
  await otherPayout(life);
  const [payment] = await restored(life);
  assert.deepEqual(payment?.adopted, ['payin']);
  assert.deepEqual((await life.at.shown())[0], 'settled');
  const payins = await life.at.commands('payin');
  assert.deepEqual(payins.map(({ state }) => state).toSorted(), [
    'done',
    ...Array.from({ length: 9 }, () => 'void'),
  ]);
  assert.deepEqual([life.taken('payin'), life.taken('payout')], [1, 1]);
});

test('a payment of which the partner knows nothing more stays as it is', async (t) => {
  const life = await backedUp(t, 'fx_quoted');
  await quarantineRestored(life.at.made.deps);
  assert.deepEqual(await checked(life), []);
  assert.equal((await life.at.shown())[0], 'fx_quoted');
  assert.ok((await currentEpoch(life.at.made.deps)).checkedAtMs !== null);
});

test('what cannot be looked up keeps the quarantine, until a check is complete', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { deps, partner } = life.at.made;
  await quarantineRestored(deps);
  const usual = partner.findCommand.bind(partner);
  Object.assign(partner, { findCommand: async () => later('an outage') });
  const [payment] = await checked(life);
  assert.match(payment?.missed.join() ?? '', /an outage/);
  const release = { by: 'ana', forcedBecause: null };
  await assert.rejects(endQuarantine(deps, release), { code: 'CheckIncomplete' });
  Object.assign(partner, { findCommand: usual });
  for (const { missed } of await checked(life)) assert.deepEqual(missed, []);
  await endQuarantine(deps, release);
});

test('an entry of the books that cannot be read leaves the check incomplete', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { deps, partner, log } = life.at.made;
  const statement = booksOf(partner);
  const page: typeof statement.page = async (kind, query) => {
    const { entries, nextCursor } = done(await statement.page(kind, query));
    const unreadable = kind === 'payout' ? [{ partnerRef: 'po_odd', reason: 'no amounts' }] : [];
    return { outcome: 'done', value: { entries, unreadable, nextCursor } };
  };
  Object.assign(partner, { statement: { ...statement, page } });
  await quarantineRestored(deps);
  const counts = await checkRestored(deps, () => undefined);
  assert.deepEqual([counts.payments, counts.missed, counts.unreadable], [1, 0, 1]);
  assert.ok(!isCheckComplete(counts));
  const alert = log.find(({ fields }) => fields['partnerRef'] === 'po_odd');
  assert.partialDeepStrictEqual(alert?.fields, { mode: 'test', book: 'payout' });
  const release = { by: 'ana', forcedBecause: null };
  await assert.rejects(endQuarantine(deps, release), { code: 'CheckIncomplete' });
  Object.assign(partner, { statement });
  assert.ok(isCheckComplete(await checkRestored(deps, () => undefined)));
  await endQuarantine(deps, release);
});

/** The deposits that wait for a person. */
function undecided({ at: { made } }: Pick<Life, 'at'>) {
  return made.deps.store.run((tx) => tx.moneyQueues.deposits({ afterId: null, limit: 9 }));
}

/** The partner lists pay-ins without our reference, and finds none by it. */
async function namelessPayins({ at: { made, tenant } }: Life): Promise<void> {
  const { partner } = made;
  const statement = booksOf(partner);
  const profile = await made.deps.store.run((tx) => tx.organizations.profile(tenant));
  const partyRef = profile?.partnerRef ?? null;
  const nameless = (entry: PartnerEntry): PartnerEntry =>
    entry.kind === 'payin' ? { ...entry, reference: null, partyRef } : entry;
  const findCommand = partner.findCommand.bind(partner);
  Object.assign(partner, {
    statement: {
      async page(...asked) {
        const page = done(await statement.page(...asked));
        return { outcome: 'done', value: { ...page, entries: page.entries.map(nameless) } };
      },
      async read(...asked) {
        return { outcome: 'done', value: nameless(done(await statement.read(...asked))) };
      },
    } satisfies PartnerStatement,
    findCommand: (async (kind, reference) =>
      kind === 'payin'
        ? { outcome: 'later', reason: 'no reference of a pay-in is stored' }
        : findCommand(kind, reference)) satisfies SettlementPartner['findCommand'],
  });
}

for (const status of ['buyer_kyc_approved', 'fx_quoted'] as const) {
  test(`a nameless pay-in whose payout is found after a backup at ${status} is its own`, async (t) => {
    const life = await backedUp(t, status);
    await otherPayin(life);
    await otherPayout(life);
    await namelessPayins(life);
    const [payment] = await restored(life);
    assert.deepEqual([payment?.is, payment?.adopted, payment?.missed], ['settled', ['payout'], []]);
    assert.equal(await life.at.summary(), 'settled paid none 100 100 0 0 0');
    assert.deepEqual([life.taken('payin'), life.taken('payout')], [1, 1]);
  });
}

test('of two payments of one amount that were paid out, neither gets the one nameless pay-in', async (t) => {
  const life = await backedUp(t, 'buyer_kyc_approved');
  const { made, tenant } = life.at;
  const id = await made.newPayment(tenant, { amount: money(10_000n, 'USD') });
  await made.play(tenant, id, 'buyer_kyc_approved');
  const other = { ...life, at: new Scene(made, tenant, id) };
  await otherPayin(life);
  await otherPayout(life);
  await otherPayout(other);
  await namelessPayins(life);
  await restored(life);
  assert.equal((await undecided(life)).length, 1);
  for (const { at } of [life, other]) {
    for (const { receivedMinor } of await at.commands('payin')) assert.equal(receivedMinor, 0n);
  }
});

test('a nameless pay-in waits for a person, and its buyer is not asked to pay again', async (t) => {
  const life = await backedUp(t, 'buyer_kyc_approved');
  const { at } = life;
  const { deps } = at.made;
  await otherPayin(life);
  await namelessPayins(life);
  at.made.advanceClock(1_000);
  await quarantineRestored(deps);
  await checked(life);
  const [deposit] = await undecided(life);
  assert.ok(deposit !== undefined, 'it waits before the release');
  await endQuarantine(deps, { by: 'ana', forcedBecause: null });
  await advancePayment(deps, at.tenant, at.id, null);
  await at.pass(120, 30_000);
  assert.equal((await at.shown())[0], 'on_ramp_pending');
  assert.equal(life.taken('payin'), 1);
  await assignDeposit(deps, deposit.id, at.id);
  await at.pass(120, 30_000);
  assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
  assert.deepEqual([life.taken('payin'), life.taken('payout')], [1, 1]);
});

test('deposits are the pay-ins that wait for a decision, in each check', async (t) => {
  const life = await backedUp(t, 'buyer_kyc_approved');
  const { deps, partner } = life.at.made;
  await otherPayin(life);
  await namelessPayins(life);
  const correct = changeLists(partner, (entry) => ({ ...entry, status: 'open' }));
  await quarantineRestored(deps);
  const counted = async () => {
    const { deposits } = await checkRestored(deps, () => undefined);
    return [deposits, (await undecided(life)).length];
  };
  assert.deepEqual(await counted(), [0, 0], 'it has not received money');
  correct();
  assert.deepEqual(await counted(), [1, 1]);
  assert.deepEqual(await counted(), [1, 1]);
});

test('a nameless pay-in of a later quote than that of a refused one is kept', async (t) => {
  const life = await backedUp(t, 'fx_quoted');
  const { at } = life;
  const { deps, partner } = at.made;
  const { payment } = await at.read();
  const { quoteId, amount } = payment;
  assert.ok(quoteId !== null);
  const reference = await referenceOf(life, 'payin', 1);
  const quote = await deps.store.run(async (tx) => {
    const found = (await tx.quotes.get(at.tenant, quoteId)) ?? assert.fail();
    const name = { id: 'cmd_refused', reference };
    const what = { kind: 'payin', amount, payinId: null, paymentId: at.id } as const;
    const refused = newCommand(at.tenant, name, what, found.createdAtMs - 1_000);
    const { createdAtMs: lastSentAtMs } = refused;
    tx.commands.insert({ ...refused, state: 'refused', lastSentAtMs, dueAtMs: null });
    return found;
  });
  const partnerRef = await otherPayin(life, 2);
  await namelessPayins(life);
  const { partnerQuoteId } = quote;
  changeLists(partner, (entry) => ({ ...entry, partnerQuoteId }));
  at.made.advanceClock(1_000);
  await quarantineRestored(deps);
  await checked(life);
  const deposit = await deps.store.run((tx) =>
    tx.deposits.byPartnerRef('fake', 'test', 'payin', partnerRef),
  );
  assert.deepEqual([deposit?.state, deposit?.paymentId], ['assigned', at.id]);
});

test('where the partner lists its books, a check asks nothing about what did not change', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { at } = life;
  await at.pass(120, 30_000);
  assert.equal((await at.shown())[0], 'settled');
  for (let count = 0; count < 20; count += 1) await at.another();
  await namelessPayins(life);
  await quarantineRestored(at.made.deps);
  const calls: string[] = [];
  const { partner } = at.made;
  const statement = booksOf(partner);
  const never = (what: string) => async () => assert.fail(what);
  changePartner(partner, { payin: { read: never('read') }, payout: { read: never('read') } });
  const page: typeof statement.page = (kind, query) => {
    calls.push(kind);
    return statement.page(kind, query);
  };
  Object.assign(partner, { statement: { ...statement, page }, findCommand: never('look-up') });
  assert.deepEqual(await checked(life), []);
  assert.deepEqual(calls, ['payin', 'payout']);
  assert.ok((await currentEpoch(at.made.deps)).checkedAtMs !== null);
});

/** Look-ups by reference that a check makes, after the payment was settled before the backup. */
async function lookedUp(
  t: TestContext,
  since: (life: Life) => void | Promise<void>,
): Promise<readonly MoneyKind[]> {
  const life = await backedUp(t, 'on_ramp_pending');
  const { at } = life;
  await advancePayment(at.made.deps, at.tenant, at.id, null);
  await at.pass(120, 30_000);
  assert.equal((await at.shown())[0], 'settled');
  await since(life);
  await quarantineRestored(at.made.deps);
  const { partner } = at.made;
  const usual = partner.findCommand.bind(partner);
  const kinds: MoneyKind[] = [];
  const findCommand: SettlementPartner['findCommand'] = (kind, reference) => {
    kinds.push(kind);
    return usual(kind, reference);
  };
  Object.assign(partner, { findCommand });
  for (const { missed } of await checked(life)) assert.deepEqual(missed, []);
  assert.ok((await currentEpoch(at.made.deps)).checkedAtMs !== null);
  return kinds;
}

test('of a payment that was paid out and did not change since, no unknown command is looked for', async (t) => {
  assert.deepEqual(await lookedUp(t, () => undefined), []);
});

/** The payout came back, by its report and in the books. */
async function payoutComesBack({ at }: Life): Promise<void> {
  const { partnerRef } = await at.command('payout');
  const { partner } = at.made;
  const back = { settled: null, fees: null, status: 'returned' } as const;
  changeReports(partner, 'payout', (_, asked) => (asked === partnerRef ? back : {}));
  changeLists(partner, (entry) =>
    entry.partnerRef === partnerRef ? { ...entry, status: 'returned' } : entry,
  );
}

test('refunds are looked for when the payout of an ended payment came back since', async (t) => {
  const kinds = await lookedUp(t, payoutComesBack);
  assert.ok(kinds.includes('refund'), kinds.join());
});

for (const [partner, number] of [
  ['a partner without books', 2],
  ['a partner without books, after a refused payout', 3],
  ['the books', 2],
  ['the books, after a refused payout', 3],
] as const) {
  test(`a payout that was paid again after the backup is found by ${partner}`, async (t) => {
    const life = await backedUp(t, 'on_ramp_pending');
    const { at } = life;
    await at.pass(120, 30_000);
    assert.equal((await at.shown())[0], 'settled');
    await payoutComesBack(life);
    await otherPayout(life, number);
    if (!partner.startsWith('the books')) {
      Object.assign(at.made.partner, { statement: undefined });
    }
    const [payment] = await restored(life);
    assert.deepEqual([payment?.adopted, payment?.missed], [['payout'], []]);
    const payouts = await at.commands('payout');
    assert.deepEqual(valuesOf(payouts, 'isUndecided'), Array(number).fill(false));
    assert.equal(await at.summary(), 'settled paid none 100 100 0 0 0');
    assert.deepEqual(await at.commands('refund'), []);
    assert.deepEqual([life.taken('payout'), life.taken('refund')], [2, 0]);
  });
}

test('a check that is interrupted resumes behind the last page', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  const { deps, partner } = life.at.made;
  Object.assign(partner, { statement: undefined });
  for (let count = 0; count < 60; count += 1) await life.at.another();
  await quarantineRestored(deps);
  const usual = partner.findCommand.bind(partner);
  let looked = 0;
  const findCommand: SettlementPartner['findCommand'] = (kind, reference) => {
    looked += 1;
    return usual(kind, reference);
  };
  Object.assign(partner, { findCommand });
  const dying = interrupted(deps, () => assert.ok(looked <= 560, 'the process ends'));
  await assert.rejects(
    checkRestored(dying, () => undefined),
    /the process ends/,
  );
  const before = looked;
  const counts = await checkRestored(deps, () => undefined);
  assert.equal(counts.payments, 61);
  assert.ok(looked - before < 200, `${looked - before} look-ups, those of the second page`);
});

test('outside a quarantine there is nothing to check', async (t) => {
  const life = await backedUp(t, 'on_ramp_pending');
  await assert.rejects(checked(life), { code: 'NotQuarantined' });
});

test('a payment that the backup lacks and that is created again is collected and paid once', async (t) => {
  const memory = memoryOnly();
  const lives = [await scene(t, 10_000n, memory), await scene(t, 10_000n, memory)] as const;
  // One more in the restored life, so that the ids differ.
  await lives[1].another();
  const ids: string[] = [];
  for (const { made, tenant } of lives) {
    // What the books have of the other life are deposits, until the payment is created again.
    await made.settle();
    const id = await made.newPayment(tenant, { externalId: 'order-1' });
    await advancePayment(made.deps, tenant, id, null);
    const at = new Scene(made, tenant, id);
    await at.pass(120, 30_000);
    assert.equal((await at.shown())[0], 'settled');
    await at.made.booksAreRight();
    assert.deepEqual(await undecided({ at }), []);
    ids.push(id);
  }
  assert.equal(new Set(ids).size, 2);
  const taken = (kind: MoneyKind) =>
    memory.all().filter((transaction) => transaction.kind === kind).length;
  // Those of the first payment, which has no externalId, are of one id in both lives.
  assert.deepEqual([taken('payin'), taken('payout'), taken('refund')], [2, 2, 0]);
});
