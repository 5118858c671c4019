-- Postings of receipts become lines of the ledger: payment_id is the id of the receipt, and they
-- have no organization. receipt_lines is unused; a later release removes it.
create table ledger_lines_next (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  posting_id text not null,
  line_number integer not null,
  payment_id text not null,
  kind text not null,
  account text not null check (account in (
    'buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds', 'losses', 'operator',
    'suspense', 'adjustments', 'write_offs'
  )),
  amount_minor integer not null check (amount_minor <> 0),
  currency text not null,
  posted_at integer not null,
  primary key (org_id, mode, posting_id, line_number)
) strict, without rowid;

insert into ledger_lines_next
  select org_id, mode, posting_id, line_number, payment_id, kind, account, amount_minor, currency,
    posted_at
  from ledger_lines;
drop table ledger_lines;
alter table ledger_lines_next rename to ledger_lines;
create index ledger_lines_of_payment on ledger_lines (org_id, mode, payment_id);

-- A receipt that an operator refunded by hand left its money with the partner.
insert into ledger_lines
  select '', r.mode, l.posting_id, l.line_number + also.step, l.receipt_id,
    case l.kind
      when 'received' then 'funds_received' when 'corrected' then 'funds_corrected'
      when 'assigned' then 'deposit_assigned' when 'refunded' then 'refund_by_hand'
      when 'resolved' then 'deposit_resolved' else l.kind
    end,
    coalesce(also.account, l.account), also.sign * l.amount_minor, l.currency, l.posted_at
  from receipt_lines l
  join receipts r on r.id = l.receipt_id
  cross join (
    select 0 as step, null as account, 1 as sign
    union all select 2, 'adjustments', -1
    union all select 3, 'operator', 1
  ) also
  where also.step = 0 or (l.kind = 'refunded' and l.account = 'suspense');

create trigger ledger_lines_keep_update before update on ledger_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_lines_keep_delete before delete on ledger_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

-- `insert or replace` would delete a line without firing the delete trigger.
create trigger ledger_lines_keep_insert before insert on ledger_lines
when exists (
  select 1 from ledger_lines
  where org_id = new.org_id and mode = new.mode and posting_id = new.posting_id
    and line_number = new.line_number
)
begin
  select raise(abort, 'the ledger is append-only');
end;

-- Operators write losses off.
alter table funds add column written_off_minor integer not null default 0
  check (written_off_minor >= 0);
