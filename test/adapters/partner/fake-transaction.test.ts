import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { magicValues } from '../../../adapters/partner/fake-values.js';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { convert, money, parseRate, subtract } from '../../../core/domain/base/money.js';
import type { PartyInput } from '../../../core/ports/partner.js';
import {
  DELAY_MS,
  destinationOf,
  facts,
  minor,
  party,
  payoutEnd,
  refusalCode,
  START_MS,
  startedPayin,
  startedPayout,
  world,
} from '../../support/partners/fake-world.js';

const anyAmount = fc.record({
  amountMinor: fc.bigInt({ min: 100n, max: 99_999_999_999_999n }),
  currency: fc.constantFrom('USD', 'EUR', 'GBP'),
});

test('the seller gets the amount after fees, at the quoted rate, rounded down', async () => {
  await fc.assert(
    fc.asyncProperty(anyAmount, async (amount) => {
      const made = world();
      const destination = await destinationOf(made);
      const quote = done(await made.partner.quote({ source: amount, destination }));
      const rate = parseRate(quote.rate);
      assert.ok(rate !== null);
      const rest = subtract(amount, quote.fees);
      assert.deepEqual(quote.target, convert(rest, rate, 'BRL', 'floor'));
      const isLocked = amount.amountMinor % 100n === 44n;
      assert.equal(quote.rateKind, isLocked ? 'locked' : 'indicative');
      const report = await payoutEnd(made, amount, destination);
      if (report.status !== 'completed') return;
      // Prepared in the minute of the quote, so at its rate.
      assert.deepEqual(
        [report.settled, report.fees, report.fxRate],
        [quote.target, quote.fees, quote.rate],
      );
    }),
  );
});

test('the rate moves within 1 % of its middle, and stays the same for a minute', async () => {
  const middles = { USD: 5.4, EUR: 5.9, GBP: 6.9 } as const;
  for (const [currency, middle] of Object.entries(middles)) {
    const made = world();
    const destination = await destinationOf(made);
    const rates = new Set<string>();
    for (let minute = 0; minute < 2_000; minute += 7) {
      made.nowMs = START_MS + minute * 60_000;
      const source = money(10_000n, currency);
      const { rate } = done(await made.partner.quote({ source, destination }));
      assert.ok(Math.abs(Number.parseFloat(rate) / middle - 1) <= 0.01, `${currency} ${rate}`);
      made.nowMs += 59_999;
      assert.equal(done(await made.partner.quote({ source, destination })).rate, rate);
      rates.add(rate);
    }
    assert.ok(rates.size > 50);
  }
});

test('the payout uses the rate of its minute, not of the quote', async () => {
  const made = world();
  const destination = await destinationOf(made);
  const source = money(100_000n, 'USD');
  const quote = done(await made.partner.quote({ source, destination }));
  made.nowMs += 6 * 3_600_000;
  const later = done(await made.partner.quote({ source, destination }));
  const report = await payoutEnd(made, source, destination);
  assert.notEqual(later.rate, quote.rate);
  assert.equal(report.fxRate, later.rate);
});

test('an amount that the fees would eat up is refused', async () => {
  const made = world();
  const destination = await destinationOf(made);
  for (const amountMinor of [-1n, 0n, 1n, 30n, 31n]) {
    const answer = await made.partner.quote({ source: money(amountMinor, 'EUR'), destination });
    assert.equal(answer.outcome === 'refused' ? answer.code : null, 'amount_too_small');
  }
});

const payinCases = [
  ['1000.00', 'completed', '1000.00'],
  ['1000.66', 'failed', '0.00'],
  ['1000.55', 'open', '999.55'],
  ['0.55', 'open', '0.00'],
  ['1000.77', 'completed', '1000.77'],
  ['1000.88', 'completed', '1000.88'],
  ['1000.44', 'completed', '1000.44'],
  ['1000.33', 'completed', '1000.33'],
] as const;

test('how an amount ends decides how its pay-in ends', async () => {
  for (const [text, status, received] of payinCases) {
    const made = world();
    const partnerRef = await startedPayin(made, minor(text));
    assert.equal(done(await made.partner.payin.read(partnerRef)).status, 'open');
    await made.pass(DELAY_MS - 1);
    assert.equal(done(await made.partner.payin.read(partnerRef)).received.amountMinor, 0n);
    assert.equal(made.messages.length, 0);
    await made.pass(1);
    const report = done(await made.partner.payin.read(partnerRef));
    assert.equal(report.status, status, text);
    assert.deepEqual(report.received, minor(received), text);
    assert.equal(report.transactionHash !== null, status === 'completed');
    await made.pass(1_000 * DELAY_MS);
    assert.deepEqual(done(await made.partner.payin.read(partnerRef)), report);
    assert.deepEqual(facts(made), [{ kind: 'payin', reference: 'cmd_1', partnerRef, report }]);
  }
});

const payoutCases = [
  ['1000.00', ['open', 'completed', 'completed']],
  ['1000.55', ['open', 'completed', 'completed']],
  ['1000.66', ['open', 'completed', 'completed']],
  ['1000.77', ['open', 'failed', 'failed']],
  ['1000.88', ['open', 'failed', 'returned']],
] as const;

test('the last digits of an amount decide its payout, and each step is reported', async () => {
  for (const [text, statuses] of payoutCases) {
    const made = world();
    const partnerRef = await startedPayout(made, minor(text));
    for (const status of statuses) {
      assert.equal(done(await made.partner.payout.read(partnerRef)).status, status, text);
      await made.pass(DELAY_MS);
    }
    const reported = facts(made).map(({ report }) => report.status);
    assert.deepEqual(reported, [...new Set(statuses)].slice(1), text);
  }
});

test('every magic amount of the table is one of those cases', () => {
  const endings = new Set([...payinCases, ...payoutCases].map(([text]) => text.slice(-3)));
  const amounts = Object.keys(magicValues).filter((value) => value.startsWith('.'));
  for (const value of amounts) assert.ok(endings.has(value as never), value);
});

const business = { role: 'seller', entityType: 'business' } as const;

const partyCases: readonly (readonly [Partial<PartyInput>, string, string])[] = [
  [{ firstName: 'Ana' }, 'verifying', 'approved'],
  [{ firstName: 'Fail' }, 'verifying', 'rejected'],
  [{ lastName: 'Fail' }, 'verifying', 'approved'],
  [{ firstName: null }, 'verifying', 'approved'],
  [{ firstName: '.66' }, 'verifying', 'approved'],
  [{ entityType: 'business', legalName: 'Lima Inc.' }, 'verifying', 'approved'],
  [{ role: 'seller', firstName: 'Ana' }, 'verifying', 'approved'],
  [{ ...business, legalName: 'Lima Ltda' }, 'approved', 'approved'],
  [{ ...business, legalName: 'Fail' }, 'rejected', 'rejected'],
];

test('a seller business is decided on in the call, others by message after the delay', async () => {
  for (const [fields, inTheCall, atLast] of partyCases) {
    const made = world();
    const request = done(await made.partner.party.prepare(party(fields)));
    const { partnerRef, report } = done(await made.partner.party.start(request));
    assert.equal(report?.status, inTheCall);
    assert.deepEqual(done(await made.partner.party.read(partnerRef)), report);
    await made.pass(DELAY_MS);
    const decided = done(await made.partner.party.read(partnerRef));
    assert.equal(decided.status, atLast);
    const fact = { kind: 'party', reference: 'cmd_1', partnerRef, report: decided };
    assert.deepEqual(facts(made), inTheCall === atLast ? [] : [fact]);
  }
});

test('a pay-in of an unknown quote is refused', async () => {
  const made = world();
  const quote = done(
    await made.partner.quote({ source: minor('10.00'), destination: await destinationOf(made) }),
  );
  const forged = { ...quote, partnerQuoteId: `${quote.partnerQuoteId}A` };
  const transaction = { reference: 'cmd_1', quote: forged, payerEmail: 'buyer@example.com' };
  const request = done(await made.partner.payin.prepare(transaction));
  assert.equal(refusalCode(await made.partner.payin.start(request)), 'not_found');
  assert.equal(done(await made.partner.payin.find(request)), null);
});

test('a quote can be ordered up to, and not at, its expiry', async () => {
  const made = world();
  const destination = await destinationOf(made);
  const quote = done(await made.partner.quote({ source: minor('10.00'), destination }));
  assert.equal(quote.expiresAtMs, made.nowMs + 5 * 60_000);
  for (const [beforeMs, code] of [
    [1, null],
    [0, 'quote_expired'],
  ] as const) {
    made.nowMs = quote.expiresAtMs - beforeMs;
    const transaction = { reference: 'cmd_1', quote, payerEmail: 'buyer@example.com' };
    const request = done(await made.partner.payin.prepare(transaction));
    made.nowMs += 60_000;
    assert.equal(refusalCode(await made.partner.payin.start(request)), code);
    assert.equal(done(await made.partner.payin.find(request)) === null, code !== null);
  }
});

test('the amount of the quote counts, not that of the transaction', async () => {
  const made = world();
  const quote = done(
    await made.partner.quote({ source: minor('10.00'), destination: await destinationOf(made) }),
  );
  const transaction = {
    reference: 'cmd_1',
    quote: { ...quote, source: minor('1.00') },
    payerEmail: 'buyer@example.com',
  };
  const request = done(await made.partner.payin.prepare(transaction));
  const { instructions } = done(await made.partner.payin.start(request));
  assert.deepEqual(instructions?.amount, minor('10.00'));
});

test('a refund is at most what the pay-in brings, in its currency', async () => {
  for (const [payin, refund, outcome] of [
    ['100.00', money(10_000n, 'USD'), 'done'],
    ['100.00', money(1n, 'USD'), 'done'],
    ['100.00', money(10_000n, 'EUR'), 'refused'],
    ['100.00', money(0n, 'USD'), 'refused'],
    ['100.55', money(9_955n, 'USD'), 'done'],
    ['100.55', money(9_956n, 'USD'), 'refused'],
    ['100.66', money(1n, 'USD'), 'refused'],
  ] as const) {
    const made = world();
    const payinRef = await startedPayin(made, minor(payin));
    await made.pass(DELAY_MS);
    const transaction = { reference: 'cmd_2', payinRef, amount: refund };
    const request = done(await made.partner.refund.prepare(transaction));
    const started = await made.partner.refund.start(request);
    assert.equal(started.outcome, outcome, `${payin} ${refund.amountMinor}`);
    if (started.outcome !== 'done') continue;
    const { partnerRef } = started.value;
    assert.equal(done(await made.partner.refund.read(partnerRef)).status, 'open');
    await made.pass(DELAY_MS);
    assert.equal(done(await made.partner.refund.read(partnerRef)).status, 'completed');
    assert.equal(facts(made).at(-1)?.kind, 'refund');
  }
});

test('the PIX end-to-end id has BACEN’s form and the minute of the payment', async () => {
  const made = world();
  const report = await payoutEnd(made, minor('10.00'), await destinationOf(made));
  // 2025-11-20T12:00:01Z
  assert.match(report.endToEndId ?? '', /^E99999999202511201200[0-9a-f]{11}$/);
});
