-- When the buyer of a running payment lost its KYC approval.
alter table payments add column if not exists approval_lost_at timestamptz;

-- Their payouts wait for an operator.
create index if not exists payments_approval_lost on payments (id)
  where approval_lost_at is not null and status in (
    'buyer_kyc_approved', 'fx_quoted', 'on_ramp_pending', 'on_chain_confirmed', 'offramp_pending'
  );
