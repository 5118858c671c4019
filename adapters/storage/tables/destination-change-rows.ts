// The history of PIX destinations: columns and SQL.
import type { DestinationChange } from '../../../core/domain/parties/destination-change.js';
import { fixed, key, tenant, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

export const destinationChanges = defineTable<DestinationChange>('destination_changes', {
  ...tenant,
  id: key(text('id')),
  accountId: fixed(text.null('account_id')),
  fromRef: fixed(text.null('from_ref')),
  toRef: fixed(text('to_ref')),
  pixKeyShown: fixed(text('pix_key_shown')),
  changedBy: fixed(text('changed_by')),
  createdAtMs: fixed(time('created_at')),
  effectiveAtMs: fixed(time('effective_at')),
  stoppedAtMs: time.null('stopped_at'),
  replacedAtMs: time.null('replaced_at'),
  version,
});

export const destinationChangesPart: TxPart<'destinationChanges'> = {
  ...writes(destinationChanges),
  find: (unit, id) => unit.first(destinationChanges, 'where id = $1', [id]),
  list: (unit, { orgId, mode }, limit) =>
    unit.all(destinationChanges, 'where org_id = $1 and mode = $2 order by id desc limit $3', [
      orgId,
      mode,
      limit,
    ]),
  ofPayee: (unit, { orgId, mode }, accountId, limit) =>
    accountId === null
      ? unit.all(
          destinationChanges,
          'where org_id = $1 and mode = $2 and account_id is null order by id desc limit $3',
          [orgId, mode, limit],
        )
      : unit.all(
          destinationChanges,
          'where org_id = $1 and mode = $2 and account_id = $3 order by id desc limit $4',
          [orgId, mode, accountId, limit],
        ),
};
