// Mails and the links in them: columns, rows and SQL.
import { countedOver, type Mail, mailPurposes, mailStatuses } from '../../../core/domain/mail.js';
import type { Tx } from '../../../core/ports.js';
import { time } from '../database.js';
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

export const mails = defineTable<Mail>({
  name: 'mails',
  key: {
    org_id: (mail) => mail.orgId,
    mode: (mail) => mail.mode,
    id: (mail) => mail.id,
  },
  fixed: {
    purpose: (mail) => mail.purpose,
    payment_id: (mail) => mail.paymentId,
    account_id: (mail) => mail.accountId,
    to_address: (mail) => mail.to,
    to_key: (mail) => mail.toKey,
    nth: (mail) => mail.nth,
    token_hash: (mail) => mail.tokenHash,
    link_ends_at: (mail) => time(mail.linkEndsAtMs),
    created_at: (mail) => time(mail.createdAtMs),
  },
  changing: {
    token_sealed: (mail) => mail.tokenSealed,
    link_used_at: (mail) => time(mail.linkUsedAtMs),
    status: (mail) => mail.status,
    tries: (mail) => mail.tries,
    due_at: (mail) => time(mail.dueAtMs),
    lease_token: (mail) => mail.leaseToken,
    last_error: (mail) => mail.lastError,
    sent_at: (mail) => time(mail.sentAtMs),
  },
  version: (mail) => mail.version,
  sealed: 'token_sealed',
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      id: text(row, 'id'),
      purpose: oneOf(row, 'purpose', mailPurposes),
      paymentId: textOrNull(row, 'payment_id'),
      accountId: textOrNull(row, 'account_id'),
      to: text(row, 'to_address'),
      toKey: text(row, 'to_key'),
      nth: integerOrNull(row, 'nth'),
      tokenHash: textOrNull(row, 'token_hash'),
      tokenSealed: textOrNull(row, 'token_sealed'),
      linkEndsAtMs: timeMs(row, 'link_ends_at'),
      linkUsedAtMs: timeMsOrNull(row, 'link_used_at'),
      status: oneOf(row, 'status', mailStatuses),
      tries: integer(row, 'tries'),
      dueAtMs: timeMsOrNull(row, 'due_at'),
      leaseToken: textOrNull(row, 'lease_token'),
      lastError: textOrNull(row, 'last_error'),
      sentAtMs: timeMsOrNull(row, 'sent_at'),
      createdAtMs: timeMs(row, 'created_at'),
      version: integer(row, 'version'),
    }),
});

const numberedSql = {
  // The one purpose of its index, spelled out so that the planner finds it.
  everybody: [
    'select * from mails where mode = $1 and to_key = $2',
    "and nth is not null and purpose = 'sign_in' order by nth desc limit $3",
  ].join(' '),
  organization: [
    'select * from mails where org_id = $1 and mode = $2 and to_key = $3 and purpose = $4',
    'and nth is not null order by nth desc limit $5',
  ].join(' '),
  account: [
    'select * from mails where org_id = $1 and mode = $2 and to_key = $3 and purpose = $4',
    'and account_id is not distinct from $5 and nth is not null order by nth desc limit $6',
  ].join(' '),
} as const;

export function mailsOf(unit: UnitOfWork): Tx['mails'] {
  return {
    get: ({ orgId, mode }, id) =>
      unit.byKey(
        mails,
        [orgId, mode, id],
        'select * from mails where org_id = $1 and mode = $2 and id = $3',
        [orgId, mode, id],
      ),
    byTokenHash: (tokenHash) =>
      unit.first(mails, 'select * from mails where token_hash = $1', [tokenHash]),
    newestNumbered: ({ orgId, mode, purpose, toKey }, limit) =>
      countedOver[purpose] === 'everybody'
        ? unit.all(mails, numberedSql.everybody, [mode, toKey, limit])
        : unit.all(mails, numberedSql.organization, [orgId, mode, toKey, purpose, limit]),
    newestAbout: ({ orgId, mode, purpose, toKey, accountId }, limit) =>
      unit.all(mails, numberedSql.account, [orgId, mode, toKey, purpose, accountId, limit]),
    list({ status, beforeId, limit }) {
      const conditions = [
        ...(status === null ? [] : ['status = $2']),
        ...(beforeId === null ? [] : [`id < $${status === null ? 2 : 3}`]),
      ];
      const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
      return unit.all(
        mails,
        `select * from mails${where} order by id desc limit $1`,
        [limit, status, beforeId].filter((param) => param !== null),
      );
    },
    oldest: (limit) => unit.all(mails, 'select * from mails order by id limit $1', [limit]),
    insert: (mail) => unit.stage(mails.insert(mail)),
    update: (mail) => unit.stage(mails.update(mail)),
    remove: (mail) => unit.stage(mails.remove(mail)),
  };
}
