// What doctor says of each defect, how bad it is, and that looking changes nothing.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { openSqliteStore } from '../../adapters/storage/sqlite/store.js';
import type { QueueReport } from '../../core/usecases/service/queue-stats.js';
import { readConfig } from '../../host/config.js';
import { diagnose, type Findings } from '../../host/health-checks.js';
import { startHost } from '../../host/main.js';
import { localPostgres } from '../support/databases/local-postgres.js';
import { olderDatabase } from '../support/databases/older-database.js';
import { aDelivery, aMessage } from '../support/samples/domain-samples.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const postgres = localPostgres();

const run = (env: Readonly<Record<string, string>>, words: string) =>
  runCommand(env, words.split(' '));

const MINUTE_MS = 60_000;
const GIB = 1_024 ** 3;
const nothing = { due: 0, lateMs: 0 };
const idle: QueueReport = {
  queues: {
    deliveries: nothing,
    commands: nothing,
    inbox: nothing,
    mails: nothing,
    documents: nothing,
    advances: nothing,
  },
  booksRead: [],
  reconciliations: [],
  unmatched: [],
  undeliveredMs: 0,
  stuckCommands: 0,
  deadLetters: 0,
  blockedMails: 0,
  fundsToReview: { live: 0, test: 0 },
  losses: 0,
  epoch: 1,
  inQuarantine: false,
  isChecked: false,
};
type Compared = QueueReport['reconciliations'][number];
function compared(last: Partial<NonNullable<Compared['last']>>): Compared {
  const found = { sinceMs: 0, endedAtMs: 0, entries: 9, commands: 9, differences: 0, unread: 0 };
  return {
    partner: 'blindpay',
    mode: 'live',
    last: { ...found, ageMs: 120 * MINUTE_MS, ...last },
    lateMs: 0,
  };
}
const healthy: Findings = {
  nodeVersion: 'v24.0.0',
  unknownVariables: [],
  warnings: [],
  databaseName: 'ponte.db',
  absence: null,
  health: { database: true, migrations: true },
  unreachableReason: null,
  clockSkewMs: -2_000,
  servers: [{ name: 'process 12', sinceMs: Date.UTC(2026, 0, 2, 3, 4, 5) }],
  connectionProblems: [],
  keysProblem: null,
  olderKeys: [],
  documentsProblem: null,
  dataDir: 'data',
  freeBytes: 12.34 * GIB,
  backups: null,
  mailProblem: null,
  operators: null,
  withoutContact: { test: [], live: [] },
  overlapping: { test: [], live: [] },
  auditHead: null,
  data: { waiting: idle, imbalances: 0, auditDefects: 0 },
  isAnchored: true,
};

type WaitingPart = Omit<Partial<typeof idle>, 'queues'> & {
  readonly queues?: Partial<(typeof idle)['queues']>;
};

function waiting({ queues = {}, ...rest }: WaitingPart): Partial<Findings> {
  const all = { ...idle, ...rest, queues: { ...idle.queues, ...queues } };
  return { data: { waiting: all, imbalances: 0, auditDefects: 0 } };
}

/** What is not as it should be, one line each. */
function wrong(findings: Partial<Findings>): readonly string[] {
  return diagnose({ ...healthy, ...findings })
    .filter(({ severity }) => severity !== 'ok')
    .map(({ name, severity, detail }) => `${severity} ${name}: ${detail}`);
}

test('a healthy service is reported check by check', () => {
  assert.deepEqual(wrong({}), []);
  assert.deepEqual(
    diagnose(healthy).map(({ name, detail }) => `${name}: ${detail}`),
    [
      'node: v24.0.0',
      'configuration: valid',
      'database: ponte.db',
      'migrations: done',
      'clock: that of the database',
      'serving: process 12 since 2026-01-02T03:04:05.000Z',
      'connections: each keeps its session',
      'disk: 12.3 GiB free at data',
      'mail: the mail server accepts us',
      'contacts: live buyers find a person to ask',
      'subscriptions: no live event is sent twice',
      'secret keys: of this database',
      'documents: where they belong',
      'epoch: 1, released',
      'ledger: balances',
      'audit log: as it was written',
      'partner commands: none stuck',
      'funds: none needs review',
      'losses: none',
      'workers: no work is overdue',
      'deliveries: on time',
      'deposits: each has its payment',
      'dead letters: none',
      'mails: none is blocked',
    ],
  );
});

test('what only test mode lacks is noted, and is no warning', () => {
  const checks = diagnose({
    ...healthy,
    withoutContact: { test: ['org_1'], live: [] },
    overlapping: { test: ['whs_1', 'whs_2'], live: [] },
  });
  const shown = checks.filter(({ name }) => name === 'contacts' || name === 'subscriptions');
  assert.deepEqual(
    shown.map(({ severity, detail }) => `${severity}: ${detail}`),
    [
      'ok: live buyers find a person to ask; in test mode without one: 1',
      'ok: no live event is sent twice; in test mode overlapping: 2',
    ],
  );
});

describe('each defect is reported with what to do about it', () => {
  const late = (minutes: number, due = 3) => ({ due, lateMs: minutes * MINUTE_MS + 1 });
  const cases: readonly (readonly [Partial<Findings>, string])[] = [
    [
      {
        unknownVariables: [
          { name: 'PONTE_PROT', meant: 'PONTE_PORT' },
          { name: 'PONTE_X', meant: null },
        ],
      },
      'warning configuration: unknown: PONTE_PROT (did you mean PONTE_PORT?), PONTE_X',
    ],
    [
      { warnings: ['PONTE_A: is odd', 'PONTE_B: too'] },
      'warning configuration: PONTE_A: is odd; PONTE_B: too',
    ],
    [
      { clockSkewMs: 3_600_000 },
      'critical clock: this machine is 3600.0 s ahead of the database: a host here claims no ' +
        'work. Set its clock by NTP',
    ],
    [
      { clockSkewMs: -11_000 },
      'critical clock: this machine is 11.0 s behind the database: a host here claims no work. ' +
        'Set its clock by NTP',
    ],
    [
      { health: { database: false, migrations: false }, absence: 'there is none', data: null },
      'critical database: there is none',
    ],
    [
      { health: { database: false, migrations: false }, data: null },
      'critical database: ponte.db cannot be reached',
    ],
    [
      { health: { database: true, migrations: false }, data: null },
      'critical migrations: pending, or of a newer version: run ponte migrate',
    ],
    [
      { health: { database: false, migrations: false }, unreachableReason: 'no route', data: null },
      'critical database: ponte.db cannot be reached: no route',
    ],
    [
      { connectionProblems: ['a lock of nobody', 'another one'] },
      'critical connections: a lock of nobody; another one',
    ],
    [
      { operators: 2 },
      'warning operators: 2 registered: with fewer than 3, a lost key stops what two must do; ' +
        'run ponte operator add',
    ],
    [
      { withoutContact: { test: [], live: ['org_1', 'org_2'] } },
      'warning contacts: org_1, org_2: live without one; run ponte org support <org-id> --email',
    ],
    [
      { overlapping: { test: ['whs_3'], live: ['whs_1', 'whs_2'] } },
      'warning subscriptions: whs_1, whs_2: send the same events to the same URL, each with its ' +
        'own secret; ask the organization to delete one',
    ],
    [
      { mailProblem: 'connect ECONNREFUSED 127.0.0.1:25' },
      'warning mail: connect ECONNREFUSED 127.0.0.1:25: buyers get no sign-in links. Check ' +
        'PONTE_SMTP_URL',
    ],
    [{ keysProblem: 'nothing opens' }, 'critical secret keys: nothing opens'],
    [{ documentsProblem: 'data is elsewhere' }, 'critical documents: data is elsewhere'],
    [{ freeBytes: GIB / 2 }, 'warning disk: only 0.5 GiB free at data'],
    [{ freeBytes: 5 }, 'critical disk: only 0.0 GiB free at data'],
    [
      { backups: { everyMs: 15 * MINUTE_MS, ageMs: 31 * MINUTE_MS } },
      'warning backups: the last good one is 31 minutes old, due every 15 minutes: search the ' +
        'log of the server for "a scheduled backup failed"',
    ],
    [
      { backups: { everyMs: 15 * MINUTE_MS, ageMs: 121 * MINUTE_MS } },
      'critical backups: the last good one is 2 hours old, due every 15 minutes: search the ' +
        'log of the server for "a scheduled backup failed"',
    ],
    [
      { backups: { everyMs: 15 * MINUTE_MS, ageMs: null } },
      'warning backups: none yet: search the log of the server for ' +
        '"a scheduled backup failed"',
    ],
    [
      { data: { waiting: idle, imbalances: 1, auditDefects: 0 } },
      'critical ledger: does not balance: ponte ledger verify',
    ],
    [
      { data: { waiting: idle, imbalances: 0, auditDefects: 2 } },
      'critical audit log: 2 problems: ponte audit verify',
    ],
    [
      { auditHead: { sequence: 7, chainHash: 'abc' }, isAnchored: false },
      'warning audit head: 7 abc, kept in this database only: set PONTE_AUDIT_ANCHOR, or nobody ' +
        'finds a cut-off end',
    ],
    [
      waiting({ epoch: 1_800_000_000, inQuarantine: true }),
      'critical epoch: 1800000000, in quarantine: nothing is ordered, sent or changed. ' +
        'Run ponte restore --check, then ponte release',
    ],
    [
      waiting({ epoch: 2, inQuarantine: true, isChecked: true, queues: { commands: late(5) } }),
      'critical epoch: 2, in quarantine: nothing is ordered, sent or changed. ' +
        'The check is complete: review the differences, then run ponte release',
    ],
    [
      waiting({ booksRead: [{ partner: 'blindpay', mode: 'live', ageMs: 27 * 60 * MINUTE_MS }] }),
      'warning books of blindpay (live): last read completely 27 hours ago: a recall may ' +
        'be missed. Search the log of the leader for "books of the partner"',
    ],
    [
      waiting({ reconciliations: [compared({ differences: 1 })] }),
      'warning reconciliation with blindpay (live): compared 2 hours ago: 1 difference. ' +
        'Run ponte reconcile --mode live',
    ],
    [
      waiting({ reconciliations: [compared({ unread: 2 })] }),
      'warning reconciliation with blindpay (live): compared 2 hours ago: 0 differences, ' +
        '2 could not be read. Run ponte reconcile --mode live',
    ],
    [
      waiting({ reconciliations: [{ ...compared({}), last: null, lateMs: 25 * 60 * MINUTE_MS }] }),
      'warning reconciliation with blindpay (live): not compared yet: the first is due. ' +
        'The next one is late: see the log of the leader',
    ],
    [
      waiting({ stuckCommands: 1 }),
      'critical partner commands: 1 command stuck: ponte commands list --stuck',
    ],
    [
      waiting({ stuckCommands: 10_000 }),
      'critical partner commands: 10000 or more commands stuck: ponte commands list --stuck',
    ],
    [
      waiting({
        unmatched: [
          { currency: 'EUR', amountMinor: 5n, oldestMs: MINUTE_MS },
          { currency: 'USD', amountMinor: 10_001n, oldestMs: 180 * MINUTE_MS },
        ],
      }),
      'warning deposits: 0.05 EUR, 100.01 USD that nobody ordered, the oldest for 3 hours: ' +
        'ponte money list',
    ],
    [
      waiting({ fundsToReview: { live: 2, test: 5 } }),
      'critical funds: 2 payments whose money needs review: ponte money list',
    ],
    [
      waiting({ losses: 1 }),
      'warning losses: 1 payment of which more left than arrived: ponte money list --queue lost',
    ],
    [
      waiting({ queues: { inbox: late(5), mails: late(1, 1) } }),
      'critical workers: inbox: 3 rows due, the oldest for 5 minutes; ' +
        'mails: 1 row due, the oldest for 1 minute. No worker claims it: see the log of the server',
    ],
    [
      waiting({ queues: { deliveries: late(180) } }),
      'warning deliveries: webhooks: 3 rows due, the oldest for 3 hours: ' +
        'a receiver is slow, or no server is running',
    ],
    [
      waiting({ undeliveredMs: 16 * MINUTE_MS }),
      'warning deliveries: the oldest undelivered event is 16 minutes old: ' +
        'ponte deliveries list --status pending',
    ],
    [
      waiting({ undeliveredMs: 3 * 24 * 60 * MINUTE_MS }),
      'warning deliveries: the oldest undelivered event is 3 days old: ' +
        'ponte deliveries list --status pending',
    ],
    [
      waiting({ blockedMails: 3 }),
      'warning mails: 3 mails that the mail server does not take, tried again: ' +
        'ponte mails list --status pending gives its reason',
    ],
    [
      waiting({ deadLetters: 2 }),
      'warning dead letters: 2 deliveries given up: ponte deliveries list --status dead_letter',
    ],
  ];
  for (const [findings, finding] of cases) {
    test(finding.slice(0, 70), () => assert.deepEqual(wrong(findings), [finding]));
  }

  test('a backup that is not older than two intervals is no defect', () => {
    assert.deepEqual(wrong({ backups: { everyMs: MINUTE_MS, ageMs: 2 * MINUTE_MS } }), []);
  });

  test('money of test mode that needs review is a note, no defect', () => {
    const findings = { ...healthy, ...waiting({ fundsToReview: { live: 0, test: 2 } }) };
    const funds = diagnose(findings).find(({ name }) => name === 'funds');
    const detail = 'none needs review; 2 payments of test mode: ponte money list';
    assert.deepEqual(funds, { name: 'funds', severity: 'ok', detail });
  });

  test('work that is due since a moment, and an event between two attempts, are no defects', () => {
    const soon = { due: 500, lateMs: MINUTE_MS };
    const queues = { inbox: soon, deliveries: soon, commands: soon };
    assert.deepEqual(wrong(waiting({ queues, undeliveredMs: 15 * MINUTE_MS })), []);
  });
});

test('the exit code separates failures from warnings', async () => {
  const env = { PONTE_DATA_DIR: join(folder, 'late') };
  assert.equal((await run(env, 'migrate')).status, 0);
  const doctor = async () => {
    const { status, stdout } = await run(env, 'doctor --json');
    return {
      status,
      ...(JSON.parse(stdout) as { readonly ok: boolean; readonly backlog: unknown }),
    };
  };
  const { status, ok, backlog } = await doctor();
  assert.deepEqual([status, ok, backlog], [0, true, idle]);
  const store = openSqliteStore({ path: join(env.PONTE_DATA_DIR, 'ponte.db') });
  const longAgoMs = Date.now() - 3 * 60 * MINUTE_MS;
  const waits = { createdAtMs: longAgoMs, dueAtMs: Date.now() + 60 * MINUTE_MS };
  await store.run(async (tx) => tx.deliveries.insert(aDelivery(waits)));
  const report = await doctor();
  assert.deepEqual([report.status, report.ok], [9, false]);
  await store.run(async (tx) => tx.inbox.insert(aMessage({ dueAtMs: longAgoMs })));
  await store.close();
  assert.equal((await doctor()).status, 8);
  const { stdout } = await run(env, 'doctor');
  assert.match(stdout, /^workers +FAIL +inbox: 1 row due, .+ 3 hours\. No server is running/m);
  assert.match(stdout, /^deliveries +WARN +the oldest undelivered event is 3 hours old: /m);
});

test('where there is no database doctor says so, and makes none', async () => {
  const env = { PONTE_DATA_DIR: join(folder, 'new') };
  const first = await run(env, 'doctor');
  assert.equal(first.status, 8);
  assert.match(first.stdout, /^database +FAIL +There is no database at \S+ponte\.db/m);
  assert.equal(existsSync(env.PONTE_DATA_DIR), false);
  assert.equal((await run(env, 'migrate')).status, 0);
  const { status, stdout } = await run(env, 'doctor');
  assert.equal(status, 0);
  assert.doesNotMatch(stdout, /^connections /m, 'a file has none');
});

test('a database of an older version is reported and not migrated', async () => {
  const env = { PONTE_DATA_DIR: join(folder, 'older') };
  mkdirSync(env.PONTE_DATA_DIR);
  olderDatabase(join(env.PONTE_DATA_DIR, 'ponte.db')).close();
  const keys = { ...env, PONTE_SECRET_KEYS: newSecretKey('k') };
  for (const _ of ['once', 'again']) {
    const { status, stdout } = await run(keys, 'doctor');
    assert.equal(status, 8);
    assert.match(stdout, /^migrations +FAIL +pending/m);
  }
});

test('the process that serves the database is reported, with its start time', async () => {
  const sqlite = { PONTE_DATA_DIR: join(folder, 'served'), PONTE_PORT: '0' };
  const shared = { ...sqlite, PONTE_DATABASE_URL: await postgres.newDatabase() };
  for (const [settings, name] of [
    [sqlite, `process ${process.pid}`],
    [shared, `process ${process.pid} at ${hostname()}`],
  ] as const) {
    const env = { ...settings, PONTE_LOG_LEVEL: 'silent' };
    const beforeMs = Date.now();
    const host = await startHost(readConfig(env));
    const [json, text] = [await run(env, 'doctor --json'), await run(env, 'doctor')];
    await host.stop();
    const { servers } = JSON.parse(json.stdout) as {
      readonly servers: readonly { readonly name: string; readonly since: string }[];
    };
    assert.deepEqual(
      servers.map((server) => server.name),
      [name],
    );
    assert.ok(Date.parse(servers[0]?.since ?? '') >= beforeMs - 1_000);
    assert.match(text.stdout, /^serving +ok +process \d+.* since 2/m);
    const after = await run(env, 'doctor');
    assert.match(after.stdout, /^serving +ok +no server is running$/m);
  }
});

test('PostgreSQL is checked too, and reported when it is unreachable', async () => {
  const env = {
    PONTE_DATA_DIR: join(folder, 'postgres'),
    PONTE_DATABASE_URL: await postgres.newDatabase(),
  };
  assert.match((await run(env, 'doctor')).stdout, /^migrations +FAIL +pending/m);
  assert.equal((await run(env, 'migrate')).status, 0);
  assert.equal((await run(env, 'doctor')).status, 0);
  const gone = { ...env, PONTE_DATABASE_URL: 'postgres://ponte:secret@127.0.0.1:1/ponte' };
  const { status, stdout } = await run(gone, 'doctor');
  assert.equal(status, 8);
  assert.match(stdout, /^database +FAIL +\S+ cannot be reached: .*ECONNREFUSED/m);
  assert.doesNotMatch(stdout, /:secret@|secret keys/);
});
