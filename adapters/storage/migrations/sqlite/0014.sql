-- Mails without a link: a notice that a PIX destination was changed, of a seller or (no account) of
-- the organization itself. SQLite changes no check in place, so the table is made anew.
create table mails_next (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  purpose text not null check (purpose in ('invitation', 'sign_in', 'payout_changed')),
  payment_id text,
  account_id text,
  to_address text not null,
  to_key text not null,
  nth integer,
  token_hash text,
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
  -- Something is to be done, and the token of a link is kept for it, exactly while it is pending.
  check ((status = 'pending') = (due_at is not null)),
  check ((status = 'pending' and token_hash is not null) = (token_sealed is not null)),
  -- A link is about a payment, a notice is not.
  check ((token_hash is null) = (payment_id is null))
) strict, without rowid;

insert into mails_next (
  org_id, mode, id, purpose, payment_id, to_address, to_key, nth, token_hash, token_sealed,
  link_ends_at, link_used_at, status, tries, due_at, lease_token, last_error, sent_at, created_at,
  version
) select
  org_id, mode, id, purpose, payment_id, to_address, to_key, nth, token_hash, token_sealed,
  link_ends_at, link_used_at, status, tries, due_at, lease_token, last_error, sent_at, created_at,
  version
from mails;

drop table mails;
alter table mails_next rename to mails;

create unique index mails_token_hash on mails (token_hash);
-- Each mail to an address has a number among those of its purpose: sign-ins over all organizations,
-- because anybody can ask for one, the others within their organization. Two batches at once do not
-- both get the last number.
create unique index mails_sign_ins on mails (mode, to_key, nth)
  where nth is not null and purpose = 'sign_in';
create unique index mails_numbered on mails (org_id, mode, to_key, purpose, nth)
  where nth is not null;
create index mails_due on mails (due_at) where due_at is not null;
create index mails_leased on mails (due_at) where lease_token is not null;
create index mails_id on mails (id);
create index mails_of_status on mails (status, id);
