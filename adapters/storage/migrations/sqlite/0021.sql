-- One transfer pays several payments of a buyer, by one reference.
alter table payments add column consolidated_reference text;
create index payments_consolidated on payments (org_id, mode, consolidated_reference)
  where consolidated_reference is not null;
-- A share of a deposit is a pay-in of its payment.
alter table partner_commands add column deposit_id text;
alter table receipts add column consolidated_reference text;

-- What was refused or failed in the last days. A client may choose the request id.
create table refused_requests (
  id text not null primary key,
  request_id text not null,
  created_at integer not null,
  operation text,
  status integer not null,
  code text not null,
  field text,
  org_id text,
  mode text check (mode in ('test', 'live')),
  credential_id text,
  version integer not null
) strict, without rowid;
create index refused_requests_request on refused_requests (request_id, id);
create index refused_requests_org on refused_requests (org_id, id);

-- Passkeys of members. A removed one stays: the id of its credential is never taken again.
create table passkeys (
  org_id text not null,
  id text not null,
  member_id text not null,
  credential_id text not null,
  public_key text not null,
  sign_count integer not null,
  name text not null,
  created_at integer not null,
  used_at integer,
  removed_at integer,
  version integer not null,
  primary key (org_id, id)
) strict, without rowid;
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_of_member on passkeys (org_id, member_id, id) where removed_at is null;
-- An invoice has the seller's own invoice as an attachment. SQLite cannot change the checks of a
-- table.
alter table documents rename to documents_before;
create table documents (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  owner_party text not null check (owner_party in (
    'account', 'buyer', 'organization', 'payment'
  )),
  owner_id text not null,
  kind text not null check (kind in (
    'selfie', 'id_doc_front', 'id_doc_back', 'proof_of_address', 'incorporation_doc',
    'proof_of_ownership_doc', 'attachment'
  )),
  owner_index integer,
  content_type text not null check (content_type in (
    'image/jpeg', 'image/png', 'application/pdf'
  )),
  file_name text,
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
alter table payments add column attachment_document_id text;

-- What buyers see of an organization, beside its name.
alter table organizations add column accent_color text;
alter table organizations add column logo_hash text;
create table organization_logos (
  org_id text not null primary key,
  content_type text not null check (content_type in ('image/png', 'image/jpeg')),
  hash text not null,
  -- In Base64.
  content text not null,
  version integer not null
) strict, without rowid;
-- When the payout was reported as paid. Null for one of before.
alter table payments add column settled_at integer;
