// The HTTP suite and the use cases, as a whole, over PostgreSQL.
import { describe } from 'node:test';
import { localPostgres } from './support/local-postgres.js';
import { runOn } from './support/other-databases.js';

const postgres = localPostgres();

describe('on PostgreSQL', async () => {
  runOn(await postgres.url(), ['test/adapters/http/', 'test/core/']);
});
