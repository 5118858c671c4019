// Which reports of the partner can be true, each rule at its boundary. 100.00 USD are paid out; the
// quote said 1.00 of fees, 5.20 BRL per USD and 514.80 BRL to the seller.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { convert, formatRate, type Money } from '../../../../core/domain/base/money.js';
import type { MoneyCommand } from '../../../../core/domain/commands/partner-command.js';
import type { Quote } from '../../../../core/domain/commands/quote.js';
import {
  arrivalProblem,
  defaultDrift,
  type PayinReport,
  type PayoutReport,
  payinProblem,
  payoutDrift,
  payoutProblem,
  refundProblem,
} from '../../../../core/domain/commands/report-check.js';
import { commandIn, START_MS, sampleQuote } from '../../../support/samples/sample-rows.js';

type KycDecision = 'unusable' | 'implausible' | null;

const usd = (amountMinor: bigint) => ({ amountMinor, currency: 'USD' });
const brl = (amountMinor: bigint) => ({ amountMinor, currency: 'BRL' });
const payin: MoneyCommand = { ...commandIn.done, kind: 'payin' };
const payout: MoneyCommand = { ...commandIn.done, lastSentAtMs: START_MS };
const paid: PayoutReport = {
  status: 'completed',
  settled: brl(51_480n),
  fxRate: '5.20',
  fees: usd(100n),
  endToEndId: 'E1',
  reason: null,
};
const locked: Quote = { ...sampleQuote, rateKind: 'locked', lockedUntilMs: START_MS + 60_000 };

function payinVerdict(
  fields: Partial<PayinReport>,
  command: Partial<MoneyCommand> = {},
  asked = false,
  takenMinor = 0n,
): KycDecision {
  const nothing = { received: usd(0n), transactionHash: null, reason: null };
  const report = { status: 'open', ...nothing } as const;
  const known = { ...payin, asked: payin.amount, ...command };
  return payinProblem(known, { ...report, ...fields }, asked, takenMinor)?.kind ?? null;
}

function payoutVerdict(fields: Partial<PayoutReport>, quote: Quote | null, sentAtMs = START_MS) {
  const command = { ...payout, lastSentAtMs: sentAtMs };
  return payoutProblem(command, { ...paid, ...fields }, quote, defaultDrift)?.kind ?? null;
}

test('a pay-in brings from nothing to twice what was ordered, in whole minor units', () => {
  const table: readonly (readonly [receivedMinor: unknown, verdict: KycDecision])[] = [
    [0n, null],
    [9_999n, null],
    [10_000n, null],
    [20_000n, null],
    [20_001n, 'implausible'],
    [10n ** 18n, 'implausible'],
    [10n ** 18n + 1n, 'unusable'],
    [-1n, 'unusable'],
    [10_000, 'unusable'],
    [99.5, 'unusable'],
    [Number.NaN, 'unusable'],
    ['10000', 'unusable'],
    [null, 'unusable'],
    [undefined, 'unusable'],
  ];
  for (const status of ['open', 'completed', 'failed', 'returned'] as const) {
    for (const [receivedMinor, verdict] of table) {
      const report = { status, received: usd(receivedMinor as bigint) } as const;
      const isEmpty = status === 'completed' && receivedMinor === 0n;
      const expected = isEmpty ? 'implausible' : verdict;
      assert.equal(payinVerdict(report), expected, `${status} ${String(receivedMinor)}`);
    }
  }
});

test('a pay-in that completes without money is for a person, unless the message may be old', () => {
  const empty = { status: 'completed', received: usd(0n) } as const;
  assert.equal(payinVerdict(empty), 'implausible');
  assert.equal(payinVerdict(empty, {}, true), 'implausible');
  assert.equal(payinVerdict(empty, { receivedMinor: 1n }), null);
});

test('a total that a person accepted is accepted in later reports, and no larger one', () => {
  const accepted = { receivedMinor: 30_000n };
  assert.equal(payinVerdict({ received: usd(30_000n) }, accepted), null);
  assert.equal(payinVerdict({ received: usd(20_001n) }, accepted), null);
  assert.equal(payinVerdict({ received: usd(30_001n) }, accepted), 'implausible');
});

test('a polled total below the known one is for a person; a message may be old', () => {
  const known = { receivedMinor: 10_000n };
  for (const status of ['open', 'completed'] as const) {
    const less = { status, received: usd(9_999n) };
    assert.equal(payinVerdict(less, known, true), 'implausible', status);
    assert.equal(payinVerdict(less, known), null, status);
    assert.equal(payinVerdict({ status, received: usd(10_000n) }, known, true), null, status);
  }
  assert.equal(payinVerdict({ status: 'returned', received: usd(0n) }, known, true), null);
});

test('a returned pay-in brought at least what was refunded of it, unless the partner does not say', () => {
  const known = { end: 'completed', receivedMinor: 10_000n } as const;
  for (const [receivedMinor, asked, verdict] of [
    [0n, true, null],
    [1n, true, 'implausible'],
    [9_954n, true, 'implausible'],
    [9_955n, true, null],
    [9_954n, false, null],
  ] as const) {
    const report = { status: 'returned', received: usd(receivedMinor) } as const;
    assert.equal(payinVerdict(report, known, asked, 9_955n), verdict, `${receivedMinor} ${asked}`);
  }
});

test('a report of the known end and amount is accepted after any refunds', () => {
  for (const end of ['completed', 'failed', 'returned'] as const) {
    for (const receivedMinor of [0n, 10_000n, 30_000n]) {
      const known = { end, receivedMinor };
      const report = { status: end, received: usd(receivedMinor) } as const;
      assert.equal(payinVerdict(report, known, true, 20_000n), null, `${end} ${receivedMinor}`);
    }
  }
});

test('a completed pay-in does not fail: what the partner answers so is for a person', () => {
  for (const [end, status, asked, verdict] of [
    ['completed', 'failed', true, 'implausible'],
    // A message may be old: the partner is asked.
    ['completed', 'failed', false, null],
    ['completed', 'returned', true, null],
    ['open', 'failed', true, null],
    ['returned', 'failed', true, null],
  ] as const) {
    assert.equal(payinVerdict({ status }, { end }, asked), verdict, `${end} ${status} ${asked}`);
  }
});

test('only a completed payout reports amounts to check', () => {
  for (const status of ['open', 'failed', 'returned'] as const) {
    const nothing = { settled: null, fees: null, fxRate: null };
    assert.equal(payoutVerdict({ status, ...nothing }, sampleQuote), null, status);
    assert.equal(payoutVerdict({ status, settled: brl(-1n) }, sampleQuote), null, status);
  }
});

const unusable: Readonly<Record<string, Partial<PayoutReport>>> = {
  'no amount to the seller': { settled: null },
  'an amount to the seller in USD': { settled: usd(51_480n) },
  'an amount to the seller of zero': { settled: brl(0n) },
  'an amount to the seller below zero': { settled: brl(-51_480n) },
  'no fees': { fees: null },
  'fees in BRL': { fees: brl(100n) },
  'fees below zero': { fees: usd(-1n) },
  'fees of all that was paid out': { fees: usd(10_000n) },
  'fees above what was paid out': { fees: usd(9_999_999n) },
  'no rate': { fxRate: null },
  'a rate of words': { fxRate: 'abc' },
  'an empty rate': { fxRate: '' },
  'a rate of zero': { fxRate: '0.00' },
  'a rate below zero': { fxRate: '-5.20' },
  'a rate with a comma': { fxRate: '5,20' },
  'a rate with an exponent': { fxRate: '5.2e0' },
  'a rate with nine decimals': { fxRate: '5.200000000' },
  'an endless rate': { fxRate: 'Infinity' },
};

for (const [name, fields] of Object.entries(unusable)) {
  test(`a completed payout with ${name} cannot be booked`, () => {
    for (const quote of [sampleQuote, locked, null]) {
      assert.equal(payoutVerdict(fields, quote), 'unusable');
    }
  });
}

test('amount, fees and rate give what the seller got, but for 0.1 % and a cent of rounding', () => {
  const table: readonly (readonly [settledMinor: bigint, verdict: KycDecision])[] = [
    [51_480n, null],
    [51_480n + 52n, null],
    [51_480n - 52n, null],
    [51_480n + 53n, 'implausible'],
    [51_480n - 53n, 'implausible'],
    [1n, 'implausible'],
    [5_148_000n, 'implausible'],
    [10n ** 18n, 'implausible'],
    [10n ** 18n + 1n, 'unusable'],
  ];
  for (const quote of [sampleQuote, null]) {
    for (const [settledMinor, verdict] of table) {
      const settled = brl(settledMinor);
      assert.equal(payoutVerdict({ settled }, quote), verdict, `${settledMinor}`);
    }
  }
});

test('money in another currency than was asked cannot be booked, unless there is none', () => {
  const euros = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });
  for (const status of ['open', 'completed', 'failed', 'returned'] as const) {
    const known = { receivedMinor: 10_000n };
    assert.equal(payinVerdict({ status, received: euros(10_000n) }, known, true), 'unusable');
  }
  assert.equal(payinVerdict({ status: 'failed', received: euros(0n) }), null);
});

test('money that nobody ordered counts up to twice of what was asked, in its currency', () => {
  const verdict = (received: Money) => arrivalProblem(usd(10_000n), received)?.kind ?? null;
  assert.equal(verdict(usd(1n)), null);
  assert.equal(verdict(usd(20_000n)), null);
  assert.equal(verdict(usd(20_001n)), 'implausible');
  assert.equal(verdict(brl(10_000n)), 'unusable');
});

test('fees are at most twice those of the quote, or 1.00 if that is more', () => {
  const settledOf = (fees: bigint) => brl(((10_000n - fees) * 52n) / 10n);
  const verdict = (fees: bigint, quoted: bigint) => {
    const quote = { ...sampleQuote, fees: usd(quoted) };
    return payoutVerdict({ fees: usd(fees), settled: settledOf(fees) }, quote);
  };
  for (const [fees, quoted, expected] of [
    [0n, 100n, null],
    [100n, 100n, null],
    [200n, 100n, null],
    [201n, 100n, 'implausible'],
    [600n, 100n, 'implausible'],
    [100n, 0n, null],
    [101n, 0n, 'implausible'],
    [9_999n, 100n, 'implausible'],
  ] as const) {
    assert.equal(verdict(fees, quoted), expected, `${fees} of ${quoted}`);
    const report = { fees: usd(fees), settled: settledOf(fees) };
    assert.equal(payoutVerdict(report, null), null, `${fees} without a quote`);
  }
});

test('an indicative rate may move 8 % between quote and payout', () => {
  const table: readonly (readonly [fxRate: string, settledMinor: bigint, verdict: KycDecision])[] =
    [
      ['5.616', 55_598n, null],
      ['5.61600001', 55_598n, 'implausible'],
      ['4.784', 47_361n, null],
      ['4.78399999', 47_361n, 'implausible'],
      ['0.00000001', 1n, 'implausible'],
    ];
  for (const [fxRate, settledMinor, verdict] of table) {
    const report = { fxRate, settled: brl(settledMinor) };
    assert.equal(payoutVerdict(report, sampleQuote), verdict, fxRate);
    assert.equal(payoutVerdict(report, null), null, `${fxRate} without a quote`);
  }
});

test('a payout raises an alert from 3 % in rate or BRL on, in both directions', () => {
  const isAlerted = (fxRate: string, settledMinor: bigint, limits = defaultDrift) => {
    const report = { ...paid, fxRate, settled: brl(settledMinor) };
    return payoutDrift(report, sampleQuote, limits) !== null;
  };
  assert.deepEqual(
    [isAlerted('5.2', 51_480n), isAlerted('5.3559', 53_023n), isAlerted('5.356', 53_024n)],
    [false, false, true],
  );
  assert.deepEqual([isAlerted('5.0441', 49_936n), isAlerted('5.044', 49_935n)], [false, true]);
  assert.equal(isAlerted('5.2', 49_935n), true, 'by fees');
  assert.equal(isAlerted('5.356', 53_024n, { alertPercent: 4, waitPercent: 8 }), false);
  assert.equal(payoutDrift({ ...paid, fxRate: '9' }, null, defaultDrift), null);
});

test('a locked quote holds to the cent for a payout that was sent in its time', () => {
  const table: readonly (readonly [settledMinor: bigint, verdict: KycDecision])[] = [
    [51_480n, null],
    [51_481n, null],
    [51_479n, null],
    [51_482n, 'implausible'],
    [51_478n, 'implausible'],
  ];
  for (const [settledMinor, verdict] of table) {
    const settled = brl(settledMinor);
    assert.equal(payoutVerdict({ settled }, locked, START_MS + 59_999), verdict);
    // After that it counts as indicative.
    assert.equal(payoutVerdict({ settled }, locked, START_MS + 60_000), null);
    assert.equal(payoutVerdict({ settled }, { ...locked, lockedUntilMs: null }), null);
  }
  const moved = { fxRate: '5.50', settled: brl(54_450n) };
  assert.equal(payoutVerdict(moved, locked, START_MS + 59_999), 'implausible');
  assert.equal(payoutVerdict(moved, locked, START_MS + 60_000), null);
});

test('a report in review names amounts and rates for operators, and nothing else', () => {
  const none = { transactionHash: null, reason: null };
  const problem = payoutProblem(payout, { ...paid, settled: brl(1n) }, sampleQuote, defaultDrift);
  assert.match(problem?.text ?? '', /^1 centavos, .* give 51480$/);
  const many = { status: 'open', received: usd(20_001n), ...none } as const;
  const { text } = payinProblem({ ...payin, asked: payin.amount }, many, false, 0n) ?? {};
  assert.match(text ?? '', /^received 20001 .*10000 were requested$/);
});

test('law: what a partner converts by its own fees and rate is plausible, of any amount', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 100n, max: 10n ** 14n }),
      fc.bigInt({ min: 0n, max: 300n }),
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      (amountMinor, feesPermille, rateScaled) => {
        const fees = usd((amountMinor * feesPermille) / 1_000n);
        const rest = usd(amountMinor - fees.amountMinor);
        const settled = convert(rest, { rateScaled }, 'BRL', 'floor');
        fc.pre(settled.amountMinor > 0n);
        const fxRate = formatRate({ rateScaled });
        const command = { ...payout, amount: usd(amountMinor) };
        const report = { ...paid, fees, settled, fxRate };
        assert.equal(payoutProblem(command, report, null, defaultDrift), null);
      },
    ),
  );
});

test('a refund is of the amount ordered; a smaller one counts when the partner was asked', () => {
  const refund: MoneyCommand = { ...commandIn.done, kind: 'refund', amount: usd(10_000n) };
  const table: readonly (readonly [
    amountMinor: unknown,
    byMessage: KycDecision,
    asked: KycDecision,
  ])[] = [
    [10_000n, null, null],
    [9_999n, 'implausible', null],
    [1n, 'implausible', null],
    [10_001n, 'implausible', 'implausible'],
    [10n ** 18n, 'implausible', 'implausible'],
    [10n ** 18n + 1n, 'unusable', 'unusable'],
    [0n, 'unusable', 'unusable'],
    [-1n, 'unusable', 'unusable'],
    [10_000, 'unusable', 'unusable'],
  ];
  for (const [amountMinor, byMessage, asked] of table) {
    const report = usd(amountMinor as bigint);
    const verdicts = [false, true].map((is) => refundProblem(refund, report, is)?.kind ?? null);
    assert.deepEqual(verdicts, [byMessage, asked], String(amountMinor));
  }
  assert.equal(refundProblem(refund, brl(10_000n), true)?.kind, 'unusable');
});
