// Lists of ten thousand rows that were all made at one moment, read page by page while rows are
// being added: every row comes once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventBody } from '../../../core/domain/event.js';
import { noFunds } from '../../../core/domain/funds.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import { newDelivery } from '../../../core/domain/webhook-delivery.js';
import { runSequencer } from '../../../core/usecases/feed.js';
import { aBarePayment } from '../../support/domain-samples.js';
import { type CheckedSite, checkedSite } from './checked-site.js';
import { newSubscription } from './example-calls.js';

const ROWS = 10_000;
const PAGE = 100;
const BATCH = 1_000;

type Json = Readonly<Record<string, unknown>>;

let site: CheckedSite;
let tenant: Tenant;
let key: string;

before(async () => {
  site = await checkedSite();
  tenant = { orgId: await site.world.organization(), mode: 'test' };
  key = await site.world.key(tenant.orgId);
});
after(() => site.close());

test('deliveries: no row is skipped or repeated', async () => {
  const subscriptionId = await newSubscription(site.world, tenant);
  const otherId = await newSubscription(site.world, tenant);
  // The same moment for all: within it ids are in no order of time.
  const add = async (count: number, to = subscriptionId): Promise<readonly string[]> => {
    const { ids, clock, store } = site.world.deps;
    const createdAtMs = clock.nowMs();
    const made = Array.from({ length: count }, () => ids.next('whd', createdAtMs));
    await store.run(async (tx) => {
      for (const id of made) {
        const event = { eventId: 'evt_1', eventType: 'invoice.created' };
        tx.deliveries.insert(
          newDelivery({ ...tenant, id, subscriptionId: to, ...event, createdAtMs }),
        );
      }
    });
    return made;
  };
  const rows: string[] = [];
  while (rows.length < ROWS) rows.push(...(await add(BATCH)));
  await add(BATCH, otherId);

  const seen: string[] = [];
  for (let cursor: unknown = ''; cursor !== null; ) {
    const query = `limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const path = `/v1/webhook-subscriptions/${subscriptionId}/deliveries?${query}`;
    const { body } = await site.call('GET', path, { key });
    seen.push(...(body['data'] as readonly Json[]).map(({ id }) => String(id)));
    cursor = body['nextCursor'];
    await add(3);
  }
  const unique = new Set(seen);
  assert.equal(unique.size, seen.length, 'a row came twice');
  assert.deepEqual(
    rows.filter((id) => !unique.has(id)),
    [],
  );
  assert.deepEqual(seen, seen.toSorted().toReversed(), 'newest first');
});

test('invoices: no row is skipped or repeated, by status or all', async () => {
  const { ids, clock, store } = site.world.deps;
  const statuses = ['approved', 'awaiting_buyer', 'cancelled'] as const;
  const add = async (count: number): Promise<readonly string[]> => {
    const createdAtMs = clock.nowMs();
    const made = Array.from({ length: count }, (_, index) => {
      const [id, origin] = [ids.next('inv', createdAtMs), 'invoice'] as const;
      const status = statuses[index % statuses.length] ?? 'approved';
      return aBarePayment({ ...home, id, origin, status, createdAtMs, updatedAtMs: createdAtMs });
    });
    await store.run(async (tx) => {
      for (const invoice of made) {
        tx.payments.insert(invoice);
        tx.funds.insert(noFunds(home, invoice.id, invoice.amount.currency));
      }
    });
    return made.map(({ id }) => id);
  };
  const home: Tenant = { orgId: await site.world.organization(), mode: 'test' };
  const homeKey = await site.world.key(home.orgId);
  const rows: string[] = [];
  while (rows.length < ROWS) rows.push(...(await add(BATCH)));

  for (const filter of ['', 'status=cancelled&']) {
    const before = new Set(
      rows.filter((_, index) => filter === '' || (index % BATCH) % statuses.length === 2),
    );
    const seen: string[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const query = `${filter}limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body } = await site.call('GET', `/v1/invoices?${query}`, { key: homeKey });
      seen.push(...(body['data'] as readonly Json[]).map(({ id }) => String(id)));
      cursor = body['nextCursor'];
      await add(3);
    }
    assert.equal(new Set(seen).size, seen.length, 'a row came twice');
    for (const id of seen) before.delete(id);
    assert.deepEqual([...before], []);
    assert.deepEqual(seen, seen.toSorted().toReversed(), 'newest first');
  }
});

test('events: no row is skipped or repeated', async () => {
  const { deps } = site.world;
  let emitted = 0;
  const add = async (count: number) => {
    const nowMs = deps.clock.nowMs();
    await deps.store.run(async (tx) => {
      for (let index = 0; index < count; index += 1) {
        emitted += 1;
        const [id, type] = [deps.ids.next('evt', nowMs), 'invoice.created'];
        const body = eventBody(type, { number: emitted });
        // An organization of its own: the subscriptions above would want them all.
        tx.outbox.append({ ...own, id, type, subjectId: 'inv_1', body, createdAtMs: nowMs });
      }
    });
    while ((await runSequencer(deps, nowMs, BATCH)) > 0);
  };
  const own: Tenant = { orgId: await site.world.organization(), mode: 'test' };
  const ownKey = await site.world.key(own.orgId);
  while (emitted < ROWS) await add(BATCH);

  const seen: Json[] = [];
  for (let next = 0; next < ROWS; ) {
    const path = `/v1/events?after=${next}&limit=${PAGE}`;
    const { body } = await site.call('GET', path, { key: ownKey });
    seen.push(...(body['data'] as readonly Json[]));
    next = Number(body['nextAfter']);
    assert.equal(next, seen.length);
    await add(3);
  }
  for (const [index, { sequence, data }] of seen.entries()) {
    assert.deepEqual([sequence, (data as Json)['number']], [index + 1, index + 1]);
  }
});
