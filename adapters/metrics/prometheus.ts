// Metrics for Prometheus, on a separate port. Counters live in memory. Queue statistics are read
// from the database on a scrape, at most once a second; without the database the other metrics are
// served.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SECOND_MS } from '../../core/domain/base/instant.js';
import { modes } from '../../core/domain/base/tenant.js';
import { type Metrics, signInCodeResults } from '../../core/ports/outside.js';
import { type QueueName, queueNames } from '../../core/ports/storage.js';
import { COUNTED_MAX, type QueueReport } from '../../core/usecases/service/queue-stats.js';

export interface MetricRow {
  /** Those of the database are gauges. */
  readonly type?: 'counter' | 'histogram' | 'gauge';
  readonly labels?: readonly string[];
  readonly help: string;
}

const ofProcess = {
  ponte_requests_total: {
    type: 'counter',
    labels: ['operation', 'status'],
    help: 'Responses by operationId; none if the request matches no operation.',
  },
  ponte_create_duration_seconds: {
    type: 'histogram',
    labels: ['operation'],
    help: 'Request to response of creates that were not refused, replays included.',
  },
  ponte_delivery_attempts_total: {
    type: 'counter',
    labels: ['outcome'],
    help: 'Attempts at webhooks: delivered; failed, to be retried; dead_letter, given up.',
  },
  ponte_event_to_receiver_seconds: {
    type: 'histogram',
    help: 'Event to 2xx of the receiver, retries and replays included.',
  },
  ponte_partner_messages_total: {
    type: 'counter',
    labels: ['partner', 'mode', 'result'],
    help:
      'Messages of the settlement partner: applied; without_effect, about nothing that Ponte ' +
      'follows, such as an unknown event; unmatched, tried again; given_up; not_genuine.',
  },
  ponte_sign_in_codes_total: {
    type: 'counter',
    labels: ['result'],
    help:
      'Sign-in codes tried: right; wrong; none, there was no code to compare; limited, refused ' +
      'because too many were wrong.',
  },
  ponte_store_commits_total: {
    type: 'counter',
    help: 'Transactions committed.',
  },
  ponte_store_batches_total: {
    type: 'counter',
    help: 'Batches of writes in those transactions; divided by commits, the writes per commit.',
  },
  ponte_store_connections: {
    type: 'gauge',
    labels: ['state'],
    help: 'PostgreSQL connections used and idle, and callers waiting for one.',
  },
  ponte_clock_skew_seconds: {
    type: 'gauge',
    help: "How far this machine's clock is ahead of the database's; 0 on SQLite.",
  },
  ponte_backup_age_seconds: {
    type: 'gauge',
    help: 'Age of the last good backup, +Inf before the first; only with PONTE_BACKUP_TO.',
  },
  ponte_database_up: {
    type: 'gauge',
    help: '1 if the database could be read for this scrape, else 0.',
  },
} as const satisfies Readonly<Record<`ponte_${string}`, MetricRow>>;

/** One value without labels, or a value for each. What is not in it has no row. */
type Values = number | readonly (readonly [labels: Readonly<Record<string, string>>, number])[];

interface StoredRow extends MetricRow {
  readonly read: (waiting: QueueReport) => Values;
}

const ofDatabase: Readonly<Record<`ponte_${string}`, StoredRow>> = {
  ponte_queue_due: {
    labels: ['queue'],
    help:
      `Rows that are due and not claimed, at most ${COUNTED_MAX}. ` +
      `The queues are ${queueNames.join(', ')}.`,
    read: ({ queues }) => queuesBy(queues, ({ due }) => due),
  },
  ponte_queue_late_seconds: {
    labels: ['queue'],
    help: 'Time since the oldest of them was due.',
    read: ({ queues }) => queuesBy(queues, ({ lateMs }) => seconds(lateMs)),
  },
  ponte_oldest_undelivered_seconds: {
    help: 'Age of the oldest undelivered event, waits between attempts included.',
    read: ({ undeliveredMs }) => seconds(undeliveredMs),
  },
  ponte_stuck_commands: {
    help: 'Commands to the partner that need an operator.',
    read: ({ stuckCommands }) => stuckCommands,
  },
  ponte_dead_letters: {
    help: `Deliveries given up, at most ${COUNTED_MAX}.`,
    read: ({ deadLetters }) => deadLetters,
  },
  ponte_blocked_mails: {
    help: `Mails that wait because the mail server does not take them, at most ${COUNTED_MAX}.`,
    read: ({ blockedMails }) => blockedMails,
  },
  ponte_funds_needing_review: {
    labels: ['mode'],
    help: 'Payments whose money needs an operator: its position or refund is needs_review.',
    read: ({ fundsToReview }) => modes.map((mode) => [{ mode }, fundsToReview[mode]]),
  },
  ponte_unmatched_minor: {
    labels: ['currency'],
    help: 'Money that nobody ordered and that needs a decision, in minor units of the currency.',
    read: ({ unmatched }) =>
      unmatched.map(({ currency, amountMinor }) => [{ currency }, Number(amountMinor)]),
  },
  ponte_unmatched_oldest_seconds: {
    help: 'For how long the oldest of it has been here; 0 if there is none.',
    read: ({ unmatched }) => seconds(Math.max(0, ...unmatched.map(({ oldestMs }) => oldestMs))),
  },
  ponte_books_read_age_seconds: {
    labels: ['partner', 'mode'],
    help: 'How long ago both books of the partner were last read completely.',
    read: ({ booksRead }) =>
      booksRead.map(({ partner, mode, ageMs }) => [{ partner, mode }, seconds(ageMs)]),
  },
  ponte_reconciliation_age_seconds: {
    labels: ['partner', 'mode'],
    help: 'How long ago the books of the partner were last compared with ours.',
    read: (waiting) => comparisonsBy(waiting, ({ ageMs }) => seconds(ageMs)),
  },
  ponte_reconciliation_differences: {
    labels: ['partner', 'mode'],
    help: 'What differed then.',
    read: (waiting) => comparisonsBy(waiting, ({ differences }) => differences),
  },
  ponte_reconciliation_unread: {
    labels: ['partner', 'mode'],
    help: 'Lists, entries and wallets that could not be read then.',
    read: (waiting) => comparisonsBy(waiting, ({ unread }) => unread),
  },
  ponte_epoch: {
    help: 'The epoch of the feed: 1 until the first restore.',
    read: ({ epoch }) => epoch,
  },
  ponte_quarantine: {
    help: '1 while a restored database waits for its release, else 0.',
    read: ({ inQuarantine }) => (inQuarantine ? 1 : 0),
  },
};

/**
 * Every metric with its description, which Prometheus and adapters/docs/reference/metrics.md show.
 * Those of `database` are gauges that are read from it; without it they are absent.
 */
export const metricTable = { process: ofProcess, database: ofDatabase };

type MetricName<Type extends 'counter' | 'histogram' | 'gauge'> = {
  readonly [N in keyof typeof ofProcess]: (typeof ofProcess)[N]['type'] extends Type ? N : never;
}[keyof typeof ofProcess];

/** Scrapes within this time get the same reading. */
const FRESH_MS = SECOND_MS;

const createBuckets = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
/** From the first attempt of a fast receiver to the last attempt after a day and a half. */
const deliveryBuckets = [
  0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.15, 0.5, 1, 5, 30, 60, 300, 900, 3_600, 21_600,
  86_400, 129_600,
];

export interface MetricsSources {
  readonly queueStats: () => Promise<QueueReport>;
  readonly store: {
    readonly counts: { readonly commits: number; readonly applied: number };
    /** Null without a connection pool. */
    readonly connections: Readonly<Record<'total' | 'idle' | 'waiting', number>> | null;
  };
  /** Age of the last good backup, infinite before the first; null without a schedule. */
  readonly backupAgeMs: (() => Promise<number>) | null;
  /** How far the clock of this machine is ahead of the database's. */
  readonly clockSkewMs: () => number;
}

export interface PrometheusMetrics extends Metrics {
  /** Serves GET /metrics; port 0 takes a free one. */
  listen(host: string, port: number, sources: MetricsSources): Promise<AddressInfo>;
  close(): Promise<void>;
}

export function createPrometheusMetrics(): PrometheusMetrics {
  const process = new Registry();
  const requests = counter(process, 'ponte_requests_total');
  const created = histogram(process, 'ponte_create_duration_seconds', createBuckets);
  const attempts = counter(process, 'ponte_delivery_attempts_total');
  const delivered = histogram(process, 'ponte_event_to_receiver_seconds', deliveryBuckets);
  const messages = counter(process, 'ponte_partner_messages_total');
  const codes = counter(process, 'ponte_sign_in_codes_total');
  for (const result of signInCodeResults) codes.inc({ result }, 0);
  for (const outcome of ['delivered', 'failed', 'dead_letter']) attempts.inc({ outcome }, 0);
  let server: Server | null = null;
  return {
    answered(operation, { status, createMs }) {
      requests.inc({ operation: operation ?? 'none', status });
      if (createMs !== null) created.observe({ operation: operation ?? 'none' }, seconds(createMs));
    },
    delivered(sinceEventMs) {
      attempts.inc({ outcome: 'delivered' });
      delivered.observe(seconds(sinceEventMs));
    },
    undelivered: (outcome, count) => attempts.inc({ outcome }, count),
    partnerMessage: (partner, mode, result) => messages.inc({ partner, mode, result }),
    signInCode: (result) => codes.inc({ result }),
    listen(host, port, sources) {
      collectDefaultMetrics({ register: process });
      addSources(process, sources);
      const listening = serveText(scrapeOf(process, sources), process.contentType);
      server = listening;
      return new Promise((resolve, reject) => {
        listening.once('error', reject);
        listening.listen(port, host, () => resolve(listening.address() as AddressInfo));
      });
    },
    close: () =>
      new Promise((resolve) => {
        if (server === null) return resolve();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a scrape reads from this process. */
function addSources(process: Registry, { store, backupAgeMs, clockSkewMs }: MetricsSources): void {
  const total = (name: MetricName<'counter'>, read: () => number) =>
    counter(process, name, (metric) => {
      metric.reset();
      metric.inc(read());
    });
  const duration = (name: MetricName<'gauge'>, readMs: () => number | Promise<number>) =>
    gauge(process, name, async (metric) => metric.set(seconds(await readMs())));
  total('ponte_store_commits_total', () => store.counts.commits);
  total('ponte_store_batches_total', () => store.counts.applied);
  duration('ponte_clock_skew_seconds', clockSkewMs);
  if (backupAgeMs !== null) duration('ponte_backup_age_seconds', backupAgeMs);
  if (store.connections === null) return;
  gauge(process, 'ponte_store_connections', (metric) => {
    if (store.connections === null) return;
    const { total: all, idle, waiting } = store.connections;
    metric.set({ state: 'used' }, all - idle);
    metric.set({ state: 'idle' }, idle);
    metric.set({ state: 'waiting' }, waiting);
  });
}

/** All metrics; without those of the database while it cannot be read. */
function scrapeOf(process: Registry, { queueStats }: MetricsSources): () => Promise<string> {
  const database = new Registry();
  const show = queueGauges(database);
  const up = gauge(process, 'ponte_database_up');
  return async () => {
    const waiting = await queueStats().catch(() => null);
    up.set(waiting === null ? 0 : 1);
    if (waiting === null) return process.metrics();
    show(waiting);
    return `${await process.metrics()}\n${await database.metrics()}`;
  };
}

function queueGauges(database: Registry): (waiting: QueueReport) => void {
  const gauges = Object.entries(metricTable.database).map(([name, { read, ...row }]) => {
    return { read, metric: new Gauge(described(database, name, row)) };
  });
  return (waiting) => {
    for (const { read, metric } of gauges) {
      const values = read(waiting);
      // A currency without money has no row.
      if (typeof values === 'number') metric.set(values);
      else metric.reset();
      for (const [labels, value] of typeof values === 'number' ? [] : values) {
        metric.set(labels, value);
      }
    }
  };
}

function queuesBy(
  queues: QueueReport['queues'],
  value: (load: QueueReport['queues'][QueueName]) => number,
): Values {
  return Object.entries(queues).map(([queue, load]) => [{ queue }, value(load)]);
}

type Comparison = NonNullable<QueueReport['reconciliations'][number]['last']>;

function comparisonsBy(
  { reconciliations }: QueueReport,
  value: (last: Comparison) => number,
): Values {
  return reconciliations.flatMap(({ partner, mode, last }) =>
    last === null ? [] : [[{ partner, mode }, value(last)] as const],
  );
}

function counter(
  register: Registry,
  name: MetricName<'counter'>,
  read?: (metric: Counter) => void,
): Counter {
  return new Counter({
    ...described(register, name, metricTable.process[name]),
    collect() {
      read?.(this);
    },
  });
}

function gauge(
  register: Registry,
  name: MetricName<'gauge'>,
  read?: (metric: Gauge) => void | Promise<void>,
): Gauge {
  return new Gauge({
    ...described(register, name, metricTable.process[name]),
    async collect() {
      await read?.(this);
    },
  });
}

function histogram(
  register: Registry,
  name: MetricName<'histogram'>,
  buckets: number[],
): Histogram {
  return new Histogram({ ...described(register, name, metricTable.process[name]), buckets });
}

function described(
  register: Registry,
  name: string,
  { help, labels = [] }: Omit<MetricRow, 'type'>,
) {
  return { name, help, labelNames: [...labels], registers: [register] };
}

function serveText(read: () => Promise<string>, type: string): Server {
  const readShared = shared(read);
  return createServer((request, response) => {
    request.resume();
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    }
    readShared().then(
      (text) => response.writeHead(200, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}

/** Calls during a reading, and shortly after it, share its result. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | null = null;
  return () => {
    latest ??= read().finally(() => {
      setTimeout(() => {
        latest = null;
      }, FRESH_MS).unref();
    });
    return latest;
  };
}

function seconds(durationMs: number): number {
  return durationMs / SECOND_MS;
}
