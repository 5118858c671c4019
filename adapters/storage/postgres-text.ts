// The SQL of the store as PostgreSQL runs it, prepared under a name: guarded statements raise when
// they miss their row; reads of one text that are asked for together are one statement, and so are
// writes of one shape. What goes together is postgres.ts's matter.
import { createHash } from 'node:crypto';
import { assert } from '../../core/errors.js';
import type { Param, Shape, Statement } from './database.js';

/** What the driver takes: `name` prepares the text once per connection. */
export interface PreparedQuery {
  readonly name: string;
  readonly text: string;
  readonly values: readonly Value[];
}

type Value = string | number | boolean | null;

/** Which of the reads that went together a row answers. */
export const READ_INDEX = 'read_index';

/** One read on its own. */
export function singleRead(sql: string, params: readonly Param[]): PreparedQuery {
  return prepared(sql, params.map(asValue));
}

/**
 * Reads of one text with these lists of parameters, as one statement: each row says by READ_INDEX
 * which list it answers, and the rows of one list are in the order that the text asks for.
 */
export function gatheredReads(sql: string, lists: readonly (readonly Param[])[]): PreparedQuery {
  const types = (lists[0] ?? []).map(typeOf);
  const columns = types.map((type, index) => `p${index + 1} ${type}`);
  const inner = sql.replace(/\$(\d+)/g, (_, number: string) => `p.p${number}`);
  const text = [
    `select p.i as ${READ_INDEX}, q.* from json_to_recordset($1::json)`,
    `as p(${['i integer', ...columns].join(', ')}) cross join lateral (${inner}) q`,
  ].join(' ');
  const records = lists.map((list, index) => ({
    i: index,
    ...Object.fromEntries(list.map((param, at) => [`p${at + 1}`, asValue(param)])),
  }));
  return prepared(text, [JSON.stringify(records)]);
}

/** Reads of equal kind may go together: one text, parameters of the same types. Null: never. */
export function readKind(sql: string, params: readonly Param[]): string | null {
  if (!sql.startsWith('select ') || params.length === 0 || params.includes(null)) return null;
  return `${sql} -- ${params.map(typeOf).join(', ')}`;
}

/** A statement of a batch, raising when it is guarded and hits no row. */
export function guardedStatement({ sql, params, guards }: Statement): PreparedQuery {
  const values = params.map(asValue);
  // An insert hits its row or is refused.
  if (guards === null || sql.startsWith('insert ')) return prepared(sql, values);
  return prepared(raising(`${sql} returning 1`, '1'), values);
}

/** All of these statements of one shape as one, raising unless each of them hits its row. */
export function gatheredStatements(
  shape: Shape,
  statements: readonly Pick<Statement, 'params'>[],
): PreparedQuery {
  const records = statements.map(({ params }) =>
    Object.fromEntries(
      shape.columns.map((column, index) => [column, asValue(params[index] as Param)]),
    ),
  );
  const json = JSON.stringify(records);
  const text = gatheredText(shape);
  return prepared(text, shape.kind === 'insert' ? [json] : [json, records.length]);
}

function gatheredText({ kind, table, columns, key }: Shape): string {
  const given = `json_populate_recordset(null::${table}, $1::json) as p`;
  const where = `where ${key.map((column) => `t.${column} = p.${column}`).join(' and ')}`;
  switch (kind) {
    case 'insert': {
      const values = columns.map((column) => `p.${column}`).join(', ');
      return `insert into ${table} (${columns.join(', ')}) select ${values} from ${given}`;
    }
    case 'update': {
      const set = columns
        .filter((column) => !key.includes(column))
        .map((column) => `${column} = p.${column}`);
      const update = `update ${table} as t set ${set.join(', ')}, version = t.version + 1`;
      return raising(`${update} from ${given} ${where} returning 1`, '$2');
    }
    case 'remove':
      return raising(`delete from ${table} as t using ${given} ${where} returning 1`, '$2');
    case 'expect':
      return raising(`select 1 from ${given}, ${table} as t ${where} for share of t`, '$2');
  }
}

function raising(sql: string, expected: string): string {
  return `with hit as (${sql}) select ponte_expect(count(*), ${expected}) from hit`;
}

const names = new Map<string, string>();

function prepared(text: string, values: readonly Value[]): PreparedQuery {
  let name = names.get(text);
  if (name === undefined) {
    // The name is the text's own, so that a text cannot meet another one under its name.
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    names.set(text, name);
  }
  return { name, text, values };
}

function asValue(param: Param): Value {
  if (typeof param === 'bigint') return String(param);
  if (typeof param !== 'object' || param === null) return param;
  return param.timeMs === null ? null : new Date(param.timeMs).toISOString();
}

function typeOf(param: Param): string {
  switch (typeof param) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'boolean';
    case 'number':
    case 'bigint':
      return 'bigint';
    default:
      assert(param !== null, 'a read has no null among its parameters');
      return 'timestamptz';
  }
}
