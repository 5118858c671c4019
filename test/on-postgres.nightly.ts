// The HTTP suite and the use cases, as a whole, over PostgreSQL.
import { describe } from 'node:test';
import { localPostgres } from './support/databases/local-postgres.js';
import { filesOverStore, runOn } from './support/databases/other-databases.js';

const postgres = localPostgres();

describe('on PostgreSQL', async () => {
  const files = ['test/adapters/http/', 'test/core/'].flatMap(filesOverStore);
  runOn(await postgres.url(), files);
});
