-- Sessions of members: their tokens name them.
create table member_sessions (
  org_id text collate "C" not null,
  id text collate "C" not null,
  member_id text collate "C" not null,
  created_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  version integer not null,
  primary key (org_id, id)
);

create index member_sessions_open on member_sessions (org_id, member_id, id) where ended_at is null;
create index member_sessions_created on member_sessions (created_at);
