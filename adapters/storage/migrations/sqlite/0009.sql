-- The operator's own bank is an account of the ledger.
create table ledger_lines_next (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  posting_id text not null,
  line_number integer not null,
  payment_id text not null,
  kind text not null,
  account text not null check (account in (
    'buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds', 'losses', 'operator'
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

-- A refund that an operator paid by hand left the money with the partner.
insert into ledger_lines (org_id, mode, posting_id, line_number, payment_id, kind, account,
    amount_minor, currency, posted_at)
  select c.org_id, c.mode, 'pst_hand_' || c.id, l.line_number, c.payment_id, 'refund_by_hand',
    l.account, l.sign * c.amount_minor, c.currency, c.updated_at
  from partner_commands c
  cross join (
    select 1 as line_number, 'operator' as account, -1 as sign
    union all select 2, 'partner_float', 1
  ) l
  where c.kind = 'refund' and c.state = 'done' and c.command_end = 'completed'
    and c.partner_ref is null and c.last_sent_at is null;
