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

-- Reports of simulated orders.

-- Mails: their subject, code and language.

-- Sessions on the hosted pages.

-- Organizations: support contact.
alter table organizations add column support_email text;
alter table organizations add column support_phone text;
alter table organizations add column website text;

-- Bank details that were shown.

-- KYC: what the partner asked to correct.
