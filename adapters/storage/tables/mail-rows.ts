// Mails and the links in them: columns and SQL.
import { countedOver, type Mail, mailPurposes, mailStatuses } from '../../../core/domain/mail.js';
import type { Tx } from '../../../core/ports/storage.js';
import { fixed, integer, key, oneOf, sealed, tenant, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

export const mails = defineTable<Mail>('mails', {
  ...tenant,
  id: key(text('id')),
  purpose: fixed(oneOf('purpose', mailPurposes)),
  paymentId: fixed(text.null('payment_id')),
  accountId: fixed(text.null('account_id')),
  to: fixed(text('to_address')),
  toKey: fixed(text('to_key')),
  nth: fixed(integer.null('nth')),
  tokenHash: fixed(text.null('token_hash')),
  tokenSealed: sealed(text.null('token_sealed')),
  linkEndsAtMs: fixed(time('link_ends_at')),
  linkUsedAtMs: time.null('link_used_at'),
  status: oneOf('status', mailStatuses),
  tries: integer('tries'),
  dueAtMs: time.null('due_at'),
  leaseToken: text.null('lease_token'),
  lastError: text.null('last_error'),
  sentAtMs: time.null('sent_at'),
  createdAtMs: fixed(time('created_at')),
  version,
});

const numberedSql = {
  // The purpose of the partial index, spelled out so that the planner uses it.
  mode: [
    "where mode = $1 and to_key = $2 and nth is not null and purpose = 'sign_in'",
    'order by nth desc limit $3',
  ].join(' '),
  organization: [
    'where org_id = $1 and mode = $2 and to_key = $3 and purpose = $4 and nth is not null',
    'order by nth desc limit $5',
  ].join(' '),
  account: [
    'where org_id = $1 and mode = $2 and to_key = $3 and purpose = $4',
    'and account_id is not distinct from $5 and nth is not null order by nth desc limit $6',
  ].join(' '),
} as const;

export function mailsOf(unit: UnitOfWork): Tx['mails'] {
  return {
    ...unit.writes(mails),
    get: ({ orgId, mode }, id) => unit.byKey(mails, [orgId, mode, id]),
    byTokenHash: (tokenHash) => unit.first(mails, 'where token_hash = $1', [tokenHash]),
    newestNumbered: ({ orgId, mode, purpose, toKey }, limit) =>
      countedOver[purpose] === 'mode'
        ? unit.all(mails, numberedSql.mode, [mode, toKey, limit])
        : unit.all(mails, numberedSql.organization, [orgId, mode, toKey, purpose, limit]),
    newestAbout: ({ orgId, mode, purpose, toKey, accountId }, limit) =>
      unit.all(mails, numberedSql.account, [orgId, mode, toKey, purpose, accountId, limit]),
    list: ({ status, beforeId, limit }) =>
      unit.newest(mails, { 'status =': status, 'id <': beforeId }, limit),
    oldest: (limit) => unit.all(mails, 'order by id limit $1', [limit]),
  };
}
