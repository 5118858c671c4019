import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type PayinInstructions,
  railsFrom,
  readPayinInstructions,
  type TransferMethod,
  writePayinInstructions,
} from '../../../../core/domain/payments/payin-instructions.js';
import { sampleInstructions } from '../../../support/samples/payin-samples.js';

const bare = sampleInstructions({ reference: null, referenceRequired: false, payByMs: null });

test('instructions are read as they were written, amounts exactly', () => {
  for (const instructions of [sampleInstructions(), bare]) {
    assert.deepEqual(readPayinInstructions(writePayinInstructions(instructions)), instructions);
  }
});

test('equal instructions have the same text, in any order of properties', () => {
  const { amount, rails, ...rest } = sampleInstructions();
  const { currency, amountMinor } = amount;
  const other = { ...rest, amount: { currency, amountMinor }, rails };
  assert.equal(writePayinInstructions(other), writePayinInstructions(sampleInstructions()));
});

const [rail] = bare.rails;
const broken: Readonly<Record<string, object>> = {
  'no rail': { rails: [] },
  'an unknown rail': { rails: [{ ...rail, rail: 'cash' }] },
  'a rail without fields': { rails: [{ ...rail, fields: [] }] },
  'an unknown field': { rails: [{ ...rail, fields: [{ name: 'pin', value: '1' }] }] },
  'an empty field': { rails: [{ ...rail, fields: [{ name: 'iban', value: ' ' }] }] },
  'a field with NUL': { rails: [{ ...rail, fields: [{ name: 'iban', value: 'DE\0' }] }] },
  'days in the wrong order': { rails: [{ ...rail, arrivesWithinDays: { from: 2, to: 1 } }] },
  'an amount of nothing': { amount: { amountMinor: 0n, currency: 'EUR' } },
  'no currency': { amount: { amountMinor: 1n, currency: '' } },
  'an empty reference': { reference: '' },
  'a required reference that is missing': { reference: null, referenceRequired: true },
  'an unknown holder': { holder: 'bank' },
  'a time that is no whole number': { payByMs: 1.5 },
};

for (const [name, fields] of Object.entries(broken)) {
  test(`instructions are not stored with ${name}`, () => {
    const given = { ...bare, ...fields } as PayinInstructions;
    assert.throws(() => writePayinInstructions(given), { name: 'AssertionFailure' });
  });
}

test('rails of the country of the buyer come first, then those that reach every country', () => {
  const [first] = bare.rails;
  const order = (rails: readonly TransferMethod[], country: string | null) => {
    const instructions = { ...bare, rails: rails.map((rail) => ({ ...first!, rail })) };
    return railsFrom(instructions, country).map(({ rail }) => rail);
  };
  const given = ['ach', 'wire', 'swift'] as const;
  assert.deepEqual(order(given, 'US'), given);
  assert.deepEqual(order(given, 'DE'), ['swift', 'ach', 'wire']);
  assert.deepEqual(order(given, null), given);
  assert.deepEqual(order(['swift', 'sepa'], 'DE'), ['sepa', 'swift']);
  assert.deepEqual(order(['fps', 'swift', 'sepa'], 'GB'), ['fps', 'sepa', 'swift']);
  assert.deepEqual(order(['pix', 'swift'], 'BR'), ['pix', 'swift']);
});
