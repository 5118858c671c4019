// A large JSON answer that is the same for everybody: packed once, sent packed to clients that read
// gzip (RFC 9110, 12.5.3).
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { RawJson } from '../../../core/domain/base/raw-json.js';

/** More codings than any client names. */
const CODINGS_MAX = 20;
const qualityForm = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i;

export class PackedJson extends RawJson {
  #packed: Buffer | null = null;

  get packed(): Buffer {
    this.#packed ??= gzipSync(this.text);
    return this.#packed;
  }
}

/** Null if the answer is not packed, or the client does not read gzip. */
export function packedFor(
  { headers }: Pick<IncomingMessage, 'headers'>,
  body: unknown,
): Buffer | null {
  if (!(body instanceof PackedJson)) return null;
  return readsGzip(`${headers['accept-encoding'] ?? ''}`) ? body.packed : null;
}

export function readsGzip(acceptEncoding: string): boolean {
  const qualities = new Map(
    acceptEncoding.split(',', CODINGS_MAX).map((part) => {
      const [name = '', ...parameters] = part.split(';', 4);
      const given = parameters.flatMap((one) => qualityForm.exec(one)?.[1] ?? []);
      return [name.trim().toLowerCase(), Number(given[0] ?? 1)];
    }),
  );
  return (qualities.get('gzip') ?? qualities.get('*') ?? 0) > 0;
}
