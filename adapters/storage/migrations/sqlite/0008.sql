-- A payout without effect after the settlement waits for an operator.
alter table partner_commands add column is_undecided integer not null default 0
  check (is_undecided in (0, 1));
