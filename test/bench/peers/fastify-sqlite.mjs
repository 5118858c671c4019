// Fastify and better-sqlite3: four inserts in one transaction that is on disk when it is answered.
// With the URL of a receiver, also a webhook: a row in the same transaction, a signed request after
// it, and its outcome, stored with those of the same turn.
import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { inserts, rowsOf, servePayments, tables } from './fastify-handler.mjs';
import { deliverer } from './webhook-posting.mjs';

const [, , file, receiver] = process.argv;
const db = new Database(file);
db.pragma('journal_mode = wal');
db.pragma('synchronous = full');
for (const sql of tables) db.exec(sql.replaceAll('bytea', 'blob'));

const findKey = db.prepare('select salt, hash, org_id as "orgId" from api_keys where id = ?');
const statements = inserts.map(({ table, count }) =>
  db.prepare(`insert into ${table} values (${Array(count).fill('?').join(', ')})`),
);
const insertAll = db.transaction((rows, delivery) => {
  for (const [index, row] of rows.entries()) statements[index].run(...row);
  delivery?.store();
});

await servePayments({
  storeKey: ({ id, salt, hash, orgId }) =>
    db.prepare('insert into api_keys values (?, ?, ?, ?)').run(id, salt, hash, orgId),
  keyById: (id) => findKey.get(id),
  insert: receiver === undefined ? (payment) => insertAll(rowsOf(payment)) : withWebhooks(),
});

function withWebhooks() {
  db.exec(`create table deliveries (id text primary key, event_id text not null,
    status text not null, attempts integer not null, response_status integer, error text,
    created_at text not null, ended_at text)`);
  const add = db.prepare("insert into deliveries values (?, ?, 'pending', 0, null, null, ?, null)");
  const end = db.prepare(
    `update deliveries set status = ?, attempts = attempts + 1, response_status = ?, error = ?,
      ended_at = ? where id = ?`,
  );
  const record = db.transaction((outcomes) => {
    for (const outcome of outcomes) end.run(...outcome);
  });
  const send = deliverer(receiver, record);
  return (payment) => {
    const id = randomUUID();
    const rows = rowsOf(payment);
    const [eventId, , , body, createdAt] = rows.at(-1);
    insertAll(rows, { store: () => add.run(id, eventId, createdAt) });
    // The row is there if the process ends before the request does.
    void send(id, body);
  };
}
