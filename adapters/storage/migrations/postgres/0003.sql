-- Money that nobody ordered, decisions of operators about money, and what a real settlement partner
-- needs.

-- Receipts: pay-ins of the partner without an order, and their postings.

-- Decisions: what operators propose and confirm about money.

-- Payments: their purpose.
alter table payments add column purpose text;
-- The latest quote that was refused because of a limit of the payee.
alter table payments add column limit_hit text;

-- Parties: what the partner requires of them.
alter table connected_accounts add column corrections text;
alter table connected_accounts add column answer_by timestamp with time zone;
alter table connected_accounts add column answer_alerted_at timestamp with time zone;
alter table organization_profiles add column corrections text;
alter table organization_profiles add column answer_by timestamp with time zone;
alter table organization_profiles add column answer_alerted_at timestamp with time zone;
alter table kyc_submissions add column answer_by timestamp with time zone;
alter table kyc_submissions add column answer_alerted_at timestamp with time zone;
