-- Which secret keys have sealed something here: a known text, sealed under each key that was ever
-- the first one. A start with other keys is refused, because nothing would open.

create table key_canaries (
  key_id text not null primary key,
  sealed text not null,
  created_at integer not null
) strict, without rowid;
