// What is kept of a buyer's dossier after the decision: who submitted it, name and country, which
// reports about payments from abroad need, and keyed hashes. They decide whether another tenant
// adopts the approval, which the integrator of the first tenant may have obtained about somebody
// else.
import { plainSigns } from '../base/typed-text.js';
import type { EntityType } from './connected-account.js';
import { type Dossier, nameIn } from './dossier.js';

/** `person`: on the hosted form, signed in. Sorted: SQL prefers the last. */
export const dossierSubmitters = ['integrator', 'person'] as const;

/** Hashes are of this buyer only: those of two buyers cannot be compared. */
export interface IdentityFacts {
  readonly submittedBy: (typeof dossierSubmitters)[number];
  /** The first and last name of a person. */
  readonly legalName: string | null;
  readonly country: string | null;
  /** Hash of the date of birth or formation. */
  readonly bornHash: string | null;
  /** Hash of the tax id or company number. */
  readonly taxHash: string | null;
  /** Hash of the number of the identity document. */
  readonly documentHash: string | null;
  /** Wrong answers of the person to the two facts. */
  readonly factTries: number;
}

/** Two facts of the dossier, as the person types them. */
export interface TypedFacts {
  readonly born: string;
  readonly number: string;
}

export type FactHash = (fact: 'born' | 'number', text: string) => string;

export const noFacts: IdentityFacts = {
  submittedBy: 'integrator',
  legalName: null,
  country: null,
  bornHash: null,
  taxHash: null,
  documentHash: null,
  factTries: 0,
};

export const FACT_TRIES_MAX = 5;

/** An answer to the partner has a part of the dossier: the rest of `before` stays. */
export function identityFacts(
  entityType: EntityType,
  dossier: Dossier,
  {
    before,
    submittedBy,
    hash,
  }: Pick<IdentityFacts, 'submittedBy'> & {
    readonly before: IdentityFacts | null;
    readonly hash: FactHash;
  },
): IdentityFacts {
  const hashed = (fact: Parameters<FactHash>[0], text: string | null | undefined) => {
    const plain = plainFact(fact, text ?? '');
    return plain === '' ? null : hash(fact, plain);
  };
  const { dateOfBirth, formationDate } = dossier;
  const isBusiness = entityType === 'business';
  return {
    submittedBy,
    legalName: nameIn(entityType, dossier)?.trim() || (before?.legalName ?? null),
    country: dossier.country?.toUpperCase() ?? before?.country ?? null,
    bornHash: hashed('born', isBusiness ? formationDate : dateOfBirth) ?? before?.bornHash ?? null,
    taxHash: hashed('number', dossier.taxId ?? dossier.cnpj) ?? before?.taxHash ?? null,
    documentHash: hashed('number', dossier.idDocNumber) ?? before?.documentHash ?? null,
    factTries: 0,
  };
}

/**
 * Without accents, case and punctuation; the words of a name once, in any order. The forms of
 * partners repeat the name of a person who has one only.
 */
export function plainFact(fact: 'name' | Parameters<FactHash>[0], text: string): string {
  const plain = plainSigns(text).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return fact === 'name' ? [...new Set(words)].sort().join(' ') : words.join('');
}

/** `facts`: the person must confirm two. `differs`: it is about somebody else. */
export type Adoption = 'adopt' | 'facts' | 'differs' | 'none';

/** What an approval with these facts is good for, for a payment of this name and country. */
export function adoptionOf(
  known: IdentityFacts,
  { name, country }: { readonly name: string | null; readonly country: string | null },
): Adoption {
  const plain = plainFact('name', name ?? '');
  if (plain !== '' && plainFact('name', known.legalName ?? '') !== plain) return 'differs';
  const isElsewhere = known.country !== null && country !== null;
  if (isElsewhere && known.country !== country.toUpperCase()) return 'differs';
  if (known.submittedBy === 'person') return 'adopt';
  const hasTwo = known.bornHash !== null && (known.taxHash ?? known.documentHash) !== null;
  return hasTwo && known.factTries < FACT_TRIES_MAX ? 'facts' : 'none';
}

export function areFactsRight(known: IdentityFacts, typed: TypedFacts, hash: FactHash): boolean {
  const born = plainFact('born', typed.born);
  const number = plainFact('number', typed.number);
  if (born === '' || number === '') return false;
  const numberHash = hash('number', number);
  const isNumber = numberHash === known.taxHash || numberHash === known.documentHash;
  return isNumber && hash('born', born) === known.bornHash;
}
