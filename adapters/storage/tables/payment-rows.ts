// Payments and the idempotency keys that name them: columns, rows and SQL.
import {
  isExpirable,
  isTerminal,
  type Payment,
  type PaymentOrigin,
  paymentIdPrefixes,
  paymentStatuses,
  type SettlementFacts,
  statusesWhere,
} from '../../../core/domain/payment.js';
import { modes } from '../../../core/domain/tenant.js';
import { ID_TIME_CHARACTERS, type PaymentFilter, type Tx } from '../../../core/ports.js';
import { type Param, type Row, time } from '../database.js';
import {
  integer,
  moneyOf,
  oneOf,
  tenantColumns,
  text,
  textOrNull,
  timeMs,
  timeMsOrNull,
} from '../row.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const origins = Object.keys({
  payment_intent: true,
  invoice: true,
} satisfies Record<PaymentOrigin, true>) as readonly PaymentOrigin[];

/** What can still expire, as the partial index of the migration spells it. */
export const expirableSql = [
  'covered_at is null and status in (',
  statusesWhere(isExpirable)
    .map((status) => `'${status}'`)
    .join(', '),
  ')',
].join('');

/** The statuses in which nothing is to come. */
export const endedSql = `(${statusesWhere(isTerminal)
  .map((status) => `'${status}'`)
  .join(', ')})`;

export const payments = defineTable<Payment>({
  name: 'payments',
  key: {
    org_id: (payment) => payment.orgId,
    mode: (payment) => payment.mode,
    id: (payment) => payment.id,
  },
  fixed: {
    origin: (payment) => payment.origin,
    public_id: (payment) => payment.publicId,
    external_id: (payment) => payment.externalId,
    amount_minor: (payment) => payment.amount.amountMinor,
    currency: (payment) => payment.amount.currency,
    buyer_id: (payment) => payment.buyerId,
    buyer_email: (payment) => payment.buyer.email,
    buyer_name: (payment) => payment.buyer.name,
    buyer_country: (payment) => payment.buyer.country,
    buyer_phone: (payment) => payment.buyer.phone,
    seller_external_id: (payment) => payment.sellerExternalId,
    destination: (payment) => payment.destination,
    return_url: (payment) => payment.returnUrl,
    display: (payment) => payment.display,
    metadata: (payment) => payment.metadata,
    expires_at: (payment) => time(payment.expiresAtMs),
    number: (payment) => payment.number,
    due_date: (payment) => payment.dueDate,
    created_by_member_id: (payment) => payment.createdByMemberId,
    created_at: (payment) => time(payment.createdAtMs),
  },
  changing: {
    status: (payment) => payment.status,
    quote_id: (payment) => payment.quoteId,
    payin_instructions: (payment) => payment.payinInstructions,
    covered_at: (payment) => time(payment.coveredAtMs),
    transaction_hash: (payment) => payment.transactionHash,
    settled_minor: (payment) => payment.settlement?.settled.amountMinor ?? null,
    settled_currency: (payment) => payment.settlement?.settled.currency ?? null,
    settled_fees_minor: (payment) => payment.settlement?.fees.amountMinor ?? null,
    settled_fx_rate: (payment) => payment.settlement?.fxRate ?? null,
    end_to_end_id: (payment) => payment.settlement?.endToEndId ?? null,
    failure_reason: (payment) => payment.failureReason,
    cancel_reason: (payment) => payment.cancelReason,
    approved_by_member_id: (payment) => payment.approvedByMemberId,
    invited_at: (payment) => time(payment.invitedAtMs),
    updated_at: (payment) => time(payment.updatedAtMs),
  },
  version: (payment) => payment.version,
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      id: text(row, 'id'),
      origin: oneOf(row, 'origin', origins),
      publicId: text(row, 'public_id'),
      externalId: textOrNull(row, 'external_id'),
      status: oneOf(row, 'status', paymentStatuses),
      amount: moneyOf(row, 'amount_minor', 'currency'),
      number: textOrNull(row, 'number'),
      dueDate: textOrNull(row, 'due_date'),
      createdByMemberId: textOrNull(row, 'created_by_member_id'),
      approvedByMemberId: textOrNull(row, 'approved_by_member_id'),
      invitedAtMs: timeMsOrNull(row, 'invited_at'),
      buyerId: text(row, 'buyer_id'),
      buyer: Object.freeze({
        email: text(row, 'buyer_email'),
        name: textOrNull(row, 'buyer_name'),
        country: textOrNull(row, 'buyer_country'),
        phone: textOrNull(row, 'buyer_phone'),
      }),
      sellerExternalId: textOrNull(row, 'seller_external_id'),
      destination: text(row, 'destination'),
      returnUrl: textOrNull(row, 'return_url'),
      display: textOrNull(row, 'display'),
      metadata: text(row, 'metadata'),
      expiresAtMs: timeMsOrNull(row, 'expires_at'),
      quoteId: textOrNull(row, 'quote_id'),
      payinInstructions: textOrNull(row, 'payin_instructions'),
      coveredAtMs: timeMsOrNull(row, 'covered_at'),
      transactionHash: textOrNull(row, 'transaction_hash'),
      settlement: settlementOf(row),
      failureReason: textOrNull(row, 'failure_reason'),
      cancelReason: textOrNull(row, 'cancel_reason'),
      createdAtMs: timeMs(row, 'created_at'),
      updatedAtMs: timeMs(row, 'updated_at'),
      version: integer(row, 'version'),
    }),
});

interface KeyBinding {
  readonly orgId: string;
  readonly mode: string;
  readonly key: string;
  readonly surface: PaymentOrigin;
  readonly resourceId: string;
  readonly createdAtMs: number;
}

const bindings = defineTable<KeyBinding>({
  name: 'idempotency_keys',
  key: {
    org_id: (binding) => binding.orgId,
    mode: (binding) => binding.mode,
    idempotency_key: (binding) => binding.key,
  },
  fixed: {
    surface: (binding) => binding.surface,
    resource_id: (binding) => binding.resourceId,
    created_at: (binding) => time(binding.createdAtMs),
  },
  changing: {},
  version: null,
  read: (row) => ({
    ...tenantColumns(row),
    key: text(row, 'idempotency_key'),
    surface: oneOf(row, 'surface', origins),
    resourceId: text(row, 'resource_id'),
    createdAtMs: timeMs(row, 'created_at'),
  }),
});

export function paymentsOf(unit: UnitOfWork): Tx['payments'] {
  return {
    get: ({ orgId, mode }, id) =>
      unit.byKey(
        payments,
        [orgId, mode, id],
        'select * from payments where org_id = $1 and mode = $2 and id = $3',
        [orgId, mode, id],
      ),
    byExternalId: ({ orgId, mode }, origin, externalId) =>
      unit.first(
        payments,
        [
          'select * from payments',
          'where org_id = $1 and mode = $2 and origin = $3 and external_id = $4',
        ].join(' '),
        [orgId, mode, origin, externalId],
      ),
    byPublicId: (publicId) =>
      unit.first(payments, 'select * from payments where public_id = $1', [publicId]),
    ofBuyer: ({ orgId, mode }, buyerId, status, { fromMs, afterId, limit }) =>
      unit.all(
        payments,
        [
          'select * from payments',
          'where org_id = $1 and mode = $2 and buyer_id = $3 and status = $4',
          'and (created_at, id) > ($5, $6) order by created_at, id limit $7',
        ].join(' '),
        [orgId, mode, buyerId, status, time(fromMs), afterId, limit],
      ),
    anyOfBuyer: ({ orgId, mode }, buyerId) =>
      unit.first(
        payments,
        'select * from payments where org_id = $1 and mode = $2 and buyer_id = $3 limit 1',
        [orgId, mode, buyerId],
      ),
    async list(filter) {
      const pages = await Promise.all(
        listQueries(filter).map(({ sql, params }) => unit.all(payments, sql, params)),
      );
      return pages.flat().sort(newestFirst).slice(0, filter.limit);
    },
    find: (id) => unit.first(payments, 'select * from payments where id = $1', [id]),
    insert: (payment) => unit.stage(payments.insert(payment)),
    update: (payment) => unit.stage(payments.update(payment)),
  };
}

export function idempotencyOf(unit: UnitOfWork): Tx['idempotency'] {
  return {
    async find({ orgId, mode }, key) {
      const binding = await unit.byKey(
        bindings,
        [orgId, mode, key],
        [
          'select * from idempotency_keys',
          'where org_id = $1 and mode = $2 and idempotency_key = $3',
        ].join(' '),
        [orgId, mode, key],
      );
      if (binding === null) return null;
      return { surface: binding.surface, resourceId: binding.resourceId };
    },
    bind({ orgId, mode }, key, surface, resourceId, createdAtMs) {
      unit.stage(bindings.insert({ orgId, mode, key, surface, resourceId, createdAtMs }));
    },
  };
}

/**
 * For each origin (and mode, of one organization) its own page along the ids, which sort by
 * creation: the newest of all of them are the page asked for.
 */
export function listQueries({ orgId, status, beforeId, limit }: PaymentFilter): readonly {
  readonly sql: string;
  readonly params: readonly Param[];
}[] {
  const tenants = orgId === null ? [[]] : modes.map((mode) => [orgId, mode]);
  const queryOf = (tenant: readonly string[], prefix: string) => {
    const params: Param[] = [...tenant];
    const conditions = tenant.length === 0 ? [] : ['org_id = $1', 'mode = $2'];
    conditions.push(`id > $${params.push(prefix)}`);
    conditions.push(`id < $${params.push(endOfPage(prefix, beforeId))}`);
    if (status !== null) conditions.push(`status = $${params.push(status)}`);
    const page = `order by id desc limit $${params.push(limit)}`;
    return { sql: `select * from payments where ${conditions.join(' and ')} ${page}`, params };
  };
  return Object.values(paymentIdPrefixes).flatMap((prefix) =>
    tenants.map((tenant) => queryOf(tenant, `${prefix}_`)),
  );
}

/** Ids of this prefix below it are behind `beforeId`, which may be of the other one. */
function endOfPage(prefix: string, beforeId: string | null): string {
  if (beforeId === null) return `${prefix}~`;
  if (beforeId.startsWith(prefix)) return beforeId;
  const start = beforeId.indexOf('_') + 1;
  const moment = `${prefix}${beforeId.slice(start, start + ID_TIME_CHARACTERS)}`;
  // Of one moment, the ids as a whole break the tie.
  return prefix < beforeId ? `${moment}~` : moment;
}

function newestFirst(left: Payment, right: Payment): number {
  return right.createdAtMs - left.createdAtMs || (left.id < right.id ? 1 : -1);
}

function settlementOf(row: Row): SettlementFacts | null {
  if (row['settled_minor'] === null) return null;
  return Object.freeze({
    settled: moneyOf(row, 'settled_minor', 'settled_currency'),
    fees: moneyOf(row, 'settled_fees_minor', 'currency'),
    fxRate: text(row, 'settled_fx_rate'),
    endToEndId: textOrNull(row, 'end_to_end_id'),
  });
}
