// The pages of the KYC form with realistic facts, for their tests and for the gallery: a company
// with two owners, of whom one was asked, and a person.

import { askFormScreen } from '../../../../../adapters/pages/buyer/form-access.js';
import type { ScreenContent } from '../../../../../adapters/pages/hosted/layout.js';
import {
  documentsScreen,
  phoneEndedScreen,
  phoneEnterScreen,
  phoneScreen,
  phoneUploadsScreen,
} from '../../../../../adapters/pages/kyc/document-screens.js';
import {
  type BareScene,
  type KycFacts,
  type KycScene,
  kycScene,
  type Limits,
} from '../../../../../adapters/pages/kyc/kyc-scene.js';
import { kycCatalogues } from '../../../../../adapters/pages/kyc/kyc-texts.js';
import {
  ownDocumentsScreen,
  ownerScreen,
  ownersScreen,
  ownPartScreen,
} from '../../../../../adapters/pages/kyc/owner-screens.js';
import { reviewScreen } from '../../../../../adapters/pages/kyc/review-screen.js';
import {
  dataScreen,
  termsScreen,
  typeScreen,
} from '../../../../../adapters/pages/kyc/step-screens.js';
import {
  emptyDraft,
  type KycDraft,
  shownDraft,
  withDossier,
} from '../../../../../core/domain/hosted/kyc-draft.js';
import {
  type FormFacts,
  type PlacedCorrection,
  stepViews,
} from '../../../../../core/domain/hosted/kyc-form.js';
import {
  type VerificationKind,
  verificationKinds,
} from '../../../../../core/domain/parties/document.js';
import type { Owner } from '../../../../../core/domain/parties/dossier.js';
import type { KycForm } from '../../../../../core/usecases/hosted/kyc-forms.js';
import { viewOf } from '../page-facts.js';
import type { Sample } from '../page-samples.js';

const at = (text: string) => Date.parse(text);
const savedAtMs = at('2026-11-17T15:20:00Z');

const limits = Object.fromEntries(
  (Object.keys(verificationKinds) as VerificationKind[]).map((kind) => [
    kind,
    { bytesMax: 3_000_000, contentTypes: verificationKinds[kind] },
  ]),
) as unknown as Limits;

const place = {
  addressLine1: '12 Wharf Street',
  addressLine2: 'Floor 3',
  city: 'Portland',
  stateProvinceRegion: 'OR',
  postalCode: '97205',
  country: 'US',
} as const;
const files = {
  selfieFile: 'https://files.example/1',
  idDocFrontFile: 'https://files.example/2',
  proofOfAddressDocFile: 'https://files.example/3',
} as const;

const marcus: Owner = {
  role: 'beneficial_controlling',
  firstName: 'Marcus',
  lastName: 'Hale',
  dateOfBirth: '1979-04-09',
  taxId: '123-45-6789',
  taxType: 'SSN',
  ...place,
  ...files,
  idDocType: 'PASSPORT',
  idDocCountry: 'US',
  proofOfAddressDocType: 'BANK_STATEMENT',
};
const priya = { role: 'beneficial_owner', firstName: 'Priya', lastName: 'Raman' } as const;
const harbor = {
  legalName: 'Harbor & Pine Roasters, Inc.',
  taxId: '98-7654321',
  formationDate: '2012-06-01',
  website: 'https://harborpine.example',
  ...place,
  incorporationDocFile: 'https://files.example/4',
  owners: [marcus, priya],
} as const;

const asked = {
  owner: 1,
  email: 'priya@harborpine.example',
  doneAtMs: null,
  askedAtMs: at('2026-11-16T10:00:00Z'),
  left: priya,
} as const;

const company: Partial<KycDraft> = { entityType: 'business', dossier: harbor, asked: [asked] };
const complete: Partial<KycDraft> = {
  entityType: 'individual',
  dossier: {
    firstName: '王',
    lastName: 'O’Neill',
    dateOfBirth: '1990-01-31',
    phone: '+1 503 555 0100',
    idDocType: 'ID_CARD',
    idDocCountry: 'PT',
    ...files,
    idDocBackFile: 'https://files.example/5',
  },
};

interface FormChanges {
  readonly owner?: number;
  readonly corrections?: readonly PlacedCorrection[];
}

function formOf(draft: Partial<KycDraft>, { owner, corrections = [] }: FormChanges = {}): KycForm {
  const made = withAskedKept(withDossier(emptyDraft, { ...draft, asked: [] }), draft);
  const facts: FormFacts = {
    draft: { ...made, savedAtMs },
    role: 'buyer',
    extra: ['tosId'],
    due: null,
    corrections,
    email: 'dana@harborpine.example',
  };
  return {
    ...facts,
    state: corrections.length > 0 ? 'corrections' : 'form',
    author: owner === undefined ? 'buyer' : 'owner',
    draft: shownDraft(facts.draft, owner ?? null),
    steps: stepViews(facts),
    party: { party: 'buyer', id: 'byr_1' },
    submissionId: 'kyc_1',
    version: 9,
  };
}

function withAskedKept(made: KycDraft, { asked: kept = [] }: Partial<KycDraft>): KycDraft {
  return { ...made, asked: kept };
}

const blurred: readonly PlacedCorrection[] = [
  { place: { field: 'idDocFrontFile', owner: 0 }, reason: 'The lower edge is cut off.' },
  { place: { field: 'legalName', owner: null }, reason: null },
  { place: null, reason: null },
  { place: null, reason: 'Business Description · It does not match the website.' },
];

const path = '/owner/Qm7wX2tR9pLs4Vn8Kd0aZc3e/1';
const owned = { path, payment: null } as const;

function sample(
  name: string,
  facts: Partial<KycFacts> & Pick<KycFacts, 'form'>,
  screen: (scene: KycScene) => ScreenContent,
  changes: Parameters<typeof viewOf>[1] = {},
): Sample {
  const known = { typed: {}, problems: null, addressProblem: null, ...facts };
  const page = { name: 'kyc', state: facts.form.state } as const;
  const content: NonNullable<Sample['content']> = (scene) => screen(kycScene(scene, known));
  return { name: `kyc-${name}`, view: viewOf(page, changes), content };
}

function bare(
  name: string,
  screen: (scene: BareScene) => ScreenContent,
  path = '/r/4kDq8vJm2XzL0aPw9sTe1g',
): Sample {
  const page = { name: 'kyc', state: 'form' } as const;
  const view = viewOf(page, { path, payment: null, viewer: null, csrf: null });
  const content: NonNullable<Sample['content']> = (scene) =>
    screen({ ...scene, words: kycCatalogues[scene.view.locale] });
  return { name: `kyc-${name}`, view, content };
}

const business = formOf(company);
const corrected = formOf(company, { corrections: blurred });
const person = formOf(complete);
const own = formOf(company, { owner: 1 });
const handedOver = formOf({
  entityType: 'business',
  asked: [{ ...asked, owner: null, email: 'director@harborpine.example' }],
});
const typed = {
  firstName: '',
  dateOfBirthDay: '32',
  dateOfBirthMonth: '13',
  dateOfBirthYear: '80',
};

const payee = 'Café Serra Azul Exportadora Ltda';
const onPhone = { payment: null, viewer: null } as const;

export const kycSamples: readonly Sample[] = [
  sample('type', { form: formOf({}) }, typeScreen),
  sample('type-missing', { form: formOf({}), problems: { entityType: 'missing' } }, typeScreen),
  sample('handed-over', { form: handedOver }, typeScreen),
  sample('person', { form: person }, (scene) => dataScreen(scene, 'person')),
  sample(
    'person-problems',
    { form: person, typed, problems: { firstName: 'missing', dateOfBirth: 'no_such_date' } },
    (scene) => dataScreen(scene, 'person'),
  ),
  ...([{}, { idDocCountry: '' }] as const).map((typed, index) =>
    sample(
      index === 0 ? 'person-country' : 'person-country-blank',
      { form: formOf({ entityType: 'individual', dossier: { country: 'DE' } }), typed },
      (scene) => dataScreen(scene, 'person'),
    ),
  ),
  sample('company', { form: corrected }, (scene) => dataScreen(scene, 'company')),
  sample('address', { form: business }, (scene) => dataScreen(scene, 'address')),
  sample('owners', { form: business }, ownersScreen),
  sample('owners-none', { form: formOf({ entityType: 'business' }) }, ownersScreen),
  sample('owner', { form: business }, (scene) => ownerScreen(scene, 0)),
  sample('owner-papers', { form: business }, (scene) => ownerScreen(scene, 0, 'owner_papers')),
  sample('owner-asked', { form: business, addressProblem: 'not_an_address' }, (scene) =>
    ownerScreen(scene, 1),
  ),
  sample('documents', { form: corrected }, (scene) =>
    documentsScreen(scene, { limits, refused: { reason: 'heic', id: 'proofOfOwnershipDocFile' } }),
  ),
  sample('documents-off', { form: person }, (scene) =>
    documentsScreen(scene, { limits: null, refused: null }),
  ),
  sample('phone', { form: person }, (scene) =>
    phoneScreen(
      scene,
      `https://pay.example.com/r/4kDq8vJm2XzL0aPw9sTe1g/kyc/phone/enter?token=${'a1B2'.repeat(11)}`,
    ),
  ),
  sample(
    'phone-uploads',
    { form: person },
    (scene) => phoneUploadsScreen(scene, { limits, refused: null, payee }),
    onPhone,
  ),
  sample('terms', { form: business }, (scene) =>
    termsScreen(scene, { url: 'https://partner.example/terms', tosId: null }),
  ),
  sample('terms-back', { form: business }, (scene) =>
    termsScreen(scene, { url: null, tosId: 'tos_1' }),
  ),
  sample('review', { form: corrected }, (scene) => reviewScreen(scene)),
  sample(
    'review-ready',
    { form: formOf({ ...complete, dossier: { ...complete.dossier, tosId: 't' } }) },
    (scene) => reviewScreen(scene, [{ place: null, reason: null }]),
  ),
  sample('own-part', { form: own }, (scene) => ownPartScreen(scene, 1), owned),
  sample(
    'own-documents',
    { form: own },
    (scene) => ownDocumentsScreen(scene, { owner: 1, limits, refused: null }),
    owned,
  ),
  sample('phone-enter', { form: business }, (scene) => phoneEnterScreen(scene, { payee }), onPhone),
  bare('phone-over', phoneEndedScreen),
  bare('ask', (scene) => askFormScreen(scene, 'form'), '/kyc/Qm7wX2tR9pLs4Vn8Kd0aZc3e'),
  bare('ask-owner', (scene) => askFormScreen(scene, 'owner'), path),
];
