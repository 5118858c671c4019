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

alter table mails drop constraint mails_purpose_check;
alter table mails add check (
  purpose in (
    'invitation', 'sign_in', 'owner_link', 'approval_link', 'payout_changed', 'production_decided',
    'kyc_approved', 'kyc_more', 'kyc_rejected', 'approval_given', 'approval_declined',
    'instructions_ready', 'money_short', 'money_received', 'receipt', 'cancelled', 'expired',
    'failed', 'refund_ordered', 'refunded', 'reminder', 'question', 'webhooks_gave_up',
    'passkey_added', 'passkey_removed', 'live_key_created', 'team_changed'
  )
);

-- Buyers of invoices are reminded of the due date, if the organization wants it.
alter table organizations add column sends_reminders boolean not null default false;
alter table payments add column remind_at timestamptz;
create index payments_to_remind on payments (remind_at, id) where remind_at is not null;
