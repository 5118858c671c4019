// Which payment a deposit is for: one or none, in any order of the candidates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money } from '../../../../core/domain/base/money.js';
import {
  type Arrival,
  type MatchCandidate,
  matchOf,
  takesMoney,
} from '../../../../core/domain/deposits/deposit-match.js';
import {
  isTerminal,
  type PaymentStatus,
  paymentStatuses,
} from '../../../../core/domain/payments/payment.js';

const usd = (amountMinor: bigint) => money(amountMinor, 'USD');
const waiting = (paymentId: string, fields: Partial<MatchCandidate> = {}): MatchCandidate => ({
  paymentId,
  consolidatedReference: null,
  status: 'on_ramp_pending',
  isQuoted: false,
  names: [`name-${paymentId}`],
  sharedName: null,
  externalId: null,
  missing: usd(100n),
  asked: usd(100n),
  ...fields,
});
const arrival = (text = '', amountMinor = 100n): Arrival => ({
  amount: usd(amountMinor),
  texts: text === '' ? [] : [text],
  isFromBefore: false,
  namesAnother: false,
});
const shown = (given: Arrival, ...candidates: readonly MatchCandidate[]) => {
  const match = matchOf(given, candidates);
  return match === null ? null : `${match.rule} ${match.paymentId}`;
};

test('the quote counts before a text, a text before the amount', () => {
  const quoted = waiting('q', { isQuoted: true, missing: usd(1n) });
  const all = [waiting('a'), waiting('t', { missing: usd(2n) }), quoted] as const;
  assert.equal(shown(arrival('name-t'), ...all), 'quote q');
  assert.equal(shown(arrival('name-t'), all[0], all[1]), 'text t');
  assert.equal(shown(arrival('thanks'), all[0], all[1]), 'amount a');
  assert.equal(shown(arrival('thanks', 3n), all[0], all[1]), null);
});

test('two that fit a rule leave it to a person, and no later rule decides', () => {
  assert.equal(shown(arrival(), waiting('a'), waiting('b')), null);
  const both = [waiting('a'), waiting('b', { missing: usd(7n) })] as const;
  assert.equal(shown(arrival('name-a name-b'), ...both), null);
  const quoted = both.map((one) => ({ ...one, isQuoted: true }));
  assert.equal(shown(arrival('name-a'), ...quoted), null);
  const alike = [waiting('a', { names: ['inv-12'] }), waiting('b', { names: ['INV12'] })];
  assert.equal(shown(arrival('inv 12'), ...alike), null);
});

test('an externalId counts with the missing amount only; of another payment it is a doubt', () => {
  const year = waiting('y', { externalId: '2026', missing: usd(900n), asked: usd(900n) });
  const settled = { ...year, status: 'settled' } as const;
  const other = waiting('o', { externalId: '2055' });
  const text = 'INVOICE NOV 2026';
  for (const named of [year, settled]) {
    assert.equal(shown(arrival(text), named), null);
    assert.equal(shown(arrival(text), named, other), null);
  }
  assert.equal(shown(arrival(text, 900n), year, other), 'text y');
  assert.equal(shown(arrival('thanks'), year, other), 'amount o');
  const twin = waiting('t', { externalId: '2055' });
  assert.equal(shown(arrival('for 2055'), other, twin), null);
  assert.equal(shown(arrival('for 2055'), other, waiting('a')), 'text o');
});

test('payments that wait for one transfer are another candidate for what they lack together', () => {
  const all = [waiting('a', { missing: usd(40n) }), waiting('b', { missing: usd(60n) })] as const;
  const together = waiting('a', { consolidatedReference: 'R', names: [] });
  const stranger = waiting('s');
  assert.equal(shown(arrival('thanks'), ...all, together), 'amount a');
  assert.equal(matchOf(arrival(), [...all, together])?.consolidatedReference, 'R');
  assert.equal(shown(arrival('thanks'), ...all, together, stranger), null);
  assert.equal(shown(arrival('thanks'), stranger, together), null);
  assert.equal(shown(arrival('name-s'), ...all, together, stranger), 'text s');
  assert.equal(matchOf(arrival('', 40n), [...all, together])?.consolidatedReference, null);
});

test('money from before a restore counts by a quote or by our own name of the payment', () => {
  const before = (text: string) => ({ ...arrival(text), isFromBefore: true });
  const one = waiting('a', { externalId: 'order-77' });
  assert.equal(shown(before('name-a'), one), 'text a');
  assert.equal(shown(before(''), { ...one, isQuoted: true }), 'quote a');
  for (const text of ['', 'order-77']) assert.equal(shown(before(text), one), null);
});

test('a payment that is named but takes no money leaves it to a person', () => {
  const early = waiting('e', { status: 'awaiting_buyer' });
  assert.equal(shown(arrival('name-e'), early, waiting('a')), null);
  const euro = waiting('e', { missing: money(100n, 'EUR') });
  assert.equal(shown(arrival('name-e'), euro), null);
  assert.equal(shown(arrival(), euro), null);
});

test('a text counts from on_ramp_pending on, a quote and a person from fx_quoted on', () => {
  const taken = (given: (status: PaymentStatus) => boolean) => paymentStatuses.filter(given);
  const ended = paymentStatuses.filter(isTerminal);
  const paying = ['on_ramp_pending', 'on_chain_confirmed', 'offramp_pending'] as const;
  const byText = taken((status) => shown(arrival('name-a'), waiting('a', { status })) !== null);
  const byAmount = taken((status) => shown(arrival(), waiting('a', { status })) !== null);
  const byQuote = taken(
    (status) => shown(arrival(), waiting('a', { status, isQuoted: true })) !== null,
  );
  const byPerson = taken((status) => takesMoney({ status, missing: usd(1n) }, usd(5n)));
  assert.deepEqual(byText, [...paying, ...ended]);
  assert.deepEqual(byAmount, ['on_ramp_pending']);
  assert.deepEqual(byQuote, ['fx_quoted', ...paying, ...ended]);
  assert.deepEqual(byPerson, byQuote);
});

test('with the name of a payment to somebody else, no amount decides', () => {
  const elsewhere = (text: string) => ({ ...arrival(text), namesAnother: true });
  const one = waiting('a', { externalId: 'order-77' });
  assert.equal(shown(elsewhere('name-a'), one), 'text a');
  assert.equal(shown(elsewhere(''), { ...one, isQuoted: true }), 'quote a');
  for (const text of ['7KQ4-M2XD', 'order-77']) assert.equal(shown(elsewhere(text), one), null);
});

test('an amount does not decide where the text may mean another payment', () => {
  const other = waiting('o', { names: ['7KQ4-M2XD'], missing: usd(70n) });
  const shared = waiting('s', { names: [], sharedName: '7KQ4-M2XD', missing: usd(70n) });
  for (const text of [
    '7KQ4-M2X',
    '7KQ4',
    '7KQ4-M3XD',
    '7QK4-M2XD',
    '4-M2XD',
    '7KQ4-M2D',
    'KQ4M2XX',
  ]) {
    for (const one of [other, shared]) {
      assert.equal(shown(arrival(text), waiting('a'), one), null, text);
      assert.equal(shown(arrival(text, 70n), waiting('a'), one), `amount ${one.paymentId}`, text);
    }
    const ended = { ...other, status: 'expired' } as const;
    assert.equal(shown(arrival(text), waiting('a'), ended), null, text);
  }
  for (const text of ['', 'INVOICE 2031', '7K', 'ACME LTDA', '7KX4-92XA']) {
    assert.equal(shown(arrival(text), waiting('a'), other), 'amount a', text);
  }
});

const anyCandidate: fc.Arbitrary<MatchCandidate> = fc.record({
  paymentId: fc.constantFrom('p1', 'p2', 'p3', 'p4'),
  consolidatedReference: fc.constantFrom(null, 'R'),
  status: fc.constantFrom(...paymentStatuses),
  isQuoted: fc.boolean(),
  names: fc.array(fc.constantFrom('ABCD-1234', 'order-77', 'order-78'), { maxLength: 2 }),
  sharedName: fc.constantFrom(null, 'R7KQ-M2XD'),
  externalId: fc.constantFrom(null, 'order-77', 'order-79'),
  missing: fc.record({
    amountMinor: fc.bigInt({ min: -2n, max: 2n }),
    currency: fc.constantFrom('USD', 'EUR'),
  }),
  asked: fc.record({
    amountMinor: fc.bigInt({ min: 1n, max: 2n }),
    currency: fc.constantFrom('USD', 'EUR'),
  }),
});
const anyArrival: fc.Arbitrary<Arrival> = fc.record({
  amount: fc.record({ amountMinor: fc.bigInt({ min: 1n, max: 2n }), currency: fc.constant('USD') }),
  texts: fc.array(fc.constantFrom('abcd1234', 'order-77', 'order-77 order-78', 'thanks'), {
    maxLength: 2,
  }),
  isFromBefore: fc.boolean(),
  namesAnother: fc.boolean(),
});

test('more than twice of what was asked counts for no payment without a person', () => {
  for (const [amountMinor, counts] of [
    [200n, true],
    [201n, false],
  ] as const) {
    for (const [text, fields] of [
      ['name-p1', {}],
      ['', { isQuoted: true }],
    ] as const) {
      const match = matchOf(arrival(text, amountMinor), [waiting('p1', fields)]);
      assert.equal(match !== null, counts, `${amountMinor} ${text}`);
    }
  }
});

test('the same candidates in any order, or twice, give the same answer: one payment or none', () => {
  const list = fc.uniqueArray(anyCandidate, { selector: ({ paymentId }) => paymentId });
  const shuffled = list.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(anyArrival, shuffled, (given, [all, other]) => {
      const match = matchOf(given, all);
      assert.deepEqual(matchOf(given, other), match);
      assert.deepEqual(matchOf(given, [...other, ...all]), match);
      if (match === null) return;
      const chosen = all.find(({ paymentId }) => paymentId === match.paymentId);
      assert.ok(chosen !== undefined && takesMoney(chosen, given.amount));
      // One more that is alike in all but its id makes it ambiguous.
      assert.equal(matchOf(given, [...all, { ...chosen, paymentId: 'twin' }]), null);
    }),
  );
});
