-- A seller opens its onboarding by a link, and a colleague of a buyer the bank details.
alter table page_sessions add column account_id text collate "C";
alter table page_sessions drop constraint page_sessions_kind_check;
alter table page_sessions add constraint page_sessions_kind_check
  check (kind in ('buyer', 'owner', 'upload', 'seller', 'seller_link', 'colleague', 'approver'));
alter table page_sessions drop constraint page_sessions_check;
alter table page_sessions add constraint page_sessions_check
  check (payment_id is not null or submission_id is not null or account_id is not null);
create index page_sessions_of_account on page_sessions (org_id, mode, account_id)
  where account_id is not null and ended_at is null;
-- One link of a seller at a time.
create unique index page_sessions_link on page_sessions (org_id, mode, account_id)
  where kind = 'seller_link' and ended_at is null;

-- What a seller or an organization has filled in, until the partner has decided on it.
create table party_drafts (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  -- Of the connected account, or of the organization.
  id text collate "C" not null,
  draft_sealed text not null,
  saved_at timestamptz not null,
  version integer not null,
  primary key (org_id, mode, id)
);
create index party_drafts_saved on party_drafts (saved_at, org_id, mode, id);

-- An organization uploads documents, too.
alter table documents drop constraint documents_owner_party_check;
alter table documents add constraint documents_owner_party_check
  check (owner_party in ('account', 'buyer', 'organization'));

-- A colleague of the buyer approves a payment, as JSON, if the buyer asks for it.
alter table payments add column colleague_approval text;
