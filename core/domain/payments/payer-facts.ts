// Who pays: the buyer as the settlement partner verified it, and the payers as banks wrote them on
// the transfers that arrived. A payment keeps both, because laws ask for the payer abroad. Personal
// data: never logged.
import { isMisleading } from '../base/checked-text.js';
import { plainSigns } from '../base/typed-text.js';
import type { Payer } from '../commands/payer.js';

export interface VerifiedPayer {
  readonly name: string;
  /** ISO 3166-1, two letters. */
  readonly country: string | null;
}

export interface ToldPayer {
  readonly name: string;
  readonly bank: string | null;
}

/** Who sent the money of a pay-in command. */
interface Sender extends ToldPayer {
  readonly payinId: string;
}

export interface PayerFacts {
  /** As of the confirmation of the price; null if no name is known. */
  readonly verified: VerifiedPayer | null;
  /** Each once for a pay-in, in the order of their reports; `TOLD_MAX` at most. */
  readonly told: readonly Sender[];
}

export const payerAgreements = {
  agrees: 'every name that a bank wrote is the verified one',
  differs: 'a bank wrote another name than the verified one',
  not_told: 'no bank wrote a name, or none is verified',
} as const;

export type PayerAgreement = keyof typeof payerAgreements;
export const payerAgreementNames = Object.keys(payerAgreements) as readonly PayerAgreement[];

const noPayer: PayerFacts = Object.freeze({ verified: null, told: [] });
const TOLD_MAX = 10;
/** A name on a bank statement has at most 140 characters (ISO 20022, Max140Text). */
const NAME_MAX = 140;
/** A beginning that is as long as this counts as the word: banks cut names. */
const CUT_MIN = 8;
/** Forms of companies and joining words, which banks add, drop and abbreviate. */
const formWords: ReadonlySet<string> = new Set(
  (
    'inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh ag kg ug ohg ' +
    'sa sas sarl srl sl spa bv nv oy ab as aps pty pte kk ltda me eireli the and und et e y ' +
    'de da do'
  ).split(' '),
);

/** Letters that Unicode does not decompose. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** Null without a name. */
export function verifiedPayer(name: string | null, country: string | null): VerifiedPayer | null {
  const plain = line(name);
  if (plain === null) return null;
  return Object.freeze({ name: plain, country: country?.toUpperCase() ?? null });
}

export function withVerified(facts: PayerFacts | null, verified: VerifiedPayer): PayerFacts {
  return Object.freeze({ ...(facts ?? noPayer), verified });
}

/** Returns `facts` if the bank says nothing new. */
export function withTold(
  facts: PayerFacts | null,
  payinId: string,
  payer: Payer | null,
): PayerFacts | null {
  const name = line(payer?.name);
  const told = facts?.told ?? [];
  if (name === null || told.length >= TOLD_MAX) return facts;
  const bank = line(payer?.bank);
  const sender = { name, bank, payinId };
  if (told.some((one) => isSame(one, sender) && one.payinId === payinId)) return facts;
  return Object.freeze({ ...(facts ?? noPayer), told: [...told, sender] });
}

function isSame(one: ToldPayer, other: ToldPayer): boolean {
  return one.name === other.name && one.bank === other.bank;
}

/** As its first report has them: null if the bank of the pay-in says nothing. */
export function senderOf(facts: PayerFacts | null, payinId: string): ToldPayer | null {
  return facts?.told.find((one) => one.payinId === payinId) ?? null;
}

export function senderNamesOf(facts: PayerFacts | null): readonly string[] {
  return [...new Set((facts?.told ?? []).map(({ name }) => name))];
}

export function payerAgreement(facts: PayerFacts | null): PayerAgreement {
  const { verified, told } = facts ?? noPayer;
  if (verified === null || told.length === 0) return 'not_told';
  return told.every(({ name }) => isNameOf(verified.name, name)) ? 'agrees' : 'differs';
}

export interface ShownPayer {
  /** As the settlement partner verified it; null: no name is known. */
  readonly name: string | null;
  readonly country: string | null;
  readonly agreement: PayerAgreement;
  /** As banks wrote it, each once. */
  readonly told: readonly ToldPayer[];
}

export function shownPayer(facts: PayerFacts): ShownPayer {
  const { verified } = facts;
  const [name, country] = [verified?.name ?? null, verified?.country ?? null];
  const told = facts.told
    .filter((one, at) => facts.told.findIndex((other) => isSame(one, other)) === at)
    .map((one) => ({ name: one.name, bank: one.bank }));
  return { name, country, agreement: payerAgreement(facts), told };
}

/** For operators, in English. */
export function payerText({ name, country, agreement, told }: ShownPayer): string {
  const verified = [name ?? 'no verified name', country].filter((text) => text !== null).join(', ');
  const names = told.map((one) => one.name).join(' / ') || 'unnamed';
  return `${verified}; by bank ${names}: ${payerAgreements[agreement]}`;
}

/**
 * Whether a bank may print the verified name so. Accents, case, punctuation, order and forms of
 * companies do not count. Each word of the bank is another word of the name, or the beginning of
 * one. At least two are whole words, or they are all words of the name and one is whole.
 */
export function isNameOf(verified: string, printed: string): boolean {
  const [name, bank] = [wordsOf(verified), wordsOf(printed)];
  if (name.length === 0 || bank.length === 0) return false;
  if (name.toSorted().join('') === bank.toSorted().join('')) return true;
  if (name.join('') === bank.join('')) return true;
  const left = [...name];
  let whole = 0;
  // Whole words first: a beginning must not take the word of another one.
  for (const word of bank.toSorted((one, other) => other.length - one.length)) {
    const same = left.indexOf(word);
    const at = same >= 0 ? same : left.findIndex((one) => one.startsWith(word));
    if (at < 0) return false;
    left.splice(at, 1);
    if (same >= 0 || word.length >= CUT_MIN) whole += 1;
  }
  return whole >= 2 || (left.length === 0 && whole >= 1);
}

function wordsOf(text: string): readonly string[] {
  const words = basic(plainSigns(text.slice(0, NAME_MAX)))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const own = words.filter((word) => !formWords.has(word));
  return own.length > 0 ? own : words;
}

/** In the letters that banks use: `Müller`, `Mueller` and `MULLER` are the same. */
function basic(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’`.]/gu, '')
    .toLowerCase()
    .replace(/[ßøæœłđðþı]/g, (sign) => letters[sign] ?? sign)
    .replace(/([aou])e/g, '$1');
}

/** On one line; null if it has no sign that counts. */
function line(text: string | null | undefined): string | null {
  const plain = [...(text ?? '')].map((sign) => (isMisleading(sign) ? ' ' : sign)).join('');
  const short = [...plain.replace(/\s+/g, ' ').trim()].slice(0, NAME_MAX).join('').trim();
  return /[\p{L}\p{N}]/u.test(short) ? short : null;
}
