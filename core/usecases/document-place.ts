// Whether the place where documents lie is that of the database. Hosts that share a database share
// their documents too: one with a folder of its own would not find what others took in, and record
// as purged what it never had. So the first start leaves a mark there that the database knows.
import type { Deps } from '../ports.js';

const MARK = 'documents';
const MARK_BYTES = 16;

type Needs = Pick<Deps, 'store' | 'documents' | 'ids' | 'clock'>;

/** What is wrong with the place, in words; null when nothing is, or no documents are kept. */
export async function documentPlaceProblem({
  store,
  documents,
}: Pick<Needs, 'store' | 'documents'>): Promise<string | null> {
  if (documents === null) return null;
  const mark = await documentsMark(store);
  if (mark === null || (await documents.hasMark(mark))) return null;
  return (
    `${documents.place} is not where this database has its documents: ${mark} is missing ` +
    'there. Give all hosts one shared folder, and after a restore or a move bring the documents ' +
    `along; or set none. If they are lost for good, make an empty file ${mark} there`
  );
}

/** The mark that this database knows; null where none was left. */
export async function documentsMark(store: Needs['store']): Promise<string | null> {
  return (await store.run((tx) => tx.marks.get(MARK)))?.value ?? null;
}

/** From now on the database knows this place, unless it knows one. */
export async function markDocumentPlace(deps: Needs): Promise<void> {
  const { store, documents, ids, clock } = deps;
  if (documents === null || (await documentsMark(store)) !== null) return;
  const value = `database-${Buffer.from(ids.randomBytes(MARK_BYTES)).toString('hex')}`;
  // There first: a mark that no database knows does no harm, one that is nowhere stops every start.
  await documents.leaveMark(value);
  await store.run(
    async (tx) => {
      // Another host was first, and this place is its own or not.
      if ((await tx.marks.get(MARK)) !== null) return;
      tx.marks.insert({ name: MARK, value, createdAtMs: clock.nowMs() });
    },
    { inQuarantine: true },
  );
}
