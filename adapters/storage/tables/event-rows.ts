// Events: the feed of each tenant, gap-free and chained, and the audit log: columns and
// SQL.

import { type Actor, actorKinds } from '../../../core/domain/base/actor.js';
import type { DomainEvent, EventNote, NumberedEvent } from '../../../core/domain/payments/event.js';
import { encoded, fixed, group, integer, key, readerOf, tenant, text, time } from '../columns.js';
import type { Param } from '../database.js';
import { defineTable, rowName, templated } from '../table.js';
import type { TxPart } from '../unit-of-work.js';

const facts = {
  type: fixed(text('type')),
  subjectId: fixed(text('subject_id')),
  body: fixed(text('body')),
  createdAtMs: fixed(time('created_at')),
} as const;

const events = defineTable<NumberedEvent>('events', {
  ...tenant,
  id: key(text('id')),
  ...facts,
  sequence: fixed(integer('sequence')),
  chainHash: fixed(text('chain_hash')),
});

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

const newEvent = group<DomainEvent & Pick<EventNote, 'actor'>>({
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
    'values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
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
const undispatched = events.without(['body', 'sequence', 'chainHash']);
const undispatchedSql = [
  `select ${undispatched.columns.join(', ')} from events e`,
  'where org_id = $1 and mode = $2 and sequence > $3 and sequence <= $4 and (select count(*)',
  'from deliveries d where d.event_id = e.id and d.subscription_id = $5) = 0 order by sequence',
].join(' ');

const readNote = readerOf<EventNote>({
  id: text('id'),
  type: text('type'),
  createdAtMs: time('created_at'),
  actor,
});

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
  append(unit, event) {
    const params = newEvent.parts.map(({ write }) => write({ ...event, actor: unit.actor }));
    unit.stage(appended(rowName([event.orgId, event.mode, event.id]), params));
  },
  expect(unit, { orgId, mode, id }) {
    const row = [orgId, mode, id];
    unit.stage(kept(rowName(row), row));
  },
  get: (unit, { orgId, mode }, id) => unit.byKey(events, [orgId, mode, id]),
  after: (unit, { orgId, mode }, sequence, limit) =>
    unit.all(
      events,
      'where org_id = $1 and mode = $2 and sequence > $3 order by sequence limit $4',
      [orgId, mode, sequence, limit],
    ),
  newest(unit, { orgId, mode }, { subjectId, type, fromSequence }, { beforeSequence, limit }) {
    const before = beforeSequence ?? Number.MAX_SAFE_INTEGER;
    const params: Param[] = [orgId, mode, before, limit, fromSequence];
    const conditions = Object.entries({ subject_id: subjectId, type }).flatMap(([column, value]) =>
      value === null ? [] : [`and ${column} = $${params.push(value)}`],
    );
    const range = 'where org_id = $1 and mode = $2 and sequence < $3 and sequence >= $5';
    const clause = [range, ...conditions, 'order by sequence desc limit $4'].join(' ');
    return unit.all(events, clause, params);
  },
  async withoutDelivery(unit, { orgId, mode, id }, after, last) {
    const rows = await unit.rows('deliveries', undispatchedSql, [orgId, mode, after, last, id]);
    return rows.map(undispatched.read);
  },
  async ofSubject(unit, { orgId, mode }, subjectId) {
    const rows = await unit.rows(
      events.name,
      [
        'select id, type, created_at, actor from events',
        'where org_id = $1 and mode = $2 and subject_id = $3 order by sequence',
      ].join(' '),
      [orgId, mode, subjectId],
    );
    return rows.map(readNote);
  },
};
