-- As in PostgreSQL, where the id must be named for claims to find their rows in order; here the
-- key of the table ends every index by itself.
create index deliveries_in_turn on deliveries (subscription_id, due_at, id)
  where due_at is not null;
drop index deliveries_due;
