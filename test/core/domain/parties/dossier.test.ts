import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Dossier,
  fileLinks,
  isTierAllowed,
  malformedFields,
  missingFields,
  type Owner,
  ownerRequirements,
  requirements,
} from '../../../../core/domain/parties/dossier.js';

const individual = {
  email: 'ana@example.com',
  firstName: 'Ana',
  lastName: 'Lima',
  dateOfBirth: '1990-02-28',
  idDocCountry: 'BR',
  idDocType: 'PASSPORT',
  selfieFile: 'https://files.example/selfie.jpg',
  idDocFrontFile: 'https://files.example/front.jpg',
} as const satisfies Dossier;

const owner: Owner = {
  role: 'beneficial_owner',
  firstName: 'Bo',
  lastName: 'Ek',
  dateOfBirth: '1980-01-31',
  taxId: '123-45-6789',
  addressLine1: '1 Main St',
  city: 'Austin',
  stateProvinceRegion: 'TX',
  postalCode: '73301',
  country: 'US',
  idDocCountry: 'US',
  idDocType: 'DRIVERS',
  selfieFile: 'https://files.example/bo.jpg',
  idDocFrontFile: 'https://files.example/bo-id.jpg',
  proofOfAddressDocType: 'UTILITY_BILL',
  proofOfAddressDocFile: 'https://files.example/bo-bill.pdf',
};

/** The required fields of each kind of party, and no others. */
const complete = {
  seller: {
    business: { email: 'ana@example.com', legalName: 'Lima Ltda', cnpj: '11.222.333/0001-81' },
    individual,
  },
  buyer: {
    business: {
      legalName: 'Ek Inc.',
      formationDate: '2001-05-09',
      taxId: '12-3456789',
      website: 'https://ek.example',
      country: 'US',
      addressLine1: '1 Main St',
      city: 'Austin',
      stateProvinceRegion: 'TX',
      postalCode: '73301',
      incorporationDocFile: 'https://files.example/inc.pdf',
      proofOfOwnershipDocFile: 'https://files.example/own.pdf',
      owners: [owner],
    },
    individual,
  },
} as const satisfies Record<'seller' | 'buyer', Record<'business' | 'individual', Dossier>>;

const parties = (['seller', 'buyer'] as const).flatMap((role) =>
  (['business', 'individual'] as const).map((entityType) => ({ role, entityType })),
);

test('a seller business gives its e-mail, legal name and company number', () => {
  assert.deepEqual(requirements.seller.business, ['email', 'legalName', 'cnpj']);
});

test('an individual gives the same fields as seller and as buyer', () => {
  assert.deepEqual(requirements.seller.individual, Object.keys(individual));
  assert.deepEqual(requirements.buyer.individual, Object.keys(individual));
});

test('a buyer business gives its registration, address, documents and owners', () => {
  assert.deepEqual(requirements.buyer.business, Object.keys(complete.buyer.business));
  assert.deepEqual(ownerRequirements, Object.keys(owner));
});

test('the required fields suffice, and each absent one is reported missing', () => {
  for (const { role, entityType } of parties) {
    const dossier: Dossier = complete[role][entityType];
    assert.deepEqual(missingFields(role, entityType, dossier), []);
    for (const field of requirements[role][entityType]) {
      for (const absent of [undefined, null]) {
        const given = { ...dossier, [field]: absent };
        assert.deepEqual(missingFields(role, entityType, given), [field], `${role} ${entityType}`);
      }
    }
    assert.deepEqual(missingFields(role, entityType, {}), requirements[role][entityType]);
  }
});

test('a business buyer needs at least one owner, and each owner is checked separately', () => {
  const dossier = complete.buyer.business;
  assert.deepEqual(missingFields('buyer', 'business', { ...dossier, owners: [] }), ['owners']);
  for (const field of ownerRequirements) {
    const owners = [owner, { ...owner, [field]: null }];
    const missing = missingFields('buyer', 'business', { ...dossier, owners });
    assert.deepEqual(missing, [`owners[1].${field}`]);
  }
});

test('owners of those who need none are not looked at', () => {
  const given = { ...complete.seller.business, owners: [{}] };
  assert.deepEqual(missingFields('seller', 'business', given), []);
});

test('a partner may need more, and a field that both need is named once', () => {
  const dossier = complete.seller.business;
  assert.deepEqual(missingFields('seller', 'business', dossier, ['tosId', 'email']), ['tosId']);
  const missing = missingFields('seller', 'business', {}, ['email']);
  assert.deepEqual(missing, requirements.seller.business);
  const given = { ...dossier, owners: [{ ...owner, city: null }] };
  assert.deepEqual(missingFields('seller', 'business', given, ['owners']), ['owners[0].city']);
});

test('the enhanced tier is for individuals', () => {
  assert.equal(isTierAllowed('business', { kycTier: 'enhanced' }), false);
  for (const kycTier of ['standard', null, undefined] as const) {
    assert.equal(isTierAllowed('business', { kycTier }), true);
  }
  for (const kycTier of ['standard', 'enhanced', null] as const) {
    assert.equal(isTierAllowed('individual', { kycTier }), true);
  }
});

test('the documents of a dossier are its own and those of its owners, each with its path', () => {
  assert.deepEqual(fileLinks({ selfieFile: null }), []);
  const links = fileLinks({ ...complete.buyer.business, owners: [{}, owner] });
  assert.deepEqual(
    links.map(({ path, url }) => `${path} ${url}`),
    [
      'incorporationDocFile https://files.example/inc.pdf',
      'proofOfOwnershipDocFile https://files.example/own.pdf',
      'owners[1].selfieFile https://files.example/bo.jpg',
      'owners[1].idDocFrontFile https://files.example/bo-id.jpg',
      'owners[1].proofOfAddressDocFile https://files.example/bo-bill.pdf',
    ],
  );
});

test('blank text is missing, like none', () => {
  for (const blank of ['', ' ', '\t\n']) {
    const missing = missingFields('seller', 'individual', { ...individual, dateOfBirth: blank });
    assert.deepEqual(missing, ['dateOfBirth']);
  }
});

test('what a creation takes as any text has its form when it is submitted', () => {
  const fits: readonly Dossier[] = [
    {},
    { email: null, legalName: null, country: null, taxId: null },
    { email: ' Ana@example.com ', legalName: 'x'.repeat(200), country: 'BR', taxId: '1' },
    { legalName: '😀'.repeat(200), country: 'üé', taxId: 'x'.repeat(64) },
  ];
  for (const dossier of fits) assert.deepEqual(malformedFields(dossier), []);
  const [legalName, taxId] = ['x'.repeat(201), 'x'.repeat(65)];
  assert.deepEqual(malformedFields({ email: 'n/a', legalName, country: 'BRA', taxId }), [
    'email: send an e-mail address',
    'legalName: send text of 1 to 200 characters',
    'country: send text of exactly 2 characters',
    'taxId: send text of 1 to 64 characters',
  ]);
});
