-- Money that nobody ordered, decisions of operators about money, and what a real settlement partner
-- needs.

-- Receipts: pay-ins of the partner without an order, and their postings.
create table receipts (
  id text collate "C" not null primary key,
  partner text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  partner_ref text collate "C" not null,
  receiver_ref text collate "C",
  org_id text collate "C",
  account_id text collate "C",
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  entry_end text not null check (entry_end in ('open', 'completed', 'failed', 'returned')),
  state text not null check (state in (
    'waiting', 'returned', 'assigned', 'refunded', 'resolved'
  )),
  payer_sealed text,
  transaction_hash text,
  payment_id text collate "C",
  rule text check (rule in ('quote', 'text', 'amount')),
  entered_at timestamptz not null,
  completed_at timestamptz,
  tries integer not null,
  due_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  check ((state = 'assigned') = (payment_id is not null))
);

create unique index receipts_partner_ref on receipts (partner, mode, partner_ref);
create index receipts_due on receipts (due_at, id) where due_at is not null;
-- Amounts per currency that wait for a decision.
create index receipts_unmatched on receipts (currency, id)
  where state = 'waiting' and entry_end = 'completed';
create index receipts_waiting on receipts (id)
  where state = 'waiting' and entry_end in ('open', 'completed');

create table receipt_lines (
  posting_id text collate "C" not null,
  line_number integer not null,
  receipt_id text collate "C" not null,
  kind text not null,
  account text not null check (account in ('buyer', 'suspense', 'adjustments')),
  amount_minor bigint not null check (amount_minor <> 0),
  currency text not null,
  posted_at timestamptz not null,
  primary key (posting_id, line_number)
);

create index receipt_lines_of_receipt on receipt_lines (receipt_id, posting_id, line_number);

create trigger receipt_lines_keep before update or delete on receipt_lines
  for each row execute function ponte_ledger_keeps();

create trigger receipt_lines_keep_all before truncate on receipt_lines
  for each statement execute function ponte_ledger_keeps();

-- How far the partner's books were read.
create table statement_scans (
  partner text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  since_at timestamptz not null,
  page_cursor text,
  began_at timestamptz not null,
  completed_at timestamptz,
  tries integer not null,
  due_at timestamptz not null,
  last_error text,
  version integer not null,
  primary key (partner, mode)
);

-- What a receipt is compared with.
create index if not exists quotes_partner_quote_id on quotes (mode, partner_quote_id);
create index if not exists payments_awaiting_money
  on payments (org_id, mode, seller_external_id, id) where status = 'on_ramp_pending';
create index if not exists connected_accounts_partner_ref on connected_accounts (mode, partner_ref)
  where partner_ref is not null;
create index if not exists organization_profiles_partner_ref
  on organization_profiles (mode, partner_ref) where partner_ref is not null;
create index if not exists partner_commands_in_flight on partner_commands (mode, id)
  where kind = 'payin' and partner_ref is null and last_sent_at is not null
    and state in ('pending', 'sent', 'unknown', 'denied');

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
-- The queues of operators: few rows of each are in them.
create index if not exists funds_received on funds (payment_id) where position = 'received';
create index if not exists partner_commands_owed on partner_commands (id)
  where kind = 'refund' and review is null and state <> 'void'
    and (state <> 'done' or order_end <> 'completed');
create index if not exists partner_commands_out_of_sight on partner_commands (id)
  where review is not null or (kind = 'payout' and state = 'done' and order_end = 'failed');

-- Payments: their purpose.
alter table payments add column purpose text;
-- The latest quote that was refused because of a limit of the payee.
alter table payments add column limit_hit text;
-- What operators overruled is not applied when the partner repeats it.
alter table partner_commands add column overruled text collate "C";
-- Of an order without an end: since when the partner checks its money, and the alert.
alter table partner_commands add column held_since timestamptz;
alter table partner_commands add column late_at timestamptz;

-- Parties: what the partner requires of them.
alter table connected_accounts add column corrections text;
alter table connected_accounts add column answer_by timestamp with time zone;
alter table connected_accounts add column answer_alerted_at timestamp with time zone;
alter table organization_profiles add column corrections text;
alter table organization_profiles add column answer_by timestamp with time zone;
alter table organization_profiles add column answer_alerted_at timestamp with time zone;
alter table kyc_submissions add column answer_by timestamp with time zone;
alter table kyc_submissions add column answer_alerted_at timestamp with time zone;

-- Mails: sign-ins are numbered per organization, as mails_numbered has them.
drop index mails_sign_ins;
