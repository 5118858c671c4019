// A process whose writer thread fails. With `watched` it goes on and reports the outcome of its
// batches and its health; without, Node ends it.
import { SqliteDatabase } from '../../../../adapters/storage/sqlite/database.js';
import { PonteError } from '../../../../core/errors.js';

const [path, watched] = process.argv.slice(2);
if (path === undefined) throw new Error('name the file');
const database = new SqliteDatabase({ path });
await database.startThread();
const insert = {
  sql: 'insert into missing values ($1)',
  params: [1],
  guards: null,
  template: null,
};
// No text at all: what the thread cannot read, it can apply to nobody.
const unreadable = { ...insert, sql: null as unknown as string };
if (watched === undefined) await database.batch([unreadable]);

let failures = 0;
process.on('uncaughtException', () => {
  failures += 1;
});
const codeOf = (error: unknown) => (error instanceof PonteError ? error.code : String(error));
const waiting = await Promise.all([
  database.batch([insert]).catch(codeOf),
  database.batch([unreadable]).catch(codeOf),
]);
const later = await database.batch([insert]).catch(codeOf);
await database.close();
process.stdout.write(JSON.stringify({ waiting, later, writable: database.isWritable, failures }));
