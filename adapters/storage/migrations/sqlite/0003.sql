-- Money that nobody ordered, decisions of operators about money, and what a real settlement partner
-- needs.

-- Receipts: pay-ins of the partner without an order, and their postings.

-- Decisions: what operators propose and confirm about money.

-- Payments: their purpose.

-- Parties: what the partner requires of them.
