-- The member (its id) or operator ('operator') who created a key.
alter table api_keys add column created_by text collate "C";

alter table organization_profiles add column intents_need_approval boolean not null default false;

alter table payments add column requires_approval boolean not null default false;

-- The buyer's order, and what its books call the payment.
alter table payments add column purchase_order text collate "C";
alter table payments add column buyer_reference text collate "C";

-- Why a payment failed (core/domain/payments/failure.ts); null for one that failed before.
alter table payments add column failure_code text collate "C";
