// Queue statistics over all tenants: how much is due in each queue and since when, and what needs
// an operator. Each number is read along an index, up to a limit.
import type { Mode } from '../../../core/domain/base/tenant.js';
import { type QueueName, queueNames } from '../../../core/ports/storage.js';
import { integer, minor, mode, text, time } from '../columns.js';
import { type Param, timeParam } from '../database.js';
import type { TxPart } from '../unit-of-work.js';
import { waitingSubscriptions } from './delivery-rows.js';
import { reconciliations, unmatchedSql } from './deposit-rows.js';
import { lostFundsSql, openFundsSql } from './money-rows.js';

/** $1: now, $2: the limit of the count. */
const queueSql: Readonly<Record<QueueName, string>> = {
  deliveries: [
    waitingSubscriptions,
    'select (select count(*) from (select 1 from waiting cross join deliveries d',
    'where d.subscription_id = waiting.id and d.due_at <= $1 limit $2) as taken) as due,',
    '(select min((select min(d.due_at) from deliveries d',
    'where d.subscription_id = waiting.id and d.due_at is not null))',
    'from waiting where waiting.id is not null) as oldest_due_at',
  ].join(' '),
  commands: dueOf('partner_commands'),
  inbox: dueOf('inbox'),
  mails: dueOf('mails'),
  documents: dueOf('documents'),
  advances: dueOf('advances'),
};

const undeliveredSql =
  "select min(created_at) as oldest_at from deliveries where status = 'pending' " +
  'and next_attempt_at is not null';

/** $1: the limit of the count. */
const attentionSql = {
  stuckCommands: countOf('partner_commands', 'is_stuck'),
  deadLetters: countOf('deliveries', "status = 'dead_letter'"),
  blockedMails: countOf('mails', "is_blocked and status = 'pending'"),
  liveFundsToReview: fundsToReviewOf('live'),
  testFundsToReview: fundsToReviewOf('test'),
  losses: countOf('funds', lostFundsSql),
} as const;

/** $1: the limit of the count. */
const unmatchedTotalsSql = [
  'select currency, cast(sum(amount_minor) as bigint) as amount_minor,',
  'min(completed_at) as oldest_at from',
  `(select currency, amount_minor, completed_at from deposits where ${unmatchedSql}`,
  'order by currency, id limit $1) as chosen group by currency',
].join(' ');

/** One row for each partner and mode. */
const booksReadSql = [
  'select partner, mode, min(coalesce(completed_at, from_at)) as read_at from book_readings',
  "where span = 'complete' group by partner, mode order by partner, mode",
].join(' ');

export const queueStatsPart: TxPart<'queueStats'> = {
  async read(unit, nowMs, countMax) {
    const row = async (sql: string, params: readonly Param[]) => {
      const [first] = await unit.rows('backlog', sql, params);
      return first ?? {};
    };
    const count = async (what: keyof typeof attentionSql, countMax: number) =>
      integer('counted').read(await row(attentionSql[what], [countMax]));
    const queue = async (name: QueueName, nowMs: number, countMax: number) => {
      const found = await row(queueSql[name], [timeParam(nowMs), countMax]);
      const oldestMs = time.null('oldest_due_at').read(found);
      const isDue = oldestMs !== null && oldestMs <= nowMs;
      return { due: integer('due').read(found), oldestDueAtMs: isDue ? oldestMs : null };
    };
    const unmatched = async (countMax: number) => {
      const rows = await unit.rows('deposits', unmatchedTotalsSql, [countMax]);
      return rows.map((found) => ({
        currency: text('currency').read(found),
        amountMinor: minor('amount_minor').read(found),
        oldestAtMs: time('oldest_at').read(found),
      }));
    };
    const booksRead = async () => {
      const rows = await unit.rows('book_readings', booksReadSql, []);
      return rows.map((found) => ({
        partner: text('partner').read(found),
        mode: mode.read(found),
        atMs: time('read_at').read(found),
      }));
    };
    const [
      queues,
      undelivered,
      stuckCommands,
      deadLetters,
      blockedMails,
      live,
      test,
      losses,
      deposits,
      books,
      compared,
    ] = await Promise.all([
      Promise.all(
        queueNames.map(async (name) => [name, await queue(name, nowMs, countMax)] as const),
      ),
      row(undeliveredSql, []),
      count('stuckCommands', countMax),
      count('deadLetters', countMax),
      count('blockedMails', countMax),
      count('liveFundsToReview', countMax),
      count('testFundsToReview', countMax),
      count('losses', countMax),
      unmatched(countMax),
      booksRead(),
      unit.all(reconciliations, 'order by partner, mode', []),
    ]);
    return Object.freeze({
      queues: Object.fromEntries(queues) as Record<QueueName, (typeof queues)[number][1]>,
      oldestUndeliveredAtMs: time.null('oldest_at').read(undelivered),
      stuckCommands,
      deadLetters,
      blockedMails,
      fundsToReview: { live, test },
      losses,
      unmatched: deposits,
      booksRead: books,
      reconciliations: compared,
    });
  },
};

function dueOf(table: string): string {
  return [
    'select count(*) as due, min(due_at) as oldest_due_at from',
    `(select due_at from ${table} where due_at <= $1 order by due_at limit $2) as waiting`,
  ].join(' ');
}

function fundsToReviewOf(mode: Mode): string {
  const needsReview = `(position = 'needs_review' or refund = 'needs_review')`;
  return countOf('funds', `${openFundsSql} and ${needsReview} and mode = '${mode}'`);
}

function countOf(table: string, condition: string): string {
  const taken = `select 1 from ${table} where ${condition} limit $1`;
  return `select count(*) as counted from (${taken}) as taken`;
}
