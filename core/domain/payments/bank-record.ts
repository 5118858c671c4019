// Bank details as a payment gave them to its buyer: a signed record, and a check code that payee
// and buyer can compare by phone. Payments are diverted by changed bank details; the code makes a
// change visible.
import { hash } from 'node:crypto';
import { formatInstant } from '../base/instant.js';
import { formatAmount } from '../base/money.js';
import type { Tenant } from '../base/tenant.js';
import { plainSigns } from '../base/typed-text.js';
import type {
  InstructionField,
  PayinInstructions,
  RailInstructions,
} from './payin-instructions.js';
import type { Payment } from './payment.js';

export interface BankDetails extends Tenant {
  readonly paymentId: string;
  /** Identifies the record, and these details among those of the payment. */
  readonly checkCode: string;
  /** The short id of the hosted page, for people who type it. */
  readonly shortId: string;
  readonly buyerId: string;
  /** Null if it was not stored with the payment. */
  readonly payeeName: string | null;
  /** Canonical JSON. */
  readonly record: string;
  /** A JWS over the record, compact and detached (RFC 7515, appendix F). */
  readonly signature: string;
  /** The key in /.well-known/ponte-keys.json. */
  readonly keyId: string;
  readonly issuedAtMs: number;
}

/** An account in bank details, as it is searched. */
export interface BankAccount {
  /** Covers the number with its bank. */
  readonly accountHash: string;
  /** Covers the number alone, which people type. */
  readonly numberHash: string;
}

const RECORD_VERSION = 1;
/** 5 bits a character: enough that a forged record does not meet the code by chance. */
const CODE_LENGTH = 8;
export const CODE_BYTES = 5;

/** Crockford base32: without I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeForm = new RegExp(`^[${alphabet}]{${CODE_LENGTH}}$`);

/** The text that is signed: equal details of a payment at one time give equal texts. */
export function bankDetailsRecord(
  { publicId, payeeName }: Pick<Payment, 'publicId' | 'payeeName'>,
  { rails, amount, reference }: PayinInstructions,
  issuedAtMs: number,
): string {
  return canonicalJson({
    v: RECORD_VERSION,
    publicId,
    payee: payeeName,
    rails: rails.map(({ rail, fields }) => ({
      rail,
      fields: fields.map(({ name, value }) => ({ name, value })),
    })),
    amount: formatAmount(amount.amountMinor),
    currency: amount.currency,
    reference,
    issuedAt: formatInstant(issuedAtMs),
  });
}

/** The first 40 bits of the record's SHA-256, as in `7KQ4-M2XD`. */
export function checkCodeOf(record: string): string {
  return codeOf(hash('sha256', record, 'buffer'));
}

/** Reveals nothing of the page's own id, which opens it. */
export function shortIdOf(publicId: string): string {
  return codeOf(hash('sha256', `page ${publicId}`, 'buffer'));
}

/** What the payer of a consolidated payment writes, from random bytes. */
export function consolidatedReferenceOf(random: Uint8Array): string {
  return codeOf(Buffer.from(random));
}

/** The code that a person typed, with O for 0 or without the dash; null if it is none. */
export function readCode(text: string): string | null {
  const bare = plainSigns(text)
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  return codeForm.test(bare) ? withDash(bare) : null;
}

/** The accounts of all rails, each once. */
export function accountsIn({ rails }: Pick<PayinInstructions, 'rails'>): readonly BankAccount[] {
  const accounts = rails.flatMap(accountsOfRail);
  return [...new Map(accounts.map((account) => [account.accountHash, account])).values()];
}

/** Returns null for a text without a letter or digit. */
export function numberHashOf(typed: string): string | null {
  const bare = bareNumber(typed);
  return bare === '' ? null : hash('sha256', `number ${bare}`);
}

function accountsOfRail({ fields }: RailInstructions): readonly BankAccount[] {
  const fieldOf = (wanted: InstructionField) =>
    bareNumber(fields.find(({ name }) => name === wanted)?.value ?? '');
  const bank = fieldOf('routingNumber') || fieldOf('bic') || fieldOf('code');
  return (['iban', 'accountNumber'] as const).flatMap((kind) => {
    const number = fieldOf(kind);
    const numberHash = numberHashOf(number);
    if (numberHash === null) return [];
    // An IBAN contains its bank.
    const account = kind === 'iban' ? number : `${bank} ${number}`;
    return [{ accountHash: hash('sha256', `account ${account}`), numberHash }];
  });
}

/** Blanks, dashes and dots differ between papers. */
function bareNumber(text: string): string {
  return plainSigns(text)
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function codeOf(digest: Buffer): string {
  let bits = digest.readUIntBE(0, CODE_BYTES);
  let text = '';
  for (let count = 0; count < CODE_LENGTH; count += 1) {
    text = alphabet.charAt(bits % alphabet.length) + text;
    bits = Math.floor(bits / alphabet.length);
  }
  return withDash(text);
}

function withDash(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`;
}

type Json = string | number | null | readonly Json[] | { readonly [name: string]: Json };

/** As RFC 8785 writes it: without blanks, names sorted. Numbers here are whole. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const named = Object.entries(value as Readonly<Record<string, Json>>);
  const sorted = named.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const written = sorted.map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`);
  return `{${written.join(',')}}`;
}
