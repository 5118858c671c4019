-- Sessions of members: their tokens name them. Those of the dashboard have a cookie as well.
create table member_sessions (
  org_id text collate "C" not null,
  id text collate "C" not null,
  member_id text collate "C" not null,
  created_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz,
  -- Both null for a session without a cookie.
  token_hash text collate "C",
  seen_at timestamptz,
  version integer not null,
  primary key (org_id, id),
  check ((token_hash is null) = (seen_at is null))
);

create index member_sessions_of_member on member_sessions (org_id, member_id, id);
create index member_sessions_created on member_sessions (created_at);
create unique index member_sessions_token on member_sessions (token_hash)
  where token_hash is not null;

-- A person may be a member of several organizations.
create index members_of_address on members (email_key, id) where removed_at is null;

-- A link may sign a member in, or open the approval of a payment.
alter table mails add column member_id text collate "C";
alter table mails add column approval_payment_id text collate "C";
alter table mails drop constraint mails_check2;
alter table mails add check (
  token_hash is null or payment_id is not null or approval_payment_id is not null
    or submission_id is not null or member_id is not null
);
create index mails_of_member on mails (org_id, mode, member_id) where member_id is not null;
create index mails_of_approval on mails (org_id, mode, approval_payment_id)
  where approval_payment_id is not null;

-- Money of buyers by day.
create index if not exists ledger_lines_of_buyers on ledger_lines (org_id, mode, posted_at)
  where account = 'buyer';
