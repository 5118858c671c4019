// The words by which a tenant finds its buyers and sellers: written with each payment that names
// its buyer, and with each account. A name that a buyer had before still finds it.
import { nameWords } from '../../core/domain/base/search-text.js';
import type { Tenant } from '../../core/domain/base/tenant.js';
import { key, tenant, text, version } from './columns.js';
import { defineTable, merge } from './table.js';
import type { TxPart, UnitOfWork } from './unit-of-work.js';

interface NameWord extends Tenant {
  readonly word: string;
  /** The id of the buyer or connected account. */
  readonly ownerId: string;
  readonly version: number;
}

export const nameWordRows = defineTable<NameWord>('name_words', {
  ...tenant,
  word: key(text('word')),
  ownerId: key(text('owner_id')),
  version,
});

/** Few statements for any number of words: the last word fills the rest. */
const SLOTS = [4, 12] as const;
const WORDS_MAX = SLOTS[1];
/** Behind each text that begins with the one before it, in the order of UTF-8. */
const LAST_SIGN = '\u{10ffff}';

const noteSql = SLOTS.map((slots) => {
  const rows = Array.from({ length: slots }, (_, at) => `($1, $2, $3, $${at + 4}, 1)`);
  const into = 'insert into name_words (org_id, mode, owner_id, word, version)';
  return `${into} values ${rows.join(', ')} on conflict (org_id, mode, word, owner_id) do nothing`;
});

/** The ends of the texts that begin with this one. */
export function startingWith(start: string): readonly [from: string, before: string] {
  return [start, `${start}${LAST_SIGN}`];
}

/** Keeps that the party is found by these names. */
export function noteNames(
  unit: UnitOfWork,
  { orgId, mode }: Tenant,
  ownerId: string,
  names: readonly (string | null)[],
): void {
  const all = names.flatMap((name) => (name === null ? [] : nameWords(name)));
  // In one order, so that two writers of the same words wait for each other in turn.
  const words = [...new Set(all)].slice(0, WORDS_MAX).toSorted();
  const [last] = words.slice(-1);
  if (last === undefined) return;
  const size = SLOTS.findIndex((slots) => words.length <= slots);
  const rest = Array.from({ length: (SLOTS[size] ?? 0) - words.length }, () => last);
  const params = [orgId, mode, ownerId, ...words, ...rest];
  unit.stage(merge('name_words', null, noteSql[size] ?? '', params));
}

export const namesPart: TxPart<'names'> = {
  async owners(unit, { orgId, mode }, start, limit) {
    const tail = 'where org_id = $1 and mode = $2 and word >= $3 and word < $4 limit $5';
    const found = await unit.all(nameWordRows, tail, [orgId, mode, ...startingWith(start), limit]);
    return [...new Set(found.map(({ ownerId }) => ownerId))];
  },
  async ofOwner(unit, { orgId, mode }, id) {
    const tail = 'where owner_id = $1 and org_id = $2 and mode = $3';
    const found = await unit.all(nameWordRows, tail, [id, orgId, mode]);
    return found.map(({ word }) => word);
  },
};
