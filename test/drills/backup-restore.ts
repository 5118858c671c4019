// A host under load is backed up, killed and restored: what was acknowledged before the backup is
// there and unchanged, and the feed is the beginning of the one that was lost. Then the partner is
// asked, which remembers everything; after the release all payments settle, none is paid twice.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import SqliteConnection from 'better-sqlite3';
import { memoryInFile } from '../../adapters/partner/fake-memory.js';
import { openSqliteStore } from '../../adapters/storage/sqlite/store.js';
import type { NumberedEvent } from '../../core/domain/payments/event.js';
import { type HostProcess, runCommand, startHostProcess } from '../support/servers/host-process.js';
import { orderOf } from '../support/servers/payment-load.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { brokenOf, type Drill, type DrillContext, type DrillResult } from './drill.js';

const CLIENTS = 8;
const READ_EVERY_MS = 20;
/** More than any drill makes. */
const EVENTS_MAX = 1_000_000;

type Body = Readonly<Record<string, unknown>>;

/** `payments` are settled before the backup, as many again are made beside and after it. */
function backupDrill(payments: number): Drill {
  return {
    name: 'backup-sqlite',
    bounds:
      'what was acknowledged before the backup is there, unchanged, and settles when released; ' +
      'one feed up to it; nothing is paid twice',
    run: (context) => drill(context, payments),
  };
}

export const BACKUP: Drill = backupDrill(400);

async function drill({ say, after }: DrillContext, payments: number): Promise<DrillResult> {
  const folder = temporaryFolder();
  const env = {
    PONTE_DATA_DIR: join(folder, 'data'),
    PONTE_FAKE_PARTNER_DELAY_MS: '20',
    PONTE_FAKE_PARTNER_FILE: join(folder, 'partner.jsonl'),
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
  const [lostFile = ''] = replaced as readonly string[];
  const lost = await feedOf(lostFile);
  const file = join(folder, 'data', 'ponte.db');
  const found = await feedOf(file);
  const verified = await runCommand(env, ['ledger', 'verify']);
  const restored = await startHostProcess(env);
  after(() => restored.kill());
  const missing = await thoseWhere(acknowledged, async ([externalId, id]) => {
    return (await read(restored, key, id))['externalId'] !== externalId;
  });
  const changed = await thoseWhere([...before], async ([id, payment]) => {
    return !isDeepStrictEqual(await read(restored, key, id), payment);
  });
  say('check and release');
  const { learned } = await command(env, 'restore', '--check');
  await command(env, 'release');
  for (const [, id] of acknowledged) await settle(restored, key, id);
  const doubled = paidTwice([lostFile, file], env.PONTE_FAKE_PARTNER_FILE);
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
      'learned from the partner': Number(learned),
      'paid twice': doubled.length,
    },
    broken: brokenOf({
      'nothing that was acknowledged before the backup is missing': missing.length === 0,
      'nothing that was settled before the backup has changed': changed.length === 0,
      'something was written while the backup was made': madeBeside > 0,
      'the restored feed is the beginning of the lost one': isBeginning(found, lost),
      'the ledger balances': verified.status === 0,
      'nothing is paid twice': doubled.length === 0,
    }),
  };
}

async function thoseWhere<T>(
  all: readonly T[],
  isSo: (one: T) => Promise<boolean>,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (const one of all) if (await isSo(one)) found.push(one);
  return found;
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
      while (acknowledged.size < count) await wait(READ_EVERY_MS);
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
      else await wait(READ_EVERY_MS);
    }
  }
  return settled;
}

/** Plays the buyer where nobody did before the kill, and waits for the end. */
async function settle(host: HostProcess, key: string, id: string): Promise<void> {
  let isAdvanced = false;
  for (;;) {
    const { status } = await read(host, key, id);
    if (status === 'settled') return;
    assert.notEqual(status, 'failed');
    if (status === 'awaiting_buyer' && !isAdvanced) {
      isAdvanced = true;
      await call(host, key, `/v1/test-helpers/payments/${id}/advance`, {});
    }
    await wait(READ_EVERY_MS);
  }
}

/** Payments for which the partner has two payouts, or one that neither database knows. */
function paidTwice(databases: readonly string[], memory: string): readonly string[] {
  const paymentOf = new Map<string, string>();
  for (const path of databases) {
    const connection = new SqliteConnection(path);
    const sql = "select reference, payment_id from partner_commands where kind = 'payout'";
    const rows = connection.prepare<[], readonly [string, string]>(sql).raw().all();
    for (const [reference, paymentId] of rows) paymentOf.set(reference, paymentId);
    connection.close();
  }
  const payouts = memoryInFile(memory)
    .all()
    .filter(({ kind }) => kind === 'payout');
  const paid = payouts.map(({ reference }) => paymentOf.get(reference) ?? `unknown ${reference}`);
  return paid.filter((id, index) => paid.indexOf(id) !== index || id.startsWith('unknown '));
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

async function feedOf(path: string): Promise<readonly NumberedEvent[]> {
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

function isBeginning(found: readonly NumberedEvent[], whole: readonly NumberedEvent[]): boolean {
  return found.length > 0 && isDeepStrictEqual(found, whole.slice(0, found.length));
}
