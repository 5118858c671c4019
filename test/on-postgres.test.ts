// Requests to every operation, and work that hosts do at the same time, over PostgreSQL. The
// nightly run adds the other tests.
import { localPostgres } from './support/databases/local-postgres.js';
import { runOn, sensitiveFiles } from './support/databases/other-databases.js';

const postgres = localPostgres();

runOn(await postgres.url(), sensitiveFiles);
