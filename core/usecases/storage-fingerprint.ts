// Binds a database to its document storage. Hosts that share a database must share their documents:
// a host with another folder would miss the uploads of others, and record documents as purged that
// it never had. The first start therefore records a random fingerprint in both places.
import type { Deps } from '../ports/deps.js';

const NAME = 'documents';
const FINGERPRINT_BYTES = 16;

type Needs = Pick<Deps, 'store' | 'documents' | 'ids' | 'clock'>;

/** Why the storage is not the one of this database; null if it is, or if none is configured. */
export async function documentStorageProblem({
  store,
  documents,
}: Pick<Needs, 'store' | 'documents'>): Promise<string | null> {
  if (documents === null) return null;
  const fingerprint = await documentFingerprint(store);
  if (fingerprint === null || (await documents.hasFingerprint(fingerprint))) return null;
  return (
    `${documents.place} is not where this database has its documents: ${fingerprint} is missing ` +
    'there. Give all hosts one shared folder, and after a restore or a move bring the documents ' +
    `along; or set none. If they are lost for good, make an empty file ${fingerprint} there`
  );
}

/** The fingerprint in the database; null before there is one. */
export async function documentFingerprint(store: Needs['store']): Promise<string | null> {
  return (await store.run((tx) => tx.storageFingerprints.get(NAME)))?.value ?? null;
}

/** Records a fingerprint in the storage and in the database, unless the database has one. */
export async function fingerprintDocuments(deps: Needs): Promise<void> {
  const { store, documents, ids, clock } = deps;
  if (documents === null || (await documentFingerprint(store)) !== null) return;
  const value = `database-${Buffer.from(ids.randomBytes(FINGERPRINT_BYTES)).toString('hex')}`;
  // In the storage first: a fingerprint that is in the database only would stop every start.
  await documents.recordFingerprint(value);
  await store.run(
    async (tx) => {
      // Another host was first.
      if ((await tx.storageFingerprints.get(NAME)) !== null) return;
      tx.storageFingerprints.insert({ name: NAME, value, createdAtMs: clock.nowMs() });
    },
    { inQuarantine: true },
  );
}
