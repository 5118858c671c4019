-- The audit log is the feed of the service: its events are neither changed nor removed.
create function ponte_audit_keeps() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end
$$;
create trigger events_keep_audit before update or delete on events
  for each row when (old.org_id = 'service') execute function ponte_audit_keeps();
create trigger events_keep_audit_all before truncate on events
  for each statement execute function ponte_audit_keeps();

-- A search in the dashboard: by the address of the buyer, an amount, or the number of an invoice.
create index if not exists payments_of_amount
  on payments (org_id, mode, origin, amount_minor, currency, id);
create index if not exists payments_of_number on payments (org_id, mode, number, id)
  where number is not null;
