-- People who run commands, each with the public half of a key.
create table operators (
  id text not null primary key,
  name text not null,
  public_key text not null,
  number integer not null,
  created_by text,
  created_at integer not null,
  removed_by text,
  removed_at integer,
  signed_at integer not null,
  version integer not null
) strict, without rowid;

create unique index operators_number on operators (number);
create unique index operators_public_key on operators (public_key);
create unique index operators_name on operators (name) where removed_at is null;
