// Metrics for Prometheus, on a separate port. Counters live in memory. Queue statistics are read
// from the database on a scrape, at most once a second; without the database the other metrics are
// served.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SECOND_MS } from '../../core/domain/base/instant.js';
import type { Metrics } from '../../core/ports/outside.js';
import type { QueueReport } from '../../core/usecases/service/queue-stats.js';

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
  const registers = [new Registry()];
  const [requests, created, attempts, delivered, messages] = [
    new Counter({
      name: 'ponte_requests_total',
      help: 'Requests answered, by operation of the API and HTTP status.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    new Histogram({
      name: 'ponte_create_duration_seconds',
      help: 'From the request to the answer of creates that were not refused.',
      labelNames: ['operation'],
      buckets: createBuckets,
      registers,
    }),
    new Counter({
      name: 'ponte_delivery_attempts_total',
      help: 'Attempts at webhook deliveries, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    new Histogram({
      name: 'ponte_event_to_receiver_seconds',
      help: "From an event to its receiver's 2xx.",
      buckets: deliveryBuckets,
      registers,
    }),
    new Counter({
      name: 'ponte_partner_messages_total',
      help: 'Messages of the settlement partner, by result.',
      labelNames: ['partner', 'mode', 'result'],
      registers,
    }),
  ];
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
    listen(host, port, sources) {
      const [process] = registers as [Registry];
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
function addSources(register: Registry, { store, backupAgeMs, clockSkewMs }: MetricsSources): void {
  const registers = [register];
  const total = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const gauge = (name: string, help: string, readMs: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(seconds(await readMs()));
      },
    });
  total('ponte_store_commits_total', 'Transactions committed.', () => store.counts.commits);
  total(
    'ponte_store_batches_total',
    'Batches of writes in those transactions.',
    () => store.counts.applied,
  );
  gauge(
    'ponte_clock_skew_seconds',
    "How far this machine's clock is ahead of the database's; 0 on SQLite.",
    clockSkewMs,
  );
  if (backupAgeMs !== null) {
    const help = 'Age of the last good backup; +Inf before the first.';
    gauge('ponte_backup_age_seconds', help, backupAgeMs);
  }
  if (store.connections === null) return;
  new Gauge({
    name: 'ponte_store_connections',
    help: 'Database connections in use and idle, and waiting callers.',
    labelNames: ['state'],
    registers,
    collect() {
      if (store.connections === null) return;
      const { total: all, idle, waiting } = store.connections;
      this.set({ state: 'used' }, all - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
}

/** All metrics; without those of the database while it cannot be read. */
function scrapeOf(process: Registry, { queueStats }: MetricsSources): () => Promise<string> {
  const database = new Registry();
  const registers = [database];
  const show = queueGauges(registers);
  const up = new Gauge({
    name: 'ponte_database_up',
    help: '1 when the database could be read for this scrape, 0 when not.',
    registers: [process],
  });
  return async () => {
    const waiting = await queueStats().catch(() => null);
    up.set(waiting === null ? 0 : 1);
    if (waiting === null) return process.metrics();
    show(waiting);
    return `${await process.metrics()}\n${await database.metrics()}`;
  };
}

function queueGauges(registers: Registry[]): (waiting: QueueReport) => void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const ofQueue = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['queue'], registers });
  const due = ofQueue('ponte_queue_due', 'Rows that are due and not claimed, 10000 at most.');
  const late = ofQueue('ponte_queue_late_seconds', 'For how long the oldest of them has been due.');
  const undelivered = gauge(
    'ponte_oldest_undelivered_seconds',
    'Age of the oldest event with a pending delivery.',
  );
  const stuck = gauge('ponte_stuck_commands', 'Partner commands that need an operator.');
  const dead = gauge('ponte_dead_letters', 'Deliveries that were given up, 10000 at most.');
  const funds = gauge('ponte_funds_needing_review', 'Payments whose money needs review.');
  const unmatched = new Gauge({
    name: 'ponte_unmatched_minor',
    help: 'Money that nobody ordered and that needs a decision, in minor units of the currency.',
    labelNames: ['currency'],
    registers,
  });
  const oldestUnmatched = gauge(
    'ponte_unmatched_oldest_seconds',
    'For how long the oldest of it has been here; 0 if there is none.',
  );
  const booksRead = new Gauge({
    name: 'ponte_books_read_age_seconds',
    help: 'How long ago the books of the partner were last read completely.',
    labelNames: ['partner', 'mode'],
    registers,
  });
  const epoch = gauge('ponte_epoch', 'The epoch of the feed: 1 until the first restore.');
  const quarantine = gauge(
    'ponte_quarantine',
    '1 while the database is in quarantine after a restore, 0 when not.',
  );
  return (waiting) => {
    epoch.set(waiting.epoch);
    quarantine.set(waiting.inQuarantine ? 1 : 0);
    for (const [queue, { due: rows, lateMs }] of Object.entries(waiting.queues)) {
      due.set({ queue }, rows);
      late.set({ queue }, seconds(lateMs));
    }
    undelivered.set(seconds(waiting.undeliveredMs));
    stuck.set(waiting.stuckCommands);
    dead.set(waiting.deadLetters);
    funds.set(waiting.fundsToReview);
    // A currency without money has no row.
    unmatched.reset();
    for (const { currency, amountMinor } of waiting.unmatched) {
      unmatched.set({ currency }, Number(amountMinor));
    }
    const oldestMs = Math.max(0, ...waiting.unmatched.map((sum) => sum.oldestMs));
    oldestUnmatched.set(seconds(oldestMs));
    for (const { partner, mode, ageMs } of waiting.booksRead) {
      booksRead.set({ partner, mode }, seconds(ageMs));
    }
  };
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
  let held: Promise<T> | null = null;
  return () => {
    held ??= read().finally(() => {
      setTimeout(() => {
        held = null;
      }, FRESH_MS).unref();
    });
    return held;
  };
}

function seconds(durationMs: number): number {
  return durationMs / SECOND_MS;
}
