-- Parties: buyers and what was said for them, connected accounts, documents, members, and mails.

create table buyers (
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  created_at timestamptz not null,
  primary key (mode, id)
);

create unique index buyers_email_key on buyers (mode, email_key);

create table kyc_submissions (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  buyer_id text collate "C" not null,
  receiver_id text collate "C" not null,
  status text collate "C" not null check (status in (
    'not_started', 'pending', 'verifying', 'approved', 'rejected'
  )),
  partner_ref text collate "C",
  reason text,
  submitted_at timestamptz not null,
  approved_at timestamptz,
  rejected_at timestamptz,
  created_at timestamptz not null,
  version integer not null,
  flow_id text collate "C",
  tos_id text collate "C",
  draft_sealed text,
  primary key (org_id, mode, id)
);

create unique index kyc_submissions_current on kyc_submissions (org_id, mode, buyer_id)
  where status <> 'rejected';
create index kyc_submissions_of_buyer on kyc_submissions (org_id, mode, buyer_id, created_at, id);
create index kyc_submissions_approved on kyc_submissions (mode, buyer_id, created_at, id)
  where status = 'approved';
create index kyc_submissions_partner_ref on kyc_submissions (mode, partner_ref)
  where partner_ref is not null;

create table connected_accounts (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  external_id text collate "C",
  role text collate "C" not null check (role in ('seller', 'buyer')),
  entity_type text not null check (entity_type in ('business', 'individual')),
  status text collate "C" not null
    check (status in ('created', 'verifying', 'approved', 'rejected')),
  receiver_id text collate "C",
  submit_command_id text collate "C",
  partner_ref text collate "C",
  email text,
  email_key text collate "C",
  legal_name text,
  display_name text,
  country text,
  tax_id_sealed text,
  tax_id_last4 text,
  tos_session_key text collate "C",
  tos_id text collate "C",
  destination_ref text collate "C",
  rails_command_id text collate "C",
  rails_ref text collate "C",
  ready_at timestamptz,
  reason text,
  approved_at timestamptz,
  rejected_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  primary key (org_id, mode, id)
);

create unique index connected_accounts_external_id
  on connected_accounts (org_id, mode, external_id) where external_id is not null;
create index connected_accounts_of_role on connected_accounts (org_id, mode, role, id);
create index connected_accounts_of_status on connected_accounts (org_id, mode, status, id);
create index connected_accounts_of_both on connected_accounts (org_id, mode, role, status, id);
create index connected_accounts_of_buyer on connected_accounts (org_id, mode, email_key, id)
  where role = 'buyer' and status in ('verifying', 'approved');

create table documents (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  owner_party text collate "C" not null check (owner_party in ('account', 'buyer')),
  owner_id text collate "C" not null,
  kind text collate "C" not null check (kind in (
    'selfie', 'id_doc_front', 'id_doc_back', 'proof_of_address', 'incorporation_doc',
    'proof_of_ownership_doc'
  )),
  owner_index integer,
  content_type text not null check (content_type in (
    'image/jpeg', 'image/png', 'application/pdf'
  )),
  upload_until_at timestamptz not null,
  created_at timestamptz not null,
  status text collate "C" not null check (status in (
    'awaiting', 'stored', 'submitted', 'purging', 'purged'
  )),
  content_name text,
  size_bytes integer,
  due_at timestamptz,
  tries integer not null,
  purged_at timestamptz,
  version integer not null,
  primary key (org_id, mode, id)
);

create index documents_id on documents (id);
create index documents_of_owner on documents (org_id, mode, owner_party, owner_id, status);
create index documents_due on documents (due_at) where due_at is not null;
create index documents_kept on documents (id) where status <> 'purged';
create unique index kyc_submissions_flow on kyc_submissions (flow_id) where flow_id is not null;

create table members (
  org_id text collate "C" not null,
  id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  role text collate "C" not null check (role in ('owner', 'admin', 'finance', 'viewer')),
  removed_at timestamptz,
  created_at timestamptz not null,
  version integer not null,
  primary key (org_id, id)
);

create unique index members_email on members (org_id, email_key) where removed_at is null;

create table mails (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  purpose text not null check (purpose in ('invitation', 'sign_in')),
  payment_id text collate "C" not null,
  to_address text not null,
  to_key text collate "C" not null,
  nth integer,
  token_hash text collate "C" not null,
  token_sealed text,
  link_ends_at timestamptz not null,
  link_used_at timestamptz,
  status text collate "C" not null check (status in ('pending', 'sent', 'refused', 'dropped')),
  tries integer not null,
  due_at timestamptz,
  lease_token text,
  last_error text,
  sent_at timestamptz,
  created_at timestamptz not null,
  version integer not null,
  primary key (org_id, mode, id),
  -- Something is to be done, and the token is kept for it, exactly while it is pending.
  check ((status = 'pending') = (due_at is not null)),
  check ((status = 'pending') = (token_sealed is not null))
);

create unique index mails_token_hash on mails (token_hash);
create unique index mails_of_address on mails (mode, to_key, nth) where nth is not null;
create index mails_due on mails (due_at) where due_at is not null;
create index mails_leased on mails (due_at) where lease_token is not null;
create index mails_id on mails (id);
create index mails_of_status on mails (status, id);
create index events_of_subject on events (org_id, mode, subject_id, sequence);
create index deliveries_of_event on deliveries (event_id, id);
