// The store's SQL as PostgreSQL runs it, prepared under a name. Guarded statements raise when they
// miss their row. Reads of one text become one statement, and so do writes of one template: each
// parameter or column is one array in the binary format, which costs half of what JSON does on both
// sides. query-groups.ts decides which statements are grouped.
import { createHash } from 'node:crypto';
import { assert } from '../../../core/errors.js';
import {
  dueIds,
  dueIdsByKey,
  indexHint,
  type Param,
  type Statement,
  type StatementTemplate,
} from '../database.js';

/** A text and the name under which a connection keeps it prepared. */
interface PreparedText {
  readonly name: string;
  readonly text: string;
}

export interface PreparedQuery extends PreparedText {
  readonly values: readonly Value[];
}

type Value = string | number | boolean | null | Buffer;

/** The column that names the read of a row within its group. */
export const READ_INDEX = 'read_index';

export function singleRead(sql: string, params: readonly Param[]): PreparedQuery {
  return { ...singleText(sql), values: params.map(asValue) };
}

/** Reads of one text and of equal types form a group; null: the read is sent alone. */
export function readTypes(sql: string, params: readonly Param[]): string | null {
  if (!sql.startsWith('select ') || params.length === 0) return null;
  const types = params.map(typeOf);
  return types.includes(null) ? null : types.join();
}

/**
 * Reads of one text as one statement, with a list of parameters each. READ_INDEX of a row is the
 * place of its list. The rows of one list keep the order of the text.
 */
export function gatheredReads(
  sql: string,
  types: string,
  lists: readonly (readonly Param[])[],
): PreparedQuery {
  const values = namesOf(types).map((type, at) => arrayOf(type, paramsAt(at, lists)));
  return { ...gatheredReadText(types)(sql), values };
}

/** A statement of a batch. Raises when it is guarded and hits no row. */
export function guardedStatement({ sql, params, guards }: Statement): PreparedQuery {
  // An insert hits its row or fails.
  const isSafe = guards === null || sql.startsWith('insert ');
  return { ...(isSafe ? singleText(sql) : raisingText(sql)), values: params.map(asValue) };
}

/** They raise unless each statement of the group hits its row. */
const raisingKinds: readonly StatementTemplate['kind'][] = ['update', 'remove', 'expect'];

/** Statements of one template as one. */
export function gatheredStatements(
  template: StatementTemplate,
  statements: readonly Pick<Statement, 'params'>[],
): PreparedQuery {
  const lists = statements.map(({ params }) => params);
  const types = columnTypes(template);
  const values: Value[] = [];
  for (const at of template.columns.keys()) {
    const params = paramsAt(at, lists);
    // A column that never had a value is a literal null: its type is unknown.
    types[at] ??= params.map(typeOf).find((type) => type !== null) ?? null;
    if (types[at] !== null) values.push(arrayOf(types[at], params));
  }
  if (raisingKinds.includes(template.kind)) values.push(statements.length);
  return { ...templateText(template)(types.join()), values };
}

// Texts are memoized: joining and hashing them for each group costs more than sending them.
const singleText = memoizeText((sql: string) => sql);
const raisingText = memoizeText((sql: string) => raising(`${sql} returning 1`, '1'));
/** By column, as they become known. Each new one makes another text of the template. */
const columnTypes = memoize((template: StatementTemplate): (ArrayType | null)[] =>
  template.columns.map(() => null),
);
const templateText = memoize((template: StatementTemplate) =>
  memoizeText((types: string) => gatheredText(template, types.split(','))),
);
const gatheredReadText = memoize((types: string) =>
  memoizeText((sql: string) => {
    const given = namesOf(types);
    const columns = given.map((_, at) => `p${at + 1}`);
    const inner = sql.replace(/\$(\d+)/g, (_, number: string) => `p.p${number}`);
    // The offset makes the planner plan it separately, by its index. A join would be planned for a
    // table that is small at that time, and read all of it for each list from then on.
    return [
      `select p.i - 1 as ${READ_INDEX}, q.* from ${unnested(given)} with ordinality`,
      `as p(${columns.join(', ')}, i) cross join lateral (${inner} offset 0) q`,
    ].join(' ');
  }),
);

/** An empty type stands for a column that never had a value. */
function gatheredText(template: StatementTemplate, types: readonly string[]): string {
  const { kind, table, columns, key, unlocked = false, gathered = '' } = template;
  const known = columns.filter((_, at) => types[at] !== '');
  const given = `${unnested(namesOf(types.join()))} as p(${known.join(', ')})`;
  const givenFor = (column: string) => (known.includes(column) ? `p.${column}` : 'null');
  const count = `$${known.length + 1}`;
  const where = `where ${key.map((column) => `t.${column} = p.${column}`).join(' and ')}`;
  switch (kind) {
    case 'insert': {
      const values = columns.map(givenFor).join(', ');
      return `insert into ${table} (${columns.join(', ')}) select ${values} from ${given}`;
    }
    case 'merge':
      return `with p as (select * from ${given}) ${gathered}`;
    case 'append': {
      const lists = columns.map((column, at) => {
        const place = known.indexOf(column) + 1;
        return place === 0 ? 'null' : `$${place}::${types[at]}[]`;
      });
      return `select ponte_append(${lists.join(', ')})`;
    }
    case 'update': {
      const set = columns
        .filter((column) => !key.includes(column))
        .map((column) => `${column} = ${givenFor(column)}`);
      const update = `update ${table} as t set ${set.join(', ')}, version = t.version + 1`;
      return raising(`${update} from ${given} ${where} returning 1`, count);
    }
    case 'remove':
      return raising(`delete from ${table} as t using ${given} ${where} returning 1`, count);
    case 'expect':
      return raising(
        `select 1 from ${given}, ${table} as t ${where}${unlocked ? '' : ' for share of t'}`,
        count,
      );
  }
}

function unnested(types: readonly string[]): string {
  return `unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(', ')})`;
}

function namesOf(types: string): readonly ArrayType[] {
  return types.split(',').filter((type) => type !== '') as ArrayType[];
}

function raising(sql: string, expected: string): string {
  return `with hit as (${sql}) select ponte_expect(count(*), ${expected}) from hit`;
}

/** The name is a hash of the text: no two texts share one. */
function memoizeText<Key>(textOf: (key: Key) => string): (key: Key) => PreparedText {
  return memoize((key: Key) => {
    const text = textOf(key).replace(indexHint, '').replace(dueIds, dueIdsByKey);
    return { name: createHash('sha256').update(text).digest('base64url').slice(0, 22), text };
  });
}

function memoize<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
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
  return new Date(param.timeMs).toISOString();
}

function paramsAt(at: number, lists: readonly (readonly Param[])[]): readonly Param[] {
  return lists.map((list) => {
    const param = list[at];
    assert(param !== undefined, 'every placeholder has its parameter');
    return param;
  });
}

const arrayTypes = { text: 25, bigint: 20, boolean: 16, timestamptz: 1184 } as const;
type ArrayType = keyof typeof arrayTypes;

/** Null for null, which fits every type. */
function typeOf(param: Param): ArrayType | null {
  switch (typeof param) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'boolean';
    case 'number':
    case 'bigint':
      return 'bigint';
    default:
      return param === null ? null : 'timestamptz';
  }
}

/** Dimensions, null flag, type; length and lower bound of the dimension. */
const ARRAY_HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const WORD_BYTES = 8;
/** Times are microseconds since the year 2000. */
const EPOCH_MS = 946_684_800_000;
const MICROS_PER_MS = 1_000n;

/** A list of values as a one-dimensional array in PostgreSQL's binary format. */
function arrayOf(type: ArrayType, params: readonly Param[]): Buffer {
  const bytes = params.map((param) => LENGTH_BYTES + bytesOf(param));
  const array = Buffer.allocUnsafe(bytes.reduce((sum, count) => sum + count, ARRAY_HEAD_BYTES));
  let at = 0;
  for (const word of [1, 1, arrayTypes[type], params.length, 1]) at = array.writeInt32BE(word, at);
  for (const [index, param] of params.entries()) {
    const length = typeOf(param) === null ? -1 : (bytes[index] as number) - LENGTH_BYTES;
    at = array.writeInt32BE(length, at);
    if (typeof param === 'string') at += array.write(param, at);
    else if (typeof param === 'boolean') at = array.writeInt8(Number(param), at);
    else if (length > 0) at = array.writeBigInt64BE(wordOf(param), at);
  }
  return array;
}

function bytesOf(param: Param): number {
  if (typeof param === 'string') return Buffer.byteLength(param);
  if (typeof param === 'boolean') return 1;
  return typeOf(param) === null ? 0 : WORD_BYTES;
}

function wordOf(param: Param): bigint {
  if (typeof param !== 'object') return BigInt(param);
  assert(param !== null, 'a null has no bytes');
  return BigInt(param.timeMs - EPOCH_MS) * MICROS_PER_MS;
}
