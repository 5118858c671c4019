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
  mode text collate "C" not null check (mode in ('test', 'live')),
  reference text collate "C" not null,
  outcome text not null,
  version integer not null,
  primary key (mode, reference)
);

-- Mails: their subject, code and language.
alter table mails drop constraint mails_purpose_check;
alter table mails add check (
  purpose in (
    'invitation', 'sign_in', 'owner_link', 'payout_changed', 'kyc_approved', 'kyc_more',
    'kyc_rejected', 'instructions_ready', 'money_short', 'money_received', 'receipt', 'cancelled',
    'expired', 'failed', 'refund_ordered', 'refunded'
  )
);
alter table mails drop constraint mails_check2;
alter table mails add column submission_id text collate "C";
alter table mails add column owner_index integer;
alter table mails add column cause text collate "C";
alter table mails add column locale text not null default 'en'
  check (locale in ('en', 'pt-BR', 'es'));
alter table mails add column code_hash text;
alter table mails add column code_tries integer not null default 0;
alter table mails add column browser_hash text collate "C";
alter table mails add check (
  token_hash is null or payment_id is not null or submission_id is not null
);
alter table mails add check (owner_index is null or submission_id is not null);
alter table mails add check ((code_hash is null) = (browser_hash is null));
alter table mails add check (code_hash is null or token_hash is not null);
create unique index if not exists mails_of_cause on mails (org_id, mode, cause)
  where cause is not null;
create index if not exists mails_of_payment on mails (org_id, mode, payment_id)
  where token_hash is not null;
create index if not exists mails_of_submission on mails (org_id, mode, submission_id, id)
  where submission_id is not null;
alter table payments add column buyer_locale text check (buyer_locale in ('en', 'pt-BR', 'es'));

-- Sessions on the hosted pages.
create table page_sessions (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  kind text not null check (kind in ('buyer', 'owner', 'upload')),
  payment_id text collate "C",
  submission_id text collate "C",
  owner_index integer,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  version integer not null,
  primary key (org_id, mode, id),
  check (payment_id is not null or submission_id is not null),
  check ((kind = 'owner') = (owner_index is not null))
);
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
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  payment_id text collate "C" not null,
  check_code text collate "C" not null,
  short_id text collate "C" not null,
  buyer_id text collate "C" not null,
  payee_name text,
  record text not null,
  signature text not null,
  key_id text not null,
  issued_at timestamptz not null,
  primary key (org_id, mode, payment_id, check_code)
);

create index bank_details_short_id on bank_details (short_id, check_code);

-- Their accounts, as hashes to search for: with its bank, and by the number that people type.
create table bank_detail_accounts (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  payment_id text collate "C" not null,
  check_code text collate "C" not null,
  account_hash text collate "C" not null,
  number_hash text collate "C" not null,
  short_id text collate "C" not null,
  buyer_id text collate "C" not null,
  payee_name text,
  issued_at timestamptz not null,
  primary key (org_id, mode, payment_id, check_code, account_hash)
);

create index bank_detail_accounts_number on bank_detail_accounts (number_hash, issued_at);
create index bank_detail_accounts_of_page
  on bank_detail_accounts (short_id, number_hash, issued_at);
create index bank_detail_accounts_of_buyer
  on bank_detail_accounts (org_id, mode, buyer_id, account_hash, issued_at);

-- A service key can sign records.
alter table service_keys drop constraint service_keys_purpose_check;
alter table service_keys add constraint service_keys_purpose_check
  check (purpose in ('session', 'partner', 'record'));

-- KYC: what the partner asked to correct.
alter table kyc_submissions add column corrections text;
alter table kyc_submissions add column dossier_sealed text;
alter table kyc_submissions add column submit_command_id text;
