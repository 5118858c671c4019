// Requests that were refused or failed: columns and SQL. Their ids sort by time.
import type { RefusedRequest } from '../../../core/domain/service/refused-request.js';
import { fixed, integer, key, mode, nullable, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

const refusedRequests = defineTable<RefusedRequest>('refused_requests', {
  id: key(text('id')),
  requestId: fixed(text('request_id')),
  atMs: fixed(time('created_at')),
  operation: fixed(text.null('operation')),
  status: fixed(integer('status')),
  code: fixed(text('code')),
  field: fixed(text.null('field')),
  orgId: fixed(text.null('org_id')),
  mode: fixed(nullable(mode)),
  credentialId: fixed(text.null('credential_id')),
  version,
});

export const refusedRequestsPart: TxPart<'refusedRequests'> = {
  ...writes(refusedRequests),
  byRequestId: (unit, requestId, limit) =>
    unit.newest(refusedRequests, { 'request_id =': requestId }, limit),
  list: (unit, { orgId, beforeId, limit }) =>
    unit.newest(refusedRequests, { 'org_id =': orgId, 'id <': beforeId }, limit),
  oldest: (unit, limit) => unit.all(refusedRequests, 'order by id limit $1', [limit]),
};
