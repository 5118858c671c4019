// What every store promises about the lists of a tenant's payments: any combination of filters
// finds what a scan of all rows finds, in pages that follow each other without gap.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { inspect, isDeepStrictEqual } from 'node:util';
import { LATEST_MS } from '../../core/domain/base/instant.js';
import { money } from '../../core/domain/base/money.js';
import { tenantOf } from '../../core/domain/base/tenant.js';
import { type ShownView, unshownOfPayment } from '../../core/domain/payments/change.js';
import { type Payment, paymentOrigins } from '../../core/domain/payments/payment.js';
import type {
  DueRange,
  SettledRange,
  Store,
  TenantPaymentFilter,
  UpdatedPage,
} from '../../core/ports/storage.js';
import {
  aBarePayment,
  otherMode,
  otherOrg,
  someFunds,
  T0,
  tenant,
} from '../support/samples/domain-samples.js';
import { valuesOf } from '../support/values-of.js';
import type { OpenStore } from './store-contracts.js';

const statuses = ['approved', 'awaiting_buyer', 'settled'] as const;
const sellers = [null, 'seller-1', 'seller-2'] as const;
const homes = [tenant, otherOrg, otherMode] as const;
const PAYMENTS = 60;
const some = money(1_000n, 'USD');
const amounts = [some, money(1_000n, 'EUR'), money(2_000n, 'USD')] as const;

/** Three times in ids, so that the rest of the id orders many of them. */
const moments = ['0000000001', '0000000002', '0000000003'] as const;

const rows: readonly Payment[] = Array.from({ length: PAYMENTS }, (_, at) => {
  const origin = paymentOrigins[at % 5 === 0 ? 1 : 0] ?? 'invoice';
  const suffix = `${moments[at % moments.length]}${String((at * 7) % PAYMENTS).padStart(2, '0')}`;
  return aBarePayment({
    ...homes[at % 7 === 3 ? 1 : at % 11 === 3 ? 2 : 0],
    id: `${origin === 'invoice' ? 'inv' : 'pi'}_${suffix}`,
    origin,
    publicId: `public-${at}`,
    externalId: at % 4 === 0 ? null : `order-${Math.floor(at / 6)}-${at % 6}`,
    status: statuses[at % 4 === 0 ? 0 : at % statuses.length] ?? 'settled',
    sellerExternalId: sellers[(at * 5) % sellers.length] ?? null,
    number: at % 5 === 0 ? `RN-${at % 2}` : null,
    buyerId: `byr_${at % 4}`,
    amount: amounts[at % amounts.length] ?? some,
    createdAtMs: T0,
    updatedAtMs: T0 + ((at * 13) % 10),
    settledAtMs: at % 3 === 0 ? null : T0 + ((at * 7) % 5),
    dueDate: origin === 'invoice' && at % 3 > 0 ? `2026-03-0${1 + (at % 4)}` : null,
    coveredAtMs: at % 2 === 0 ? null : T0,
  });
});

const ofTenant = rows.filter(({ orgId, mode }) => orgId === tenant.orgId && mode === tenant.mode);
const bare = ({ id }: Payment) => id.slice(id.indexOf('_') + 1);
const newest = ofTenant.toSorted((one, other) => (bare(one) < bare(other) ? 1 : -1));
const oldestChange = ofTenant.toSorted(
  (one, other) => one.updatedAtMs - other.updatedAtMs || (one.id < other.id ? -1 : 1),
);

type Filter = Omit<TenantPaymentFilter, 'beforeId' | 'afterId' | 'limit'>;

const originSets = [paymentOrigins, ['payment_intent'], ['invoice'], []] as const;

const noSearch = {
  id: null,
  number: null,
  buyerId: null,
  amount: null,
  settled: null,
  due: null,
} as const;
const noFilter: Filter = {
  origins: paymentOrigins,
  statuses: null,
  sellerExternalId: null,
  externalId: null,
  fromMoment: null,
  beforeMoment: null,
  ...noSearch,
};
const statusSets = [null, ['settled'], statuses] as const;

/** Every combination of a few values of each filter. */
const filters: readonly Filter[] = originSets.flatMap((origins) =>
  statusSets.flatMap((found) =>
    [null, 'seller-1', 'nobody'].flatMap((sellerExternalId) =>
      [null, 'order-1-1'].flatMap((externalId) =>
        [null, moments[1]].flatMap((fromMoment) =>
          [null, moments[2]].map((beforeMoment) => ({
            origins,
            statuses: found,
            sellerExternalId,
            externalId,
            fromMoment,
            beforeMoment,
            ...noSearch,
          })),
        ),
      ),
    ),
  ),
);

const searches: readonly Filter[] = [{ buyerId: 'byr_1' }, { amount: some }]
  .flatMap((search) => statusSets.map((found) => ({ ...noFilter, ...search, statuses: found })))
  .flatMap((filter) => [filter, { ...filter, sellerExternalId: 'seller-1' }]);
const allFilters = [...filters, ...searches];

const firstPage = { beforeId: null, afterId: null } as const;

function fits(row: Payment, filter: Filter): boolean {
  const { sellerExternalId, externalId, fromMoment, beforeMoment, amount, settled, due } = filter;
  const moment = bare(row).slice(0, moments[0].length);
  return (
    filter.origins.includes(row.origin) &&
    (filter.statuses ?? [row.status]).includes(row.status) &&
    (filter.buyerId ?? row.buyerId) === row.buyerId &&
    (amount === null || isDeepStrictEqual(amount, row.amount)) &&
    (sellerExternalId ?? row.sellerExternalId) === row.sellerExternalId &&
    (externalId ?? row.externalId) === row.externalId &&
    (fromMoment ?? moment) <= moment &&
    (beforeMoment === null || moment < beforeMoment) &&
    (settled === null || isWithin(row.settledAtMs, settled)) &&
    (due === null || isDueIn(row, due))
  );
}

function isWithin(atMs: number | null, { fromMs, beforeMs }: SettledRange): boolean {
  return atMs !== null && fromMs <= atMs && atMs < beforeMs;
}

function isDueIn({ dueDate, coveredAtMs }: Payment, { from, to, isUncovered }: DueRange) {
  return (
    dueDate !== null && from <= dueDate && dueDate <= to && !(isUncovered && coveredAtMs !== null)
  );
}

const dueFilters: readonly Filter[] = [
  { from: '2026-03-02', to: '2026-03-03', isUncovered: false },
  { from: '0000-01-01', to: '9999-12-31', isUncovered: false },
  { from: '0000-01-01', to: '2026-03-03', isUncovered: true },
  { from: '2026-04-01', to: '2026-03-31', isUncovered: false },
].flatMap((due) =>
  originSets.flatMap((origins) => [
    { ...noFilter, origins, due },
    { ...noFilter, origins, due, statuses: ['approved', 'settled'] as const },
    { ...noFilter, origins, due, statuses: ['approved'] as const, sellerExternalId: 'seller-1' },
    { ...noFilter, origins, due, fromMoment: moments[1] },
  ]),
);

/** Of some settlements at one time and of any, with other filters. */
const settledFilters: readonly Filter[] = [
  { fromMs: T0 + 1, beforeMs: T0 + 3 },
  { fromMs: 0, beforeMs: LATEST_MS },
  { fromMs: T0 + 9, beforeMs: T0 + 10 },
].flatMap((settled) =>
  originSets.flatMap((origins) => [
    { ...noFilter, origins, settled },
    {
      ...noFilter,
      origins,
      settled,
      due: { from: '2026-03-02', to: '2026-03-04', isUncovered: false },
    },
    { ...noFilter, origins, settled, statuses: ['settled'], sellerExternalId: 'seller-1' },
    { ...noFilter, origins, settled, fromMoment: moments[1], beforeMoment: moments[2] },
  ]),
);

/** The order of the index, so that ties of both origins are in one place. */
function latestSettlementFirst(one: Payment, other: Payment): number {
  return (other.settledAtMs ?? 0) - (one.settledAtMs ?? 0) || (one.id < other.id ? 1 : -1);
}

function earliestDueFirst(one: Payment, other: Payment): number {
  const [left, right] = [one, other].map(({ dueDate, id }) => `${dueDate} ${id}`);
  return `${left}` < `${right}` ? -1 : 1;
}

export function storePaymentListsContract(open: OpenStore): void {
  let store: Store;
  before(async () => {
    store = await open();
    await store.run(async (tx) => {
      for (const row of rows) {
        tx.payments.insert(row);
        tx.funds.put(someFunds({ ...tenantOf(row), paymentId: row.id }));
      }
    });
  });
  const list = async (filter: TenantPaymentFilter) => {
    const views = await store.run((tx) => tx.views.listPayments(tenant, filter));
    return views.map(({ payment }) => payment);
  };
  const changed = async (page: UpdatedPage) => {
    const views = await store.run((tx) => tx.views.updatedPayments(tenant, page));
    return views.map(({ payment }) => payment);
  };

  test('payments of each state since a moment are counted, the newest up to a limit', async () => {
    const [, since = '', oldBefore = ''] = moments;
    const young = ofTenant.filter((row) => bare(row) >= since);
    const counted = async (countMax: number) => {
      const asked = { fromMoment: since, oldBefore, countMax };
      const found = await store.run((tx) => tx.views.countsByStatus(tenant, asked));
      return found.filter(({ count }) => count > 0);
    };
    const expected = statuses.map((status) => {
      const found = young.filter((row) => row.status === status);
      const old = found.filter((row) => bare(row) < oldBefore).length;
      return { status, count: found.length, old };
    });
    const byName = (one: { status: string }, other: { status: string }) =>
      one.status < other.status ? -1 : 1;
    assert.deepEqual((await counted(99)).toSorted(byName), expected.toSorted(byName));
    assert.ok(expected.some(({ count, old }) => old > 0 && old < count));
    const [firsts, all] = await Promise.all([counted(1), counted(99)]);
    for (const [at, { count, old }] of firsts.entries()) {
      const { count: every = 0, old: everyOld = 0 } = all[at] ?? {};
      assert.ok(count <= paymentOrigins.length, 'of each origin');
      assert.ok(every === everyOld || old < count, 'an old one counts only after the others');
    }
  });

  test('the sample has intents, invoices and payments of other tenants', () => {
    const kinds = new Set(rows.map(({ orgId, mode, origin }) => `${orgId} ${mode} ${origin}`));
    assert.equal(kinds.size, 2 * homes.length);
  });

  test('payments under any combination of filters are those of a scan, newest first', async () => {
    const lists = allFilters.map((filter) => list({ ...filter, ...firstPage, limit: 100 }));
    for (const [at, found] of (await Promise.all(lists)).entries()) {
      const filter = allFilters[at] as Filter;
      const expected = newest.filter((row) => fits(row, filter));
      assert.deepEqual(found.map(shownOf), expected.map(shownOf), inspect(filter));
    }
  });

  test('pages of payments of all origins follow each other without gap', async () => {
    for (const filter of allFilters.filter(({ externalId }) => externalId === null)) {
      const pages: ShownView['payment'][] = [];
      for (;;) {
        const beforeId = pages.at(-1)?.id ?? null;
        const page = await list({ ...filter, beforeId, afterId: null, limit: 4 });
        assert.ok(page.length <= 4);
        pages.push(...page);
        if (page.length < 4) break;
      }
      const expected = newest.filter((row) => fits(row, filter));
      assert.deepEqual(valuesOf(pages, 'id'), valuesOf(expected, 'id'), inspect(filter));
    }
  });

  test('settled payments come by their settlement, the latest first, in pages both ways', async () => {
    for (const filter of settledFilters) await pagesAreInOrder(filter, latestSettlementFirst);
  });

  test('what is due in some days comes by its due day, the earliest first, in pages both ways', async () => {
    assert.ok(dueFilters.some((filter) => ofTenant.filter((row) => fits(row, filter)).length > 4));
    for (const filter of dueFilters) await pagesAreInOrder(filter, earliestDueFirst);
  });

  async function pagesAreInOrder(
    filter: Filter,
    compare: (one: Payment, other: Payment) => number,
  ) {
    const expected = ofTenant.filter((row) => fits(row, filter)).sort(compare);
    const older: ShownView['payment'][] = [];
    for (;;) {
      const beforeId = older.at(-1)?.id ?? null;
      const page = await list({ ...filter, beforeId, afterId: null, limit: 4 });
      older.push(...page);
      if (page.length < 4) break;
    }
    assert.deepEqual(valuesOf(older, 'id'), valuesOf(expected, 'id'), inspect(filter));
    const newer: ShownView['payment'][] = expected.slice(-1);
    for (let afterId = newer[0]?.id; afterId !== undefined; afterId = newer[0]?.id) {
      const page = await list({ ...filter, beforeId: null, afterId, limit: 4 });
      newer.unshift(...page);
      if (page.length < 4) break;
    }
    assert.deepEqual(valuesOf(newer, 'id'), valuesOf(expected, 'id'), inspect(filter));
  }

  test('the pages before a page are those that led to it', async () => {
    for (const filter of allFilters.filter(({ externalId }) => externalId === null)) {
      const expected = newest.filter((row) => fits(row, filter));
      const pages: ShownView['payment'][] = expected.slice(-1);
      for (;;) {
        const afterId = pages.at(0)?.id ?? null;
        if (afterId === null) break;
        const page = await list({ ...filter, beforeId: null, afterId, limit: 4 });
        pages.unshift(...page);
        if (page.length < 4) break;
      }
      assert.deepEqual(valuesOf(pages, 'id'), valuesOf(expected, 'id'), inspect(filter));
    }
  });

  test('changes come oldest first from a time to a time, in pages without gap', async () => {
    const [fromMs, untilMs] = [T0 + 2, T0 + 7];
    for (const origins of originSets) {
      const pages: ShownView['payment'][] = [];
      for (;;) {
        const last = pages.at(-1);
        const place = { fromMs: last?.updatedAtMs ?? fromMs, afterId: last?.id ?? '' };
        const page = await changed({ origins, ...place, untilMs, limit: 4 });
        pages.push(...page);
        if (page.length < 4) break;
      }
      const expected = oldestChange.filter(
        ({ origin, updatedAtMs }) =>
          (origins as readonly string[]).includes(origin) &&
          updatedAtMs >= fromMs &&
          updatedAtMs <= untilMs,
      );
      assert.deepEqual(valuesOf(pages, 'id'), valuesOf(expected, 'id'));
    }
  });
}

/** What lists read at least of a payment; a page that is kept in memory has all of it. */
function shownOf(payment: ShownView['payment']): ShownView['payment'] {
  const unshown: readonly string[] = unshownOfPayment;
  const fields = Object.entries(payment).filter(([name]) => !unshown.includes(name));
  return Object.fromEntries(fields) as unknown as ShownView['payment'];
}
