// A PostgreSQL server for one run, with default durability. All contenders use it, each with a
// separate database.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedPostgres } from '../support/databases/embedded-postgres.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { freePort } from './child-calls.js';

export interface BenchPostgres {
  /** The URL of a new, empty database. */
  newDatabase(): Promise<string>;
  end(): Promise<void>;
}

export async function startPostgres(): Promise<BenchPostgres> {
  const folder = temporaryFolder();
  // The server refuses to run as root: there it runs as a user that must get at its folder.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const databaseDir = join(folder, 'data');
  const initdbFlags = ['--encoding=UTF8', '--locale=C'];
  const server = await embeddedPostgres({ databaseDir, port, initdbFlags, flags: [] });
  await server.initialise();
  await server.start();
  let databases = 0;
  return {
    newDatabase: async () => {
      databases += 1;
      const name = `bench_${databases}`;
      await server.createDatabase(name);
      return `postgres://ponte:ponte@127.0.0.1:${port}/${name}`;
    },
    end: async () => {
      await server.stop();
    },
  };
}
