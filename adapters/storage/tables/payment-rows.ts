// Payments and the idempotency keys that name them: columns and SQL.
import { locales } from '../../../core/domain/base/locale.js';
import { searchKey } from '../../../core/domain/base/search-text.js';
import { modes, type Tenant } from '../../../core/domain/base/tenant.js';
import type { Asset } from '../../../core/domain/commands/asset.js';
import type { SettlementFacts } from '../../../core/domain/commands/settlement.js';
import type { LimitHit } from '../../../core/domain/payments/amount-limit.js';
import type { PaymentAggregate } from '../../../core/domain/payments/change.js';
import type { ColleagueApproval } from '../../../core/domain/payments/colleague-approval.js';
import { failureCodes } from '../../../core/domain/payments/failure.js';
import {
  readFiscalDocument,
  writeFiscalDocument,
} from '../../../core/domain/payments/fiscal-document.js';
import { noFunds } from '../../../core/domain/payments/funds.js';
import {
  type BodyMacs,
  type KeyBinding,
  type KeyOrigin,
  keyOrigins,
} from '../../../core/domain/payments/idempotency.js';
import type { PayerFacts } from '../../../core/domain/payments/payer-facts.js';
import { payerRelationNames } from '../../../core/domain/payments/payer-relation.js';
import {
  readPayinInstructions,
  writePayinInstructions,
} from '../../../core/domain/payments/payin-instructions.js';
import {
  bareId,
  isExpirable,
  isTerminal,
  newestFirst,
  type Payment,
  type PaymentOrigin,
  paymentIdPrefixes,
  paymentOrigins,
  paymentStatuses,
  verifiedStatuses,
} from '../../../core/domain/payments/payment.js';
import { purposeNames } from '../../../core/domain/payments/purpose.js';
import type { ListPage, PaymentFilter, TenantPaymentFilter } from '../../../core/ports/storage.js';
import {
  encoded,
  flag,
  group,
  json,
  jsonWithAmounts,
  money,
  oneOf,
  readerOf,
  tenant,
  text,
  time,
  version,
} from '../columns.js';
import { type Param, timeParam } from '../database.js';
import { noteNames, startingWith } from '../name-words.js';
import { aliasedColumns, defineTable } from '../table.js';
import { type CachedJoin, type Joined, type TxPart, writes } from '../unit-of-work.js';
import { funds } from './money-rows.js';

/** What can still expire. Spelled as the partial index has it. */
export const expirableSql = [
  'covered_at is null and status in (',
  paymentStatuses
    .filter(isExpirable)
    .map((status) => `'${status}'`)
    .join(', '),
  ')',
].join('');

/** Payments whose buyer lost its approval. Spelled as the partial index has it. */
export const approvalLostSql = [
  'approval_lost_at is not null and status in (',
  verifiedStatuses.map((status) => `'${status}'`).join(', '),
  ')',
].join('');

export const endedSql = `(${paymentStatuses
  .filter(isTerminal)
  .map((status) => `'${status}'`)
  .join(', ')})`;

export const payments = defineTable<Payment>('payments', {
  ...tenant,
  id: text('id').key(),
  origin: oneOf('origin', paymentOrigins).fixed(),
  publicId: text('public_id').fixed(),
  externalId: text.null('external_id').searchable('external_id_key', searchKey).fixed(),
  status: oneOf('status', paymentStatuses),
  amount: money('amount_minor', 'currency').fixed(),
  number: text.null('number').searchable('number_key', searchKey).fixed(),
  dueDate: text.null('due_date').fixed(),
  createdByMemberId: text.null('created_by_member_id').fixed(),
  requiresApproval: flag('requires_approval').fixed(),
  approvedByMemberId: text.null('approved_by_member_id'),
  invitedAtMs: time.null('invited_at'),
  remindAtMs: time.null('remind_at'),
  buyerId: text('buyer_id').fixed(),
  buyer: group({
    email: text('buyer_email'),
    name: text.null('buyer_name'),
    country: text.null('buyer_country'),
    phone: text.null('buyer_phone'),
  }).fixed(),
  sellerExternalId: text.null('seller_external_id').fixed(),
  payeeName: text.null('payee_name').fixed(),
  destination: text('destination'),
  returnUrl: text.null('return_url').fixed(),
  purchaseOrder: text.null('purchase_order').searchable('purchase_order_key', searchKey).fixed(),
  buyerReference: text.null('buyer_reference').fixed(),
  attachmentDocumentId: text.null('attachment_document_id').fixed(),
  purpose: oneOf('purpose', purposeNames).null().fixed(),
  payerRelation: oneOf('payer_relation', payerRelationNames).null().fixed(),
  fiscalDocument: encoded('fiscal_document', writeFiscalDocument, readFiscalDocument).null(),
  bookedRate: text.null('booked_rate').fixed(),
  display: text.null('display').fixed(),
  metadata: text('metadata').fixed(),
  expiresAtMs: time.null('expires_at').fixed(),
  buyerLocale: oneOf('buyer_locale', locales).null(),
  limitHit: jsonWithAmounts<LimitHit>('limit_hit').null(),
  colleagueApproval: json<ColleagueApproval>('colleague_approval').null(),
  quoteId: text.null('quote_id'),
  confirmedLocale: oneOf('confirmed_locale', locales).null(),
  approvalLostAtMs: time.null('approval_lost_at'),
  payinInstructions: encoded(
    'payin_instructions',
    writePayinInstructions,
    readPayinInstructions,
  ).null(),
  bankDetailsCode: text.null('bank_details_code'),
  consolidatedReference: text.null('consolidated_reference'),
  coveredAtMs: time.null('covered_at'),
  transactionHash: text.null('transaction_hash'),
  payinAsset: json<Asset>('payin_asset').null(),
  payer: json<PayerFacts>('payer').null(),
  settlement: group<Omit<SettlementFacts, 'asset'>>({
    settled: money('settled_minor', 'settled_currency'),
    fees: money('settled_fees_minor', { currencyFrom: 'currency' }),
    fxRate: text('settled_fx_rate'),
    endToEndId: text.null('end_to_end_id').searchable('end_to_end_key', searchKey),
  }).null(),
  settledAtMs: time.null('settled_at'),
  failureCode: oneOf('failure_code', failureCodes).null(),
  failureReason: text.null('failure_reason'),
  cancelReason: text.null('cancel_reason'),
  createdAtMs: time('created_at').fixed(),
  updatedAtMs: time('updated_at'),
  version,
});

export const fundsColumns = aliasedColumns(funds);

export const aggregates: Joined<PaymentAggregate> = {
  tables: [payments, funds],
  read(row) {
    const payment = payments.read(row);
    // The join finds no funds of a payment without money.
    const isStored = row['funds_version'] !== null;
    return { payment, funds: isStored ? fundsColumns.read(row) : noFunds(payment) };
  },
  // The first row of funds comes with a new version of the payment.
  expect: ({ payment, funds: of }) => [
    payments.expect(payment),
    ...(of.version === 0 ? [] : [funds.expect(of)]),
  ],
};
/** A payment is read several times between two changes. */
const aggregateById: CachedJoin<PaymentAggregate> = {
  ...aggregates,
  sql: [
    `select chosen.*, ${fundsColumns.columns} from payments as chosen`,
    'left join funds on funds.org_id = chosen.org_id and funds.mode = chosen.mode',
    'and funds.payment_id = chosen.id',
    'where chosen.org_id = $1 and chosen.mode = $2 and chosen.id = $3',
  ].join(' '),
  on: { payments: ['org_id', 'mode', 'id'], funds: ['org_id', 'mode', 'payment_id'] },
  whole: { payments: '', funds: 'funds_' },
};

/** Spelled for the index: by the key, and exactly. */
export const byExternalIdSql = 'origin = $3 and external_id_key = $4 and external_id = $5';

export function externalIdParams(externalId: string): readonly [key: string, exact: string] {
  return [searchKey(externalId), externalId];
}

const bindings = defineTable<Tenant & { readonly key: string } & KeyBinding>('idempotency_keys', {
  ...tenant,
  key: text('idempotency_key').key(),
  origin: oneOf('surface', keyOrigins).fixed(),
  resourceId: text('resource_id').fixed(),
  createdAtMs: time('created_at').fixed(),
  bodyMacs: json<BodyMacs>('body_macs').null().fixed(),
});

/** At most two rows; that of the externalId has no surface. */
const namedByCreateSql = [
  'select surface, resource_id from idempotency_keys',
  'where org_id = $1 and mode = $2 and idempotency_key = $6',
  `union all select null, id from payments where org_id = $1 and mode = $2 and ${byExternalIdSql}`,
].join(' ');
const namedByCreate = readerOf<Pick<KeyBinding, 'resourceId'> & { origin: KeyOrigin | null }>({
  origin: oneOf('surface', keyOrigins).null(),
  resourceId: text('resource_id'),
});

/** What names one payment, and is found from its start. */
const keyedBy = [
  ...paymentOrigins.map((origin) => [`origin = '${origin}'`, 'external_id_key'] as const),
  ['true', 'number_key'],
  ['true', 'purchase_order_key'],
  ['true', 'end_to_end_key'],
  ['true', 'id'],
] as const;
const keyedSql = keyedBy.map(
  ([condition, column]) =>
    `select id from payments where org_id = $1 and mode = $2 and ${condition} ` +
    `and ${column} >= $3 and ${column} < $4 order by ${column} desc limit $5`,
);

export const paymentsPart: TxPart<'payments'> = {
  ...writes(payments),
  insert(unit, payment) {
    unit.stage(payments.insert(payment));
    noteNames(unit, payment, payment.buyerId, [payment.buyer.name]);
  },
  async startingWith(unit, { orgId, mode }, key, limit) {
    const params = [orgId, mode, ...startingWith(key), limit];
    const pages = keyedSql.map((sql) => unit.rows('payments', sql, params));
    return (await Promise.all(pages)).flat().map((row) => String(row['id']));
  },
  get: (unit, { orgId, mode }, id) => unit.byKey(payments, [orgId, mode, id]),
  async withFunds(unit, tenant, id) {
    const key = [tenant.orgId, tenant.mode, id];
    const known = unit.knownPayment(tenant, id);
    if (known !== null) return unit.taken(aggregates, known.was, key);
    return unit.joinedByKey(aggregateById, key);
  },
  byExternalId: (unit, { orgId, mode }, origin, externalId) =>
    unit.first(payments, `where org_id = $1 and mode = $2 and ${byExternalIdSql}`, [
      orgId,
      mode,
      origin,
      ...externalIdParams(externalId),
    ]),
  byPublicId: (unit, publicId) => unit.first(payments, 'where public_id = $1', [publicId]),
  page: (unit, after, limit) =>
    unit.all(
      payments,
      'where (org_id, mode, id) > ($1, $2, $3) order by org_id, mode, id limit $4',
      [after?.orgId ?? '', after?.mode ?? '', after?.id ?? '', limit],
    ),
  ofBuyer: (unit, { orgId, mode }, buyerId, statuses, { fromMs, afterId, limit }) => {
    const pages = statuses.map((_, at) =>
      [
        'select * from (select * from payments where org_id = $1 and mode = $2 and buyer_id = $3',
        `and status = $${at + 7} and (created_at, id) > ($4, $5) order by created_at, id`,
        'limit $6) as chosen',
      ].join(' '),
    );
    const params = [orgId, mode, buyerId, timeParam(fromMs), afterId, limit, ...statuses];
    const expect = (payment: Payment) => [payments.expect(payment)];
    const joined = { tables: [payments], read: payments.read, expect };
    return unit.joined(joined, pages.join(' union all '), params);
  },
  newestOfBuyer: (unit, { orgId, mode }, buyerId, status, page) =>
    unit.all(
      payments,
      [
        'where org_id = $1 and mode = $2 and buyer_id = $3 and status = $4 and created_at >= $5',
        'and (created_at, id) < ($6, $7) order by created_at desc, id desc limit $8',
      ].join(' '),
      [
        orgId,
        mode,
        buyerId,
        status,
        timeParam(page.fromMs),
        timeParam(page.beforeMs),
        page.beforeId,
        page.limit,
      ],
    ),
  anyOfBuyer: (unit, { orgId, mode }, buyerId) =>
    unit.first(payments, 'where org_id = $1 and mode = $2 and buyer_id = $3 limit 1', [
      orgId,
      mode,
      buyerId,
    ]),
  awaitingMoney: (unit, { orgId, mode }, seller, limit) => {
    const params = [orgId, mode, limit, ...(seller === null ? [] : [seller])];
    const ofSeller = seller === null ? 'seller_external_id is null' : 'seller_external_id = $4';
    const sql = [
      `where org_id = $1 and mode = $2 and ${ofSeller} and status = 'on_ramp_pending'`,
      'order by id limit $3',
    ].join(' ');
    return unit.all(payments, sql, params);
  },
  consolidated: (unit, { orgId, mode }, reference) =>
    unit.all(
      payments,
      'where org_id = $1 and mode = $2 and consolidated_reference = $3 order by created_at, id',
      [orgId, mode, reference],
    ),
  async list(unit, filter) {
    const { limit } = filter;
    const pages = rangesOf(filter).map((range) => unit.newest(payments, range, limit));
    return (await Promise.all(pages)).flat().sort(newestFirst).slice(0, limit);
  },
  find: (unit, id) => unit.first(payments, 'where id = $1', [id]),
};

export const idempotencyPart: TxPart<'idempotency'> = {
  async find(unit, { orgId, mode }, key) {
    const binding = await unit.byKey(bindings, [orgId, mode, key]);
    if (binding === null) return null;
    const { origin, resourceId, createdAtMs, bodyMacs } = binding;
    return { origin, resourceId, createdAtMs, bodyMacs };
  },
  async ofCreate(unit, { orgId, mode }, { origin, externalId, idempotencyKey }) {
    // No key and no externalId is empty. A null has no type, and would be sent alone.
    const named = externalIdParams(externalId ?? '');
    const params = [orgId, mode, origin, ...named, idempotencyKey ?? ''];
    const found = (await unit.rows(payments.name, namedByCreateSql, params)).map(namedByCreate);
    const boundTo = found.flatMap(({ origin: of, resourceId }) =>
      of === null ? [] : [{ origin: of, resourceId }],
    );
    const existing = found.find(({ origin: of }) => of === null);
    return { boundTo: boundTo[0] ?? null, existingByExternalId: existing?.resourceId ?? null };
  },
  bind(unit, { orgId, mode }, key, origin, resourceId, createdAtMs, bodyMacs = null) {
    unit.stage(bindings.insert({ orgId, mode, key, origin, resourceId, createdAtMs, bodyMacs }));
  },
};

/**
 * One page per origin (and per mode of an organization) along the ids. The newest rows of all pages
 * are the requested page.
 */
function rangesOf({ orgId, status, beforeId }: PaymentFilter): readonly Record<string, Param>[] {
  const tenants =
    orgId === null ? [{}] : modes.map((mode) => ({ 'org_id =': orgId, 'mode =': mode }));
  return paymentOrigins.flatMap((origin) =>
    tenants.map((tenant) => ({ ...tenant, ...idRange(origin, { beforeId }), 'status =': status })),
  );
}

type Ends = Pick<TenantPaymentFilter, 'afterId' | 'fromMoment' | 'beforeMoment'>;

/** Ids of this origin between `afterId` and `beforeId`, which may have another origin. */
export function idRange(
  origin: PaymentOrigin,
  {
    beforeId,
    afterId = null,
    fromMoment = null,
    beforeMoment = null,
  }: Pick<ListPage, 'beforeId'> & Partial<Ends>,
) {
  const prefix = `${paymentIdPrefixes[origin]}_`;
  // No id continues with this character: behind it are the ids after this one.
  const starts = ['', fromMoment, afterId === null ? null : `${bareId(afterId)}!`];
  const ends = ['~', beforeMoment, beforeId === null ? null : bareId(beforeId)];
  const start =
    starts
      .filter((text) => text !== null)
      .sort()
      .at(-1) ?? '';
  const [end = '~'] = ends.filter((text) => text !== null).sort();
  return { 'id >=': `${prefix}${start}`, 'id <': `${prefix}${end}` };
}
