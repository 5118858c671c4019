-- Operators' lists of payments go along the ids, which sort by creation: two indexes fewer that
-- each create writes. A host of the version before lists by `created_at` as long as it runs, right
-- but slowly (it sorts what it finds); nothing else asks for these.
drop index payments_newest;
drop index payments_of_organization;
