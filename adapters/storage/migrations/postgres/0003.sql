-- Money that nobody ordered, decisions of operators about money, and what a real settlement partner
-- needs.

-- Receipts: pay-ins of the partner without an order, and their postings.

-- Decisions: what operators propose and confirm about money.

-- Payments: their purpose.
alter table payments add column purpose text;
-- The latest quote that was refused because of a limit of the payee.
alter table payments add column limit_hit text;
-- Of an order without an end: since when the partner checks its money, and the alert.
alter table partner_commands add column held_since timestamptz;
alter table partner_commands add column late_at timestamptz;

-- Parties: what the partner requires of them.
