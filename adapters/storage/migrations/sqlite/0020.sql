-- A seller opens its onboarding by a link, and a colleague of a buyer the bank details. SQLite
-- cannot change the checks of a table.
alter table page_sessions rename to page_sessions_before;
create table page_sessions (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  kind text not null check (kind in (
    'buyer', 'owner', 'upload', 'seller', 'seller_link', 'colleague', 'approver'
  )),
  payment_id text,
  submission_id text,
  account_id text,
  owner_index integer,
  created_at integer not null,
  seen_at integer not null,
  ends_at integer not null,
  ended_at integer,
  version integer not null,
  primary key (org_id, mode, id),
  check (payment_id is not null or submission_id is not null or account_id is not null),
  check ((kind = 'owner') = (owner_index is not null))
) strict, without rowid;
insert into page_sessions (
  org_id, mode, id, kind, payment_id, submission_id, owner_index, created_at, seen_at, ends_at,
  ended_at, version
)
select
  org_id, mode, id, kind, payment_id, submission_id, owner_index, created_at, seen_at, ends_at,
  ended_at, version
from page_sessions_before;
drop table page_sessions_before;
create unique index page_sessions_id on page_sessions (id);
create index page_sessions_created on page_sessions (created_at);
create index page_sessions_of_payment on page_sessions (org_id, mode, payment_id, seen_at)
  where payment_id is not null;
create index page_sessions_of_submission on page_sessions (org_id, mode, submission_id, seen_at)
  where submission_id is not null;
create index page_sessions_of_account on page_sessions (org_id, mode, account_id)
  where account_id is not null and ended_at is null;
-- One link of a seller at a time.
create unique index page_sessions_link on page_sessions (org_id, mode, account_id)
  where kind = 'seller_link' and ended_at is null;

-- What a seller or an organization has filled in, until the partner has decided on it.
create table party_drafts (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  -- Of the connected account, or of the organization.
  id text not null,
  draft_sealed text not null,
  saved_at integer not null,
  version integer not null,
  primary key (org_id, mode, id)
) strict, without rowid;
create index party_drafts_saved on party_drafts (saved_at, org_id, mode, id);

-- An organization uploads documents, too.
alter table documents rename to documents_before;
create table documents (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  owner_party text not null check (owner_party in ('account', 'buyer', 'organization')),
  owner_id text not null,
  kind text not null check (kind in (
    'selfie', 'id_doc_front', 'id_doc_back', 'proof_of_address', 'incorporation_doc',
    'proof_of_ownership_doc'
  )),
  owner_index integer,
  content_type text not null check (content_type in (
    'image/jpeg', 'image/png', 'application/pdf'
  )),
  upload_until_at integer not null,
  created_at integer not null,
  status text not null check (status in (
    'awaiting', 'stored', 'submitted', 'purging', 'purged'
  )),
  content_name text,
  size_bytes integer,
  due_at integer,
  tries integer not null,
  purged_at integer,
  uploads integer not null,
  slot integer,
  upload_token_hash text not null,
  read_token_hash text not null,
  version integer not null,
  primary key (org_id, mode, id)
) strict, without rowid;
insert into documents (
  org_id, mode, id, owner_party, owner_id, kind, owner_index, content_type, upload_until_at,
  created_at, status, content_name, size_bytes, due_at, tries, purged_at, uploads, slot,
  upload_token_hash, read_token_hash, version
)
select
  org_id, mode, id, owner_party, owner_id, kind, owner_index, content_type, upload_until_at,
  created_at, status, content_name, size_bytes, due_at, tries, purged_at, uploads, slot,
  upload_token_hash, read_token_hash, version
from documents_before;
drop table documents_before;
create index documents_id on documents (id);
create index documents_of_owner on documents (org_id, mode, owner_party, owner_id, status);
create index documents_due on documents (due_at) where due_at is not null;
create index documents_kept on documents (id) where status <> 'purged';
create unique index documents_slot on documents (org_id, mode, owner_party, owner_id, slot)
  where status <> 'purged' and slot is not null;

-- A colleague of the buyer approves a payment, as JSON, if the buyer asks for it.
alter table payments add column colleague_approval text;
