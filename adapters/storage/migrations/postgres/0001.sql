-- What collecting a payment needs, and with 0002.sql all that migrations/sqlite made step by step.
-- Times have their zone, amounts are minor units. Key columns compare byte by byte whatever the
-- locale of the database: ids sort by creation, and both databases list in one order. No foreign
-- keys: rows are never deleted under others, and a parent row must not become hot.

-- A statement of a batch that misses its row must fail the batch, not commit the rest.
create function ponte_expect(hits bigint, expected bigint) returns void language plpgsql as $$
begin
  if hits <> expected then
    raise exception 'expected % rows, hit %', expected, hits using errcode = 'PT409';
  end if;
end
$$;

create table organizations (
  org_id text collate "C" not null primary key,
  name text not null,
  production_granted_at timestamptz,
  requires_approval boolean not null,
  created_at timestamptz not null,
  version integer not null
);

create table organization_profiles (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  kyb_status text check (kyb_status in ('verifying', 'approved', 'rejected')),
  receiver_id text collate "C",
  partner_ref text collate "C",
  virtual_account_ref text collate "C",
  destination_ref text collate "C",
  version integer not null,
  kyb_command_id text collate "C",
  tos_id text collate "C",
  tos_accepted_at timestamptz,
  primary key (org_id, mode)
);

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
  created_at timestamptz not null,
  version integer not null
);

create index api_keys_of_organization on api_keys (org_id, created_at, id);

create table payments (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  origin text collate "C" not null check (origin in ('payment_intent', 'invoice')),
  public_id text collate "C" not null,
  external_id text collate "C",
  status text collate "C" not null check (status in (
    'awaiting_approval', 'approved', 'awaiting_buyer', 'buyer_kyc_pending', 'buyer_kyc_approved',
    'fx_quoted', 'on_ramp_pending', 'on_chain_confirmed', 'offramp_pending', 'settled', 'failed',
    'cancelled', 'expired'
  )),
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
  settled_minor bigint,
  settled_currency text,
  settled_fx_rate text,
  end_to_end_id text collate "C",
  failure_reason text,
  cancel_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  number text,
  due_date text,
  created_by_member_id text collate "C",
  approved_by_member_id text collate "C",
  invited_at timestamptz,
  primary key (org_id, mode, id)
);

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
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  idempotency_key text collate "C" not null,
  surface text not null check (surface in ('payment_intent', 'invoice')),
  resource_id text collate "C" not null,
  created_at timestamptz not null,
  primary key (org_id, mode, idempotency_key)
);

create table funds (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  payment_id text collate "C" not null,
  currency text not null,
  position text not null check (position in (
    'none', 'expected', 'received', 'payout_ordered', 'paid', 'handed_back', 'operator'
  )),
  refund text not null check (refund in (
    'none', 'refund_owed', 'refund_ordered', 'refunded', 'operator'
  )),
  received_minor bigint not null check (received_minor >= 0),
  payout_minor bigint not null check (payout_minor >= 0),
  refund_owed_minor bigint not null check (refund_owed_minor >= 0),
  refund_ordered_minor bigint not null check (refund_ordered_minor >= 0),
  refunded_minor bigint not null check (refunded_minor >= 0),
  version integer not null,
  primary key (org_id, mode, payment_id),
  -- Never is more handed on than was received.
  check (received_minor >= payout_minor + refund_owed_minor + refund_ordered_minor + refunded_minor)
);

create index funds_open on funds (payment_id)
  where refund_owed_minor + refund_ordered_minor > 0
    or position = 'operator' or refund = 'operator';

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

create table ledger_lines (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  posting_id text collate "C" not null,
  line_number integer not null,
  payment_id text collate "C" not null,
  kind text collate "C" not null,
  account text not null check (account in (
    'buyer', 'partner_float', 'conversion', 'fees', 'seller', 'refunds'
  )),
  amount_minor bigint not null check (amount_minor <> 0),
  currency text not null,
  posted_at timestamptz not null,
  primary key (org_id, mode, posting_id, line_number)
);

create index ledger_lines_of_payment on ledger_lines (org_id, mode, payment_id);

create function ponte_ledger_keeps() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end
$$;

create trigger ledger_lines_keep before update or delete on ledger_lines
  for each row execute function ponte_ledger_keeps();

create trigger ledger_lines_keep_all before truncate on ledger_lines
  for each statement execute function ponte_ledger_keeps();

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

create table outbox (
  position bigint generated always as identity primary key,
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  event_id text collate "C" not null,
  type text not null,
  subject_id text collate "C" not null,
  body text not null,
  created_at timestamptz not null
);

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
  subject_id text collate "C" not null,
  body text not null,
  chain_hash text collate "C" not null,
  created_at timestamptz not null,
  primary key (org_id, mode, id)
);

create unique index events_sequence on events (org_id, mode, sequence);

create table subscriptions (
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  id text collate "C" not null,
  url text not null,
  event_types text not null,
  active boolean not null,
  secret_sealed text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null,
  primary key (org_id, mode, id)
);

create index subscriptions_id on subscriptions (id);

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
  created_at timestamptz not null,
  version integer not null,
  -- Something is to be done exactly while it is pending.
  check ((status = 'pending') = (due_at is not null))
);

create index deliveries_of_subscription on deliveries (subscription_id, id);
create index deliveries_due on deliveries (subscription_id, due_at) where due_at is not null;
create index deliveries_spent on deliveries (due_at) where due_at is not null and attempt >= 7;
create index deliveries_leased on deliveries (due_at) where lease_token is not null;
create index deliveries_dead on deliveries (id) where status = 'dead_letter';

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
);

create table partner_commands (
  id text collate "C" not null primary key,
  org_id text collate "C" not null,
  mode text collate "C" not null check (mode in ('test', 'live')),
  kind text collate "C" not null check (kind in (
    'submit_organization', 'submit_buyer', 'submit_account', 'provision_rails', 'payin', 'payout',
    'refund'
  )),
  payment_id text collate "C",
  submission_id text collate "C",
  account_id text collate "C",
  amount_minor bigint,
  currency text,
  state text not null check (state in ('pending', 'sent', 'unknown', 'done', 'refused', 'void')),
  request text,
  partner_ref text collate "C",
  order_end text not null
    check (order_end in ('open', 'completed', 'failed', 'returned')),
  tries integer not null,
  first_sent_at timestamptz,
  due_at timestamptz,
  lease_token text,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null
);

create index partner_commands_due on partner_commands (due_at) where due_at is not null;
create index partner_commands_partner_ref on partner_commands (mode, kind, partner_ref)
  where partner_ref is not null;
create index partner_commands_of_payment on partner_commands (org_id, mode, payment_id);
create index partner_commands_newest on partner_commands (created_at, id);
create index partner_commands_stuck on partner_commands (created_at, id)
  where due_at is null and (state = 'unknown' or (kind = 'refund' and state = 'refused'));
create index payments_invoices on payments (org_id, mode, id) where origin = 'invoice';
create index payments_invoices_of_status on payments (org_id, mode, status, id)
  where origin = 'invoice';

-- When the next create of a key is due. Not logged: after a crash of the database every key starts
-- rested, and no create waits for a disk because of its limit.
create unlogged table rate_limits (
  key text collate "C" not null primary key,
  tat_micros bigint not null
);

-- Which secret keys have sealed something here: a known text, sealed under each key that was ever
-- the first one. A start with other keys is refused, because nothing would open.
create table key_canaries (
  key_id text collate "C" not null primary key,
  sealed text not null,
  created_at timestamptz not null
);
