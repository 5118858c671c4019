// Events on their way: the outbox, and the feed with its gap-free sequence and audit chain per
// tenant: columns, rows and SQL.
import type { DomainEvent } from '../../../core/domain/event.js';
import type { EventNote, FeedEvent, FeedHead, Tx } from '../../../core/ports.js';
import { type Row, type StatementTemplate, time } from '../database.js';
import { integer, minor, tenantColumns, text, timeMs } from '../row.js';
import { defineTable, rowName, templateSql } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const outboxName = 'outbox';
const headsName = 'feed_heads';
/** Rows that a look for one subject takes: far more than wait where the sequencer runs. */
const NEWEST = 1_000;

const events = defineTable<FeedEvent>({
  name: 'events',
  key: {
    org_id: (event) => event.orgId,
    mode: (event) => event.mode,
    id: (event) => event.id,
  },
  fixed: {
    sequence: (event) => event.sequence,
    type: (event) => event.type,
    subject_id: (event) => event.subjectId,
    body: (event) => event.body,
    chain_hash: (event) => event.chainHash,
    created_at: (event) => time(event.createdAtMs),
  },
  changing: {},
  version: null,
  read: (row) =>
    Object.freeze({
      ...eventOf(row, 'id'),
      sequence: integer(row, 'sequence'),
      chainHash: text(row, 'chain_hash'),
    }),
});

/** The position is the database's to give. */
const appended: StatementTemplate = {
  kind: 'insert',
  table: outboxName,
  columns: ['org_id', 'mode', 'event_id', 'type', 'subject_id', 'body', 'created_at'],
  key: [],
};
const removed: StatementTemplate = {
  kind: 'remove',
  table: outboxName,
  columns: ['position'],
  key: ['position'],
};

export function outboxOf(unit: UnitOfWork): Tx['outbox'] {
  return {
    append(event) {
      unit.stage({
        table: outboxName,
        row: null,
        kind: 'insert',
        statement: {
          sql: templateSql(appended),
          params: [
            ...[event.orgId, event.mode, event.id, event.type, event.subjectId, event.body],
            time(event.createdAtMs),
          ],
          guards: outboxName,
          template: appended,
        },
      });
    },
    async oldest(limit) {
      const rows = await unit.rows(outboxName, 'select * from outbox order by position limit $1', [
        limit,
      ]);
      return rows.map((row) =>
        Object.freeze({ position: minor(row, 'position'), event: eventOf(row, 'event_id') }),
      );
    },
    remove(rows) {
      for (const { position } of rows) {
        unit.stage({
          table: outboxName,
          row: rowName([position]),
          kind: 'change',
          statement: {
            sql: templateSql(removed),
            params: [position],
            guards: outboxName,
            template: removed,
          },
        });
      }
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
      return rows.map((row) => noteOf(row, 'event_id'));
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
        [orgId, mode],
      );
      if (row === undefined) return null;
      return Object.freeze({
        sequence: integer(row, 'sequence'),
        chainHash: text(row, 'chain_hash'),
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
        [
          'select * from events where org_id = $1 and mode = $2 and sequence > $3',
          'order by sequence limit $4',
        ].join(' '),
        [orgId, mode, sequence, limit],
      ),
    get: ({ orgId, mode }, eventId) =>
      unit.byKey(
        events,
        [orgId, mode, eventId],
        'select * from events where org_id = $1 and mode = $2 and id = $3',
        [orgId, mode, eventId],
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
      return rows.map((row) => noteOf(row, 'id'));
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

function noteOf(row: Row, idColumn: string): EventNote {
  return Object.freeze({
    id: text(row, idColumn),
    type: text(row, 'type'),
    createdAtMs: timeMs(row, 'created_at'),
  });
}

function eventOf(row: Row, idColumn: string): DomainEvent {
  return Object.freeze({
    ...tenantColumns(row),
    id: text(row, idColumn),
    type: text(row, 'type'),
    subjectId: text(row, 'subject_id'),
    body: text(row, 'body'),
    createdAtMs: timeMs(row, 'created_at'),
  });
}
