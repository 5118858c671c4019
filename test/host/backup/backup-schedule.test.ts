// Scheduled backups of a serving host: their number, failures, and what an operator sees.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority, hostname } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newestBackup } from '../../../adapters/backup/backup-folder.js';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import { PonteError } from '../../../core/errors.js';
import type { Log } from '../../../core/ports/outside.js';
import {
  readBackupAgeMs,
  type ScheduleOptions,
  scheduleBackups,
} from '../../../host/backup-schedule.js';
import { type Place, placeIn, ponte, servedPlace } from '../../support/scenes/backup-scene.js';
import { programArguments, startHostProcess } from '../../support/servers/host-process.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';

const folder = temporaryFolder();

const program = [process.execPath, ...programArguments];
const clock = { nowMs: () => Date.now() };

const sourceOf = (place: Place) => ({ host: hostname(), database: place.file });
const newest = (place: Place) => newestBackup(place.backups, sourceOf(place));
const backupsIn = (root: string) => readdirSync(root).filter((name) => name.startsWith('ponte-'));

/**
 * A schedule in this process, whose backups are made by processes; and what it logged. They have
 * the priority of other tests: those take all of a busy machine from a process with a lower one.
 */
function scheduled(t: TestContext, place: Place, fields: Partial<ScheduleOptions> = {}) {
  const logged: string[] = [];
  const note = (message: string, given?: object) =>
    void logged.push(`${message} ${JSON.stringify(given)}`);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const plan = { to: place.backups, everyMs: 100, keep: 2 };
  const env = { ...process.env, ...place.env };
  const options = {
    plan,
    source: sourceOf(place),
    program,
    env,
    clock,
    log,
    priority: 0,
    ...fields,
  };
  const schedule = scheduleBackups(options);
  t.after(() => schedule.stop());
  return { logged, schedule };
}

test('backups come one after the other, and the newest are kept', async (t) => {
  const place = await servedPlace(folder, 'often');
  const { logged, schedule } = scheduled(t, place);
  await until(() => logged.length >= 3);
  await schedule.stop();
  assert.equal(backupsIn(place.backups).length, 2);
  for (const line of logged) assert.match(line, /^a backup was made /);
});

for (const [when, agoMs] of [
  ['', 0],
  [', nor by one that is dated in the future', 3_600_000],
] as const) {
  test(`a restart makes none before the next is due${when}`, async (t) => {
    const place = await servedPlace(folder, `restarted${agoMs}`);
    const { status } = await ponte(place, ['backup', '--to', place.backups]);
    assert.equal(status, 0);
    const [only] = backupsIn(place.backups);
    const plan = { to: place.backups, everyMs: 3_000, keep: 9 };
    const behind = { nowMs: () => Date.now() - agoMs };
    const { logged, schedule } = scheduled(t, place, { plan, clock: behind });
    await until(() => logged.length > 0);
    await schedule.stop();
    const [first, second] = backupsIn(place.backups).toSorted();
    assert.equal(first, only);
    const instant = (name = '') =>
      Date.parse(name.slice(6).replace(/T(..)-(..)-(..)-/, 'T$1:$2:$3.'));
    assert.ok(instant(second) - instant(first) >= 3_000);
  });
}

test('a backup that fails is an alert with its reason, and the next one is tried', async (t) => {
  const place = await servedPlace(folder, 'failing');
  // A file is where the folder of backups should be.
  writeFileSync(place.backups, '');
  const { logged } = scheduled(t, place);
  await until(() => logged.length > 0);
  assert.match(logged[0] ?? '', /^alert .*a scheduled backup failed.*failing-backups/);
  rmSync(place.backups);
  await until(() => newest(place));
  const missing = scheduled(t, place, { program: [join(folder, 'no-program')] });
  await until(() => missing.logged.length > 0);
  assert.match(missing.logged[0] ?? '', /^alert .*a scheduled backup failed.*ENOENT/);
  // Such a process is refused by a throw, not by an event.
  const refused = scheduled(t, place, { env: { HUGE: 'x'.repeat(8 * 1_024 * 1_024) } });
  await until(() => refused.logged.length > 0);
  assert.match(refused.logged[0] ?? '', /^alert .*a scheduled backup failed.*E2BIG/);
});

test('a backup has the lowest priority, and a stop ends the one that is under way', async (t) => {
  const place = await servedPlace(folder, 'stopped');
  // A program that never ends by itself, and says which process it is.
  const runs = join(folder, 'runs');
  const written = `fs.writeFileSync(${JSON.stringify(runs)}, String(process.pid))`;
  const code = `${written}; setInterval(() => {}, 1000)`;
  const program = [process.execPath, '-e', code, '--'];
  const { logged, schedule } = scheduled(t, place, { program, priority: undefined });
  const pid = await until(() => existsSync(runs) && readFileSync(runs, 'utf8'));
  assert.equal(getPriority(Number(pid)), constants.priority.PRIORITY_LOW);
  await schedule.stop();
  assert.deepEqual(logged, []);
});

test('a host makes backups while it serves and reports the age of the last good one', async (t) => {
  const place = placeIn(folder, 'host');
  const env = {
    ...place.env,
    PONTE_METRICS_PORT: '0',
    PONTE_BACKUP_TO: place.backups,
    PONTE_BACKUP_EVERY: '1h',
  };
  mkdirSync(place.env.PONTE_DATA_DIR);
  const before = await ponte({ env }, ['doctor']);
  assert.doesNotMatch(before.stdout, /^backups /m, 'there is no database yet');
  const host = await startHostProcess(env);
  t.after(() => host.kill());
  const made = await until(() => newest(place));
  assert.deepEqual([made.manifest.rotates, made.manifest.rows['organizations']], [true, 1]);
  const metrics = /^Metrics: (\S+)$/m.exec(host.startText)?.[1] ?? '';
  const age = await until(async () => {
    const text = await (await fetch(metrics)).text();
    const [, seconds] = /^ponte_backup_age_seconds (\S+)$/m.exec(text) ?? [];
    return seconds === undefined || seconds === '+Inf' ? null : Number(seconds);
  });
  assert.ok(age >= 0 && age < 3_600);
  const { status, stdout } = await ponte({ env }, ['doctor']);
  assert.deepEqual(
    [status, /^backups +ok +the last good one is 0 minutes old$/m.test(stdout)],
    [0, true],
  );
  assert.equal(await host.stop('SIGTERM'), 0);
});

test('the age of the last backup is unknown while the database cannot be read, and no error', async () => {
  const run = () => Promise.reject(new PonteError('StoreUnavailable'));
  const store = { ...openSqliteStore({ path: ':memory:' }), run };
  assert.equal(await readBackupAgeMs({ store, clock }, 'ponte.db', folder), null);
  await store.close();
});

test('options of serve come before variables, and are checked like them', async () => {
  const place = placeIn(folder, 'options');
  const env = { ...place.env, PONTE_BACKUP_EVERY: '1h' };
  const words = ['serve', '--backup-to', place.backups, '--backup-every', 'soon'];
  const { status, stderr } = await ponte({ env }, words);
  assert.equal(status, 7);
  assert.match(stderr, /PONTE_BACKUP_EVERY: give minutes, hours or days/);
});
