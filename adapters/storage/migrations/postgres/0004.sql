-- Sign-in mails are numbered per organization, as `mails_numbered` has them.
drop index mails_sign_ins;

-- Parties: an organization has the columns of the others. Its rails are an order to the partner.
alter table organization_profiles add column reason text;
alter table organization_profiles add column approved_at timestamp with time zone;
alter table organization_profiles add column rejected_at timestamp with time zone;
alter table organization_profiles add column rails_command_id text;
-- Terms that served a rejected party, or were refused, do not count for the next one.
update kyc_submissions set tos_id = null
  where status = 'rejected' and tos_id is not null
    and (partner_ref is not null or reason = 'tosId');
