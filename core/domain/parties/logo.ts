// The logo of an organization on the pages of its buyers: a PNG or JPEG, without camera data.
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

/** The picture of a file without what a camera or a program wrote beside it, or a problem. */
export function readLogo(
  file: Uint8Array,
): (Pick<Logo, 'contentType' | 'hash'> & { readonly bytes: Uint8Array }) | LogoProblem {
  const bytes = file.length > LOGO_BYTES_MAX ? file : withoutMetadata(file);
  if (bytes.length === 0) return 'empty';
  if (bytes.length > LOGO_BYTES_MAX) return 'too_heavy';
  const contentType = logoTypes.find((type) => type === fileTypeOf(bytes));
  if (contentType === undefined) return 'not_a_picture';
  const size = contentType === 'image/png' ? pngSize(bytes) : jpegSize(bytes);
  if (size === null || size.width === 0 || size.height === 0) return 'not_a_picture';
  if (Math.max(size.width, size.height) > LOGO_SIDE_MAX) return 'too_wide';
  return { contentType, hash: hash('sha256', bytes, 'hex').slice(0, HASH_LENGTH), bytes };
}

/** Chunks that change how a picture looks. Others are texts, times, EXIF and frames. */
const pngChunks = ['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT'];
const PNG_START = 8;
/** APPn that say how a picture looks: JFIF, the colour profile, the colours of Adobe. */
const jpegApps = new Map([
  [0xe0, 'JFIF'],
  [0xe2, 'ICC_'],
  [0xee, 'Adob'],
]);

/**
 * A logo is public, and photographs say where they were taken. What follows a malformed part, or
 * the end of the picture, is left out.
 */
function withoutMetadata(bytes: Uint8Array): Uint8Array {
  const type = fileTypeOf(bytes);
  if (type === 'image/png') return concat([bytes.subarray(0, PNG_START), ...pngParts(bytes)]);
  if (type === 'image/jpeg') return concat([bytes.subarray(0, 2), ...jpegParts(bytes)]);
  return bytes;
}

function* pngParts(bytes: Uint8Array): Generator<Uint8Array> {
  const view = viewOf(bytes);
  for (let at = PNG_START; at + 12 <= bytes.length; ) {
    const end = at + 12 + view.getUint32(at);
    if (end > bytes.length) return;
    const name = textAt(bytes, at + 4, 4);
    if (pngChunks.includes(name)) yield bytes.subarray(at, end);
    if (name === 'IEND') return;
    at = end;
  }
}

function* jpegParts(bytes: Uint8Array): Generator<Uint8Array> {
  const view = viewOf(bytes);
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) break;
    // The coded data of a scan has no length: it ends at the next marker.
    const isScan = marker === 0xda;
    const end = isScan ? scanEnd(bytes, at + 2) : at + 2 + view.getUint16(at + 2);
    if (end > bytes.length) return;
    if (!isAboutFile(bytes, at, marker)) yield bytes.subarray(at, end);
    at = end;
  }
  yield Uint8Array.of(0xff, 0xd9);
}

/** A comment, or an APPn with EXIF, XMP, a preview or other data of a camera. */
function isAboutFile(bytes: Uint8Array, at: number, marker: number): boolean {
  if (marker === 0xfe) return true;
  return marker >= 0xe0 && marker <= 0xef && jpegApps.get(marker) !== textAt(bytes, at + 4, 4);
}

/** The next marker that is no restart within the scan. */
function scanEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at + 1 < bytes.length; at += 1) {
    const next = bytes[at + 1] ?? 0;
    const isCoded = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (bytes[at] === 0xff && !isCoded) return at;
  }
  return bytes.length;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
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
