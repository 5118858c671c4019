// Documents in memory, for tests and embedding.
import { assert } from '../../core/errors.js';
import type { ByteSource, DocumentStorage } from '../../core/ports/outside.js';

export function createMemoryDocuments(): DocumentStorage {
  const documents = new Map<string, Map<string, Uint8Array>>();
  const fingerprints = new Set<string>();
  return {
    place: 'memory',
    async recordFingerprint(fingerprint) {
      fingerprints.add(fingerprint);
    },
    hasFingerprint: async (fingerprint) => fingerprints.has(fingerprint),
    async put(documentId, name, bytes) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) chunks.push(chunk);
      const uploads = documents.get(documentId) ?? new Map<string, Uint8Array>();
      assert(!uploads.has(name), 'each upload has a different name');
      documents.set(documentId, uploads.set(name, Buffer.concat(chunks)));
    },
    async get(documentId, name) {
      const bytes = documents.get(documentId)?.get(name);
      return bytes === undefined ? null : once(bytes);
    },
    async remove(documentId, name) {
      documents.get(documentId)?.delete(name);
    },
    async purge(documentId, keptName) {
      const kept = keptName === null ? undefined : documents.get(documentId)?.get(keptName);
      if (keptName === null || kept === undefined) documents.delete(documentId);
      else documents.set(documentId, new Map([[keptName, kept]]));
    },
    async list({ afterId, limit }) {
      const ids = [...documents.keys()].toSorted();
      return ids.filter((id) => afterId === null || id > afterId).slice(0, limit);
    },
  };
}

function once(bytes: Uint8Array): ByteSource {
  return {
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
    close: async () => undefined,
  };
}
