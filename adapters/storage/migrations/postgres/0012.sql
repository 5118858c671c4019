-- Whether the attempt of a webhook under way is sent a second time, because the first sending lost
-- its lease. Those that lost the second one too are found among the leased ones. A host of the
-- version before looks for seventh attempts along all that are due, as long as it runs.
alter table deliveries add column resent boolean not null default false;
drop index deliveries_spent;
