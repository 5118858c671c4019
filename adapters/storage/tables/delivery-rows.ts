// Webhook subscriptions, the deliveries to them and the log of attempts: columns and SQL.
import type { Subscription } from '../../../core/domain/webhooks/subscription.js';
import {
  type AttemptResult,
  type DeliveryAttempt,
  type DeliveryStatus,
  deliveryStatuses,
  type WebhookDelivery,
} from '../../../core/domain/webhooks/webhook-delivery.js';
import { assert } from '../../../core/errors.js';
import {
  fixedTenant,
  flag,
  group,
  integer,
  oneOf,
  tenant,
  text,
  texts,
  time,
  version,
} from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, merge, rowName } from '../table.js';
import { type CachedJoin, type Joined, type TxPart, writes } from '../unit-of-work.js';
import { isOpenSql } from './epoch-rows.js';
import { isOfEvent } from './event-rows.js';

export const subscriptions = defineTable<Subscription>('subscriptions', {
  ...tenant,
  id: text('id').key(),
  url: text('url'),
  eventTypes: texts('event_types'),
  active: flag('active'),
  paused: flag('paused'),
  secretSealed: text('secret_sealed').sealed(),
  slot: integer.null('slot').fixed(),
  createdAtMs: time('created_at').fixed(),
  updatedAtMs: time('updated_at'),
  version,
});

export const deliveries = defineTable<WebhookDelivery>('deliveries', {
  ...fixedTenant,
  id: text('id').key(),
  subscriptionId: text('subscription_id').fixed(),
  eventId: text('event_id').fixed(),
  eventType: text('event_type').fixed(),
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
  createdAtMs: time('created_at').fixed(),
  firstAttempt: group<AttemptResult>({
    startedAtMs: time('first_started_at'),
    durationMs: integer('first_duration_ms'),
    responseStatus: integer.null('first_response_status'),
    responseBody: text.null('first_response_body'),
    error: text.null('first_error'),
  }).null(),
  version,
});

const attempts = defineTable<DeliveryAttempt>('delivery_attempts', {
  deliveryId: text('delivery_id').key(),
  id: text('id').key(),
  attempt: integer('attempt').fixed(),
  startedAtMs: time('started_at').fixed(),
  durationMs: integer('duration_ms').fixed(),
  responseStatus: integer.null('response_status').fixed(),
  responseBody: text.null('response_body').fixed(),
  error: text.null('error').fixed(),
});

const ofTenant = 'where org_id = $1 and mode = $2 and';

export const subscriptionsPart: TxPart<'subscriptions'> = {
  insert(unit, subscription) {
    const { orgId, mode, id } = subscription;
    unit.stage(subscriptions.insert(subscription));
    unit.stage(merge(subscriptions.name, rowName([orgId, mode, id]), startSql, [orgId, mode, id]));
  },
  update: writes(subscriptions).update,
  expect: writes(subscriptions).expect,
  get: (unit, { orgId, mode }, id) => unit.byKey(subscriptions, [orgId, mode, id]),
  find: (unit, id) => unit.first(subscriptions, 'where id = $1', [id]),
  list: (unit, { orgId, mode }, deletedMax) =>
    unit.all(
      subscriptions,
      [
        `${ofTenant} active union all select * from (select * from subscriptions ${ofTenant}`,
        'not active order by id desc limit $3) chosen order by id desc',
      ].join(' '),
      [orgId, mode, deletedMax],
    ),
  async active(unit, { orgId, mode }) {
    return present(await unit.cached(activeOfTenant, [orgId, mode]));
  },
  sharingUrl: (unit, mode, limit) => unit.all(subscriptions, sharingUrlSql, [mode, limit]),
  async behind(unit, after, limit) {
    const rows = await unit.rows(subscriptions.name, behindSql, [after, limit]);
    return rows.map((row) => ({
      subscription: subscriptions.read(row),
      cursor: integer('feed_cursor').read(row),
      head: integer('head').read(row),
    }));
  },
  async cursor(unit, { orgId, mode, id }) {
    const [row] = await unit.rows(subscriptions.name, cursorSql, [orgId, mode, id]);
    return row === undefined ? 0 : integer('feed_cursor').read(row);
  },
  advance(unit, { orgId, mode, id }, cursor) {
    const params = [orgId, mode, id, cursor];
    unit.stage(merge(subscriptions.name, rowName([orgId, mode, id]), advanceSql, params));
  },
  async slots(unit, { orgId, mode }) {
    const sql = `select slot from subscriptions ${ofTenant} active and slot is not null`;
    const rows = await unit.rows(subscriptions.name, sql, [orgId, mode]);
    return rows.map(integer('slot').read);
  },
};

const oneSql = 'where org_id = $1 and mode = $2 and id = $3';
/** Counted, so that the others of a tenant are sought for each row and no join is made. */
const sharingUrlSql = [
  'where active and mode = $1 and (select count(*) from subscriptions other',
  'where other.org_id = subscriptions.org_id and other.mode = subscriptions.mode',
  'and other.active and other.url = subscriptions.url) > 1',
  'order by org_id, mode, id limit $2',
].join(' ');
/** It gets the events after this one. */
const startSql = [
  'update subscriptions set feed_cursor = coalesce((select sequence from feed_heads h',
  `where h.org_id = $1 and h.mode = $2), 0) ${oneSql}`,
].join(' ');
const cursorSql = `select feed_cursor from subscriptions ${oneSql}`;
const advanceSql = `update subscriptions set feed_cursor = $4 ${oneSql}`;
const behindSql = [
  'select s.*, h.sequence as head from subscriptions s',
  'join feed_heads h on h.org_id = s.org_id and h.mode = s.mode',
  'where s.id > $1 and s.active and not s.paused',
  'and s.feed_cursor < h.sequence order by s.id limit $2',
].join(' ');

const activeSql = [
  'select s.* from (select 1) as one',
  'left join subscriptions s on s.org_id = $1 and s.mode = $2 and s.active',
].join(' ');
/** Has a row of nulls for a tenant without one, so that this can be kept too. */
const activeOfTenant: CachedJoin<Subscription | null> = {
  sql: activeSql,
  on: { subscriptions: ['org_id', 'mode'] },
  tables: [subscriptions],
  read: (row) => (row['id'] === null ? null : subscriptions.read(row)),
  expect: () => [],
};

/** None in quarantine, when nothing is sent. */
export const sendingOfTenant: CachedJoin<Subscription | null> = {
  ...activeOfTenant,
  sql: `${activeSql} and ${isOpenSql}`,
  on: { ...activeOfTenant.on, epochs: [] },
};

export function present(found: readonly (Subscription | null)[]): readonly Subscription[] {
  return found.filter((subscription) => subscription !== null);
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

const eventsOfSubject = [
  `join events on ${isOfEvent('deliveries', 'events')}`,
  'and deliveries.org_id = events.org_id and deliveries.mode = events.mode',
  'where events.org_id = $1 and events.mode = $2 and events.subject_id = $3',
].join(' ');

const allAttempts: Joined<DeliveryAttempt> = {
  tables: [deliveries, attempts],
  read: attempts.read,
  expect: () => [],
};

/** Where the row of a delivery has its first attempt; the other columns are `first_<column>`. */
const firstColumns: Readonly<Record<string, string>> = {
  delivery_id: 'deliveries.id',
  id: 'deliveries.id',
  attempt: '1',
};

/** The attempts of deliveries, in start order. `clause` selects by the place of an attempt. */
function attemptsSql(clause: (place: string) => string): string {
  const logged = attempts.columns.map((name) => `delivery_attempts.${name} as ${name}`);
  const first = attempts.columns.map((name) => firstColumns[name] ?? `deliveries.first_${name}`);
  return [
    `select ${logged.join(', ')} from deliveries`,
    'join delivery_attempts on delivery_attempts.delivery_id = deliveries.id',
    `${clause('delivery_attempts.started_at, delivery_attempts.id')}`,
    `union all select ${first.join(', ')} from deliveries`,
    `${clause('deliveries.first_started_at, deliveries.id')}`,
    'and deliveries.first_started_at is not null order by started_at, id',
  ].join(' ');
}

const attemptsOfDeliverySql = attemptsSql(() => 'where deliveries.id = $1');
const attemptsOfSubjectSql = [
  attemptsSql((place) => `${eventsOfSubject} and (${place}) > ($4, $5)`),
  'limit $6',
].join(' ');

/** The newest ones up to the limit; an index has those that wait and the dead ones. */
const countsSql = [
  'select count(*) as recent,',
  "coalesce(sum(case when status = 'delivered' then 1 else 0 end), 0) as delivered,",
  `(${unfinishedSql('pending')}) as pending, (${unfinishedSql('dead_letter')}) as dead,`,
  "(select created_at from deliveries where subscription_id = $1 and status = 'pending'",
  'order by id limit 1) as oldest_pending_at',
  'from (select status from deliveries where subscription_id = $1 and id >= $2',
  'order by id desc limit $3) as chosen',
].join(' ');

function unfinishedSql(status: DeliveryStatus): string {
  return [
    'select count(*) from (select 1 from deliveries where subscription_id = $1',
    `and status = '${status}' limit $3) as chosen`,
  ].join(' ');
}

export const deliveriesPart: TxPart<'deliveries'> = {
  ...writes(deliveries),
  get: (unit, id) => unit.byKey(deliveries, [id]),
  list(unit, { subscriptionId, status, beforeId, limit }) {
    // In the text, not bound: the indexes of dead letters are partial.
    const others = status === null ? [] : [`status = '${status}'`];
    const filters = { 'subscription_id =': subscriptionId, 'id <': beforeId };
    return unit.newest(deliveries, filters, limit, { others });
  },
  ofEvent: (unit, { orgId, mode }, eventId, limit) =>
    unit.all(deliveries, `${ofTenant} event_id = $3 order by id limit $4`, [
      orgId,
      mode,
      eventId,
      limit,
    ]),
  async counts(unit, subscriptionId, { fromId, countMax }) {
    const [row] = await unit.rows(deliveries.name, countsSql, [subscriptionId, fromId, countMax]);
    assert(row !== undefined, 'a count has one row');
    const count = (name: string) => integer(name).read(row);
    return {
      recent: count('recent'),
      delivered: count('delivered'),
      pending: count('pending'),
      dead: count('dead'),
      oldestPendingAtMs: time.null('oldest_pending_at').read(row),
    };
  },
  pendingOf: (unit, subscriptionId, limit) =>
    unit.all(
      deliveries,
      [
        "where subscription_id = $1 and status = 'pending' and due_at is not null order by",
        'due_at, id limit $2',
      ].join(' '),
      [subscriptionId, limit],
    ),
  waitingOf: (unit, subscriptionId, nowMs, limit) =>
    unit.all(
      deliveries,
      [
        'where subscription_id = $1 and due_at > $2 and lease_token is null',
        'order by due_at, id limit $3',
      ].join(' '),
      [subscriptionId, timeParam(nowMs), limit],
    ),
  attempts: (unit, deliveryId) => unit.joined(allAttempts, attemptsOfDeliverySql, [deliveryId]),
  ofSubject(unit, { orgId, mode }, subjectId, { fromMs, afterId, limit }) {
    return unit.all(
      deliveries,
      [
        eventsOfSubject,
        'and (deliveries.created_at, deliveries.id) > ($4, $5)',
        'order by deliveries.created_at, deliveries.id limit $6',
      ].join(' '),
      [orgId, mode, subjectId, timeParam(fromMs), afterId, limit],
    );
  },
  attemptsOfSubject(unit, { orgId, mode }, subjectId, { fromMs, afterId, limit }) {
    const params = [orgId, mode, subjectId, timeParam(fromMs), afterId, limit];
    return unit.joined(allAttempts, attemptsOfSubjectSql, params);
  },
  logAttempt: (unit, attempt) => unit.stage(attempts.insert(attempt)),
};
