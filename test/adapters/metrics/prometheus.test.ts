import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  createPrometheusMetrics,
  type MetricRow,
  type MetricsSources,
  metricTable,
} from '../../../adapters/metrics/prometheus.js';
import { partnerMessageResults, signInCodeResults } from '../../../core/ports/outside.js';
import type { QueueReport } from '../../../core/usecases/service/queue-stats.js';

const nothing = { due: 0, lateMs: 0 };
const waiting: QueueReport = {
  queues: {
    mails: { due: 3, lateMs: 1_500 },
    deliveries: { due: 10_000, lateMs: 90_000 },
    commands: nothing,
    inbox: nothing,
    documents: nothing,
    advances: nothing,
  },
  booksRead: [{ partner: 'blindpay', mode: 'live', ageMs: 90_000 }],
  reconciliations: [
    {
      partner: 'blindpay',
      mode: 'live',
      last: {
        sinceMs: 0,
        endedAtMs: 0,
        entries: 9,
        commands: 8,
        differences: 3,
        unread: 2,
        ageMs: 60_000,
      },
      lateMs: 0,
    },
    { partner: 'fake', mode: 'test', last: null, lateMs: 0 },
  ],
  undeliveredMs: 7_200_000,
  unmatched: [
    { currency: 'EUR', amountMinor: 5n, oldestMs: 3_000 },
    { currency: 'USD', amountMinor: 10_001n, oldestMs: 60_000 },
  ],
  stuckCommands: 2,
  deadLetters: 4,
  blockedMails: 5,
  fundsToReview: { live: 1, test: 3 },
  losses: 0,
  epoch: 1_800_000_000,
  inQuarantine: true,
  isChecked: false,
};
const store = { counts: { commits: 7, applied: 21 }, connections: null };

async function serving(t: TestContext, sources: Partial<MetricsSources> = {}) {
  const metrics = createPrometheusMetrics();
  const gauges = { backupAgeMs: null, clockSkewMs: () => 0 };
  const made = { store, queueStats: async () => waiting, ...gauges, ...sources };
  const { port } = await metrics.listen('127.0.0.1', 0, made);
  t.after(() => metrics.close());
  const get = (path = '/metrics', method = 'GET') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method });
  /** Lines of our own, without their help. */
  const lines = async () => {
    const text = await (await get()).text();
    return text.split('\n').filter((line) => line.startsWith('ponte_'));
  };
  return { metrics, get, lines };
}

test('requests are counted by operation and status, creates timed by operation', async (t) => {
  const { metrics, lines } = await serving(t);
  metrics.answered('createPaymentIntent', { status: 201, createMs: 15 });
  metrics.answered('createPaymentIntent', { status: 201, createMs: 3_000 });
  metrics.answered('readPayment', { status: 404, createMs: null });
  metrics.answered(null, { status: 404, createMs: null });
  const found = await lines();
  for (const line of [
    'ponte_requests_total{operation="createPaymentIntent",status="201"} 2',
    'ponte_requests_total{operation="readPayment",status="404"} 1',
    'ponte_requests_total{operation="none",status="404"} 1',
    'ponte_create_duration_seconds_bucket{le="0.02",operation="createPaymentIntent"} 1',
    'ponte_create_duration_seconds_count{operation="createPaymentIntent"} 2',
    'ponte_create_duration_seconds_sum{operation="createPaymentIntent"} 3.015',
  ]) {
    assert.ok(found.includes(line), `${line} in\n${found.join('\n')}`);
  }
  assert.equal(found.filter((line) => line.startsWith('ponte_create_duration')).length, 14);
});

test('deliveries are counted by outcome, each outcome from the start', async (t) => {
  const { metrics, lines } = await serving(t);
  metrics.delivered(12);
  metrics.undelivered('failed', 1);
  metrics.undelivered('failed', 1);
  const found = await lines();
  for (const line of [
    'ponte_delivery_attempts_total{outcome="delivered"} 1',
    'ponte_delivery_attempts_total{outcome="failed"} 2',
    'ponte_delivery_attempts_total{outcome="dead_letter"} 0',
    'ponte_event_to_receiver_seconds_bucket{le="0.01"} 0',
    'ponte_event_to_receiver_seconds_bucket{le="0.015"} 1',
    'ponte_event_to_receiver_seconds_count 1',
  ]) {
    assert.ok(found.includes(line), `${line} in\n${found.join('\n')}`);
  }
});

test('backlogs are reported in rows and seconds, with the work of the store', async (t) => {
  const connections = { total: 9, idle: 4, waiting: 6 };
  const { lines } = await serving(t, { store: { ...store, connections } });
  const found = await lines();
  for (const line of [
    'ponte_queue_due{queue="mails"} 3',
    'ponte_queue_due{queue="deliveries"} 10000',
    'ponte_queue_due{queue="advances"} 0',
    'ponte_queue_late_seconds{queue="mails"} 1.5',
    'ponte_oldest_undelivered_seconds 7200',
    'ponte_stuck_commands 2',
    'ponte_dead_letters 4',
    'ponte_blocked_mails 5',
    'ponte_unmatched_minor{currency="USD"} 10001',
    'ponte_unmatched_oldest_seconds 60',
    'ponte_books_read_age_seconds{partner="blindpay",mode="live"} 90',
    'ponte_reconciliation_age_seconds{partner="blindpay",mode="live"} 60',
    'ponte_reconciliation_differences{partner="blindpay",mode="live"} 3',
    'ponte_reconciliation_unread{partner="blindpay",mode="live"} 2',
    'ponte_funds_needing_review{mode="live"} 1',
    'ponte_funds_needing_review{mode="test"} 3',
    'ponte_database_up 1',
    'ponte_store_commits_total 7',
    'ponte_store_batches_total 21',
    'ponte_store_connections{state="used"} 5',
    'ponte_store_connections{state="idle"} 4',
    'ponte_store_connections{state="waiting"} 6',
  ]) {
    assert.ok(found.includes(line), `${line} in\n${found.join('\n')}`);
  }
});

test('every metric of the table is served; without the database, those of the process', async (t) => {
  const namesOf = async (queueStats: MetricsSources['queueStats']) => {
    const connections = { total: 0, idle: 0, waiting: 0 };
    const sources = { store: { ...store, connections }, backupAgeMs: async () => 0, queueStats };
    const { get } = await serving(t, sources);
    const text = await (await get()).text();
    return [...text.matchAll(/^# TYPE (ponte_\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]);
  };
  const typesOf = (rows: Readonly<Record<string, MetricRow>>) =>
    Object.entries(rows)
      .map(([name, { type = 'gauge' }]) => [name, type])
      .sort();
  const { process, database } = metricTable;
  const all = typesOf({ ...process, ...database });
  assert.deepEqual((await namesOf(async () => waiting)).sort(), all);
  const unreadable = () => Promise.reject(new Error('unreachable'));
  assert.deepEqual((await namesOf(unreadable)).sort(), typesOf(process));
});

test('the age of the last good backup, where backups are made', async (t) => {
  const linesOf = async (backupAgeMs: MetricsSources['backupAgeMs']) => {
    const { lines } = await serving(t, { backupAgeMs });
    return (await lines()).filter((line) => line.startsWith('ponte_backup'));
  };
  assert.deepEqual(await linesOf(null), []);
  assert.deepEqual(await linesOf(async () => 61_500), ['ponte_backup_age_seconds 61.5']);
  const before = async () => Number.POSITIVE_INFINITY;
  assert.deepEqual(await linesOf(before), ['ponte_backup_age_seconds +Inf']);
});

test('process metrics are reported in the Prometheus format', async (t) => {
  const { get } = await serving(t);
  const answer = await get();
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await answer.text();
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
    assert.match(text, new RegExp(`^${name} [0-9.e+-]+$`, 'm'));
  }
  // Each name is described once, and every line is a comment or a sample.
  const types = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  assert.equal(new Set(types).size, types.length);
  for (const line of text.split('\n')) assert.match(line, /^(|# .+|[a-z_0-9]+(\{.+\})? \S+)$/i);
});

test('however many ask within a second, the database is read once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let reads = 0;
  const { promise, resolve } = Promise.withResolvers<QueueReport>();
  const { get } = await serving(t, {
    queueStats: () => {
      reads += 1;
      return promise;
    },
  });
  const asked = Array.from({ length: 5 }, async () => (await get()).status);
  assert.equal((await get('/elsewhere')).status, 404);
  resolve(waiting);
  assert.deepEqual(await Promise.all(asked), [200, 200, 200, 200, 200]);
  t.mock.timers.tick(999);
  assert.equal((await get()).status, 200);
  assert.equal(reads, 1);
  t.mock.timers.tick(1);
  assert.equal((await get()).status, 200);
  assert.equal(reads, 2);
});

test('without the database the rest is reported, and the failure', async (t) => {
  const { metrics, lines } = await serving(t, {
    queueStats: () => Promise.reject(new Error('no way there')),
  });
  metrics.answered('readPayment', { status: 503, createMs: null });
  const found = await lines();
  assert.ok(found.includes('ponte_database_up 0'));
  assert.ok(found.includes('ponte_requests_total{operation="readPayment",status="503"} 1'));
  assert.ok(!found.some((line) => line.startsWith('ponte_queue_due')));
  // A file has no pool.
  assert.ok(!found.some((line) => line.startsWith('ponte_store_connections')));
});

test('nothing else is served on this port', async (t) => {
  const { get } = await serving(t);
  assert.equal((await get('/')).status, 404);
  assert.equal((await get('/v1/payments')).status, 404);
  assert.equal((await get('/metrics', 'POST')).status, 405);
  assert.equal((await get('/metrics?debug=1', 'HEAD')).status, 200);
});

test('messages of the partner are counted by partner, mode and result', async (t) => {
  const { metrics, lines } = await serving(t);
  for (const result of partnerMessageResults) metrics.partnerMessage('blindpay', 'test', result);
  metrics.partnerMessage('blindpay', 'live', 'applied');
  metrics.partnerMessage('blindpay', 'live', 'applied');
  const found = (await lines()).filter((line) => line.startsWith('ponte_partner_messages_total'));
  const name = (mode: string, result: string) =>
    `ponte_partner_messages_total{partner="blindpay",mode="${mode}",result="${result}"}`;
  const expected = partnerMessageResults.map((result) => `${name('test', result)} 1`);
  assert.deepEqual(found.toSorted(), [...expected, `${name('live', 'applied')} 2`].toSorted());
});

test('tried sign-in codes are counted by result, each from 0', async (t) => {
  const { metrics, lines } = await serving(t);
  metrics.signInCode('wrong');
  const found = (await lines()).filter((line) => line.startsWith('ponte_sign_in_codes_total'));
  const expected = signInCodeResults.map(
    (result) => `ponte_sign_in_codes_total{result="${result}"} ${result === 'wrong' ? 1 : 0}`,
  );
  assert.deepEqual(found.toSorted(), expected.toSorted());
});
