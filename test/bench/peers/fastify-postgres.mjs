// Fastify and pg, every statement prepared by name: `transaction` inserts four rows between BEGIN
// and COMMIT on a pooled client, `statement` all four by one.
import pg from 'pg';
import { inserts, rowsOf, servePayments, tables } from './fastify-handler.mjs';

const [connectionString, way] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 20 });
for (const sql of tables) await pool.query(sql);

const numbered = (count, first) => Array.from({ length: count }, (_, at) => `$${first + at}`);
const insert = ({ table, count }, first = 1) =>
  `insert into ${table} values (${numbered(count, first).join(', ')})`;
const single = inserts.map((one, at) => {
  const first = 1 + inserts.slice(0, at).reduce((sum, { count }) => sum + count, 0);
  // The values of a CTE get no types from their columns.
  const typed = insert(one, first).replace(`$6`, one.table === 'payments' ? '$6::bigint' : '$6');
  return at === inserts.length - 1 ? typed : `t${at} as (${typed} returning 1)`;
});
const singleText = `with ${single.slice(0, -1).join(', ')} ${single.at(-1)}`;

const ways = {
  async transaction(payment) {
    const client = await pool.connect();
    try {
      await client.query({ name: 'begin', text: 'begin' });
      for (const [at, values] of rowsOf(payment).entries()) {
        await client.query({ name: inserts[at].table, text: insert(inserts[at]), values });
      }
      await client.query({ name: 'commit', text: 'commit' });
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  },
  statement: (payment) =>
    pool.query({ name: 'all', text: singleText, values: rowsOf(payment).flat() }),
};

await servePayments({
  storeKey: ({ id, salt, hash, orgId }) =>
    pool.query('insert into api_keys values ($1, $2, $3, $4)', [id, salt, hash, orgId]),
  keyById: async (id) => {
    const text = 'select salt, hash, org_id as "orgId" from api_keys where id = $1';
    return (await pool.query({ name: 'key', text, values: [id] })).rows[0];
  },
  insert: ways[way],
});
