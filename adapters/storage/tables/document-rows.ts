// Documents of parties, without their bytes: columns, rows and SQL.
import {
  contentTypes,
  type Document,
  type DocumentKind,
  type DocumentOwner,
  documentKinds,
  documentStatuses,
  nextDocumentStatus,
} from '../../../core/domain/document.js';
import type { Tx } from '../../../core/ports.js';
import { duePage, time } from '../database.js';
import {
  integer,
  integerOrNull,
  oneOf,
  tenantColumns,
  text,
  textOrNull,
  timeMs,
  timeMsOrNull,
} from '../row.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

const kinds = Object.keys(documentKinds) as readonly DocumentKind[];
const parties = Object.keys({
  account: true,
  buyer: true,
} satisfies Record<DocumentOwner['party'], true>) as readonly DocumentOwner['party'][];

const purgeableSql = documentStatuses
  .filter((status) => nextDocumentStatus(status, 'purge') !== null)
  .map((status) => `'${status}'`)
  .join(', ');

const documents = defineTable<Document>({
  name: 'documents',
  key: {
    org_id: (document) => document.orgId,
    mode: (document) => document.mode,
    id: (document) => document.id,
  },
  fixed: {
    owner_party: (document) => document.owner.party,
    owner_id: (document) => document.owner.id,
    kind: (document) => document.kind,
    owner_index: (document) => document.ownerIndex,
    content_type: (document) => document.contentType,
    upload_token_hash: (document) => document.tokenHashes.upload,
    read_token_hash: (document) => document.tokenHashes.read,
    slot: (document) => document.slot,
    upload_until_at: (document) => time(document.uploadUntilMs),
    created_at: (document) => time(document.createdAtMs),
  },
  changing: {
    status: (document) => document.status,
    content_name: (document) => document.contentName,
    size_bytes: (document) => document.sizeBytes,
    uploads: (document) => document.uploads,
    due_at: (document) => time(document.dueAtMs),
    tries: (document) => document.tries,
    purged_at: (document) => time(document.purgedAtMs),
  },
  version: (document) => document.version,
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      id: text(row, 'id'),
      owner: Object.freeze({
        party: oneOf(row, 'owner_party', parties),
        id: text(row, 'owner_id'),
      }),
      kind: oneOf(row, 'kind', kinds),
      ownerIndex: integerOrNull(row, 'owner_index'),
      contentType: oneOf(row, 'content_type', contentTypes),
      status: oneOf(row, 'status', documentStatuses),
      contentName: textOrNull(row, 'content_name'),
      sizeBytes: integerOrNull(row, 'size_bytes'),
      tokenHashes: Object.freeze({
        upload: text(row, 'upload_token_hash'),
        read: text(row, 'read_token_hash'),
      }),
      uploads: integer(row, 'uploads'),
      slot: integerOrNull(row, 'slot'),
      uploadUntilMs: timeMs(row, 'upload_until_at'),
      dueAtMs: timeMsOrNull(row, 'due_at'),
      tries: integer(row, 'tries'),
      createdAtMs: timeMs(row, 'created_at'),
      purgedAtMs: timeMsOrNull(row, 'purged_at'),
      version: integer(row, 'version'),
    }),
});

export function documentsOf(unit: UnitOfWork): Tx['documents'] {
  return {
    find: (id) => unit.first(documents, 'select * from documents where id = $1', [id]),
    due: (page) =>
      unit.all(
        documents,
        [
          'select * from documents where due_at <= $1 and (due_at, id) > ($2, $3)',
          'order by due_at, id limit $4',
        ].join(' '),
        duePage(page),
      ),
    list({ kept, beforeId, limit }) {
      const conditions = [
        ...(kept ? ["status <> 'purged'"] : []),
        ...(beforeId === null ? [] : ['id < $2']),
      ];
      const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
      return unit.all(
        documents,
        `select * from documents${where} order by id desc limit $1`,
        beforeId === null ? [limit] : [limit, beforeId],
      );
    },
    async slots({ orgId, mode }, { party, id }) {
      const sql = [
        'select slot from documents where org_id = $1 and mode = $2 and owner_party = $3',
        "and owner_id = $4 and status <> 'purged' and slot is not null",
      ].join(' ');
      const rows = await unit.rows(documents.name, sql, [orgId, mode, party, id]);
      return rows.map((row) => integer(row, 'slot'));
    },
    insert: (document) => unit.stage(documents.insert(document)),
    update: (document) => unit.stage(documents.update(document)),
    orderPurge({ orgId, mode }, { party, id }, nowMs) {
      unit.stage({
        table: documents.name,
        row: null,
        kind: 'merge',
        statement: {
          sql: [
            "update documents set status = 'purging', due_at = $1, tries = 0,",
            'version = version + 1 where org_id = $2 and mode = $3 and owner_party = $4',
            `and owner_id = $5 and status in (${purgeableSql})`,
          ].join(' '),
          params: [time(nowMs), orgId, mode, party, id],
          guards: null,
          template: null,
        },
      });
    },
  };
}
