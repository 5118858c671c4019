// Events on their way: the outbox, and the feed with its gap-free sequence and audit chain per
// tenant: columns and SQL.
import type {
  DomainEvent,
  EventNote,
  FeedHead,
  NumberedEvent,
} from '../../../core/domain/payments/event.js';
import type { Tx } from '../../../core/ports/storage.js';
import { fixed, group, integer, key, minor, readerOf, tenant, text, time } from '../columns.js';
import type { Row } from '../database.js';
import { defineTable, rowName, templated } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const outboxName = 'outbox';
const headsName = 'feed_heads';
/** Rows that a search for one subject reads: far more than wait while the sequencer runs. */
const NEWEST = 1_000;

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

/** The database assigns the position. */
const waitingEvent = group<DomainEvent>({ ...tenant, id: text('event_id'), ...facts });
const waitingNote = noteOf('event_id');
const eventNote = noteOf('id');
const position = minor('position');
const appended = templated({
  kind: 'insert',
  table: outboxName,
  columns: waitingEvent.parts.map(({ name }) => name),
  key: [],
});
const removed = templated({
  kind: 'remove',
  table: outboxName,
  columns: ['position'],
  key: ['position'],
});

export function outboxOf(unit: UnitOfWork): Tx['outbox'] {
  return {
    append(event) {
      const params = waitingEvent.parts.map(({ write }) => write(event));
      unit.stage(appended(null, params));
    },
    async oldest(limit) {
      const rows = await unit.rows(outboxName, 'select * from outbox order by position limit $1', [
        limit,
      ]);
      return rows.map((row) =>
        Object.freeze({ position: position.read(row), event: waitingEvent.read(row) }),
      );
    },
    remove(rows) {
      for (const row of rows) unit.stage(removed(rowName([row.position]), [row.position]));
    },
    async ofSubject({ orgId, mode }, subjectId) {
      const rows = await unit.rows(
        outboxName,
        [
          'select event_id, type, created_at from',
          '(select * from outbox order by position desc limit $4) as waiting',
          'where org_id = $1 and mode = $2 and subject_id = $3 order by position',
        ].join(' '),
        [orgId, mode, subjectId, NEWEST],
      );
      return rows.map(waitingNote);
    },
  };
}

export function feedOf(unit: UnitOfWork): Tx['feed'] {
  return {
    async head({ orgId, mode }) {
      const [row] = await unit.rowsByKey(
        headsName,
        [orgId, mode],
        'select * from feed_heads where org_id = $1 and mode = $2',
      );
      if (row === undefined) return null;
      return Object.freeze({
        sequence: integer('sequence').read(row),
        chainHash: text('chain_hash').read(row),
      });
    },
    setHead({ orgId, mode }, was, head) {
      unit.stage({
        table: headsName,
        row: rowName([orgId, mode]),
        kind: was === null ? 'insert' : 'change',
        statement: {
          ...headStatement([orgId, mode], was, head),
          guards: headsName,
          template: null,
        },
      });
    },
    append: (event) => unit.stage(events.insert(event)),
    after: ({ orgId, mode }, sequence, limit) =>
      unit.all(
        events,
        'where org_id = $1 and mode = $2 and sequence > $3 order by sequence limit $4',
        [orgId, mode, sequence, limit],
      ),
    async ofSubject({ orgId, mode }, subjectId) {
      const rows = await unit.rows(
        events.name,
        [
          'select id, type, created_at from events',
          'where org_id = $1 and mode = $2 and subject_id = $3 order by sequence',
        ].join(' '),
        [orgId, mode, subjectId],
      );
      return rows.map(eventNote);
    },
  };
}

function headStatement(
  tenant: readonly [orgId: string, mode: string],
  was: FeedHead | null,
  head: FeedHead,
) {
  if (was === null) {
    return {
      sql: 'insert into feed_heads (org_id, mode, sequence, chain_hash) values ($1, $2, $3, $4)',
      params: [...tenant, head.sequence, head.chainHash],
    };
  }
  return {
    sql: [
      'update feed_heads set sequence = $3, chain_hash = $4',
      'where org_id = $1 and mode = $2 and sequence = $5 and chain_hash = $6',
    ].join(' '),
    params: [...tenant, head.sequence, head.chainHash, was.sequence, was.chainHash],
  };
}

function noteOf(idColumn: string): (row: Row) => EventNote {
  return readerOf<EventNote>({
    id: text(idColumn),
    type: text('type'),
    createdAtMs: time('created_at'),
  });
}
