-- A changed PIX destination that is held: until then new payments use destination_ref.
alter table organization_profiles add column held_ref text collate "C";
alter table organization_profiles add column held_until timestamptz;
alter table organization_profiles add column payout_hold_hours integer not null default 24
  check (payout_hold_hours between 0 and 72);
alter table connected_accounts add column held_ref text collate "C";
alter table connected_accounts add column held_until timestamptz;

create table destination_changes (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  account_id text collate "C",
  from_ref text collate "C",
  to_ref text collate "C" not null,
  pix_key_shown text not null,
  changed_by text collate "C" not null,
  created_at timestamptz not null,
  effective_at timestamptz not null,
  stopped_at timestamptz,
  replaced_at timestamptz,
  version integer not null,
  primary key (org_id, mode, id)
);

create unique index destination_changes_id on destination_changes (id);
create index destination_changes_of_account on destination_changes (org_id, mode, account_id, id);

-- Scopes that were part of another one when the key was created; it keeps them.
alter table api_keys add column kept_scopes text not null default '[]';
update api_keys set kept_scopes = '["payouts:write"]'
  where revoked_at is null and scopes like '%"connected_accounts:write"%';
