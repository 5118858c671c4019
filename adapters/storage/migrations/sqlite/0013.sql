-- Sessions of members: their tokens name them. Those of the dashboard have a cookie as well.
create table member_sessions (
  org_id text not null,
  id text not null,
  member_id text not null,
  created_at integer not null,
  ends_at integer not null,
  ended_at integer,
  -- Both null for a session without a cookie.
  token_hash text,
  seen_at integer,
  version integer not null,
  primary key (org_id, id),
  check ((token_hash is null) = (seen_at is null))
) strict, without rowid;

create index member_sessions_of_member on member_sessions (org_id, member_id, id);
create index member_sessions_created on member_sessions (created_at);
create unique index member_sessions_token on member_sessions (token_hash)
  where token_hash is not null;

-- A person may be a member of several organizations.
create index members_of_address on members (email_key, id) where removed_at is null;

-- A link may sign a member in. SQLite cannot change the checks of a table.
alter table mails rename to mails_before;
create table mails (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  purpose text not null check (purpose in (
    'invitation', 'sign_in', 'owner_link', 'approval_link', 'payout_changed', 'production_decided',
    'kyc_approved', 'kyc_more', 'kyc_rejected', 'approval_given', 'approval_declined',
    'instructions_ready', 'money_short', 'money_received', 'receipt', 'cancelled', 'expired',
    'failed', 'refund_ordered', 'refunded', 'reminder', 'question', 'webhooks_gave_up',
    'passkey_added', 'passkey_removed', 'live_key_created', 'team_changed'
  )),
  payment_id text,
  approval_payment_id text,
  account_id text,
  submission_id text,
  owner_index integer,
  member_id text,
  -- Of a notice. At most one mail has it.
  cause text,
  to_address text not null,
  to_key text not null,
  nth integer,
  locale text not null default 'en' check (locale in ('en', 'pt-BR', 'es')),
  token_hash text,
  token_sealed text,
  code_hash text,
  code_tries integer not null default 0,
  browser_hash text,
  link_ends_at integer not null,
  link_used_at integer,
  status text not null check (status in ('pending', 'sent', 'refused', 'dropped')),
  tries integer not null,
  due_at integer,
  lease_token text,
  last_error text,
  sent_at integer,
  created_at integer not null,
  version integer not null,
  primary key (org_id, mode, id),
  -- Due, with the sealed token of its link, exactly while it is pending.
  check ((status = 'pending') = (due_at is not null)),
  check ((status = 'pending' and token_hash is not null) = (token_sealed is not null)),
  -- A link opens the page of a payment, of its approval or of a KYC form, or signs a member in.
  check (
    token_hash is null or payment_id is not null or approval_payment_id is not null
      or submission_id is not null or member_id is not null
  ),
  check (owner_index is null or submission_id is not null),
  -- A code is valid in the browser that asked for it, and goes with a link.
  check ((code_hash is null) = (browser_hash is null)),
  check (code_hash is null or token_hash is not null)
) strict, without rowid;
insert into mails (
  org_id, mode, id, purpose, payment_id, account_id, submission_id, owner_index, cause, to_address,
  to_key, nth, locale, token_hash, token_sealed, code_hash, code_tries, browser_hash, link_ends_at,
  link_used_at, status, tries, due_at, lease_token, last_error, sent_at, created_at, version
)
select
  org_id, mode, id, purpose, payment_id, account_id, submission_id, owner_index, cause, to_address,
  to_key, nth, locale, token_hash, token_sealed, code_hash, code_tries, browser_hash, link_ends_at,
  link_used_at, status, tries, due_at, lease_token, last_error, sent_at, created_at, version
from mails_before;
drop table mails_before;
create index mails_due on mails (due_at) where due_at is not null;
create index mails_id on mails (id);
create index mails_leased on mails (due_at) where lease_token is not null;
create unique index mails_numbered on mails (org_id, mode, to_key, purpose, nth)
  where nth is not null;
create unique index mails_of_cause on mails (org_id, mode, cause) where cause is not null;
create index mails_of_payment on mails (org_id, mode, payment_id) where token_hash is not null;
create index mails_of_approval on mails (org_id, mode, approval_payment_id)
  where approval_payment_id is not null;
create index mails_of_status on mails (status, id);
create index mails_of_submission on mails (org_id, mode, submission_id, id)
  where submission_id is not null;
create unique index mails_token_hash on mails (token_hash);
create index mails_of_member on mails (org_id, mode, member_id) where member_id is not null;

-- Money of buyers by day.
create index ledger_lines_of_buyers on ledger_lines (org_id, mode, posted_at)
  where account = 'buyer';
