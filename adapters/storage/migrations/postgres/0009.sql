-- The operator's own bank is an account of the ledger.
alter table ledger_lines drop constraint ledger_lines_account_check;
alter table ledger_lines add constraint ledger_lines_account_check check (account in (
  'buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds', 'losses', 'operator'
));

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
