// Fastify and better-sqlite3: four inserts in one transaction that is on disk when it is answered.
// With the URL of a receiver, also a webhook: a row in the same transaction, a signed request after
// it, and its outcome, stored with those of the same turn.
import { createHmac, randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { inserts, rowsOf, servePayments, tables } from './fastify-handler.mjs';
import { poster } from './webhook-posting.mjs';

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
  const post = poster(receiver);
  const secret = randomUUID();
  let ended = [];
  const record = db.transaction((outcomes) => {
    for (const outcome of outcomes) end.run(...outcome);
  });
  const note = (outcome) => {
    if (ended.length === 0) {
      setImmediate(() => {
        const outcomes = ended;
        ended = [];
        record(outcomes);
      });
    }
    ended.push(outcome);
  };
  const send = async (id, body) => {
    const t = Math.floor(Date.now() / 1_000);
    const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
    const at = () => new Date().toISOString();
    await post({ body, headers: { signature: `t=${t},v1=${v1}`, 'delivery-id': id } }).then(
      (status) => note(['delivered', status, null, at(), id]),
      (error) => note(['failed', null, String(error), at(), id]),
    );
  };
  return (payment) => {
    const id = randomUUID();
    const rows = rowsOf(payment);
    const [eventId, , , body, createdAt] = rows.at(-1);
    insertAll(rows, { store: () => add.run(id, eventId, createdAt) });
    // The row is there if the process ends before the request does.
    void send(id, body);
  };
}
