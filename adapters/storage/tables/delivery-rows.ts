// Webhook subscriptions, the deliveries to them and the log of attempts: columns, rows and SQL.
import type { Subscription } from '../../../core/domain/subscription.js';
import {
  type DeliveryStatus,
  deliveryStatuses,
  type WebhookDelivery,
} from '../../../core/domain/webhook-delivery.js';
import type { DeliveryAttempt, Tx } from '../../../core/ports.js';
import { type Param, time } from '../database.js';
import {
  flag,
  integer,
  integerOrNull,
  oneOf,
  tenantColumns,
  text,
  textOrNull,
  texts,
  timeMs,
  timeMsOrNull,
} from '../row.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

export const subscriptions = defineTable<Subscription>({
  name: 'subscriptions',
  key: { org_id: (of) => of.orgId, mode: (of) => of.mode, id: (of) => of.id },
  fixed: { slot: (of) => of.slot, created_at: (of) => time(of.createdAtMs) },
  changing: {
    url: (of) => of.url,
    event_types: (of) => JSON.stringify(of.eventTypes),
    active: (of) => of.active,
    secret_sealed: (of) => of.secretSealed,
    updated_at: (of) => time(of.updatedAtMs),
  },
  version: (of) => of.version,
  sealed: 'secret_sealed',
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      id: text(row, 'id'),
      url: text(row, 'url'),
      eventTypes: texts(row, 'event_types'),
      active: flag(row, 'active'),
      secretSealed: text(row, 'secret_sealed'),
      slot: integerOrNull(row, 'slot'),
      createdAtMs: timeMs(row, 'created_at'),
      updatedAtMs: timeMs(row, 'updated_at'),
      version: integer(row, 'version'),
    }),
});

export const deliveries = defineTable<WebhookDelivery>({
  name: 'deliveries',
  key: { id: (delivery) => delivery.id },
  fixed: {
    org_id: (delivery) => delivery.orgId,
    mode: (delivery) => delivery.mode,
    subscription_id: (delivery) => delivery.subscriptionId,
    event_id: (delivery) => delivery.eventId,
    event_type: (delivery) => delivery.eventType,
    created_at: (delivery) => time(delivery.createdAtMs),
  },
  changing: {
    status: (delivery) => delivery.status,
    attempt: (delivery) => delivery.attempt,
    response_status: (delivery) => delivery.responseStatus,
    last_error: (delivery) => delivery.lastError,
    next_attempt_at: (delivery) => time(delivery.nextAttemptAtMs),
    due_at: (delivery) => time(delivery.dueAtMs),
    lease_token: (delivery) => delivery.leaseToken,
    resent: (delivery) => delivery.resent,
    delivered_at: (delivery) => time(delivery.deliveredAtMs),
    duration_ms: (delivery) => delivery.durationMs,
  },
  version: (delivery) => delivery.version,
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      id: text(row, 'id'),
      subscriptionId: text(row, 'subscription_id'),
      eventId: text(row, 'event_id'),
      eventType: text(row, 'event_type'),
      status: oneOf(row, 'status', deliveryStatuses),
      attempt: integer(row, 'attempt'),
      responseStatus: integerOrNull(row, 'response_status'),
      lastError: textOrNull(row, 'last_error'),
      nextAttemptAtMs: timeMsOrNull(row, 'next_attempt_at'),
      dueAtMs: timeMsOrNull(row, 'due_at'),
      leaseToken: textOrNull(row, 'lease_token'),
      resent: flag(row, 'resent'),
      deliveredAtMs: timeMsOrNull(row, 'delivered_at'),
      durationMs: integerOrNull(row, 'duration_ms'),
      createdAtMs: timeMs(row, 'created_at'),
      version: integer(row, 'version'),
    }),
});

const attempts = defineTable<DeliveryAttempt>({
  name: 'delivery_attempts',
  key: { delivery_id: (attempt) => attempt.deliveryId, id: (attempt) => attempt.id },
  fixed: {
    attempt: (attempt) => attempt.attempt,
    started_at: (attempt) => time(attempt.startedAtMs),
    duration_ms: (attempt) => attempt.durationMs,
    response_status: (attempt) => attempt.responseStatus,
    response_body: (attempt) => attempt.responseBody,
    error: (attempt) => attempt.error,
  },
  changing: {},
  version: null,
  read: (row) =>
    Object.freeze({
      id: text(row, 'id'),
      deliveryId: text(row, 'delivery_id'),
      attempt: integer(row, 'attempt'),
      startedAtMs: timeMs(row, 'started_at'),
      durationMs: integer(row, 'duration_ms'),
      responseStatus: integerOrNull(row, 'response_status'),
      responseBody: textOrNull(row, 'response_body'),
      error: textOrNull(row, 'error'),
    }),
});

export function subscriptionsOf(unit: UnitOfWork): Tx['subscriptions'] {
  const ofTenant = 'from subscriptions where org_id = $1 and mode = $2';
  return {
    get: ({ orgId, mode }, id) =>
      unit.byKey(
        subscriptions,
        [orgId, mode, id],
        'select * from subscriptions where org_id = $1 and mode = $2 and id = $3',
        [orgId, mode, id],
      ),
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
      return rows.map((row) => integer(row, 'slot'));
    },
    insert: (subscription) => unit.stage(subscriptions.insert(subscription)),
    update: (subscription) => unit.stage(subscriptions.update(subscription)),
    expect: (subscription) => unit.stage(subscriptions.expect(subscription)),
  };
}

/**
 * Jumps from one subscription to the next in the index: it costs what subscriptions with pending
 * deliveries there are, however long the backlog of one of them is. The order names that index: by
 * the lowest id alone another one may be read, over everything that has ended.
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
    get: (id) => unit.byKey(deliveries, [id], 'select * from deliveries where id = $1', [id]),
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
        [orgId, mode, subjectId, time(fromMs), afterId, limit],
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
        [orgId, mode, subjectId, time(fromMs), afterId, limit],
      );
    },
    insert: (delivery) => unit.stage(deliveries.insert(delivery)),
    update: (delivery) => unit.stage(deliveries.update(delivery)),
    logAttempt: (attempt) => unit.stage(attempts.insert(attempt)),
  };
}

/** Ids of deliveries sort by their creation: the last one of a page says where the next begins. */
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
    // In the text, not bound: only so is the index of dead letters found.
    ...(status === undefined || status === null ? [] : [`status = '${status}'`]),
    ...(beforeId === null ? [] : [`id < ${bound(beforeId)}`]),
  ];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const sql = `select * from deliveries${where} order by id desc limit ${bound(limit)}`;
  return { sql, params };
}
