// The SQL of the store as PostgreSQL runs it, prepared under a name: guarded statements raise when
// they miss their row; reads of one text that are asked for together are one statement, and so are
// writes of one shape. What goes together is postgres.ts's matter.
import { createHash } from 'node:crypto';
import { assert } from '../../core/errors.js';
import type { Param, Shape, Statement } from './database.js';

/** A text and the name under which a connection keeps it prepared. */
interface PreparedText {
  readonly name: string;
  readonly text: string;
}

/** What the driver takes. */
export interface PreparedQuery extends PreparedText {
  readonly values: readonly Value[];
}

type Value = string | number | boolean | null;

/** Which of the reads that went together a row answers. */
export const READ_INDEX = 'read_index';

/** One read on its own. */
export function singleRead(sql: string, params: readonly Param[]): PreparedQuery {
  return { ...singleText(sql), values: params.map(asValue) };
}

/** What reads of one text must have alike to go together; null: they go alone. */
export function readTypes(sql: string, params: readonly Param[]): string | null {
  if (!sql.startsWith('select ') || params.length === 0 || params.includes(null)) return null;
  return params.map(typeOf).join(', ');
}

/**
 * Reads of one text with these lists of parameters, of `types`, as one statement: each row says by
 * READ_INDEX which list it answers, and the rows of one list are in the order of the text.
 */
export function gatheredReads(
  sql: string,
  types: string,
  lists: readonly (readonly Param[])[],
): PreparedQuery {
  const records = lists.map((list, index) => {
    const record: Record<string, Value> = { i: index };
    for (const [at, param] of list.entries()) record[`p${at + 1}`] = asValue(param);
    return record;
  });
  return { ...gatheredReadText(types)(sql), values: [JSON.stringify(records)] };
}

/** A statement of a batch, raising when it is guarded and hits no row. */
export function guardedStatement({ sql, params, guards }: Statement): PreparedQuery {
  // An insert hits its row or is refused.
  const isSafe = guards === null || sql.startsWith('insert ');
  return { ...(isSafe ? singleText(sql) : raisingText(sql)), values: params.map(asValue) };
}

/** All of these statements of one shape as one, raising unless each of them hits its row. */
export function gatheredStatements(
  shape: Shape,
  statements: readonly Pick<Statement, 'params'>[],
): PreparedQuery {
  const records = statements.map(({ params }) => {
    const record: Record<string, Value> = {};
    for (const [at, column] of shape.columns.entries()) record[column] = asValue(params[at]);
    return record;
  });
  const json = JSON.stringify(records);
  return {
    ...shapeText(shape),
    values: shape.kind === 'insert' ? [json] : [json, records.length],
  };
}

// Texts are made once: hashing and joining them anew for each group costs more than sending them.
const singleText = remembered((sql: string) => sql);
const raisingText = remembered((sql: string) => raising(`${sql} returning 1`, '1'));
const shapeText = remembered(gatheredText);
const gatheredReadText = kept((types: string) =>
  remembered((sql: string) => {
    const columns = types.split(', ').map((type, index) => `p${index + 1} ${type}`);
    const inner = sql.replace(/\$(\d+)/g, (_, number: string) => `p.p${number}`);
    // With an offset it is planned on its own, by its index: as a join, it would be made for a
    // table that is small when it is planned, and read all of it for each list ever after.
    return [
      `select p.i as ${READ_INDEX}, q.* from json_to_recordset($1::json)`,
      `as p(${['i integer', ...columns].join(', ')}) cross join lateral (${inner} offset 0) q`,
    ].join(' ');
  }),
);

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

/** The name is the text's own, so that no text meets another one under its name. */
function remembered<Key>(textOf: (key: Key) => string): (key: Key) => PreparedText {
  return kept((key: Key) => {
    const text = textOf(key).replace(/ indexed by \w+/g, '');
    return { name: createHash('sha256').update(text).digest('base64url').slice(0, 22), text };
  });
}

function kept<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = make(key);
      known.set(key, value);
    }
    return value;
  };
}

function asValue(param: Param | undefined): Value {
  assert(param !== undefined, 'every placeholder has its parameter');
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
