-- Up to this event of the feed, the subscription has its deliveries. Null: version 0.1.0 stored the
-- subscription.
alter table subscriptions add column feed_cursor bigint;

update subscriptions set feed_cursor = coalesce((
  select sequence from feed_heads h where h.org_id = subscriptions.org_id
    and h.mode = subscriptions.mode
), 0);

-- The first attempt of a delivery that is stored when it has ended.
alter table deliveries add column first_started_at timestamptz;
alter table deliveries add column first_duration_ms integer;
alter table deliveries add column first_response_status integer;
alter table deliveries add column first_response_body text;
alter table deliveries add column first_error text;

-- Appends the events of a group to the feeds of their tenants: each gets the next number and the
-- hash of the chain. It is the last statement of a transaction, and locks the heads in one order.
create function ponte_append(
  org_ids text[], modes text[], ids text[], types text[], subject_ids text[], bodies text[],
  created_ats timestamptz[]
) returns void language plpgsql as $$
declare
  tenant record;
  head feed_heads;
  place integer;
  sequences bigint[];
  chain_hashes text[];
begin
  for tenant in
    select e.org_id, e.mode, array_agg(e.place::integer order by e.place) as places
    from unnest(org_ids, modes) with ordinality as e (org_id, mode, place)
    group by e.org_id, e.mode
    order by e.org_id, e.mode
  loop
    select * into head from feed_heads h
      where h.org_id = tenant.org_id and h.mode = tenant.mode for update;
    if not found then
      insert into feed_heads (org_id, mode, sequence, chain_hash)
        values (tenant.org_id, tenant.mode, 0, '') on conflict do nothing;
      select * into strict head from feed_heads h
        where h.org_id = tenant.org_id and h.mode = tenant.mode for update;
    end if;
    foreach place in array tenant.places loop
      head.sequence := head.sequence + 1;
      head.chain_hash :=
        encode(sha256(convert_to(head.chain_hash || bodies[place], 'UTF8')), 'hex');
      sequences[place] := head.sequence;
      chain_hashes[place] := head.chain_hash;
    end loop;
    update feed_heads h set sequence = head.sequence, chain_hash = head.chain_hash
      where h.org_id = tenant.org_id and h.mode = tenant.mode;
  end loop;
  insert into events (org_id, mode, id, type, subject_id, body, created_at, sequence, chain_hash)
    select * from unnest(org_ids, modes, ids, types, subject_ids, bodies, created_ats, sequences,
      chain_hashes);
end
$$;

-- The dead letters of one subscription, and those that wait.
create index if not exists deliveries_dead_of_subscription on deliveries (subscription_id, id)
  where status = 'dead_letter';
create index if not exists deliveries_pending_of_subscription on deliveries (subscription_id, id)
  where status = 'pending';
-- The oldest one that is not delivered, without those that a pause holds.
create index if not exists deliveries_undelivered on deliveries (created_at)
  where status = 'pending' and next_attempt_at is not null;
drop index deliveries_waiting;

alter table subscriptions add column paused boolean not null default false;
