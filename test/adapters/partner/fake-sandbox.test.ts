// Pay-ins of the fake partner that wait for the buyer, and outcomes that a person chose.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { money, parseRate } from '../../../core/domain/base/money.js';
import type { SimulatedOutcome } from '../../../core/domain/payments/simulated-event.js';
import {
  DELAY_MS,
  destinationOf,
  facts,
  minor,
  party,
  refusalCode,
  startedPayin,
  startedPayout,
  type World,
  world,
} from '../../support/partners/fake-world.js';
import { memoryOnly } from '../../support/partners/memory-only.js';

const arrived = {
  kind: 'payin',
  status: 'completed',
  receivedMinor: 10_000n,
  reason: null,
} as const;

function sandboxOf({ partner }: World) {
  assert.ok(partner.sandbox !== undefined);
  return partner.sandbox;
}

function sent(made: World, kind: SimulatedOutcome['kind'], partnerRef: string) {
  return sandboxOf(made).send({ kind, reference: 'cmd_1', partnerRef });
}

test('a pay-in that waits is open until an outcome is chosen, and sends nothing', async () => {
  const made = world({ payins: 'wait' });
  const partnerRef = await startedPayin(made, minor('100.00'));
  await made.pass(1_000 * DELAY_MS);
  assert.equal(done(await made.partner.payin.read(partnerRef)).status, 'open');
  assert.deepEqual(made.messages, []);
});

for (const memory of [null, memoryOnly()]) {
  const which = memory === null ? 'no memory' : 'a memory';
  test(`each transfer without a pay-in is reported at once and read again, with ${which}`, async () => {
    const made = world({ payins: 'wait', memory });
    const partyRef = await destinationOf(made);
    const input = { partyRef, amount: minor('100.66'), reference: 'INV1' };
    for (let count = 0; count < 2; count += 1) await sandboxOf(made).deposit(input);
    const refs = new Set(facts(made).map(({ partnerRef }) => partnerRef));
    assert.equal(refs.size, 2);
    for (const partnerRef of refs) {
      const { amount, status, payer, ...entry } = done(
        await sandboxOf(made).readEntry('payin', partnerRef),
      );
      assert.deepEqual([status, amount], ['completed', minor('100.66')]);
      assert.deepEqual([entry.reference, entry.partyRef, payer?.texts], [null, partyRef, ['INV1']]);
    }
    const { outcome } = await sandboxOf(made).readEntry('payin', 'fake_payin_other');
    assert.equal(outcome, 'refused');
  });
}

test('money that nobody ordered is in the books and reported at once, without the delay', async () => {
  const made = world({ payins: 'wait', memory: memoryOnly() });
  const partyRef = await destinationOf(made);
  const input = { partyRef, amount: minor('101.00'), reference: 'INV1' };
  await sandboxOf(made).deposit(input);
  const [told, ...more] = facts(made);
  assert.deepEqual(more, []);
  assert.ok(told?.kind === 'payin' && told.report.status === 'completed');
  assert.equal(told.report.received?.amountMinor, 10_100n);
  const read = done(await made.partner.payin.read(told.partnerRef));
  assert.equal(read.status, 'completed');
});

test('a pay-in keeps waiting, or does not, if the configuration changes later', async () => {
  for (const payins of ['wait', 'arrive'] as const) {
    const made = world({ payins });
    const partnerRef = await startedPayin(made, minor('100.00'));
    made.nowMs += DELAY_MS;
    const other = made.restarted(payins === 'wait' ? 'arrive' : 'wait');
    const { status } = done(await other.payin.read(partnerRef));
    assert.equal(status, payins === 'wait' ? 'open' : 'completed');
    assert.equal(sandboxOf(made).awaitedPayin(partnerRef) === null, payins === 'arrive');
  }
});

test('what arrives for a waiting pay-in follows from the end of its amount', async () => {
  for (const [amount, status, received] of [
    ['100.00', 'completed', 10_000n],
    ['100.55', 'open', 9_955n],
    ['100.66', 'failed', 0n],
  ] as const) {
    const made = world({ payins: 'wait' });
    const outcome = sandboxOf(made).awaitedPayin(await startedPayin(made, minor(amount)));
    assert.ok(outcome?.kind === 'payin');
    assert.deepEqual([outcome.status, outcome.receivedMinor], [status, received]);
  }
});

test('a chosen outcome is what a read answers and what a message says', async () => {
  const made = world({ payins: 'wait' });
  const partnerRef = await startedPayin(made, minor('100.00'));
  made.choose('cmd_1', arrived);
  const report = done(await made.partner.payin.read(partnerRef));
  assert.deepEqual([report.status, report.received], ['completed', money(10_000n, 'USD')]);
  assert.match(report.transactionHash ?? '', /^0x[0-9a-f]{64}$/);
  await sent(made, 'payin', partnerRef);
  assert.deepEqual(facts(made), [{ kind: 'payin', reference: 'cmd_1', partnerRef, report }]);
});

test('each outcome has its own message, and the same outcome the same', async () => {
  const made = world({ payins: 'wait' });
  const partnerRef = await startedPayin(made, minor('100.00'));
  for (const receivedMinor of [5_000n, 10_000n]) {
    made.choose('cmd_1', { ...arrived, receivedMinor });
    await sent(made, 'payin', partnerRef);
    await sent(made, 'payin', partnerRef);
  }
  const ids = made.messages.map(({ headers }) => headers['svix-id']);
  assert.deepEqual([ids[0], ids[2]], [ids[1], ids[3]]);
  assert.equal(new Set(ids).size, 2);
});

test('messages that were queued say what was chosen since', async () => {
  const made = world();
  const partnerRef = await startedPayout(made, minor('100.00'));
  made.choose('cmd_1', { kind: 'payout', status: 'failed', reason: 'chosen' });
  await made.pass(DELAY_MS);
  const [fact] = facts(made);
  assert.deepEqual(fact?.report, done(await made.partner.payout.read(partnerRef)));
  assert.equal(fact?.report.status, 'failed');
});

test('an outcome may be chosen before its transaction is made: the transaction reports it at once', async () => {
  const made = world({ payins: 'wait' });
  made.choose('cmd_1', arrived);
  const partnerRef = await startedPayin(made, minor('100.00'));
  await made.pass(0);
  const report = done(await made.partner.payin.read(partnerRef));
  assert.deepEqual(facts(made), [{ kind: 'payin', reference: 'cmd_1', partnerRef, report }]);
});

test('a payout that is chosen to complete states BRL, rate, fees and the PIX id', async () => {
  const made = world();
  const partnerRef = await startedPayout(made, minor('100.77'));
  await made.pass(DELAY_MS);
  assert.equal(done(await made.partner.payout.read(partnerRef)).status, 'failed');
  made.choose('cmd_1', { kind: 'payout', status: 'completed', reason: null });
  const report = done(await made.partner.payout.read(partnerRef));
  assert.ok(report.settled !== null && report.fees !== null && report.fxRate !== null);
  assert.match(report.endToEndId ?? '', /^E[0-9]{8}/);
});

test('a party may be asked for corrections', async () => {
  const made = world();
  const request = done(await made.partner.party.prepare(party({ firstName: 'Slow' })));
  const { partnerRef } = done(await made.partner.party.start(request));
  await made.pass(1_000 * DELAY_MS);
  assert.equal(done(await made.partner.party.read(partnerRef)).status, 'verifying');
  const corrections = [{ field: 'selfieFile', reason: 'too dark' }];
  const outcome = { status: 'verifying', reason: 'again', corrections } as const;
  made.choose('cmd_1', { kind: 'party', ...outcome });
  assert.deepEqual(done(await made.partner.party.read(partnerRef)), outcome);
  await sent(made, 'party', partnerRef);
  assert.deepEqual(facts(made)[0]?.report, outcome);
});

test('a buyer called Again is asked for its identity document after the delay', async () => {
  const made = world();
  const request = done(await made.partner.party.prepare(party({ firstName: 'Again' })));
  const { partnerRef } = done(await made.partner.party.start(request));
  await made.pass(DELAY_MS);
  const report = done(await made.partner.party.read(partnerRef));
  assert.equal(report.status, 'verifying');
  assert.deepEqual(
    report.corrections?.map(({ field }) => field),
    ['idDocFrontFile'],
  );
  assert.deepEqual(facts(made)[0]?.report, report);
});

test('a refund covers what was chosen to arrive, and no more', async () => {
  const made = world({ payins: 'wait' });
  const payinRef = await startedPayin(made, minor('100.00'));
  const refund = async (amount: string) => {
    const transaction = { reference: 'cmd_2', payinRef, amount: minor(amount) };
    return made.partner.refund.start(done(await made.partner.refund.prepare(transaction)));
  };
  assert.equal(refusalCode(await refund('0.01')), 'refund_exceeds_payin');
  made.choose('cmd_1', { ...arrived, receivedMinor: 20_000n });
  assert.equal(refusalCode(await refund('200.01')), 'refund_exceeds_payin');
  assert.equal((await refund('200.00')).outcome, 'done');
});

test('a payout uses a locked rate until the lock ends, else the rate of its minute', async () => {
  const made = world();
  const destination = await destinationOf(made);
  const amount = minor('100.44');
  const quote = done(await made.partner.quote({ source: amount, destination }));
  const { lockedUntilMs, rateKind, rate } = quote;
  assert.ok(rateKind === 'locked' && lockedUntilMs !== null);
  const paidAt = async (atMs: number) => {
    made.nowMs = atMs;
    const transaction = { reference: `cmd_${atMs}`, amount, destination, quote, payinRefs: [] };
    const request = done(await made.partner.payout.prepare(transaction));
    const { partnerRef } = done(await made.partner.payout.start(request));
    await made.pass(DELAY_MS);
    return done(await made.partner.payout.read(partnerRef));
  };
  const within = await paidAt(lockedUntilMs - 1);
  assert.deepEqual([within.fxRate, within.settled], [rate, quote.target]);
  assert.notEqual((await paidAt(lockedUntilMs)).fxRate, rate);
});

test('a moved rate differs by two percent from the one shown, again and again', async () => {
  const made = world();
  const input = { source: minor('100.00'), destination: await destinationOf(made) };
  let shown = done(await made.partner.quote(input));
  for (let count = 0; count < 4; count += 1) {
    const moved = done(await sandboxOf(made).quote(input, 'moved', shown));
    const [was, is] = [parseRate(shown.rate), parseRate(moved.rate)];
    assert.ok(was !== null && is !== null);
    const changePercent = ((is.rateScaled - was.rateScaled) * 100n) / was.rateScaled;
    assert.ok(changePercent >= 1n || changePercent <= -1n, `${shown.rate} ${moved.rate}`);
    assert.equal(moved.rateKind, 'indicative');
    shown = moved;
  }
  assert.equal(done(await sandboxOf(made).quote(input, 'locked', shown)).rateKind, 'locked');
});
