-- Members of organizations, the terms that an organization accepted, and the order that carries its
-- own KYB to the partner. Another kind of order needs the table of orders anew: SQLite changes no
-- check in place.

create table members (
  org_id text not null,
  id text not null,
  email text not null,
  email_key text not null,
  role text not null check (role in ('owner', 'admin', 'finance', 'viewer')),
  removed_at integer,
  created_at integer not null,
  version integer not null,
  primary key (org_id, id)
) strict, without rowid;

create unique index members_email on members (org_id, email_key) where removed_at is null;

alter table organization_profiles add column kyb_command_id text;
alter table organization_profiles add column tos_id text;
alter table organization_profiles add column tos_accepted_at integer;
-- One that was being verified has no order: it is submitted anew.
update organization_profiles set kyb_status = null where kyb_status = 'verifying';

create table partner_commands_next (
  id text not null primary key,
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  kind text not null check (kind in (
    'submit_organization', 'submit_buyer', 'submit_account', 'provision_rails', 'payin', 'payout',
    'refund'
  )),
  payment_id text,
  submission_id text,
  account_id text,
  amount_minor integer,
  currency text,
  state text not null check (state in ('pending', 'sent', 'unknown', 'done', 'refused', 'void')),
  request text,
  partner_ref text,
  order_end text not null check (order_end in ('open', 'completed', 'failed', 'returned')),
  tries integer not null,
  first_sent_at integer,
  due_at integer,
  lease_token text,
  last_error text,
  created_at integer not null,
  updated_at integer not null,
  version integer not null
) strict, without rowid;

insert into partner_commands_next (
  id, org_id, mode, kind, payment_id, submission_id, account_id, amount_minor, currency, state,
  request, partner_ref, order_end, tries, first_sent_at, due_at, lease_token, last_error,
  created_at, updated_at, version
) select
  id, org_id, mode, kind, payment_id, submission_id, account_id, amount_minor, currency, state,
  request, partner_ref, order_end, tries, first_sent_at, due_at, lease_token, last_error,
  created_at, updated_at, version
from partner_commands;

drop table partner_commands;
alter table partner_commands_next rename to partner_commands;

create index partner_commands_due on partner_commands (due_at) where due_at is not null;
create index partner_commands_partner_ref on partner_commands (mode, kind, partner_ref)
  where partner_ref is not null;
create index partner_commands_of_payment on partner_commands (org_id, mode, payment_id);
create index partner_commands_newest on partner_commands (created_at, id);
create index partner_commands_stuck on partner_commands (created_at, id)
  where due_at is null and (state = 'unknown' or (kind = 'refund' and state = 'refused'));
