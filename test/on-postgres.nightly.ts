// The HTTP suite and the use cases, as a whole, over PostgreSQL.
import { localPostgres } from './support/databases/local-postgres.js';
import { filesOverStore, runOn } from './support/databases/other-databases.js';

const postgres = localPostgres();

const files = ['test/adapters/http/', 'test/core/'].flatMap(filesOverStore);
runOn(await postgres.url(), files);
