-- Up to this event of the feed, the subscription has its deliveries. Null: version 0.1.0 stored the
-- subscription.
alter table subscriptions add column feed_cursor integer;

update subscriptions set feed_cursor = coalesce((
  select sequence from feed_heads h where h.org_id = subscriptions.org_id
    and h.mode = subscriptions.mode
), 0);

-- The dead letters of one subscription, and those that wait.
create index if not exists deliveries_dead_of_subscription on deliveries (subscription_id, id)
  where status = 'dead_letter';
create index if not exists deliveries_pending_of_subscription on deliveries (subscription_id, id)
  where status = 'pending';
-- The oldest one that is not delivered, without those that a pause holds.
create index if not exists deliveries_undelivered on deliveries (created_at)
  where status = 'pending' and next_attempt_at is not null;
drop index deliveries_waiting;

-- The first attempt of a delivery that is stored when it has ended.
alter table deliveries add column first_started_at integer;
alter table deliveries add column first_duration_ms integer;
alter table deliveries add column first_response_status integer;
alter table deliveries add column first_response_body text;
alter table deliveries add column first_error text;

alter table subscriptions add column paused integer not null default 0
  check (paused in (0, 1));
