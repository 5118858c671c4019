-- A changed PIX destination that is held: until then new payments use destination_ref.
alter table organization_profiles add column held_ref text;
alter table organization_profiles add column held_until integer;
alter table organization_profiles add column payout_hold_hours integer not null default 24
  check (payout_hold_hours between 0 and 72);
alter table connected_accounts add column held_ref text;
alter table connected_accounts add column held_until integer;

create table destination_changes (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  account_id text,
  from_ref text,
  to_ref text not null,
  pix_key_shown text not null,
  changed_by text not null,
  created_at integer not null,
  effective_at integer not null,
  stopped_at integer,
  replaced_at integer,
  version integer not null,
  primary key (org_id, mode, id)
) strict, without rowid;

create unique index destination_changes_id on destination_changes (id);
create index destination_changes_of_account on destination_changes (org_id, mode, account_id, id);

-- Scopes that were part of another one when the key was created; it keeps them.
alter table api_keys add column kept_scopes text not null default '[]';
update api_keys set kept_scopes = '["payouts:write"]'
  where revoked_at is null and scopes like '%"connected_accounts:write"%';
