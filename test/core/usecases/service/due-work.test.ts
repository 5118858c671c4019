// Rows that are due and fail for good: they keep no other row from its turn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PonteError } from '../../../../core/errors.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { Store, Tx } from '../../../../core/ports/storage.js';
import { readPayment, runExpiry } from '../../../../core/usecases/payments/payments.js';
import { eachDue } from '../../../../core/usecases/service/due-work.js';
import { world } from '../../../support/scenes/test-world.js';

/** The same store, in which these payments cannot be read. */
function unreadable(store: Store, ids: readonly string[]): Store {
  return {
    ...store,
    run: (work) =>
      store.run((tx) => {
        const withFunds: typeof tx.payments.withFunds = async (tenant, id) => {
          if (ids.includes(id)) throw new Error(`${id} is broken`);
          return tx.payments.withFunds(tenant, id);
        };
        // Parts and methods are on prototypes: a copy would have none.
        const payments = Object.create(tx.payments, { withFunds: { value: withFunds } });
        const broken: Tx = Object.create(tx, { payments: { value: payments } });
        return work(broken);
      }),
  };
}

test('payments that cannot be expired keep no later one from expiring', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const dueAtMs = made.deps.clock.nowMs() + 1_000;
  const ids: string[] = [];
  for (let nth = 0; nth < 7; nth += 1)
    ids.push(await made.newPayment(tenant, { expiresAtMs: dueAtMs + (nth % 2) }));
  made.advanceClock(2_000);
  const broken = ids.slice(0, 6);
  const deps: Deps = { ...made.deps, store: unreadable(made.deps.store, broken) };
  const nowMs = deps.clock.nowMs();
  assert.deepEqual([await runExpiry(deps, nowMs, 2), await runExpiry(deps, nowMs, 2)], [1, 0]);
  const statusOf = async (id: string) => (await readPayment(made.deps, tenant, id)).payment.status;
  assert.equal(await statusOf(ids[6] as string), 'expired');
  assert.equal(await statusOf(ids[0] as string), 'awaiting_buyer');
});

test('a run works on its limit of rows, and reads on only behind a page that fails', async (t) => {
  const made = await world(t);
  const failing = new Set([1, 2, 3, 4]);
  const worked: number[] = [];
  const run = (rows: readonly number[]) =>
    eachDue(
      made.deps,
      'test',
      { nowMs: 9, limit: 2 },
      {
        read: async ({ after, limit }) =>
          rows.filter((row) => row > (after?.dueAtMs ?? 0)).slice(0, limit),
        cursorOf: (row) => ({ dueAtMs: row, id: `${row}` }),
        work: async (row) => {
          if (failing.has(row)) throw new Error('broken');
          worked.push(row);
        },
      },
    );
  assert.equal(await run([1, 2, 3, 4, 5, 6, 7, 8]), 2);
  assert.deepEqual(worked, [5, 6]);
  assert.deepEqual([await run([1, 2, 3, 4]), await run([4, 7, 8])], [0, 1]);
  assert.deepEqual(worked, [5, 6, 7]);
});

test('while the database is away a run fails as a whole and blames no row', async (t) => {
  const made = await world(t);
  const away = new PonteError('StoreUnavailable');
  const run = (failing: readonly number[]) =>
    eachDue(
      made.deps,
      'test',
      { nowMs: 9, limit: 3 },
      {
        read: async ({ after }) => [1, 2, 3].filter((row) => row > (after?.dueAtMs ?? 0)),
        cursorOf: (row) => ({ dueAtMs: row, id: `${row}` }),
        work: async (row) => {
          if (failing.includes(row)) throw away;
        },
      },
    );
  await assert.rejects(run([1, 2, 3]), away);
  assert.deepEqual(made.log, []);
  assert.equal(await run([1, 2]), 1, 'one that was done says that it is there');
});
