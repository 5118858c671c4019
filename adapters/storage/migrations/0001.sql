-- The schema of both databases, in the words of PostgreSQL; migrations.ts makes those of SQLite of
-- them, where times are milliseconds since the epoch. Amounts are minor units. Tables of tenants
-- are keyed by org_id first. Rows that are found by an id alone (payments by operators and public
-- id, keys, buyers, inbox, and what workers claim when it is due) have a separate index. There are
-- no foreign keys: rows are never deleted under others, and a parent row must not become hot. Key
-- columns compare byte by byte in every locale: ids sort by creation, and both databases list in
-- one order.

-- PostgreSQL:

-- Fails a batch when a statement of it misses its row, instead of committing the rest.
create function ponte_expect(hits bigint, expected bigint) returns void language plpgsql as $$
begin
  if hits <> expected then
    raise exception 'expected % rows, hit %', expected, hits using errcode = 'PT409';
  end if;
end
$$;

-- Both:

-- ---------------------------------------------------------------- organizations and their members
create table organizations (
  org_id text collate "C" not null primary key,
  name text not null,
  production_granted_at timestamptz,
  requires_approval boolean not null,
  created_at timestamptz not null,
  -- Support contact.
  support_email text,
  support_phone text,
  website text,
  -- Shown to buyers beside the support contact.
  privacy_url text,
  terms_url text,
  -- Buyers of invoices are reminded of the due date, if the organization wants it.
  sends_reminders boolean not null default false,
  -- Payees are mailed the proof of each settled payment, if the organization wants it.
  sends_settlement_notices boolean not null default false,
  requires_passkey boolean not null default false,
  -- What buyers see of an organization, beside its name.
  accent_color text,
  logo_hash text collate "C",
  -- Of which its days are, as in the IANA database.
  time_zone text collate "C" not null default 'America/Sao_Paulo',
  version integer not null
); -- with rowid

create table organization_profiles (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  kyb_status text check (kyb_status in ('verifying', 'approved', 'rejected')),
  receiver_id text collate "C",
  partner_ref text collate "C",
  virtual_account_ref text collate "C",
  destination_ref text collate "C",
  kyb_command_id text collate "C",
  tos_id text collate "C",
  tos_accepted_at timestamptz,
  corrections text,
  answer_by timestamptz,
  answer_alerted_at timestamptz,
  reason text,
  approved_at timestamptz,
  rejected_at timestamptz,
  rails_command_id text,
  intents_need_approval boolean not null default false,
  -- A changed PIX destination that is held: until then new payments use destination_ref.
  held_ref text collate "C",
  held_until timestamptz,
  payout_hold_hours integer not null default 24 check (payout_hold_hours between 0 and 72),
  version integer not null,
  primary key (org_id, mode)
);

create index organization_profiles_partner_ref on organization_profiles (mode, partner_ref)
  where partner_ref is not null;

-- Whose address a mail proved: sessions and passkeys are of a person, in no organization.
create table people (
  id text collate "C" not null primary key,
  email text not null,
  email_key text collate "C" not null,
  created_at timestamptz not null,
  version integer not null
);

create unique index people_email on people (email_key);

-- What a person is in an organization.
create table members (
  org_id text collate "C" not null,
  id text collate "C" not null,
  person_id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  -- As the person gave it to the organization.
  name text,
  role text collate "C" not null check (role in ('owner', 'admin', 'finance', 'viewer')),
  -- When the person first opened the organization; null: only invited.
  accepted_at timestamptz,
  -- When the person last opened a page of the organization.
  seen_at timestamptz,
  removed_at timestamptz,
  created_at timestamptz not null,
  version integer not null,
  primary key (org_id, id)
);

-- A person may be a member of several organizations.
create index members_of_person on members (person_id, id) where removed_at is null;

-- After the other one: of two that cost the same, PostgreSQL takes the newer one.
create unique index members_email on members (org_id, email_key) where removed_at is null;

create table api_keys (
  id text collate "C" not null primary key,
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  name text not null,
  scopes text not null,
  salt text not null,
  secret_hash text collate "C" not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  slot integer,
  created_at timestamptz not null,
  -- The member (its id) or operator ('operator') who created a key.
  created_by text collate "C",
  -- The owner who kept the key when its creator was removed.
  kept_by text collate "C",
  expires_at timestamptz,
  rolled_at timestamptz,
  networks text not null default '[]',
  used_scopes text not null default '[]',
  -- Scopes that were part of another one when the key was created; it keeps them.
  kept_scopes text not null default '[]',
  version integer not null
);

create unique index api_keys_slot on api_keys (org_id, mode, slot)
  where revoked_at is null and slot is not null;

create index api_keys_active on api_keys (org_id, id) where revoked_at is null;

create index api_keys_revoked on api_keys (org_id, id) where revoked_at is not null;

-- ----------------------------------------------------------------------- payments and their money

create table payments (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  origin text collate "C" not null check (origin in ('payment_intent', 'invoice')),
  public_id text collate "C" not null,
  external_id text collate "C",
  external_id_key text collate "C",
  status text collate "C" not null
    check (status in ('awaiting_approval', 'approved', 'awaiting_buyer', 'buyer_kyc_pending',
      'buyer_kyc_approved', 'fx_quoted', 'on_ramp_pending', 'on_chain_confirmed',
      'offramp_pending', 'settled', 'failed', 'cancelled', 'expired')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  buyer_id text collate "C" not null,
  buyer_email text not null,
  buyer_name text,
  buyer_country text,
  buyer_phone text,
  seller_external_id text collate "C",
  destination text not null,
  return_url text,
  display text,
  metadata text not null,
  expires_at timestamptz,
  quote_id text collate "C",
  payin_instructions text,
  covered_at timestamptz,
  transaction_hash text collate "C",
  payer_relation text,
  fiscal_document text,
  booked_rate text,
  payin_asset text,
  payer text,
  settled_minor bigint,
  settled_currency text,
  settled_fees_minor bigint,
  settled_fx_rate text,
  end_to_end_id text collate "C",
  end_to_end_key text collate "C",
  failure_reason text,
  cancel_reason text,
  number text,
  number_key text collate "C",
  due_date text,
  created_by_member_id text collate "C",
  approved_by_member_id text collate "C",
  invited_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Payee and consent.
  payee_name text,
  confirmed_locale text,
  -- The language of mails about a payment; null until its buyer signs in by mail.
  buyer_locale text check (buyer_locale in ('en', 'pt-BR', 'es')),
  -- Bank details that were shown.
  bank_details_code text,
  -- Purpose of the payment.
  purpose text,
  -- The latest quote that was refused because of a limit of the payee.
  limit_hit text,
  -- When the buyer of a running payment lost its KYC approval.
  approval_lost_at timestamptz,
  requires_approval boolean not null default false,
  -- The buyer's order, and what its books call the payment.
  purchase_order text collate "C",
  purchase_order_key text collate "C",
  buyer_reference text collate "C",
  -- Why a payment failed (core/domain/payments/failure.ts);.
  failure_code text collate "C",
  remind_at timestamptz,
  -- A colleague of the buyer approves a payment, as JSON, if the buyer asks for it.
  colleague_approval text,
  -- One transfer pays several payments of a buyer, by one reference.
  consolidated_reference text collate "C",
  attachment_document_id text collate "C",
  -- When the payout was reported as paid.
  settled_at timestamptz,
  version integer not null,
  primary key (org_id, mode, id)
); -- with rowid

-- Unique by the exact text; sought from its start by the key.
create unique index payments_external_id
  on payments (org_id, mode, origin, external_id_key, external_id)
  where external_id_key is not null;

create unique index payments_public_id on payments (public_id);

create index payments_of_buyer on payments (org_id, mode, buyer_id, status, created_at, id);

create index payments_id on payments (id);

create index payments_expiring on payments (expires_at)
  where expires_at is not null and covered_at is null and status in (
    'awaiting_approval', 'approved', 'awaiting_buyer', 'buyer_kyc_pending', 'buyer_kyc_approved',
    'fx_quoted', 'on_ramp_pending'
  );

-- An index of invoices alone costs payment intents nothing.
create index payments_invoices_of_status on payments (org_id, mode, status, id)
  where origin = 'invoice';

-- Payments: lists of a tenant. Those of sellers cost other payments nothing.
create index payments_intents_of_status on payments (org_id, mode, status, id)
  where origin = 'payment_intent';

create index payments_updated on payments (org_id, mode, origin, updated_at, id);

create index payments_of_seller on payments (org_id, mode, seller_external_id, id)
  where seller_external_id is not null;

create index payments_of_seller_and_status
  on payments (org_id, mode, seller_external_id, status, id) where seller_external_id is not null;

create index payments_awaiting_money on payments (org_id, mode, seller_external_id, id)
  where status = 'on_ramp_pending';

-- Their payouts wait for an operator.
create index payments_approval_lost on payments (id)
  where approval_lost_at is not null and status in (
    'buyer_kyc_approved', 'fx_quoted', 'on_ramp_pending', 'on_chain_confirmed', 'offramp_pending'
  );

-- A search: by the address of the buyer, an amount, or the start of what names a payment.
create index payments_of_amount
  on payments (org_id, mode, origin, amount_minor, currency, id);

create index payments_of_number on payments (org_id, mode, number_key, id)
  where number_key is not null;

create index payments_of_purchase_order on payments (org_id, mode, purchase_order_key, id)
  where purchase_order_key is not null;

create index payments_of_end_to_end_id on payments (org_id, mode, end_to_end_key, id)
  where end_to_end_key is not null;

create index payments_to_remind on payments (remind_at, id) where remind_at is not null;

create index payments_consolidated on payments (org_id, mode, consolidated_reference)
  where consolidated_reference is not null;

-- Lists and exports of what settled in some days.
create index payments_settled on payments (org_id, mode, origin, settled_at, id)
  where settled_at is not null;

-- Lists of invoices by their due day.
create index payments_due on payments (org_id, mode, status, due_date, id)
  where due_date is not null;

-- The words of names by which buyers and sellers of a tenant are found.
create table name_words (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  word text collate "C" not null,
  owner_id text collate "C" not null,
  version integer not null,
  primary key (org_id, mode, word, owner_id)
);

create index name_words_of_owner on name_words (owner_id, org_id, mode, word);

create table idempotency_keys (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  idempotency_key text collate "C" not null,
  surface text not null check (surface in ('payment_intent', 'invoice', 'connected_account')),
  resource_id text collate "C" not null,
  created_at timestamptz not null,
  -- A MAC for each field of an action's body.
  body_macs text,
  primary key (org_id, mode, idempotency_key)
);

create table quotes (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  payment_id text collate "C" not null,
  partner_quote_id text collate "C" not null,
  source_minor bigint not null,
  source_currency text not null,
  fees_minor bigint not null,
  fees_currency text not null,
  rate text not null,
  target_minor bigint not null,
  target_currency text not null,
  rate_kind text not null check (rate_kind in ('locked', 'indicative')),
  locked_until_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (org_id, mode, id)
);

-- What a receipt is compared with.
create index quotes_partner_quote_id on quotes (mode, partner_quote_id);

create table funds (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  payment_id text collate "C" not null,
  currency text not null,
  position text not null
    check (position in ('none', 'expected', 'received', 'payout_ordered', 'paid',
      'returned_to_buyer', 'needs_review')),
  refund text not null
    check (refund in ('none', 'refund_owed', 'refund_ordered', 'refunded', 'needs_review')),
  received_minor bigint not null check (received_minor >= 0),
  payout_minor bigint not null check (payout_minor >= 0),
  refund_owed_minor bigint not null check (refund_owed_minor >= 0),
  refund_ordered_minor bigint not null check (refund_ordered_minor >= 0),
  refunded_minor bigint not null check (refunded_minor >= 0),
  loss_minor bigint not null check (loss_minor >= 0),
  -- Operators write losses off.
  written_off_minor bigint not null default 0 check (written_off_minor >= 0),
  version integer not null,
  primary key (org_id, mode, payment_id),
  -- What left beyond what was received is a loss.
  check (
    received_minor + loss_minor
      >= payout_minor + refund_owed_minor + refund_ordered_minor + refunded_minor
  )
);

create index funds_open on funds (payment_id)
  where refund_owed_minor + refund_ordered_minor > 0 or loss_minor > 0
    or position = 'needs_review' or refund = 'needs_review';

-- The queues of operators: few rows of each are in them.
create index funds_received on funds (payment_id) where position = 'received';

create table ledger_lines (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  posting_id text collate "C" not null,
  line_number integer not null,
  payment_id text collate "C" not null,
  kind text collate "C" not null,
  account text not null
    check (account in ('buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds',
      'losses', 'operator', 'suspense', 'adjustments', 'write_offs')),
  amount_minor bigint not null check (amount_minor <> 0),
  currency text not null,
  posted_at timestamptz not null,
  primary key (org_id, mode, posting_id, line_number)
);

create index ledger_lines_of_payment on ledger_lines (org_id, mode, payment_id);

-- What sellers were paid by day.
create index ledger_lines_of_sellers on ledger_lines (org_id, mode, posted_at)
  where account = 'seller';

-- PostgreSQL:

create function ponte_ledger_keeps() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end
$$;

create trigger ledger_lines_keep before update or delete on ledger_lines
  for each row execute function ponte_ledger_keeps();

create trigger ledger_lines_keep_all before truncate on ledger_lines
  for each statement execute function ponte_ledger_keeps();

-- SQLite:

create trigger ledger_lines_keep_update before update on ledger_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_lines_keep_delete before delete on ledger_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

-- `insert or replace` would delete a line without firing the delete trigger.
create trigger ledger_lines_keep_insert before insert on ledger_lines
when exists (
  select 1 from ledger_lines
  where org_id = new.org_id and mode = new.mode and posting_id = new.posting_id
    and line_number = new.line_number
)
begin
  select raise(abort, 'the ledger is append-only');
end;

-- Both:

-- ------------------------------------------------------------------------- the settlement partner

create table partner_commands (
  id text collate "C" not null primary key,
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  reference text collate "C" not null,
  kind text collate "C" not null
    check (kind in ('submit_organization', 'submit_buyer', 'submit_account', 'provision_rails',
      'payin', 'payout', 'refund')),
  payment_id text collate "C",
  submission_id text collate "C",
  account_id text collate "C",
  amount_minor bigint,
  currency text,
  payin_id text collate "C",
  state text not null
    check (state in ('pending', 'sent', 'unknown', 'denied', 'done', 'refused', 'void')),
  request text,
  partner_ref text collate "C",
  command_end text not null check (command_end in ('open', 'completed', 'failed', 'returned')),
  received_minor bigint not null check (received_minor >= 0),
  confirmed_minor bigint not null check (confirmed_minor >= 0),
  settlements text not null,
  refusal text,
  review text,
  tries integer not null,
  last_sent_at timestamptz,
  due_at timestamptz,
  lease_token text,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- What operators overruled is not applied when the partner repeats it.
  overruled text collate "C",
  -- Of a command without an end: since when the partner checks its money, and the alert.
  held_since timestamptz,
  late_at timestamptz,
  -- The queue of the money desk, or null.
  queue text collate "C" check (queue in ('owed', 'in_review')),
  is_stuck boolean not null default false,
  is_in_flight boolean not null default false,
  -- A payout without effect after the settlement waits for an operator.
  is_undecided boolean not null default false,
  -- A share of a deposit is a pay-in of its payment.
  deposit_id text collate "C",
  -- An id of the partner's instance is that of one command about money: true. Null if others may
  -- have it: adopted from a deposit, or about a party.
  is_ordered boolean,
  -- The partner's instance that has it, by its own name. Only that one is asked about it.
  instance text,
  version integer not null
);

create unique index partner_commands_reference on partner_commands (mode, reference);

create index partner_commands_due on partner_commands (due_at) where due_at is not null;

create unique index partner_commands_partner_ref
  on partner_commands (mode, kind, partner_ref, instance, is_ordered)
  where partner_ref is not null;

create index partner_commands_of_payment on partner_commands (org_id, mode, payment_id);

create index partner_commands_newest on partner_commands (created_at, id);

-- Commands of a submission are voided when it no longer needs them.
create index partner_commands_of_submission on partner_commands (org_id, mode, submission_id, id)
  where submission_id is not null;

create index partner_commands_queue on partner_commands (queue, id) where queue is not null;

create index partner_commands_stuck on partner_commands (created_at, id) where is_stuck;

create index partner_commands_in_flight on partner_commands (mode, id) where is_in_flight;

create table inbox (
  partner text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  message_id text collate "C" not null,
  facts text not null,
  received_at timestamptz not null,
  due_at timestamptz,
  tries integer not null,
  version integer not null,
  primary key (partner, mode, message_id)
);

create index inbox_due on inbox (due_at) where due_at is not null;

-- Applied messages by age, for their removal.
create index inbox_applied on inbox (received_at, message_id) where due_at is null;

create table advances (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  payment_id text collate "C" not null,
  to_status text not null,
  due_at timestamptz not null,
  tries integer not null,
  version integer not null,
  primary key (org_id, mode, payment_id)
);

create index advances_due on advances (due_at);

-- ---------------------------------------------------------------------------------------- parties

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
  status text collate "C" not null
    check (status in ('not_started', 'pending', 'verifying', 'approved', 'rejected')),
  partner_ref text collate "C",
  reason text,
  submitted_at timestamptz not null,
  approved_at timestamptz,
  rejected_at timestamptz,
  flow_id text collate "C",
  tos_id text collate "C",
  draft_sealed text,
  created_at timestamptz not null,
  -- What the partner asked to correct.
  corrections text,
  dossier_sealed text,
  submit_command_id text,
  answer_by timestamptz,
  answer_alerted_at timestamptz,
  submitted_by text collate "C" not null check (submitted_by in ('integrator', 'person')),
  -- Keyed hashes of what was submitted; the dossier itself is erased by the decision.
  legal_name text,
  country text,
  born_hash text,
  tax_hash text,
  document_hash text,
  fact_tries integer not null,
  version integer not null,
  primary key (org_id, mode, id)
);

-- One running or approved submission per tenant and buyer: of two concurrent starts one wins.
create unique index kyc_submissions_current on kyc_submissions (org_id, mode, buyer_id)
  where status <> 'rejected';

create index kyc_submissions_of_buyer on kyc_submissions (org_id, mode, buyer_id, created_at, id);

create index kyc_submissions_approved
  on kyc_submissions (mode, buyer_id, submitted_by, created_at, id)
  where status = 'approved';

create index kyc_submissions_partner_ref on kyc_submissions (mode, partner_ref)
  where partner_ref is not null;

create unique index kyc_submissions_flow on kyc_submissions (flow_id) where flow_id is not null;

-- An integrator's own clients, verified at the partner. Lists run newest first along the ids, which
-- sort by time of creation, with an index for each combination of filters.
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
  locale text,
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
  -- What the partner requires of the party.
  corrections text,
  answer_by timestamptz,
  answer_alerted_at timestamptz,
  held_ref text collate "C",
  held_until timestamptz,
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

create index connected_accounts_to_unhold on connected_accounts (held_until, id)
  where held_until is not null;

create index connected_accounts_partner_ref on connected_accounts (mode, partner_ref)
  where partner_ref is not null;

-- Documents of parties, without their bytes. Each URL carries a random token; its hash is here.
create table documents (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  owner_party text collate "C" not null
    check (owner_party in ('account', 'buyer', 'organization', 'payment', 'vendor')),
  owner_id text collate "C" not null,
  kind text collate "C" not null
    check (kind in ('selfie', 'id_doc_front', 'id_doc_back', 'proof_of_address',
      'incorporation_doc', 'proof_of_ownership_doc', 'attachment', 'w8', 'engagement_letter',
      'holder_tax_form', 'bank_letter', 'registration')),
  owner_index integer,
  content_type text not null
    check (content_type in ('image/jpeg', 'image/png', 'application/pdf')),
  file_name text,
  expires_on text,
  upload_until_at timestamptz not null,
  created_at timestamptz not null,
  status text collate "C" not null
    check (status in ('awaiting', 'stored', 'submitted', 'purging', 'purged')),
  content_name text,
  size_bytes integer,
  due_at timestamptz,
  tries integer not null,
  purged_at timestamptz,
  uploads integer not null,
  slot integer,
  upload_token_hash text not null,
  read_token_hash text not null,
  version integer not null,
  primary key (org_id, mode, id)
);

create index documents_id on documents (id);

create index documents_of_owner on documents (org_id, mode, owner_party, owner_id, status);

create index documents_due on documents (due_at) where due_at is not null;

create index documents_kept on documents (id) where status <> 'purged';

create index documents_stored on documents (org_id, mode, size_bytes)
  where content_name is not null;

-- Two vendor documents of one kind that are uploaded at once: the later one replaces the other.
create unique index documents_of_vendor on documents (org_id, mode, owner_id, kind)
  where owner_party = 'vendor' and status = 'submitted';

create unique index documents_slot on documents (org_id, mode, owner_party, owner_id, slot)
  where status <> 'purged' and slot is not null;

-- The token of a link is stored as a hash, and sealed until the mail has ended.
create table mails (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  purpose text not null
    check (purpose in ('invitation', 'sign_in', 'confirmation', 'owner_link', 'approval_link',
      'payout_changed', 'production_decided', 'kyc_approved', 'kyc_more', 'kyc_rejected',
      'approval_given', 'approval_declined', 'instructions_ready', 'money_short',
      'money_received', 'receipt', 'cancelled', 'expired', 'failed', 'refund_ordered', 'refunded',
      'reminder', 'question', 'money_moved', 'payment_approved', 'buyer_differs',
      'payment_settled', 'paper_ends', 'webhooks_gave_up', 'passkey_added', 'passkey_removed',
      'live_key_created',
      'team_changed', 'passkeys_reset')),
  payment_id text collate "C",
  approval_payment_id text collate "C",
  account_id text collate "C",
  submission_id text collate "C",
  owner_index integer,
  member_id text collate "C",
  -- What a member confirms, and in which organization.
  action text,
  action_org_id text collate "C",
  -- Of a notice. At most one mail has it.
  cause text collate "C",
  to_address text not null,
  to_key text collate "C" not null,
  nth integer,
  locale text not null default 'en' check (locale in ('en', 'pt-BR', 'es')),
  token_hash text collate "C",
  token_sealed text,
  code_hash text,
  code_tries integer not null default 0,
  browser_hash text collate "C",
  link_ends_at timestamptz not null,
  link_used_at timestamptz,
  status text collate "C" not null check (status in ('pending', 'sent', 'refused', 'dropped')),
  tries integer not null,
  is_blocked boolean not null,
  due_at timestamptz,
  lease_token text,
  last_error text,
  sent_at timestamptz,
  created_at timestamptz not null,
  version integer not null,
  primary key (org_id, mode, id),
  -- Due, with the sealed token of its link, exactly while it is pending.
  check ((status = 'pending') = (due_at is not null)),
  check ((status = 'pending' and token_hash is not null) = (token_sealed is not null)),
  -- A link opens the page of a payment, of its approval or of a KYC form, or signs a person in.
  check (token_hash is null or payment_id is not null or approval_payment_id is not null
    or submission_id is not null or member_id is not null or org_id = 'service'),
  check ((purpose = 'confirmation') = (action is not null)),
  check (owner_index is null or submission_id is not null),
  -- A code is valid in the browser that asked for it, or with the link.
  check (browser_hash is null or code_hash is not null),
  check (code_hash is null or token_hash is not null)
);

create unique index mails_token_hash on mails (token_hash);

create unique index mails_numbered on mails (org_id, mode, to_key, purpose, nth)
  where nth is not null;

create index mails_due on mails (due_at) where due_at is not null;

create index mails_leased on mails (due_at) where lease_token is not null;

create index mails_blocked on mails (id) where is_blocked and status = 'pending';

create index mails_id on mails (id);

create index mails_of_status on mails (status, id);

create index mails_sent_to on mails (org_id, to_key) where sent_at is not null;

create unique index mails_of_cause on mails (org_id, mode, cause)
  where cause is not null;

create index mails_of_payment on mails (org_id, mode, payment_id)
  where token_hash is not null;

create index mails_of_submission on mails (org_id, mode, submission_id, id)
  where submission_id is not null;

create index mails_of_member on mails (org_id, mode, member_id) where member_id is not null;

create index mails_of_approval on mails (org_id, mode, approval_payment_id)
  where approval_payment_id is not null;

-- ---------------------------------------------------------------------------- events and webhooks

create table feed_heads (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  sequence bigint not null,
  chain_hash text collate "C" not null,
  primary key (org_id, mode)
);

create table events (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  sequence bigint not null,
  type text not null,
  -- The type of the same event under the next number: it follows from this row.
  alias text,
  subject_id text collate "C" not null,
  body text not null,
  chain_hash text collate "C" not null,
  created_at timestamptz not null,
  -- Who caused it, as kind and id; empty: not known.
  actor text collate "C" not null,
  primary key (org_id, mode, id)
); -- with rowid

create unique index events_sequence on events (org_id, mode, sequence);

create index events_of_subject on events (org_id, mode, subject_id, sequence);

-- PostgreSQL:

-- While a table has no statistics, indexes cost the same, and the planner takes the one that was
-- made last. What is found by key for each step of a payment must not read all of a tenant.
alter table payments drop constraint payments_pkey, add primary key (org_id, mode, id);
alter table quotes drop constraint quotes_pkey, add primary key (org_id, mode, id);
alter table events drop constraint events_pkey, add primary key (org_id, mode, id);

-- The audit log is the feed of the service: its events are neither changed nor removed.
create function ponte_audit_keeps() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only';
end
$$;

create trigger events_keep_audit before update or delete on events
  for each row when (old.org_id = 'service') execute function ponte_audit_keeps();

create trigger events_keep_audit_all before truncate on events
  for each statement execute function ponte_audit_keeps();

-- SQLite:

create trigger events_keep_audit_update before update on events
when old.org_id = 'service'
begin
  select raise(abort, 'the audit log is append-only');
end;

create trigger events_keep_audit_delete before delete on events
when old.org_id = 'service'
begin
  select raise(abort, 'the audit log is append-only');
end;

-- A replaced row is not deleted.
create trigger events_keep_audit_insert before insert on events
when new.org_id = 'service' and exists (
  select 1 from events
  where org_id = new.org_id and mode = new.mode and (id = new.id or sequence = new.sequence)
)
begin
  select raise(abort, 'the audit log is append-only');
end;

-- Both:

create table subscriptions (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  url text not null,
  event_types text not null,
  active boolean not null,
  secret_sealed text not null,
  slot integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Up to this event of the feed, the subscription has its deliveries.
  feed_cursor bigint not null default 0,
  paused boolean not null default false,
  version integer not null,
  primary key (org_id, mode, id)
);

create index subscriptions_id on subscriptions (id);

-- Slots limit how many a tenant can have.
create unique index subscriptions_slot on subscriptions (org_id, mode, slot)
  where active and slot is not null;

-- Lists show what is active and the newest of the rest, without reading all of it.
create index subscriptions_active on subscriptions (org_id, mode, id) where active;

create index subscriptions_deleted on subscriptions (org_id, mode, id) where not active;

-- `resent`: the attempt under way is a second sending, because the first one lost its lease.
create table deliveries (
  id text collate "C" not null primary key,
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  subscription_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  status text collate "C" not null check (status in ('pending', 'delivered', 'dead_letter')),
  attempt integer not null,
  response_status integer,
  last_error text,
  next_attempt_at timestamptz,
  due_at timestamptz,
  lease_token text,
  delivered_at timestamptz,
  duration_ms integer,
  resent boolean not null,
  created_at timestamptz not null,
  -- The first attempt of a delivery that is stored when it has ended.
  first_started_at timestamptz,
  first_duration_ms integer,
  first_response_status integer,
  first_response_body text,
  first_error text,
  version integer not null,
  -- Due exactly while it is pending.
  check ((status = 'pending') = (due_at is not null))
);

create index deliveries_of_subscription on deliveries (subscription_id, id);

create index deliveries_leased on deliveries (due_at) where lease_token is not null;

create index deliveries_dead on deliveries (id) where status = 'dead_letter';

create index deliveries_of_event on deliveries (event_id, id);

-- Without the id, PostgreSQL would sort a burst that is due at one moment for each claim.
create index deliveries_in_turn on deliveries (subscription_id, due_at, id)
  where due_at is not null;

-- The dead letters of one subscription, and those that wait.
create index deliveries_dead_of_subscription on deliveries (subscription_id, id)
  where status = 'dead_letter';

create index deliveries_pending_of_subscription on deliveries (subscription_id, id)
  where status = 'pending';

-- The oldest one that is not delivered, without those that a pause holds.
create index deliveries_undelivered on deliveries (created_at)
  where status = 'pending' and next_attempt_at is not null;

create table delivery_attempts (
  delivery_id text collate "C" not null,
  id text collate "C" not null,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  error text,
  primary key (delivery_id, id)
); -- with rowid

-- ---------------------------------------------------------------------------- the database itself

-- The epochs of the database. A restore begins a new one, in quarantine until an operator releases
-- it. Exactly one epoch is not over. `check_progress` is where an interrupted check resumes.
-- `lost_commits`: `timeline` is that of a server that lacks commits: a host that detects it late
-- begins no other.

create table epochs (
  number bigint not null primary key check (number > 0),
  cause text not null check (cause in ('initial', 'restored', 'lost_commits')),
  state text not null check (state in ('open', 'quarantine', 'over')),
  began_at timestamptz not null,
  check_progress text,
  checked_at timestamptz,
  released_at timestamptz,
  released_by text,
  forced_because text,
  timeline integer,
  version integer not null
);

create index epochs_state on epochs (state);

insert into epochs (number, cause, state, began_at, version)
values (1, 'initial', 'open', date_trunc('milliseconds', now()), 1);

-- One known text per secret key that has sealed something here. A start that lacks one of these
-- keys is refused: its texts could not be opened. A batch that seals under a key requires it to be
-- in use.
create table key_check_values (
  key_id text collate "C" not null primary key,
  sealed text not null,
  state text not null check (state in ('in_use', 'retiring')),
  created_at timestamptz not null,
  version integer not null
);

-- Keys that the service generates for itself, sealed. One key per purpose is current. A rotated
-- session key stays valid until the last session it signed expires.
create table service_keys (
  id text collate "C" not null primary key,
  purpose text not null check (purpose in ('session', 'partner', 'record', 'address')),
  sealed text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  version integer not null
);

create unique index service_keys_current on service_keys (purpose) where expires_at is null;

-- What the database is bound to outside: a random value that is also recorded in the storage of
-- documents, and the name of the partner's instance of each mode. A start compares them.
create table fingerprints (
  name text collate "C" not null primary key,
  value text not null,
  created_at timestamptz not null
);

-- PostgreSQL:

-- When the next create of a key is due. Not logged: after a crash of the database every key starts
-- rested, and no create waits for a disk because of its limit. SQLite keeps them in memory.
create unlogged table rate_limits (
  key text collate "C" not null primary key,
  tat_micros bigint not null
);

-- Both:

-- Reports of simulated orders: what an order of test mode reports, by our reference. The order may
-- not exist yet.
create table simulated_reports (
  mode text collate "C" not null check (mode in ('test', 'live')),
  reference text collate "C" not null,
  outcome text not null,
  version integer not null,
  primary key (mode, reference)
);

-- Sessions: on the hosted pages, of people, and of operators with the links that open them.
create table sessions (
  id text collate "C" not null primary key,
  kind text not null
    check (kind in ('buyer', 'owner', 'upload', 'seller', 'seller_link', 'colleague', 'proof',
      'approver', 'member', 'token', 'operator')),
  -- Null for tokens of the API, and until the link of an operator is opened.
  token_hash text collate "C",
  org_id text collate "C",
  mode text collate "C" check (mode in ('test', 'live')),
  payment_id text collate "C",
  submission_id text collate "C",
  account_id text collate "C",
  owner_index integer,
  person_id text collate "C",
  -- Of a token: who made it for the person; null: the person, or a development host.
  operator_id text collate "C",
  began text collate "C" check (began in ('mail', 'press', 'passkey', 'operator')),
  -- The command that asked for the link; null on a development host without operators.
  signed text,
  link_hash text collate "C",
  created_at timestamptz not null,
  seen_at timestamptz,
  ends_at timestamptz not null,
  ended_at timestamptz,
  version integer not null,
  check ((kind in ('member', 'token')) = (person_id is not null)),
  check ((kind in ('member', 'operator')) = (org_id is null)),
  check ((kind in ('member', 'operator', 'token')) = (mode is null)),
  check ((kind in ('member', 'operator', 'token')) =
    (payment_id is null and submission_id is null and account_id is null)),
  check ((kind = 'owner') = (owner_index is not null)),
  check ((kind = 'operator') = (link_hash is not null)),
  check (kind <> 'operator' or operator_id is not null),
  check (token_hash is not null or kind in ('token', 'operator')),
  check (kind <> 'token' or token_hash is null),
  check ((token_hash is null) = (seen_at is null))
);

create unique index sessions_token on sessions (token_hash) where token_hash is not null;

create unique index sessions_link on sessions (link_hash) where link_hash is not null;

create index sessions_created on sessions (created_at);

create index sessions_of_payment on sessions (org_id, mode, payment_id, seen_at)
  where payment_id is not null;

create index sessions_of_submission on sessions (org_id, mode, submission_id, seen_at)
  where submission_id is not null;

create index sessions_of_account on sessions (org_id, mode, account_id)
  where account_id is not null and ended_at is null;

-- One link of a seller at a time.
create unique index sessions_seller_link on sessions (org_id, mode, account_id)
  where kind = 'seller_link' and ended_at is null;

create index sessions_of_person on sessions (person_id, id) where person_id is not null;

-- One link or session of an operator at a time.
create unique index sessions_of_operator on sessions (operator_id)
  where kind = 'operator' and ended_at is null;

create table bank_details (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  payment_id text collate "C" not null,
  check_code text collate "C" not null,
  short_id text collate "C" not null,
  buyer_id text collate "C" not null,
  payee_name text,
  record text not null,
  signature text not null,
  key_id text not null,
  issued_at timestamptz not null,
  primary key (org_id, mode, payment_id, check_code)
);

create index bank_details_short_id on bank_details (short_id, check_code);

-- Their accounts, as hashes to search for: with its bank, and by the number that people type.
create table bank_detail_accounts (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  payment_id text collate "C" not null,
  check_code text collate "C" not null,
  account_hash text collate "C" not null,
  number_hash text collate "C" not null,
  short_id text collate "C" not null,
  buyer_id text collate "C" not null,
  payee_name text,
  issued_at timestamptz not null,
  primary key (org_id, mode, payment_id, check_code, account_hash)
);

create index bank_detail_accounts_number on bank_detail_accounts (number_hash, issued_at);

create index bank_detail_accounts_of_page
  on bank_detail_accounts (short_id, number_hash, issued_at);

create index bank_detail_accounts_of_buyer
  on bank_detail_accounts (org_id, mode, buyer_id, account_hash, issued_at);

-- Money that nobody ordered, decisions of operators about money, and what a real settlement partner
-- needs.

-- Deposits: pay-ins of the partner without an order, and their postings.
create table deposits (
  id text collate "C" not null primary key,
  partner text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  book text collate "C" not null check (book in ('payin', 'payout')),
  partner_ref text collate "C" not null,
  receiver_ref text collate "C",
  org_id text collate "C",
  account_id text collate "C",
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  entry_end text not null check (entry_end in ('open', 'completed', 'failed', 'returned')),
  state text not null
    check (state in ('waiting', 'returned', 'assigned', 'refunded', 'resolved', 'withdrawn')),
  payer_sealed text,
  transaction_hash text,
  asset text,
  payment_id text collate "C",
  rule text check (rule in ('quote', 'text', 'amount')),
  entered_at timestamptz not null,
  completed_at timestamptz,
  due_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  tries integer not null default 0,
  consolidated_reference text collate "C",
  version integer not null,
  check ((state = 'assigned') = (payment_id is not null))
);

create unique index deposits_partner_ref on deposits (partner, mode, book, partner_ref);

create index deposits_due on deposits (due_at, id) where due_at is not null;

-- Amounts per currency that wait for a decision.
create index deposits_unmatched on deposits (currency, id)
  where state = 'waiting' and entry_end = 'completed';

create index deposits_waiting on deposits (id)
  where state = 'waiting' and entry_end in ('open', 'completed');

-- The partner's books: pay-ins and payouts are read, what is new often, what has ended for months.
-- Deposits are read with them.
create table book_readings (
  partner text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  book text collate "C" not null check (book in ('payin', 'payout')),
  span text collate "C" not null check (span in ('recent', 'watched', 'complete')),
  from_at timestamptz not null,
  since_at timestamptz not null,
  page_cursor text,
  began_at timestamptz not null,
  completed_at timestamptz,
  tries integer not null,
  due_at timestamptz not null,
  last_error text,
  version integer not null,
  primary key (partner, mode, book, span)
);

-- The last comparison of the partner's books with ours, and when the next one is due.
create table reconciliations (
  partner text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  since_at timestamptz,
  ended_at timestamptz,
  entries integer,
  commands integer,
  differences integer,
  unread integer,
  due_at timestamptz not null,
  version integer not null,
  primary key (partner, mode),
  check ((since_at is null) = (ended_at is null))
);

create table destination_changes (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  account_id text collate "C",
  from_ref text collate "C",
  to_ref text collate "C" not null,
  pix_key_shown text not null,
  changed_by text collate "C" not null,
  created_at timestamptz not null,
  effective_at timestamptz not null,
  stopped_at timestamptz,
  replaced_at timestamptz,
  version integer not null,
  primary key (org_id, mode, id)
);

create unique index destination_changes_id on destination_changes (id);

create index destination_changes_of_account on destination_changes (org_id, mode, account_id, id);

-- People who run commands, each with the public half of a key.
create table operators (
  id text collate "C" not null primary key,
  name text collate "C" not null,
  public_key text collate "C" not null,
  number integer not null,
  created_by text collate "C",
  created_at timestamptz not null,
  removed_by text collate "C",
  removed_at timestamptz,
  signed_at timestamptz not null,
  series integer not null,
  version integer not null
);

create unique index operators_number on operators (number);

create unique index operators_public_key on operators (public_key);

create unique index operators_name on operators (name) where removed_at is null;

-- What operators propose, and confirm.
create table proposals (
  id text collate "C" not null primary key,
  org_id text collate "C",
  mode text collate "C" not null check (mode in ('test', 'live')),
  item_id text collate "C" not null,
  number integer not null,
  action text not null,
  evidence text,
  basis text not null,
  state text collate "C" not null
    check (state in ('proposed', 'done', 'replaced', 'withdrawn', 'void')),
  proposed_by_id text collate "C" not null,
  proposed_by text not null,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  ended_by_id text collate "C",
  ended_by text,
  ended_at timestamptz,
  version integer not null
); -- with rowid

create unique index proposals_of_item on proposals (item_id, number);

-- Organizations ask for production access, and operators decide.
create table production_requests (
  org_id text collate "C" not null,
  id text collate "C" not null,
  requested_by text collate "C" not null,
  answers text not null,
  state text collate "C" not null check (state in ('requested', 'granted', 'refused')),
  decided_by text,
  decided_at timestamptz,
  reason text,
  created_at timestamptz not null,
  version integer not null,
  primary key (org_id, id),
  check ((state = 'requested') = (decided_at is null))
);

-- One waits at a time.
create unique index production_requests_open on production_requests (org_id)
  where state = 'requested';

create index production_requests_waiting on production_requests (id) where state = 'requested';

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
  id text collate "C" not null primary key,
  person_id text collate "C" not null,
  credential_id text collate "C" not null,
  public_key text collate "C" not null,
  sign_count bigint not null,
  name text collate "C" not null,
  created_at timestamptz not null,
  used_at timestamptz,
  removed_at timestamptz,
  version integer not null
);

create unique index passkeys_credential on passkeys (credential_id);

create index passkeys_of_person on passkeys (person_id, id) where removed_at is null;

create table organization_logos (
  org_id text collate "C" not null primary key,
  content_type text collate "C" not null check (content_type in ('image/png', 'image/jpeg')),
  hash text collate "C" not null,
  -- In Base64.
  content text not null,
  version integer not null
);

-- PostgreSQL:

-- Appends the events of a group to the feeds of their tenants: each gets the next number and the
-- hash of the chain. It is the last statement of a transaction, and locks the heads in one order.
create function ponte_append(
  org_ids text[], modes text[], ids text[], types text[], subject_ids text[], bodies text[],
  created_ats timestamptz[], aliases text[], actors text[]
) returns void language plpgsql as $$
declare
  tenant record;
  head feed_heads;
  place integer;
  sequences bigint[];
  chain_hashes text[];
begin
  for tenant in
    select e.org_id, e.mode, array_agg(e.place::integer order by e.place) as places
    from unnest(org_ids, modes) with ordinality as e (org_id, mode, place)
    group by e.org_id, e.mode
    order by e.org_id, e.mode
  loop
    select * into head from feed_heads h
      where h.org_id = tenant.org_id and h.mode = tenant.mode for update;
    if not found then
      insert into feed_heads (org_id, mode, sequence, chain_hash)
        values (tenant.org_id, tenant.mode, 0, '') on conflict do nothing;
      select * into strict head from feed_heads h
        where h.org_id = tenant.org_id and h.mode = tenant.mode for update;
    end if;
    foreach place in array tenant.places loop
      sequences[place] := head.sequence + 1;
      head.sequence := sequences[place] + case when aliases[place] is null then 0 else 1 end;
      head.chain_hash :=
        encode(sha256(convert_to(head.chain_hash || bodies[place], 'UTF8')), 'hex');
      chain_hashes[place] := head.chain_hash;
    end loop;
    update feed_heads h set sequence = head.sequence, chain_hash = head.chain_hash
      where h.org_id = tenant.org_id and h.mode = tenant.mode;
  end loop;
  insert into events (
    org_id, mode, id, type, subject_id, body, created_at, alias, actor, sequence, chain_hash
  )
    select * from unnest(org_ids, modes, ids, types, subject_ids, bodies, created_ats, aliases,
      actors, sequences, chain_hashes);
end
$$;

-- Both:

-- What an organization decides about its books: names of accounts and closed months, as JSON.
create table accounting (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  accounts text collate "C" not null,
  closed_months text collate "C" not null,
  is_summing boolean not null,
  version integer not null,
  primary key (org_id, mode)
);
create index accounting_summing on accounting (org_id, mode) where is_summing;
