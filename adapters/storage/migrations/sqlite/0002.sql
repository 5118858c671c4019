-- The hosted page.

-- Payments: payee and consent.
alter table payments add column payee_name text;
alter table payments add column confirmed_locale text;

-- Reports of simulated orders.

-- Mails: their subject, code and language.

-- Sessions on the hosted pages.

-- Organizations: support contact.

-- Bank details that were shown.

-- KYC: what the partner asked to correct.
alter table kyc_submissions add column corrections text;
alter table kyc_submissions add column dossier_sealed text;
alter table kyc_submissions add column submit_command_id text;
