// Binds a database to its document storage. Hosts that share a database must share the storage:
// with another folder, a host would miss uploads and record documents as purged that it does not
// have. So the first start records a random fingerprint in both.
import type { Deps } from '../../ports/deps.js';

const NAME = 'documents';
const FINGERPRINT_BYTES = 16;

type FingerprintContext = Pick<Deps, 'store' | 'documents' | 'ids' | 'clock'>;

/** A message if the storage does not belong to this database; else null. */
export async function documentStorageProblem({
  store,
  documents,
}: Pick<FingerprintContext, 'store' | 'documents'>): Promise<string | null> {
  if (documents === null) return null;
  const fingerprint = await documentFingerprint(store);
  if (fingerprint === null || (await documents.hasFingerprint(fingerprint))) return null;
  return (
    `${documents.place} is not where this database has its documents: ${fingerprint} is missing ` +
    'there. Give all hosts the same folder or bucket, and after a restore or a move bring the ' +
    'documents along; or set none. If they are lost for good, make an empty file or object ' +
    `${fingerprint} there`
  );
}

/** Null before the first start. */
export async function documentFingerprint(
  store: FingerprintContext['store'],
): Promise<string | null> {
  return (await store.run((tx) => tx.storageFingerprints.get(NAME)))?.value ?? null;
}

/** Records a fingerprint in the storage and in the database, unless the database has one. */
export async function fingerprintDocuments(deps: FingerprintContext): Promise<void> {
  const { store, documents, ids, clock } = deps;
  if (documents === null || (await documentFingerprint(store)) !== null) return;
  const value = `database-${Buffer.from(ids.randomBytes(FINGERPRINT_BYTES)).toString('hex')}`;
  // In the storage first: a fingerprint in the database only would prevent every start.
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
