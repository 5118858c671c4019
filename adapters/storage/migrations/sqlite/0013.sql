-- Sessions of members: their tokens name them.
create table member_sessions (
  org_id text not null,
  id text not null,
  member_id text not null,
  created_at integer not null,
  ends_at integer not null,
  ended_at integer,
  version integer not null,
  primary key (org_id, id)
) strict, without rowid;

create index member_sessions_open on member_sessions (org_id, member_id, id) where ended_at is null;
create index member_sessions_created on member_sessions (created_at);
