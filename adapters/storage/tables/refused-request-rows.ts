// Requests that were refused or failed: columns and SQL. Their ids sort by time.
import type { RefusedRequest } from '../../../core/domain/service/refused-request.js';
import { integer, mode, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

const refusedRequests = defineTable<RefusedRequest>('refused_requests', {
  id: text('id').key(),
  requestId: text('request_id').fixed(),
  atMs: time('created_at').fixed(),
  operation: text.null('operation').fixed(),
  status: integer('status').fixed(),
  code: text('code').fixed(),
  field: text.null('field').fixed(),
  orgId: text.null('org_id').fixed(),
  mode: mode.null().fixed(),
  credentialId: text.null('credential_id').fixed(),
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
