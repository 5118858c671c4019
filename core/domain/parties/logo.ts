// The logo of an organization on the pages of its buyers: a PNG or JPEG, which is shown as it is.
import { hash } from 'node:crypto';
import type { ContentType } from './document.js';
import { fileTypeOf } from './file-type.js';

/** It is shown 28 px high; a page must not wait for it. */
export const LOGO_BYTES_MAX = 100 * 1_024;
/** Maximum length of a side, in pixels: a small file can be a large picture. */
export const LOGO_SIDE_MAX = 1_000;
const HASH_LENGTH = 16;

export const logoTypes = ['image/png', 'image/jpeg'] as const satisfies readonly ContentType[];

/** Why a file is not taken; the pages have the words. */
export type LogoProblem = 'empty' | 'too_heavy' | 'not_a_picture' | 'too_wide';

export interface Logo {
  readonly orgId: string;
  readonly contentType: (typeof logoTypes)[number];
  /** In its address, so that browsers may keep it. */
  readonly hash: string;
  /** The file in Base64. */
  readonly content: string;
  readonly version: number;
}

/** What a file says of itself by its bytes, or why it is not taken. */
export function readLogo(bytes: Uint8Array): Pick<Logo, 'contentType' | 'hash'> | LogoProblem {
  if (bytes.length === 0) return 'empty';
  if (bytes.length > LOGO_BYTES_MAX) return 'too_heavy';
  const contentType = logoTypes.find((type) => type === fileTypeOf(bytes));
  if (contentType === undefined) return 'not_a_picture';
  const size = contentType === 'image/png' ? pngSize(bytes) : jpegSize(bytes);
  if (size === null || size.width === 0 || size.height === 0) return 'not_a_picture';
  if (Math.max(size.width, size.height) > LOGO_SIDE_MAX) return 'too_wide';
  return { contentType, hash: hash('sha256', bytes, 'hex').slice(0, HASH_LENGTH) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The header IHDR is the first chunk, after the signature of 8 bytes. */
function pngSize(bytes: Uint8Array): Size | null {
  const view = viewOf(bytes);
  const isHeader = bytes.length >= 33 && textAt(bytes, 12, 4) === 'IHDR';
  return isHeader ? { width: view.getUint32(16), height: view.getUint32(20) } : null;
}

/** The segment SOF, of any coding but those that are no frame (DHT, JPG, DAC). */
function jpegSize(bytes: Uint8Array): Size | null {
  const view = viewOf(bytes);
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    // The picture begins without a frame.
    if (marker === 0xda || marker === 0xd9) return null;
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
