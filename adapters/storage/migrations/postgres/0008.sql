-- A payout without effect after the settlement waits for an operator.
alter table partner_commands add column is_undecided boolean not null default false;
