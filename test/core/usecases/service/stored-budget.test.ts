// What the requests of a tenant store takes from its budget, and its documents fill its quota.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import { defaultStorageLimits } from '../../../../core/domain/service/storage-limits.js';
import { createAccount } from '../../../../core/usecases/parties/accounts.js';
import { createUpload, storeUpload } from '../../../../core/usecases/parties/documents.js';
import { takeStored } from '../../../../core/usecases/service/rate-limits.js';
import { budgeted } from '../../../../core/usecases/service/stored-budget.js';
import { openWorld } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const MEBIBYTE = 1_024 * 1_024;
const suite = suiteEnd();
const world = await openWorld({
  settings: {
    storage: {
      ...defaultStorageLimits,
      test: { rowsADay: 3, mebibytesADay: 4, documentMebibytes: 1 },
    },
  },
});
suite.after(() => world.close());

const seller = {
  role: 'seller',
  entityType: 'business',
  externalId: null,
  email: null,
  legalName: null,
  displayName: null,
  country: null,
  taxId: null,
} as const;
const full = { code: 'StorageLimitExceeded', status: 429 };

test('rows come back over a day, each tenant has its own, and no part stops another', async () => {
  const [tenant, other] = [await world.newTenant(), await world.newTenant()];
  const keys = budgeted(world.deps, tenant, 'keys');
  for (let count = 0; count < 3; count += 1) await createAccount(keys, tenant, seller);
  await assert.rejects(createAccount(keys, tenant, seller), full);
  await createAccount(budgeted(world.deps, tenant, 'members'), tenant, seller);
  await createAccount(budgeted(world.deps, other, 'keys'), other, seller);
  world.advanceClock(DAY_MS / 3);
  await createAccount(keys, tenant, seller);
  await assert.rejects(createAccount(keys, tenant, seller), full);
});

test('a refused batch stores nothing, and a replay of one that was stored takes no row', async () => {
  const tenant = await world.newTenant();
  const keys = budgeted(world.deps, tenant, 'keys');
  const named = (externalId: string) => createAccount(keys, tenant, { ...seller, externalId });
  for (const name of ['a', 'b', 'c']) await named(name);
  await assert.rejects(named('d'), full);
  const stored = await world.deps.store.run((tx) => tx.accounts.byExternalId(tenant, 'd'));
  assert.equal(stored, null);
  await named('a');
});

test('bytes are counted as they are stored', async () => {
  const tenant = await world.newTenant();
  const keys = budgeted(world.deps, tenant, 'keys');
  const large = { ...seller, displayName: 'x'.repeat(3 * MEBIBYTE) };
  await createAccount(keys, tenant, large);
  await assert.rejects(createAccount(keys, tenant, large), full);
  await takeStored(world.deps, tenant, 'uploads', { rows: 0, bytes: 4 * MEBIBYTE });
});

test('documents of all parties fill one quota, which a purge empties', async () => {
  const tenant = await world.newTenant();
  const upload = async (sizeBytes: number) => {
    const { account } = await createAccount(world.deps, tenant, seller);
    const owner = { party: 'account', id: account.id } as const;
    const input = { owner, kind: 'selfie', contentType: 'image/jpeg', ownerIndex: null } as const;
    await createUpload(world.deps, tenant, input);
    const bytes = [Buffer.alloc(sizeBytes)];
    async function* sent() {
      yield* bytes;
    }
    await storeUpload(world.deps, tenant, input, sent());
    return owner;
  };
  const owner = await upload(MEBIBYTE);
  await assert.rejects(upload(1), full);
  await world.deps.store.run(async (tx) => {
    tx.documents.requestPurge(tenant, owner, world.deps.clock.nowMs());
  });
  await world.settle();
  await upload(1);
});

test('uploads stop before the disk is full', async () => {
  const tenant = await world.newTenant();
  const documents = world.deps.documents ?? assert.fail();
  const deps = { ...world.deps, documents: { ...documents, hasRoom: async () => false } };
  const { account } = await createAccount(deps, tenant, seller);
  const owner = { party: 'account', id: account.id } as const;
  const input = { owner, kind: 'selfie', contentType: 'image/jpeg', ownerIndex: null } as const;
  async function* sent() {
    yield Buffer.from('x');
  }
  await assert.rejects(storeUpload(deps, tenant, input, sent()), { code: 'UploadsPaused' });
});
