-- The schema on postgres. Written by `npm run -s schema`; edits are lost.

create or replace function ponte_append(org_ids text[], modes text[], ids text[], types text[],
    subject_ids text[], bodies text[], created_ats timestamp with time zone[], aliases text[],
    actors text[])
 returns void
 language plpgsql
as $function$
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
$function$;

create or replace function ponte_audit_keeps()
 returns trigger
 language plpgsql
as $function$
begin
  raise exception 'the audit log is append-only';
end
$function$;

create or replace function ponte_expect(hits bigint, expected bigint)
 returns void
 language plpgsql
as $function$
begin
  if hits <> expected then
    raise exception 'expected % rows, hit %', expected, hits using errcode = 'PT409';
  end if;
end
$function$;

create or replace function ponte_ledger_keeps()
 returns trigger
 language plpgsql
as $function$
begin
  raise exception 'the ledger is append-only';
end
$function$;

create table accounting (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  accounts text collate "C" not null,
  closed_months text collate "C" not null,
  version integer not null,
  constraint accounting_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint accounting_pkey primary key (org_id, mode)
);

create table advances (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  payment_id text collate "C" not null,
  to_status text not null,
  due_at timestamp with time zone not null,
  tries integer not null,
  version integer not null,
  constraint advances_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint advances_pkey primary key (org_id, mode, payment_id)
);

create index advances_due on advances using btree (due_at);

create table api_keys (
  id text collate "C" not null,
  org_id text collate "C" not null,
  mode text collate "C" not null,
  name text not null,
  scopes text not null,
  salt text not null,
  secret_hash text collate "C" not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  slot integer,
  created_at timestamp with time zone not null,
  created_by text collate "C",
  kept_by text collate "C",
  expires_at timestamp with time zone,
  rolled_at timestamp with time zone,
  networks text not null default '[]'::text,
  used_scopes text not null default '[]'::text,
  kept_scopes text not null default '[]'::text,
  version integer not null,
  constraint api_keys_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint api_keys_pkey primary key (id)
);

create index api_keys_active on api_keys using btree (org_id, id) where (revoked_at is null);

create index api_keys_revoked on api_keys using btree (org_id, id) where (revoked_at is not null);

create unique index api_keys_slot on api_keys using btree (org_id, mode, slot) where ((revoked_at
    is null) and (slot is not null));

create table bank_detail_accounts (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  payment_id text collate "C" not null,
  check_code text collate "C" not null,
  account_hash text collate "C" not null,
  number_hash text collate "C" not null,
  short_id text collate "C" not null,
  buyer_id text collate "C" not null,
  payee_name text,
  issued_at timestamp with time zone not null,
  constraint bank_detail_accounts_mode_check check ((mode = any (array['test'::text,
    'live'::text]))),
  constraint bank_detail_accounts_pkey primary key (org_id, mode, payment_id, check_code,
    account_hash)
);

create index bank_detail_accounts_number on bank_detail_accounts using btree (number_hash,
    issued_at);

create index bank_detail_accounts_of_buyer on bank_detail_accounts using btree (org_id, mode,
    buyer_id, account_hash, issued_at);

create index bank_detail_accounts_of_page on bank_detail_accounts using btree (short_id,
    number_hash, issued_at);

create table bank_details (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  payment_id text collate "C" not null,
  check_code text collate "C" not null,
  short_id text collate "C" not null,
  buyer_id text collate "C" not null,
  payee_name text,
  record text not null,
  signature text not null,
  key_id text not null,
  issued_at timestamp with time zone not null,
  constraint bank_details_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint bank_details_pkey primary key (org_id, mode, payment_id, check_code)
);

create index bank_details_short_id on bank_details using btree (short_id, check_code);

create table book_readings (
  partner text collate "C" not null,
  mode text collate "C" not null,
  book text collate "C" not null,
  span text collate "C" not null,
  from_at timestamp with time zone not null,
  since_at timestamp with time zone not null,
  page_cursor text,
  began_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  tries integer not null,
  due_at timestamp with time zone not null,
  last_error text,
  version integer not null,
  constraint book_readings_book_check check ((book = any (array['payin'::text, 'payout'::text]))),
  constraint book_readings_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint book_readings_pkey primary key (partner, mode, book, span),
  constraint book_readings_span_check check ((span = any (array['recent'::text, 'watched'::text,
    'complete'::text])))
);

create table buyers (
  mode text collate "C" not null,
  id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint buyers_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint buyers_pkey primary key (mode, id)
);

create unique index buyers_email_key on buyers using btree (mode, email_key);

create table connected_accounts (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  external_id text collate "C",
  role text collate "C" not null,
  entity_type text not null,
  status text collate "C" not null,
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
  ready_at timestamp with time zone,
  reason text,
  approved_at timestamp with time zone,
  rejected_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  corrections text,
  answer_by timestamp with time zone,
  answer_alerted_at timestamp with time zone,
  held_ref text collate "C",
  held_until timestamp with time zone,
  version integer not null,
  constraint connected_accounts_entity_type_check check ((entity_type = any
    (array['business'::text, 'individual'::text]))),
  constraint connected_accounts_mode_check check ((mode = any (array['test'::text,
    'live'::text]))),
  constraint connected_accounts_pkey primary key (org_id, mode, id),
  constraint connected_accounts_role_check check ((role = any (array['seller'::text,
    'buyer'::text]))),
  constraint connected_accounts_status_check check ((status = any (array['created'::text,
    'verifying'::text, 'approved'::text, 'rejected'::text])))
);

create unique index connected_accounts_external_id on connected_accounts using btree (org_id,
    mode, external_id) where (external_id is not null);

create index connected_accounts_of_both on connected_accounts using btree (org_id, mode, role,
    status, id);

create index connected_accounts_of_buyer on connected_accounts using btree (org_id, mode,
    email_key, id) where ((role = 'buyer'::text) and (status = any (array['verifying'::text,
    'approved'::text])));

create index connected_accounts_of_role on connected_accounts using btree (org_id, mode, role, id);

create index connected_accounts_of_status on connected_accounts using btree (org_id, mode, status,
    id);

create index connected_accounts_partner_ref on connected_accounts using btree (mode, partner_ref)
    where (partner_ref is not null);

create index connected_accounts_to_unhold on connected_accounts using btree (held_until, id) where
    (held_until is not null);

create table deliveries (
  id text collate "C" not null,
  org_id text collate "C" not null,
  mode text collate "C" not null,
  subscription_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  status text collate "C" not null,
  attempt integer not null,
  response_status integer,
  last_error text,
  next_attempt_at timestamp with time zone,
  due_at timestamp with time zone,
  lease_token text,
  delivered_at timestamp with time zone,
  duration_ms integer,
  resent boolean not null,
  created_at timestamp with time zone not null,
  first_started_at timestamp with time zone,
  first_duration_ms integer,
  first_response_status integer,
  first_response_body text,
  first_error text,
  version integer not null,
  constraint deliveries_check check (((status = 'pending'::text) = (due_at is not null))),
  constraint deliveries_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint deliveries_pkey primary key (id),
  constraint deliveries_status_check check ((status = any (array['pending'::text,
    'delivered'::text, 'dead_letter'::text])))
);

create index deliveries_dead on deliveries using btree (id) where (status = 'dead_letter'::text);

create index deliveries_dead_of_subscription on deliveries using btree (subscription_id, id) where
    (status = 'dead_letter'::text);

create index deliveries_in_turn on deliveries using btree (subscription_id, due_at, id) where
    (due_at is not null);

create index deliveries_leased on deliveries using btree (due_at) where (lease_token is not null);

create index deliveries_of_event on deliveries using btree (event_id, id);

create index deliveries_of_subscription on deliveries using btree (subscription_id, id);

create index deliveries_pending_of_subscription on deliveries using btree (subscription_id, id)
    where (status = 'pending'::text);

create index deliveries_undelivered on deliveries using btree (created_at) where ((status =
    'pending'::text) and (next_attempt_at is not null));

create table delivery_attempts (
  delivery_id text collate "C" not null,
  id text collate "C" not null,
  attempt integer not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  error text,
  constraint delivery_attempts_pkey primary key (delivery_id, id)
);

create table deposits (
  id text collate "C" not null,
  partner text collate "C" not null,
  mode text collate "C" not null,
  book text collate "C" not null,
  partner_ref text collate "C" not null,
  receiver_ref text collate "C",
  org_id text collate "C",
  account_id text collate "C",
  amount_minor bigint not null,
  currency text not null,
  entry_end text not null,
  state text not null,
  payer_sealed text,
  transaction_hash text,
  asset text,
  payment_id text collate "C",
  rule text,
  entered_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  tries integer not null default 0,
  due_at timestamp with time zone,
  last_error text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  consolidated_reference text collate "C",
  version integer not null,
  constraint deposits_amount_minor_check check ((amount_minor > 0)),
  constraint deposits_book_check check ((book = any (array['payin'::text, 'payout'::text]))),
  constraint deposits_check check (((state = 'assigned'::text) = (payment_id is not null))),
  constraint deposits_entry_end_check check ((entry_end = any (array['open'::text,
    'completed'::text, 'failed'::text, 'returned'::text]))),
  constraint deposits_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint deposits_pkey primary key (id),
  constraint deposits_rule_check check ((rule = any (array['quote'::text, 'text'::text,
    'amount'::text]))),
  constraint deposits_state_check check ((state = any (array['waiting'::text, 'returned'::text,
    'assigned'::text, 'refunded'::text, 'resolved'::text, 'withdrawn'::text])))
);

create index deposits_due on deposits using btree (due_at, id) where (due_at is not null);

create unique index deposits_partner_ref on deposits using btree (partner, mode, book, partner_ref);

create index deposits_unmatched on deposits using btree (currency, id) where ((state =
    'waiting'::text) and (entry_end = 'completed'::text));

create index deposits_waiting on deposits using btree (id) where ((state = 'waiting'::text) and
    (entry_end = any (array['open'::text, 'completed'::text])));

create table destination_changes (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C",
  from_ref text collate "C",
  to_ref text collate "C" not null,
  pix_key_shown text not null,
  changed_by text collate "C" not null,
  created_at timestamp with time zone not null,
  effective_at timestamp with time zone not null,
  stopped_at timestamp with time zone,
  replaced_at timestamp with time zone,
  version integer not null,
  constraint destination_changes_mode_check check ((mode = any (array['test'::text,
    'live'::text]))),
  constraint destination_changes_pkey primary key (org_id, mode, id)
);

create unique index destination_changes_id on destination_changes using btree (id);

create index destination_changes_of_account on destination_changes using btree (org_id, mode,
    account_id, id);

create table documents (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  owner_party text collate "C" not null,
  owner_id text collate "C" not null,
  kind text collate "C" not null,
  owner_index integer,
  content_type text not null,
  upload_until_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  status text collate "C" not null,
  content_name text,
  size_bytes integer,
  due_at timestamp with time zone,
  tries integer not null,
  purged_at timestamp with time zone,
  uploads integer not null,
  slot integer,
  upload_token_hash text not null,
  read_token_hash text not null,
  file_name text,
  expires_on text,
  version integer not null,
  constraint documents_content_type_check check ((content_type = any (array['image/jpeg'::text,
    'image/png'::text, 'application/pdf'::text]))),
  constraint documents_kind_check check ((kind = any (array['selfie'::text, 'id_doc_front'::text,
    'id_doc_back'::text, 'proof_of_address'::text, 'incorporation_doc'::text,
    'proof_of_ownership_doc'::text, 'attachment'::text, 'w8'::text, 'engagement_letter'::text,
    'holder_tax_form'::text, 'bank_letter'::text, 'registration'::text]))),
  constraint documents_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint documents_owner_party_check check ((owner_party = any (array['account'::text,
    'buyer'::text, 'organization'::text, 'payment'::text, 'vendor'::text]))),
  constraint documents_pkey primary key (org_id, mode, id),
  constraint documents_status_check check ((status = any (array['awaiting'::text, 'stored'::text,
    'submitted'::text, 'purging'::text, 'purged'::text])))
);

create index documents_due on documents using btree (due_at) where (due_at is not null);

create index documents_id on documents using btree (id);

create index documents_kept on documents using btree (id) where (status <> 'purged'::text);

create index documents_of_owner on documents using btree (org_id, mode, owner_party, owner_id,
    status);

create unique index documents_slot on documents using btree (org_id, mode, owner_party, owner_id,
    slot) where ((status <> 'purged'::text) and (slot is not null));

create index documents_stored on documents using btree (org_id, mode, size_bytes) where
    (content_name is not null);

create table epochs (
  number bigint not null,
  cause text not null,
  state text not null,
  began_at timestamp with time zone not null,
  check_progress text,
  checked_at timestamp with time zone,
  released_at timestamp with time zone,
  released_by text,
  forced_because text,
  timeline integer,
  version integer not null,
  constraint epochs_cause_check check ((cause = any (array['initial'::text, 'restored'::text,
    'lost_commits'::text]))),
  constraint epochs_number_check check ((number > 0)),
  constraint epochs_pkey primary key (number),
  constraint epochs_state_check check ((state = any (array['open'::text, 'quarantine'::text,
    'over'::text])))
);

create index epochs_state on epochs using btree (state);

create table events (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  sequence bigint not null,
  type text not null,
  alias text,
  subject_id text collate "C" not null,
  body text not null,
  chain_hash text collate "C" not null,
  created_at timestamp with time zone not null,
  actor text collate "C" not null,
  constraint events_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint events_pkey primary key (org_id, mode, id)
);

create index events_of_subject on events using btree (org_id, mode, subject_id, sequence);

create unique index events_sequence on events using btree (org_id, mode, sequence);

create trigger events_keep_audit before delete or update on events for each row when ((old.org_id
    = 'service'::text)) execute function ponte_audit_keeps();

create trigger events_keep_audit_all before truncate on events for each statement execute function
    ponte_audit_keeps();

create table feed_heads (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  sequence bigint not null,
  chain_hash text collate "C" not null,
  constraint feed_heads_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint feed_heads_pkey primary key (org_id, mode)
);

create table fingerprints (
  name text collate "C" not null,
  value text not null,
  created_at timestamp with time zone not null,
  constraint fingerprints_pkey primary key (name)
);

create table funds (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  payment_id text collate "C" not null,
  currency text not null,
  position text not null,
  refund text not null,
  received_minor bigint not null,
  payout_minor bigint not null,
  refund_owed_minor bigint not null,
  refund_ordered_minor bigint not null,
  refunded_minor bigint not null,
  loss_minor bigint not null,
  written_off_minor bigint not null default 0,
  version integer not null,
  constraint funds_check check (((received_minor + loss_minor) >= (((payout_minor +
    refund_owed_minor) + refund_ordered_minor) + refunded_minor))),
  constraint funds_loss_minor_check check ((loss_minor >= 0)),
  constraint funds_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint funds_payout_minor_check check ((payout_minor >= 0)),
  constraint funds_pkey primary key (org_id, mode, payment_id),
  constraint funds_position_check check (("position" = any (array['none'::text, 'expected'::text,
    'received'::text, 'payout_ordered'::text, 'paid'::text, 'returned_to_buyer'::text,
    'needs_review'::text]))),
  constraint funds_received_minor_check check ((received_minor >= 0)),
  constraint funds_refund_check check ((refund = any (array['none'::text, 'refund_owed'::text,
    'refund_ordered'::text, 'refunded'::text, 'needs_review'::text]))),
  constraint funds_refund_ordered_minor_check check ((refund_ordered_minor >= 0)),
  constraint funds_refund_owed_minor_check check ((refund_owed_minor >= 0)),
  constraint funds_refunded_minor_check check ((refunded_minor >= 0)),
  constraint funds_written_off_minor_check check ((written_off_minor >= 0))
);

create index funds_open on funds using btree (payment_id) where (((refund_owed_minor +
    refund_ordered_minor) > 0) or (loss_minor > 0) or ("position" = 'needs_review'::text) or
    (refund = 'needs_review'::text));

create index funds_received on funds using btree (payment_id) where ("position" = 'received'::text);

create table idempotency_keys (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  idempotency_key text collate "C" not null,
  surface text not null,
  resource_id text collate "C" not null,
  created_at timestamp with time zone not null,
  body_macs text,
  constraint idempotency_keys_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint idempotency_keys_pkey primary key (org_id, mode, idempotency_key),
  constraint idempotency_keys_surface_check check ((surface = any (array['payment_intent'::text,
    'invoice'::text, 'connected_account'::text])))
);

create table inbox (
  partner text collate "C" not null,
  mode text collate "C" not null,
  message_id text collate "C" not null,
  facts text not null,
  received_at timestamp with time zone not null,
  due_at timestamp with time zone,
  tries integer not null,
  version integer not null,
  constraint inbox_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint inbox_pkey primary key (partner, mode, message_id)
);

create index inbox_applied on inbox using btree (received_at, message_id) where (due_at is null);

create index inbox_due on inbox using btree (due_at) where (due_at is not null);

create table key_check_values (
  key_id text collate "C" not null,
  sealed text not null,
  state text not null,
  created_at timestamp with time zone not null,
  version integer not null,
  constraint key_check_values_pkey primary key (key_id),
  constraint key_check_values_state_check check ((state = any (array['in_use'::text,
    'retiring'::text])))
);

create table kyc_submissions (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  buyer_id text collate "C" not null,
  receiver_id text collate "C" not null,
  status text collate "C" not null,
  partner_ref text collate "C",
  reason text,
  submitted_at timestamp with time zone not null,
  approved_at timestamp with time zone,
  rejected_at timestamp with time zone,
  flow_id text collate "C",
  tos_id text collate "C",
  draft_sealed text,
  created_at timestamp with time zone not null,
  corrections text,
  dossier_sealed text,
  submit_command_id text,
  answer_by timestamp with time zone,
  answer_alerted_at timestamp with time zone,
  submitted_by text collate "C" not null,
  legal_name text,
  country text,
  born_hash text,
  tax_hash text,
  document_hash text,
  fact_tries integer not null,
  version integer not null,
  constraint kyc_submissions_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint kyc_submissions_pkey primary key (org_id, mode, id),
  constraint kyc_submissions_status_check check ((status = any (array['not_started'::text,
    'pending'::text, 'verifying'::text, 'approved'::text, 'rejected'::text]))),
  constraint kyc_submissions_submitted_by_check check ((submitted_by = any
    (array['integrator'::text, 'person'::text])))
);

create index kyc_submissions_approved on kyc_submissions using btree (mode, buyer_id,
    submitted_by, created_at, id) where (status = 'approved'::text);

create unique index kyc_submissions_current on kyc_submissions using btree (org_id, mode,
    buyer_id) where (status <> 'rejected'::text);

create unique index kyc_submissions_flow on kyc_submissions using btree (flow_id) where (flow_id
    is not null);

create index kyc_submissions_of_buyer on kyc_submissions using btree (org_id, mode, buyer_id,
    created_at, id);

create index kyc_submissions_partner_ref on kyc_submissions using btree (mode, partner_ref) where
    (partner_ref is not null);

create table ledger_lines (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  posting_id text collate "C" not null,
  line_number integer not null,
  payment_id text collate "C" not null,
  kind text collate "C" not null,
  account text not null,
  amount_minor bigint not null,
  currency text not null,
  posted_at timestamp with time zone not null,
  constraint ledger_lines_account_check check ((account = any (array['buyer'::text,
    'partner_float'::text, 'conversion'::text, 'fees'::text, 'seller'::text, 'refunds'::text,
    'losses'::text, 'operator'::text, 'suspense'::text, 'adjustments'::text,
    'write_offs'::text]))),
  constraint ledger_lines_amount_minor_check check ((amount_minor <> 0)),
  constraint ledger_lines_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint ledger_lines_pkey primary key (org_id, mode, posting_id, line_number)
);

create index ledger_lines_of_payment on ledger_lines using btree (org_id, mode, payment_id);

create index ledger_lines_of_sellers on ledger_lines using btree (org_id, mode, posted_at) where
    (account = 'seller'::text);

create trigger ledger_lines_keep before delete or update on ledger_lines for each row execute
    function ponte_ledger_keeps();

create trigger ledger_lines_keep_all before truncate on ledger_lines for each statement execute
    function ponte_ledger_keeps();

create table mails (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  purpose text not null,
  payment_id text collate "C",
  account_id text collate "C",
  to_address text not null,
  to_key text collate "C" not null,
  nth integer,
  token_hash text collate "C",
  token_sealed text,
  link_ends_at timestamp with time zone not null,
  link_used_at timestamp with time zone,
  status text collate "C" not null,
  tries integer not null,
  is_blocked boolean not null,
  due_at timestamp with time zone,
  lease_token text,
  last_error text,
  sent_at timestamp with time zone,
  created_at timestamp with time zone not null,
  submission_id text collate "C",
  owner_index integer,
  action text,
  action_org_id text collate "C",
  cause text collate "C",
  locale text not null default 'en'::text,
  code_hash text,
  code_tries integer not null default 0,
  browser_hash text collate "C",
  member_id text collate "C",
  approval_payment_id text collate "C",
  version integer not null,
  constraint mails_check check (((status = 'pending'::text) = (due_at is not null))),
  constraint mails_check1 check ((((status = 'pending'::text) and (token_hash is not null)) =
    (token_sealed is not null))),
  constraint mails_check2 check (((purpose = 'confirmation'::text) = (action is not null))),
  constraint mails_check3 check (((owner_index is null) or (submission_id is not null))),
  constraint mails_check4 check (((browser_hash is null) or (code_hash is not null))),
  constraint mails_check5 check (((code_hash is null) or (token_hash is not null))),
  constraint mails_check6 check (((token_hash is null) or (payment_id is not null) or
    (approval_payment_id is not null) or (submission_id is not null) or (member_id is not null) or
    (org_id = 'service'::text))),
  constraint mails_locale_check check ((locale = any (array['en'::text, 'pt-BR'::text,
    'es'::text]))),
  constraint mails_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint mails_pkey primary key (org_id, mode, id),
  constraint mails_purpose_check check ((purpose = any (array['invitation'::text, 'sign_in'::text,
    'confirmation'::text, 'owner_link'::text, 'approval_link'::text, 'payout_changed'::text,
    'production_decided'::text, 'kyc_approved'::text, 'kyc_more'::text, 'kyc_rejected'::text,
    'approval_given'::text, 'approval_declined'::text, 'instructions_ready'::text,
    'money_short'::text, 'money_received'::text, 'receipt'::text, 'cancelled'::text,
    'expired'::text, 'failed'::text, 'refund_ordered'::text, 'refunded'::text, 'reminder'::text,
    'question'::text, 'money_moved'::text, 'payment_approved'::text, 'buyer_differs'::text,
    'payment_settled'::text, 'paper_ends'::text, 'webhooks_gave_up'::text, 'passkey_added'::text,
    'passkey_removed'::text, 'live_key_created'::text, 'team_changed'::text,
    'passkeys_reset'::text]))),
  constraint mails_status_check check ((status = any (array['pending'::text, 'sent'::text,
    'refused'::text, 'dropped'::text])))
);

create index mails_blocked on mails using btree (id) where (is_blocked and (status =
    'pending'::text));

create index mails_due on mails using btree (due_at) where (due_at is not null);

create index mails_id on mails using btree (id);

create index mails_leased on mails using btree (due_at) where (lease_token is not null);

create unique index mails_numbered on mails using btree (org_id, mode, to_key, purpose, nth) where
    (nth is not null);

create index mails_of_approval on mails using btree (org_id, mode, approval_payment_id) where
    (approval_payment_id is not null);

create unique index mails_of_cause on mails using btree (org_id, mode, cause) where (cause is not
    null);

create index mails_of_member on mails using btree (org_id, mode, member_id) where (member_id is
    not null);

create index mails_of_payment on mails using btree (org_id, mode, payment_id) where (token_hash is
    not null);

create index mails_of_status on mails using btree (status, id);

create index mails_of_submission on mails using btree (org_id, mode, submission_id, id) where
    (submission_id is not null);

create index mails_sent_to on mails using btree (org_id, to_key) where (sent_at is not null);

create unique index mails_token_hash on mails using btree (token_hash);

create table member_sessions (
  id text collate "C" not null,
  person_id text collate "C" not null,
  org_id text collate "C",
  began text collate "C" not null,
  created_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  token_hash text collate "C",
  seen_at timestamp with time zone,
  operator_id text collate "C",
  version integer not null,
  constraint member_sessions_began_check check ((began = any (array['mail'::text, 'press'::text,
    'passkey'::text, 'operator'::text]))),
  constraint member_sessions_check check (((token_hash is null) = (org_id is not null))),
  constraint member_sessions_check1 check (((token_hash is null) = (seen_at is null))),
  constraint member_sessions_pkey primary key (id)
);

create index member_sessions_created on member_sessions using btree (created_at);

create index member_sessions_of_person on member_sessions using btree (person_id, id);

create unique index member_sessions_token on member_sessions using btree (token_hash) where
    (token_hash is not null);

create table members (
  org_id text collate "C" not null,
  id text collate "C" not null,
  person_id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  name text,
  role text collate "C" not null,
  accepted_at timestamp with time zone,
  seen_at timestamp with time zone,
  removed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  version integer not null,
  constraint members_pkey primary key (org_id, id),
  constraint members_role_check check ((role = any (array['owner'::text, 'admin'::text,
    'finance'::text, 'viewer'::text])))
);

create unique index members_email on members using btree (org_id, email_key) where (removed_at is
    null);

create index members_of_person on members using btree (person_id, id) where (removed_at is null);

create table name_words (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  word text collate "C" not null,
  owner_id text collate "C" not null,
  version integer not null,
  constraint name_words_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint name_words_pkey primary key (org_id, mode, word, owner_id)
);

create index name_words_of_owner on name_words using btree (owner_id, org_id, mode, word);

create table operator_sessions (
  id text collate "C" not null,
  operator_id text collate "C" not null,
  signed text,
  link_hash text collate "C" not null,
  link_ends_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  token_hash text collate "C",
  opened_at timestamp with time zone,
  seen_at timestamp with time zone,
  ends_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  version integer not null,
  constraint operator_sessions_check check (((token_hash is null) = (opened_at is null))),
  constraint operator_sessions_check1 check (((token_hash is null) = (seen_at is null))),
  constraint operator_sessions_pkey primary key (id)
);

create index operator_sessions_created on operator_sessions using btree (created_at);

create unique index operator_sessions_link on operator_sessions using btree (link_hash);

create unique index operator_sessions_open on operator_sessions using btree (operator_id) where
    (ended_at is null);

create unique index operator_sessions_token on operator_sessions using btree (token_hash) where
    (token_hash is not null);

create table operators (
  id text collate "C" not null,
  name text collate "C" not null,
  public_key text collate "C" not null,
  number integer not null,
  created_by text collate "C",
  created_at timestamp with time zone not null,
  removed_by text collate "C",
  removed_at timestamp with time zone,
  signed_at timestamp with time zone not null,
  version integer not null,
  constraint operators_pkey primary key (id)
);

create unique index operators_name on operators using btree (name) where (removed_at is null);

create unique index operators_number on operators using btree (number);

create unique index operators_public_key on operators using btree (public_key);

create table organization_logos (
  org_id text collate "C" not null,
  content_type text collate "C" not null,
  hash text collate "C" not null,
  content text not null,
  version integer not null,
  constraint organization_logos_content_type_check check ((content_type = any
    (array['image/png'::text, 'image/jpeg'::text]))),
  constraint organization_logos_pkey primary key (org_id)
);

create table organization_profiles (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  kyb_status text,
  receiver_id text collate "C",
  partner_ref text collate "C",
  virtual_account_ref text collate "C",
  destination_ref text collate "C",
  kyb_command_id text collate "C",
  tos_id text collate "C",
  tos_accepted_at timestamp with time zone,
  corrections text,
  answer_by timestamp with time zone,
  answer_alerted_at timestamp with time zone,
  reason text,
  approved_at timestamp with time zone,
  rejected_at timestamp with time zone,
  rails_command_id text,
  intents_need_approval boolean not null default false,
  held_ref text collate "C",
  held_until timestamp with time zone,
  payout_hold_hours integer not null default 24,
  version integer not null,
  constraint organization_profiles_kyb_status_check check ((kyb_status = any
    (array['verifying'::text, 'approved'::text, 'rejected'::text]))),
  constraint organization_profiles_mode_check check ((mode = any (array['test'::text,
    'live'::text]))),
  constraint organization_profiles_payout_hold_hours_check check (((payout_hold_hours >= 0) and
    (payout_hold_hours <= 72))),
  constraint organization_profiles_pkey primary key (org_id, mode)
);

create index organization_profiles_partner_ref on organization_profiles using btree (mode,
    partner_ref) where (partner_ref is not null);

create table organizations (
  org_id text collate "C" not null,
  name text not null,
  production_granted_at timestamp with time zone,
  requires_approval boolean not null,
  created_at timestamp with time zone not null,
  support_email text,
  support_phone text,
  website text,
  privacy_url text,
  terms_url text,
  sends_reminders boolean not null default false,
  sends_settlement_notices boolean not null default false,
  requires_passkey boolean not null default false,
  accent_color text,
  logo_hash text collate "C",
  time_zone text collate "C" not null default 'America/Sao_Paulo'::text,
  version integer not null,
  constraint organizations_pkey primary key (org_id)
);

create table page_sessions (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  payment_id text collate "C",
  submission_id text collate "C",
  owner_index integer,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  account_id text collate "C",
  is_pressed boolean not null,
  version integer not null,
  constraint page_sessions_check check (((kind = 'owner'::text) = (owner_index is not null))),
  constraint page_sessions_check1 check (((payment_id is not null) or (submission_id is not null)
    or (account_id is not null))),
  constraint page_sessions_kind_check check ((kind = any (array['buyer'::text, 'owner'::text,
    'upload'::text, 'seller'::text, 'seller_link'::text, 'colleague'::text, 'approver'::text,
    'proof'::text]))),
  constraint page_sessions_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint page_sessions_pkey primary key (org_id, mode, id)
);

create index page_sessions_created on page_sessions using btree (created_at);

create unique index page_sessions_id on page_sessions using btree (id);

create unique index page_sessions_link on page_sessions using btree (org_id, mode, account_id)
    where ((kind = 'seller_link'::text) and (ended_at is null));

create index page_sessions_of_account on page_sessions using btree (org_id, mode, account_id)
    where ((account_id is not null) and (ended_at is null));

create index page_sessions_of_payment on page_sessions using btree (org_id, mode, payment_id,
    seen_at) where (payment_id is not null);

create index page_sessions_of_submission on page_sessions using btree (org_id, mode,
    submission_id, seen_at) where (submission_id is not null);

create table partner_commands (
  id text collate "C" not null,
  org_id text collate "C" not null,
  mode text collate "C" not null,
  reference text collate "C" not null,
  kind text collate "C" not null,
  payment_id text collate "C",
  submission_id text collate "C",
  account_id text collate "C",
  amount_minor bigint,
  currency text,
  payin_id text collate "C",
  state text not null,
  request text,
  partner_ref text collate "C",
  command_end text not null,
  received_minor bigint not null,
  confirmed_minor bigint not null,
  settlements text not null,
  refusal text,
  review text,
  tries integer not null,
  last_sent_at timestamp with time zone,
  due_at timestamp with time zone,
  lease_token text,
  last_error text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  overruled text collate "C",
  held_since timestamp with time zone,
  late_at timestamp with time zone,
  queue text collate "C",
  is_stuck boolean not null default false,
  is_in_flight boolean not null default false,
  is_undecided boolean not null default false,
  deposit_id text collate "C",
  instance text,
  version integer not null,
  constraint partner_commands_command_end_check check ((command_end = any (array['open'::text,
    'completed'::text, 'failed'::text, 'returned'::text]))),
  constraint partner_commands_confirmed_minor_check check ((confirmed_minor >= 0)),
  constraint partner_commands_kind_check check ((kind = any (array['submit_organization'::text,
    'submit_buyer'::text, 'submit_account'::text, 'provision_rails'::text, 'payin'::text,
    'payout'::text, 'refund'::text]))),
  constraint partner_commands_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint partner_commands_pkey primary key (id),
  constraint partner_commands_queue_check check ((queue = any (array['owed'::text,
    'in_review'::text]))),
  constraint partner_commands_received_minor_check check ((received_minor >= 0)),
  constraint partner_commands_state_check check ((state = any (array['pending'::text,
    'sent'::text, 'unknown'::text, 'denied'::text, 'done'::text, 'refused'::text, 'void'::text])))
);

create index partner_commands_due on partner_commands using btree (due_at) where (due_at is not
    null);

create index partner_commands_in_flight on partner_commands using btree (mode, id) where
    is_in_flight;

create index partner_commands_newest on partner_commands using btree (created_at, id);

create index partner_commands_of_payment on partner_commands using btree (org_id, mode, payment_id);

create index partner_commands_of_submission on partner_commands using btree (org_id, mode,
    submission_id, id) where (submission_id is not null);

create index partner_commands_partner_ref on partner_commands using btree (mode, kind,
    partner_ref) where (partner_ref is not null);

create index partner_commands_queue on partner_commands using btree (queue, id) where (queue is
    not null);

create unique index partner_commands_reference on partner_commands using btree (mode, reference);

create index partner_commands_stuck on partner_commands using btree (created_at, id) where is_stuck;

create table party_drafts (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  draft_sealed text not null,
  saved_at timestamp with time zone not null,
  version integer not null,
  constraint party_drafts_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint party_drafts_pkey primary key (org_id, mode, id)
);

create index party_drafts_saved on party_drafts using btree (saved_at, org_id, mode, id);

create table passkeys (
  id text collate "C" not null,
  person_id text collate "C" not null,
  credential_id text collate "C" not null,
  public_key text collate "C" not null,
  sign_count bigint not null,
  name text collate "C" not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone,
  removed_at timestamp with time zone,
  version integer not null,
  constraint passkeys_pkey primary key (id)
);

create unique index passkeys_credential on passkeys using btree (credential_id);

create index passkeys_of_person on passkeys using btree (person_id, id) where (removed_at is null);

create table payments (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  origin text collate "C" not null,
  public_id text collate "C" not null,
  external_id text collate "C",
  external_id_key text collate "C",
  status text collate "C" not null,
  amount_minor bigint not null,
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
  expires_at timestamp with time zone,
  quote_id text collate "C",
  payin_instructions text,
  covered_at timestamp with time zone,
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
  invited_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  payee_name text,
  confirmed_locale text,
  buyer_locale text,
  bank_details_code text,
  purpose text,
  limit_hit text,
  approval_lost_at timestamp with time zone,
  requires_approval boolean not null default false,
  purchase_order text collate "C",
  purchase_order_key text collate "C",
  buyer_reference text collate "C",
  failure_code text collate "C",
  remind_at timestamp with time zone,
  colleague_approval text,
  consolidated_reference text collate "C",
  attachment_document_id text collate "C",
  settled_at timestamp with time zone,
  version integer not null,
  constraint payments_amount_minor_check check ((amount_minor > 0)),
  constraint payments_buyer_locale_check check ((buyer_locale = any (array['en'::text,
    'pt-BR'::text, 'es'::text]))),
  constraint payments_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint payments_origin_check check ((origin = any (array['payment_intent'::text,
    'invoice'::text]))),
  constraint payments_pkey primary key (org_id, mode, id),
  constraint payments_status_check check ((status = any (array['awaiting_approval'::text,
    'approved'::text, 'awaiting_buyer'::text, 'buyer_kyc_pending'::text,
    'buyer_kyc_approved'::text, 'fx_quoted'::text, 'on_ramp_pending'::text,
    'on_chain_confirmed'::text, 'offramp_pending'::text, 'settled'::text, 'failed'::text,
    'cancelled'::text, 'expired'::text])))
);

create index payments_approval_lost on payments using btree (id) where ((approval_lost_at is not
    null) and (status = any (array['buyer_kyc_approved'::text, 'fx_quoted'::text,
    'on_ramp_pending'::text, 'on_chain_confirmed'::text, 'offramp_pending'::text])));

create index payments_awaiting_money on payments using btree (org_id, mode, seller_external_id,
    id) where (status = 'on_ramp_pending'::text);

create index payments_consolidated on payments using btree (org_id, mode, consolidated_reference)
    where (consolidated_reference is not null);

create index payments_due on payments using btree (org_id, mode, status, due_date, id) where
    (due_date is not null);

create index payments_expiring on payments using btree (expires_at) where ((expires_at is not
    null) and (covered_at is null) and (status = any (array['awaiting_approval'::text,
    'approved'::text, 'awaiting_buyer'::text, 'buyer_kyc_pending'::text,
    'buyer_kyc_approved'::text, 'fx_quoted'::text, 'on_ramp_pending'::text])));

create unique index payments_external_id on payments using btree (org_id, mode, origin,
    external_id_key, external_id) where (external_id_key is not null);

create index payments_id on payments using btree (id);

create index payments_intents_of_status on payments using btree (org_id, mode, status, id) where
    (origin = 'payment_intent'::text);

create index payments_invoices_of_status on payments using btree (org_id, mode, status, id) where
    (origin = 'invoice'::text);

create index payments_of_amount on payments using btree (org_id, mode, origin, amount_minor,
    currency, id);

create index payments_of_buyer on payments using btree (org_id, mode, buyer_id, status,
    created_at, id);

create index payments_of_end_to_end_id on payments using btree (org_id, mode, end_to_end_key, id)
    where (end_to_end_key is not null);

create index payments_of_number on payments using btree (org_id, mode, number_key, id) where
    (number_key is not null);

create index payments_of_purchase_order on payments using btree (org_id, mode, purchase_order_key,
    id) where (purchase_order_key is not null);

create index payments_of_seller on payments using btree (org_id, mode, seller_external_id, id)
    where (seller_external_id is not null);

create index payments_of_seller_and_status on payments using btree (org_id, mode,
    seller_external_id, status, id) where (seller_external_id is not null);

create unique index payments_public_id on payments using btree (public_id);

create index payments_settled on payments using btree (org_id, mode, origin, settled_at, id) where
    (settled_at is not null);

create index payments_to_remind on payments using btree (remind_at, id) where (remind_at is not
    null);

create index payments_updated on payments using btree (org_id, mode, origin, updated_at, id);

create table people (
  id text collate "C" not null,
  email text not null,
  email_key text collate "C" not null,
  created_at timestamp with time zone not null,
  version integer not null,
  constraint people_pkey primary key (id)
);

create unique index people_email on people using btree (email_key);

create table production_requests (
  org_id text collate "C" not null,
  id text collate "C" not null,
  requested_by text collate "C" not null,
  answers text not null,
  state text collate "C" not null,
  decided_by text,
  decided_at timestamp with time zone,
  reason text,
  created_at timestamp with time zone not null,
  version integer not null,
  constraint production_requests_check check (((state = 'requested'::text) = (decided_at is
    null))),
  constraint production_requests_pkey primary key (org_id, id),
  constraint production_requests_state_check check ((state = any (array['requested'::text,
    'granted'::text, 'refused'::text])))
);

create unique index production_requests_open on production_requests using btree (org_id) where
    (state = 'requested'::text);

create index production_requests_waiting on production_requests using btree (id) where (state =
    'requested'::text);

create table proposals (
  id text collate "C" not null,
  org_id text collate "C",
  mode text collate "C" not null,
  item_id text collate "C" not null,
  number integer not null,
  action text not null,
  evidence text,
  basis text not null,
  state text collate "C" not null,
  proposed_by_id text collate "C" not null,
  proposed_by text not null,
  proposed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_by_id text collate "C",
  ended_by text,
  ended_at timestamp with time zone,
  version integer not null,
  constraint proposals_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint proposals_pkey primary key (id),
  constraint proposals_state_check check ((state = any (array['proposed'::text, 'done'::text,
    'replaced'::text, 'withdrawn'::text, 'void'::text])))
);

create unique index proposals_of_item on proposals using btree (item_id, number);

create table quotes (
  org_id text collate "C" not null,
  mode text collate "C" not null,
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
  rate_kind text not null,
  locked_until_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint quotes_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint quotes_pkey primary key (org_id, mode, id),
  constraint quotes_rate_kind_check check ((rate_kind = any (array['locked'::text,
    'indicative'::text])))
);

create index quotes_partner_quote_id on quotes using btree (mode, partner_quote_id);

create unlogged table rate_limits (
  key text collate "C" not null,
  tat_micros bigint not null,
  constraint rate_limits_pkey primary key (key)
);

create table reconciliations (
  partner text collate "C" not null,
  mode text collate "C" not null,
  since_at timestamp with time zone,
  ended_at timestamp with time zone,
  entries integer,
  commands integer,
  differences integer,
  unread integer,
  due_at timestamp with time zone not null,
  version integer not null,
  constraint reconciliations_check check (((since_at is null) = (ended_at is null))),
  constraint reconciliations_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint reconciliations_pkey primary key (partner, mode)
);

create table refused_requests (
  id text collate "C" not null,
  request_id text collate "C" not null,
  created_at timestamp with time zone not null,
  operation text collate "C",
  status integer not null,
  code text collate "C" not null,
  field text collate "C",
  org_id text collate "C",
  mode text collate "C",
  credential_id text collate "C",
  version integer not null,
  constraint refused_requests_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint refused_requests_pkey primary key (id)
);

create index refused_requests_org on refused_requests using btree (org_id, id);

create index refused_requests_request on refused_requests using btree (request_id, id);

create table service_keys (
  id text collate "C" not null,
  purpose text not null,
  sealed text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  version integer not null,
  constraint service_keys_pkey primary key (id),
  constraint service_keys_purpose_check check ((purpose = any (array['session'::text,
    'partner'::text, 'record'::text, 'address'::text])))
);

create unique index service_keys_current on service_keys using btree (purpose) where (expires_at
    is null);

create table simulated_reports (
  mode text collate "C" not null,
  reference text collate "C" not null,
  outcome text not null,
  version integer not null,
  constraint simulated_reports_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint simulated_reports_pkey primary key (mode, reference)
);

create table subscriptions (
  org_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  url text not null,
  event_types text not null,
  active boolean not null,
  secret_sealed text not null,
  slot integer,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  feed_cursor bigint not null default 0,
  paused boolean not null default false,
  version integer not null,
  constraint subscriptions_mode_check check ((mode = any (array['test'::text, 'live'::text]))),
  constraint subscriptions_pkey primary key (org_id, mode, id)
);

create index subscriptions_active on subscriptions using btree (org_id, mode, id) where active;

create index subscriptions_deleted on subscriptions using btree (org_id, mode, id) where (not
    active);

create index subscriptions_id on subscriptions using btree (id);

create unique index subscriptions_slot on subscriptions using btree (org_id, mode, slot) where
    (active and (slot is not null));
