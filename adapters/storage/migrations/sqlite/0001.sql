-- Everything that collecting a payment needs. Times are milliseconds since the epoch, amounts minor
-- units. Tenant tables are keyed by org_id first; rows found by an id alone (payments by operators
-- and public id, keys, buyers, inbox, and what workers take when it is due) have an index of their
-- own. No foreign keys: rows are never deleted under others, and a parent row must not become hot.

create table organizations (
  org_id text not null primary key,
  name text not null,
  production_granted_at integer,
  requires_approval integer not null check (requires_approval in (0, 1)),
  created_at integer not null,
  version integer not null
) strict;

create table organization_profiles (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  kyb_status text check (kyb_status in ('verifying', 'approved', 'rejected')),
  receiver_id text,
  partner_ref text,
  virtual_account_ref text,
  destination_ref text,
  version integer not null,
  primary key (org_id, mode)
) strict, without rowid;

create table api_keys (
  id text not null primary key,
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  name text not null,
  scopes text not null,
  salt text not null,
  secret_hash text not null,
  last_used_at integer,
  revoked_at integer,
  created_at integer not null,
  version integer not null
) strict, without rowid;

create index api_keys_of_organization on api_keys (org_id, created_at, id);

create table payments (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  origin text not null check (origin in ('payment_intent', 'invoice')),
  public_id text not null,
  external_id text,
  status text not null check (status in (
    'awaiting_approval', 'approved', 'awaiting_buyer', 'buyer_kyc_pending', 'buyer_kyc_approved',
    'fx_quoted', 'on_ramp_pending', 'on_chain_confirmed', 'offramp_pending', 'settled', 'failed',
    'cancelled', 'expired'
  )),
  amount_minor integer not null check (amount_minor > 0),
  currency text not null,
  buyer_id text not null,
  buyer_email text not null,
  buyer_name text,
  buyer_country text,
  buyer_phone text,
  seller_external_id text,
  destination text not null,
  return_url text,
  display text,
  metadata text not null,
  expires_at integer,
  quote_id text,
  payin_instructions text,
  covered_at integer,
  transaction_hash text,
  settled_minor integer,
  settled_currency text,
  settled_fx_rate text,
  end_to_end_id text,
  failure_reason text,
  cancel_reason text,
  created_at integer not null,
  updated_at integer not null,
  version integer not null,
  primary key (org_id, mode, id)
) strict;

create unique index payments_external_id on payments (org_id, mode, origin, external_id)
  where external_id is not null;
create unique index payments_public_id on payments (public_id);
create index payments_of_buyer on payments (org_id, mode, buyer_id, status, created_at, id);
create index payments_id on payments (id);
create index payments_newest on payments (created_at, id);
create index payments_of_organization on payments (org_id, created_at, id);
create index payments_expiring on payments (expires_at)
  where expires_at is not null and covered_at is null and status in (
    'awaiting_approval', 'approved', 'awaiting_buyer', 'buyer_kyc_pending', 'buyer_kyc_approved',
    'fx_quoted', 'on_ramp_pending'
  );

create table idempotency_keys (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  idempotency_key text not null,
  surface text not null check (surface in ('payment_intent', 'invoice')),
  resource_id text not null,
  created_at integer not null,
  primary key (org_id, mode, idempotency_key)
) strict, without rowid;

create table funds (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  payment_id text not null,
  currency text not null,
  position text not null check (position in (
    'none', 'expected', 'received', 'payout_ordered', 'paid', 'handed_back', 'operator'
  )),
  refund text not null check (refund in (
    'none', 'refund_owed', 'refund_ordered', 'refunded', 'operator'
  )),
  received_minor integer not null check (received_minor >= 0),
  payout_minor integer not null check (payout_minor >= 0),
  refund_owed_minor integer not null check (refund_owed_minor >= 0),
  refund_ordered_minor integer not null check (refund_ordered_minor >= 0),
  refunded_minor integer not null check (refunded_minor >= 0),
  version integer not null,
  primary key (org_id, mode, payment_id),
  -- Never is more handed on than was received.
  check (received_minor >= payout_minor + refund_owed_minor + refund_ordered_minor + refunded_minor)
) strict, without rowid;

create index funds_open on funds (payment_id)
  where refund_owed_minor + refund_ordered_minor > 0
    or position = 'operator' or refund = 'operator';

create table quotes (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  payment_id text not null,
  partner_quote_id text not null,
  source_minor integer not null,
  source_currency text not null,
  fees_minor integer not null,
  fees_currency text not null,
  rate text not null,
  target_minor integer not null,
  target_currency text not null,
  rate_kind text not null check (rate_kind in ('locked', 'indicative')),
  locked_until_at integer,
  expires_at integer not null,
  created_at integer not null,
  primary key (org_id, mode, id)
) strict, without rowid;

create table ledger_lines (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  posting_id text not null,
  line_number integer not null,
  payment_id text not null,
  kind text not null,
  account text not null check (account in (
    'buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds'
  )),
  amount_minor integer not null check (amount_minor <> 0),
  currency text not null,
  posted_at integer not null,
  primary key (org_id, mode, posting_id, line_number)
) strict, without rowid;

create index ledger_lines_of_payment on ledger_lines (org_id, mode, payment_id);

create trigger ledger_lines_keep_update before update on ledger_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

create trigger ledger_lines_keep_delete before delete on ledger_lines
begin
  select raise(abort, 'the ledger is append-only');
end;

-- `insert or replace` would delete a line without asking the trigger above.
create trigger ledger_lines_keep_insert before insert on ledger_lines
when exists (
  select 1 from ledger_lines
  where org_id = new.org_id and mode = new.mode and posting_id = new.posting_id
    and line_number = new.line_number
)
begin
  select raise(abort, 'the ledger is append-only');
end;

create table partner_commands (
  id text not null primary key,
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  kind text not null check (kind in (
    'submit_buyer', 'submit_account', 'provision_rails', 'payin', 'payout', 'refund'
  )),
  payment_id text,
  submission_id text,
  account_id text,
  amount_minor integer,
  currency text,
  state text not null check (state in ('pending', 'sent', 'unknown', 'done', 'refused', 'void')),
  request text,
  partner_ref text,
  order_end text not null check (order_end in ('open', 'completed', 'failed', 'returned')),
  tries integer not null,
  first_sent_at integer,
  due_at integer,
  lease_token text,
  last_error text,
  created_at integer not null,
  updated_at integer not null,
  version integer not null
) strict, without rowid;

create index partner_commands_due on partner_commands (due_at) where due_at is not null;
create index partner_commands_partner_ref on partner_commands (mode, kind, partner_ref)
  where partner_ref is not null;
create index partner_commands_of_payment on partner_commands (org_id, mode, payment_id);
create index partner_commands_newest on partner_commands (created_at, id);
create index partner_commands_stuck on partner_commands (created_at, id)
  where due_at is null and (state = 'unknown' or (kind = 'refund' and state = 'refused'));

create table inbox (
  partner text not null,
  mode text not null check (mode in ('test', 'live')),
  message_id text not null,
  facts text not null,
  received_at integer not null,
  due_at integer,
  tries integer not null,
  version integer not null,
  primary key (partner, mode, message_id)
) strict, without rowid;

create index inbox_due on inbox (due_at) where due_at is not null;

create table advances (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  payment_id text not null,
  to_status text not null,
  due_at integer not null,
  tries integer not null,
  version integer not null,
  primary key (org_id, mode, payment_id)
) strict, without rowid;

create index advances_due on advances (due_at);

create table buyers (
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  email text not null,
  email_key text not null,
  created_at integer not null,
  primary key (mode, id)
) strict, without rowid;

create unique index buyers_email_key on buyers (mode, email_key);

create table kyc_submissions (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  buyer_id text not null,
  receiver_id text not null,
  status text not null check (status in (
    'not_started', 'pending', 'verifying', 'approved', 'rejected'
  )),
  partner_ref text,
  reason text,
  submitted_at integer not null,
  approved_at integer,
  rejected_at integer,
  created_at integer not null,
  version integer not null,
  primary key (org_id, mode, id)
) strict, without rowid;

-- One running or approved submission per tenant and buyer: two starts at once are one.
create unique index kyc_submissions_current on kyc_submissions (org_id, mode, buyer_id)
  where status <> 'rejected';
create index kyc_submissions_of_buyer on kyc_submissions (org_id, mode, buyer_id, created_at, id);
create index kyc_submissions_approved on kyc_submissions (mode, buyer_id, created_at, id)
  where status = 'approved';
create index kyc_submissions_partner_ref on kyc_submissions (mode, partner_ref)
  where partner_ref is not null;

-- A position is never given twice, so that removing a row by it removes no other.
create table outbox (
  position integer primary key autoincrement,
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  event_id text not null,
  type text not null,
  subject_id text not null,
  body text not null,
  created_at integer not null
) strict;

create table feed_heads (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  sequence integer not null,
  chain_hash text not null,
  primary key (org_id, mode)
) strict, without rowid;

create table events (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  sequence integer not null,
  type text not null,
  subject_id text not null,
  body text not null,
  chain_hash text not null,
  created_at integer not null,
  primary key (org_id, mode, id)
) strict;

create unique index events_sequence on events (org_id, mode, sequence);

create table subscriptions (
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  id text not null,
  url text not null,
  event_types text not null,
  active integer not null check (active in (0, 1)),
  secret_sealed text not null,
  created_at integer not null,
  updated_at integer not null,
  version integer not null,
  primary key (org_id, mode, id)
) strict, without rowid;

create index subscriptions_id on subscriptions (id);

create table deliveries (
  id text not null primary key,
  org_id text not null,
  mode text not null check (mode in ('test', 'live')),
  subscription_id text not null,
  event_id text not null,
  event_type text not null,
  status text not null check (status in ('pending', 'delivered', 'dead_letter')),
  attempt integer not null,
  response_status integer,
  last_error text,
  next_attempt_at integer,
  due_at integer,
  lease_token text,
  delivered_at integer,
  duration_ms integer,
  created_at integer not null,
  version integer not null,
  -- Something is to be done exactly while it is pending.
  check ((status = 'pending') = (due_at is not null))
) strict, without rowid;

create index deliveries_of_subscription on deliveries (subscription_id, id);
create index deliveries_due on deliveries (subscription_id, due_at) where due_at is not null;
create index deliveries_spent on deliveries (due_at) where due_at is not null and attempt >= 7;
create index deliveries_leased on deliveries (due_at) where lease_token is not null;
create index deliveries_dead on deliveries (id) where status = 'dead_letter';

create table delivery_attempts (
  delivery_id text not null,
  id text not null,
  attempt integer not null,
  started_at integer not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  error text,
  primary key (delivery_id, id)
) strict;
