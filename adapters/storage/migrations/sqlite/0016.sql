-- Nothing long-lived depends on a secret key any more, so a key can be retired.
--
-- Each document URL carries a random token; the hash is stored here. Documents created before this
-- migration have no tokens, so their URLs stop working.
alter table documents add column upload_token_hash text not null default '';
alter table documents add column read_token_hash text not null default '';

-- Keys that the service generates for itself, sealed. One key per purpose is current. A rotated
-- session key stays valid until the last session it signed expires.
create table service_keys (
  id text not null primary key,
  purpose text not null check (purpose in ('session', 'partner')),
  sealed text not null,
  created_at integer not null,
  expires_at integer,
  version integer not null
) strict, without rowid;

create unique index service_keys_current on service_keys (purpose) where expires_at is null;

-- A batch that seals under a key requires that key to be in use.
alter table key_canaries add column state text not null default 'in_use'
  check (state in ('in_use', 'retiring'));
alter table key_canaries add column version integer not null default 1;
