// Payments with their funds and the KYC status of their buyer, read in one query. Nothing is
// written here.
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { readSettlementLists } from '../../../core/domain/commands/settlement.js';
import {
  type Buyer,
  type KycStatus,
  knownKycStatus,
  kycStatuses,
} from '../../../core/domain/parties/buyer-kyc.js';
import {
  type PaymentView,
  type ShownView,
  unshownOfFunds,
  unshownOfPayment,
} from '../../../core/domain/payments/change.js';
import { noFunds } from '../../../core/domain/payments/funds.js';
import {
  newestFirst,
  type Payment,
  type PaymentOrigin,
  type PaymentStatus,
  paymentIdPrefixes,
  paymentOrigins,
  paymentStatuses,
} from '../../../core/domain/payments/payment.js';
import { assert } from '../../../core/errors.js';
import { type TenantPaymentFilter, VERSIONS_MAX } from '../../../core/ports/storage.js';
import { integer, oneOf, text } from '../columns.js';
import { type CachedPage, type Param, type Row, timeParam } from '../database.js';
import type { CachedJoin, Joined, TxPart } from '../unit-of-work.js';
import { accounts, buyerKycSql } from './account-rows.js';
import { buyers, currentSubmission, submissions } from './buyer-rows.js';
import { funds } from './money-rows.js';
import {
  aggregates,
  byExternalIdSql,
  externalIdParams,
  fundsColumns,
  idRange,
  payments,
} from './payment-rows.js';

const submissionStatus = oneOf('submission_status', kycStatuses).null();

const kycStatus: Joined<KycStatus> = {
  tables: [submissions, accounts],
  read: (row) => knownKycStatus(submissionStatus.read(row), row['approved_account_id'] !== null),
  expect: () => [],
};

function kycColumns(
  [orgId, mode]: readonly [string, string],
  { buyerId, emailKey }: { readonly buyerId: string; readonly emailKey: string },
): string {
  const ofTenant = `org_id = ${orgId} and mode = ${mode}`;
  const submission = currentSubmission(`${ofTenant} and buyer_id = ${buyerId}`);
  return [
    `(select status from kyc_submissions ${submission}) as submission_status,`,
    '(select id from connected_accounts',
    `where ${ofTenant} and email_key = ${emailKey} and ${buyerKycSql} limit 1)`,
    'as approved_account_id',
  ].join(' ');
}

/** A payout and its payment change in one batch, so a kept view needs no look at the commands. */
const settlementsColumn = [
  "case when chosen.settled_at is null then null else (select string_agg(settlements, ',')",
  'from partner_commands where org_id = chosen.org_id and mode = chosen.mode',
  "and payment_id = chosen.id and kind = 'payout') end as settlements",
].join(' ');

const settlementLists = text.null('settlements');

function settlementsIn(row: Row): PaymentView['settlements'] {
  const lists = settlementLists.read(row);
  return lists === null ? [] : readSettlementLists(lists);
}

const shownOfNew = noFunds({ orgId: '', mode: 'test', id: '', amount: { currency: '' } });

const views: Joined<PaymentView> = {
  tables: [...aggregates.tables, buyers, ...kycStatus.tables],
  read: (row: Row) => ({
    ...aggregates.read(row),
    kycStatus: kycStatus.read(row),
    settlements: settlementsIn(row),
  }),
  expect: aggregates.expect,
};

const allColumns = `chosen.*, ${fundsColumns.columns}, ${settlementsColumn}`;

const shownPayment = payments.without(unshownOfPayment);
const shownFunds = funds.without(unshownOfFunds);
assert(
  shownFunds.columns.every((column) => !shownPayment.columns.includes(column)),
  'what is shown of payment and funds has different names in one row',
);

const shownViews: Joined<ShownView> = {
  tables: views.tables,
  read: (row: Row) => ({
    payment: shownPayment.read(row),
    funds: row['position'] !== null ? shownFunds.read(row) : shownOfNew,
    kycStatus: kycStatus.read(row),
    settlements: settlementsIn(row),
  }),
  // No decision is made on them.
  expect: () => [],
};

const shownColumns = [
  ...shownPayment.columns.map((column) => `chosen.${column}`),
  ...shownFunds.columns.map((column) => `funds.${column}`),
  settlementsColumn,
].join(', ');

/**
 * Views of the payments that a query finds. The limit makes PostgreSQL plan that query separately:
 * in one plan it would scan all funds of a tenant while the table is small.
 */
function viewsSql(columns: string, conditions: readonly string[], page: string, hint = ''): string {
  return [
    `select ${columns},`,
    kycColumns(['chosen.org_id', 'chosen.mode'], {
      buyerId: 'chosen.buyer_id',
      emailKey: 'buyers.email_key',
    }),
    `from (select * from payments ${foundBy(conditions, page, hint)}) as chosen`,
    'left join funds on funds.org_id = chosen.org_id and funds.mode = chosen.mode',
    'and funds.payment_id = chosen.id',
    'left join buyers on buyers.mode = chosen.mode and buyers.id = chosen.buyer_id',
  ].join(' ');
}

function foundBy(conditions: readonly string[], page: string, hint: string): string {
  const found = ['org_id = $1', 'mode = $2', ...conditions].join(' and ');
  return `${hint} where ${found} ${page}`.trim();
}

/** One statement for any number of ids: the rest are repeated. */
const pageVersionsSql = [
  'select id, version, (select sum(version) from kyc_submissions where org_id = payments.org_id',
  'and mode = payments.mode and buyer_id = payments.buyer_id) as kyc_version from payments',
  `where org_id = $1 and mode = $2 and id in (`,
  Array.from({ length: VERSIONS_MAX }, (_, index) => `$${index + 3}`).join(', '),
  ')',
].join(' ');

export const viewById: CachedJoin<PaymentView> = {
  ...views,
  sql: viewsSql(allColumns, ['id = $3'], 'limit 1'),
  on: {
    payments: ['org_id', 'mode', 'id'],
    funds: ['org_id', 'mode', 'payment_id'],
    kyc_submissions: ['org_id', 'mode'],
    connected_accounts: ['org_id', 'mode'],
  },
};
const viewByExternalIdSql = viewsSql(allColumns, [byExternalIdSql], 'limit 1');
/** Parameters: the tenant, the buyer and its emailKey. */
const kycOfBuyer: CachedJoin<KycStatus> = {
  ...kycStatus,
  sql: `select ${kycColumns(['$1', '$2'], { buyerId: '$3', emailKey: '$4' })}`,
  on: { kyc_submissions: ['org_id', 'mode'], connected_accounts: ['org_id', 'mode'] },
};

/** A buyer and its KYC. Parameters: the tenant and the emailKey. */
const buyerByEmail: CachedJoin<Pick<PaymentView, 'kycStatus'> & { readonly buyer: Buyer }> = {
  tables: [buyers, ...kycStatus.tables],
  sql: [
    `select buyers.*, ${kycColumns(['$1', '$2'], { buyerId: 'buyers.id', emailKey: '$3' })}`,
    'from buyers where mode = $2 and email_key = $3',
  ].join(' '),
  // A buyer never changes.
  on: kycOfBuyer.on,
  read: (row) => ({ buyer: buyers.read(row), kycStatus: kycStatus.read(row) }),
  expect: () => [],
};

/** One statement per origin, since each has its range in the index. */
const updatedSql = Object.fromEntries(
  paymentOrigins.map((origin) => {
    const range = ['(updated_at, id) > ($3, $4)', 'updated_at <= $5'];
    const page = 'order by updated_at, id limit $6';
    const sql = viewsSql(shownColumns, [`origin = '${origin}'`, ...range], page);
    return [origin, `${sql} order by chosen.updated_at, chosen.id`];
  }),
) as Readonly<Record<PaymentOrigin, string>>;

function oldestChangeFirst({ payment: left }: ShownView, { payment: right }: ShownView) {
  return left.updatedAtMs - right.updatedAtMs || (left.id < right.id ? -1 : 1);
}

/** Where a page that is not in the order of creation begins or ends. */
type Place = Pick<Payment, 'id' | 'settledAtMs' | 'dueDate'>;

/** As the index has them: with the prefix of the id. */
function latestSettlementFirst(left: Place, right: Place): number {
  return (right.settledAtMs ?? 0) - (left.settledAtMs ?? 0) || (left.id < right.id ? 1 : -1);
}

function earliestDueFirst(left: Place, right: Place): number {
  const [one, other] = [left.dueDate ?? '', right.dueDate ?? ''];
  if (one !== other) return one < other ? -1 : 1;
  return left.id < right.id ? -1 : 1;
}

type Order = 'asc' | 'desc';

interface ListOrder {
  readonly column: 'settled_at' | 'due_date' | null;
  readonly first: Order;
  readonly compare: (left: ShownView['payment'], right: ShownView['payment']) => number;
  readonly of: (place: Place) => Param;
}

/** Within one value of the column, and without a column, by id. */
const listOrders = {
  created: { column: null, first: 'desc', compare: newestFirst, of: () => null },
  settled: {
    column: 'settled_at',
    first: 'desc',
    compare: latestSettlementFirst,
    of: ({ settledAtMs }) => settledAtMs && timeParam(settledAtMs),
  },
  due: {
    column: 'due_date',
    first: 'asc',
    compare: earliestDueFirst,
    of: ({ dueDate }) => dueDate,
  },
} as const satisfies Record<string, ListOrder>;

function orderOf({ settled, due }: TenantPaymentFilter): ListOrder {
  if (settled !== null) return listOrders.settled;
  return due === null ? listOrders.created : listOrders.due;
}

/** One status and one origin, since each has its range in an index. */
function pageOfRange(
  { orgId, mode }: Tenant,
  { origin, status }: { readonly origin: PaymentOrigin; readonly status: PaymentStatus | null },
  filter: TenantPaymentFilter,
  place: Place | null,
): { readonly page: CachedPage<ShownView>; readonly params: readonly Param[] } {
  const { id, externalId, sellerExternalId, buyerId, amount, afterId, limit } = filter;
  const { settled, due } = filter;
  const { column, first, of } = orderOf(filter);
  const [externalKey] = externalId === null ? [null] : externalIdParams(externalId);
  const params: Param[] = [orgId, mode, limit];
  const conditions = [`origin = '${origin}'`];
  const given = {
    'id =': id,
    'external_id_key =': externalKey,
    'external_id =': externalId,
    'buyer_id =': buyerId,
    'amount_minor =': amount?.amountMinor ?? null,
    'currency =': amount?.currency ?? null,
    'seller_external_id =': sellerExternalId,
    'status =': status,
    // The place in another order is not that of the id.
    ...idRange(origin, column === null ? filter : { ...filter, beforeId: null, afterId: null }),
    'settled_at >=': settled && timeParam(settled.fromMs),
    'settled_at <': settled && timeParam(settled.beforeMs),
    'due_date >=': due?.from ?? null,
    'due_date <=': due?.to ?? null,
  };
  for (const [comparison, value] of Object.entries(given)) {
    if (value !== null) conditions.push(`${comparison} $${params.push(value)}`);
  }
  if (due?.isUncovered) conditions.push('covered_at is null');
  const order = (afterId === null) === (first === 'desc') ? 'desc' : 'asc';
  const placeValue = place && of(place);
  if (place !== null && placeValue !== null) {
    const [value, id] = [params.push(placeValue), params.push(place.id)];
    conditions.push(`(${column}, id) ${order === 'desc' ? '<' : '>'} ($${value}, $${id})`);
  }
  const hint = hintFor(filter, status);
  const name = `${hint} ${order} ${conditions.join()}`;
  const known = pagesByName.get(name);
  if (known !== undefined) return { page: known, params };
  const by = column === null ? ['id'] : [column, 'id'];
  const inOrderOf = (table: string) => by.map((name) => `${table}${name} ${order}`).join(', ');
  const rest = [conditions, `order by ${inOrderOf('')} limit $3`, hint] as const;
  const inOrder = `order by ${inOrderOf('chosen.')}`;
  const key = ['org_id', 'mode', 'id'];
  const page = {
    sql: `${viewsSql(shownColumns, ...rest)} ${inOrder}`,
    read: shownViews.read,
    each: viewById,
    keySql: `select ${key.join(', ')} from payments ${foundBy(...rest)}`,
    key,
  };
  pagesByName.set(name, page);
  return { page, params };
}

/** The statements of lists. A long text that is made again is also hashed again. */
const pagesByName = new Map<string, CachedPage<ShownView>>();

/**
 * Without it, SQLite reads all payments of the seller, all invoices of the tenant, or all payments
 * of a status. The payments of one buyer are sorted: an index in their order would cost each create
 * 9 % more bytes.
 */
function hintFor(
  { id, externalId, sellerExternalId, buyerId, amount, settled, due }: TenantPaymentFilter,
  status: PaymentStatus | null,
): string {
  if (settled !== null) return ' indexed by payments_settled';
  if (due !== null) return ' indexed by payments_due';
  if (id !== null || externalId !== null) return '';
  if (buyerId !== null) return ' indexed by payments_of_buyer';
  if (amount !== null) return ' indexed by payments_of_amount';
  if (sellerExternalId === null) return '';
  return ` indexed by payments_of_seller${status === null ? '' : '_and_status'}`;
}

/** One count for each status: an index has them in turn, and each stops at its limit. */
const countsSql = paymentOrigins
  .flatMap((origin, at) =>
    paymentStatuses.map(
      (status) =>
        `select '${status}' as status, count(*) as counted, ` +
        `coalesce(sum(case when id < $${at + 6} then 1 else 0 end), 0) as old ` +
        `from (select id from payments ` +
        `where org_id = $1 and mode = $2 and origin = '${origin}' and status = '${status}' ` +
        `and id >= $${at + 4} order by id desc limit $3) as chosen`,
    ),
  )
  .join(' union all ');

export const viewsPart: TxPart<'views'> = {
  get: (unit, { orgId, mode }, id) => unit.firstCached(viewById, [orgId, mode, id]),
  async byExternalId(unit, { orgId, mode }, origin, externalId) {
    const params = [orgId, mode, origin, ...externalIdParams(externalId)];
    const [view] = await unit.joined(views, viewByExternalIdSql, params);
    return view ?? null;
  },
  async pageVersions(unit, { orgId, mode }, paymentIds) {
    const [first] = paymentIds;
    if (first === undefined) return [];
    assert(paymentIds.length <= VERSIONS_MAX, `at most ${VERSIONS_MAX} ids`);
    const ids = Array.from({ length: VERSIONS_MAX }, (_, index) => paymentIds[index] ?? first);
    const found = await unit.rows('payments', pageVersionsSql, [orgId, mode, ...ids]);
    return found.map((row) => ({
      paymentId: String(row['id']),
      version: `${row['version']}.${row['kyc_version'] ?? 0}`,
    }));
  },
  async listPayments(unit, tenant, filter) {
    const { origins, statuses, due, beforeId, afterId, limit } = filter;
    const { column, compare } = orderOf(filter);
    assert(afterId === null || filter.beforeId === null, 'a page has one end');
    const ranges = origins.flatMap((origin) =>
      (statuses ?? (due === null ? [null] : paymentStatuses)).map((status) => ({ origin, status })),
    );
    const placeId = column === null ? null : (beforeId ?? afterId);
    const { orgId, mode } = tenant;
    const place = placeId === null ? null : await unit.byKey(payments, [orgId, mode, placeId]);
    const pages = ranges.map((range) => {
      const { page, params } = pageOfRange(tenant, range, filter, place);
      // First pages are repeated. To keep a payment costs as much as to read it, so those behind
      // them are not kept.
      const isFirst = filter.beforeId === null && afterId === null;
      if (!isFirst) return unit.joined(shownViews, page.sql, params);
      return unit.page(shownViews.tables, page, params);
    });
    const found = (await Promise.all(pages)).flat();
    found.sort((left, right) => compare(left.payment, right.payment));
    return afterId === null ? found.slice(0, limit) : found.slice(-limit);
  },
  async updatedPayments(unit, { orgId, mode }, { origins, fromMs, afterId, untilMs, limit }) {
    const range = [timeParam(fromMs), afterId, timeParam(untilMs), limit];
    const pages = origins.map((origin) =>
      unit.joined(shownViews, updatedSql[origin], [orgId, mode, ...range]),
    );
    return (await Promise.all(pages)).flat().sort(oldestChangeFirst).slice(0, limit);
  },
  async countsByStatus(unit, { orgId, mode }, { fromMoment, oldBefore, countMax }) {
    const ids = [fromMoment, oldBefore].flatMap((moment) =>
      paymentOrigins.map((origin) => `${paymentIdPrefixes[origin]}_${moment}`),
    );
    const rows = await unit.rows('payments', countsSql, [orgId, mode, countMax, ...ids]);
    return paymentStatuses.map((status) => {
      const found = rows.filter((row) => row['status'] === status);
      const sum = (name: string) =>
        found.reduce((total, row) => total + integer(name).read(row), 0);
      return { status, count: sum('counted'), old: sum('old') };
    });
  },
  buyer: (unit, { orgId, mode }, emailKey) =>
    unit.firstCached(buyerByEmail, [orgId, mode, emailKey]),
  async kycStatus(unit, { orgId, mode }, { id, emailKey }) {
    const known = await unit.firstCached(kycOfBuyer, [orgId, mode, id, emailKey]);
    assert(known !== null, 'without a table there is one row');
    return known;
  },
};
