// What a quarantine refuses and what it lets through, on both databases and for every process.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import type { Store } from '../../../core/ports/storage.js';
import {
  endQuarantine,
  quarantineLostCommits,
  quarantineRestored,
} from '../../../core/usecases/service/epochs.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import {
  aBuyer,
  aCommand,
  aDelivery,
  anEvent,
  aSubscription,
  T0,
} from '../../support/samples/domain-samples.js';
import { aMail } from '../../support/samples/mail-samples.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const mute = () => undefined;
const log = { debug: mute, info: mute, warn: mute, error: mute };
const clock = { nowMs: () => T0 };
const claim = { nowMs: T0 + 1_000, limit: 5, leaseMs: 1_000 };

const folder = temporaryFolder();
const postgres = localPostgres();
const opened: Store[] = [];
after(() => Promise.all(opened.map((store) => store.close())));
let files = 0;

/** Two stores over one new database, as two processes have them. */
const pairs = {
  SQLite: async () => {
    files += 1;
    const path = join(folder, `${files}.db`);
    return both(() => openSqliteStore({ path }));
  },
  PostgreSQL: async () => {
    const url = await postgres.newDatabase();
    return both(() => openPostgresStore({ url }));
  },
} as const;

async function both(open: () => Store): Promise<readonly [Store, Store]> {
  const stores = [open(), open()] as const;
  opened.push(...stores);
  await stores[0].migrate();
  return stores;
}

for (const [name, pair] of Object.entries(pairs)) {
  describe(name, () => {
    test('a quarantine refuses every write of every process, until it is released', async () => {
      const [here, there] = await pair();
      await quarantineRestored({ store: here, clock, log });
      for (const store of [here, there]) {
        const write = store.run(async (tx) => tx.buyers.insert(aBuyer()));
        await assert.rejects(write, { code: 'InQuarantine' });
        assert.equal(await store.run((tx) => tx.buyers.get('test', aBuyer().id)), null);
      }
      const release = { by: 'ana', forcedBecause: 'a test' };
      await endQuarantine({ store: here, clock, log }, release);
      await there.run(async (tx) => tx.buyers.insert(aBuyer()));
    });

    test('what keeps or learns something is stored in quarantine', async () => {
      const [here, there] = await pair();
      await quarantineRestored({ store: here, clock, log });
      await there.run(async (tx) => tx.buyers.insert(aBuyer()), { inQuarantine: true });
      const known = await here.run((tx) => tx.buyers.get('test', aBuyer().id));
      assert.equal(known?.id, aBuyer().id);
    });

    test('work that was decided before a quarantine is not stored within it', async () => {
      const [here, there] = await pair();
      let runs = 0;
      const write = there.run(async (tx) => {
        runs += 1;
        await tx.buyers.get('test', 'byr_other');
        if (runs === 1) await quarantineLostCommits({ store: here, clock, log }, 2);
        tx.buyers.insert(aBuyer());
      });
      await assert.rejects(write, { code: 'InQuarantine' });
      assert.equal(runs, 1);
    });

    test('a command is not marked as sent in quarantine', async () => {
      const [here, there] = await pair();
      await here.run(async (tx) => tx.commands.insert(aCommand()));
      await quarantineLostCommits({ store: here, clock, log }, 2);
      const sent = there.run(
        async (tx) => {
          tx.epochs.expectNoQuarantine();
          tx.commands.update({ ...aCommand(), state: 'sent' });
        },
        { inQuarantine: true },
      );
      await assert.rejects(sent, { code: 'InQuarantine' });
    });

    test('a write that loses another race in quarantine is tried again', async () => {
      const [here, there] = await pair();
      await here.run(async (tx) => tx.commands.insert(aCommand()));
      await quarantineLostCommits({ store: here, clock, log }, 2);
      let runs = 0;
      const learn = async (store: Store, lastError: string) =>
        store.run(
          async (tx) => {
            const command = await tx.commands.get(aCommand().id);
            assert.ok(command !== null);
            runs += 1;
            if (runs === 1) await learn(here, 'first');
            tx.commands.update({ ...command, lastError });
          },
          { inQuarantine: true },
        );
      await learn(there, 'second');
      const last = await here.run((tx) => tx.commands.get(aCommand().id));
      assert.equal(last?.lastError, 'second');
    });

    test('nothing is claimed in quarantine, and all of it after the release', async () => {
      const [here, there] = await pair();
      await here.run(async (tx) => {
        tx.commands.insert(aCommand({ dueAtMs: T0 }));
        tx.mails.insert(aMail({ dueAtMs: T0 }));
        tx.subscriptions.insert(aSubscription());
        tx.feed.append(anEvent());
        tx.deliveries.insert(aDelivery({ dueAtMs: T0 }));
      });
      const claimed = async ({ claims }: Store) =>
        Promise.all([
          claims.commands(claim).then(({ length }) => length),
          claims.mails(claim).then(({ length }) => length),
          claims.deliveries({ ...claim, subscriptionId: 'whs_1' }).then(({ length }) => length),
        ]);
      await quarantineRestored({ store: here, clock, log });
      assert.deepEqual(await claimed(here), [0, 0, 0]);
      assert.deepEqual(await claimed(there), [0, 0, 0]);
      await endQuarantine({ store: here, clock, log }, { by: 'ana', forcedBecause: 'a test' });
      assert.deepEqual(await claimed(there), [1, 1, 1]);
    });
  });
}
