-- Sign-in mails are numbered per organization, as `mails_numbered` has them.
drop index mails_sign_ins;

-- Parties: an organization has the columns of the others. Its rails are an order to the partner.
alter table organization_profiles add column reason text;
alter table organization_profiles add column approved_at integer;
alter table organization_profiles add column rejected_at integer;
alter table organization_profiles add column rails_command_id text;
-- Terms that served a rejected party, or were refused, do not count for the next one.
update kyc_submissions set tos_id = null
  where status = 'rejected' and tos_id is not null
    and (partner_ref is not null or reason = 'tosId');

-- What operators must look at is a column that the domain writes, not a condition of each query.

-- The queue of the money desk, or null.
alter table partner_commands add column queue text check (queue in ('owed', 'in_review'));
alter table partner_commands add column is_stuck integer not null default 0
  check (is_stuck in (0, 1));
alter table partner_commands add column is_in_flight integer not null default 0
  check (is_in_flight in (0, 1));

-- Rows that exist.
update partner_commands set queue = 'owed'
  where kind = 'refund' and review is null and state <> 'void'
    and (state <> 'done' or order_end <> 'completed');
update partner_commands set queue = 'in_review'
  where review is not null or (kind = 'payout' and state = 'done' and order_end = 'failed');
update partner_commands set is_stuck = 1
  where review is not null or (kind = 'refund' and state = 'refused')
    or (state not in ('refused', 'void') and (state <> 'done' or order_end = 'open')
      and last_error is not null and tries >= 20);
update partner_commands set is_in_flight = 1
  where kind = 'payin' and partner_ref is null and last_sent_at is not null
    and state not in ('refused', 'void') and (state <> 'done' or order_end = 'open');

drop index partner_commands_owed;
drop index partner_commands_out_of_sight;
drop index partner_commands_stuck;
drop index partner_commands_in_flight;
create index partner_commands_queue on partner_commands (queue, id) where queue is not null;
create index partner_commands_stuck on partner_commands (created_at, id) where is_stuck;
create index partner_commands_in_flight on partner_commands (mode, id) where is_in_flight;
