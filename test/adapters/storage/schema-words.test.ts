// The words that the schema allows in a column, and the conditions of its partial indexes, held
// against the tables of the domain: a state is never listed twice with two meanings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadMigrations } from '../../../adapters/storage/migrations.js';
import { SqliteDatabase } from '../../../adapters/storage/sqlite/database.js';
import { migrateSqlite } from '../../../adapters/storage/sqlite/migrations.js';
import { memberRoles } from '../../../core/domain/access/member.js';
import { sessionBeginnings, sessionKinds } from '../../../core/domain/access/session.js';
import { locales } from '../../../core/domain/base/locale.js';
import { modes } from '../../../core/domain/base/tenant.js';
import { commandKinds, commandMoves } from '../../../core/domain/commands/partner-command.js';
import { entryKinds, spanNames } from '../../../core/domain/deposits/book-reading.js';
import { depositStates } from '../../../core/domain/deposits/deposit.js';
import { matchRules } from '../../../core/domain/deposits/deposit-match.js';
import { mailPurposes, mailStatuses } from '../../../core/domain/mail/mail.js';
import { commandQueues } from '../../../core/domain/money-desk/money-decision.js';
import { proposalMoves } from '../../../core/domain/money-desk/proposal.js';
import { kycStatuses } from '../../../core/domain/parties/buyer-kyc.js';
import {
  accountStatuses,
  entityTypes,
  roles,
} from '../../../core/domain/parties/connected-account.js';
import {
  contentTypes,
  documentKinds,
  documentStatuses,
} from '../../../core/domain/parties/document.js';
import { dossierSubmitters } from '../../../core/domain/parties/identity-facts.js';
import { logoTypes } from '../../../core/domain/parties/logo.js';
import { isSubmitted, partyStatuses } from '../../../core/domain/parties/party.js';
import { productionStates } from '../../../core/domain/parties/production-request.js';
import { positions, refundStates } from '../../../core/domain/payments/funds.js';
import { keyOrigins } from '../../../core/domain/payments/idempotency.js';
import { ledgerAccounts } from '../../../core/domain/payments/ledger.js';
import {
  isExpirable,
  paymentMoves,
  paymentStatuses,
} from '../../../core/domain/payments/payment.js';
import { epochCauses, epochStates } from '../../../core/domain/service/epoch.js';
import { keyStates } from '../../../core/domain/service/sealed-text.js';
import { serviceKeyPurposes } from '../../../core/domain/service/service-key.js';
import { deliveryMoves } from '../../../core/domain/webhooks/webhook-delivery.js';

const database = new SqliteDatabase({ path: ':memory:' });
migrateSqlite(database.connection, loadMigrations('sqlite'));

const schema = database.connection
  .prepare<unknown[], { readonly type: string; readonly name: string; readonly sql: string }>(
    'select type, name, sql from sqlite_schema where sql is not null',
  )
  .all();

/** The domain's values of each enumerated column; types without a table are spelled out. */
const words: Readonly<Record<string, readonly string[]>> = {
  'payments.status': Object.keys(paymentMoves),
  'payments.origin': ['payment_intent', 'invoice'],
  'idempotency_keys.surface': keyOrigins,
  'funds.position': positions,
  'funds.refund': refundStates,
  'partner_commands.state': Object.keys(commandMoves),
  'partner_commands.kind': commandKinds,
  'partner_commands.queue': commandQueues,
  'partner_commands.command_end': ['open', 'completed', 'failed', 'returned'],
  'proposals.state': Object.keys(proposalMoves),
  'organization_logos.content_type': logoTypes,
  'production_requests.state': productionStates,
  'deposits.entry_end': ['open', 'completed', 'failed', 'returned'],
  'deposits.state': depositStates,
  'deposits.rule': matchRules,
  'deposits.book': entryKinds,
  'book_readings.book': entryKinds,
  'book_readings.span': spanNames,
  'deliveries.status': Object.keys(deliveryMoves),
  'kyc_submissions.status': kycStatuses,
  'kyc_submissions.submitted_by': dossierSubmitters,
  'organization_profiles.kyb_status': partyStatuses,
  'members.role': memberRoles,
  'connected_accounts.role': roles,
  'connected_accounts.entity_type': entityTypes,
  'connected_accounts.status': accountStatuses,
  'documents.owner_party': ['account', 'buyer', 'organization', 'payment', 'vendor'],
  'documents.kind': Object.keys(documentKinds),
  'documents.content_type': contentTypes,
  'documents.status': documentStatuses,
  'mails.purpose': mailPurposes,
  'mails.status': mailStatuses,
  'mails.locale': locales,
  'payments.buyer_locale': locales,
  'sessions.kind': sessionKinds,
  'sessions.began': sessionBeginnings,
  'quotes.rate_kind': ['locked', 'indicative'],
  'ledger_lines.account': ledgerAccounts,
  'key_check_values.state': keyStates,
  'service_keys.purpose': serviceKeyPurposes,
  'epochs.cause': epochCauses,
  'epochs.state': epochStates,
};

const found = new Map<string, readonly string[]>();
for (const { type, name, sql } of schema) {
  if (type !== 'table') continue;
  for (const [, column, list] of sql.matchAll(/check \((\w+) in \(([^)]*)\)/g)) {
    if (list?.includes("'")) found.set(`${name}.${column}`, quoted(list));
  }
}

test('each column of words takes those of the domain, in the order of its table', () => {
  const ofTenants = [...found.keys()].filter((column) => column.endsWith('.mode'));
  assert.ok(ofTenants.length > 10);
  for (const column of ofTenants) assert.deepEqual(found.get(column), modes, column);
  const others = [...found].filter(([column]) => !column.endsWith('.mode'));
  assert.deepEqual(Object.fromEntries(others), words);
});

test('every tenant column is checked', () => {
  for (const { type, name, sql } of schema) {
    if (type === 'table' && /^ {2}mode /m.test(sql)) assert.ok(found.has(`${name}.mode`), name);
  }
});

test('the index of expiries holds the expirable statuses', () => {
  const index = indexSql('payments_expiring');
  assert.deepEqual(quoted(index), paymentStatuses.filter(isExpirable));
});

test('the index of buyers by address holds the accounts that are submitted', () => {
  const index = indexSql('connected_accounts_of_buyer');
  assert.deepEqual(quoted(index), ['buyer', ...accountStatuses.filter(isSubmitted)]);
});

test('every table is strict; keys and unique indexes of tenants begin with org_id', () => {
  const tables = schema.filter(({ type, name }) => type === 'table' && !/^sqlite_/.test(name));
  for (const { name, sql } of tables) assert.match(sql, /\) strict(, without rowid)?$/, name);
  const starts = schema.flatMap(({ name, sql }) => [
    ...[...sql.matchAll(/^ {2}(\w+) .*primary key/gm)].map(([, column]) => `${name}: ${column}`),
    ...[...sql.matchAll(/primary key \((\w+)/g)].map(([, column]) => `${name}: ${column}`),
    ...[...sql.matchAll(/create unique index \w+ on (\w+) \((\w+)/gi)].map(
      ([, table, column]) => `${table}: ${column}`,
    ),
  ]);
  const exceptions = starts.filter((start) => !start.endsWith(': org_id'));
  assert.deepEqual(exceptions.sort(), [
    'api_keys: id',
    'book_readings: partner',
    'buyers: mode',
    'buyers: mode',
    'deliveries: id',
    'delivery_attempts: delivery_id',
    'deposits: id',
    'deposits: partner',
    'destination_changes: id',
    'epochs: number',
    'fingerprints: name',
    'inbox: partner',
    'key_check_values: key_id',
    'kyc_submissions: flow_id',
    'mails: token_hash',
    'operators: id',
    'operators: name',
    'operators: number',
    'operators: public_key',
    'partner_commands: id',
    'partner_commands: mode',
    'passkeys: credential_id',
    'passkeys: id',
    'payments: public_id',
    'people: email_key',
    'people: id',
    'proposals: id',
    'proposals: item_id',
    'reconciliations: partner',
    'refused_requests: id',
    'service_keys: id',
    'service_keys: purpose',
    'sessions: id',
    'sessions: link_hash',
    'sessions: operator_id',
    'sessions: token_hash',
    'simulated_reports: mode',
  ]);
});

function indexSql(name: string): string {
  const index = schema.find((entry) => entry.type === 'index' && entry.name === name);
  assert.ok(index, name);
  return index.sql;
}

function quoted(text: string): readonly string[] {
  return [...text.matchAll(/'([^']+)'/g)].map(([, word]) => word ?? '');
}
