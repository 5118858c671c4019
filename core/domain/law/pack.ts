// A pack: files in one ZIP, with a manifest of their digests that is signed with the key of signed
// bank details. It has no clock, so the same facts give the same bytes.
import { hash } from 'node:crypto';

export const packKinds = ['payment', 'month'] as const;
export type PackKind = (typeof packKinds)[number];

export const MANIFEST_FILE = 'manifest.json';
export const SIGNATURE_FILE = 'manifest.jws';

export interface PackedFile {
  /** Lower-case letters, digits, dots, hyphens, underscores and slashes. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface PackAbout {
  readonly kind: PackKind;
  /** The payment, or the month of a payee. */
  readonly subject: string;
  /** The address of the service, below which its public keys are. */
  readonly issuer: string;
}

export function packedFile(path: string, bytes: Uint8Array): PackedFile {
  return { path, bytes: bytes.length, sha256: hash('sha256', bytes, 'hex') };
}

/** The text that is signed. */
export function manifestText(
  { kind, subject, issuer }: PackAbout,
  files: readonly PackedFile[],
): string {
  const keys = `${issuer}/.well-known/ponte-keys.json`;
  return jsonText({ v: 1, kind, subject, issuer, keys, files });
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
