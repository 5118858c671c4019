// Retires secret keys: re-seals every text under the first key, in small batches while the service
// runs. Each sealed text names its key, so an interrupted reseal is run again.
//
// The other keys are marked as retiring first. A batch that seals under such a key puts it back in
// use. So a key is removed only if no text is under it and it was not used since it was marked.
//
// The session key is rotated too: a leaked secret key and a copy of the database reveal it.
import { type SealedColumn, sealedColumns } from '../../domain/service/sealed-columns.js';
import { type KeyCheckValue, keyIdOf } from '../../domain/service/sealed-text.js';
import { isCurrentKey } from '../../domain/service/service-key.js';
import { AssertionFailure } from '../../errors.js';
import type { SealedRow, Tx } from '../../ports/storage.js';
import { recordKeyCheckValue } from './secret-keys.js';
import {
  type KeyNeeds,
  newServiceKey,
  type RotatedSessionKey,
  stageRotation,
} from './service-keys.js';

/** Bounds how long a batch delays other writes. */
const ROWS_PER_BATCH = 200;
/** Concurrent writes may add texts during a round, hardly in three. */
const ROUNDS_MAX = 3;

const columns = Object.keys(sealedColumns) as readonly SealedColumn[];

export interface Reseal {
  /** The first secret key. */
  readonly keyId: string;
  readonly columns: readonly ResealedColumn[];
  /** Null if the session key was not rotated. */
  readonly sessionKey: RotatedSessionKey | null;
  /** Other keys, removed by this run. */
  readonly retiredKeys: readonly string[];
  /** Other keys that must stay configured. */
  readonly requiredKeys: readonly string[];
  /** Those of the required keys that a process used during this run. */
  readonly keysInUse: readonly string[];
}

interface ResealedColumn {
  readonly column: SealedColumn;
  readonly resealed: number;
  /** Texts under other keys after the run. */
  readonly remaining: number;
}

/** Called before each scan of a column. */
export type Progress = (step: 're-sealing' | 'counting', column: SealedColumn) => void;

/** Texts under each key. */
type Counts = ReadonlyMap<string, number>;
type ColumnCounts = ReadonlyMap<SealedColumn, Counts>;

/** Counts what a reseal would change. */
export async function countSealed(deps: KeyNeeds, progress: Progress): Promise<Reseal> {
  const remaining = await countAll(deps, progress);
  const others = await deps.store.run((tx) => otherCheckValues(deps, tx));
  return {
    keyId: deps.secretBox.keyId,
    sessionKey: null,
    retiredKeys: [],
    keysInUse: [],
    columns: reportOf(new Map(), remaining),
    requiredKeys: keyIds(others, remaining),
  };
}

export async function reseal(deps: KeyNeeds, progress: Progress): Promise<Reseal> {
  await recordKeyCheckValue(deps);
  const retiring = await markRetiring(deps);
  const sessionKey = await rotateOldSessionKey(deps);
  const resealed = new Map<SealedColumn, number>();
  let remaining: ColumnCounts = new Map();
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    for (const column of columns) {
      progress('re-sealing', column);
      const { changed } = await scan(deps, column, { reseals: true });
      resealed.set(column, (resealed.get(column) ?? 0) + changed);
    }
    remaining = await countAll(deps, progress);
    if ([...remaining.values()].every((counts) => counts.size === 0)) break;
  }
  return {
    keyId: deps.secretBox.keyId,
    sessionKey,
    columns: reportOf(resealed, remaining),
    ...(await removeUnused(deps, retiring, remaining)),
  };
}

/** Returns the version of each check value after the mark. */
function markRetiring(deps: KeyNeeds): Promise<ReadonlyMap<string, number>> {
  return deps.store.run(async (tx) => {
    const versions = new Map<string, number>();
    for (const checkValue of await otherCheckValues(deps, tx)) {
      const isMarked = checkValue.state === 'retiring';
      if (!isMarked) tx.keyCheckValues.update({ ...checkValue, state: 'retiring' });
      versions.set(checkValue.keyId, isMarked ? checkValue.version : checkValue.version + 1);
    }
    return versions;
  });
}

function rotateOldSessionKey(deps: KeyNeeds): Promise<RotatedSessionKey | null> {
  const fresh = newServiceKey(deps, 'session');
  return deps.store.run(async (tx) => {
    const current = (await tx.serviceKeys.list('session')).find(isCurrentKey);
    const isOld = current !== undefined && keyIdOf(current.sealed) !== deps.secretBox.keyId;
    return isOld ? stageRotation(tx, fresh, false) : null;
  });
}

/** Removes the check values of keys that no text needs and that were not used since the mark. */
function removeUnused(
  deps: KeyNeeds,
  retiring: ReadonlyMap<string, number>,
  remaining: ColumnCounts,
): Promise<Pick<Reseal, 'retiredKeys' | 'requiredKeys' | 'keysInUse'>> {
  const isNeeded = (keyId: string) => [...remaining.values()].some((counts) => counts.has(keyId));
  return deps.store.run(async (tx) => {
    const others = await otherCheckValues(deps, tx);
    const used = others.filter(({ keyId, version }) => retiring.get(keyId) !== version);
    const unused = others.filter((one) => !used.includes(one) && !isNeeded(one.keyId));
    for (const checkValue of unused) tx.keyCheckValues.remove(checkValue);
    const required = others.filter((one) => !unused.includes(one));
    return {
      retiredKeys: unused.map(({ keyId }) => keyId),
      requiredKeys: keyIds(required, remaining),
      keysInUse: used.map(({ keyId }) => keyId),
    };
  });
}

async function countAll(deps: KeyNeeds, progress: Progress): Promise<ColumnCounts> {
  const counts = new Map<SealedColumn, Counts>();
  for (const column of columns) {
    progress('counting', column);
    counts.set(column, (await scan(deps, column, { reseals: false })).remaining);
  }
  return counts;
}

/** With `reseals`, re-seals each page in its batch. */
async function scan(
  deps: KeyNeeds,
  column: SealedColumn,
  { reseals }: { readonly reseals: boolean },
): Promise<{ readonly changed: number; readonly remaining: Counts }> {
  const remaining = new Map<string, number>();
  let changed = 0;
  for (let after: SealedRow | null = null; ; ) {
    const page = { exceptKeyId: deps.secretBox.keyId, after, limit: ROWS_PER_BATCH };
    const { rows, kept } = await deps.store.run(async (tx) => {
      const rows = await tx.sealed.page(column, page);
      const kept = rows.filter((row) => !reseals || !stageReseal(deps, tx, column, row));
      return { rows, kept: kept.flatMap(({ sealed }) => sealed ?? []) };
    });
    changed += rows.filter(({ sealed }) => sealed !== null).length - kept.length;
    for (const keyId of kept.map(keyIdOf)) remaining.set(keyId, (remaining.get(keyId) ?? 0) + 1);
    after = rows.at(-1) ?? null;
    if (rows.length < ROWS_PER_BATCH) return { changed, remaining };
  }
}

/** False if there is nothing to re-seal, or the text does not open. */
function stageReseal(deps: KeyNeeds, tx: Tx, column: SealedColumn, row: SealedRow): boolean {
  if (row.sealed === null) return false;
  const purpose = sealedColumns[column](row);
  const text = opened(deps, row.sealed, purpose);
  if (text !== null) tx.sealed.replace(column, row, deps.secretBox.seal(text, purpose));
  return text !== null;
}

/** Null if the key is not configured or the text was tampered with. */
function opened({ secretBox }: KeyNeeds, sealed: string, purpose: string): string | null {
  try {
    return secretBox.open(sealed, purpose);
  } catch (error) {
    if (error instanceof AssertionFailure) return null;
    throw error;
  }
}

async function otherCheckValues(
  { secretBox }: KeyNeeds,
  tx: Tx,
): Promise<readonly KeyCheckValue[]> {
  const checkValues = await tx.keyCheckValues.list();
  return checkValues.filter(({ keyId }) => keyId !== secretBox.keyId);
}

function keyIds(checkValues: readonly KeyCheckValue[], remaining: ColumnCounts): readonly string[] {
  const ofTexts = [...remaining.values()].flatMap((counts) => [...counts.keys()]);
  return [...new Set([...checkValues.map(({ keyId }) => keyId), ...ofTexts])].sort();
}

function reportOf(
  resealed: ReadonlyMap<SealedColumn, number>,
  remaining: ColumnCounts,
): readonly ResealedColumn[] {
  return columns.map((column) => ({
    column,
    resealed: resealed.get(column) ?? 0,
    remaining: [...(remaining.get(column)?.values() ?? [])].reduce((sum, count) => sum + count, 0),
  }));
}
