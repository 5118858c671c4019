-- The member (its id) or operator ('operator') who created a key.
alter table api_keys add column created_by text collate "C";

alter table organization_profiles add column intents_need_approval boolean not null default false;

alter table payments add column requires_approval boolean not null default false;
