-- Money that nobody ordered, decisions of operators about money, and what a real settlement partner
-- needs.

-- Receipts: pay-ins of the partner without an order, and their postings.

-- Decisions: what operators propose and confirm about money.
create table money_decisions (
  id text collate "C" not null primary key,
  org_id text collate "C",
  mode text collate "C" not null check (mode in ('test', 'live')),
  item_id text collate "C" not null,
  number integer not null,
  action text not null,
  evidence text,
  basis text not null,
  state text collate "C" not null
    check (state in ('proposed', 'done', 'replaced', 'void')),
  proposed_by text not null,
  proposed_at timestamptz not null,
  ended_by text,
  ended_at timestamptz,
  version integer not null
);
create unique index money_decisions_of_item on money_decisions (item_id, number);
alter table partner_commands add column overruled text collate "C"
  check (overruled in ('open', 'completed', 'failed', 'returned'));
-- The queues of operators: few rows of each are in them.
create index funds_received on funds (payment_id) where position = 'received';
create index partner_commands_owed on partner_commands (id)
  where kind = 'refund' and review is null and state <> 'void'
    and (state <> 'done' or order_end <> 'completed');
create index partner_commands_out_of_sight on partner_commands (id)
  where review is not null or (kind = 'payout' and state = 'done' and order_end = 'failed');

-- Payments: their purpose.

-- Parties: what the partner requires of them.
