// Events: the feed of each tenant, gap-free and chained, and the audit log: columns and
// SQL.
import { type Actor, actorKinds } from '../../../core/domain/base/actor.js';
import {
  ALIAS_MARK,
  aliasNamed,
  aliasOf,
  type DomainEvent,
  type EventNote,
  type NumberedEvent,
  ownEventId,
} from '../../../core/domain/payments/event.js';
import { encoded, flag, group, integer, readerOf, tenant, text, time } from '../columns.js';
import type { Param } from '../database.js';
import { defineTable, rowName, templated } from '../table.js';
import type { TxPart } from '../unit-of-work.js';

const facts = {
  type: text('type').fixed(),
  subjectId: text('subject_id').fixed(),
  body: text('body').fixed(),
  createdAtMs: time('created_at').fixed(),
  alias: text.null('alias').fixed(),
} as const;

/** An event, and its alias of this type under the next number. */
interface WithAlias {
  readonly alias: string | null;
}

const events = defineTable<NumberedEvent & WithAlias>('events', {
  ...tenant,
  id: text('id').key(),
  ...facts,
  sequence: integer('sequence').fixed(),
  chainHash: text('chain_hash').fixed(),
});

function withAlias({ alias, ...event }: NumberedEvent & WithAlias): readonly NumberedEvent[] {
  if (alias === null) return [event];
  return [event, { ...aliasOf(event, alias), sequence: event.sequence + 1 }];
}

/** The row of a delivery is about the event of a row, or about its alias. */
export function isOfEvent(delivery: string, event: string): string {
  return `${delivery}.event_id in (${event}.id, ${event}.id || '${ALIAS_MARK}')`;
}

/** The number of the alias, if there is one. */
export function lastSequence(event: string): string {
  return `${event}.sequence + case when ${event}.alias is null then 0 else 1 end`;
}

/** Empty where no author is known, such as on a host of tests. */
const actor = encoded<Actor | null>(
  'actor',
  (by) => (by === null ? '' : `${by.kind} ${by.id}`),
  (stored) => {
    const [word = '', id = ''] = stored.split(/ (.*)/s, 2);
    const kind = actorKinds.find((known) => known === word);
    return kind === undefined ? null : Object.freeze({ kind, id });
  },
);

const newEvent = group<DomainEvent & WithAlias & Pick<EventNote, 'actor'>>({
  ...tenant,
  id: text('id'),
  ...facts,
  actor,
});
const newColumns = newEvent.parts.map(({ name }) => name);
/** The session adds sequence and chain hash as the last parameters, unless it has its own text. */
const appended = templated(
  { kind: 'append', table: events.name, columns: newColumns, key: [] },
  [
    `insert into events (${newColumns.join(', ')}, sequence, chain_hash)`,
    'values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
  ].join(' '),
);

const keyColumns = ['org_id', 'mode', 'id'];
const kept = templated({
  kind: 'expect',
  table: events.name,
  columns: keyColumns,
  key: keyColumns,
});

/** Without the body. A scalar subquery: PostgreSQL would turn `exists` into a hash of the table. */
const undispatched = events.without(['body', 'chainHash']);
const undispatchedSql = [
  `with found as (select ${undispatched.columns.join(', ')}, ${deliveriesOf('e.id')} = 0 as own,`,
  `alias is not null and ${deliveriesOf(`e.id || '${ALIAS_MARK}'`)} = 0 as also from events e`,
  'where org_id = $1 and mode = $2 and sequence >= $3 and sequence <= $4)',
  'select * from found where own or also order by sequence',
].join(' ');

function deliveriesOf(eventId: string): string {
  const where = `d.event_id = ${eventId} and d.subscription_id = $5`;
  return `(select count(*) from deliveries d where ${where})`;
}

const readNote = readerOf<EventNote & WithAlias>({
  id: text('id'),
  type: text('type'),
  createdAtMs: time('created_at'),
  actor,
  alias: text.null('alias'),
});

// The first row may be that of the event with this number, for its alias. Numbers have no gap
// behind the oldest event that is kept, and a row may have two: a limit would read twice the rows.
const ofTenantSince = 'org_id = $1 and mode = $2 and sequence >= $3';
const pageSql = [
  `where ${ofTenantSince} and sequence <= $4 + (select sequence from events where ${ofTenantSince}`,
  'order by sequence limit 1) order by sequence',
].join(' ');

export const feedPart: TxPart<'feed'> = {
  async head(unit, { orgId, mode }) {
    const [row] = await unit.rowsByKey(
      'feed_heads',
      [orgId, mode],
      'select * from feed_heads where org_id = $1 and mode = $2',
    );
    if (row === undefined) return null;
    return Object.freeze({
      sequence: integer('sequence').read(row),
      chainHash: text('chain_hash').read(row),
    });
  },
  append(unit, event, alias) {
    const row = { ...event, alias: alias?.type ?? null, actor: unit.actor };
    const params = newEvent.parts.map(({ write }) => write(row));
    unit.stage(appended(rowName([event.orgId, event.mode, event.id]), params));
  },
  expect(unit, { orgId, mode, id }) {
    const row = [orgId, mode, ownEventId(id)];
    unit.stage(kept(rowName(row), row));
  },
  async get(unit, { orgId, mode }, id) {
    const row = await unit.byKey(events, [orgId, mode, ownEventId(id)]);
    return row === null ? null : (withAlias(row).find((event) => event.id === id) ?? null);
  },
  async after(unit, { orgId, mode }, sequence, limit) {
    const rows = await unit.all(events, pageSql, [orgId, mode, sequence, limit]);
    return rows
      .flatMap(withAlias)
      .filter((event) => event.sequence > sequence)
      .slice(0, limit);
  },
  async newest(
    unit,
    { orgId, mode },
    { subjectId, type, fromSequence },
    { beforeSequence, limit },
  ) {
    const before = beforeSequence ?? Number.MAX_SAFE_INTEGER;
    const params: Param[] = [orgId, mode, before, limit + 1, fromSequence - 1];
    const conditions = Object.entries({
      'subject_id = ?': subjectId,
      '? in (type, alias)': type,
    }).flatMap(([condition, value]) =>
      value === null ? [] : [`and ${condition.replace('?', `$${params.push(value)}`)}`],
    );
    const range = 'where org_id = $1 and mode = $2 and sequence < $3 and sequence >= $5';
    const clause = [range, ...conditions, 'order by sequence desc limit $4'].join(' ');
    return (await unit.all(events, clause, params))
      .flatMap((row) => withAlias(row).toReversed())
      .filter((event) => event.sequence >= fromSequence && event.sequence < before)
      .filter((event) => type === null || event.type === type)
      .slice(0, limit);
  },
  async withoutDelivery(unit, { orgId, mode, id }, after, last) {
    const rows = await unit.rows('deliveries', undispatchedSql, [orgId, mode, after, last, id]);
    return rows.flatMap((row) => {
      const { sequence, alias, ...event } = undispatched.read(row);
      const own = flag('own').read(row) && sequence > after ? [event] : [];
      const isMissing = alias !== null && flag('also').read(row) && sequence < last;
      return isMissing ? [...own, { ...event, ...aliasNamed(event.id, alias) }] : own;
    });
  },
  async ofSubject(unit, { orgId, mode }, subjectId) {
    const rows = await unit.rows(
      events.name,
      [
        'select id, type, created_at, actor, alias from events',
        'where org_id = $1 and mode = $2 and subject_id = $3 order by sequence',
      ].join(' '),
      [orgId, mode, subjectId],
    );
    return rows.map(readNote).flatMap(({ alias, ...note }) => {
      return alias === null ? [note] : [note, { ...note, ...aliasNamed(note.id, alias) }];
    });
  },
};
