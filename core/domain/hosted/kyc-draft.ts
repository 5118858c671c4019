// What the hosted KYC form has of a buyer: the dossier so far, and which owners of a business were
// asked to fill in their own part. It is stored sealed. Owners have numbers that do not change, so
// a link keeps pointing to the person that it was sent to.
import type { EntityType } from '../parties/connected-account.js';
import type { Dossier, Owner } from '../parties/dossier.js';
import { lastFour } from '../parties/tax-id.js';
import type { BuyerHint } from '../payments/payment.js';
import { type FieldPlace, type FileField, fileFields } from './kyc-fields.js';

export const OWNERS_MAX = 10;

export interface KycDraft {
  /** Pre-fills the name. */
  readonly name: string | null;
  /** Null until it is chosen. */
  readonly entityType: EntityType | null;
  readonly dossier: Dossier;
  /** The numbers of the owners, in the order of the dossier. */
  readonly ownerNumbers: readonly number[];
  /** A number is not used again. */
  readonly nextOwner: number;
  readonly asked: readonly Asked[];
  /** What was saved again since the partner asked for corrections. */
  readonly corrected: readonly FieldPlace[];
  /** Submitted on the hosted page: a refusal leads back to it. */
  readonly isHosted: boolean;
  /** When the form was last saved; null before. */
  readonly savedAtMs: number | null;
}

/** Somebody else was mailed a link to a part of the form. */
export interface Asked {
  /** Null for the whole form. */
  readonly owner: number | null;
  readonly email: string;
  readonly askedAtMs: number;
  /** When the owner sent the part; null while it is awaited. */
  readonly doneAtMs: number | null;
  /** The `askerFields` as the person who asked entered them: that person sees no others. */
  readonly left: Owner;
}

export const emptyDraft: KycDraft = {
  name: null,
  entityType: null,
  dossier: {},
  ownerNumbers: [],
  nextOwner: 0,
  asked: [],
  corrected: [],
  isHosted: false,
  savedAtMs: null,
};

export function writeDraft(draft: KycDraft): string {
  return JSON.stringify(draft);
}

/** Drafts of earlier versions have a name and a dossier only, or no `left`. */
export function readDraftText(text: string): KycDraft {
  const draft = withDossier(emptyDraft, JSON.parse(text) as Partial<KycDraft>);
  return { ...draft, asked: draft.asked.map((asked) => ({ ...asked, left: asked.left ?? {} })) };
}

/** Owners that come from elsewhere than the form get numbers, and nobody is asked for them. */
export function withDossier(draft: KycDraft, changes: Partial<KycDraft>): KycDraft {
  const next = { ...draft, ...changes };
  const count = ownersOf(next).length;
  if (next.ownerNumbers.length === count) return next;
  const ownerNumbers = Array.from({ length: count }, (_, index) => next.nextOwner + index);
  const asked = next.asked.filter(({ owner }) => owner === null);
  return { ...next, ownerNumbers, nextOwner: next.nextOwner + count, asked };
}

/** The buyer as the integrator described it fills what was not saved yet. */
export function withHint(
  draft: KycDraft,
  { name, country, phone }: Pick<BuyerHint, 'name' | 'country' | 'phone'>,
): KycDraft {
  // A person's name is not split into two.
  const legalName = draft.entityType === 'business' ? (draft.name ?? name) : null;
  const hints = Object.entries({ legalName, country, phone });
  const given = hints.filter(([field, value]) => value !== null && !(field in draft.dossier));
  return { ...draft, dossier: { ...draft.dossier, ...Object.fromEntries(given) } };
}

export function ownersOf({ dossier }: Pick<KycDraft, 'dossier'>): readonly Owner[] {
  return dossier.owners ?? [];
}

/** The data of the party itself (null) or of an owner; null if there is no such owner. */
export function partOf(draft: KycDraft, owner: number | null): Dossier | Owner | null {
  if (owner === null) return draft.dossier;
  return ownersOf(draft)[draft.ownerNumbers.indexOf(owner)] ?? null;
}

/** The owner must exist. */
export function withValues(
  draft: KycDraft,
  owner: number | null,
  values: Readonly<Record<string, string | null>>,
): KycDraft {
  if (owner === null) return { ...draft, dossier: { ...draft.dossier, ...values } };
  const at = draft.ownerNumbers.indexOf(owner);
  const owners = ownersOf(draft).map((one, index) => (index === at ? { ...one, ...values } : one));
  return { ...draft, dossier: { ...draft.dossier, owners } };
}

export function withOwner(draft: KycDraft): KycDraft {
  const { dossier, ownerNumbers, nextOwner } = draft;
  return {
    ...draft,
    dossier: { ...dossier, owners: [...ownersOf(draft), {}] },
    ownerNumbers: [...ownerNumbers, nextOwner],
    nextOwner: nextOwner + 1,
  };
}

export function withoutOwner(draft: KycDraft, owner: number): KycDraft {
  const at = draft.ownerNumbers.indexOf(owner);
  return {
    ...withdrawAsked(draft, owner),
    dossier: { ...draft.dossier, owners: ownersOf(draft).filter((_, index) => index !== at) },
    ownerNumbers: draft.ownerNumbers.filter((one) => one !== owner),
  };
}

export function askedFor(draft: KycDraft, owner: number | null): Asked | null {
  return draft.asked.find((asked) => asked.owner === owner) ?? null;
}

/** A repeat keeps what the person who asked had entered before the owner did. */
export function withNewAsked(
  draft: KycDraft,
  { owner, email, askedAtMs }: Pick<Asked, 'owner' | 'email' | 'askedAtMs'>,
): KycDraft {
  const entered = owner === null ? {} : askerPart({ ...partOf(draft, owner) });
  const left = askedFor(draft, owner)?.left ?? entered;
  return withAsked(draft, { owner, email, askedAtMs, doneAtMs: null, left });
}

/** `withValues` by the person who asked: only another value replaces what the owner entered. */
export function withAskerValues(
  draft: KycDraft,
  owner: number | null,
  values: Readonly<Record<string, string | null>>,
): KycDraft {
  const asked = owner === null ? null : askedFor(draft, owner);
  if (asked === null) return withValues(draft, owner, values);
  const left: Readonly<Record<string, unknown>> = { ...asked.left };
  const changed = Object.entries(values).filter(
    ([field, value]) => value !== null && value !== (left[field] ?? null),
  );
  const next = withValues(draft, owner, Object.fromEntries(changed));
  return withAsked(next, { ...asked, left: { ...left, ...values } });
}

function withAsked(draft: KycDraft, asked: Asked): KycDraft {
  return { ...draft, asked: [...withdrawAsked(draft, asked.owner).asked, asked] };
}

function withdrawAsked(draft: KycDraft, owner: number | null): KycDraft {
  return { ...draft, asked: draft.asked.filter((asked) => asked.owner !== owner) };
}

export function ownerDone(draft: KycDraft, owner: number, nowMs: number): KycDraft {
  const asked = askedFor(draft, owner);
  return asked === null ? draft : withAsked(draft, { ...asked, doneAtMs: nowMs });
}

export function withCorrected(draft: KycDraft, places: readonly FieldPlace[]): KycDraft {
  const fresh = places.filter((place) => !isCorrected(draft, place));
  return { ...draft, corrected: [...draft.corrected, ...fresh] };
}

export function isCorrected({ corrected }: KycDraft, { field, owner }: FieldPlace): boolean {
  return corrected.some((place) => place.field === field && place.owner === owner);
}

/** What the person who asked may still change of an owner who fills in the rest. */
export const askerFields = [
  'role',
  'firstName',
  'lastName',
] as const satisfies readonly (keyof Owner)[];

/** The owner as the asker left it: what the owner filled in is dropped. */
export function takenBack(draft: KycDraft, owner: number | null): KycDraft {
  const asked = askedFor(draft, owner);
  if (owner === null || asked === null) return withdrawAsked(draft, owner);
  const fields = Object.keys({ ...partOf(draft, owner) });
  const cleared = Object.fromEntries(fields.map((field) => [field, null]));
  const values = { ...cleared, ...askerPart(asked.left) };
  return withdrawAsked(withValues(draft, owner, values), owner);
}

/** What a session sees of a tax id: its last characters, or that there is one. */
function maskedTaxId(taxId: string): string {
  return `•••• ${lastFour(taxId) ?? ''}`.trimEnd();
}

/**
 * The draft as a page may show it: without whole tax ids. With a number, of that owner alone; else
 * of all but what others were asked for.
 */
export function shownDraft(draft: KycDraft, only: number | null): KycDraft {
  const owners = ownersOf(draft).map((owner, index) => {
    const asked = askedFor(draft, draft.ownerNumbers[index] ?? null);
    return masked(only === null && asked !== null ? askerPart(asked.left) : owner);
  });
  if (only === null) return { ...draft, dossier: { ...masked(draft.dossier), owners } };
  const own = owners[draft.ownerNumbers.indexOf(only)];
  const { legalName = null } = draft.dossier;
  return {
    ...draft,
    name: null,
    asked: draft.asked.filter(({ owner }) => owner === only),
    dossier: { legalName, owners: own === undefined ? [] : [own] },
    ownerNumbers: own === undefined ? [] : [only],
  };
}

function masked<T extends Owner>(part: T): T {
  const { taxId = null } = part;
  return taxId === null ? part : { ...part, taxId: maskedTaxId(taxId) };
}

/** `askerFields`. */
function askerPart(owner: Owner) {
  const { role = null, firstName = null, lastName = null } = owner;
  return { role, firstName, lastName };
}

/** Every file in the draft. */
export function filesIn(draft: KycDraft): readonly (FieldPlace & {
  readonly field: FileField;
  readonly url: string;
})[] {
  return [null, ...draft.ownerNumbers].flatMap((owner) => {
    const part: Readonly<Record<string, unknown>> = { ...partOf(draft, owner) };
    return fileFields.flatMap((field) => {
      const url = part[field];
      return typeof url === 'string' ? [{ owner, field, url }] : [];
    });
  });
}
