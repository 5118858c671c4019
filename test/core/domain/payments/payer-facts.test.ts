import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isNameOf,
  type PayerFacts,
  payerAgreement,
  payerText,
  senderNamesOf,
  senderOf,
  shownPayer,
  verifiedPayer,
  withTold,
  withVerified,
} from '../../../../core/domain/payments/payer-facts.js';
import { valuesOf } from '../../../support/values-of.js';

const bank = (name: string | null, of: string | null = null) => {
  return { name, bank: of, texts: ['INV 7'], trace: '9' };
};

const prints: readonly (readonly [verified: string, printed: string, agrees: boolean])[] = [
  ['Acme Imports, Inc.', 'ACME IMPORTS INC', true],
  ['Acme Imports, Inc.', 'ACME IMPORTS', true],
  ['Acme Imports, Inc.', 'ACMEIMPORTS', true],
  ['Acme Imports, Inc.', 'IMPORTS ACME INCORPORATED', true],
  ['Acme International Trading Company Ltd', 'ACME INTERNATIONAL TRADI', true],
  ['Globaltechnologies GmbH', 'GLOBALTECHNOLOG', true],
  ['Müller & Söhne GmbH', 'MUELLER UND SOEHNE', true],
  ['Łódź Ørsted S.A.', 'LODZ ORSTED SA', true],
  ["Seán O'Brien", 'OBRIEN SEAN', true],
  ['John Smith', 'J SMITH', true],
  ['Maria da Silva Santos', 'MARIA SANTOS', true],
  ['Ltd', 'LTD', true],
  ['株式会社サンプル', '株式会社サンプル', true],
  ['Acme Imports, Inc.', 'ACME', false],
  ['Acme Imports, Inc.', 'ACME EXPORTS INC', false],
  ['Acme Imports, Inc.', 'ACME IMPORTS HOLDING INC', false],
  ['Acme Imports, Inc.', 'A I', false],
  ['Maria Silva', 'JOAO SILVA', false],
  ['Ann Lee', 'ANN ANN', false],
  ['株式会社サンプル', 'KABUSHIKI SAMPLE', false],
  ['Acme', '...', false],
  ['', '', false],
];

for (const [verified, printed, agrees] of prints) {
  test(`${printed || 'nothing'} is ${agrees ? '' : 'not '}a printing of ${verified}`, () => {
    assert.equal(isNameOf(verified, printed), agrees);
  });
}

test('both agree if each bank wrote the verified name, and nothing told is no disagreement', () => {
  const verified = withVerified(null, { name: 'Acme Inc', country: 'US' });
  const told = (facts: PayerFacts | null, name: string | null) =>
    withTold(facts, 'cmd_1', bank(name));
  assert.deepEqual(
    [
      null,
      verified,
      told(null, 'ACME'),
      told(verified, null),
      told(verified, 'ACME'),
      told(told(verified, 'ACME'), 'OTHER LTD'),
    ].map(payerAgreement),
    ['not_told', 'not_told', 'not_told', 'not_told', 'agrees', 'differs'],
  );
});

test('what a bank repeats of a pay-in is kept once, and a report without a name changes nothing', () => {
  const once = withTold(null, 'cmd_1', bank('ACME', 'Bank A'));
  assert.equal(withTold(once, 'cmd_1', bank(' ACME ', 'Bank A')), once);
  assert.equal(withTold(once, 'cmd_1', bank(' - ')), once);
  assert.equal(withTold(once, 'cmd_1', null), once);
  const of = withTold(once, 'cmd_2', bank('ACME', 'Bank A'));
  assert.deepEqual(valuesOf(of?.told ?? [], 'payinId'), ['cmd_1', 'cmd_2']);
  assert.ok(of !== null);
  assert.deepEqual(shownPayer(of).told, [{ name: 'ACME', bank: 'Bank A' }]);
  assert.deepEqual([senderOf(of, 'cmd_2')?.name, senderOf(of, 'cmd_3')], ['ACME', null]);
  const twice = withTold(once, 'cmd_1', bank('ACME', 'Bank B'));
  assert.deepEqual([twice?.told.length, senderNamesOf(twice)], [2, ['ACME']]);
  const many = Array.from({ length: 30 }, (_, at) => at).reduce<PayerFacts | null>(
    (facts, at) => withTold(facts, 'cmd_1', bank(`PAYER ${at}`)),
    null,
  );
  assert.equal(many?.told.length, 10);
});

test('the text of a bank is one line, and no longer than a statement has', () => {
  const facts = withTold(null, 'cmd_1', bank(`=1+1\r\nName\u202e ${'X'.repeat(500)}`, 'Bank\nB'));
  const [told] = facts?.told ?? [];
  assert.match(told?.name ?? '', /^=1\+1 Name X+$/);
  assert.deepEqual([told?.name.length, told?.bank], [140, 'Bank B']);
  const letters = verifiedPayer(`A${'𠮷'.repeat(500)}`, null)?.name ?? '';
  assert.deepEqual([[...letters].length, letters.isWellFormed()], [140, true]);
});

test('who is verified has a name, and a country in capitals', () => {
  assert.equal(verifiedPayer(' ', 'US'), null);
  assert.deepEqual(verifiedPayer('Acme\nInc ', 'us'), { name: 'Acme Inc', country: 'US' });
  const facts = withTold(
    withVerified(null, { name: 'Acme', country: null }),
    'cmd_1',
    bank('OTHER'),
  );
  assert.ok(facts !== null);
  assert.equal(
    payerText(shownPayer(facts)),
    'Acme; by bank OTHER: a bank wrote another name than the verified one',
  );
});
