-- One transfer pays several payments of a buyer, by one reference.
alter table payments add column consolidated_reference text;
create index payments_consolidated on payments (org_id, mode, consolidated_reference)
  where consolidated_reference is not null;
-- A share of a deposit is a pay-in of its payment.
alter table partner_commands add column deposit_id text;
alter table receipts add column consolidated_reference text;
