// A secret key is retired on PostgreSQL.
import { localPostgres } from '../support/databases/local-postgres.js';
import { testRetirement } from './secrets-scene.js';

const postgres = localPostgres();

testRetirement('PostgreSQL', () => postgres.migrated());
