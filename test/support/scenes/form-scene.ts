// The hosted KYC form of a payment over the small world: typed pages, files, and the sessions of a
// buyer, of an owner who was asked, and of a phone.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type KycStep, ownerPages } from '../../../core/domain/hosted/kyc-form.js';
import type { KycSubmission } from '../../../core/domain/parties/buyer-kyc.js';
import type { VerificationKind } from '../../../core/domain/parties/document.js';
import type { Deps } from '../../../core/ports/deps.js';
import { signIn } from '../../../core/usecases/hosted/buyer-steps.js';
import type { VisitorSession } from '../../../core/usecases/hosted/form-subjects.js';
import {
  type KycForm,
  openKycForm,
  type PageProblems,
  type Sent,
  saveKycPage,
  submitKycForm,
} from '../../../core/usecases/hosted/kyc-forms.js';
import {
  storePageDocument,
  type UploadRefusal,
} from '../../../core/usecases/hosted/page-documents.js';
import type { PartnerChanges } from '../partners/changed-partner.js';
import { type Scene, scene, withPartner } from './kyc-scene.js';
import type { IntentFields } from './made-payments.js';

export const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...Buffer.from(' a photo of a card')]);
export const pdf = Buffer.from('%PDF-1.7 a scan of a deed');

export const typedPerson = {
  firstName: ' Ana ',
  lastName: 'Lima',
  dateOfBirthYear: '1990',
  dateOfBirthMonth: '1',
  dateOfBirthDay: '31',
  idDocType: 'PASSPORT',
  idDocCountry: 'PT',
} as const;

export const typedAddress = {
  country: 'US',
  addressLine1: '1 Main St',
  city: 'Austin',
  stateProvinceRegion: 'tx',
  postalCode: '73301',
} as const;

export const typedCompany = {
  legalName: 'Harbor & Pine Roasters, Inc.',
  taxId: '12-3456789',
  formationDateYear: '2001',
  formationDateMonth: '2',
  formationDateDay: '3',
  website: 'harborpine.example',
} as const;

export const typedOwner = {
  ...typedPerson,
  ...typedAddress,
  firstName: 'Priya',
  lastName: 'Raman',
  role: 'beneficial_owner',
  taxId: '987-65-4321',
  taxType: 'SSN',
  proofOfAddressDocType: 'UTILITY_BILL',
} as const;

const companyFiles = ['incorporation_doc', 'proof_of_ownership_doc'] as const;
export const personFiles = ['id_doc_front', 'selfie'] as const;
export const ownerFiles = [...personFiles, 'proof_of_address'] as const;

export interface FormScene extends Scene {
  readonly paymentId: string;
  /** The session of the buyer. */
  readonly visitor: VisitorSession;
  open(by?: VisitorSession): Promise<KycForm>;
  /** `owner`: both of its pages. */
  type(
    page: KycStep | 'owner',
    typed: Readonly<Record<string, string>>,
    owner?: number | null,
    by?: VisitorSession,
  ): Promise<PageProblems>;
  upload(
    kind: VerificationKind,
    owner?: number | null,
    by?: VisitorSession,
    bytes?: Uint8Array,
  ): Promise<UploadRefusal | null>;
  fillCompany(): Promise<void>;
  fillPerson(): Promise<void>;
  fillOwner(owner: number, by?: VisitorSession): Promise<void>;
  send(): Promise<Sent>;
  submission(): Promise<KycSubmission>;
  ownerSession(owner: number): Promise<VisitorSession>;
}

export async function* inChunks(bytes: Uint8Array, size = 7): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The buyer of a payment is signed in and must fill in the form. */
export async function formScene(
  t: TestContext,
  { partner = {}, buyer }: { partner?: PartnerChanges; buyer?: IntentFields['buyer'] } = {},
): Promise<FormScene> {
  const made = await scene(t);
  const deps: Deps = withPartner(made.deps, partner);
  const fields = buyer === undefined ? {} : { buyer };
  const paymentId = await made.newPayment(made.tenant, fields);
  await signIn(deps, made.tenant, paymentId);
  const none = { submissionId: null, accountId: null, ownerIndex: null };
  const visitor: VisitorSession = { ...made.tenant, kind: 'buyer', paymentId, ...none };
  const form: FormScene = {
    ...made,
    deps,
    paymentId,
    visitor,
    open: (by = visitor) => openKycForm(deps, by),
    async type(page, typed, owner = null, by = visitor) {
      const found: PageProblems[] = [];
      for (const one of page === 'owner' ? ownerPages : [page]) {
        found.push(await saveKycPage(deps, by, { page: one, owner, typed }));
      }
      return found.every((problems) => problems === null) ? null : Object.assign({}, ...found);
    },
    upload: (kind, owner = null, by = visitor, bytes = kind === 'incorporation_doc' ? pdf : jpeg) =>
      storePageDocument(deps, by, { kind, owner, declaredType: '', bytes: inChunks(bytes) }),
    async fillCompany() {
      assert.equal(await form.type('type', { entityType: 'business' }), null);
      assert.equal(await form.type('company', typedCompany), null);
      assert.equal(await form.type('address', typedAddress), null);
      for (const kind of companyFiles) assert.equal(await form.upload(kind), null);
    },
    async fillPerson() {
      assert.equal(await form.type('type', { entityType: 'individual' }), null);
      assert.equal(await form.type('person', typedPerson), null);
      for (const kind of personFiles) assert.equal(await form.upload(kind), null);
    },
    async fillOwner(owner, by = visitor) {
      assert.equal(await form.type('owner', typedOwner, owner, by), null);
      for (const kind of ownerFiles) assert.equal(await form.upload(kind, owner, by), null);
    },
    send: async () => submitKycForm(deps, visitor, (await form.open()).version),
    async submission() {
      const { party } = await form.open();
      const found = await deps.store.run((tx) => tx.buyers.submission(made.tenant, party.id));
      return found ?? assert.fail('no submission');
    },
    async ownerSession(ownerIndex) {
      const { id: submissionId } = await form.submission();
      return {
        ...made.tenant,
        kind: 'owner',
        paymentId: null,
        accountId: null,
        submissionId,
        ownerIndex,
      };
    },
  };
  return form;
}
