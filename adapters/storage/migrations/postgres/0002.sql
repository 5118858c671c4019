-- The hosted page: what its screens show of a payment, its sessions and mails, and the bank details
-- that it gave out.

-- Payments: payee and consent.
alter table payments add column payee_name text;
alter table payments add column confirmed_locale text;

-- Reports of simulated orders.

-- Mails: their subject, code and language.

-- Sessions on the hosted pages.

-- Organizations: support contact.
alter table organizations add column support_email text;
alter table organizations add column support_phone text;
alter table organizations add column website text;

-- Bank details that were shown.

-- KYC: what the partner asked to correct.
