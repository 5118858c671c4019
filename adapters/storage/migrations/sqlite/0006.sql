-- The partner's books: pay-ins and payouts are read, what is new often, what has ended for months.
-- Receipts are read with them.

create table book_readings (
  partner text not null,
  mode text not null check (mode in ('test', 'live')),
  book text not null check (book in ('payin', 'payout')),
  span text not null check (span in ('recent', 'watched', 'complete')),
  from_at integer not null,
  since_at integer not null,
  page_cursor text,
  began_at integer not null,
  completed_at integer,
  tries integer not null,
  due_at integer not null,
  last_error text,
  version integer not null,
  primary key (partner, mode, book, span)
) strict, without rowid;

-- The first complete reading begins with the first command, the others where the scan was.
insert into book_readings
  select s.partner, s.mode, b.book, p.span, min(s.since_at, coalesce(c.first_at, s.since_at)),
    case p.span when 'complete' then min(s.since_at, coalesce(c.first_at, s.since_at))
      else s.since_at end,
    null, s.began_at, null, 0, s.began_at, null, 1
  from statement_scans s
  cross join (select 'payin' as book union all select 'payout') b
  cross join (
    select 'recent' as span union all select 'watched' union all select 'complete'
  ) p
  left join (select mode, min(created_at) as first_at from partner_commands group by mode) c
    on c.mode = s.mode;

-- As on PostgreSQL, where hosts of the version before still have scans and polls of receipts: a
-- later release removes them. A row is written without its polls.
alter table receipts rename column tries to former_tries;
alter table receipts add column tries integer not null default 0;
alter table receipts drop column former_tries;
