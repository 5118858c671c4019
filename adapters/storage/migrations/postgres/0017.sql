-- People who run commands, each with the public half of a key.
create table operators (
  id text collate "C" not null primary key,
  name text collate "C" not null,
  public_key text collate "C" not null,
  number integer not null,
  created_by text collate "C",
  created_at timestamptz not null,
  removed_by text collate "C",
  removed_at timestamptz,
  signed_at timestamptz not null,
  version integer not null
);

create unique index operators_number on operators (number);
create unique index operators_public_key on operators (public_key);
create unique index operators_name on operators (name) where removed_at is null;
