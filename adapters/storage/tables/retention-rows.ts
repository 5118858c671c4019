// Old rows: found by pages and removed by key ranges, each statement bounded by the page that was
// read before it. core/usecases/service/prune.ts decides what is old enough, and in which order it
// goes.
import type { MessageCursor } from '../../../core/domain/commands/partner-message.js';
import { auditFeed } from '../../../core/domain/service/audit-record.js';
import type { RetentionCutoff } from '../../../core/ports/storage.js';
import { flag, integer, readTenant, text, time } from '../columns.js';
import { type Param, timeParam } from '../database.js';
import { merge } from '../table.js';
import type { TxPart } from '../unit-of-work.js';
import { isOfEvent, lastSequence } from './event-rows.js';
import { endedSql } from './payment-rows.js';

// PostgreSQL may turn `exists` into a hash of a whole table when it expects many rows. It never
// does so with a scalar subquery.

/**
 * It has ended, or a pause holds it: a held delivery is due, but has no next attempt. `$1` is the
 * id of the cutoff, `$2` its time.
 */
export const oldDelivery = [
  'd.id < $1 and (d.due_at is null or d.next_attempt_at is null and d.lease_token is null)',
  'and coalesce((select max(a.started_at) from delivery_attempts a',
  'where a.delivery_id = d.id), d.first_started_at, d.created_at) < $2',
].join(' ');
const ofEvent = `${isOfEvent('d', 'e')} and d.org_id = e.org_id and d.mode = e.mode`;
const eventRange = 'org_id = $1 and mode = $2 and sequence > $3 and sequence <= $4';

const sql = {
  oldDeliveries: [
    `select d.id from deliveries d where d.id > $3 and ${oldDelivery}`,
    'order by d.id limit $4',
  ].join(' '),
  removeAttempts: [
    'delete from delivery_attempts where delivery_id > $3 and delivery_id <= $4 and delivery_id in',
    `(select d.id from deliveries d where d.id > $3 and d.id <= $4 and ${oldDelivery})`,
  ].join(' '),
  removeDeliveries: `delete from deliveries as d where d.id > $3 and d.id <= $4 and ${oldDelivery}`,
  oldMessages: [
    'select received_at, message_id from inbox where due_at is null and received_at < $1',
    'and (received_at, message_id) > ($2, $3) order by received_at, message_id limit $4',
  ].join(' '),
  removeMessages: [
    'delete from inbox where due_at is null and (received_at, message_id) > ($1, $2)',
    'and (received_at, message_id) <= ($3, $4)',
  ].join(' '),
  tenants: [
    'select org_id, mode from feed_heads where (org_id, mode) > ($1, $2)',
    `and org_id <> '${auditFeed.orgId}' order by org_id, mode limit $3`,
  ].join(' '),
  oldestEvents: [
    `select ${lastSequence('e')} as sequence, e.alias is null as is_alone, e.created_at >= $2`,
    `or coalesce((select p.status not in ${endedSql} from payments p`,
    'where p.org_id = e.org_id and p.mode = e.mode and p.id = e.subject_id), false)',
    `or (select count(*) from deliveries d where ${ofEvent}`,
    `and not (${oldDelivery})) > 0 as needed`,
    'from events e where e.org_id = $3 and e.mode = $4 and e.sequence > $5',
    'order by e.sequence limit $6',
  ].join(' '),
  removeEvents: [
    `delete from events where ${eventRange} and not exists`,
    `(select 1 from events e join deliveries d on ${ofEvent} where`,
    `${eventRange.replace(/(org_id|mode|sequence) /g, 'e.$1 ')})`,
  ].join(' '),
} as const;

export const retentionPart: TxPart<'retention'> = {
  async oldDeliveries(unit, cutoff, afterId, limit) {
    const params = [...cutoffParams(cutoff), afterId, limit];
    const rows = await unit.rows('deliveries', sql.oldDeliveries, params);
    return rows.map((row) => text('id').read(row));
  },
  removeDeliveries(unit, cutoff, afterId, lastId) {
    const params = [...cutoffParams(cutoff), afterId, lastId];
    unit.stage(merge('delivery_attempts', null, sql.removeAttempts, params));
    unit.stage(merge('deliveries', null, sql.removeDeliveries, params));
  },
  async oldMessages(unit, { sinceMs }, after, limit) {
    const params = [timeParam(sinceMs), ...cursorParams(after), limit];
    const rows = await unit.rows('inbox', sql.oldMessages, params);
    return rows.map((row) => ({
      receivedAtMs: time('received_at').read(row),
      messageId: text('message_id').read(row),
    }));
  },
  removeMessages(unit, after, last) {
    unit.stage(
      merge('inbox', null, sql.removeMessages, [...cursorParams(after), ...cursorParams(last)]),
    );
  },
  async tenants(unit, after, limit) {
    const params = [after?.orgId ?? '', after?.mode ?? '', limit];
    const rows = await unit.rows('feed_heads', sql.tenants, params);
    return rows.map(readTenant);
  },
  async oldestEvents(unit, cutoff, { orgId, mode }, after, limit) {
    const params = [...cutoffParams(cutoff), orgId, mode, after, limit];
    const rows = await unit.rows('events', sql.oldestEvents, params);
    return rows.map((row) => ({
      sequence: integer('sequence').read(row),
      count: flag('is_alone').read(row) ? 1 : 2,
      needed: flag('needed').read(row),
    }));
  },
  removeEvents(unit, { orgId, mode }, after, last) {
    unit.stage(merge('events', null, sql.removeEvents, [orgId, mode, after, last]));
  },
};

function cutoffParams({ sinceDeliveryId, sinceMs }: RetentionCutoff): readonly Param[] {
  return [sinceDeliveryId, timeParam(sinceMs)];
}

function cursorParams(place: MessageCursor | null): readonly Param[] {
  return [timeParam(place?.receivedAtMs ?? 0), place?.messageId ?? ''];
}
