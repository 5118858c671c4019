// Ids of the fake partner: `fake_<kind>_` and base64url of fields and a checksum. The fields
// describe the transaction and name its reference, so that the fake needs no memory. The checksum
// detects foreign ids and modes; it is no protection.
import { createHash } from 'node:crypto';
import type { Mode } from '../../core/domain/base/tenant.js';
import { assert } from '../../core/errors.js';

const digest = '([A-Za-z0-9_-]{12})';
const currency = '([A-Z]{3})';
const number = '(0|[1-9][0-9]{0,15})';
/** Ours, of a transaction. */
const reference = '([A-Za-z0-9_-]{1,64})';

const payee = '(?:\\.(fake_[A-Za-z0-9_-]+))?';

/** The fields of each kind, in their order. */
const forms = {
  /** when it is decided, decision, prepared at, reference */
  party: new RegExp(
    `^(at_once|later|never)\\.(approved|rejected|corrected|asked)\\.${number}\\.${reference}$`,
  ),
  /** digest */
  pix: new RegExp(`^${digest}$`),
  account: new RegExp(`^${digest}$`),
  /** currency, amount, rate, expires at */
  quote: new RegExp(`^${currency}\\.${number}\\.${number}\\.${number}$`),
  /**
   * whether it waits for the buyer, currency, amount, prepared at, the party that a transfer
   * without a pay-in is for, reference
   */
  payin: new RegExp(
    `^(arrives|waits|arrived)\\.${currency}\\.${number}\\.${number}${payee}\\.${reference}$`,
  ),
  /** currency, amount, rate, prepared at, reference */
  payout: new RegExp(`^${currency}\\.${number}\\.${number}\\.${number}\\.${reference}$`),
  /** currency, amount, prepared at, reference */
  refund: new RegExp(`^${currency}\\.${number}\\.${number}\\.${reference}$`),
} as const;

export type RefKind = keyof typeof forms;
export type RefField = string | number | bigint;

export function makeRef(mode: Mode, kind: RefKind, fields: readonly RefField[]): string {
  const text = fields.join('.');
  assert(forms[kind].test(text), `an id of the fake partner of kind ${kind} has its fields`);
  const packed = Buffer.from(`${text}.${checksum(mode, kind, text)}`).toString('base64url');
  return `fake_${kind}_${packed}`;
}

/** The fields of an id of this kind and mode, '' for an absent one; null for any other text. */
export function readRef(mode: Mode, kind: RefKind, ref: string): readonly string[] | null {
  const prefix = `fake_${kind}_`;
  if (!ref.startsWith(prefix)) return null;
  const packed = ref.slice(prefix.length);
  const bytes = Buffer.from(packed, 'base64url');
  if (bytes.toString('base64url') !== packed) return null;
  const whole = bytes.toString('latin1');
  const text = whole.slice(0, whole.lastIndexOf('.'));
  const fields = forms[kind].exec(text);
  if (fields === null || whole !== `${text}.${checksum(mode, kind, text)}`) return null;
  return fields.slice(1).map((field) => field ?? '');
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function checksum(mode: Mode, kind: RefKind, text: string): string {
  return digestOf(`${mode}.${kind}.${text}`).slice(0, 6);
}
