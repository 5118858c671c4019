// The document store as one simulated process sees it: a gate before and after each call, deletions
// that fail, and connections that the host cuts when an upload takes too long.
import { createMemoryDocuments } from '../../../adapters/documents/memory.js';
import { UPLOAD_TIME_MAX_MS } from '../../../core/domain/parties/document.js';
import { PonteError } from '../../../core/errors.js';
import type { DocumentStorage } from '../../../core/ports/outside.js';
import type { Faults } from './faults.js';
import type { Gates, SimulatedProcess } from './gates.js';

/** A document store in memory that lists its content: names of uploads by document. */
export interface OpenDocuments extends DocumentStorage {
  stored(): ReadonlyMap<string, readonly string[]>;
  /** Copies everything. The answer brings back what there was. */
  copy(): Promise<() => Promise<void>>;
}

export function openDocuments(): OpenDocuments {
  const storage = createMemoryDocuments();
  const stored = new Map<string, readonly string[]>();
  const keep = (documentId: string, names: readonly string[]) => {
    if (names.length > 0) stored.set(documentId, names);
    else stored.delete(documentId);
  };
  const put = async (documentId: string, name: string, bytes: AsyncIterable<Uint8Array>) => {
    await storage.put(documentId, name, bytes);
    keep(documentId, [...(stored.get(documentId) ?? []), name]);
  };
  return {
    ...storage,
    put,
    stored: () => stored,
    async copy() {
      const names = [...stored].flatMap(([id, ofOne]) => ofOne.map((name) => [id, name] as const));
      const copied = await Promise.all(
        names.map(async ([id, name]) => ({ id, name, chunks: await read(storage, id, name) })),
      );
      return async () => {
        for (const id of stored.keys()) await storage.purge(id, null);
        stored.clear();
        for (const { id, name, chunks } of copied) await put(id, name, each(chunks));
      };
    },
    async remove(documentId, name) {
      await storage.remove(documentId, name);
      keep(
        documentId,
        (stored.get(documentId) ?? []).filter((one) => one !== name),
      );
    },
    async purge(documentId, keptName) {
      await storage.purge(documentId, keptName);
      keep(
        documentId,
        (stored.get(documentId) ?? []).filter((one) => one === keptName),
      );
    },
  };
}

async function read(storage: DocumentStorage, documentId: string, name: string) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await storage.get(documentId, name)) ?? []) chunks.push(chunk);
  return chunks;
}

async function* each(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}

export function gatedDocuments(input: {
  readonly storage: DocumentStorage;
  readonly process: SimulatedProcess;
  readonly gates: Gates;
  readonly faults: Faults;
}): DocumentStorage {
  const { storage, process, gates, faults } = input;
  return {
    ...storage,
    async put(documentId, name, bytes) {
      // Bytes may have arrived whole although the process that took them in is dead.
      const arrive = () => storage.put(documentId, name, bytes);
      await gates.pass(process, `put ${documentId}`, () => void arrive().catch(() => undefined));
      await arrive();
      await gates.pass(process, `put ${documentId}: done`);
    },
    async get(documentId, name) {
      const bytes = await storage.get(documentId, name);
      await gates.pass(process, `get ${documentId}`);
      return bytes;
    },
    async remove(documentId, name) {
      const remove = () => storage.remove(documentId, name);
      await gates.pass(process, `remove of ${documentId}`, () => void remove());
      if (faults.occurs('purgeFailed')) {
        throw new PonteError('PartnerUnavailable', 'the document store is away');
      }
      await remove();
      await gates.pass(process, `remove of ${documentId}: done`);
    },
    async purge(documentId, keptName) {
      const purge = () => storage.purge(documentId, keptName);
      await gates.pass(process, `purge ${documentId}`, () => void purge());
      if (faults.occurs('purgeFailed')) {
        throw new PonteError('PartnerUnavailable', 'the document store is away');
      }
      await purge();
      await gates.pass(process, `purge ${documentId}: done`);
    },
  };
}

/** What a client sends; the host cuts the connection of one that takes too long. */
export async function* sentBytes(text: string, nowMs: () => number): AsyncIterable<Uint8Array> {
  const cutAtMs = nowMs() + UPLOAD_TIME_MAX_MS;
  const half = Math.ceil(text.length / 2);
  for (const part of [text.slice(0, half), text.slice(half)]) {
    if (nowMs() >= cutAtMs) throw new PonteError('ValidationError', 'the connection was cut');
    yield Buffer.from(part);
  }
}
