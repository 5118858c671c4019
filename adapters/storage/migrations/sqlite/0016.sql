-- Shown to buyers beside the support contact.
alter table organizations add column privacy_url text;
alter table organizations add column terms_url text;
