-- Up to this event of the feed, the subscription has its deliveries. Null: version 0.1.0 stored the
-- subscription.
alter table subscriptions add column feed_cursor integer;

update subscriptions set feed_cursor = coalesce((
  select sequence from feed_heads h where h.org_id = subscriptions.org_id
    and h.mode = subscriptions.mode
), 0);
