-- Postings of receipts become lines of the ledger: payment_id is the id of the receipt, and they
-- have no organization. receipt_lines is unused; a later release removes it.
alter table ledger_lines drop constraint ledger_lines_account_check;
alter table ledger_lines add constraint ledger_lines_account_check check (account in (
  'buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds', 'losses', 'operator',
  'suspense', 'adjustments', 'write_offs'
));

-- Of one posting, or of all. A receipt that an operator refunded by hand left its money with the
-- partner.
create function ponte_lines_of_receipts(only_posting text) returns setof ledger_lines
language sql stable as $$
  select ''::text collate "C", r.mode, l.posting_id, l.line_number + also.step, l.receipt_id,
    case l.kind
      when 'received' then 'funds_received' when 'corrected' then 'funds_corrected'
      when 'assigned' then 'deposit_assigned' when 'refunded' then 'refund_by_hand'
      when 'resolved' then 'deposit_resolved' else l.kind
    end,
    coalesce(also.account, l.account), also.sign * l.amount_minor, l.currency, l.posted_at
  from receipt_lines l
  join receipts r on r.id = l.receipt_id
  cross join (values (0, null, 1), (2, 'adjustments', -1), (3, 'operator', 1))
    also (step, account, sign)
  where (only_posting is null or l.posting_id = only_posting)
    and (also.step = 0 or (l.kind = 'refunded' and l.account = 'suspense'))
$$;

insert into ledger_lines select * from ponte_lines_of_receipts(null);

-- Hosts of the version before still post to receipt_lines. They insert the receipt after its lines.
create function ponte_posts_receipt() returns trigger
language plpgsql as $$
begin
  insert into ledger_lines select * from ponte_lines_of_receipts(new.posting_id)
    on conflict do nothing;
  return null;
end
$$;

create constraint trigger receipt_lines_post after insert on receipt_lines
  deferrable initially deferred for each row execute function ponte_posts_receipt();

-- Operators write losses off.
alter table funds add column written_off_minor bigint not null default 0
  check (written_off_minor >= 0);
