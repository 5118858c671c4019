-- The audit log is the feed of the service: its events are neither changed nor removed.
create trigger events_keep_audit_update before update on events
when old.org_id = 'service'
begin
  select raise(abort, 'the audit log is append-only');
end;
create trigger events_keep_audit_delete before delete on events
when old.org_id = 'service'
begin
  select raise(abort, 'the audit log is append-only');
end;
-- A replaced row is not deleted.
create trigger events_keep_audit_insert before insert on events
when new.org_id = 'service' and exists (
  select 1 from events
  where org_id = new.org_id and mode = new.mode and (id = new.id or sequence = new.sequence)
)
begin
  select raise(abort, 'the audit log is append-only');
end;

-- A search in the dashboard: by the address of the buyer, an amount, or the number of an invoice.
create index if not exists payments_of_amount
  on payments (org_id, mode, origin, amount_minor, currency, id);
create index if not exists payments_of_number on payments (org_id, mode, number, id)
  where number is not null;
