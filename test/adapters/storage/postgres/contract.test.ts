// The store's contract, over PostgreSQL.
import type { Sealer, Store } from '../../../../core/ports/storage.js';
import { storeContracts } from '../../../contract/store-contracts.js';
import { localPostgres } from '../../../support/databases/local-postgres.js';
import { postgresStore } from '../../../support/databases/test-store.js';

const postgres = localPostgres();

async function open(sealer?: Sealer): Promise<Store> {
  return postgresStore(await postgres.url(), sealer);
}

storeContracts('PostgreSQL', open);
