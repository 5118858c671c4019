-- The partner's books: pay-ins and payouts are read, what is new often, what has ended for months.
-- Receipts are read with them.

create table book_readings (
  partner text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  book text collate "C" not null check (book in ('payin', 'payout')),
  span text collate "C" not null check (span in ('recent', 'watched', 'complete')),
  from_at timestamptz not null,
  since_at timestamptz not null,
  page_cursor text,
  began_at timestamptz not null,
  completed_at timestamptz,
  tries integer not null,
  due_at timestamptz not null,
  last_error text,
  version integer not null,
  primary key (partner, mode, book, span)
);

-- The first complete reading begins with the first command, the others where the scan was.
insert into book_readings
  select s.partner, s.mode, b.book, p.span, least(s.since_at, c.first_at),
    case p.span when 'complete' then least(s.since_at, c.first_at) else s.since_at end,
    null, s.began_at, null, 0, s.began_at, null, 1
  from statement_scans s
  cross join (values ('payin'), ('payout')) b (book)
  cross join (values ('recent'), ('watched'), ('complete')) p (span)
  left join (select mode, min(created_at) as first_at from partner_commands group by mode) c
    on c.mode = s.mode;

-- Hosts of the version before still have scans and polls of receipts: a later release removes them.
alter table receipts alter column tries set default 0;
