// Claims of due work: single statements that lease rows to one worker. Use cases decide what a
// worker does with a row; due-times.ts reads when a queue has something due.
import { randomBytes } from 'node:crypto';
import { ALIAS_MARK, bodyAs } from '../../core/domain/payments/event.js';
import type { Subscription } from '../../core/domain/webhooks/subscription.js';
import { assert } from '../../core/errors.js';
import type { Claim, Claims } from '../../core/ports/storage.js';
import { integer, readTenant, text } from './columns.js';
import { type Database, type Row as DatabaseRow, dueIds, duePage, timeParam } from './database.js';
import { readNextDue } from './due-times.js';
import { accounts } from './tables/account-rows.js';
import {
  deliveries,
  present,
  sendingOfTenant,
  subscriptions,
  waitingSubscriptions,
} from './tables/delivery-rows.js';
import { isOpenSql } from './tables/epoch-rows.js';
import { mails } from './tables/mail-rows.js';
import { expirableSql, payments } from './tables/payment-rows.js';
import { commands } from './tables/work-rows.js';

interface Named {
  readonly id: string;
}

/** Subscriptions in the cache. */
const SUBSCRIPTIONS_KNOWN_MAX = 1_000;

// The rows are chosen in a materialized query: PostgreSQL may repeat a choice within the update.
const claimSql = {
  commands: [
    'with due as materialized (select id from partner_commands where due_at <= $3',
    `and ${isOpenSql} order by due_at, id limit $4 for update skip locked)`,
    'update partner_commands set lease_token = $1, due_at = $2, version = version + 1',
    `where id ${dueIds} returning *`,
  ].join(' '),
  dueSubscriptions: [
    waitingSubscriptions,
    'select s.id, s.org_id, s.mode from waiting join subscriptions s on s.id = waiting.id',
    'where exists (select 1 from deliveries d',
    'where d.subscription_id = waiting.id and d.due_at <= $1 and not d.resent)',
  ].join(' '),
  deliveries: [
    'with due as materialized (select id from deliveries where subscription_id = $3',
    `and due_at <= $4 and not resent and ${isOpenSql} order by due_at, id limit $5`,
    'for update skip locked) update deliveries set lease_token = $1, due_at = $2,',
    'attempt = attempt + case when lease_token is null then 1 else 0 end,',
    `resent = lease_token is not null, version = version + 1 where id ${dueIds}`,
    'returning *, (select e.body from events e where e.org_id = deliveries.org_id',
    `and e.mode = deliveries.mode and e.id = rtrim(deliveries.event_id, '${ALIAS_MARK}')) as body,`,
    '(select s.version from subscriptions s where s.id = $3) as subscription_version',
  ].join(' '),
  lostDeliveries: [
    'select * from deliveries where due_at <= $1 and resent and lease_token is not null',
    'order by due_at limit $2',
  ].join(' '),
  mails: [
    'with due as materialized (select org_id, mode, id from mails where due_at <= $3',
    `and ${isOpenSql} order by due_at limit $4 for update skip locked)`,
    'update mails set tries = tries + 1, lease_token = $1, due_at = $2, version = version + 1',
    'where (org_id, mode, id) in (select org_id, mode, id from due) returning *',
  ].join(' '),
  expiredPayments: [
    'select * from payments where expires_at <= $1 and (expires_at, id) > ($2, $3)',
    `and ${expirableSql} order by expires_at, id limit $4`,
  ].join(' '),
  paymentsToRemind: [
    'select * from payments where remind_at <= $1 and (remind_at, id) > ($2, $3)',
    'order by remind_at, id limit $4',
  ].join(' '),
  accountsToUnhold: [
    'select * from connected_accounts where held_until <= $1 and (held_until, id) > ($2, $3)',
    'order by held_until, id limit $4',
  ].join(' '),
} as const;

/** Tables whose rows are leased. */
export const leasedTables = ['partner_commands', 'deliveries', 'mails'] as const;

const releaseSql = leasedTables.map((table) =>
  [
    // The token stays: a due delivery with a token has an interrupted attempt.
    `update ${table} set${table === 'deliveries' ? '' : ' lease_token = null,'}`,
    'due_at = $1, version = version + 1',
    'where due_at > $1 and lease_token is not null and lease_token like $2',
  ].join(' '),
);

/** Ends the leases whose tokens match this `like` pattern. */
export async function releaseLeases(
  database: Database,
  tokens: string,
  nowMs: number,
): Promise<void> {
  const params = [timeParam(nowMs), tokens];
  await Promise.all(releaseSql.map((sql) => database.immediate(sql, params)));
}

/** `mark` is the last character of the lease owner. */
export function newClaims(database: Database, mark: () => string): Claims {
  // Leases of this process share a prefix, so that it can release them.
  const name = randomBytes(6).toString('hex');
  const owner = () => `${name}${mark()}`;
  let leases = 0;
  const newLease = () => {
    leases += 1;
    return `${owner()}${leases}`;
  };
  const claimed = async <Row extends Named & { readonly createdAtMs: number }>(
    sql: string,
    read: (row: DatabaseRow) => Row,
    { nowMs, leaseMs, limit }: Claim,
  ): Promise<readonly Row[]> => {
    const params = [newLease(), timeParam(nowMs + leaseMs), timeParam(nowMs), limit];
    const rows = (await database.immediate(sql, params)).map(read);
    return rows.sort((a, b) => order(a.createdAtMs, b.createdAtMs, a, b));
  };
  return {
    get owner() {
      return owner();
    },
    newLease,
    sendingSubscriptions: async ({ orgId, mode }) =>
      present(await database.cached(sendingOfTenant, [orgId, mode])),
    commands: (claim) => claimed(claimSql.commands, commands.read, claim),
    async dueSubscriptions(nowMs) {
      const rows = await database.read(claimSql.dueSubscriptions, [timeParam(nowMs)]);
      return rows.map((row) => ({ ...readTenant(row), id: text('id').read(row) }));
    },
    deliveries: deliveryClaims(database, newLease),
    async lostDeliveries(nowMs, limit) {
      const rows = await database.read(claimSql.lostDeliveries, [timeParam(nowMs), limit]);
      return rows.map(deliveries.read);
    },
    mails: (claim) => claimed(claimSql.mails, mails.read, claim),
    async expiredPayments(page) {
      const rows = await database.read(claimSql.expiredPayments, duePage(page));
      return rows.map(payments.read);
    },
    async paymentsToRemind(page) {
      const rows = await database.read(claimSql.paymentsToRemind, duePage(page));
      return rows.map(payments.read);
    },
    async accountsToUnhold(page) {
      const rows = await database.read(claimSql.accountsToUnhold, duePage(page));
      return rows.map(accounts.read);
    },
    releaseOwn: (nowMs) => releaseLeases(database, `${name}%`, nowMs),
    releaseAll: (nowMs) => releaseLeases(database, '%', nowMs),
    async nextDueAtMs() {
      const moments = Object.values(await readNextDue(database)).filter((atMs) => atMs !== null);
      return moments.length === 0 ? null : Math.min(...moments);
    },
  };
}

/** A claim returns the version of the subscription; a changed subscription is read again. */
function deliveryClaims(database: Database, newLease: () => string): Claims['deliveries'] {
  const known = new Map<string, Subscription>();
  const subscriptionOf = async (id: string, version: number): Promise<Subscription> => {
    const last = known.get(id);
    if (last?.version === version) return last;
    const [found] = await database.read('select * from subscriptions where id = $1', [id]);
    assert(found !== undefined, 'a delivery has a subscription');
    if (known.size >= SUBSCRIPTIONS_KNOWN_MAX) known.clear();
    const subscription = subscriptions.read(found);
    known.set(id, subscription);
    return subscription;
  };
  return async ({ nowMs, leaseMs, limit, subscriptionId }) => {
    const endsAt = timeParam(nowMs + leaseMs);
    const params = [newLease(), endsAt, subscriptionId, timeParam(nowMs), limit];
    const rows = await database.immediate(claimSql.deliveries, params);
    const [first] = rows;
    if (first === undefined) return [];
    const subscription = await subscriptionOf(
      subscriptionId,
      integer('subscription_version').read(first),
    );
    return rows
      .map((row) => {
        const delivery = deliveries.read(row);
        const event = { id: delivery.eventId, type: delivery.eventType };
        const body = bodyAs(text('body').read(row), event);
        return { delivery, subscription, body };
      })
      .sort(({ delivery: a }, { delivery: b }) =>
        order(a.nextAttemptAtMs ?? 0, b.nextAttemptAtMs ?? 0, a, b),
      );
  };
}

/** `returning` has no order. */
function order(leftMs: number, rightMs: number, left: Named, right: Named): number {
  if (leftMs !== rightMs) return leftMs - rightMs;
  return left.id < right.id ? -1 : 1;
}
