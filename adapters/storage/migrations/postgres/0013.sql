-- The epochs of the database. A restore begins a new one, in quarantine until an operator releases
-- it. Exactly one epoch is not over. `check_progress` is where an interrupted check resumes.
create table epochs (
  number bigint not null primary key check (number > 0),
  cause text not null check (cause in ('made', 'restored', 'timeline')),
  state text not null check (state in ('open', 'quarantine', 'over')),
  began_at timestamptz not null,
  check_progress text,
  checked_at timestamptz,
  released_at timestamptz,
  released_by text,
  forced_because text,
  version integer not null
);

create index epochs_state on epochs (state);

insert into epochs (number, cause, state, began_at, version)
values (1, 'made', 'open', date_trunc('milliseconds', now()), 1);
