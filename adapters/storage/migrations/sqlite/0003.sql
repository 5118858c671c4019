-- Money that nobody ordered, decisions of operators about money, and what a real settlement partner
-- needs.

-- Receipts: pay-ins of the partner without an order, and their postings.
create table receipts (
  id text not null primary key,
  partner text not null,
  mode text not null check (mode in ('test', 'live')),
  partner_ref text not null,
  receiver_ref text,
  org_id text,
  account_id text,
  amount_minor integer not null check (amount_minor > 0),
  currency text not null,
  entry_end text not null check (entry_end in ('open', 'completed', 'failed', 'returned')),
  state text not null check (state in (
    'waiting', 'returned', 'assigned', 'refunded', 'resolved'
  )),
  payer_sealed text,
  transaction_hash text,
  payment_id text,
  rule text check (rule in ('quote', 'text', 'amount')),
  entered_at integer not null,
  completed_at integer,
  tries integer not null,
  due_at integer,
  last_error text,
  created_at integer not null,
  updated_at integer not null,
  version integer not null,
  check ((state = 'assigned') = (payment_id is not null))
) strict, without rowid;

create unique index receipts_partner_ref on receipts (partner, mode, partner_ref);
create index receipts_due on receipts (due_at, id) where due_at is not null;
-- Amounts per currency that wait for a decision.
create index receipts_unmatched on receipts (currency, id)
  where state = 'waiting' and entry_end = 'completed';
create index receipts_waiting on receipts (id)
  where state = 'waiting' and entry_end in ('open', 'completed');

create table receipt_lines (
  posting_id text not null,
  line_number integer not null,
  receipt_id text not null,
  kind text not null,
  account text not null check (account in ('buyer', 'suspense', 'adjustments')),
  amount_minor integer not null check (amount_minor <> 0),
  currency text not null,
  posted_at integer not null,
  primary key (posting_id, line_number)
) strict, without rowid;

create index receipt_lines_of_receipt on receipt_lines (receipt_id, posting_id, line_number);

create trigger receipt_lines_keep_update before update on receipt_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger receipt_lines_keep_delete before delete on receipt_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger receipt_lines_keep_insert before insert on receipt_lines
when exists (
  select 1 from receipt_lines
  where posting_id = new.posting_id and line_number = new.line_number
)
begin
  select raise(abort, 'the ledger is append-only');
end;

-- How far the partner's books were read.
create table statement_scans (
  partner text not null,
  mode text not null check (mode in ('test', 'live')),
  since_at integer not null,
  page_cursor text,
  began_at integer not null,
  completed_at integer,
  tries integer not null,
  due_at integer not null,
  last_error text,
  version integer not null,
  primary key (partner, mode)
) strict, without rowid;

-- What a receipt is compared with.
create index quotes_partner_quote_id on quotes (mode, partner_quote_id);
create index payments_awaiting_money on payments (org_id, mode, seller_external_id, id)
  where status = 'on_ramp_pending';
create index connected_accounts_partner_ref on connected_accounts (mode, partner_ref)
  where partner_ref is not null;
create index organization_profiles_partner_ref on organization_profiles (mode, partner_ref)
  where partner_ref is not null;
create index partner_commands_in_flight on partner_commands (mode, id)
  where kind = 'payin' and partner_ref is null and last_sent_at is not null
    and state in ('pending', 'sent', 'unknown', 'denied');

-- Decisions: what operators propose and confirm about money.
create table money_decisions (
  id text not null primary key,
  org_id text,
  mode text not null check (mode in ('test', 'live')),
  item_id text not null,
  number integer not null,
  action text not null,
  evidence text,
  basis text not null,
  state text not null check (state in ('proposed', 'done', 'replaced', 'void')),
  proposed_by text not null,
  proposed_at integer not null,
  ended_by text,
  ended_at integer,
  version integer not null
) strict;
create unique index money_decisions_of_item on money_decisions (item_id, number);
-- The queues of operators: few rows of each are in them.
create index funds_received on funds (payment_id) where position = 'received';
create index partner_commands_owed on partner_commands (id)
  where kind = 'refund' and review is null and state <> 'void'
    and (state <> 'done' or order_end <> 'completed');
create index partner_commands_out_of_sight on partner_commands (id)
  where review is not null or (kind = 'payout' and state = 'done' and order_end = 'failed');

-- Payments: their purpose.
alter table payments add column purpose text;
-- The latest quote that was refused because of a limit of the payee.
alter table payments add column limit_hit text;
-- What operators overruled is not applied when the partner repeats it.
alter table partner_commands add column overruled text;
-- Of an order without an end: since when the partner checks its money, and the alert.
alter table partner_commands add column held_since integer;
alter table partner_commands add column late_at integer;

-- Parties: what the partner requires of them.
alter table connected_accounts add column corrections text;
alter table connected_accounts add column answer_by integer;
alter table connected_accounts add column answer_alerted_at integer;
alter table organization_profiles add column corrections text;
alter table organization_profiles add column answer_by integer;
alter table organization_profiles add column answer_alerted_at integer;
alter table kyc_submissions add column answer_by integer;
alter table kyc_submissions add column answer_alerted_at integer;

-- Mails: sign-ins are numbered per organization, as mails_numbered has them.
drop index mails_sign_ins;
