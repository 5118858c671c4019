-- The member (its id) or operator ('operator') who created a key.
alter table api_keys add column created_by text;

alter table organization_profiles add column intents_need_approval integer not null default 0
  check (intents_need_approval in (0, 1));

-- The owner who kept the key when its creator was removed.
alter table api_keys add column kept_by text;
alter table api_keys add column expires_at integer;
alter table api_keys add column networks text not null default '[]';
alter table api_keys add column used_scopes text not null default '[]';
