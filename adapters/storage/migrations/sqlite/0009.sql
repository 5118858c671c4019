-- What was received and applied long ago is found by its age, to be removed.
create index inbox_applied on inbox (received_at, message_id) where due_at is null;
