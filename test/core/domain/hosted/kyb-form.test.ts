// The page of an organization's KYB details: which fields it asks for, and what it takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkKyb, kybFields, requiredElsewhere } from '../../../../core/domain/hosted/kyb-form.js';
import type { Dossier } from '../../../../core/domain/parties/dossier.js';
import { valuesOf } from '../../../support/values-of.js';

const NOW_MS = Date.UTC(2030, 0, 1);
const strict: readonly (keyof Dossier)[] = [
  'tosId',
  'email',
  'country',
  'addressLine1',
  'website',
  'owners',
  'incorporationDocFile',
];

test('the page asks for what the dossier or the partner requires in texts', () => {
  assert.deepEqual(valuesOf(kybFields([]), 'field'), ['legalName', 'cnpj']);
  assert.deepEqual(
    kybFields(strict).map(({ field, isRequired }) => `${field}${isRequired ? '' : '?'}`),
    ['legalName', 'cnpj', 'website', 'country', 'addressLine1', 'addressLine2?'],
  );
});

test('owners and documents are named as required elsewhere; terms and e-mail are not', () => {
  assert.deepEqual(requiredElsewhere([]), []);
  assert.deepEqual(requiredElsewhere(strict), ['owners', 'incorporationDocFile']);
});

test('a CNPJ has valid check digits, letters included, with or without punctuation', () => {
  for (const cnpj of ['11.222.333/0001-81', '11222333000181', '12.ABC.345/01DE-35']) {
    const { dossier, problems } = checkKyb([], { legalName: 'Acme', cnpj }, NOW_MS);
    assert.deepEqual([dossier, problems], [{ legalName: 'Acme', cnpj }, {}]);
  }
  for (const cnpj of ['11.222.333/0001-82', '11222333', 'x'.repeat(14), '11111111111111']) {
    const { dossier, problems } = checkKyb([], { legalName: 'Acme', cnpj }, NOW_MS);
    assert.deepEqual([dossier, problems], [{ legalName: 'Acme' }, { cnpj: 'not_a_cnpj' }]);
  }
});

test('what is required and blank is missing; what the page does not ask for is not taken', () => {
  const typed = {
    legalName: ' ',
    cnpj: '',
    email: 'x@y.example',
    kycTier: 'enhanced',
    owners: '1',
  };
  const { dossier, problems } = checkKyb(strict, typed, NOW_MS);
  assert.deepEqual(dossier, {});
  assert.deepEqual(problems, {
    legalName: 'missing',
    cnpj: 'missing',
    website: 'missing',
    country: 'missing',
    addressLine1: 'missing',
  });
});
