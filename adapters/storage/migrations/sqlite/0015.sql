-- A batch that appends an event fails if the tenant's subscriptions have changed since it read
-- them.
alter table feed_heads add column subscription_changes integer not null default 0;
