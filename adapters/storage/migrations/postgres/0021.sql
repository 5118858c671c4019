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
