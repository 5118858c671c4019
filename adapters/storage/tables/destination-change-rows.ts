// The history of PIX destinations: columns and SQL.
import type { DestinationChange } from '../../../core/domain/parties/destination-change.js';
import { tenant, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

export const destinationChanges = defineTable<DestinationChange>('destination_changes', {
  ...tenant,
  id: text('id').key(),
  accountId: text.null('account_id').fixed(),
  fromRef: text.null('from_ref').fixed(),
  toRef: text('to_ref').fixed(),
  pixKeyShown: text('pix_key_shown').fixed(),
  changedBy: text('changed_by').fixed(),
  createdAtMs: time('created_at').fixed(),
  effectiveAtMs: time('effective_at').fixed(),
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
