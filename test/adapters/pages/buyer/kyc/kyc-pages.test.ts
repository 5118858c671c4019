// The pages of the KYC form as HTML: in every language, without what the policy forbids, with words
// and ties that assistive technology needs, and within the budget.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kycPages } from '../../../../../adapters/pages/buyer/kyc-pages.js';
import { countryNames, kycCatalogues } from '../../../../../adapters/pages/kyc/kyc-texts.js';
import { locales } from '../../../../../core/domain/base/locale.js';
import { formFields } from '../../../../../core/domain/hosted/kyc-fields.js';
import { addressFields } from '../../../../../core/domain/hosted/kyc-form.js';
import {
  idDocTypes,
  ownerRoles,
  proofOfAddressDocTypes,
} from '../../../../../core/domain/parties/dossier.js';
import { formsOf, textOf } from '../../visitor.js';
import { htmlOf } from '../page-samples.js';
import { kycSamples } from './kyc-samples.js';

function shown(name: string): string {
  const found = kycSamples.find((sample) => sample.name === `kyc-${name}`);
  return htmlOf(found ?? assert.fail(name), 'en');
}

test('each id is there once, and each label, hint and error is tied to a control', () => {
  for (const sample of kycSamples) {
    const html = htmlOf(sample, 'en');
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, `${sample.name}: ${ids.join(' ')}`);
    const named = [...html.matchAll(/\s(?:for|aria-describedby)="([^"]+)"/g)];
    for (const name of named.flatMap(([, names = '']) => names.split(' '))) {
      assert.ok(ids.includes(name), `${sample.name}: ${name}`);
    }
    for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) {
      assert.ok(ids.includes(target), `${sample.name}: #${target}`);
    }
  }
});

test('every form that a page shows is a row of the table', () => {
  const rows = kycPages.map(({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`));
  for (const sample of kycSamples) {
    for (const { action } of formsOf(htmlOf(sample, 'en'))) {
      const isOthers = /\/(sign-out|simulate)$/.test(action);
      assert.ok(isOthers || rows.some((row) => row.test(action)), `${sample.name}: ${action}`);
    }
  }
});

test('every choice and every field has words in every language', () => {
  for (const locale of locales) {
    const words = kycCatalogues[locale];
    assert.deepEqual(Object.keys(words.fields).toSorted(), Object.keys(formFields).toSorted());
    assert.deepEqual(Object.keys(words.idDocTypes).toSorted(), [...idDocTypes].toSorted());
    assert.deepEqual(Object.keys(words.roles).toSorted(), [...ownerRoles].toSorted());
    assert.deepEqual(
      Object.keys(words.proofTypes).toSorted(),
      [...proofOfAddressDocTypes].toSorted(),
    );
  }
});

test('countries are named and sorted in each language', () => {
  const first = locales.map((locale) => countryNames(locale)[0]?.label);
  assert.deepEqual(first, ['Afghanistan', 'Afeganistão', 'Afganistán']);
  for (const locale of locales) {
    assert.ok(countryNames(locale).every(({ value, label }) => label !== value));
  }
});

test('what an owner was asked for is not on the pages of the person who asked', () => {
  for (const name of ['owners', 'owner-asked', 'documents', 'review']) {
    const html = shown(name);
    assert.ok(!html.includes('owners/1/file'), name);
    assert.ok(!html.includes('idDocFrontFile-1'), name);
  }
  assert.ok(!shown('own-part').includes('Marcus'));
  assert.ok(!shown('own-documents').includes('98-7654321'));
});

test('no page shows a whole tax id', () => {
  for (const sample of kycSamples) {
    assert.doesNotMatch(htmlOf(sample, 'en'), /123-45-6789|98-7654321/, sample.name);
  }
});

test('what is missing is named in words, at its field and in the summary', () => {
  const text = textOf(shown('person-problems'));
  assert.equal(text.match(/Enter the first names\./g)?.length, 2);
  assert.doesNotMatch(text, /This is missing|First names: Enter/);
  assert.match(textOf(shown('type-missing')), /Choose a company or a person\./);
});

test('an identity document is called what it is on every page', () => {
  for (const name of ['documents', 'review']) {
    const html = shown(name);
    assert.match(html, /Passport, page with photo/, name);
    assert.doesNotMatch(html, /Identity document, front/, name);
  }
});

test('who fills in the data of an owner is the first question of its page', () => {
  const html = shown('owner');
  const places = ['Who fills this in?', 'kyc/owners/0/ask"', 'name="firstName"'];
  const found = places.map((place) => html.indexOf(place));
  assert.ok(!found.includes(-1));
  assert.deepEqual(
    found,
    found.toSorted((one, other) => one - other),
  );
});

test('the address of an owner is one block, so that the box can hide it, and no more', () => {
  const [, block = ''] = /<div class="stack own-address">(.*?)<\/form>/s.exec(shown('owner')) ?? [];
  const [address = ''] = block.split('name="idDocType"');
  assert.deepEqual(
    [...address.matchAll(/ name="(\w+)"/g)].map(([, name]) => name),
    addressFields,
  );
});

test('a received file has its state and two actions, the others are not red before they failed', () => {
  const html = shown('phone-uploads');
  assert.match(html, /class="state ok".*<summary>Replace<span class="vh">.*Remove</s);
  const open = /<span class="state (\w+)">(?:<svg.*?<\/svg>)?<span>Missing/gs;
  for (const [, look] of shown('documents').matchAll(open)) assert.equal(look, 'open');
  assert.match(shown('documents'), /class="state bad">.*?Not accepted/s);
});

test('a company without owners is asked for one, and does not go on without', () => {
  const html = shown('owners-none');
  assert.match(textOf(html), /Add at least one person/);
  assert.doesNotMatch(html, /class="btn primary" href/);
  assert.match(shown('owners'), /class="btn primary" href/);
});

test('a country that the integrator named is chosen until the reader chooses', () => {
  const html = shown('person-country');
  assert.match(html, /<option value="DE" selected>/);
  assert.doesNotMatch(shown('person-country-blank'), /<option value="DE" selected>/);
});

test('before the data is sent, the page links to the privacy notice and the terms', () => {
  const html = shown('review-ready');
  const at = html.indexOf('<a href="https://rotanorte.example/privacy">');
  assert.ok(at > 0 && at < html.indexOf('Send for verification'));
});

test('a browser may fill in the data of its reader, and not that of somebody else', () => {
  assert.match(shown('person'), /autocomplete="given-name"/);
  assert.match(shown('person'), /autocomplete="bday-year"/);
  assert.match(shown('own-part'), /autocomplete="address-level1"/);
  assert.doesNotMatch(shown('owner'), /autocomplete="(given-name|bday-day|address-line1)"/);
});

test('an upload accepts what its kind allows, and names formats and size', () => {
  const html = shown('documents');
  assert.match(html, /accept="image\/jpeg,image\/png,application\/pdf"[^>]*Proof of ownership/);
  assert.match(html, /accept="image\/jpeg,image\/png"[^>]*Photo of the face of Marcus Hale/);
  assert.doesNotMatch(html, /capture/);
  assert.match(textOf(html), /JPEG or PNG, up to 3 MB/);
});
