// A list of payments and a feed of events as one would write them by hand: Fastify and
// better-sqlite3, one statement each along an index, a checked query, a schema of the answer. The
// body of an event is put into the answer as the text that is stored.
import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import fastify from 'fastify';
import { serveCalls } from '../child-calls.ts';
import { inserts, keyOf, newKey, rowsOf, tables } from './fastify-handler.mjs';

const [, , file, count] = process.argv;
const db = new Database(file);
db.pragma('journal_mode = wal');
for (const sql of tables) db.exec(sql.replaceAll('bytea', 'blob'));
db.exec('create index payments_of_org on payments (org_id, id)');
db.exec(`create table events (org_id text not null, sequence integer not null, id text not null,
  type text not null, body text not null, chain_hash text not null, created_at text not null,
  primary key (org_id, sequence)) without rowid`);
db.transaction(fill)();

const key = await newKey(({ id, salt, hash, orgId }) =>
  db.prepare('insert into api_keys values (?, ?, ?, ?)').run(id, salt, hash, orgId),
);
const findKey = db.prepare('select salt, hash, org_id as "orgId" from api_keys where id = ?');
const page = db.prepare(`select p.*, f.position from payments p
  join funds f on f.payment_id = p.id
  where p.org_id = ? and p.id < ? order by p.id desc limit ?`);
const after = db.prepare(`select sequence, id, type, body, chain_hash, created_at from events
  where org_id = ? and sequence > ? order by sequence limit ?`);

const text = { type: 'string' };
const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
const payment = {
  type: 'object',
  properties: {
    ...Object.fromEntries(
      ['id', 'externalId', 'status', 'amount', 'currency', 'hostedPaymentUrl', 'createdAt'].map(
        (name) => [name, text],
      ),
    ),
    buyer: { type: 'object', properties: { email: text, name: text } },
    funds: { type: 'object', properties: { status: text } },
    metadata: { type: 'object', additionalProperties: true },
  },
};
const list = {
  type: 'object',
  properties: { data: { type: 'array', items: payment }, nextCursor: text },
};

const app = fastify();
app.addHook('onRequest', async (request, reply) => {
  request.key = await keyOf(request, (id) => findKey.get(id));
  if (request.key === null) return reply.code(401).send({ error: 'InvalidApiKey' });
});
app.get(
  '/v1/payments',
  {
    schema: {
      querystring: { type: 'object', properties: { limit, cursor: text } },
      response: { 200: list },
    },
  },
  async ({ key, query }) => {
    const rows = page.all(key.orgId, query.cursor ?? '~', query.limit);
    return { data: rows.map(shown), nextCursor: rows.at(-1)?.id };
  },
);
app.get(
  '/v1/events',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { limit, after: { type: 'integer', default: 0 } },
      },
    },
  },
  async ({ key, query }, reply) => {
    const rows = after.all(key.orgId, query.after, query.limit);
    const events = rows.map(
      ({ sequence, id, body, chain_hash, created_at }) =>
        `{"sequence":${sequence},"id":"${id}","chainHash":"${chain_hash}",` +
        `"createdAt":"${created_at}",${body.slice(1)}`,
    );
    const nextAfter = rows.at(-1)?.sequence ?? query.after;
    reply.type('application/json');
    return `{"data":[${events.join(',')}],"nextAfter":${nextAfter}}`;
  },
);
const url = await app.listen({ host: '127.0.0.1', port: 0 });
serveCalls({ address: async () => ({ url, key }) });

function shown({ amount_minor: minor, public_id: publicId, ...row }) {
  return {
    id: row.id,
    externalId: row.external_id,
    status: row.status,
    amount: `${Math.trunc(minor / 100)}.${String(minor % 100).padStart(2, '0')}`,
    currency: row.currency,
    hostedPaymentUrl: `https://pay.example/r/${publicId}`,
    createdAt: row.created_at,
    buyer: JSON.parse(row.buyer),
    funds: { status: row.position },
    metadata: JSON.parse(row.metadata),
  };
}

function fill() {
  const statements = inserts.map(({ table, count }) =>
    db.prepare(`insert into ${table} values (${Array(count).fill('?').join(', ')})`),
  );
  const addEvent = db.prepare('insert into events values (?, ?, ?, ?, ?, ?, ?)');
  for (let at = 1; at <= Number(count); at += 1) {
    const made = {
      id: `pi_${randomUUID()}`,
      orgId: 'org_1',
      externalId: `order-${at}`,
      publicId: randomUUID(),
      status: 'awaiting_buyer',
      amountMinor: 25_000,
      amount: '250.00',
      currency: 'USD',
      createdAt: new Date().toISOString(),
      buyer: { email: `buyer-${at}@buyer.example` },
      metadata: { order: `${at}` },
      idempotencyKey: `key-${at}`,
      eventId: `evt_${randomUUID()}`,
    };
    const rows = rowsOf(made);
    for (const [index, row] of rows.entries()) statements[index].run(...row);
    const [eventId, orgId, type, body, createdAt] = rows.at(-1);
    for (const sequence of [2 * at - 1, 2 * at]) {
      addEvent.run(orgId, sequence, `${eventId}${sequence}`, type, body, 'a'.repeat(64), createdAt);
    }
  }
}
