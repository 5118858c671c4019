-- Mails without a link: a notice that a PIX destination was changed, of a seller or (no account) of
-- the organization itself.
alter table mails
  add column account_id text collate "C",
  alter column payment_id drop not null,
  alter column token_hash drop not null,
  drop constraint mails_purpose_check,
  add constraint mails_purpose_check
    check (purpose in ('invitation', 'sign_in', 'payout_changed')),
  -- The token of a link is kept exactly while it is pending.
  drop constraint mails_check1,
  add constraint mails_check1
    check ((status = 'pending' and token_hash is not null) = (token_sealed is not null)),
  -- A link is about a payment, a notice is not.
  add constraint mails_check2 check ((token_hash is null) = (payment_id is null));

-- Each mail to an address has a number among those of its purpose: sign-ins over all organizations,
-- because anybody can ask for one, the others within their organization. Two batches at once do not
-- both get the last number.
drop index mails_of_address;
create unique index mails_sign_ins on mails (mode, to_key, nth)
  where nth is not null and purpose = 'sign_in';
create unique index mails_numbered on mails (org_id, mode, to_key, purpose, nth)
  where nth is not null;
