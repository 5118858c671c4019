// Connected accounts, verified at the partner: columns and SQL.
import { emailKey } from '../../../core/domain/base/email-address.js';
import { locales } from '../../../core/domain/base/locale.js';
import {
  accountStatuses,
  type ConnectedAccount,
  countsAsBuyerKyc,
  entityTypes,
  roles,
  searchedNamesOf,
} from '../../../core/domain/parties/connected-account.js';
import { isSubmitted } from '../../../core/domain/parties/party.js';
import type { PartyDraft } from '../../../core/domain/parties/party-draft.js';
import { oneOf, party, tenant, text, time, version } from '../columns.js';
import { timeParam } from '../database.js';
import { noteNames } from '../name-words.js';
import { defineTable } from '../table.js';
import { type TxPart, type UnitOfWork, writes } from '../unit-of-work.js';

export const accounts = defineTable<ConnectedAccount>('connected_accounts', {
  ...tenant,
  id: text('id').key(),
  externalId: text.null('external_id').fixed(),
  role: oneOf('role', roles).fixed(),
  entityType: oneOf('entity_type', entityTypes).fixed(),
  status: oneOf('status', accountStatuses),
  receiverId: text.null('receiver_id'),
  commandId: text.null('submit_command_id'),
  ...party,
  email: text.null('email').searchable('email_key', emailKey),
  legalName: text.null('legal_name'),
  displayName: text.null('display_name').fixed(),
  country: text.null('country'),
  locale: oneOf('locale', locales).null(),
  taxIdSealed: text.null('tax_id_sealed').sealed(),
  taxIdLast4: text.null('tax_id_last4'),
  tosSessionKey: text.null('tos_session_key'),
  destinationRef: text.null('destination_ref'),
  heldRef: text.null('held_ref'),
  heldUntilMs: time.null('held_until'),
  railsCommandId: text.null('rails_command_id'),
  railsRef: text.null('rails_ref'),
  readyAtMs: time.null('ready_at'),
  createdAtMs: time('created_at').fixed(),
  updatedAtMs: time('updated_at'),
  version,
});

/** Must match the index expression. */
const submittedSql = `status in ('${accountStatuses.filter(isSubmitted).join("', '")}')`;
/** Queries for the accounts of a buyer by address need this condition to use the index. */
const ofBuyerSql = `role = 'buyer' and ${submittedSql}`;

export const buyerKycSql = `${ofBuyerSql} and (${roles
  .flatMap((role) => accountStatuses.map((status) => ({ role, status })))
  .filter(countsAsBuyerKyc)
  .map(({ role, status }) => `role = '${role}' and status = '${status}'`)
  .join(' or ')})`;

export const accountsPart: TxPart<'accounts'> = {
  ...writes(accounts),
  insert(unit, account) {
    unit.stage(accounts.insert(account));
    noteAccount(unit, account);
  },
  update(unit, account) {
    unit.stage(accounts.update(account));
    noteAccount(unit, account);
  },
  get: (unit, { orgId, mode }, id) => unit.byKey(accounts, [orgId, mode, id]),
  byExternalId: (unit, { orgId, mode }, externalId) =>
    unit.first(accounts, 'where org_id = $1 and mode = $2 and external_id = $3', [
      orgId,
      mode,
      externalId,
    ]),
  byPartnerRef: (unit, mode, partnerRef) =>
    unit.all(accounts, 'where mode = $1 and partner_ref = $2 limit 2', [mode, partnerRef]),
  list(unit, { orgId, mode }, { role, status, beforeId, limit }) {
    const filters = { 'role =': role, 'status =': status, 'id <': beforeId };
    // Without it, SQLite scans all accounts of the tenant by their key.
    const index = pageIndexes[`${role === null ? '' : 'role'}${status === null ? '' : 'status'}`];
    const all = { 'org_id =': orgId, 'mode =': mode, ...filters };
    return unit.newest(accounts, all, limit, { index });
  },
  ofBuyer: (unit, { orgId, mode }, key) =>
    unit.all(
      accounts,
      `where org_id = $1 and mode = $2 and email_key = $3 and ${ofBuyerSql} order by id desc`,
      [orgId, mode, key],
    ),
};

function noteAccount(unit: UnitOfWork, account: ConnectedAccount): void {
  noteNames(unit, account, account.id, searchedNamesOf(account));
}

/** The index per filter; without a filter it is the primary key. */
const pageIndexes: Readonly<Record<string, string>> = {
  role: 'connected_accounts_of_role',
  status: 'connected_accounts_of_status',
  rolestatus: 'connected_accounts_of_both',
};

export const partyDrafts = defineTable<PartyDraft>('party_drafts', {
  ...tenant,
  id: text('id').key(),
  draftSealed: text('draft_sealed').sealed(),
  savedAtMs: time('saved_at'),
  version,
});

export const partyDraftsPart: TxPart<'partyDrafts'> = {
  ...writes(partyDrafts),
  savedBefore: (unit, beforeMs, after, limit) =>
    unit.all(
      partyDrafts,
      'where saved_at < $1 and (saved_at, org_id, mode, id) > ($2, $3, $4, $5) ' +
        'order by saved_at, org_id, mode, id limit $6',
      [
        timeParam(beforeMs),
        timeParam(after?.savedAtMs ?? 0),
        after?.orgId ?? '',
        after?.mode ?? '',
        after?.id ?? '',
        limit,
      ],
    ),
  get: (unit, { orgId, mode }, id) => unit.byKey(partyDrafts, [orgId, mode, id]),
};
