// Queries over whole queues: when each has something due, and the due times after the clock went
// back. claims.ts takes the rows.
import { recordOf } from '../../core/domain/base/record-of.js';
import type { QueueName } from '../../core/ports/storage.js';
import { time } from './columns.js';
import { type Database, timeParam } from './database.js';
import { waitingSubscriptions } from './tables/delivery-rows.js';
import { expirableSql } from './tables/payment-rows.js';

/** When the earliest row of each queue falls due; null for an empty queue. */
const nextDueSql = {
  commands: 'select min(due_at) from partner_commands where due_at is not null',
  deliveries:
    'select min((select min(d.due_at) from deliveries d where d.subscription_id = waiting.id ' +
    'and d.due_at is not null)) from waiting where waiting.id is not null',
  inbox: 'select min(due_at) from inbox where due_at is not null',
  advances: 'select min(due_at) from advances',
  documents: 'select min(due_at) from documents where due_at is not null',
  mails: 'select min(due_at) from mails where due_at is not null',
  expiries: `select min(expires_at) from payments where expires_at is not null and ${expirableSql}`,
} as const satisfies Readonly<Record<QueueName | 'expiries', string>>;

export type Queue = keyof typeof nextDueSql;
export type NextDue = Readonly<Record<Queue, number | null>>;

const queues = Object.keys(nextDueSql) as readonly Queue[];

/** One statement: an idle host runs it every second. */
const allNextDueSql = [
  waitingSubscriptions,
  `select ${queues.map((queue) => `(${nextDueSql[queue]}) as ${queue}`).join(', ')}`,
].join(' ');

const nothingDue: NextDue = recordOf(queues, () => null);

export async function readNextDue(database: Database): Promise<NextDue> {
  const [row = nothingDue] = await database.read(allNextDueSql, []);
  return recordOf(queues, (queue) => time.null(queue).read(row));
}

const dueTables = [
  'partner_commands',
  'deliveries',
  'inbox',
  'book_readings',
  'reconciliations',
  'advances',
  'documents',
  'mails',
] as const;

/**
 * After the clock went back: rows and leases keep the rest of their wait, due rows stay due. For
 * SQLite, which stores instants as milliseconds.
 */
export async function keepWaits(
  database: Database,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<void> {
  for (const table of dueTables) {
    await database.immediate(
      `update ${table} set due_at = max(due_at - $1, $2), version = version + 1 where due_at > $2`,
      [fromMs - toMs, timeParam(toMs)],
    );
  }
}
