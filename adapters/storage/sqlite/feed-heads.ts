// The heads of the feeds that a group of batches extends: read once and stored once for the group.
// No other process can write in between: the group has begun its transaction as a writer.
import { type FeedHead, headAfter } from '../../../core/domain/payments/event.js';
import { integer, text } from '../columns.js';
import type { Param, StatementTemplate } from '../database.js';
import type { PreparedStatements } from './connection.js';

const readSql = 'select sequence, chain_hash from feed_heads where org_id = $1 and mode = $2';
const storeSql = [
  'insert into feed_heads (org_id, mode, sequence, chain_hash) values ($1, $2, $3, $4)',
  'on conflict (org_id, mode) do update',
  'set sequence = excluded.sequence, chain_hash = excluded.chain_hash',
].join(' ');

const sequence = integer('sequence');
const chainHash = text('chain_hash');

export class FeedHeads {
  readonly #statements: PreparedStatements;
  /** By tenant, which is the key of the row. */
  #heads = new Map<string, { readonly tenant: readonly Param[]; readonly head: FeedHead }>();

  constructor(statements: PreparedStatements) {
    this.#statements = statements;
  }

  /** Adds sequence and chain hash to the parameters of an event that is appended. */
  numbered({ columns }: StatementTemplate, params: readonly Param[]): readonly Param[] {
    const value = (column: string) => params[columns.indexOf(column)] as string;
    const tenant = [value('org_id'), value('mode')];
    const key = tenant.join('/');
    const last = this.#heads.get(key)?.head ?? this.#stored(tenant);
    const head = headAfter(last, value('body'), value('alias') !== null);
    this.#heads.set(key, { tenant, head });
    return [...params, (last?.sequence ?? 0) + 1, head.chainHash];
  }

  /** Returns a function that forgets the events since. */
  savepoint(): () => void {
    const heads = new Map(this.#heads);
    return () => {
      this.#heads = heads;
    };
  }

  store(): void {
    for (const { tenant, head } of this.#heads.values()) {
      this.#statements.hits(storeSql, [...tenant, head.sequence, head.chainHash]);
    }
  }

  #stored(tenant: readonly Param[]): FeedHead | null {
    const [row] = this.#statements.rows(readSql, tenant);
    if (row === undefined) return null;
    return { sequence: sequence.read(row), chainHash: chainHash.read(row) };
  }
}
