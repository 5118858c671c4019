-- What the timeline of a payment is read by: the events of one subject in their order, and the
-- deliveries of one event.
create index events_of_subject on events (org_id, mode, subject_id, sequence);
create index deliveries_of_event on deliveries (event_id, id);
