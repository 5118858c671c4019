// Fastify and better-sqlite3: four inserts in one transaction that is on disk when it is answered.
import Database from 'better-sqlite3';
import { inserts, rowsOf, servePayments, tables } from './fastify-handler.mjs';

const db = new Database(process.argv[2]);
db.pragma('journal_mode = wal');
db.pragma('synchronous = full');
for (const sql of tables) db.exec(sql.replaceAll('bytea', 'blob'));

const findKey = db.prepare('select salt, hash, org_id as "orgId" from api_keys where id = ?');
const statements = inserts.map(({ table, count }) =>
  db.prepare(`insert into ${table} values (${Array(count).fill('?').join(', ')})`),
);
const insertAll = db.transaction((rows) => {
  for (const [index, row] of rows.entries()) statements[index].run(...row);
});

await servePayments({
  storeKey: ({ id, salt, hash, orgId }) =>
    db.prepare('insert into api_keys values (?, ?, ?, ?)').run(id, salt, hash, orgId),
  keyById: (id) => findKey.get(id),
  insert: (payment) => insertAll(rowsOf(payment)),
});
