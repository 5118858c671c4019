// Names of payments in what banks print: SWIFT MT103 field 70 (35 characters a line, capitals),
// SEPA remittance information (140 characters, EPC217-08), ACH addenda (80 characters).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { money } from '../../../../core/domain/base/money.js';
import { type MatchCandidate, matchOf } from '../../../../core/domain/deposits/deposit-match.js';
import {
  hasName,
  isNearName,
  joinedWords,
  runsOf,
} from '../../../../core/domain/deposits/printed-name.js';
import { consolidatedReferenceOf } from '../../../../core/domain/payments/bank-record.js';

const printed: Readonly<Record<string, readonly string[]>> = {
  '7KQ4-M2XD': [
    '7KQ4-M2XD',
    '7kq4-m2xd',
    '7KQ4M2XD',
    '7KQ4 M2XD',
    '/ROC/7kq4m2xd//',
    'pay 7KQ4 M2XD now',
    '7KQ4.M2XD',
    '7KQ4\u2013M2XD',
    '７ＫＱ４－Ｍ２ＸＤ',
    'REF7KQ4M2XDINV2031',
    '/RFB/7KQ4-M2XDACME LTDA',
    'X7KQ4-M2XD',
    '7KQ4-M2XDE',
    'TKQ4 7KQ4-MZXD',
    '7KO4-M2XD',
  ],
  '0B18-5S0Q': ['OBI8-S5OQ', 'B18 5S0Q', 'B185S0Q', '0818-5500', 'obl8-sso0'],
  '00012345678': ['12345678', '0012345678', '000-1234-5678', 'REF00012345678', 'OOO12345678'],
  'PAY-00012-AB': ['PAY00012AB', 'pay 00012 ab', '1PAY-00012-AB7', 'PAY OOO12 A8'],
  'nº 12/2030 ÇÃO': ['Fatura nº 12/2030-ção'],
};

test('a name is found in each printing of a bank', () => {
  for (const [name, texts] of Object.entries(printed)) {
    for (const text of texts) {
      assert.ok(hasName(text, name), `${name} in ${text}`);
      assert.ok(isNearName(text, name), `${name} near ${text}`);
    }
  }
});

const others: readonly (readonly [text: string, name: string])[] = [
  ['', '7KQ4-M2XD'],
  ['7KQ4-M2X', '7KQ4-M2XD'],
  ['7KQ4-M3XD', '7KQ4-M2XD'],
  ['KQ4-M2XD', '7KQ4-M2XD'],
  ['7KQ4-XM2D', '7KQ4-M2XD'],
  // Short names have no other printing, and three digits are in many texts.
  ['invoice 123', '123'],
  ['INV1Z3', 'INV123'],
  ['XINV123', 'INV123'],
  ['---', '--'],
  // The name of another partner's order may begin with this one, or end with it.
  ['PAY000123', 'PAY00012'],
  ['1100012345', '00012345'],
  ['99123456789012', '12345678'],
  ['XPAY00012', 'PAY00012'],
  ['PAY-00012-ABC', 'PAY-00012-AB'],
];

test('what is not surely the name is none', () => {
  for (const [text, name] of others) assert.equal(hasName(text, name), false, `${name} in ${text}`);
});

test('a code of ours that is cut at both ends is a doubt, also of signs like digits', () => {
  assert.equal(isNearName('00-000', '0B00-000S'), true);
});

test('words are read alone and with their neighbours, runs over blanks and dashes', () => {
  assert.deepEqual(joinedWords('a-b c'), ['A', 'AB', 'ABC', 'B', 'BC', 'C']);
  assert.deepEqual(runsOf('a-b cd', 3), ['ABC', 'BCD']);
  assert.deepEqual(runsOf('ab', 3), []);
});

/** Characters that are taken for each other. */
const likeness: readonly string[] = ['0OQ', '1IL', '2Z', '5S', '8B', '6G'];

/** The start of a text with so many letters and digits. */
function cut(text: string, signs: number): string {
  return new RegExp(`^(?:[^0-9A-Za-z]*[0-9A-Za-z]){${signs}}`).exec(text)?.[0] ?? text;
}

/** What banks do to a name, by what they are given of chance. */
const habits: Readonly<Record<string, (name: string, chance: () => number) => string>> = {
  nothing: (name) => name,
  'no dash': (name) => name.replaceAll('-', ''),
  'small letters': (name) => name.toLowerCase(),
  'a blank inside': (name, chance) => {
    const at = 1 + Math.floor(chance() * (name.length - 1));
    return `${name.slice(0, at)} ${name.slice(at)}`;
  },
  'a line break inside': (name, chance) => {
    const at = 1 + Math.floor(chance() * (name.length - 1));
    return `${name.slice(0, at)}\n${name.slice(at)}`;
  },
  'letters like digits': (name, chance) =>
    [...name]
      .map((sign) => {
        const like = likeness.find((set) => set.includes(sign)) ?? sign;
        return like.charAt(Math.floor(chance() * like.length));
      })
      .join(''),
  'no leading zeros': (name) => name.replace(/^0+/, ''),
  'cut at the end': (name, chance) => cut(name, 4 + Math.floor(chance() * 4)),
  'cut at the beginning': (name, chance) =>
    name.length > 7 ? name.slice(Math.floor(chance() * 3)) : name,
  'glued before': (name) => `REF${name}`,
  'glued behind': (name) => `${name}INVOICE`,
  'other words': (name) => `/ROC/ACME LTDA ${name} THANKS`,
};

const usd = (amountMinor: bigint) => money(amountMinor, 'USD');
const anyCode = fc.uint8Array({ minLength: 5, maxLength: 5 }).map(consolidatedReferenceOf);
/** Codes of few signs, so that many are alike. */
const alikeCode = fc
  .array(fc.constantFrom(...'0185BS2ZG6'), { minLength: 8, maxLength: 8 })
  .map((signs) => `${signs.slice(0, 4).join('')}-${signs.slice(4).join('')}`);
const numbered = fc.nat({ max: 120 }).map((number) => `PAY${String(number).padStart(7, '0')}`);

test('law: money with a name that banks changed finds its payment or waits, never another one', () => {
  let found = 0;
  let runs = 0;
  for (const names of [anyCode, alikeCode, numbered]) {
    fc.assert(
      fc.property(
        fc.uniqueArray(names, { minLength: 2, maxLength: 12 }),
        fc.array(fc.bigInt({ min: 1n, max: 4n }), { minLength: 12, maxLength: 12 }),
        // In the order of the table: a text that is cut before the name says nothing about it.
        fc.subarray(Object.keys(habits), { minLength: 1, maxLength: 2 }),
        fc.bigInt({ min: 1n, max: 4n }),
        fc.constantFrom('on_ramp_pending', 'expired', 'settled'),
        fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
        (codes, amounts, applied, paid, status, chances) => {
          const chance = () => Number(chances.next().value);
          const candidates = codes.map(
            (name, at): MatchCandidate => ({
              paymentId: name,
              consolidatedReference: null,
              status: at === 0 ? status : 'on_ramp_pending',
              isQuoted: false,
              names: [name],
              sharedName: null,
              externalId: null,
              missing: usd(amounts[at] ?? 1n),
              asked: usd(4n),
            }),
          );
          const [meant = ''] = codes;
          const text = applied.reduce(
            (name, habit) => habits[habit]?.(name, chance) ?? name,
            meant,
          );
          const given = { texts: [text], isFromBefore: false, namesAnother: false };
          const match = matchOf({ ...given, amount: usd(paid) }, candidates);
          runs += 1;
          if (match === null) return;
          assert.equal(match.paymentId, meant, `${meant} printed as ${text}`);
          found += 1;
        },
      ),
      { numRuns: 1_500 },
    );
  }
  assert.ok(found > runs / 4, `${found} of ${runs} were found`);
});
