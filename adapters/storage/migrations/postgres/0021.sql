-- One transfer pays several payments of a buyer, by one reference.
alter table payments add column consolidated_reference text collate "C";
create index payments_consolidated on payments (org_id, mode, consolidated_reference)
  where consolidated_reference is not null;
-- A share of a deposit is a pay-in of its payment.
alter table partner_commands add column deposit_id text collate "C";
alter table receipts add column consolidated_reference text collate "C";

-- What was refused or failed in the last days. A client may choose the request id.
create table refused_requests (
  id text collate "C" not null primary key,
  request_id text collate "C" not null,
  created_at timestamptz not null,
  operation text collate "C",
  status integer not null,
  code text collate "C" not null,
  field text collate "C",
  org_id text collate "C",
  mode text collate "C" check (mode in ('test', 'live')),
  credential_id text collate "C",
  version integer not null
);
create index refused_requests_request on refused_requests (request_id, id);
create index refused_requests_org on refused_requests (org_id, id);

-- Passkeys of members. A removed one stays: the id of its credential is never taken again.
create table passkeys (
  org_id text collate "C" not null,
  id text collate "C" not null,
  member_id text collate "C" not null,
  credential_id text collate "C" not null,
  public_key text collate "C" not null,
  sign_count bigint not null,
  name text collate "C" not null,
  created_at timestamptz not null,
  used_at timestamptz,
  removed_at timestamptz,
  version integer not null,
  primary key (org_id, id)
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_of_member on passkeys (org_id, member_id, id) where removed_at is null;
-- An invoice has the seller's own invoice as an attachment.
alter table documents drop constraint documents_owner_party_check;
alter table documents add constraint documents_owner_party_check
  check (owner_party in ('account', 'buyer', 'organization', 'payment'));
alter table documents drop constraint documents_kind_check;
alter table documents add constraint documents_kind_check
  check (kind in (
    'selfie', 'id_doc_front', 'id_doc_back', 'proof_of_address', 'incorporation_doc',
    'proof_of_ownership_doc', 'attachment'
  ));
alter table documents add column file_name text;
alter table payments add column attachment_document_id text collate "C";

-- What buyers see of an organization, beside its name.
alter table organizations add column accent_color text;
alter table organizations add column logo_hash text collate "C";
create table organization_logos (
  org_id text collate "C" not null primary key,
  content_type text collate "C" not null check (content_type in ('image/png', 'image/jpeg')),
  hash text collate "C" not null,
  -- In Base64.
  content text not null,
  version integer not null
);
-- When the payout was reported as paid. Null for one of before.
alter table payments add column settled_at timestamptz;
