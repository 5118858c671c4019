// A large JSON answer that is the same for everybody: its bytes are made once and shared by all
// clients, packed for those that read gzip (RFC 9110, 12.5.3).
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { readsGzip } from '../../../core/domain/base/accept-encoding.js';
import { RawJson } from '../../../core/domain/base/raw-json.js';

export interface SharedBytes {
  readonly bytes: Buffer;
  readonly isPacked: boolean;
}

export class PackedJson extends RawJson {
  #plain: SharedBytes | null = null;
  #packed: SharedBytes | null = null;

  bytesFor({ headers }: Pick<IncomingMessage, 'headers'>): SharedBytes {
    this.#plain ??= { bytes: Buffer.from(this.text), isPacked: false };
    if (!readsGzip(`${headers['accept-encoding'] ?? ''}`)) return this.#plain;
    this.#packed ??= { bytes: gzipSync(this.#plain.bytes), isPacked: true };
    return this.#packed;
  }
}
