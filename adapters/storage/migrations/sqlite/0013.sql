-- Money counts per pay-in, orders have references of their own, and a loss is a number. Stop the
-- server of the version before: it would write money without saying which pay-in brought it.

alter table payments add column settled_fees_minor integer;
update payments set settled_fees_minor = coalesce((
  select sum(l.amount_minor) from ledger_lines l
  where l.org_id = payments.org_id and l.mode = payments.mode and l.payment_id = payments.id
    and l.account = 'fees'
), 0) where settled_minor is not null;

create table partner_commands_next (
  id text not null primary key,
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  reference text not null,
  kind text not null check (kind in (
    'submit_organization', 'submit_buyer', 'submit_account', 'provision_rails', 'payin', 'payout',
    'refund'
  )),
  payment_id text,
  submission_id text,
  account_id text,
  amount_minor integer,
  currency text,
  payin_id text,
  state text not null check (state in (
    'pending', 'sent', 'unknown', 'denied', 'done', 'refused', 'void'
  )),
  request text,
  partner_ref text,
  order_end text not null check (order_end in ('open', 'completed', 'failed', 'returned')),
  received_minor integer not null check (received_minor >= 0),
  confirmed_minor integer not null check (confirmed_minor >= 0),
  refusal text,
  review text,
  tries integer not null,
  first_sent_at integer,
  due_at integer,
  lease_token text,
  last_error text,
  created_at integer not null,
  updated_at integer not null,
  version integer not null
) strict, without rowid;

-- What was received came by the newest pay-in that the partner has; what it confirmed is not known,
-- but that a payment which went on had all of it.
insert into partner_commands_next (
  id, org_id, mode, reference, kind, payment_id, submission_id, account_id, amount_minor, currency,
  payin_id, state, request, partner_ref, order_end, received_minor, confirmed_minor, refusal,
  review, tries, first_sent_at, due_at, lease_token, last_error, created_at, updated_at, version
) select
  id, org_id, mode, id, kind, payment_id, submission_id, account_id, amount_minor, currency,
  case when kind = 'refund' then (
    select max(p.id) from partner_commands p
    where p.org_id = c.org_id and p.mode = c.mode and p.payment_id = c.payment_id
      and p.kind = 'payin' and p.partner_ref is not null
  ) end,
  -- A lost order is looked up again; a refund that was paid after all is done.
  case when state = 'refused' and order_end = 'completed' then 'done' else state end,
  request, partner_ref, order_end,
  coalesce((
    select f.received_minor from funds f
    where c.kind = 'payin' and f.org_id = c.org_id and f.mode = c.mode
      and f.payment_id = c.payment_id and c.id = (
        select max(p.id) from partner_commands p
        where p.org_id = c.org_id and p.mode = c.mode and p.payment_id = c.payment_id
          and p.kind = 'payin' and p.partner_ref is not null
      )
  ), 0),
  case when kind = 'payin' and order_end = 'completed' then coalesce(amount_minor, 0) else 0 end,
  case when state = 'refused' and instr(last_error, ':') > 0
    then substr(last_error, 1, instr(last_error, ':') - 1) end,
  null, tries,
  -- In doubt, it was called again until it changed last.
  case when state = 'unknown' then updated_at else first_sent_at end,
  case when state = 'unknown' and due_at is null then updated_at else due_at end,
  lease_token, last_error, created_at, updated_at, version
from partner_commands c;

drop table partner_commands;
alter table partner_commands_next rename to partner_commands;

create unique index partner_commands_reference on partner_commands (mode, reference);
create index partner_commands_due on partner_commands (due_at) where due_at is not null;
create index partner_commands_partner_ref on partner_commands (mode, kind, partner_ref)
  where partner_ref is not null;
create index partner_commands_of_payment on partner_commands (org_id, mode, payment_id);
create index partner_commands_newest on partner_commands (created_at, id);
create index partner_commands_stuck on partner_commands (created_at, id)
  where review is not null or (kind = 'refund' and state = 'refused')
    or (state not in ('refused', 'void') and (state <> 'done' or order_end = 'open')
      and last_error is not null and tries >= 20);

-- SQLite changes no check in place: funds and ledger lines are made anew.
create table funds_next (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  payment_id text not null,
  currency text not null,
  position text not null check (position in (
    'none', 'expected', 'received', 'payout_ordered', 'paid', 'handed_back', 'operator'
  )),
  refund text not null check (refund in (
    'none', 'refund_owed', 'refund_ordered', 'refunded', 'operator'
  )),
  received_minor integer not null check (received_minor >= 0),
  payout_minor integer not null check (payout_minor >= 0),
  refund_owed_minor integer not null check (refund_owed_minor >= 0),
  refund_ordered_minor integer not null check (refund_ordered_minor >= 0),
  refunded_minor integer not null check (refunded_minor >= 0),
  loss_minor integer not null check (loss_minor >= 0),
  version integer not null,
  primary key (org_id, mode, payment_id),
  -- What left beyond what was received is a loss.
  check (
    received_minor + loss_minor
      >= payout_minor + refund_owed_minor + refund_ordered_minor + refunded_minor
  )
) strict, without rowid;

insert into funds_next (
  org_id, mode, payment_id, currency, position, refund, received_minor, payout_minor,
  refund_owed_minor, refund_ordered_minor, refunded_minor, loss_minor, version
) select
  org_id, mode, payment_id, currency,
  -- A lost payout is in doubt again: it counts as ordered.
  case when position = 'operator' and exists (
    select 1 from partner_commands p
    where p.org_id = f.org_id and p.mode = f.mode and p.payment_id = f.payment_id
      and p.kind = 'payout' and p.state in ('sent', 'unknown')
  ) then 'payout_ordered' else position end,
  refund, received_minor, payout_minor,
  refund_owed_minor, refund_ordered_minor, refunded_minor, 0, version
from funds f;

drop table funds;
alter table funds_next rename to funds;
create index funds_open on funds (payment_id)
  where refund_owed_minor + refund_ordered_minor > 0 or loss_minor > 0
    or position = 'operator' or refund = 'operator';

create table ledger_lines_next (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  posting_id text not null,
  line_number integer not null,
  payment_id text not null,
  kind text not null,
  account text not null check (account in (
    'buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds', 'losses'
  )),
  amount_minor integer not null check (amount_minor <> 0),
  currency text not null,
  posted_at integer not null,
  primary key (org_id, mode, posting_id, line_number)
) strict, without rowid;

insert into ledger_lines_next (
  org_id, mode, posting_id, line_number, payment_id, kind, account, amount_minor, currency,
  posted_at
) select
  org_id, mode, posting_id, line_number, payment_id, kind, account, amount_minor, currency,
  posted_at
from ledger_lines;

drop table ledger_lines;
alter table ledger_lines_next rename to ledger_lines;
create index ledger_lines_of_payment on ledger_lines (org_id, mode, payment_id);

create trigger ledger_lines_keep_update before update on ledger_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_lines_keep_delete before delete on ledger_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

-- `insert or replace` would delete a line without asking the trigger above.
create trigger ledger_lines_keep_insert before insert on ledger_lines
when exists (
  select 1 from ledger_lines
  where org_id = new.org_id and mode = new.mode and posting_id = new.posting_id
    and line_number = new.line_number
)
begin
  select raise(abort, 'the ledger is append-only');
end;
