-- Money counts per pay-in, orders have references of their own, and a loss is a number. Stop all
-- hosts of the version before: they would write money without saying which pay-in brought it.

alter table payments add column settled_fees_minor bigint;
update payments set settled_fees_minor = coalesce((
  select sum(l.amount_minor) from ledger_lines l
  where l.org_id = payments.org_id and l.mode = payments.mode and l.payment_id = payments.id
    and l.account = 'fees'
), 0) where settled_minor is not null;

alter table partner_commands
  add column reference text collate "C",
  add column payin_id text collate "C",
  add column received_minor bigint not null default 0 check (received_minor >= 0),
  add column confirmed_minor bigint not null default 0 check (confirmed_minor >= 0),
  add column refusal text,
  add column review text,
  drop constraint partner_commands_state_check,
  add constraint partner_commands_state_check check (state in (
    'pending', 'sent', 'unknown', 'denied', 'done', 'refused', 'void'
  ));

-- What was received came by the newest pay-in that the partner has; what it confirmed is not known,
-- but that a payment which went on had all of it.
update partner_commands c set
  reference = id,
  payin_id = case when kind = 'refund' then (
    select max(p.id) from partner_commands p
    where p.org_id = c.org_id and p.mode = c.mode and p.payment_id = c.payment_id
      and p.kind = 'payin' and p.partner_ref is not null
  ) end,
  -- A lost order is looked up again; a refund that was paid after all is done.
  state = case when state = 'refused' and order_end = 'completed' then 'done' else state end,
  received_minor = coalesce((
    select f.received_minor from funds f
    where c.kind = 'payin' and f.org_id = c.org_id and f.mode = c.mode
      and f.payment_id = c.payment_id and c.id = (
        select max(p.id) from partner_commands p
        where p.org_id = c.org_id and p.mode = c.mode and p.payment_id = c.payment_id
          and p.kind = 'payin' and p.partner_ref is not null
      )
  ), 0),
  confirmed_minor =
    case when kind = 'payin' and order_end = 'completed' then coalesce(amount_minor, 0) else 0 end,
  refusal = case when state = 'refused' and strpos(last_error, ':') > 0
    then left(last_error, strpos(last_error, ':') - 1) end,
  -- In doubt, it was called again until it changed last.
  first_sent_at = case when state = 'unknown' then updated_at else first_sent_at end,
  due_at = case when state = 'unknown' and due_at is null then updated_at else due_at end;

alter table partner_commands
  alter column reference set not null,
  alter column received_minor drop default,
  alter column confirmed_minor drop default;

create unique index partner_commands_reference on partner_commands (mode, reference);
drop index partner_commands_stuck;
create index partner_commands_stuck on partner_commands (created_at, id)
  where review is not null or (kind = 'refund' and state = 'refused')
    or (state not in ('refused', 'void') and (state <> 'done' or order_end = 'open')
      and last_error is not null and tries >= 20);

alter table funds
  add column loss_minor bigint not null default 0 check (loss_minor >= 0),
  drop constraint funds_check,
  -- What left beyond what was received is a loss.
  add constraint funds_check check (
    received_minor + loss_minor
      >= payout_minor + refund_owed_minor + refund_ordered_minor + refunded_minor
  );
alter table funds alter column loss_minor drop default;
-- A lost payout is in doubt again: it counts as ordered.
update funds f set position = 'payout_ordered' where position = 'operator' and exists (
  select 1 from partner_commands p
  where p.org_id = f.org_id and p.mode = f.mode and p.payment_id = f.payment_id
    and p.kind = 'payout' and p.state in ('sent', 'unknown')
);
drop index funds_open;
create index funds_open on funds (payment_id)
  where refund_owed_minor + refund_ordered_minor > 0 or loss_minor > 0
    or position = 'operator' or refund = 'operator';

alter table ledger_lines
  drop constraint ledger_lines_account_check,
  add constraint ledger_lines_account_check check (account in (
    'buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds', 'losses'
  ));
