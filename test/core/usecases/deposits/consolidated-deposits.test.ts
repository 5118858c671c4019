// One transfer for several payments: how it is split, and that all of its shares move together.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { isCode } from '../../../../core/errors.js';
import type { PartnerEntry } from '../../../../core/ports/partner.js';
import { retryCommand } from '../../../../core/usecases/commands/command-retries.js';
import { listQueues } from '../../../../core/usecases/money-desk/money-queues.js';
import { checkRestored } from '../../../../core/usecases/money-desk/restore-check.js';
import {
  commandReference,
  commandSubject,
} from '../../../../core/usecases/payments/command-references.js';
import { readShares } from '../../../../core/usecases/payments/deposit-shares.js';
import { findDifferences } from '../../../../core/usecases/payments/ledger-check.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { endQuarantine, quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { currentKey } from '../../../../core/usecases/service/service-keys.js';
import type { Scene } from '../../../support/scenes/command-scene.js';
import { type DepositScene, depositScene } from '../../../support/scenes/deposit-scene.js';
import { rowsOf } from '../../../support/values-of.js';

interface Consolidated {
  readonly scene: DepositScene;
  /** In due order. */
  readonly all: readonly [Scene, Scene, Scene];
  readonly reference: string;
}

/** Payments of 100, 200 and 300 USD, the price of which the buyer accepts together. */
async function consolidated(t: TestContext): Promise<Consolidated> {
  const scene = await depositScene(t);
  const next = async (amountMinor: bigint) => {
    scene.made.advanceClock(1);
    return scene.priced(amountMinor);
  };
  const all = [await next(10_000n), await next(20_000n), await next(30_000n)] as const;
  await scene.collect(...all);
  const { reference } = scene.collected[0] ?? assert.fail('nothing is collected');
  const { booksAreRight } = scene.made;
  const sharesToo = async () => {
    await booksAreRight();
    for (const partnerRef of scene.books.entries.keys()) await sharesAreRight(scene, partnerRef);
  };
  Object.assign(scene.made, { booksAreRight: sharesToo });
  return { scene, all, reference };
}

/** A deposit that was split ends with its shares, whose sum is its amount. */
async function sharesAreRight(scene: DepositScene, partnerRef: string): Promise<void> {
  const deposit = await scene.stored(partnerRef);
  if (deposit === null || deposit.consolidatedReference === null) return;
  const shares = await scene.made.deps.store.run((tx) => readShares(tx, deposit));
  const sumMinor = shares.reduce((sum, { receivedMinor }) => sum + receivedMinor, 0n);
  assert.equal(sumMinor, deposit.end === 'failed' ? 0n : deposit.amount.amountMinor);
  assert.ok(shares.every(({ end }) => end === deposit.end));
}

function pay({ scene, reference }: Consolidated, partnerRef: string, amountMinor: bigint) {
  const text = `${'paying our invoices '.repeat(9)} ${reference.toLowerCase()}`;
  return scene.pay(partnerRef, text, amountMinor);
}

async function summaries({ all }: Consolidated): Promise<readonly string[]> {
  await all[0].pass(3);
  return Promise.all(all.map((at) => at.summary()));
}

const allSettled = [
  'settled paid none 100 100 0 0 0',
  'settled paid none 200 200 0 0 0',
  'settled paid none 300 300 0 0 0',
];

test('payments that are paid together wait for one transfer, and order no pay-in', async (t) => {
  const made = await consolidated(t);
  assert.deepEqual(
    made.scene.collected.map(({ amount, partyRef }) => [amount.amountMinor, partyRef]),
    [[60_000n, made.scene.partyRef]],
  );
  for (const at of made.all) {
    const { payment } = await at.read();
    assert.equal(payment.status, 'on_ramp_pending');
    assert.equal(payment.consolidatedReference, made.reference);
    assert.equal(payment.payinInstructions?.reference, made.reference);
    assert.deepEqual(await at.commands('payin'), []);
  }
});

test('an exact transfer settles all payments', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 60_000n);
  assert.equal(await made.scene.shown('va_1'), 'assigned completed text');
  assert.deepEqual(await summaries(made), allSettled);
});

test('a short transfer leaves the last payments short, and another one fills them', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 25_000n);
  assert.deepEqual(await summaries(made), [
    'settled paid none 100 100 0 0 0',
    'on_ramp_pending received none 150 0 0 0 0',
    'on_ramp_pending none none 0 0 0 0 0',
  ]);
  await pay(made, 'va_2', 35_000n);
  assert.deepEqual(await summaries(made), allSettled);
});

test('what is over is a surplus of the last payment, which is refunded', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 60_500n);
  const [, second, last] = await summaries(made);
  assert.equal(second, 'settled paid none 200 200 0 0 0');
  assert.match(last ?? '', /^settled paid needs_review 305 300 5 0 0$/);
});

test('more than twice of what all payments ask for is not split without a person', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 120_001n);
  assert.equal(await made.scene.shown('va_1'), 'waiting completed null');
  assert.deepEqual(await summaries(made), Array(3).fill('on_ramp_pending none none 0 0 0 0 0'));
  await pay(made, 'va_2', 120_000n);
  assert.equal(await made.scene.shown('va_2'), 'assigned completed text');
});

test('a recall takes all shares back, before and after payouts', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 25_000n);
  assert.equal((await summaries(made))[0], 'settled paid none 100 100 0 0 0');
  await made.scene.change('va_1', { status: 'returned' });
  assert.deepEqual(await summaries(made), [
    'settled paid refunded 100 100 0 100 100',
    'failed returned_to_buyer refunded 150 0 0 150 0',
    'on_ramp_pending none none 0 0 0 0 0',
  ]);
  await made.scene.made.booksAreRight();
  await made.scene.change('va_1', { status: 'completed' });
  const [first, second] = await summaries(made);
  assert.equal(first, 'settled paid none 100 100 0 0 0');
  assert.match(second ?? '', /^failed .* 150 0 150 0 0$/, 'owed back: the payment has ended');
});

test('a recall whose message is lost is found in the books', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 60_000n);
  await summaries(made);
  made.scene.books.change('va_1', { status: 'returned' });
  await made.all[0].pass(60, MINUTE_MS);
  assert.equal(await made.scene.shown('va_1'), 'assigned returned text');
  for (const line of await summaries(made)) assert.match(line, /^settled paid refunded/);
});

test('a message that comes late, twice, or as a false report moves no money twice', async (t) => {
  const made = await consolidated(t);
  const { scene, reference } = made;
  await scene.pay('va_1', reference, 60_000n, { status: 'open' });
  assert.equal(await scene.shown('va_1'), 'waiting open null');
  scene.books.change('va_1', { status: 'completed' });
  await Promise.all([scene.tell('va_1'), scene.tell('va_1')]);
  await scene.tell('va_1');
  const report = {
    status: 'returned',
    received: { amountMinor: '7', currency: 'USD' },
    transactionHash: null,
    reason: null,
  };
  await scene.tell('va_1', { report } as never);
  assert.deepEqual(await summaries(made), allSettled);
});

/** The books have the transfer like this, and all readings have seen it. */
async function correct({ scene, all }: Consolidated, fields: Partial<PartnerEntry>): Promise<void> {
  await scene.change('va_1', fields);
  await all[0].pass(60, MINUTE_MS);
}

const usd = (amountMinor: bigint) => money(amountMinor, 'USD');
const REVIEW = 'a report about a transfer that was split waits for a decision';

function reviewAlerts({ scene }: Consolidated): number {
  return scene.alerts().filter((alert) => alert === REVIEW).length;
}

test('a larger amount is split as another transfer: the payments without money first', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 10_000n);
  await correct(made, { amount: usd(30_000n) });
  assert.deepEqual(await summaries(made), [
    'settled paid none 100 100 0 0 0',
    'settled paid none 200 200 0 0 0',
    'on_ramp_pending none none 0 0 0 0 0',
  ]);
  await made.scene.made.booksAreRight();
  await correct(made, { amount: usd(60_500n) });
  assert.match((await summaries(made))[2] ?? '', /^settled paid needs_review 305 300 5 0 0$/);
  await made.scene.made.booksAreRight();
  assert.equal(reviewAlerts(made), 0);
});

test('a recalled transfer that comes back larger is split by what is lacking then', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 15_000n);
  await summaries(made);
  await correct(made, { status: 'returned' });
  await correct(made, { status: 'completed', amount: usd(40_000n) });
  const [first, , last] = await summaries(made);
  assert.equal(first, 'settled paid none 100 100 0 0 0');
  assert.match(last ?? '', /^on_ramp_pending received none 250 /, 'the second one has ended');
});

for (const [name, fields] of [
  ['lower', { amount: usd(29_999n) }],
  ['in another currency', { amount: money(29_000n, 'EUR') }],
  ['larger than twice of what was asked', { amount: usd(120_001n) }],
  ['a thousand times as large', { amount: usd(30_000_000n) }],
  ['failed', { status: 'failed' }],
] as const) {
  test(`a split transfer that is reported ${name} holds its payouts until the books change`, async (t) => {
    const made = await consolidated(t);
    const { scene } = made;
    await pay(made, 'va_1', 30_000n);
    await correct(made, fields);
    const shown = await summaries(made);
    assert.match(shown[0] ?? '', /^on_chain_confirmed needs_review none 100 0 /);
    assert.match(shown[1] ?? '', /^on_chain_confirmed needs_review none 200 0 /);
    assert.match(shown[2] ?? '', /^on_ramp_pending none none 0 /);
    assert.equal(reviewAlerts(made), 1, 'at the first reading only');
    assert.deepEqual((await scene.found('va_1')).amount, usd(30_000n));
    await made.scene.made.booksAreRight();
    const filter = { queue: 'in_review', limit: 10, after: null, orgId: null, mode: null } as const;
    assert.equal((await listQueues(scene.made.deps, filter)).length, 2);
    await correct(made, { status: 'completed', amount: usd(30_000n) });
    for (const line of (await summaries(made)).slice(0, 2))
      assert.match(line, /^settled paid none/);
  });
}

test('a lower amount that a person accepts is taken from the last shares', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 30_000n);
  await correct(made, { amount: usd(29_999n) });
  await made.all[0].accept('payin');
  await made.all[0].pass(60, MINUTE_MS);
  const [first, second] = await summaries(made);
  assert.equal(first, 'settled paid none 100 100 0 0 0');
  assert.match(second ?? '', /^failed .* 199.99 0 199.99 0 0$/);
  await made.scene.made.booksAreRight();
  assert.equal(reviewAlerts(made), 1);
});

test('a failed transfer that a person accepts leaves its payments without money', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 15_000n);
  assert.equal((await summaries(made))[0], 'settled paid none 100 100 0 0 0');
  await correct(made, { status: 'failed' });
  await made.all[1].accept('payin');
  assert.deepEqual(await summaries(made), [
    'settled paid none 0 100 0 0 100',
    'on_ramp_pending none none 0 0 0 0 0',
    'on_ramp_pending none none 0 0 0 0 0',
  ]);
  await made.scene.made.booksAreRight();
  await correct(made, { status: 'completed' });
  const [first, second] = await summaries(made);
  assert.equal(first, 'settled paid none 100 100 0 0 0');
  assert.match(second ?? '', /^on_ramp_pending received none 50 /);
  await made.scene.made.booksAreRight();
  assert.equal(reviewAlerts(made), 1);
});

test('money in another currency cannot be accepted', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 30_000n);
  await correct(made, { amount: money(30_000n, 'EUR') });
  await assert.rejects(made.all[0].accept('payin'), { code: 'CommandNotRetryable' });
  assert.notEqual((await made.all[0].command('payin')).review, null);
});

test('a retry of a share in review reads the transfer', async (t) => {
  const made = await consolidated(t);
  const { scene, all } = made;
  await pay(made, 'va_1', 30_000n);
  await correct(made, { amount: usd(29_999n) });
  scene.books.change('va_1', { amount: usd(30_000n) });
  const { id } = await all[0].command('payin');
  assert.equal((await retryCommand(scene.made.deps, id)).review, null);
  await all[0].pass(60, MINUTE_MS);
  for (const line of (await summaries(made)).slice(0, 2)) assert.match(line, /^settled paid none/);
});

test('a payment that ended before the money came leaves its share to the others', async (t) => {
  const made = await consolidated(t);
  const [first] = made.all;
  await cancelPayment(made.scene.made.deps, first.tenant, first.id, 'no more');
  await pay(made, 'va_1', 60_000n);
  const [gone, second, last] = await summaries(made);
  assert.equal(gone, 'cancelled none none 0 0 0 0 0');
  assert.equal(second, 'settled paid none 200 200 0 0 0');
  assert.match(last ?? '', /^settled paid needs_review 400 300 100 0 0$/);
});

test('if all payments have ended, the last one owes the money back', async (t) => {
  const made = await consolidated(t);
  for (const { tenant, id } of made.all) {
    await cancelPayment(made.scene.made.deps, tenant, id, 'no more');
  }
  await pay(made, 'va_1', 60_000n);
  const [, , last] = await summaries(made);
  assert.match(last ?? '', /^cancelled .* 600 0 600 0 0$/);
});

test('a payment that has its money from another transfer gets no share', async (t) => {
  const made = await consolidated(t);
  const { scene } = made;
  await scene.arrive('va_own');
  assert.equal(await scene.shown('va_own'), 'assigned completed amount');
  await pay(made, 'va_1', 50_000n);
  assert.deepEqual(await summaries(made), allSettled);
});

test('two transfers at a time are both split, and together they are over', async (t) => {
  const made = await consolidated(t);
  for (const ref of ['va_1', 'va_2']) {
    made.scene.transfer(ref, made.reference, { amount: money(60_000n, 'USD') });
  }
  await Promise.all([made.scene.tell('va_1'), made.scene.tell('va_2')]);
  const [first, second, last] = await summaries(made);
  assert.equal(first, 'settled paid none 100 100 0 0 0');
  assert.equal(second, 'settled paid none 200 200 0 0 0');
  assert.match(last ?? '', /^settled paid needs_review 900 300 600 0 0$/);
});

test('an operator decides on no transfer that was split', async (t) => {
  const made = await consolidated(t);
  await pay(made, 'va_1', 60_000n);
  const assigned = made.scene.assign('va_1', made.all[0].id);
  await assert.rejects(assigned, { code: 'DepositDecided' });
});

test('a transfer from before a restore waits for a person, who finds it unsplit', async (t) => {
  const made = await consolidated(t);
  const { scene, reference } = made;
  const { deps } = scene.made;
  scene.transfer('va_1', reference, { amount: money(60_000n, 'USD') });
  scene.made.advanceClock(MINUTE_MS);
  await quarantineRestored(deps);
  await endQuarantine(deps, { by: 'ana', forcedBecause: 'a test' });
  await scene.tell('va_1');
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  scene.made.advanceClock(MINUTE_MS);
  await pay(made, 'va_2', 60_000n);
  assert.equal(await scene.shown('va_2'), 'assigned completed text');
  assert.deepEqual(await summaries(made), allSettled);
});

/** The partner has paid this payment out in a life that a restore lost. */
async function paidOutBefore({ made, books }: DepositScene, at: Scene): Promise<void> {
  const { deps, partner } = made;
  const { payment } = await at.read();
  const { bytes } = await currentKey(deps, 'partner');
  const subject = commandSubject(payment);
  const reference = commandReference(bytes, { subject, kind: 'payout', number: 1 });
  const { amount, destination } = payment;
  const wanted = { reference, amount, destination, payinRefs: [], quote: null, purpose: null };
  const prepared = await partner.payout.prepare(wanted);
  assert.ok(prepared.outcome === 'done');
  const started = await partner.payout.start(prepared.value);
  assert.ok(started.outcome === 'done');
  const { partnerRef } = started.value;
  const entry = { kind: 'payout', reference, status: 'open', amount, payer: null } as const;
  const createdAtMs = deps.clock.nowMs();
  books.deposit(partnerRef, { ...entry, partyRef: null, createdAtMs });
}

/** All three were paid out in the lost life, and their transfer of 600 USD waits for a person. */
async function paidOutAndRestored(t: TestContext): Promise<Consolidated> {
  const made = await consolidated(t);
  const { scene, all, reference } = made;
  const { deps } = scene.made;
  scene.transfer('va_1', reference, { amount: usd(60_000n) });
  for (const at of all) await paidOutBefore(scene, at);
  scene.made.advanceClock(MINUTE_MS);
  await quarantineRestored(deps);
  await checkRestored(deps, () => undefined);
  await endQuarantine(deps, { by: 'ana', forcedBecause: null });
  await all[0].pass(60, MINUTE_MS);
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  return made;
}

for (const chosen of [0, 2] as const) {
  test(`after a restore, a transfer that is assigned to payment ${chosen} of three is split`, async (t) => {
    const made = await paidOutAndRestored(t);
    const { scene, all } = made;
    await scene.assign('va_1', all[chosen].id);
    assert.equal(await scene.shown('va_1'), 'assigned completed null');
    assert.deepEqual(await summaries(made), allSettled);
  });
}

test('a transfer that names others is not assigned to a payment outside of them', async (t) => {
  const { scene, all } = await paidOutAndRestored(t);
  const stranger = await scene.awaiting(60_000n);
  await assert.rejects(scene.assign('va_1', stranger.id), (error) => {
    assert.ok(isCode(error, 'ValidationError') && error instanceof Error);
    return all.every((at) => error.message.includes(at.id));
  });
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

test('the check after a restore gives a transfer that names others to no single payment', async (t) => {
  const made = await consolidated(t);
  const { scene, all, reference } = made;
  const { deps } = scene.made;
  scene.transfer('va_1', reference, { amount: usd(30_000n) });
  await paidOutBefore(scene, all[2]);
  scene.made.advanceClock(MINUTE_MS);
  await quarantineRestored(deps);
  await checkRestored(deps, () => undefined);
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

test('a transfer without its reference is split, if no other payment lacks as much', async (t) => {
  const made = await consolidated(t);
  await made.scene.arrive('va_1', { amount: usd(60_000n) });
  assert.equal(await made.scene.shown('va_1'), 'assigned completed amount');
  assert.deepEqual(await summaries(made), allSettled);
});

test('a transfer without its reference pays no stranger, and is split by a person', async (t) => {
  const made = await consolidated(t);
  const { scene, all } = made;
  const stranger = await scene.awaiting(60_000n);
  await scene.pay('va_1', 'thanks', 60_000n);
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  await scene.assign('va_1', all[1].id);
  assert.deepEqual(await summaries(made), allSettled);
  assert.equal((await stranger.shown())[0], 'on_ramp_pending');
});

test('a part of what payments lack together counts for the one that a person names', async (t) => {
  const made = await consolidated(t);
  const { scene, all } = made;
  await scene.arrive('va_1', { amount: usd(25_000n) });
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
  await scene.assign('va_1', all[2].id);
  assert.match((await summaries(made))[2] ?? '', /^on_ramp_pending received none 250 /);
});

test('a text that names two consolidated payments leaves the transfer to a person', async (t) => {
  const { scene } = await consolidated(t);
  await scene.collect(await scene.priced(10_000n), await scene.priced(20_000n));
  const references = scene.collected.map(({ reference }) => reference);
  assert.equal(new Set(references).size, 2);
  await scene.pay('va_1', references.join(' and '));
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

for (const [what, foundMinor] of [
  ['a share that is not what it should be', 110_000n],
  ['shares in another currency', 0n],
] as const) {
  test(`the check of the ledger finds ${what}`, async (t) => {
    const made = await consolidated(t);
    await pay(made, 'va_1', 60_000n);
    const { deps } = made.scene.made;
    const deposit = await made.scene.found('va_1');
    const [share = assert.fail()] = await deps.store.run((tx) => readShares(tx, deposit));
    await deps.store.run(async (tx) => {
      if (foundMinor === 0n) tx.deposits.update({ ...deposit, amount: money(60_000n, 'EUR') });
      else tx.commands.update({ ...share, receivedMinor: 60_000n, confirmedMinor: 60_000n });
    });
    const found = (await findDifferences(deps, 20)).filter(
      ({ subjectId }) => subjectId === deposit.id,
    );
    assert.deepEqual(rowsOf(found, 'what', 'expectedMinor', 'foundMinor'), [
      ['shares', 60_000n, foundMinor],
    ]);
    Object.assign(made.scene.made, { booksAreRight: async () => undefined });
  });
}
