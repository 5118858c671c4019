// The type of an uploaded file by its first bytes. What a browser declares follows from the name
// of the file, which anybody can choose.
import type { Mode } from '../base/tenant.js';
import type { ContentType } from './document.js';

/** Bytes that decide. */
export const FILE_HEAD_BYTES = 16;

/** `heic`: a photo as iPhones store it, which the settlement partner does not read. */
export type FileType = ContentType | 'heic';

/** Each alternative: an offset, and the bytes there in Latin-1. */
const signatures: readonly (readonly [FileType, number, readonly string[]])[] = [
  ['image/jpeg', 0, ['\xff\xd8\xff']],
  ['image/png', 0, ['\x89PNG\r\n\x1a\n']],
  ['application/pdf', 0, ['%PDF-']],
  // ISO/IEC 23008-12: the brand of the file follows `ftyp`.
  [
    'heic',
    4,
    ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1'].map(
      (brand) => `ftyp${brand}`,
    ),
  ],
];

/** Returns null for another type. */
export function fileTypeOf(head: Uint8Array): FileType | null {
  const text = String.fromCharCode(...head.subarray(0, FILE_HEAD_BYTES));
  const found = signatures.find(([, offset, starts]) =>
    starts.some((start) => text.startsWith(start, offset)),
  );
  return found?.[0] ?? null;
}

/** HTML, SVG or XML, which a browser could run. */
const markup = /^(\xef\xbb\xbf)?\s*</;

/**
 * Whether a file with these first bytes may be stored as this type. Test mode also takes a
 * placeholder of no known type, as integrators send it, but no markup.
 */
export function isOfType(type: ContentType, head: Uint8Array, mode: Mode): boolean {
  const found = fileTypeOf(head);
  if (found !== null || mode === 'live') return found === type;
  return !markup.test(String.fromCharCode(...head.subarray(0, FILE_HEAD_BYTES)));
}

/**
 * Whether a browser may declare this type for such a file: one photo format for the other is a
 * wrong file name, a PDF for a photo is not. Some declare nothing.
 */
export function fitsDeclared(type: ContentType, declared: string): boolean {
  const given = declared.split(';')[0]?.trim().toLowerCase() ?? '';
  if (given === '' || given === 'application/octet-stream') return true;
  return given.startsWith('image/') === type.startsWith('image/');
}
