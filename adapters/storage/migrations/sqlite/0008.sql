-- For how long the oldest event has been owed to a receiver, seen at a glance: only deliveries that
-- have not ended are in this index.
create index deliveries_waiting on deliveries (created_at) where status = 'pending';
