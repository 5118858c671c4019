-- The hosted page: what its screens show of a payment, its sessions and mails, and the bank details
-- that it gave out.

-- Payments: payee and consent.
alter table payments add column payee_name text;
alter table payments add column confirmed_locale text;

-- Payments: lists of a tenant. Those of sellers cost other payments nothing.
create index payments_intents_of_status on payments (org_id, mode, status, id)
  where origin = 'payment_intent';
create index payments_updated on payments (org_id, mode, origin, updated_at, id);
create index payments_of_seller on payments (org_id, mode, seller_external_id, id)
  where seller_external_id is not null;
create index payments_of_seller_and_status
  on payments (org_id, mode, seller_external_id, status, id) where seller_external_id is not null;

-- Reports of simulated orders: what an order of test mode reports, by our reference. The order may
-- not exist yet.
create table simulated_reports (
  mode text not null check (mode in ('test', 'live')),
  reference text not null,
  outcome text not null,
  version integer not null,
  primary key (mode, reference)
) strict, without rowid;

-- Mails: their subject, code and language.
-- SQLite cannot change the checks of a table.
alter table mails rename to mails_before;
create table mails (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  purpose text not null check (purpose in (
    'invitation', 'sign_in', 'owner_link', 'payout_changed', 'kyc_approved', 'kyc_more',
    'kyc_rejected', 'instructions_ready', 'money_short', 'money_received', 'receipt', 'cancelled',
    'expired', 'failed', 'refund_ordered', 'refunded'
  )),
  payment_id text,
  account_id text,
  submission_id text,
  owner_index integer,
  -- Of a notice. At most one mail has it.
  cause text,
  to_address text not null,
  to_key text not null,
  nth integer,
  locale text not null default 'en' check (locale in ('en', 'pt-BR', 'es')),
  token_hash text,
  token_sealed text,
  code_hash text,
  code_tries integer not null default 0,
  browser_hash text,
  link_ends_at integer not null,
  link_used_at integer,
  status text not null check (status in ('pending', 'sent', 'refused', 'dropped')),
  tries integer not null,
  due_at integer,
  lease_token text,
  last_error text,
  sent_at integer,
  created_at integer not null,
  version integer not null,
  primary key (org_id, mode, id),
  -- Due, with the sealed token of its link, exactly while it is pending.
  check ((status = 'pending') = (due_at is not null)),
  check ((status = 'pending' and token_hash is not null) = (token_sealed is not null)),
  -- A link opens the page of a payment or of a KYC form.
  check (token_hash is null or payment_id is not null or submission_id is not null),
  check (owner_index is null or submission_id is not null),
  -- A code is valid in the browser that asked for it, and goes with a link.
  check ((code_hash is null) = (browser_hash is null)),
  check (code_hash is null or token_hash is not null)
) strict, without rowid;
insert into mails (
  org_id, mode, id, purpose, payment_id, account_id, to_address, to_key, nth, token_hash,
  token_sealed, link_ends_at, link_used_at, status, tries, due_at, lease_token, last_error, sent_at,
  created_at, version
)
select
  org_id, mode, id, purpose, payment_id, account_id, to_address, to_key, nth, token_hash,
  token_sealed, link_ends_at, link_used_at, status, tries, due_at, lease_token, last_error, sent_at,
  created_at, version
from mails_before;
drop table mails_before;
create unique index mails_token_hash on mails (token_hash);
create unique index mails_sign_ins on mails (mode, to_key, nth)
  where nth is not null and purpose = 'sign_in';
create unique index mails_numbered on mails (org_id, mode, to_key, purpose, nth)
  where nth is not null;
create unique index mails_of_cause on mails (org_id, mode, cause) where cause is not null;
create index mails_due on mails (due_at) where due_at is not null;
create index mails_leased on mails (due_at) where lease_token is not null;
create index mails_id on mails (id);
create index mails_of_status on mails (status, id);
create index mails_of_payment on mails (org_id, mode, payment_id) where token_hash is not null;
create index mails_of_submission on mails (org_id, mode, submission_id, id)
  where submission_id is not null;
-- The language of mails about a payment; null until its buyer signs in by mail.
alter table payments add column buyer_locale text check (buyer_locale in ('en', 'pt-BR', 'es'));

-- Sessions on the hosted pages.
create table page_sessions (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  kind text not null check (kind in ('buyer', 'owner', 'upload')),
  payment_id text,
  submission_id text,
  owner_index integer,
  created_at integer not null,
  seen_at integer not null,
  ends_at integer not null,
  ended_at integer,
  version integer not null,
  primary key (org_id, mode, id),
  check (payment_id is not null or submission_id is not null),
  check ((kind = 'owner') = (owner_index is not null))
) strict, without rowid;
create unique index page_sessions_id on page_sessions (id);
create index page_sessions_created on page_sessions (created_at);
create index page_sessions_of_payment on page_sessions (org_id, mode, payment_id, seen_at)
  where payment_id is not null;
create index page_sessions_of_submission on page_sessions (org_id, mode, submission_id, seen_at)
  where submission_id is not null;

-- Organizations: support contact.
alter table organizations add column support_email text;
alter table organizations add column support_phone text;
alter table organizations add column website text;

-- Bank details that were shown.
alter table payments add column bank_details_code text;

create table bank_details (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  payment_id text not null,
  check_code text not null,
  short_id text not null,
  buyer_id text not null,
  payee_name text,
  record text not null,
  signature text not null,
  key_id text not null,
  issued_at integer not null,
  primary key (org_id, mode, payment_id, check_code)
) strict, without rowid;

create index bank_details_short_id on bank_details (short_id, check_code);

-- Their accounts, as hashes to search for: with its bank, and by the number that people type.
create table bank_detail_accounts (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  payment_id text not null,
  check_code text not null,
  account_hash text not null,
  number_hash text not null,
  short_id text not null,
  buyer_id text not null,
  payee_name text,
  issued_at integer not null,
  primary key (org_id, mode, payment_id, check_code, account_hash)
) strict, without rowid;

create index bank_detail_accounts_number on bank_detail_accounts (number_hash, issued_at);
create index bank_detail_accounts_of_page
  on bank_detail_accounts (short_id, number_hash, issued_at);
create index bank_detail_accounts_of_buyer
  on bank_detail_accounts (org_id, mode, buyer_id, account_hash, issued_at);

-- A service key can sign records. SQLite cannot change a check.
create table service_keys_2 (
  id text not null primary key,
  purpose text not null check (purpose in ('session', 'partner', 'record')),
  sealed text not null,
  created_at integer not null,
  expires_at integer,
  version integer not null
) strict, without rowid;
insert into service_keys_2 select * from service_keys;
drop table service_keys;
alter table service_keys_2 rename to service_keys;
create unique index service_keys_current on service_keys (purpose) where expires_at is null;

-- KYC: what the partner asked to correct.
alter table kyc_submissions add column corrections text;
alter table kyc_submissions add column dossier_sealed text;
alter table kyc_submissions add column submit_command_id text;
