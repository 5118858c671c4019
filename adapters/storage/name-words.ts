// The words by which a tenant finds its buyers and sellers: written with each payment that names
// its buyer, and with each account. A name that a buyer had before still finds it.
import { nameWords } from '../../core/domain/base/search-text.js';
import type { Tenant } from '../../core/domain/base/tenant.js';
import { tenant, text, version } from './columns.js';
import { defineTable, templated } from './table.js';
import type { TxPart, UnitOfWork } from './unit-of-work.js';

interface NameWord extends Tenant {
  readonly word: string;
  /** The id of the buyer or connected account. */
  readonly ownerId: string;
  readonly version: number;
}

export const nameWordRows = defineTable<NameWord>('name_words', {
  ...tenant,
  word: text('word').key(),
  ownerId: text('owner_id').key(),
  version,
});

const WORDS_MAX = 12;
/** Behind each text that begins with the one before it, in the order of UTF-8. */
const LAST_SIGN = '\u{10ffff}';

const into = 'insert into name_words (org_id, mode, word, owner_id, version)';
const unlessThere = 'on conflict (org_id, mode, word, owner_id) do nothing';
const note = templated(
  {
    kind: 'merge',
    table: nameWordRows.name,
    columns: ['org_id', 'mode', 'owner_id', 'words'],
    key: [],
    // In one order, so that two writers of the same words wait for each other in turn.
    gathered: [
      `${into} select distinct p.org_id, p.mode, words.word, p.owner_id, 1 from p`,
      `cross join lateral json_array_elements_text(p.words::json) as words (word)`,
      `order by 1, 2, 3, 4 ${unlessThere}`,
    ].join(' '),
  },
  `${into} select $1, $2, value, $3, 1 from json_each($4) where true ${unlessThere}`,
);

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
  const words = [...new Set(all)].slice(0, WORDS_MAX);
  if (words.length > 0) unit.stage(note(null, [orgId, mode, ownerId, JSON.stringify(words)]));
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
