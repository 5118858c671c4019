// The HTTP suite, the pages with their walks, and the use cases, as a whole, over PostgreSQL.
import { localPostgres } from './support/databases/local-postgres.js';
import { filesOverStore, runOn } from './support/databases/other-databases.js';

const postgres = localPostgres();

const folders = ['test/adapters/http/', 'test/adapters/pages/', 'test/core/'];
const files = folders.flatMap(filesOverStore);
runOn(await postgres.url(), files);
