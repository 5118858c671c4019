// Taking secret keys out of use: all that another key than the first one has sealed is sealed anew
// under the first, in small batches beside running hosts. The sealed texts themselves tell how far
// it got, so it may be cut off anywhere and is simply run again.
//
// First it is written down that the other keys are retiring. A batch that one of them seals from
// then on puts it back in use (the store sees to that). So when everything was looked at once more
// and nothing is left under a key, its known text goes, unless it was used meanwhile.
//
// Whoever had a retired key and a copy of the database has the session key too: that one is not
// only sealed anew, another one signs from then on.
import { type SealedColumn, sealedColumns } from '../domain/sealed-columns.js';
import { keyIdOf } from '../domain/sealed-text.js';
import { AssertionFailure } from '../errors.js';
import type { KeyCanary, SealedRow, Tx } from '../ports.js';
import { plantCanary } from './secret-keys.js';
import { type KeyNeeds, newKey, type RenewedSessionKey, stageRenewal } from './service-keys.js';

/** Few enough that nobody has to wait for a batch. */
const ROWS_PER_BATCH = 200;
/** What is left after so many looks at everything is not left by a race. */
const ROUNDS_MAX = 3;

const columns = Object.keys(sealedColumns) as readonly SealedColumn[];

export interface Reseal {
  /** The first secret key. */
  readonly keyId: string;
  readonly columns: readonly ResealedColumn[];
  /** Null where the one that signs stays. */
  readonly sessionKey: RenewedSessionKey | null;
  /** Other keys that nothing needs any more. */
  readonly retired: readonly string[];
  /** Other keys that something needs yet; `sealing` are those of them that were used meanwhile. */
  readonly needed: readonly string[];
  readonly sealing: readonly string[];
}

export interface ResealedColumn {
  readonly column: SealedColumn;
  readonly resealed: number;
  /** Texts under another key. */
  readonly left: number;
}

/** Told before each look through a column: one may take a while. */
export type Progress = (column: SealedColumn) => void;

/** Texts by the key that has sealed them. */
type Counts = ReadonlyMap<string, number>;

/** What there is to do. */
export async function countSealed(deps: KeyNeeds, progress: Progress): Promise<Reseal> {
  const left = await countAll(deps, progress);
  const others = await deps.store.run((tx) => otherCanaries(deps, tx));
  return {
    ...{ keyId: deps.secretBox.keyId, sessionKey: null, retired: [], sealing: [] },
    columns: columns.map((column) => ({ column, resealed: 0, left: sumOf(left.get(column)) })),
    needed: keyIds(others, left),
  };
}

/** Seals anew what there is, and lets the other keys go that nothing needs after that. */
export async function reseal(deps: KeyNeeds, progress: Progress): Promise<Reseal> {
  await plantCanary(deps);
  const retiring = await sayRetiring(deps);
  const sessionKey = await replaceSessionKey(deps);
  const resealed = new Map<SealedColumn, number>();
  let left: ReadonlyMap<SealedColumn, Counts> = new Map();
  for (let round = 1; round <= ROUNDS_MAX; round += 1) {
    for (const column of columns) {
      progress(column);
      const { changed } = await lookThrough(deps, column, { anew: true });
      resealed.set(column, (resealed.get(column) ?? 0) + changed);
    }
    left = await countAll(deps, progress);
    if ([...left.values()].every((counts) => counts.size === 0)) break;
  }
  const ends = await letGo(deps, retiring, left);
  return {
    ...{ keyId: deps.secretBox.keyId, sessionKey },
    columns: columns.map((column) => ({
      column,
      resealed: resealed.get(column) ?? 0,
      left: sumOf(left.get(column)),
    })),
    ...ends,
  };
}

/** The version that each of their rows has from then on. */
function sayRetiring(deps: KeyNeeds): Promise<ReadonlyMap<string, number>> {
  return deps.store.run(async (tx) => {
    const versions = new Map<string, number>();
    for (const canary of await otherCanaries(deps, tx)) {
      const isSaid = canary.state === 'retiring';
      if (!isSaid) tx.keyCanaries.update({ ...canary, state: 'retiring' });
      versions.set(canary.keyId, isSaid ? canary.version : canary.version + 1);
    }
    return versions;
  });
}

/** Null where the one that signs is sealed under the first key, or there is none. */
function replaceSessionKey(deps: KeyNeeds): Promise<RenewedSessionKey | null> {
  const fresh = newKey(deps, 'session');
  return deps.store.run(async (tx) => {
    const keys = await tx.serviceKeys.list('session');
    const current = keys.find(({ endsAtMs }) => endsAtMs === null);
    const stays = current === undefined || keyIdOf(current.sealed) === deps.secretBox.keyId;
    return stays ? null : stageRenewal(tx, fresh, false);
  });
}

/** Takes away the known texts of the keys under which nothing is left and nothing was sealed. */
function letGo(
  deps: KeyNeeds,
  retiring: ReadonlyMap<string, number>,
  left: ReadonlyMap<SealedColumn, Counts>,
): Promise<Pick<Reseal, 'retired' | 'needed' | 'sealing'>> {
  const isLeft = (keyId: string) => [...left.values()].some((counts) => counts.has(keyId));
  return deps.store.run(async (tx) => {
    const others = await otherCanaries(deps, tx);
    const used = others.filter(({ keyId, version }) => retiring.get(keyId) !== version);
    const unneeded = others.filter((one) => !used.includes(one) && !isLeft(one.keyId));
    for (const canary of unneeded) tx.keyCanaries.remove(canary);
    return {
      retired: unneeded.map(({ keyId }) => keyId),
      needed: keyIds(
        others.filter((one) => !unneeded.includes(one)),
        left,
      ),
      sealing: used.map(({ keyId }) => keyId),
    };
  });
}

async function countAll(
  deps: KeyNeeds,
  progress: Progress,
): Promise<ReadonlyMap<SealedColumn, Counts>> {
  const counts = new Map<SealedColumn, Counts>();
  for (const column of columns) {
    progress(column);
    counts.set(column, (await lookThrough(deps, column, { anew: false })).left);
  }
  return counts;
}

/** Looks at each row, page by page; `anew`: what opens is changed in the page's batch. */
async function lookThrough(
  deps: KeyNeeds,
  column: SealedColumn,
  { anew }: { readonly anew: boolean },
): Promise<{ readonly changed: number; readonly left: Counts }> {
  const left = new Map<string, number>();
  let changed = 0;
  for (let after: SealedRow | null = null; ; ) {
    const page = { exceptKeyId: deps.secretBox.keyId, after, limit: ROWS_PER_BATCH };
    const { rows, staying } = await deps.store.run(async (tx) => {
      const rows = await tx.sealed.page(column, page);
      const staying = rows.filter((row) => !anew || !stageAnew(deps, tx, column, row));
      return { rows, staying: staying.flatMap(({ sealed }) => sealed ?? []) };
    });
    changed += rows.filter(({ sealed }) => sealed !== null).length - staying.length;
    for (const keyId of staying.map(keyIdOf)) left.set(keyId, (left.get(keyId) ?? 0) + 1);
    after = rows.at(-1) ?? null;
    if (rows.length < ROWS_PER_BATCH) return { changed, left };
  }
}

/** False where there is nothing to seal anew, or it does not open. */
function stageAnew(deps: KeyNeeds, tx: Tx, column: SealedColumn, row: SealedRow): boolean {
  if (row.sealed === null) return false;
  const purpose = sealedColumns[column](row);
  const text = opened(deps, row.sealed, purpose);
  if (text !== null) tx.sealed.replace(column, row, deps.secretBox.seal(text, purpose));
  return text !== null;
}

/** Null where its key is not configured, or it was tampered with. */
function opened({ secretBox }: KeyNeeds, sealed: string, purpose: string): string | null {
  try {
    return secretBox.open(sealed, purpose);
  } catch (error) {
    if (error instanceof AssertionFailure) return null;
    throw error;
  }
}

async function otherCanaries({ secretBox }: KeyNeeds, tx: Tx): Promise<readonly KeyCanary[]> {
  const canaries = await tx.keyCanaries.list();
  return canaries.filter(({ keyId }) => keyId !== secretBox.keyId);
}

function keyIds(
  canaries: readonly KeyCanary[],
  left: ReadonlyMap<SealedColumn, Counts>,
): readonly string[] {
  const ofTexts = [...left.values()].flatMap((counts) => [...counts.keys()]);
  return [...new Set([...canaries.map(({ keyId }) => keyId), ...ofTexts])].sort();
}

function sumOf(counts: Counts = new Map()): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
