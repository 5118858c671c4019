-- Invoices: what they have besides other payments, and the index of their list; and the mails that
-- buyers get, each with the link in it. A link's token lies here as a hash, and sealed until the
-- mail has ended.

alter table payments add column number text;
alter table payments add column due_date text;
alter table payments add column created_by_member_id text;
alter table payments add column approved_by_member_id text;
alter table payments add column invited_at integer;

-- An index of invoices alone costs intents nothing.
create index payments_invoices on payments (org_id, mode, id) where origin = 'invoice';
create index payments_invoices_of_status on payments (org_id, mode, status, id)
  where origin = 'invoice';

create table mails (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  purpose text not null check (purpose in ('invitation', 'sign_in')),
  payment_id text not null,
  to_address text not null,
  to_key text not null,
  nth integer,
  token_hash text not null,
  token_sealed text,
  link_ends_at integer not null,
  link_used_at integer,
  status text not null check (status in ('pending', 'sent', 'refused', 'dropped')),
  tries integer not null,
  due_at integer,
  lease_token text,
  last_error text,
  sent_at integer,
  created_at integer not null,
  version integer not null,
  primary key (org_id, mode, id),
  -- Something is to be done, and the token is kept for it, exactly while it is pending.
  check ((status = 'pending') = (due_at is not null)),
  check ((status = 'pending') = (token_sealed is not null))
) strict, without rowid;

create unique index mails_token_hash on mails (token_hash);
-- The numbers of an address' sign-in mails: two requests at once do not both get the last place.
create unique index mails_of_address on mails (mode, to_key, nth) where nth is not null;
create index mails_due on mails (due_at) where due_at is not null;
create index mails_leased on mails (due_at) where lease_token is not null;
create index mails_id on mails (id);
create index mails_of_status on mails (status, id);
