-- Connected accounts: an integrator's own clients, verified at the partner. Lists run newest first
-- along the ids, which sort by time of creation, with an index for each choice of filters.

create table connected_accounts (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  external_id text,
  role text not null check (role in ('seller', 'buyer')),
  entity_type text not null check (entity_type in ('business', 'individual')),
  status text not null check (status in ('created', 'verifying', 'approved', 'rejected')),
  receiver_id text,
  submit_command_id text,
  partner_ref text,
  email text,
  email_key text,
  legal_name text,
  display_name text,
  country text,
  tax_id_sealed text,
  tax_id_last4 text,
  tos_session_key text,
  tos_id text,
  destination_ref text,
  rails_command_id text,
  rails_ref text,
  ready_at integer,
  reason text,
  approved_at integer,
  rejected_at integer,
  created_at integer not null,
  updated_at integer not null,
  version integer not null,
  primary key (org_id, mode, id)
) strict, without rowid;

create unique index connected_accounts_external_id
  on connected_accounts (org_id, mode, external_id) where external_id is not null;
create index connected_accounts_of_role on connected_accounts (org_id, mode, role, id);
create index connected_accounts_of_status on connected_accounts (org_id, mode, status, id);
create index connected_accounts_of_both on connected_accounts (org_id, mode, role, status, id);
create index connected_accounts_of_buyer on connected_accounts (org_id, mode, email_key, id)
  where role = 'buyer' and status in ('verifying', 'approved');
