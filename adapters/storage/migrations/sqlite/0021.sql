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
