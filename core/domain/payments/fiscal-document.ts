// The fiscal document of the seller behind a payment: the NF-e of goods, the NFS-e of services, or
// another one. Its access key contains who issued it, its number and its month.
import { readCnpj, readCpf, weightedCheckDigit } from '../parties/tax-id.js';

export const fiscalDocumentKinds = ['nfe', 'nfse', 'other'] as const;
export type FiscalDocumentKind = (typeof fiscalDocumentKinds)[number];

export interface FiscalDocument {
  readonly kind: FiscalDocumentKind;
  /** The access key, without blanks. */
  readonly key: string | null;
  readonly number: string | null;
  /** YYYY-MM-DD. */
  readonly issuedOn: string | null;
}

/** Letters since 2026, or the CPF of a person behind three zeros. */
const issuer = '(?<issuer>[0-9A-Z]{12}[0-9]{2})';

/**
 * The parts of an access key. NF-e, 44 characters: state, year and month, issuer, model 55, series,
 * number, kind of emission, code, check digit (Nota Técnica 2025.001). NFS-e of the national
 * system, 50 characters: municipality, system, kind of issuer, issuer, number, year and month,
 * code, check digit. No public text states how that digit is made, so it is not checked.
 */
const keyForms = {
  nfe: new RegExp(`^[1-5][0-9](?<month>[0-9]{4})${issuer}55[0-9]{3}(?<number>[0-9]{9})[0-9]{10}$`),
  nfse: new RegExp(
    `^[1-5][0-9]{6}[12]{2}${issuer}(?<number>[0-9]{13})(?<month>[0-9]{4})[0-9]{10}$`,
  ),
} as const;

export interface FiscalKey {
  readonly key: string;
  /** Without leading zeros. */
  readonly number: string;
}

/** Null for a text that is no key of this kind, or has a wrong issuer, month or check digit. */
export function readFiscalKey(kind: FiscalDocumentKind, text: string): FiscalKey | null {
  if (kind === 'other') return null;
  const key = text.replace(/[\s.-]/g, '').toUpperCase();
  const { issuer: issuedBy = '', number = '', month = '' } = keyForms[kind].exec(key)?.groups ?? {};
  const isIssued = readCnpj(issuedBy) !== null || readCpf(issuedBy.replace(/^000/, '')) !== null;
  const isMonth = /^[0-9]{2}(0[1-9]|1[0-2])$/.test(month);
  if (!isIssued || !isMonth || /^0+$/.test(number)) return null;
  const isChecked = kind !== 'nfe' || key.endsWith(weightedCheckDigit(key.slice(0, -1), 9));
  return isChecked ? { key, number: number.replace(/^0+/, '') } : null;
}

/** The document of a key alone, of either kind; null for a text that is no key. */
export function fiscalDocumentOfKey(text: string): FiscalDocument | null {
  for (const kind of fiscalDocumentKinds) {
    const read = readFiscalKey(kind, text);
    if (read !== null) return Object.freeze({ kind, ...read, issuedOn: null });
  }
  return null;
}

/** The document without its key if that has the CPF of a person, such as a farmer. */
export function withoutIssuer(document: FiscalDocument): FiscalDocument {
  const { kind, key } = document;
  if (kind === 'other' || key === null) return document;
  const { issuer: issuedBy = '' } = keyForms[kind].exec(key)?.groups ?? {};
  const isPerson = readCnpj(issuedBy) === null;
  return isPerson ? Object.freeze({ ...document, key: null }) : document;
}

export function writeFiscalDocument({ kind, key, number, issuedOn }: FiscalDocument): string {
  return JSON.stringify({ kind, key, number, issuedOn });
}

export function readFiscalDocument(text: string): FiscalDocument {
  return Object.freeze(JSON.parse(text) as FiscalDocument);
}
