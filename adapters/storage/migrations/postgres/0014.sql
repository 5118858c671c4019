-- Of a quarantine that follows lost commits: the timeline of the server that lacks them, so that a
-- host that notices late does not begin another one.
alter table epochs add column timeline integer;
