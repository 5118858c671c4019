-- What a secret key that is taken out of use must not open any more, and what must outlast it.
--
-- The URLs of a document carry a random token each, of which a hash lies here. A document of before
-- has none: its URLs end, and its bytes are uploaded anew.
alter table documents add column upload_token_hash text not null default '';
alter table documents add column read_token_hash text not null default '';

-- Keys that the service makes for itself, sealed: sessions are signed by one, so that whoever has a
-- secret key alone signs none. One of each purpose is in use; a session key that was replaced
-- counts until the last session that it signed has ended.
create table service_keys (
  id text collate "C" not null primary key,
  purpose text not null check (purpose in ('session', 'partner')),
  sealed text not null,
  created_at timestamptz not null,
  ends_at timestamptz,
  version integer not null
);

create unique index service_keys_current on service_keys (purpose) where ends_at is null;

-- Whether a secret key is being taken out of use: a batch that it seals relies on the row that says
-- it is not.
alter table key_canaries add column state text not null default 'in_use'
  check (state in ('in_use', 'retiring'));
alter table key_canaries add column version integer not null default 1;
