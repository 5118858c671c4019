// The hosted KYC form: its steps, the fields of each, and what is still missing. A field is asked
// if the dossier or the partner requires it, or if the table of optional fields has it.
import { entityTypes, type Role } from '../parties/connected-account.js';
import {
  type Dossier,
  missingFields,
  ownerRequirements,
  requirements,
} from '../parties/dossier.js';
import { lacksPart } from '../parties/postal-address.js';
import { askedFor, askerFields, type KycDraft, ownersOf, partOf } from './kyc-draft.js';
import {
  checkField,
  type FieldPlace,
  type FieldProblem,
  type FileField,
  type FormField,
  fieldNamed,
  formFields,
  hasBack,
  type Typed,
} from './kyc-fields.js';

export const kycSteps = [
  'type',
  'person',
  'company',
  'address',
  'owners',
  'documents',
  'terms',
  'review',
] as const;
export type KycStep = (typeof kycSteps)[number];
/** The pages of one owner, below `owners`: the person, then its numbers and documents. */
export const ownerPages = ['owner', 'owner_papers'] as const;
export type OwnerPage = (typeof ownerPages)[number];
export type KycPage = KycStep | OwnerPage;

export const addressFields: readonly FormField[] = [
  'country',
  'addressLine1',
  'addressLine2',
  'city',
  'stateProvinceRegion',
  'postalCode',
];
const identity = ['idDocType', 'idDocCountry', 'idDocNumber'] as const;

/** In the order of the page. */
const pageFields = {
  type: [],
  person: [
    'email',
    'firstName',
    'lastName',
    'dateOfBirth',
    'phone',
    'taxId',
    ...identity,
    'proofOfAddressDocType',
  ],
  company: [
    'email',
    'legalName',
    'cnpj',
    'taxId',
    'formationDate',
    'website',
    'phone',
    'proofOfAddressDocType',
  ],
  address: addressFields,
  owners: ['owners'],
  owner: ['role', 'firstName', 'lastName', 'dateOfBirth', ...addressFields] as readonly FormField[],
  owner_papers: ['taxId', 'taxType', ...identity, 'proofOfAddressDocType'] as readonly FormField[],
  documents: [
    'incorporationDocFile',
    'proofOfOwnershipDocFile',
    'idDocFrontFile',
    'idDocBackFile',
    'selfieFile',
    'proofOfAddressDocFile',
  ],
  terms: ['tosId'],
  review: [],
} as const satisfies Readonly<Record<KycPage, readonly FormField[]>>;

/** Asked although nothing requires them. */
const optionalFields: Readonly<Partial<Record<KycPage, readonly FormField[]>>> = {
  person: ['phone'],
  address: ['addressLine2'],
  owner: ['addressLine2'],
  owner_papers: ['taxType'],
};
/** Where people have a tax number of one of several kinds. */
const TAX_TYPE_COUNTRY = 'US';

export interface AskedField {
  readonly field: FormField;
  readonly isRequired: boolean;
}

export interface FormRules {
  readonly draft: KycDraft;
  readonly role: Role;
  /** The partner's requirements for its entity type. */
  readonly extra: readonly (keyof Dossier)[];
  /** The address of the party; null: the form asks for it. */
  readonly email: string | null;
  /** An answer about a party that the partner knows asks for these alone; null: all is asked. */
  readonly due: readonly FieldPlace[] | null;
}

/** The steps that apply. Until the type is chosen, only the choice does. */
export function kycStepsOf(rules: FormRules): readonly KycStep[] {
  const { entityType } = rules.draft;
  const { due } = rules;
  if (entityType === null) return ['type'];
  if (due !== null) return kycSteps.filter((step) => step === 'review' || hasDue(due, step));
  return kycSteps.filter((step) => {
    if (step === 'review') return true;
    // The type of a seller is known.
    if (step === 'type') return rules.role === 'buyer';
    if (step === 'person' && entityType === 'business') return false;
    if (step === 'company' && entityType === 'individual') return false;
    const ofOwners = step === 'documents' && ownersOf(rules.draft).length > 0;
    return ofOwners || kycFieldsOf(rules, step).some(({ isRequired }) => isRequired);
  });
}

function hasDue(due: readonly FieldPlace[], step: KycStep): boolean {
  return due.some(({ field, owner }) => {
    const isOfOwner = owner !== null && step === 'owners';
    const pages: readonly KycPage[] = isOfOwner ? ownerPages : [step];
    const fields: readonly FormField[] = pages.flatMap((page) => pageFields[page]);
    return (owner === null || isOfOwner || step === 'documents') && fields.includes(field);
  });
}

/** Who fills in a page: the owner whom it is about, or the person who fills in the form. */
export type Author = 'owner' | 'buyer';

/** What the owner is to the company: only the person who asked fills it in. */
const ASKERS_OWN: FormField = 'role';

/** Whether it is left to an owner who was asked. */
export function isAwaited({ draft }: FormRules, { field, owner }: FieldPlace): boolean {
  return owner !== null && field !== ASKERS_OWN && askedFor(draft, owner) !== null;
}

/**
 * The fields of a page that this person fills in. An owner who was asked fills in all but the
 * role, and from then on the person who asked sees no more than `askerFields`.
 */
export function fieldsFor(
  rules: FormRules,
  page: KycPage,
  owner: number | null,
  author: Author,
): readonly AskedField[] {
  const all = kycFieldsOf(rules, page, owner);
  if (author === 'owner') return all.filter(({ field }) => field !== ASKERS_OWN);
  if (owner === null || askedFor(rules.draft, owner) === null) return all;
  // The owner enters the names, too.
  return all
    .filter(({ field }) => askerFields.some((kept) => kept === field))
    .map(({ field }) => ({ field, isRequired: field === ASKERS_OWN }));
}

/** The fields of a page about the party, or with a number about that owner. */
export function kycFieldsOf(
  rules: FormRules,
  page: KycPage,
  owner: number | null = null,
): readonly AskedField[] {
  if (rules.due !== null) return dueOn(rules.due, page, owner);
  const required = requiredOf(rules, owner);
  const optional = optionalFields[page] ?? [];
  const part = partOf(rules.draft, owner);
  return pageFields[page].flatMap((field) => {
    const isRequired = required.has(field);
    const isOffered = field !== 'taxType' || livesIn(part, TAX_TYPE_COUNTRY);
    const isAsked =
      isRequired ||
      (isOffered && optional.includes(field)) ||
      (field === 'idDocBackFile' && required.has('idDocFrontFile') && hasBack(part ?? {}));
    return isAsked ? [{ field, isRequired }] : [];
  });
}

function livesIn(part: object | null, country: string): boolean {
  return part !== null && 'country' in part && part.country === country;
}

function dueOn(
  due: readonly FieldPlace[],
  page: KycPage,
  owner: number | null,
): readonly AskedField[] {
  return pageFields[page]
    .filter((field) => due.some((place) => isSamePlace(place, { field, owner })))
    .map((field) => ({ field, isRequired: true }));
}

function requiredOf(
  { draft, role, extra, email }: FormRules,
  owner: number | null,
): ReadonlySet<FormField> {
  if (owner !== null) return new Set(ownerRequirements);
  if (draft.entityType === null) return new Set();
  const ofType: readonly (keyof Dossier)[] = requirements[role][draft.entityType];
  const asked = [...ofType, ...extra].filter((field) => field !== 'email' || email === null);
  return new Set(asked.filter(isFormField));
}

function isFormField(field: keyof Dossier): field is FormField & keyof Dossier {
  return field in formFields;
}

/** The page on which a field is asked; null if it is not. */
export function kycPageOf(rules: FormRules, { field, owner }: FieldPlace): KycPage | null {
  const pages: readonly KycPage[] =
    owner === null ? kycStepsOf(rules) : [...ownerPages, 'documents'];
  return (
    pages.find((page) => kycFieldsOf(rules, page, owner).some((of) => of.field === field)) ?? null
  );
}

/** Missing values, in the order of the pages. `owners` is missing without any. */
export function missingIn({ draft, role, extra, email, due }: FormRules): readonly FieldPlace[] {
  const { entityType, dossier, ownerNumbers } = draft;
  // What is due is corrected, also where a value is known.
  if (entityType === null || due !== null) return [];
  const known = email === null ? dossier : { ...dossier, email };
  const paths = missingFields(role, entityType, known, extra);
  return paths.flatMap((path) => {
    const named = fieldNamed(path);
    if (named === null) return [];
    const { field, position } = named;
    return [{ field, owner: position === null ? null : (ownerNumbers[position] ?? null) }];
  });
}

/**
 * What an owner who was asked still has to do: what is missing, and what the partner wants
 * corrected.
 */
export function openOf(facts: FormFacts, owner: number): readonly FieldPlace[] {
  const missing = missingIn(facts);
  const corrected = facts.corrections.flatMap(({ place }) =>
    place === null || missing.some((of) => isSamePlace(of, place)) ? [] : [place],
  );
  return [...missing, ...corrected].filter(
    (place) => place.owner === owner && isAwaited(facts, place),
  );
}

function isSamePlace(one: FieldPlace, other: FieldPlace): boolean {
  return one.field === other.field && one.owner === other.owner;
}

/** `waiting`: only what others were asked for is missing. */
export type StepState = 'done' | 'open' | 'waiting' | 'correct';

export interface StepView {
  readonly step: KycStep;
  readonly state: StepState;
  readonly missing: readonly FieldPlace[];
  readonly corrections: readonly PlacedCorrection[];
}

/** A correction that the partner asks for; null: it names no field of the form. */
export interface PlacedCorrection {
  readonly place: FieldPlace | null;
  /** The words of the partner; null if it gave a code only. */
  readonly reason: string | null;
}

export interface FormFacts extends FormRules {
  readonly corrections: readonly PlacedCorrection[];
}

export function stepViews(facts: FormFacts): readonly StepView[] {
  const { draft } = facts;
  const missing = missingIn(facts);
  const isOn = (step: KycStep, place: FieldPlace) => stepOf(facts, place) === step;
  const awaitsOwner = draft.asked.some(
    ({ owner, doneAtMs }) => owner !== null && doneAtMs === null,
  );
  return kycStepsOf(facts).map((step) => {
    const own = missing.filter((place) => isOn(step, place));
    const corrections = facts.corrections.filter(
      ({ place }) => place !== null && isOn(step, place),
    );
    const isOpen =
      own.some((place) => !isAwaited(facts, place)) ||
      (step === 'type' && draft.entityType === null) ||
      step === 'review';
    const isWaiting = own.length > 0 || (step === 'owners' && awaitsOwner);
    const state = isOpen ? 'open' : isWaiting ? 'waiting' : 'done';
    return { step, state: corrections.length > 0 ? 'correct' : state, missing: own, corrections };
  });
}

/**
 * Whether the form can be sent. A question that the form does not have stops an answer alone: the
 * whole form is sent for the partner to look at again.
 */
export function isComplete(
  facts: Pick<FormFacts, 'due' | 'corrections'>,
  steps: readonly StepView[],
): boolean {
  if (facts.due !== null && facts.corrections.length > 0) return false;
  return steps.every(({ step, state }) => step === 'review' || state === 'done');
}

/** The pages of an owner belong to the step of the owners. */
export function stepOf(rules: FormRules, place: FieldPlace): KycStep | null {
  const page = kycPageOf(rules, place);
  return page === 'owner' || page === 'owner_papers' ? 'owners' : page;
}

/** The first step with something to do; the review if there is none. */
export function nextKycStep(views: readonly StepView[], after: KycStep | null = null): KycStep {
  const open = views.filter(({ state }) => state === 'open' || state === 'correct');
  const from = views.findIndex(({ step }) => step === after) + 1;
  const ahead = open.find((view) => views.indexOf(view) >= from);
  return (ahead ?? open[0])?.step ?? 'review';
}

/**
 * Checks the typed values of a page. Required values that are blank are problems too: the others
 * are stored all the same. A blank tax id keeps the stored one, which is not shown. The values to
 * store: null erases; a field with a problem, and a kept tax id, are left out.
 */
export function checkPage(
  rules: FormRules,
  { page, owner, author }: { page: KycPage; owner: number | null; author: Author },
  typed: Typed,
  nowMs: number,
) {
  const part: Readonly<Record<string, unknown>> = { ...partOf(rules.draft, owner) };
  const named = withOneName(typed);
  const given = owner === null ? named : withCompanyAddress(rules.draft, named);
  const country = given.country ?? part['country'];
  const values: Record<string, string | null> = {};
  const problems: Partial<Record<FormField, FieldProblem>> = {};
  for (const { field, isRequired } of fieldsFor(rules, page, owner, author)) {
    const { form } = formFields[field];
    if (form === 'file' || form === 'owners') continue;
    const checked = checkField(field, given, nowMs);
    if ('problem' in checked) problems[field] = checked.problem;
    else if (checked.value === null && form === 'tax_id' && part[field]) continue;
    else if (checked.value === null && isRequired && !lacksPart(field, `${country}`)) {
      problems[field] = 'missing';
    }
    if ('value' in checked) values[field] = checked.value;
  }
  // No page shows it any more, and the partner would get it.
  if ('country' in values && values['country'] !== TAX_TYPE_COUNTRY && part['taxType']) {
    values['taxType'] = null;
  }
  return { values, problems };
}

/** The name of the box of a person who has one name: partners get it as first and last name. */
export const ONE_NAME = 'oneName';

function withOneName(typed: Typed): Typed {
  if (typed[ONE_NAME] === undefined) return typed;
  const { firstName = '', lastName = '' } = typed;
  const name = firstName.trim() === '' ? lastName : firstName;
  const isOne = firstName.trim() === '' || lastName.trim() === '';
  return isOne ? { ...typed, firstName: name, lastName: name } : typed;
}

/** The name of the box in the page of an owner: the address of the company is the owner's. */
export const SAME_ADDRESS = 'sameAddress';

function withCompanyAddress({ dossier }: KycDraft, typed: Typed): Typed {
  if (typed[SAME_ADDRESS] === undefined) return typed;
  const known = addressFields.map((field) => [field, dossier[field as 'city'] ?? typed[field]]);
  return { ...typed, ...Object.fromEntries(known) };
}

/** The type that was chosen; null for another text. */
export function chosenType(typed: Typed) {
  return entityTypes.find((type) => type === typed.entityType) ?? null;
}

/** The files that the documents page asks for, of the party and then of each owner. */
export function askedFiles(
  rules: FormRules,
): readonly (FieldPlace & { readonly field: FileField; readonly isRequired: boolean })[] {
  return [null, ...rules.draft.ownerNumbers].flatMap((owner) =>
    kycFieldsOf(rules, 'documents', owner).flatMap(({ field, isRequired }) =>
      isFile(field) ? [{ field, isRequired, owner }] : [],
    ),
  );
}

function isFile(field: FormField): field is FileField {
  return formFields[field].form === 'file';
}

/** The part of the draft that the form asks for: answers for the other type are left out. */
export function sentDossier(rules: FormRules): Dossier {
  const { dossier, ownerNumbers } = rules.draft;
  const asked = new Set(
    kycStepsOf(rules)
      .flatMap((step) => kycFieldsOf(rules, step))
      .map(nameOf),
  );
  const pages = [...ownerPages, 'documents'] as const;
  const owners = ownersOf(rules.draft).map((owner, index) => {
    const number = ownerNumbers[index] ?? null;
    const own = new Set(pages.flatMap((page) => kycFieldsOf(rules, page, number)).map(nameOf));
    return pick(owner, own);
  });
  const hasOwners = asked.has('owners') || rules.due?.some(({ owner }) => owner !== null);
  return { ...pick(dossier, asked), ...(hasOwners ? { owners } : {}) };
}

function nameOf({ field }: AskedField): string {
  return field;
}

function pick<T extends object>(from: T, fields: ReadonlySet<string>): Partial<T> {
  const kept = Object.entries(from).filter(([field]) => fields.has(field));
  return Object.fromEntries(kept) as Partial<T>;
}

/** Puts the names of the partner on the form. */
export function placeCorrections(
  { ownerNumbers }: Pick<KycDraft, 'ownerNumbers'>,
  corrections: readonly { readonly field: string; readonly reason: string }[],
): readonly PlacedCorrection[] {
  return corrections.map(({ field: path, reason }) => {
    const named = fieldNamed(path);
    const owner = named?.position == null ? null : (ownerNumbers[named.position] ?? null);
    const isLost = named === null || (named.position !== null && owner === null);
    return {
      place: isLost ? null : { field: named.field, owner },
      reason: reason === '' ? null : reason,
    };
  });
}
