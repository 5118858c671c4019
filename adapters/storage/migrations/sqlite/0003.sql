-- Documents of parties (their bytes lie elsewhere), and what a KYC submission that was started by
-- the API must know: its hosted form, its terms, and what was said before the form is filled in.
create table documents (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  owner_party text not null check (owner_party in ('account', 'buyer')),
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
  version integer not null,
  primary key (org_id, mode, id)
) strict, without rowid;

create index documents_id on documents (id);
create index documents_of_owner on documents (org_id, mode, owner_party, owner_id, status);
create index documents_due on documents (due_at) where due_at is not null;
create index documents_kept on documents (id) where status <> 'purged';

alter table kyc_submissions add column flow_id text;
alter table kyc_submissions add column tos_id text;
alter table kyc_submissions add column draft_sealed text;

create unique index kyc_submissions_flow on kyc_submissions (flow_id) where flow_id is not null;
