-- Each mail to an address has a number among those of its purpose: sign-ins over all organizations,
-- because anybody can ask for one, the others within their organization. Two batches at once do not
-- both get the last number.
drop index mails_of_address;
create unique index mails_sign_ins on mails (mode, to_key, nth)
  where nth is not null and purpose = 'sign_in';
create unique index mails_numbered on mails (org_id, mode, to_key, purpose, nth)
  where nth is not null;
