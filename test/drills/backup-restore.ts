// A host under load is backed up, killed and restored: what was acknowledged before the backup is
// there and unchanged, and the feed is the beginning of the one that was lost.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { openSqliteStore } from '../../adapters/storage/sqlite.js';
import type { FeedEvent } from '../../core/ports.js';
import { type HostProcess, runCommand, startHostProcess } from '../support/host-process.js';
import { orderOf } from '../support/payment-load.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';

const CLIENTS = 8;
const LOOK_EVERY_MS = 20;
/** More than any drill makes. */
const EVENTS_MAX = 1_000_000;

type Body = Readonly<Record<string, unknown>>;

/** `payments` are settled before the backup, as many again are made beside and after it. */
export function backupDrill(payments: number): Drill {
  return {
    name: 'backup-sqlite',
    bounds: 'what was acknowledged before the backup is there and unchanged; one feed up to it',
    run: (context) => drill(context, payments),
  };
}

export const BACKUP: Drill = backupDrill(400);

async function drill({ say, after }: DrillContext, payments: number): Promise<DrillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'ponte-drill-backup-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    PONTE_DATA_DIR: join(folder, 'data'),
    PONTE_FAKE_PARTNER_DELAY_MS: '20',
    PONTE_RATE_LIMIT_PER_MINUTE: '0',
    // Answers name it; the port is another one after the restore.
    PONTE_PAY_URL: 'http://pay.test',
  };
  const host = await startHostProcess(env);
  after(() => host.kill());
  const key = host.key ?? '';
  const load = startClients(host, key);
  say('load');
  await load.reached(payments);
  const before = await settledPayments(host, key, load.acknowledged);
  const acknowledged = [...load.acknowledged];
  say('backup');
  const backup = await command(env, 'backup', '--to', join(folder, 'backups'));
  const madeBeside = load.acknowledged.size - acknowledged.length;
  await load.reached(load.acknowledged.size + payments);
  await host.kill();
  await load.ended;
  say('restore');
  const from = ['restore', '--replace', '--from', String(backup['folder'])];
  const { replaced } = await command(env, ...from);
  const lost = await feedOf((replaced as readonly string[])[0] ?? '');
  const found = await feedOf(join(folder, 'data', 'ponte.db'));
  const verified = await runCommand(env, ['ledger', 'verify']);
  const restored = await startHostProcess(env);
  after(() => restored.kill());
  const missing: string[] = [];
  for (const [externalId, id] of acknowledged) {
    const payment = await read(restored, key, id);
    if (payment['externalId'] !== externalId) missing.push(id);
  }
  const changed: string[] = [];
  for (const [id, payment] of before) {
    const now = await read(restored, key, id);
    if (!isDeepStrictEqual(now, payment)) changed.push(id);
  }
  return {
    counts: {
      'acknowledged before': acknowledged.length,
      'settled before': before.size,
      'made beside the backup': madeBeside,
      'made after the restored moment': load.acknowledged.size - acknowledged.length,
      missing: missing.length,
      changed: changed.length,
      'events restored': found.length,
      'events lost': lost.length - found.length,
    },
    broken: brokenOf({
      'nothing that was acknowledged before the backup is missing': missing.length === 0,
      'nothing that was settled before the backup has changed': changed.length === 0,
      'something was written while the backup was made': madeBeside > 0,
      'the restored feed is the beginning of the lost one': isBeginning(found, lost),
      'the ledger balances': verified.status === 0,
    }),
  };
}

/** Create and advance payments until the host is gone. */
function startClients(host: HostProcess, key: string) {
  const acknowledged = new Map<string, string>();
  let next = 0;
  const client = async () => {
    try {
      for (;;) {
        const order = orderOf(next);
        next += 1;
        const { id } = await call(host, key, '/v1/payment-intents', order);
        acknowledged.set(order.externalId, String(id));
        await call(host, key, `/v1/test-helpers/payments/${id}/advance`, {});
      }
    } catch (error) {
      // The kill cuts calls off (a TypeError of fetch); anything else is a fault.
      if (!(error instanceof TypeError)) throw error;
    }
  };
  return {
    acknowledged,
    ended: Promise.all(Array.from({ length: CLIENTS }, client)),
    reached: async (count: number) => {
      while (acknowledged.size < count) await wait(LOOK_EVERY_MS);
    },
  };
}

/** Waits until the first half is settled; the rest is on its way. */
async function settledPayments(
  host: HostProcess,
  key: string,
  acknowledged: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Body>> {
  const ids = [...acknowledged.values()].slice(0, acknowledged.size >> 1);
  const settled = new Map<string, Body>();
  for (const id of ids) {
    for (let payment: Body = {}; payment['status'] !== 'settled'; ) {
      payment = await read(host, key, id);
      if (payment['status'] === 'settled') settled.set(id, payment);
      else await wait(LOOK_EVERY_MS);
    }
  }
  return settled;
}

async function call(host: HostProcess, key: string, path: string, body: Body): Promise<Body> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${host.url}${path}`, request);
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Body;
}

async function read(host: HostProcess, key: string, id: string): Promise<Body> {
  const response = await fetch(`${host.url}/v1/payments/${id}`, { headers: { 'x-api-key': key } });
  return (await response.json()) as Body;
}

async function command(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const { status, stdout, stderr } = await runCommand(env, [...words, '--json']);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Body;
}

async function feedOf(path: string): Promise<readonly FeedEvent[]> {
  const store = openSqliteStore({ path });
  try {
    return await store.run(async (tx) => {
      const [organization] = await tx.organizations.list();
      assert.ok(organization !== undefined);
      return tx.feed.after({ orgId: organization.id, mode: 'test' }, 0, EVENTS_MAX);
    });
  } finally {
    await store.close();
  }
}

function isBeginning(found: readonly FeedEvent[], whole: readonly FeedEvent[]): boolean {
  return found.length > 0 && isDeepStrictEqual(found, whole.slice(0, found.length));
}
