// The steps of the hosted KYC form, the fields of each page, and the state of each step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  emptyDraft,
  type KycDraft,
  readDraftText,
  shownDraft,
  withDossier,
  withHint,
  withNewAsked,
  writeDraft,
} from '../../../../core/domain/hosted/kyc-draft.js';
import type { Typed } from '../../../../core/domain/hosted/kyc-fields.js';
import {
  askedFiles,
  checkPage,
  type FormFacts,
  fieldsFor,
  type KycPage,
  kycFieldsOf,
  kycPageOf,
  kycSteps,
  kycStepsOf,
  missingIn,
  nextKycStep,
  ONE_NAME,
  openOf,
  ownerPages,
  placeCorrections,
  SAME_ADDRESS,
  sentDossier,
  stepViews,
} from '../../../../core/domain/hosted/kyc-form.js';
import {
  type Dossier,
  type Owner,
  ownerRequirements,
  requirements,
} from '../../../../core/domain/parties/dossier.js';
import { acme, ana } from '../../../support/samples/dossiers.js';
import { valuesOf } from '../../../support/values-of.js';

const email = 'a@b.example';

function facts(changes: Partial<KycDraft>, extra: readonly (keyof Dossier)[] = []): FormFacts {
  const draft = withDossier(emptyDraft, changes);
  return { draft, role: 'buyer', extra, email, due: null, corrections: [] };
}

const person = facts({ entityType: 'individual', dossier: ana });
const company = facts({ entityType: 'business', dossier: acme });

test('steps follow from the type, and from what the partner requires', () => {
  const cases: readonly (readonly [FormFacts, string])[] = [
    [facts({}), 'type'],
    [person, 'type person documents review'],
    [
      facts({ entityType: 'individual' }, ['country', 'tosId']),
      'type person address documents terms review',
    ],
    [company, 'type company address owners documents review'],
    [
      facts({ entityType: 'business' }, ['tosId']),
      'type company address owners documents terms review',
    ],
  ];
  for (const [form, steps] of cases) assert.equal(kycStepsOf(form).join(' '), steps);
});

/** Names of the fields of a page; `?` after those that may stay blank. */
function namesOn(form: FormFacts, page: KycPage, owner: number | null = null): string {
  const fields = kycFieldsOf(form, page, owner);
  return fields.map(({ field, isRequired }) => `${field}${isRequired ? '' : '?'}`).join(' ');
}

test('a page asks for what is required, and for a few fields that may stay blank', () => {
  assert.equal(
    namesOn(person, 'person'),
    'firstName lastName dateOfBirth phone? idDocType idDocCountry',
  );
  assert.equal(namesOn(company, 'company'), 'legalName taxId formationDate website');
  assert.equal(
    namesOn(company, 'address'),
    'country addressLine1 addressLine2? city stateProvinceRegion postalCode',
  );
  const withPhone = facts({ entityType: 'business' }, ['phone']);
  assert.equal(namesOn(withPhone, 'company'), 'legalName taxId formationDate website phone');
  assert.equal(namesOn(company, 'documents', 0), 'idDocFrontFile selfieFile proofOfAddressDocFile');
});

test('every field that is required for a buyer is asked on one page', () => {
  for (const form of [person, company]) {
    const type = form.draft.entityType ?? 'business';
    for (const field of requirements.buyer[type]) {
      if (field === 'email') continue;
      const steps = kycStepsOf(form).filter((step) =>
        kycFieldsOf(form, step).some((of) => of.field === field),
      );
      assert.equal(steps.length, 1, `${type} ${field}`);
      assert.equal(kycPageOf(form, { field, owner: null }), steps[0]);
    }
  }
  for (const field of ownerRequirements) {
    const page = kycPageOf(company, { field, owner: 0 });
    const pages = [...ownerPages, 'documents'] as const;
    assert.deepEqual(
      pages.filter((one) => kycFieldsOf(company, one, 0).some((of) => of.field === field)),
      [page],
      field,
    );
  }
});

test('the kind of a tax number is asked, and kept, of owners who live where there are several', () => {
  for (const [country, isAsked] of [
    ['US', true],
    ['SE', false],
    [undefined, false],
  ] as const) {
    const owners = acme.owners.map((owner) => ({ ...owner, country }) as Owner);
    const form = facts({ entityType: 'business', dossier: { ...acme, owners } });
    const fields = kycFieldsOf(form, 'owner_papers', 0).map(({ field }) => field);
    assert.equal(fields.includes('taxType'), isAsked, country);
  }
  const owners = acme.owners.map((owner) => ({ ...owner, country: 'US', taxType: 'SSN' }) as Owner);
  const form = facts({ entityType: 'business', dossier: { ...acme, owners } });
  const kept = ['US', 'SE'].map((country) => {
    const about = { page: 'owner', owner: 0, author: 'buyer' } as const;
    return checkPage(form, about, { country }, 0).values['taxType'];
  });
  assert.deepEqual(kept, [undefined, null]);
});

test('the back of a document is asked for cards, not for a passport', () => {
  for (const [idDocType, asked] of [
    ['PASSPORT', false],
    ['ID_CARD', true],
    ['DRIVERS', true],
  ] as const) {
    const form = facts({ entityType: 'individual', dossier: { ...ana, idDocType } });
    assert.equal(
      askedFiles(form).some(({ field }) => field === 'idDocBackFile'),
      asked,
      idDocType,
    );
  }
});

test('what is missing is named by its place', () => {
  const { website: _, ...without } = acme;
  const [owner] = acme.owners;
  const dossier = { ...without, owners: [owner, { ...owner, taxId: null, selfieFile: null }] };
  const form = facts({ entityType: 'business', dossier });
  assert.deepEqual(missingIn(form), [
    { field: 'website', owner: null },
    { field: 'taxId', owner: 1 },
    { field: 'selfieFile', owner: 1 },
  ]);
  const states = stepViews(form).map(({ step, state }) => `${step} ${state}`);
  assert.deepEqual(states, [
    'type done',
    'company open',
    'address done',
    'owners open',
    'documents open',
    'review open',
  ]);
  assert.equal(nextKycStep(stepViews(form)), 'company');
  assert.equal(nextKycStep(stepViews(form), 'company'), 'owners');
  assert.equal(nextKycStep(stepViews(form), 'documents'), 'review');
});

test('what an owner was asked for is waited for, and is not the buyer’s to do', () => {
  const dossier = { ...acme, owners: [{ role: 'beneficial_owner', firstName: 'Bo' }] } as const;
  const { draft } = facts({ entityType: 'business', dossier });
  const asked = { owner: 0, email, askedAtMs: 1 };
  const form = { ...company, draft: withNewAsked(draft, asked) };
  const states = stepViews(form).map(({ step, state }) => `${step} ${state}`);
  assert.deepEqual(states, [
    'type done',
    'company done',
    'address done',
    'owners waiting',
    'documents waiting',
    'review open',
  ]);
  assert.deepEqual(valuesOf(fieldsFor(form, 'owner', 0, 'buyer'), 'field'), [
    'role',
    'firstName',
    'lastName',
  ]);
  assert.ok(fieldsFor(form, 'owner', 0, 'owner').every(({ field }) => field !== 'role'));
  assert.deepEqual(fieldsFor(form, 'documents', 0, 'buyer'), []);
});

test('an owner who was asked can finish without the role, which stays the buyer’s to add', () => {
  const [bo] = acme.owners ?? [];
  const dossier = { ...acme, owners: [{ ...bo, role: null }] } as const;
  const { draft } = facts({ entityType: 'business', dossier });
  const asked = { owner: 0, email, askedAtMs: 1 };
  const form = { ...company, draft: withNewAsked(draft, asked) };
  assert.deepEqual(openOf(form, 0), []);
  const owners = stepViews(form).find(({ step }) => step === 'owners');
  assert.deepEqual(owners?.missing, [{ field: 'role', owner: 0 }]);
  assert.equal(owners.state, 'open');
});

test('a dossier from elsewhere is complete in the form, and is sent as it is', () => {
  for (const [form, dossier] of [
    [person, ana],
    [company, acme],
  ] as const) {
    assert.deepEqual(missingIn(form), []);
    assert.deepEqual(sentDossier(form), dossier);
  }
});

test('corrections stand on their fields; an owner is found by the position in the dossier', () => {
  const draft = { ownerNumbers: [4, 7] };
  const said = ['website', 'owners[1].selfieFile', 'owners[2].selfieFile', 'who knows'];
  const placed = placeCorrections(
    draft,
    said.map((field) => ({ field, reason: 'blurred' })),
  );
  assert.deepEqual(valuesOf(placed, 'place'), [
    { field: 'website', owner: null },
    { field: 'selfieFile', owner: 7 },
    null,
    null,
  ]);
});

test('a draft is read as it was written, and one of an earlier version with defaults', () => {
  const draft = { ...company.draft, savedAtMs: 5 };
  assert.deepEqual(readDraftText(writeDraft(draft)), draft);
  const early = readDraftText(JSON.stringify({ name: 'Bo', dossier: { owners: [{}, {}] } }));
  assert.deepEqual([early.ownerNumbers, early.nextOwner, early.name], [[0, 1], 2, 'Bo']);
});

test('hints fill what was not saved; what was erased stays erased', () => {
  const hint = { name: 'Acme', country: 'DE', phone: '+49 1' };
  const draft = { ...emptyDraft, entityType: 'business', dossier: { phone: null } } as const;
  assert.deepEqual(withHint(draft, hint).dossier, {
    phone: null,
    legalName: 'Acme',
    country: 'DE',
  });
  const { dossier } = withHint({ ...draft, entityType: 'individual' }, hint);
  assert.deepEqual(dossier, { phone: null, country: 'DE' });
});

test('an owner’s view has that owner, and nothing of the others or of the company but its name', () => {
  const [owner] = acme.owners;
  const dossier = { ...acme, owners: [owner, { ...owner, firstName: 'Bo' }] };
  const { draft } = facts({ entityType: 'business', dossier });
  const shown = shownDraft(draft, 1);
  assert.equal(shown.dossier.owners?.length, 1);
  assert.equal(shown.dossier.owners?.[0]?.firstName, 'Bo');
  assert.equal(shown.dossier.taxId, undefined);
  assert.equal(shown.dossier.owners?.[0]?.taxId, '•••• 6789');
  assert.deepEqual(shownDraft(draft, 9).dossier.owners, []);
});

test('an owner at the company’s address need not type it', () => {
  const about = { page: 'owner', owner: 0, author: 'buyer' } as const;
  const typed = { [SAME_ADDRESS]: 'yes', city: 'typed', firstName: 'Bo' };
  const { values } = checkPage(company, about, typed, 0);
  assert.deepEqual(
    [values['city'], values['country'], values['firstName']],
    ['Berlin', 'DE', 'Bo'],
  );
  assert.equal(checkPage(company, about, { city: 'typed' }, 0).values['city'], 'typed');
});

test('a part that addresses of the country lack is neither asked again nor missing', () => {
  const about = { page: 'address', owner: null, author: 'buyer' } as const;
  const typed = { addressLine1: '1 Main Street', city: 'City', stateProvinceRegion: 'X' };
  for (const [country, postalCode, region, problems] of [
    ['AE', '', 'Dubai', []],
    ['HK', '', '', []],
    ['SG', '048616', '', []],
    ['SG', '', '', ['postalCode']],
    ['DE', '', 'Bayern', ['postalCode']],
    ['DE', '80331', '', ['stateProvinceRegion']],
    ['US', '', 'TX', ['postalCode']],
    ['BR', '01310-100', '', ['stateProvinceRegion']],
  ] as const) {
    const all = { ...typed, country, postalCode, stateProvinceRegion: region };
    const checked = checkPage(company, about, all, 0);
    assert.deepEqual(Object.keys(checked.problems), problems, country);
    const dossier = { ...acme, ...checked.values } as Dossier;
    const missing = missingIn(facts({ entityType: 'business', dossier }));
    assert.deepEqual(
      missing.flatMap(({ field, owner }) => (owner === null ? [field] : [])),
      problems,
      country,
    );
  }
});

test('a person with one name has it in both fields, if they say so', () => {
  const about = { page: 'person', owner: null, author: 'buyer' } as const;
  const namesFor = (typed: Typed) => {
    const { values, problems } = checkPage(person, about, typed, 0);
    return [values['firstName'], values['lastName'], problems.firstName, problems.lastName];
  };
  const one = { [ONE_NAME]: 'yes' };
  const both = ['Sukarno', 'Sukarno', undefined, undefined];
  assert.deepEqual(namesFor({ ...one, firstName: 'Sukarno', lastName: ' ' }), both);
  assert.deepEqual(namesFor({ ...one, firstName: '', lastName: 'Sukarno' }), both);
  assert.deepEqual(namesFor({ firstName: 'Sukarno', lastName: '' }), [
    'Sukarno',
    null,
    undefined,
    'missing',
  ]);
  assert.deepEqual(namesFor({ ...one, firstName: 'Ana', lastName: 'Lima' }).slice(0, 2), [
    'Ana',
    'Lima',
  ]);
  assert.deepEqual(namesFor({ ...one, firstName: '', lastName: '' }).slice(2), [
    'missing',
    'missing',
  ]);
});

test('steps have the order of the form', () => {
  for (const form of [person, company]) {
    const steps = kycStepsOf(form);
    assert.deepEqual(
      steps,
      kycSteps.filter((step) => steps.includes(step)),
    );
  }
});
