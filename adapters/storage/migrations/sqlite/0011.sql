-- The member (its id) or operator ('operator') who created a key.
alter table api_keys add column created_by text;

alter table organization_profiles add column intents_need_approval integer not null default 0
  check (intents_need_approval in (0, 1));

alter table payments add column requires_approval integer not null default 0
  check (requires_approval in (0, 1));

-- The buyer's order, and what its books call the payment.
alter table payments add column purchase_order text;
alter table payments add column buyer_reference text;

-- Why a payment failed (core/domain/payments/failure.ts); null for one that failed before.
alter table payments add column failure_code text;
