// Connected accounts: columns, rows and SQL.
import { emailKey } from '../../../core/domain/buyer-kyc.js';
import {
  accountStatuses,
  type ConnectedAccount,
  countsAsBuyerKyc,
  entityTypes,
  isSubmitted,
  roles,
} from '../../../core/domain/connected-account.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import type { AccountFilter, Tx } from '../../../core/ports.js';
import { type Param, time } from '../database.js';
import { integer, oneOf, tenantColumns, text, textOrNull, timeMs, timeMsOrNull } from '../row.js';
import { defineTable } from '../table.js';
import type { UnitOfWork } from '../unit-of-work.js';

export const accounts = defineTable<ConnectedAccount>({
  name: 'connected_accounts',
  key: {
    org_id: (account) => account.orgId,
    mode: (account) => account.mode,
    id: (account) => account.id,
  },
  fixed: {
    external_id: (account) => account.externalId,
    role: (account) => account.role,
    entity_type: (account) => account.entityType,
    display_name: (account) => account.displayName,
    created_at: (account) => time(account.createdAtMs),
  },
  changing: {
    status: (account) => account.status,
    receiver_id: (account) => account.receiverId,
    submit_command_id: (account) => account.submitCommandId,
    partner_ref: (account) => account.partnerRef,
    email: (account) => account.email,
    email_key: (account) => (account.email === null ? null : emailKey(account.email)),
    legal_name: (account) => account.legalName,
    country: (account) => account.country,
    tax_id_sealed: (account) => account.taxIdSealed,
    tax_id_last4: (account) => account.taxIdLast4,
    tos_session_key: (account) => account.tosSessionKey,
    tos_id: (account) => account.tosId,
    destination_ref: (account) => account.destinationRef,
    rails_command_id: (account) => account.railsCommandId,
    rails_ref: (account) => account.railsRef,
    ready_at: (account) => time(account.readyAtMs),
    reason: (account) => account.reason,
    approved_at: (account) => time(account.approvedAtMs),
    rejected_at: (account) => time(account.rejectedAtMs),
    updated_at: (account) => time(account.updatedAtMs),
  },
  version: (account) => account.version,
  sealed: 'tax_id_sealed',
  read: (row) =>
    Object.freeze({
      ...tenantColumns(row),
      id: text(row, 'id'),
      externalId: textOrNull(row, 'external_id'),
      role: oneOf(row, 'role', roles),
      entityType: oneOf(row, 'entity_type', entityTypes),
      status: oneOf(row, 'status', accountStatuses),
      receiverId: textOrNull(row, 'receiver_id'),
      submitCommandId: textOrNull(row, 'submit_command_id'),
      partnerRef: textOrNull(row, 'partner_ref'),
      email: textOrNull(row, 'email'),
      legalName: textOrNull(row, 'legal_name'),
      displayName: textOrNull(row, 'display_name'),
      country: textOrNull(row, 'country'),
      taxIdSealed: textOrNull(row, 'tax_id_sealed'),
      taxIdLast4: textOrNull(row, 'tax_id_last4'),
      tosSessionKey: textOrNull(row, 'tos_session_key'),
      tosId: textOrNull(row, 'tos_id'),
      destinationRef: textOrNull(row, 'destination_ref'),
      railsCommandId: textOrNull(row, 'rails_command_id'),
      railsRef: textOrNull(row, 'rails_ref'),
      readyAtMs: timeMsOrNull(row, 'ready_at'),
      reason: textOrNull(row, 'reason'),
      approvedAtMs: timeMsOrNull(row, 'approved_at'),
      rejectedAtMs: timeMsOrNull(row, 'rejected_at'),
      createdAtMs: timeMs(row, 'created_at'),
      updatedAtMs: timeMs(row, 'updated_at'),
      version: integer(row, 'version'),
    }),
});

/** As the index has them: those that are submitted. */
const submittedSql = `status in ('${accountStatuses.filter(isSubmitted).join("', '")}')`;
/** Whoever looks for the accounts of a buyer by its address says this, to be given the index. */
const ofBuyerSql = `role = 'buyer' and ${submittedSql}`;

/** Those of them that count as KYC of the buyer, as the domain has it. */
export const buyerKycSql = `${ofBuyerSql} and (${roles
  .flatMap((role) => accountStatuses.map((status) => ({ role, status })))
  .filter(countsAsBuyerKyc)
  .map(({ role, status }) => `role = '${role}' and status = '${status}'`)
  .join(' or ')})`;

export function accountsOf(unit: UnitOfWork): Tx['accounts'] {
  return {
    get: ({ orgId, mode }, id) =>
      unit.byKey(
        accounts,
        [orgId, mode, id],
        'select * from connected_accounts where org_id = $1 and mode = $2 and id = $3',
        [orgId, mode, id],
      ),
    byExternalId: ({ orgId, mode }, externalId) =>
      unit.first(
        accounts,
        'select * from connected_accounts where org_id = $1 and mode = $2 and external_id = $3',
        [orgId, mode, externalId],
      ),
    list: (tenant, filter) => {
      const { sql, params } = listQuery(tenant, filter);
      return unit.all(accounts, sql, params);
    },
    ofBuyer: ({ orgId, mode }, key) =>
      unit.all(
        accounts,
        [
          'select * from connected_accounts where org_id = $1 and mode = $2 and email_key = $3',
          `and ${ofBuyerSql} order by id desc`,
        ].join(' '),
        [orgId, mode, key],
      ),
    insert: (account) => unit.stage(accounts.insert(account)),
    update: (account) => unit.stage(accounts.update(account)),
    expect: (account) => unit.stage(accounts.expect(account)),
  };
}

function listQuery({ orgId, mode }: Tenant, { role, status, beforeId, limit }: AccountFilter) {
  const params: Param[] = [orgId, mode];
  const conditions = ['org_id = $1', 'mode = $2'];
  const filters = { 'role =': role, 'status =': status, 'id <': beforeId };
  for (const [comparison, value] of Object.entries(filters)) {
    if (value !== null) conditions.push(`${comparison} $${params.push(value)}`);
  }
  // SQLite would rather go through all accounts of the tenant by their key.
  const index = pageIndexes[`${role === null ? '' : 'role'}${status === null ? '' : 'status'}`];
  const sql = [
    `select * from connected_accounts${index === undefined ? '' : ` indexed by ${index}`}`,
    `where ${conditions.join(' and ')} order by id desc limit $${params.push(limit)}`,
  ].join(' ');
  return { sql, params };
}

/** The index of the accounts under a filter; without one it is the primary key. */
const pageIndexes: Readonly<Record<string, string>> = {
  role: 'connected_accounts_of_role',
  status: 'connected_accounts_of_status',
  rolestatus: 'connected_accounts_of_both',
};
