-- The owner who kept the key when its creator was removed.
alter table api_keys add column kept_by text;
alter table api_keys add column expires_at integer;
alter table api_keys add column rolled_at integer;
alter table api_keys add column networks text not null default '[]';
alter table api_keys add column used_scopes text not null default '[]';
