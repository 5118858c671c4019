// Webhook subscriptions, the deliveries to them and the log of attempts: columns and SQL.
import type { Subscription } from '../../../core/domain/subscription.js';
import {
  type DeliveryAttempt,
  type DeliveryStatus,
  deliveryStatuses,
  type WebhookDelivery,
} from '../../../core/domain/webhook-delivery.js';
import type { Tx } from '../../../core/ports/storage.js';
import {
  fixed,
  fixedTenant,
  flag,
  integer,
  key,
  oneOf,
  sealed,
  tenant,
  text,
  texts,
  time,
  version,
} from '../columns.js';
import { type Param, timeParam } from '../database.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

export const subscriptions = defineTable<Subscription>('subscriptions', {
  ...tenant,
  id: key(text('id')),
  url: text('url'),
  eventTypes: texts('event_types'),
  active: flag('active'),
  secretSealed: sealed(text('secret_sealed')),
  slot: fixed(integer.null('slot')),
  createdAtMs: fixed(time('created_at')),
  updatedAtMs: time('updated_at'),
  version,
});

export const deliveries = defineTable<WebhookDelivery>('deliveries', {
  ...fixedTenant,
  id: key(text('id')),
  subscriptionId: fixed(text('subscription_id')),
  eventId: fixed(text('event_id')),
  eventType: fixed(text('event_type')),
  status: oneOf('status', deliveryStatuses),
  attempt: integer('attempt'),
  responseStatus: integer.null('response_status'),
  lastError: text.null('last_error'),
  nextAttemptAtMs: time.null('next_attempt_at'),
  dueAtMs: time.null('due_at'),
  leaseToken: text.null('lease_token'),
  resent: flag('resent'),
  deliveredAtMs: time.null('delivered_at'),
  durationMs: integer.null('duration_ms'),
  createdAtMs: fixed(time('created_at')),
  version,
});

const attempts = defineTable<DeliveryAttempt>('delivery_attempts', {
  deliveryId: key(text('delivery_id')),
  id: key(text('id')),
  attempt: fixed(integer('attempt')),
  startedAtMs: fixed(time('started_at')),
  durationMs: fixed(integer('duration_ms')),
  responseStatus: fixed(integer.null('response_status')),
  responseBody: fixed(text.null('response_body')),
  error: fixed(text.null('error')),
});

export function subscriptionsOf(unit: UnitOfWork): Tx['subscriptions'] {
  const ofTenant = 'from subscriptions where org_id = $1 and mode = $2';
  return {
    ...unit.writes(subscriptions),
    get: ({ orgId, mode }, id) => unit.byKey(subscriptions, [orgId, mode, id]),
    find: (id) => unit.first(subscriptions, 'select * from subscriptions where id = $1', [id]),
    list: ({ orgId, mode }, deletedMax) =>
      unit.all(
        subscriptions,
        [
          `select * ${ofTenant} and active union all select * from (`,
          `select * ${ofTenant} and not active order by id desc limit $3`,
          ') chosen order by id desc',
        ].join(' '),
        [orgId, mode, deletedMax],
      ),
    active: ({ orgId, mode }) =>
      unit.all(subscriptions, `select * ${ofTenant} and active order by id desc`, [orgId, mode]),
    async slots({ orgId, mode }) {
      const sql = `select slot ${ofTenant} and active and slot is not null`;
      const rows = await unit.rows(subscriptions.name, sql, [orgId, mode]);
      return rows.map(integer('slot').read);
    },
  };
}

/**
 * Skips from one subscription to the next in the index: the cost grows with the subscriptions that
 * have pending deliveries, not with the deliveries. `order by` selects the index: `min(id)` might
 * read one that contains ended deliveries.
 */
export const waitingSubscriptions = [
  'with recursive waiting (id) as (',
  'select (select subscription_id from deliveries where due_at is not null',
  'order by subscription_id, due_at limit 1) union all',
  'select (select d.subscription_id from deliveries d',
  'where d.due_at is not null and d.subscription_id > waiting.id',
  'order by d.subscription_id, d.due_at limit 1)',
  'from waiting where waiting.id is not null)',
].join(' ');

const eventsAndDeliveries = [
  'from events join deliveries on deliveries.event_id = events.id',
  'and deliveries.org_id = events.org_id and deliveries.mode = events.mode',
].join(' ');
const ofSubject = 'where events.org_id = $1 and events.mode = $2 and events.subject_id = $3';
const ofSubjectSql = `${eventsAndDeliveries} ${ofSubject}`;
const attemptsOfSubjectSql = [
  eventsAndDeliveries,
  'join delivery_attempts on delivery_attempts.delivery_id = deliveries.id',
  ofSubject,
].join(' ');

export function deliveriesOf(unit: UnitOfWork): Tx['deliveries'] {
  return {
    ...unit.writes(deliveries),
    get: (id) => unit.byKey(deliveries, [id]),
    ofSubscription(tenant, subscriptionId, { beforeId, limit }) {
      const { sql, params } = deliveriesQuery({ tenant, subscriptionId, beforeId, limit });
      return unit.all(deliveries, sql, params);
    },
    list(filter) {
      const { sql, params } = deliveriesQuery(filter);
      return unit.all(deliveries, sql, params);
    },
    pendingOf: (subscriptionId, limit) =>
      unit.all(
        deliveries,
        [
          "select * from deliveries where subscription_id = $1 and status = 'pending'",
          'and due_at is not null order by due_at, id limit $2',
        ].join(' '),
        [subscriptionId, limit],
      ),
    attempts: (deliveryId) =>
      unit.all(
        attempts,
        'select * from delivery_attempts where delivery_id = $1 order by started_at, id',
        [deliveryId],
      ),
    ofSubject({ orgId, mode }, subjectId, { fromMs, afterId, limit }) {
      return unit.all(
        deliveries,
        [
          `select deliveries.* ${ofSubjectSql}`,
          'and (deliveries.created_at, deliveries.id) > ($4, $5)',
          'order by deliveries.created_at, deliveries.id limit $6',
        ].join(' '),
        [orgId, mode, subjectId, timeParam(fromMs), afterId, limit],
      );
    },
    attemptsOfSubject({ orgId, mode }, subjectId, { fromMs, afterId, limit }) {
      return unit.all(
        attempts,
        [
          `select delivery_attempts.* ${attemptsOfSubjectSql}`,
          'and (delivery_attempts.started_at, delivery_attempts.id) > ($4, $5)',
          'order by delivery_attempts.started_at, delivery_attempts.id limit $6',
        ].join(' '),
        [orgId, mode, subjectId, timeParam(fromMs), afterId, limit],
      );
    },
    logAttempt: (attempt) => unit.stage(attempts.insert(attempt)),
  };
}

/** Ids sort by creation: the last id of a page is the cursor of the next one. */
export function deliveriesQuery(filter: {
  readonly tenant?: { readonly orgId: string; readonly mode: string };
  readonly subscriptionId: string | null;
  readonly status?: DeliveryStatus | null;
  readonly beforeId: string | null;
  readonly limit: number;
}): { readonly sql: string; readonly params: readonly Param[] } {
  const params: Param[] = [];
  const bound = (value: Param) => `$${params.push(value)}`;
  const { tenant, subscriptionId, status, beforeId, limit } = filter;
  const conditions = [
    ...(tenant === undefined
      ? []
      : [`org_id = ${bound(tenant.orgId)}`, `mode = ${bound(tenant.mode)}`]),
    ...(subscriptionId === null ? [] : [`subscription_id = ${bound(subscriptionId)}`]),
    // In the text, not bound: the index of dead letters is partial.
    ...(status === undefined || status === null ? [] : [`status = '${status}'`]),
    ...(beforeId === null ? [] : [`id < ${bound(beforeId)}`]),
  ];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const sql = `select * from deliveries${where} order by id desc limit ${bound(limit)}`;
  return { sql, params };
}
