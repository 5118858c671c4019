-- Whether the attempt of a webhook under way is sent a second time, because the first sending lost
-- its lease. Those that lost the second one too are found among the leased ones.
alter table deliveries add column resent integer not null default 0 check (resent in (0, 1));
drop index deliveries_spent;
