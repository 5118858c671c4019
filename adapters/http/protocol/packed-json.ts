// A large JSON answer that is the same for everybody: packed once, sent packed to clients that read
// gzip (RFC 9110, 12.5.3).
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { readsGzip } from '../../../core/domain/base/accept-encoding.js';
import { RawJson } from '../../../core/domain/base/raw-json.js';

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
