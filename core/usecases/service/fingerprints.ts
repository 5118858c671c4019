// Binds a database to what it uses outside. With another document folder, a host would miss uploads
// and record documents as purged that it does not have: the first start records a random
// fingerprint in both. With another instance of the partner, commands would count as absent that
// the former one has executed: the first start records its name. partner-instance.ts changes it.
import { type Mode, modes } from '../../domain/base/tenant.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';

const NAME = 'documents';
/** Commands that a message names. */
const NAMED_MAX = 5;
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
  return (await store.run((tx) => tx.fingerprints.get(NAME)))?.value ?? null;
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
      if ((await tx.fingerprints.get(NAME)) !== null) return;
      tx.fingerprints.insert({ name: NAME, value, createdAtMs: clock.nowMs() });
    },
    { inQuarantine: true },
  );
}

export type BoundPartner = Awaited<ReturnType<typeof readBound>>;

export function boundNameOf(mode: Mode): string {
  return `partner_${mode}`;
}

/** Binds the database to the partner of each mode, unless it is bound to one. */
export async function bindPartners({
  store,
  partners,
  clock,
}: Pick<Deps, 'store' | 'partners' | 'clock'>): Promise<void> {
  for (const mode of modes) {
    const value = partners[mode]?.instance ?? null;
    if (value === null) continue;
    await store.run(
      async (tx) => {
        const name = boundNameOf(mode);
        if ((await tx.fingerprints.get(name)) !== null) return;
        tx.fingerprints.insert({ name, value, createdAtMs: clock.nowMs() });
      },
      { inQuarantine: true },
    );
  }
}

export async function readBound({ partners }: Pick<Deps, 'partners'>, tx: Tx, mode: Mode) {
  const bound = (await tx.fingerprints.get(boundNameOf(mode)))?.value ?? null;
  const configured = partners[mode]?.instance ?? null;
  const unfinished =
    configured === null ? [] : await tx.commands.unfinishedElsewhere(mode, configured, NAMED_MAX);
  return {
    mode,
    /** The instance that has the commands of the database; null before the first start with one. */
    bound,
    /** Null if none is configured. */
    configured,
    /** Some of the commands that are not finished at another instance than the configured one. */
    unfinished,
  };
}

/** What is wrong with the partner of each mode; null if it is the one that has the commands. */
export async function partnerProblems(
  deps: Pick<Deps, 'store' | 'partners'>,
): Promise<Readonly<Record<Mode, string | null>>> {
  const [test, live] = await deps.store.run(async (tx) => [
    partnerProblem(await readBound(deps, tx, 'test')),
    partnerProblem(await readBound(deps, tx, 'live')),
  ]);
  return { test: test ?? null, live: live ?? null };
}

function partnerProblem({ mode, bound, configured, unfinished }: BoundPartner): string | null {
  const isBound = bound === null || configured === null || bound === configured;
  if (isBound && unfinished.length === 0) return null;
  const ids = unfinished.map(({ id }) => id).join(', ');
  const open = ids === '' ? 'None is open.' : `Not finished there: ${ids}.`;
  return (
    `the commands of this database are at ${unfinished[0]?.instance ?? bound}, not at ` +
    `${configured}: another instance does not know them. ${open} Configure that one again. If ` +
    `this is the same account at another address, or to begin with another one: ` +
    `ponte partner change --mode ${mode}`
  );
}
