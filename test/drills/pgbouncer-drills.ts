// PgBouncer itself between hosts and PostgreSQL: pooling sessions it works, with and without the
// work-around for startup parameters, and pooling transactions it is refused.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresStore } from '../../adapters/storage/postgres/store.js';
import { temporaryPostgres } from '../support/databases/local-postgres.js';
import { pgbouncerVersion, startPgbouncer } from '../support/databases/pgbouncer.js';
import { runCommand } from '../support/servers/host-process.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';
import { CALM_MS, eventsBackMs, loadedHosts, reckoned } from './loaded-hosts.js';

async function throughPgbouncer({ after }: DrillContext, lines: readonly string[]) {
  const server = temporaryPostgres({ durable: true });
  after(() => server.end());
  const url = await server.newDatabase();
  const pgbouncer = await startPgbouncer(url, lines);
  after(() => pgbouncer.stop());
  return { url, pooled: pgbouncer.url };
}

const sessionsDrill = (name: string, lines: readonly string[]): Drill => ({
  name,
  bounds: 'no create lost or doubled, every answer within 4 s, events come',
  async run(context): Promise<DrillResult> {
    const version = pgbouncerVersion();
    if (version === null) return { skipped: 'pgbouncer is not installed' };
    const { url, pooled } = await throughPgbouncer(context, ['pool_mode = session', ...lines]);
    const scene = await loadedHosts(context, pooled);
    const sinceMs = performance.now();
    const eventMs = eventsBackMs(scene);
    await Promise.all([eventMs, wait(CALM_MS)]);
    const { counts, met } = await reckoned(scene, openPostgresStore({ url }), { sinceMs, eventMs });
    return { counts: { version, ...counts }, broken: brokenOf(met) };
  },
});

export const pgbouncerSessions = sessionsDrill('pgbouncer-sessions', []);
export const pgbouncerIgnoring = sessionsDrill('pgbouncer-ignoring', [
  'ignore_startup_parameters = options,extra_float_digits',
]);

export const pgbouncerTransactions: Drill = {
  name: 'pgbouncer-transactions',
  bounds: 'a start is refused in one line and stores nothing; doctor names the pooler',
  async run(context): Promise<DrillResult> {
    const version = pgbouncerVersion();
    if (version === null) return { skipped: 'pgbouncer is not installed' };
    const { pooled } = await throughPgbouncer(context, ['pool_mode = transaction']);
    const folder = mkdtempSync(join(tmpdir(), 'ponte-drill-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const env = { PONTE_DATABASE_URL: pooled, PONTE_DATA_DIR: folder, PONTE_PORT: '0' };
    const served = await runCommand(env, ['serve']);
    const looked = await runCommand(env, ['doctor']);
    const isNamed = (text: string) => /gives each transaction another session/.test(text);
    const broken = brokenOf({
      'a start was not refused': served.status !== 0 && isNamed(served.stderr),
      'the refusal has more than one line': served.stderr.trim().split('\n').length === 1,
      'doctor does not name it': isNamed(looked.stdout + looked.stderr),
    });
    return { counts: { version, exit: `${served.status}`, doctor: `${looked.status}` }, broken };
  },
};
