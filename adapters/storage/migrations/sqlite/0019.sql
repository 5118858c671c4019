-- Organizations ask for production access, and operators decide.
create table production_requests (
  org_id text not null,
  id text not null,
  requested_by text not null,
  answers text not null,
  state text not null check (state in ('requested', 'granted', 'refused')),
  decided_by text,
  decided_at integer,
  reason text,
  created_at integer not null,
  version integer not null,
  primary key (org_id, id),
  check ((state = 'requested') = (decided_at is null))
) strict, without rowid;

-- One waits at a time.
create unique index production_requests_open on production_requests (org_id)
  where state = 'requested';
create index production_requests_waiting on production_requests (id) where state = 'requested';

-- Buyers of invoices are reminded of the due date, if the organization wants it.
alter table organizations add column sends_reminders integer not null default 0
  check (sends_reminders in (0, 1));
alter table payments add column remind_at integer;
create index payments_to_remind on payments (remind_at, id) where remind_at is not null;
