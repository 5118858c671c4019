// The bank details of fake pay-ins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instructionsOf } from '../../../adapters/partner/fake-instructions.js';
import { fakeCurrencies } from '../../../adapters/partner/fake-quote.js';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import { money } from '../../../core/domain/base/money.js';
import {
  type InstructionField,
  readPayinInstructions,
  writePayinInstructions,
} from '../../../core/domain/payments/payin-instructions.js';

function detailsIn(currency: string, partnerRef = 'payin_1') {
  const amount = money(25_000n, currency);
  return instructionsOf({ partnerRef, amount, preparedAtMs: 1_000 });
}

const fieldsOf: Readonly<Record<string, readonly (readonly [string, InstructionField])[]>> = {
  USD: [
    ['ach', 'routingNumber'],
    ['wire', 'routingNumber'],
    ['swift', 'bic'],
  ],
  EUR: [['sepa', 'iban']],
  GBP: [['fps', 'code']],
};

test('each currency has its rails, with beneficiary, account, bank and addresses', () => {
  assert.deepEqual(Object.keys(fieldsOf), fakeCurrencies);
  for (const [currency, expected] of Object.entries(fieldsOf)) {
    const { rails } = detailsIn(currency);
    assert.deepEqual(
      rails.map(({ rail }) => rail),
      expected.map(([rail]) => rail),
    );
    for (const [at, { fields }] of rails.entries()) {
      const names = fields.map(({ name }) => name);
      for (const name of ['beneficiary', 'beneficiaryAddress', 'bank', 'bankAddress'] as const) {
        assert.ok(names.includes(name), `${currency} ${name}`);
      }
      assert.ok(names.includes('iban') || names.includes('accountNumber'));
      assert.ok(names.includes(expected[at]?.[1] ?? 'code'));
    }
  }
});

test('the details of one transaction stay the same, and two transactions have different accounts', () => {
  for (const currency of fakeCurrencies) {
    assert.deepEqual(detailsIn(currency), detailsIn(currency));
    const [one, other] = [detailsIn(currency, 'a'), detailsIn(currency, 'b')];
    assert.notEqual(one.reference, other.reference);
    assert.notDeepEqual(one.rails, other.rails);
  }
});

test('an IBAN has the check digits of ISO 13616', () => {
  for (let order = 0; order < 200; order += 1) {
    const { rails } = detailsIn('EUR', `payin_${order}`);
    const iban = rails[0]?.fields.find(({ name }) => name === 'iban')?.value ?? '';
    assert.match(iban, /^DE[0-9]{20}$/);
    assert.equal(BigInt(`${iban.slice(4)}1314${iban.slice(2, 4)}`) % 97n, 1n, iban);
  }
});

test('the account is in the name of the partner, so the reference is required; a week to pay', () => {
  const { holder, referenceRequired, reference, payByMs } = detailsIn('USD');
  assert.deepEqual([holder, referenceRequired], ['partner', true]);
  assert.match(reference ?? '', /^[0-9]{8}$/);
  assert.equal(payByMs, 1_000 + 7 * DAY_MS);
});

test('they can be stored', () => {
  for (const currency of fakeCurrencies) {
    const details = detailsIn(currency);
    assert.deepEqual(readPayinInstructions(writePayinInstructions(details)), details);
  }
});
