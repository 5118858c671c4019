// Which pictures a file can have. PDFKit decodes a PNG with transparency in a callback, where an
// error ends the process. So it gets only pictures whose data is whole.
import { inflateSync } from 'node:zlib';

const PNG_START = 8;
/** Samples of a pixel, by the color type. */
const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The highest type of filter, which begins each line. */
const FILTER_MAX = 4;

/** Whether it is a JPEG, or a PNG that is whole and that PDFKit draws. */
export function isDrawablePicture(bytes: Uint8Array): boolean {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return true;
  try {
    return isDrawablePng(Buffer.from(bytes));
  } catch {
    // Its data ends early, or is not compressed as it says.
    return false;
  }
}

function isDrawablePng(bytes: Buffer): boolean {
  const chunks = chunksOf(bytes);
  // PDFKit takes the last of what comes twice, such as a header of other sides.
  if ([...chunks].some(([name, all]) => name !== 'IDAT' && all.length > 1)) return false;
  const [header] = chunks.get('IHDR') ?? [];
  const data = chunks.get('IDAT');
  if (header === undefined || data === undefined || !chunks.has('IEND')) return false;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth = 0, colorType = 0, , , interlace = 0] = header.subarray(8);
  const samples = channels[colorType];
  if (samples === undefined || interlace !== 0 || depth > 8) return false;
  // A palette has its own chunk; what is decoded has one byte for a sample.
  if (colorType === 3 && !chunks.has('PLTE')) return false;
  if (depth !== 8 && (colorType > 3 || chunks.has('tRNS'))) return false;
  const line = 1 + Math.ceil((width * samples * depth) / 8);
  const lines = inflateSync(Buffer.concat(data), { maxOutputLength: line * height });
  if (lines.length !== line * height) return false;
  for (let at = 0; at < lines.length; at += line) {
    if ((lines[at] ?? 0) > FILTER_MAX) return false;
  }
  return true;
}

function chunksOf(bytes: Buffer): ReadonlyMap<string, readonly Buffer[]> {
  const chunks = new Map<string, readonly Buffer[]>();
  for (let at = PNG_START; at < bytes.length; ) {
    const start = at + 8;
    const end = start + bytes.readUInt32BE(at);
    const name = bytes.toString('latin1', at + 4, start);
    if (end + 4 > bytes.length) throw new RangeError('the chunk is cut');
    chunks.set(name, [...(chunks.get(name) ?? []), bytes.subarray(start, end)]);
    if (name === 'IEND') break;
    at = end + 4;
  }
  return chunks;
}
