// Fastify and pg, every statement prepared by name: `transaction` inserts four rows between BEGIN
// and COMMIT on a pooled client, `statement` all four by one. With the URL of a receiver, a
// transaction also inserts a delivery; a signed request follows it, and its outcome is stored with
// those of the same turn, by one statement.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inserts, rowsOf, servePayments, tables } from './fastify-handler.mjs';
import { deliverer } from './webhook-posting.mjs';

const [connectionString, way, receiver] = process.argv.slice(2);
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

async function withWebhooks() {
  await pool.query(`create table deliveries (id text primary key, event_id text not null,
    status text not null, attempts integer not null, response_status integer, error text,
    created_at text not null, ended_at text)`);
  const text = `update deliveries d set status = o.status, attempts = attempts + 1,
    response_status = o.answer, error = o.error, ended_at = o.at
    from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[])
    as o (status, answer, error, at, id) where d.id = o.id`;
  const record = (outcomes) => {
    const values = [0, 1, 2, 3, 4].map((column) => outcomes.map((outcome) => outcome[column]));
    return pool.query({ name: 'end', text, values });
  };
  const send = deliverer(receiver, record);
  return async (payment) => {
    const id = randomUUID();
    const [eventId, , , body, createdAt] = rowsOf(payment).at(-1);
    await transaction(payment, (client) =>
      client.query({
        name: 'add',
        text: "insert into deliveries values ($1, $2, 'pending', 0, null, null, $3, null)",
        values: [id, eventId, createdAt],
      }),
    );
    // The row is there if the process ends before the request does.
    void send(id, body);
  };
}

async function transaction(payment, storeDelivery = async () => undefined) {
  const client = await pool.connect();
  try {
    await client.query({ name: 'begin', text: 'begin' });
    for (const [at, values] of rowsOf(payment).entries()) {
      await client.query({ name: inserts[at].table, text: insert(inserts[at]), values });
    }
    await storeDelivery(client);
    await client.query({ name: 'commit', text: 'commit' });
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

const ways = {
  transaction: receiver === undefined ? (payment) => transaction(payment) : await withWebhooks(),
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
