-- The hosted page: what its screens show of a payment, its sessions and mails, and the bank details
-- that it gave out.

-- Payments: payee and consent.
alter table payments add column payee_name text;
alter table payments add column confirmed_locale text;

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

-- Sessions on the hosted pages.

-- Organizations: support contact.
alter table organizations add column support_email text;
alter table organizations add column support_phone text;
alter table organizations add column website text;

-- Bank details that were shown.

-- KYC: what the partner asked to correct.
