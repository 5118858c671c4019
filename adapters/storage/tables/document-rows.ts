// Documents of parties without their bytes, and fingerprints of their storage: columns and SQL.
import {
  contentTypes,
  type Document,
  type DocumentKind,
  type DocumentOwner,
  documentKinds,
  documentStatuses,
  type Fingerprint,
  nextDocumentStatus,
} from '../../../core/domain/parties/document.js';
import { group, integer, oneOf, tenant, text, time, version } from '../columns.js';
import { duePage, timeParam } from '../database.js';
import { defineTable, merge, rowName } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

const kinds = Object.keys(documentKinds) as readonly DocumentKind[];
const parties = Object.keys({
  account: true,
  buyer: true,
  organization: true,
  payment: true,
  vendor: true,
} satisfies Record<DocumentOwner['party'], true>) as readonly DocumentOwner['party'][];

const purgeableSql = documentStatuses
  .filter((status) => nextDocumentStatus(status, 'purge') !== null)
  .map((status) => `'${status}'`)
  .join(', ');

export const documents = defineTable<Document>('documents', {
  ...tenant,
  id: text('id').key(),
  owner: group({ party: oneOf('owner_party', parties), id: text('owner_id') }),
  kind: oneOf('kind', kinds).fixed(),
  ownerIndex: integer.null('owner_index').fixed(),
  contentType: oneOf('content_type', contentTypes).fixed(),
  fileName: text.null('file_name').fixed(),
  expiresOn: text.null('expires_on').fixed(),
  status: oneOf('status', documentStatuses),
  contentName: text.null('content_name'),
  sizeBytes: integer.null('size_bytes'),
  tokenHashes: group({ upload: text('upload_token_hash'), read: text('read_token_hash') }).fixed(),
  uploads: integer('uploads'),
  slot: integer.null('slot'),
  uploadUntilMs: time('upload_until_at').fixed(),
  dueAtMs: time.null('due_at'),
  tries: integer('tries'),
  createdAtMs: time('created_at').fixed(),
  purgedAtMs: time.null('purged_at'),
  version,
});

export const documentsPart: TxPart<'documents'> = {
  ...writes(documents),
  find: (unit, id) => unit.first(documents, 'where id = $1', [id]),
  due: (unit, page) =>
    unit.all(
      documents,
      'where due_at <= $1 and (due_at, id) > ($2, $3) order by due_at, id limit $4',
      duePage(page),
    ),
  list: (unit, { kept, beforeId, limit }) =>
    unit.newest(documents, { 'id <': beforeId }, limit, {
      others: kept ? ["status <> 'purged'"] : [],
    }),
  async slots(unit, { orgId, mode }, { party, id }) {
    const sql = [
      'select slot from documents where org_id = $1 and mode = $2 and owner_party = $3',
      "and owner_id = $4 and status <> 'purged' and slot is not null",
    ].join(' ');
    const rows = await unit.rows(documents.name, sql, [orgId, mode, party, id]);
    return rows.map(integer('slot').read);
  },
  ofVendor: (unit, { orgId, mode }, id) =>
    unit.all(
      documents,
      [
        "where org_id = $1 and mode = $2 and owner_party = 'vendor' and owner_id = $3",
        "and status = 'submitted'",
      ].join(' '),
      [orgId, mode, id],
    ),
  async keptBytes(unit, { orgId, mode }) {
    const sql = [
      'select cast(coalesce(sum(size_bytes), 0) as bigint) as kept_bytes from documents',
      'where org_id = $1 and mode = $2 and content_name is not null',
    ].join(' ');
    const [row] = await unit.rows(documents.name, sql, [orgId, mode]);
    return row === undefined ? 0 : integer('kept_bytes').read(row);
  },
  requestPurge(unit, { orgId, mode }, { party, id }, nowMs) {
    const sql = [
      "update documents set status = 'purging', due_at = $1, tries = 0,",
      'version = version + 1 where org_id = $2 and mode = $3 and owner_party = $4',
      `and owner_id = $5 and status in (${purgeableSql})`,
    ].join(' ');
    unit.stage(merge(documents.name, null, sql, [timeParam(nowMs), orgId, mode, party, id]));
  },
};

const fingerprints = defineTable<Fingerprint>('fingerprints', {
  name: text('name').key(),
  value: text('value').fixed(),
  createdAtMs: time('created_at').fixed(),
});

export const fingerprintsPart: TxPart<'fingerprints'> = {
  ...writes(fingerprints),
  get: (unit, name) => unit.byKey(fingerprints, [name]),
  put(unit, { name, value, createdAtMs }) {
    const sql = [
      'insert into fingerprints (name, value, created_at) values ($1, $2, $3)',
      'on conflict (name) do update set value = excluded.value, created_at = excluded.created_at',
    ].join(' ');
    unit.stage(
      merge(fingerprints.name, rowName([name]), sql, [name, value, timeParam(createdAtMs)]),
    );
  },
};
