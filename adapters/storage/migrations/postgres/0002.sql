-- The hosted page.

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

-- Reports of simulated orders.

-- Mails: their subject, code and language.

-- Sessions on the hosted pages.

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
