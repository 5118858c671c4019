import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  add,
  convert,
  divide,
  formatAmount,
  formatRate,
  hasOtherGroups,
  money,
  parseAmount,
  parseRate,
  parseTypedAmount,
  parseTypedRate,
  type Rounding,
  splitFee,
  subtract,
} from '../../../../core/domain/base/money.js';
import { AssertionFailure } from '../../../../core/errors.js';

const anyMinor = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
const amountMinor = fc.bigInt({ min: 0n, max: 99_999_999_999_999n });
const anyRate = fc.bigInt({ min: 1n, max: 10n ** 12n }).map((rateScaled) => ({ rateScaled }));
const rounding = fc.constantFrom<Rounding>('floor', 'ceil', 'half-even');

const amounts: readonly (readonly [text: string, minor: bigint])[] = [
  ['10', 1_000n],
  ['10.5', 1_050n],
  ['10.50', 1_050n],
  ['0', 0n],
  ['0.01', 1n],
  ['007.00', 700n],
  ['999999999999.99', 99_999_999_999_999n],
];
const noAmounts = [
  '1000000000000',
  '10.',
  '.5',
  '10.555',
  '-10.00',
  '+10.00',
  '1e3',
  '1,000.00',
  ' 10.00',
  '10.00 ',
  '10.00\n',
  '',
  'NaN',
  '0x10',
  '١٠.00',
];

test('an amount is 1-12 digits, optionally a point and one or two digits', () => {
  for (const [text, minor] of amounts) assert.equal(parseAmount(text), minor, text);
  for (const text of noAmounts) assert.equal(parseAmount(text), null, JSON.stringify(text));
});

test('people type a rate with a point or a comma', () => {
  for (const [text, rate] of [
    ['5.4321', '5.4321'],
    ['5,4321', '5.4321'],
    [' 5,4 ', '5.40'],
    ['0', null],
    ['1.234,5', null],
    ['five', null],
    ['', null],
  ] as const)
    assert.equal(parseTypedRate(text), rate, text);
});

test('people type an amount with the signs of any language', () => {
  const typed: readonly (readonly [text: string, minor: bigint | null])[] = [
    ['1250', 125_000n],
    [' 1250.00 ', 125_000n],
    ['1250,5', 125_050n],
    ['1,250.00', 125_000n],
    ['1.250,00', 125_000n],
    ['1 250,00', 125_000n],
    ['1\u00a0250', 125_000n],
    ['1’250.00', 125_000n],
    // Two decimals at most: three digits are thousands.
    ['1.250', 125_000n],
    ['12,480,000', 1_248_000_000n],
    ['12.480.000,01', 1_248_000_001n],
    ['1.250.00', null],
    ['1,25,000', null],
    ['1,250,00', null],
    ['1 2', null],
    ['12345.678', null],
    ['0.500', null],
    ['0,500', null],
    ['0.050', null],
    ['000.001', null],
    ['012,345', null],
    ['0.50', 50n],
    ['-5', null],
    ['１，２５０．５０', 125_050n],
    ['١٬٢٥٠٫٥٠', 125_050n],
    ['١٢٥٠', 125_000n],
    ['\u200f۱٬۲۵۰٫۵۰\u200f', 125_050n],
    ['१२५०.५', 125_050n],
    ['1\u202f250,50', 125_050n],
    // The decimal sign of Arabic numbers divides no thousands.
    ['١٫٢٥٠', null],
    ['1²', null],
    ['\u22121250', null],
    ['1250 USD', null],
    ['', null],
  ];
  for (const [text, minor] of typed) assert.equal(parseTypedAmount(text), minor, text);
});

test('groups that are not of three digits are refused with that reason', () => {
  const groups: readonly (readonly [text: string, isOther: boolean])[] = [
    ['1,23,456.78', true],
    ['1,25,000', true],
    ['12,34,56,789', true],
    ['1,2345,6789', true],
    ['1.25.000,00', true],
    ['1 25 000', true],
    ['१,२३,४५६.७८', true],
    ['1,250,00', true],
    ['123,456.78', false],
    ['1,234,567', false],
    ['1250.00', false],
    ['0.500', false],
    ['1,25', false],
    ['abc', false],
    ['1,25,000 USD', false],
    ['', false],
  ];
  for (const [text, isOther] of groups) {
    assert.equal(hasOtherGroups(text), isOther, text);
    if (isOther) assert.equal(parseTypedAmount(text), null, text);
  }
});

test('law: an amount in the form of each language is read back', () => {
  const languages = ['en', 'es', 'pt-BR', 'de-CH', 'fr', 'ar-EG', 'fa', 'my', 'th-u-nu-thai'];
  for (const language of languages) {
    const format = new Intl.NumberFormat(language, {
      minimumFractionDigits: 2,
      useGrouping: 'always',
    });
    fc.assert(
      fc.property(amountMinor, (minor) => {
        const text = format.format(formatAmount(minor) as Intl.StringNumericLiteral);
        assert.equal(parseTypedAmount(text), minor, text);
      }),
    );
  }
});

test('an amount is written with exactly two decimals', () => {
  const written = [0n, 5n, 1_050n, -5n, -1_050n].map(formatAmount);
  assert.deepEqual(written, ['0.00', '0.05', '10.50', '-0.05', '-10.50']);
});

test('law: what is written is read back as the same amount', () => {
  fc.assert(
    fc.property(amountMinor, (minor) => {
      assert.equal(parseAmount(formatAmount(minor)), minor);
    }),
  );
});

test('law: no text is read as anything but its own value', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0159.-+e, ') }), (text) => {
      const minor = parseAmount(text);
      if (minor === null) return;
      const [whole, fraction = ''] = text.split('.');
      assert.equal(minor, BigInt(whole ?? '') * 100n + BigInt(fraction.padEnd(2, '0')));
    }),
  );
});

test('law: adding and taking away the same leaves an amount as it was', () => {
  fc.assert(
    fc.property(anyMinor, anyMinor, (left, right) => {
      const sum = add(money(left, 'USD'), money(right, 'USD'));
      assert.equal(sum.amountMinor, left + right);
      assert.deepEqual(subtract(sum, money(right, 'USD')), money(left, 'USD'));
    }),
  );
});

test('different currencies do not add up', () => {
  assert.throws(() => add(money(1n, 'USD'), money(1n, 'BRL')), AssertionFailure);
  assert.throws(() => subtract(money(1n, 'USD'), money(1n, 'BRL')), AssertionFailure);
});

test('money is frozen', () => {
  assert.ok(Object.isFrozen(money(1n, 'USD')));
});

const roundings: readonly (readonly [
  numerator: bigint,
  divisor: bigint,
  floor: bigint,
  ceil: bigint,
  halfEven: bigint,
])[] = [
  [10n, 5n, 2n, 2n, 2n],
  [11n, 5n, 2n, 3n, 2n],
  [13n, 5n, 2n, 3n, 3n],
  [5n, 2n, 2n, 3n, 2n],
  [7n, 2n, 3n, 4n, 4n],
  [-10n, 5n, -2n, -2n, -2n],
  [-11n, 5n, -3n, -2n, -2n],
  [-13n, 5n, -3n, -2n, -3n],
  [-5n, 2n, -3n, -2n, -2n],
  [-7n, 2n, -4n, -3n, -4n],
  [0n, 3n, 0n, 0n, 0n],
];

test('a division rounds as it is named, below zero too', () => {
  for (const [numerator, divisor, floor, ceil, halfEven] of roundings) {
    const name = `${numerator}/${divisor}`;
    assert.equal(divide(numerator, divisor, 'floor'), floor, name);
    assert.equal(divide(numerator, divisor, 'ceil'), ceil, name);
    assert.equal(divide(numerator, divisor, 'half-even'), halfEven, name);
  }
  assert.throws(() => divide(1n, 0n, 'floor'), AssertionFailure);
  assert.throws(() => divide(1n, -2n, 'floor'), AssertionFailure);
});

test('law: a rounded quotient is off by less than one, to nearest by at most a half', () => {
  const divisor = fc.bigInt({ min: 1n, max: 10n ** 9n });
  fc.assert(
    fc.property(anyMinor, divisor, (numerator, by) => {
      const floorError = numerator - divide(numerator, by, 'floor') * by;
      const ceilError = divide(numerator, by, 'ceil') * by - numerator;
      const nearError = numerator - divide(numerator, by, 'half-even') * by;
      assert.ok(floorError >= 0n && floorError < by);
      assert.ok(ceilError >= 0n && ceilError < by);
      assert.ok(nearError * 2n <= by && nearError * 2n >= -by);
    }),
  );
});

test('a conversion multiplies by the rate and rounds once', () => {
  const rate = parseRate('5.4321') ?? assert.fail();
  assert.deepEqual(convert(money(10_000n, 'USD'), rate, 'BRL', 'floor'), money(54_321n, 'BRL'));
  assert.deepEqual(convert(money(1_001n, 'USD'), rate, 'BRL', 'floor'), money(5_437n, 'BRL'));
  assert.deepEqual(convert(money(1_001n, 'USD'), rate, 'BRL', 'ceil'), money(5_438n, 'BRL'));
  assert.deepEqual(convert(money(1_001n, 'USD'), rate, 'BRL', 'half-even'), money(5_438n, 'BRL'));
});

test('law: converting parts rounded down never makes more than converting the whole', () => {
  fc.assert(
    fc.property(amountMinor, amountMinor, anyRate, (left, right, rate) => {
      const part = (minor: bigint) =>
        convert(money(minor, 'USD'), rate, 'BRL', 'floor').amountMinor;
      const lost = part(left + right) - (part(left) + part(right));
      assert.ok(lost === 0n || lost === 1n);
    }),
  );
});

test('law: a fee and the rest add up to the whole, and neither is negative', () => {
  fc.assert(
    fc.property(
      amountMinor,
      fc.integer({ min: 0, max: 10_000 }),
      rounding,
      (minor, points, how) => {
        const { fee, rest } = splitFee(money(minor, 'USD'), points, how);
        assert.deepEqual(add(fee, rest), money(minor, 'USD'));
        assert.ok(fee.amountMinor >= 0n && rest.amountMinor >= 0n);
      },
    ),
  );
});

test('a fee is in whole basis points from 0 to 10000', () => {
  assert.equal(splitFee(money(10_000n, 'USD'), 150, 'ceil').fee.amountMinor, 150n);
  assert.equal(splitFee(money(10_001n, 'USD'), 150, 'ceil').fee.amountMinor, 151n);
  for (const basisPoints of [-1, 0.5, 10_001, Number.NaN]) {
    assert.throws(() => splitFee(money(1n, 'USD'), basisPoints, 'floor'), AssertionFailure);
  }
});

const rates: readonly (readonly [text: string, written: string | null])[] = [
  ['5', '5.00'],
  ['5.4', '5.40'],
  ['5.40000000', '5.40'],
  ['5.4321', '5.4321'],
  ['5.120', '5.12'],
  ['5.1203', '5.1203'],
  ['100', '100.00'],
  ['0.00000001', '0.00000001'],
  ['0', null],
  ['0.00', null],
  ['-5', null],
  ['5.123456789', null],
  ['5.', null],
  ['', null],
  ['1e1', null],
];

test('a rate is above zero and written with two decimals or as many as it needs', () => {
  for (const [text, written] of rates) {
    const rate = parseRate(text);
    assert.equal(rate === null ? null : formatRate(rate), written, JSON.stringify(text));
  }
});

test('law: a rate that is written is read back as the same rate', () => {
  fc.assert(
    fc.property(anyRate, (rate) => {
      const text = formatRate(rate);
      assert.deepEqual(parseRate(text), rate);
      assert.match(text, /^\d+\.(\d\d|\d{2,7}[1-9])$/);
    }),
  );
});
