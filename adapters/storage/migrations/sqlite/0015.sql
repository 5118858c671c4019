-- The slots of what a tenant may have so many of. A row that a host of the version before creates
-- has none and is not counted.
alter table subscriptions add column slot integer;
update subscriptions set slot = (
  select count(*) from subscriptions older where older.org_id = subscriptions.org_id
    and older.mode = subscriptions.mode and older.active and older.id < subscriptions.id
) where active;
create unique index subscriptions_slot on subscriptions (org_id, mode, slot)
  where active and slot is not null;

alter table api_keys add column slot integer;
update api_keys set slot = (
  select count(*) from api_keys older where older.org_id = api_keys.org_id
    and older.mode = api_keys.mode and older.revoked_at is null and older.id < api_keys.id
) where revoked_at is null;
create unique index api_keys_slot on api_keys (org_id, mode, slot)
  where revoked_at is null and slot is not null;

-- Documents that are there already have no slot; their uploads are counted from here on.
alter table documents add column uploads integer not null default 0;
alter table documents add column slot integer;
create unique index documents_slot on documents (org_id, mode, owner_party, owner_id, slot)
  where status <> 'purged' and slot is not null;

-- Lists show what is active and the newest of the rest, without reading all of it. The version
-- before sorts what it lists of keys, as long as it runs.
create index subscriptions_active on subscriptions (org_id, mode, id) where active;
create index subscriptions_deleted on subscriptions (org_id, mode, id) where not active;
create index api_keys_active on api_keys (org_id, id) where revoked_at is null;
create index api_keys_revoked on api_keys (org_id, id) where revoked_at is not null;
drop index api_keys_of_organization;

-- Orders about a submission are taken back when it needs none any more. What was sent of a party is
-- kept no longer than until its call is answered.
create index partner_commands_of_submission on partner_commands (org_id, mode, submission_id, id)
  where submission_id is not null;
update partner_commands set request = null
  where payment_id is null and state in ('done', 'refused', 'void');
