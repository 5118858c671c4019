// Lists of twenty pages of rows that were all made at one moment, read page by page while rows are
// being added: every row that was there at first comes once. Those of the API over HTTP, those that
// only operators have from the store. Their indexes are in list-plans.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatInstant } from '../../../core/domain/base/instant.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { ConnectedAccount } from '../../../core/domain/parties/connected-account.js';
import { eventBody } from '../../../core/domain/payments/event.js';
import { noFunds } from '../../../core/domain/payments/funds.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import { newDelivery } from '../../../core/domain/webhooks/webhook-delivery.js';
import type { IdPrefix } from '../../../core/ports/outside.js';
import type { Tx } from '../../../core/ports/storage.js';
import { aBarePayment, aDocument, anAccount } from '../../support/samples/domain-samples.js';
import { aMail } from '../../support/samples/mail-samples.js';
import type { Json } from '../../support/servers/json-call.js';
import { sharedSite } from './checked-site.js';
import { newSubscription } from './docs/example-calls.js';

const PAGE = 25;
const ROWS = 20 * PAGE;
const BATCH = ROWS / 2;

interface Row {
  readonly id: string;
}

interface Page {
  readonly ids: readonly string[];
  /** Where the next one begins; null after the last one. */
  readonly next: string | null;
}

/** Adds so many rows, all of one moment: within it ids are in no order of time. */
type Add<R extends Row> = (count: number) => Promise<readonly R[]>;

const site = sharedSite();

test('deliveries of a subscription', async () => {
  const { tenant, key } = await newTenant();
  const subscriptionId = await newSubscription(site.world, tenant);
  const otherId = await newSubscription(site.world, tenant);
  const addTo = (to: string) =>
    adding('whd', (id, _, createdAtMs) => {
      const event = { eventId: 'evt_1', eventType: 'invoice.created' };
      const row = newDelivery({ ...tenant, id, subscriptionId: to, ...event, createdAtMs });
      return { row, stage: (tx) => tx.deliveries.insert(row) };
    });
  const add = addTo(subscriptionId);
  const rows = await filled(add);
  await addTo(otherId)(BATCH);
  const path = `/v1/webhook-subscriptions/${subscriptionId}/deliveries`;
  await readsEachOnce(rows, overHttp(path, key), add);
});

test('invoices and payments, all and by status; and payments as operators list them', async () => {
  const { tenant, key } = await newTenant();
  const statuses = ['approved', 'awaiting_buyer', 'cancelled'] as const;
  const add = adding('inv', (id, index, createdAtMs) => {
    const status = statuses[index % statuses.length] ?? 'approved';
    const fields = {
      id,
      origin: 'invoice',
      status,
      createdAtMs,
      updatedAtMs: createdAtMs,
    } as const;
    const row = aBarePayment({ ...tenant, ...fields });
    const funds = noFunds(row);
    return {
      row,
      stage: (tx) => {
        tx.payments.insert(row);
        tx.funds.put(funds);
      },
    };
  });
  const rows: Payment[] = await filled(add);
  await readsEachOnce(rows, overHttp('/v1/invoices', key), add);
  const cancelled = rows.filter(({ status }) => status === 'cancelled');
  await readsEachOnce(cancelled, overHttp('/v1/invoices?status=cancelled', key), add);
  await readsEachOnce(rows, overHttp('/v1/payments', key), add);
  await readsEachOnce(cancelled, overHttp('/v1/payments?status=cancelled', key), add);
  const { orgId } = tenant;
  for (const status of [null, 'cancelled'] as const) {
    const load = fromStore((tx, page) => tx.payments.list({ status, orgId, ...page }));
    await readsEachOnce(status === null ? rows : cancelled, load, add);
  }
});

test('connected accounts, under every filter', async () => {
  const { tenant, key } = await newTenant();
  const add = adding('acct', (id, index, createdAtMs) => {
    const role = index % 2 === 0 ? 'seller' : 'buyer';
    const status = index % 3 === 0 ? 'verifying' : 'approved';
    const row = anAccount({ ...tenant, id, role, status, createdAtMs });
    return { row, stage: (tx) => tx.accounts.insert(row) };
  });
  const rows: ConnectedAccount[] = await filled(add);
  for (const [query, isListed] of [
    ['', () => true],
    ['?role=buyer', ({ role }) => role === 'buyer'],
    ['?status=verifying', ({ status }) => status === 'verifying'],
    [
      '?role=seller&status=approved',
      ({ role, status }) => role === 'seller' && status === 'approved',
    ],
  ] as readonly (readonly [string, (account: ConnectedAccount) => boolean])[]) {
    for (const path of ['/v1/connected-accounts', '/v1/accounts']) {
      await readsEachOnce(rows.filter(isListed), overHttp(`${path}${query}`, key), add);
    }
  }
});

test('mails as operators list them', async () => {
  const add = adding('mail', (id, index, createdAtMs) => {
    const status = index % 4 === 0 ? 'refused' : 'sent';
    const ended = { dueAtMs: null, leaseToken: null, tokenSealed: null } as const;
    const sentAtMs = status === 'sent' ? createdAtMs : null;
    const fields = { ...ended, sentAtMs, nth: null, tokenHash: id, createdAtMs };
    const row = aMail({ ...fields, id, status });
    return { row, stage: (tx) => tx.mails.insert(row) };
  });
  const rows = await filled(add);
  for (const status of [null, 'refused'] as const) {
    const load = fromStore((tx, page) => tx.mails.list({ status, ...page }));
    const listed = rows.filter((mail) => status === null || mail.status === status);
    await readsEachOnce(listed, load, add);
  }
});

test('documents as operators list them', async () => {
  const add = adding('doc', (id, index, createdAtMs) => {
    const status = index % 4 === 0 ? 'stored' : 'purged';
    const row = aDocument({ id, status, createdAtMs });
    return { row, stage: (tx) => tx.documents.insert(row) };
  });
  const rows = await filled(add);
  for (const kept of [true, false]) {
    const load = fromStore((tx, page) => tx.documents.list({ kept, ...page }));
    const listed = rows.filter(({ status }) => !kept || status !== 'purged');
    await readsEachOnce(listed, load, add);
  }
});

test('events: each once, by its sequence', async () => {
  const { tenant, key } = await newTenant();
  const { deps } = site.world;
  let emitted = 0;
  const add = async (count: number) => {
    const nowMs = deps.clock.nowMs();
    await deps.store.run(async (tx) => {
      for (let index = 0; index < count; index += 1) {
        emitted += 1;
        const [id, type] = [deps.ids.next('evt', nowMs), 'webhook.test'];
        const subscriptionId = `whs_${emitted}`;
        const occurredAt = formatInstant(nowMs);
        const body = eventBody(type, { subscriptionId, externalEventId: id, occurredAt });
        const event = { ...tenant, id, type, subjectId: 'whs_1', body, createdAtMs: nowMs };
        tx.feed.append(event);
      }
    });
  };
  while (emitted < ROWS) await add(BATCH);

  const seen: Json[] = [];
  for (let next = 0; next < ROWS; ) {
    const path = `/v1/events?after=${next}&limit=${PAGE}`;
    const { body } = await site.call('GET', path, { key });
    seen.push(...(body['data'] as readonly Json[]));
    next = Number(body['nextAfter']);
    assert.equal(next, seen.length);
    await add(3);
  }
  for (const [index, { sequence, data }] of seen.entries()) {
    const { subscriptionId } = data as Json;
    assert.deepEqual([sequence, subscriptionId], [index + 1, `whs_${index + 1}`]);
  }
});

/** A tenant per test, so that the lists of one do not hold rows of another. */
async function newTenant(): Promise<{ readonly tenant: Tenant; readonly key: string }> {
  const orgId = await site.world.organization();
  return { tenant: { orgId, mode: 'test' }, key: await site.world.key(orgId) };
}

/** `make` yields a row and how it is stored; `index` counts the rows of one call from zero. */
function adding<R extends Row>(
  prefix: IdPrefix,
  make: (
    id: string,
    index: number,
    nowMs: number,
  ) => { readonly row: R; readonly stage: (tx: Tx) => void },
): Add<R> {
  return async (count) => {
    const { ids, clock, store } = site.world.deps;
    const nowMs = clock.nowMs();
    const made = Array.from({ length: count }, (_, index) =>
      make(ids.next(prefix, nowMs), index, nowMs),
    );
    await store.run(async (tx) => {
      for (const { stage } of made) stage(tx);
    });
    return made.map(({ row }) => row);
  };
}

async function filled<R extends Row>(add: Add<R>): Promise<R[]> {
  const rows: R[] = [];
  while (rows.length < ROWS) rows.push(...(await add(BATCH)));
  return rows;
}

function overHttp(path: string, key: string): (cursor: string | null) => Promise<Page> {
  return async (cursor) => {
    const query = `limit=${PAGE}${cursor === null ? '' : `&cursor=${cursor}`}`;
    const { body } = await site.call('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`, {
      key,
    });
    const ids = (body['data'] as readonly Row[]).map(({ id }) => id);
    return { ids, next: body['nextCursor'] as string | null };
  };
}

function fromStore(
  list: (
    tx: Tx,
    page: { readonly beforeId: string | null; readonly limit: number },
  ) => Promise<readonly Row[]>,
): (beforeId: string | null) => Promise<Page> {
  return async (beforeId) => {
    const rows = await site.world.deps.store.run((tx) => list(tx, { beforeId, limit: PAGE }));
    const ids = rows.map(({ id }) => id);
    return { ids, next: ids.length < PAGE ? null : (ids.at(-1) ?? null) };
  };
}

/** Page by page to the end, with rows added in between. */
async function readsEachOnce(
  rows: readonly Row[],
  load: (cursor: string | null) => Promise<Page>,
  add: Add<Row>,
): Promise<void> {
  assert.ok(rows.length >= ROWS / 4);
  const seen: string[] = [];
  for (let cursor: string | null = null, isLast = false; !isLast; ) {
    const { ids, next }: Page = await load(cursor);
    seen.push(...ids);
    [cursor, isLast] = [next, next === null];
    await add(3);
  }
  const unique = new Set(seen);
  assert.equal(unique.size, seen.length, 'a row came twice');
  assert.deepEqual(
    rows.map(({ id }) => id).filter((id) => !unique.has(id)),
    [],
    'a row was skipped',
  );
  assert.deepEqual(seen, seen.toSorted().toReversed(), 'newest first');
}
