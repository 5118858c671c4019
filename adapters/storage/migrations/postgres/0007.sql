-- Deliveries are claimed by due time and id. A burst, or what a host gives back, is due at one
-- moment: without the id in the index each claim read and sorted all of it. The narrower index goes
-- at once, because the planner would take it as often. A host of the version before claims by the
-- new one; its look for who waits may go along an index of all deliveries as long as it runs, right
-- but slowly where there are millions.
create index if not exists deliveries_in_turn on deliveries (subscription_id, due_at, id)
  where due_at is not null;
drop index deliveries_due;
