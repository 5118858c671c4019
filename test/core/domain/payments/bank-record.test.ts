// Bank details: one text for one set of details, codes that people can type, and accounts that are
// found however they are written.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  accountsIn,
  bankDetailsRecord,
  canonicalJson,
  checkCodeOf,
  numberHashOf,
  readCode,
  shortIdOf,
} from '../../../../core/domain/payments/bank-record.js';
import type {
  InstructionField,
  PayinInstructions,
} from '../../../../core/domain/payments/payin-instructions.js';
import { aPayment, T0 } from '../../../support/samples/domain-samples.js';
import { sampleInstructions } from '../../../support/samples/payin-samples.js';

type Fields = Partial<Record<InstructionField, string>>;

function paying(...rails: readonly Fields[]): PayinInstructions {
  return {
    ...sampleInstructions(),
    rails: rails.map((given) => ({
      rail: 'wire',
      fields: Object.entries(given).map(([name, value]) => ({
        name: name as InstructionField,
        value,
      })),
      arrivesWithinDays: null,
    })),
  };
}

const payment = aPayment({ publicId: 'page-1', payeeName: 'Ana Ltda' });

test('the record is canonical JSON of page, payee, account, amount, reference and time', () => {
  const given = { ...paying({ accountNumber: '12', routingNumber: '3' }), reference: '48120937' };
  const record = bankDetailsRecord(payment, given, T0);
  const { amountMinor, currency } = given.amount;
  assert.deepEqual(JSON.parse(record), {
    v: 1,
    publicId: 'page-1',
    payee: 'Ana Ltda',
    rails: [
      {
        rail: 'wire',
        fields: [
          { name: 'accountNumber', value: '12' },
          { name: 'routingNumber', value: '3' },
        ],
      },
    ],
    amount: `${amountMinor / 100n}.${`${amountMinor % 100n}`.padStart(2, '0')}`,
    currency,
    reference: '48120937',
    issuedAt: new Date(T0).toISOString(),
  });
  assert.equal(record, canonicalJson(JSON.parse(record)));
  assert.match(record, /^\{"amount":"[^ ]*","issuedAt":/);
});

test('another payee, page, field, reference, amount or time gives another code', () => {
  const given = paying({ accountNumber: '12', routingNumber: '3' });
  const codes = [
    bankDetailsRecord(payment, given, T0),
    bankDetailsRecord({ ...payment, payeeName: 'Bo Ltda' }, given, T0),
    bankDetailsRecord({ ...payment, payeeName: null }, given, T0),
    bankDetailsRecord({ ...payment, publicId: 'page-2' }, given, T0),
    bankDetailsRecord(payment, paying({ accountNumber: '13', routingNumber: '3' }), T0),
    bankDetailsRecord(payment, paying({ iban: '12', routingNumber: '3' }), T0),
    bankDetailsRecord(payment, { ...given, reference: 'other' }, T0),
    bankDetailsRecord(
      payment,
      { ...given, amount: { ...given.amount, amountMinor: given.amount.amountMinor + 1n } },
      T0,
    ),
    bankDetailsRecord(payment, given, T0 + 1),
  ].map(checkCodeOf);
  assert.equal(new Set(codes).size, codes.length);
});

test('canonical JSON does not depend on the order of names', () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')),
    ),
  })).value as fc.Arbitrary<Parameters<typeof canonicalJson>[0]>;
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), json), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).toReversed());
      assert.equal(canonicalJson(value), canonicalJson(reversed));
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('a code is the first 40 bits of SHA-256 in Crockford base32', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const code = checkCodeOf(text);
      assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
      const bits = [...code.replace('-', '')].reduce(
        (sum, letter) => sum * 32n + BigInt('0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(letter)),
        0n,
      );
      const digest = createHash('sha256').update(text).digest('hex');
      assert.equal(bits, BigInt(`0x${digest.slice(0, 10)}`));
    }),
  );
  assert.notEqual(shortIdOf('page-1'), checkCodeOf('page-1'));
});

test('a typed code may lack the dash, be in lower case, and have O, I and L for 0 and 1', () => {
  for (const typed of [
    '7KQ4-M2XD',
    '7kq4m2xd',
    ' 7KQ4 M2XD ',
    '7K-Q4-M2-XD',
    '７ＫＱ４－Ｍ２ＸＤ',
    '7KQ4\u2013M2XD',
    '\u200e7KQ4\u2011M\u0662XD',
  ]) {
    assert.equal(readCode(typed), '7KQ4-M2XD', typed);
  }
  assert.equal(readCode('oil0-1iLO'), '0110-1110');
  for (const wrong of ['', '7KQ4-M2X', '7KQ4-M2XDD', '7KQ4-M2XU', '7KQ4_M2XD', '7KQ4-M2X\u00b2']) {
    assert.equal(readCode(wrong), null, wrong);
  }
});

test('a number is found however it is spaced; a text without one is none', () => {
  const [account] = accountsIn(paying({ iban: 'DE89 3704 0044 0532 0130 00' }));
  for (const typed of ['DE89370400440532013000', 'de89-3704-0044-0532-0130-00', ' DE89.3704 ']) {
    const isWhole = typed.length > 20;
    assert.equal(numberHashOf(typed) === account?.numberHash, isWhole, typed);
  }
  const fullWidth = numberHashOf('ＤＥ８９\u00a03704\u00a00044\u00a00532\u00a00130\u00a000');
  assert.equal(fullWidth, account?.numberHash);
  for (const wrong of ['', ' ', '--']) assert.equal(numberHashOf(wrong), null);
});

test('an account is its number with its bank; the same one of several rails counts once', () => {
  const hashOf = (fields: Fields) => accountsIn(paying(fields))[0]?.accountHash;
  const one = hashOf({ accountNumber: '000-12', routingNumber: '110 000' });
  assert.equal(hashOf({ accountNumber: '00012', routingNumber: '110000', bank: 'B' }), one);
  assert.notEqual(hashOf({ accountNumber: '00012', routingNumber: '110001' }), one);
  assert.notEqual(hashOf({ accountNumber: '00012' }), one);
  assert.notEqual(hashOf({ accountNumber: '12', routingNumber: '110000' }), one);
  const same = { accountNumber: '1', routingNumber: '2' };
  assert.equal(accountsIn(paying(same, same, { ...same, bic: 'B' })).length, 1);
  assert.equal(accountsIn(paying(same, { accountNumber: '1', bic: 'B' })).length, 2);
  assert.deepEqual(accountsIn(paying({ bank: 'B', code: '04-00-04' })), []);
});
