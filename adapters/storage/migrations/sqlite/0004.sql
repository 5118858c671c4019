-- Sign-in mails are numbered per organization, as `mails_numbered` has them.
drop index mails_sign_ins;
