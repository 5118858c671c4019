-- Deliveries are claimed by due time and id. A burst, or what a host gives back, is due at one
-- moment: without the id in the index each claim read and sorted all of it. Hosts of the version
-- before claim by the new index too.
create index if not exists deliveries_in_turn on deliveries (subscription_id, due_at, id)
  where due_at is not null;
drop index deliveries_due;
