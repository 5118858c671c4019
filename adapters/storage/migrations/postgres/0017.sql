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

-- Links to the console of operators, each with the session that it opened.
create table operator_sessions (
  id text collate "C" not null primary key,
  operator_id text collate "C" not null,
  -- The command that asked for the link; null on a development host without operators.
  signed text,
  link_hash text collate "C" not null,
  link_ends_at timestamptz not null,
  created_at timestamptz not null,
  -- Null until the link is opened.
  token_hash text collate "C",
  opened_at timestamptz,
  seen_at timestamptz,
  ends_at timestamptz not null,
  ended_at timestamptz,
  version integer not null,
  check ((token_hash is null) = (opened_at is null)),
  check ((token_hash is null) = (seen_at is null))
);

create unique index operator_sessions_link on operator_sessions (link_hash);
create unique index operator_sessions_token on operator_sessions (token_hash)
  where token_hash is not null;
-- One link or session at a time.
create unique index operator_sessions_open on operator_sessions (operator_id)
  where ended_at is null;
create index operator_sessions_created on operator_sessions (created_at);

-- What operators propose, and confirm. An open proposal of before names nobody who is registered.
create table proposals (
  id text collate "C" not null primary key,
  org_id text collate "C",
  mode text collate "C" not null check (mode in ('test', 'live')),
  item_id text collate "C" not null,
  number integer not null,
  action text not null,
  evidence text,
  basis text not null,
  state text collate "C" not null
    check (state in ('proposed', 'done', 'replaced', 'withdrawn', 'void')),
  proposed_by_id text collate "C" not null,
  proposed_by text not null,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  ended_by_id text collate "C",
  ended_by text,
  ended_at timestamptz,
  version integer not null
);

create unique index proposals_of_item on proposals (item_id, number);

insert into proposals
  select id, org_id, mode, item_id, number, action, evidence, basis,
    case state when 'proposed' then 'void' else state end, 'unknown', proposed_by, proposed_at,
    proposed_at, 'unknown', coalesce(ended_by, proposed_by), coalesce(ended_at, proposed_at),
    version
  from money_decisions;
