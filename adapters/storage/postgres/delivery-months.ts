// Deliveries and their attempts by month: an option for large databases. A month that is old is
// dropped whole, which neither reads its rows one by one nor leaves dead ones behind. Ids sort by
// creation time, so a month is a range of ids, and primary keys stay as they are. Deliveries in a
// range that has no month, such as those of events of a dropped one, have a part for all others.
import pg from 'pg';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { assert, PonteError } from '../../../core/errors.js';
import type {
  DeliveryMonth,
  DeliveryMonths,
  RetentionCutoff,
} from '../../../core/ports/storage.js';
import { oldDelivery } from '../tables/retention-rows.js';
import type { PostgresConnections } from './connections.js';

/** The column that has the id of the delivery, by table. */
const keys = { deliveries: 'id', delivery_attempts: 'delivery_id' } as const;
const tables = Object.keys(keys) as readonly (keyof typeof keys)[];
const BEFORE = 'before';
const OTHERS = 'others';
/** Longer, and the queue behind it would stop the hosts. */
const TABLE_TIMEOUT_MS = 5_000;
/** SQLSTATEs: a lock was not granted in time, or two waited for each other. */
const IN_USE = ['55P03', '40P01'];

const isByMonthSql =
  "select relkind = 'p' as found from pg_class where oid = to_regclass('deliveries')";
const partsSql = [
  'select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds from pg_inherits i',
  "join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass('deliveries')",
  'order by c.relname',
].join(' ');
const indexesSql = [
  'select c.relname as name, pg_get_indexdef(c.oid) as text,',
  '(select pg_get_constraintdef(k.oid) from pg_constraint k where k.conindid = c.oid) as key',
  'from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = to_regclass($1)',
  'order by c.relname',
].join(' ');

export function deliveryMonths(
  connections: PostgresConnections,
  { tableTimeoutMs = TABLE_TIMEOUT_MS } = {},
): DeliveryMonths {
  const limited = <T>(work: (client: pg.ClientBase) => Promise<T>) =>
    connections.use('long', async (client) => {
      await client.query(`set lock_timeout = ${tableTimeoutMs}; set statement_timeout = 0`);
      return work(client);
    });
  return {
    begin: (months) =>
      limited(async (client) => {
        const changes = !(await isByMonth(client));
        if (changes) await inTransaction(client, () => divideAll(client, months));
        await makeMonths(client, months);
        return changes;
      }),
    prune: (cutoff, months) =>
      limited(async (client) => {
        if (!(await isByMonth(client))) return 0;
        let dropped = 0;
        for (const month of await oldMonths(client, cutoff))
          dropped += await dropMonth(client, month, cutoff);
        await makeMonths(client, months);
        return dropped;
      }),
  };
}

async function isByMonth(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ readonly found: boolean }>(isByMonthSql);
  return rows[0]?.found === true;
}

async function divideAll(client: pg.ClientBase, months: readonly DeliveryMonth[]): Promise<void> {
  const [first] = months;
  assert(first !== undefined, 'the present rows are before a month');
  const names = tables.join(', ');
  await client.query(`lock table ${names} in access exclusive mode`).catch((cause: unknown) => {
    throw isInUse(cause)
      ? new PonteError('StoreUnavailable', 'Deliveries are in use. Try again.', { cause })
      : cause;
  });
  for (const table of tables) await divide(client, table, first.fromId);
  await client.query(`analyze ${names}`);
}

/** The rows stay where they are: their table becomes the part before `firstId`. */
async function divide(
  client: pg.ClientBase,
  table: keyof typeof keys,
  firstId: string,
): Promise<void> {
  const before = `${table}_${BEFORE}`;
  const { rows: indexes } = await client.query<{
    readonly name: string;
    readonly text: string;
    readonly key: string | null;
  }>(indexesSql, [table]);
  for (const { name } of indexes)
    await client.query(`alter index ${name} rename to ${name}_${BEFORE}`);
  await client.query(`alter table ${table} rename to ${before}`);
  await client.query(
    `create table ${table} (like ${before} including all excluding indexes) ` +
      `partition by range (${keys[table]})`,
  );
  // They get the names that migrations know. Equal indexes of the part become parts of them.
  for (const { name, text, key } of indexes)
    await client.query(key === null ? text : `alter table ${table} add constraint ${name} ${key}`);
  await client.query(
    `alter table ${table} attach partition ${before} for values from (minvalue) to ('${firstId}')`,
  );
  await client.query(`create table ${table}_${OTHERS} partition of ${table} default`);
}

/** Those that are missing. One whose ids the part of all others has is not made. */
async function makeMonths(client: pg.ClientBase, months: readonly DeliveryMonth[]): Promise<void> {
  const { rows } = await client.query<{ readonly name: string }>(partsSql);
  for (const { name, fromId, toId } of months) {
    if (rows.some((part) => part.name === `deliveries_${name}`)) continue;
    await inTransaction(client, async () => {
      const taken = tables.map((table) => {
        const key = keys[table];
        return `exists (select from ${table}_${OTHERS} where ${key} >= $1 and ${key} < $2)`;
      });
      const { rows: found } = await client.query<{ readonly taken: boolean }>(
        `select ${taken.join(' or ')} as taken`,
        [fromId, toId],
      );
      if (found[0]?.taken === true) return;
      for (const table of tables)
        await client.query(
          `create table ${table}_${name} partition of ${table} ` +
            `for values from ('${fromId}') to ('${toId}')`,
        );
    });
  }
}

/** The months whose ids are all before the cutoff. */
async function oldMonths(
  client: pg.ClientBase,
  { sinceDeliveryId }: RetentionCutoff,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string; readonly bounds: string }>(partsSql);
  return rows.flatMap(({ name, bounds }) => {
    const [, toId] = / TO \('(\w+)'\)/.exec(bounds) ?? [];
    return toId !== undefined && toId <= sinceDeliveryId ? [name.replace('deliveries_', '')] : [];
  });
}

/**
 * Drops it if all its deliveries are old, and returns their number. Nobody writes to it while they
 * are counted. If one is not old, or somebody uses the part, its rows are removed one by one later.
 */
async function dropMonth(
  client: pg.ClientBase,
  month: string,
  { sinceDeliveryId, sinceMs }: RetentionCutoff,
): Promise<number> {
  const parts = tables.map((table) => `${table}_${month}`);
  let dropped = 0;
  try {
    await inTransaction(client, async () => {
      await client.query(`lock table ${parts.join(', ')} in share row exclusive mode`);
      const { rows } = await client.query<{ readonly all: number; readonly old: number }>(
        `select count(*)::int as all, (count(*) filter (where ${oldDelivery}))::int as old ` +
          `from deliveries_${month} d`,
        [sinceDeliveryId, formatInstant(sinceMs)],
      );
      const [counted] = rows;
      if (counted === undefined || counted.all !== counted.old) return;
      await client.query(`drop table ${parts.join(', ')}`);
      dropped = counted.all;
    });
  } catch (error) {
    if (isInUse(error)) return 0;
    throw error;
  }
  return dropped;
}

function isInUse(error: unknown): boolean {
  return error instanceof pg.DatabaseError && IN_USE.includes(error.code ?? '');
}

async function inTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
