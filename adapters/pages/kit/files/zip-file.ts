// Files as one ZIP, written while they are read: a packet of large files takes no more memory than
// one part of them.
import { Zip, ZipPassThrough } from 'fflate';
import type { ByteSource } from '../../../../core/ports/outside.js';

type Entry = Readonly<{ name: string; bytes: ByteSource }>;

/** Each is opened once the one before is read; null: it is left out. */
export function zipFile(open: readonly (() => Promise<Entry | null>)[], atMs: number): ByteSource {
  let current: ByteSource | null = null;
  async function* written(): AsyncGenerator<Uint8Array> {
    const parts: Uint8Array[] = [];
    const zip = new Zip((error, part) => {
      if (error !== null) throw error;
      parts.push(part);
    });
    for (const openOne of open) {
      const entry = await openOne();
      if (entry === null) continue;
      // Scans and PDF files are compressed already.
      const file = new ZipPassThrough(entry.name);
      file.mtime = atMs;
      zip.add(file);
      current = entry.bytes;
      for await (const chunk of entry.bytes) {
        file.push(chunk);
        yield* parts.splice(0);
      }
      file.push(new Uint8Array(), true);
      yield* parts.splice(0);
    }
    zip.end();
    yield* parts.splice(0);
  }
  const source = written();
  return {
    [Symbol.asyncIterator]: () => source,
    async close() {
      await current?.close();
      await source.return(undefined);
    },
  };
}
