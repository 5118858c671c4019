// Documents of parties without their bytes, and fingerprints of their storage: columns and SQL.
import {
  contentTypes,
  type Document,
  type DocumentKind,
  type DocumentOwner,
  documentKinds,
  documentStatuses,
  nextDocumentStatus,
  type StorageFingerprint,
} from '../../../core/domain/parties/document.js';
import type { Tx } from '../../../core/ports/storage.js';
import { fixed, group, integer, key, oneOf, tenant, text, time, version } from '../columns.js';
import { duePage, timeParam } from '../database.js';
import { defineTable, merge } from '../table.js';
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

const documents = defineTable<Document>('documents', {
  ...tenant,
  id: key(text('id')),
  owner: fixed(group({ party: oneOf('owner_party', parties), id: text('owner_id') })),
  kind: fixed(oneOf('kind', kinds)),
  ownerIndex: fixed(integer.null('owner_index')),
  contentType: fixed(oneOf('content_type', contentTypes)),
  status: oneOf('status', documentStatuses),
  contentName: text.null('content_name'),
  sizeBytes: integer.null('size_bytes'),
  tokenHashes: fixed(group({ upload: text('upload_token_hash'), read: text('read_token_hash') })),
  uploads: integer('uploads'),
  slot: fixed(integer.null('slot')),
  uploadUntilMs: fixed(time('upload_until_at')),
  dueAtMs: time.null('due_at'),
  tries: integer('tries'),
  createdAtMs: fixed(time('created_at')),
  purgedAtMs: time.null('purged_at'),
  version,
});

export function documentsOf(unit: UnitOfWork): Tx['documents'] {
  return {
    ...unit.writes(documents),
    find: (id) => unit.first(documents, 'where id = $1', [id]),
    due: (page) =>
      unit.all(
        documents,
        'where due_at <= $1 and (due_at, id) > ($2, $3) order by due_at, id limit $4',
        duePage(page),
      ),
    list: ({ kept, beforeId, limit }) =>
      unit.newest(documents, { 'id <': beforeId }, limit, {
        others: kept ? ["status <> 'purged'"] : [],
      }),
    async slots({ orgId, mode }, { party, id }) {
      const sql = [
        'select slot from documents where org_id = $1 and mode = $2 and owner_party = $3',
        "and owner_id = $4 and status <> 'purged' and slot is not null",
      ].join(' ');
      const rows = await unit.rows(documents.name, sql, [orgId, mode, party, id]);
      return rows.map(integer('slot').read);
    },
    requestPurge({ orgId, mode }, { party, id }, nowMs) {
      const sql = [
        "update documents set status = 'purging', due_at = $1, tries = 0,",
        'version = version + 1 where org_id = $2 and mode = $3 and owner_party = $4',
        `and owner_id = $5 and status in (${purgeableSql})`,
      ].join(' ');
      unit.stage(merge(documents.name, null, sql, [timeParam(nowMs), orgId, mode, party, id]));
    },
  };
}

const fingerprints = defineTable<StorageFingerprint>('storage_fingerprints', {
  name: key(text('name')),
  value: fixed(text('value')),
  createdAtMs: fixed(time('created_at')),
});

export function storageFingerprintsOf(unit: UnitOfWork): Tx['storageFingerprints'] {
  return {
    ...unit.writes(fingerprints),
    get: (name) => unit.byKey(fingerprints, [name]),
  };
}
