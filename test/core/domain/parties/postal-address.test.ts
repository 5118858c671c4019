import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countries } from '../../../../core/domain/base/countries.js';
import { missingFields, partnerDossier } from '../../../../core/domain/parties/dossier.js';
import { lacksPart, wholeAddress } from '../../../../core/domain/parties/postal-address.js';
import { acme } from '../../../support/samples/dossiers.js';

// Formats of libaddressinput: `%Z` is the postal code, `%S` the state.
const parts: Readonly<Record<string, readonly [postalCode: boolean, region: boolean]>> = {
  AE: [false, true],
  AO: [false, true],
  BS: [false, true],
  HK: [false, false],
  MO: [false, false],
  QA: [false, true],
  ZW: [false, true],
  SG: [true, false],
  MC: [true, false],
  GI: [true, false],
  JE: [true, false],
  BR: [true, true],
  US: [true, true],
  PR: [true, true],
  DE: [true, true],
  GB: [true, true],
  IE: [true, true],
  IN: [true, true],
  JP: [true, true],
};

test('a country has postal codes and states, or not, as its post says', () => {
  for (const [country, [postalCode, region]] of Object.entries(parts)) {
    assert.equal(lacksPart('postalCode', country), !postalCode, country);
    assert.equal(lacksPart('stateProvinceRegion', country), !region, country);
    assert.equal(lacksPart('city', country), false, country);
  }
  for (const unknown of ['', 'XX', null, undefined]) {
    assert.equal(lacksPart('postalCode', unknown), false);
  }
});

test('a partner gets a value for each part, of the party and of its owners, and no typed one is lost', () => {
  for (const country of countries) {
    const blank = { country, city: 'City', postalCode: ' ', stateProvinceRegion: null };
    const whole = wholeAddress(blank);
    assert.equal(whole.postalCode, lacksPart('postalCode', country) ? '00000' : ' ', country);
    const region = lacksPart('stateProvinceRegion', country) ? 'City' : null;
    assert.equal(whole.stateProvinceRegion, region, country);
    const typed = { country, city: 'City', postalCode: 'A1', stateProvinceRegion: 'S' };
    assert.equal(wholeAddress(typed), typed);
  }
  const [owner] = acme.owners ?? [];
  const away = { country: 'HK', city: 'Hong Kong', postalCode: null, stateProvinceRegion: '' };
  const dossier = { ...acme, ...away, owners: [{ ...owner, ...away }] };
  assert.deepEqual(missingFields('buyer', 'business', dossier), []);
  const sent = partnerDossier(dossier);
  for (const party of [sent, sent.owners?.[0]]) {
    assert.equal(party?.postalCode, '00000');
    assert.equal(party?.stateProvinceRegion, 'Hong Kong');
  }
});
