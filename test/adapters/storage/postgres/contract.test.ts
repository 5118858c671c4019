// The store's contract, over PostgreSQL.
import { openPostgresStore } from '../../../../adapters/storage/postgres/store.js';
import type { Sealer, Store } from '../../../../core/ports/storage.js';
import { storeContracts } from '../../../contract/store-contracts.js';
import { localPostgres } from '../../../support/local-postgres.js';

const postgres = localPostgres();

async function open(sealer?: Sealer): Promise<Store> {
  const store = openPostgresStore({ url: await postgres.newDatabase() }, sealer);
  await store.migrate();
  return store;
}

storeContracts('PostgreSQL', open);
