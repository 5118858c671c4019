-- By what a start tells that something outside belongs to this database: what was left there. One
-- is in the folder of the documents.
create table marks (
  name text not null primary key,
  value text not null,
  created_at integer not null
) strict, without rowid;
