// What may be typed into the fields of the hosted KYC form, and how partners name them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countries, usStates } from '../../../../core/domain/base/countries.js';
import {
  checkField,
  type FormField,
  fieldNamed,
  formFields,
  type Typed,
} from '../../../../core/domain/hosted/kyc-fields.js';
import { anyText } from '../../../support/samples/any-text.js';

/** 2030-01-01T12:00Z */
const NOON_MS = Date.parse('2030-01-01T12:00:00Z');

function date(field: FormField, day: string): Typed {
  const [year, month, of] = day.split('-');
  return { [`${field}Year`]: year, [`${field}Month`]: month, [`${field}Day`]: of };
}

const checks: readonly (readonly [
  FormField,
  Typed,
  string | null | { readonly problem: string },
])[] = [
  ['firstName', { firstName: '  ' }, null],
  ['firstName', {}, null],
  ['firstName', { firstName: ' José María ' }, 'José María'],
  ['firstName', { firstName: '王小明' }, '王小明'],
  ['firstName', { firstName: '😀'.repeat(100) }, '😀'.repeat(100)],
  ['firstName', { firstName: 'a'.repeat(101) }, { problem: 'too_long' }],
  ['firstName', { firstName: 'An\u0000a' }, { problem: 'control_characters' }],
  ['firstName', { firstName: 'An\na' }, { problem: 'control_characters' }],
  ['firstName', { firstName: 'Ana \u202eimiL' }, { problem: 'control_characters' }],
  ['firstName', { firstName: 'Ana \ud800' }, { problem: 'control_characters' }],
  ['phone', { phone: '123' }, { problem: 'not_a_phone' }],
  ['phone', { phone: '0351 912 345 678' }, { problem: 'not_a_phone' }],
  ['phone', { phone: '+49 1' }, { problem: 'not_a_phone' }],
  ['phone', { phone: '+1 (503) 555-0100' }, '+1 (503) 555-0100'],
  ['phone', { phone: '+351 912 345 678' }, '+351 912 345 678'],
  ['phone', { phone: '＋８６ 10 1234 5678' }, '+86 10 1234 5678'],
  ['phone', { phone: '+٩٧١ ٤ ١٢٣ ٤٥٦٧' }, '+971 4 123 4567'],
  ['phone', { phone: '\u202a+971\u00a04\u2013123\u20114567\u202c' }, '+971 4-123-4567'],
  ['phone', { phone: '0055 11 98765-4321' }, '+55 11 98765-4321'],
  ['phone', { phone: '+1234567890123456' }, { problem: 'not_a_phone' }],
  ['taxId', { taxId: '１２-３４５６７８９' }, '12-3456789'],
  ['taxId', { taxId: '१२ ३४५६७८९' }, '12 3456789'],
  ['idDocNumber', { idDocNumber: 'Ｅ１２３\u200e' }, 'E123'],
  ['postalCode', { postalCode: '１００－０００１' }, '100-0001'],
  ['postalCode', { postalCode: '١١٤٣١' }, '11431'],
  ['cnpj', { cnpj: '12.abc.345/01de-35' }, '12ABC34501DE35'],
  ['email', { email: 'ana@müller.example' }, 'ana@xn--mller-kva.example'],
  ['email', { email: 'ana\u200b@b.example' }, { problem: 'not_an_address' }],
  ['email', { email: 'joão@b.example' }, { problem: 'international' }],
  ['dateOfBirth', date('dateOfBirth', '１９９０-１-３１'), '1990-01-31'],
  ['dateOfBirth', date('dateOfBirth', '١٩٩٠-٠١-٣١'), '1990-01-31'],
  ['dateOfBirth', date('dateOfBirth', '१९९०-१-३१'), '1990-01-31'],
  ['formationDate', date('formationDate', '２００１-２\u200f-３'), '2001-02-03'],
  ['taxId', { taxId: '1'.repeat(65) }, { problem: 'too_long' }],
  ['dateOfBirth', date('dateOfBirth', '1990-1-31'), '1990-01-31'],
  ['dateOfBirth', date('dateOfBirth', '--'), null],
  ['dateOfBirth', date('dateOfBirth', '1990-2-29'), { problem: 'no_such_date' }],
  ['dateOfBirth', date('dateOfBirth', '1992-2-29'), '1992-02-29'],
  ['dateOfBirth', date('dateOfBirth', '90-2-1'), { problem: 'no_such_date' }],
  ['dateOfBirth', date('dateOfBirth', '1990--1'), { problem: 'no_such_date' }],
  ['dateOfBirth', date('dateOfBirth', '1990-13-1'), { problem: 'no_such_date' }],
  ['dateOfBirth', date('dateOfBirth', '2012-01-02'), '2012-01-02'],
  ['dateOfBirth', date('dateOfBirth', '2012-01-03'), { problem: 'too_young' }],
  ['dateOfBirth', date('dateOfBirth', '1909-12-31'), { problem: 'too_old' }],
  ['dateOfBirth', date('dateOfBirth', '2031-01-01'), { problem: 'in_the_future' }],
  ['formationDate', date('formationDate', '2030-01-02'), '2030-01-02'],
  ['formationDate', date('formationDate', '2030-01-03'), { problem: 'in_the_future' }],
  ['formationDate', date('formationDate', '1650-01-01'), '1650-01-01'],
  ['website', { website: 'acme.example' }, 'https://acme.example'],
  ['website', { website: 'http://acme.example/about' }, 'http://acme.example/about'],
  ['website', { website: 'ftp://acme.example' }, { problem: 'not_a_website' }],
  ['website', { website: 'javascript:alert(1)' }, { problem: 'not_a_website' }],
  ['website', { website: 'localhost' }, { problem: 'not_a_website' }],
  ['website', { website: 'https://u:p@acme.example' }, { problem: 'not_a_website' }],
  ['website', { website: 'none' }, { problem: 'not_a_website' }],
  ['country', { country: 'DE' }, 'DE'],
  ['country', { country: 'de' }, { problem: 'not_offered' }],
  ['country', { country: 'XX' }, { problem: 'not_offered' }],
  ['stateProvinceRegion', { country: 'US', stateProvinceRegion: 'tx' }, 'TX'],
  [
    'stateProvinceRegion',
    { country: 'US', stateProvinceRegion: 'Texas' },
    { problem: 'not_a_state' },
  ],
  ['stateProvinceRegion', { country: 'DE', stateProvinceRegion: 'Bayern' }, 'Bayern'],
  ['idDocType', { idDocType: 'PASSPORT' }, 'PASSPORT'],
  ['idDocType', { idDocType: 'LIBRARY_CARD' }, { problem: 'not_offered' }],
  ['selfieFile', { selfieFile: 'https://files.example/a.jpg' }, { problem: 'not_offered' }],
  ['tosId', { tosId: 'tos_1' }, { problem: 'not_offered' }],
];

test('a typed value is taken as its field says, or has a problem', () => {
  for (const [field, typed, expected] of checks) {
    const isValue = expected === null || typeof expected === 'string';
    const wanted = isValue ? { value: expected } : expected;
    assert.deepEqual(
      checkField(field, typed, NOON_MS),
      wanted,
      `${field} ${JSON.stringify(typed)}`,
    );
  }
});

test('law: any text is a value or a problem, and a date that is taken exists', () => {
  const texts = fc.record({ a: anyText, b: fc.string(), c: fc.string() });
  const fields = fc.constantFrom(...(Object.keys(formFields) as FormField[]));
  fc.assert(
    fc.property(fields, texts, (field, { a, b, c }) => {
      const typed = { [field]: a, [`${field}Year`]: a, [`${field}Month`]: b, [`${field}Day`]: c };
      const checked = checkField(field, typed, NOON_MS);
      assert.ok('problem' in checked || checked.value === null || checked.value.length > 0);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1900, max: 2011 }), fc.nat(40), fc.nat(40), (y, m, d) => {
      const checked = checkField('formationDate', date('formationDate', `${y}-${m}-${d}`), NOON_MS);
      if (!('value' in checked) || checked.value === null) return;
      const day = new Date(`${checked.value}T00:00:00Z`);
      assert.deepEqual([day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()], [y, m, d]);
    }),
  );
});

test('partners’ names of fields lead to the field and the position of the owner', () => {
  for (const [path, field, position] of [
    ['firstName', 'firstName', null],
    ['first_name', 'firstName', null],
    ['owners[2].taxId', 'taxId', 2],
    ['owners.0.id_doc_front_file', 'idDocFrontFile', 0],
    ['owners[1].id_doc_front', 'idDocFrontFile', 1],
    ['selfie', 'selfieFile', null],
    ['proof_of_address', 'proofOfAddressDocFile', null],
    ['proof_of_address_doc_type', 'proofOfAddressDocType', null],
    ['state_province_region', 'stateProvinceRegion', null],
    ['tos_id', 'tosId', null],
    ['owners', 'owners', null],
  ] as const) {
    assert.deepEqual(fieldNamed(path), { field, position }, path);
  }
  for (const path of ['', 'duplicate', 'email', 'owners[x].taxId', 'a b', '__proto__']) {
    assert.equal(fieldNamed(path), null, path);
  }
});

test('countries and states are two letters each, in order and once', () => {
  for (const [codes, count] of [
    [countries, 249],
    [usStates, 56],
  ] as const) {
    assert.equal(new Set(codes).size, count);
    assert.deepEqual(codes, codes.toSorted());
    assert.ok(codes.every((code) => /^[A-Z]{2}$/.test(code)));
  }
});
