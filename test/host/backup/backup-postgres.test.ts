// PostgreSQL is backed up by its own tools: the manifest that goes with a dump, and the gate at
// which a restored database is verified and put into quarantine. The dump is played by a copy of
// the database's files.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { readManifest } from '../../../adapters/backup/manifest.js';
import { newSecretKey } from '../../../adapters/crypto/secret-box.js';
import { openPostgresStore } from '../../../adapters/storage/postgres/store.js';
import { readConfig } from '../../../host/config.js';
import { startHost } from '../../../host/main.js';
import { localPostgres } from '../../support/databases/local-postgres.js';
import { aBarePayment, someFunds } from '../../support/samples/domain-samples.js';
import { runCommand } from '../../support/servers/command.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { valuesOf } from '../../support/values-of.js';

const folder = temporaryFolder();
const postgres = localPostgres({ own: true });
const backups = join(folder, 'backups');
const keys = newSecretKey('k');

/** A database with a payment, its URL, and the manifest that was made of it. */
let manifest = '';
await sql('create database origin');
const host = await startHost(readConfig(await environment('origin')));
await host.stop();
await addPayments('origin', 'pi_1', 'pi_2');
const made = await ponte('origin', 'backup', '--manifest', '--to', backups);
assert.equal(made.status, 0, made.stderr);
manifest = join(backups, readdirSync(backups)[0] ?? '');

async function sql(text: string): Promise<void> {
  const client = new pg.Client(await postgres.url());
  await client.connect();
  await client.query(text);
  await client.end();
}

async function urlOf(database: string): Promise<string> {
  return (await postgres.url()).replace(/\/postgres$/, `/${database}`);
}

async function environment(database: string) {
  return {
    PONTE_DATA_DIR: join(folder, 'data'),
    PONTE_DATABASE_URL: await urlOf(database),
    PONTE_PORT: '0',
    PONTE_LOG_LEVEL: 'silent',
    PONTE_SECRET_KEYS: keys,
  };
}

async function ponte(database: string, ...words: readonly string[]) {
  return runCommand(await environment(database), words);
}

async function addPayments(database: string, ...ids: readonly string[]): Promise<void> {
  const store = openPostgresStore({ url: await urlOf(database) });
  await store.run(async (tx) => {
    for (const id of ids) {
      tx.payments.insert(aBarePayment({ id, publicId: id, externalId: id }));
      tx.funds.put(someFunds({ paymentId: id }));
    }
  });
  await store.close();
}

async function epochsOf(database: string) {
  const store = openPostgresStore({ url: await urlOf(database) });
  const epochs = await store.run((tx) => tx.epochs.list());
  await store.close();
  return epochs.map(({ cause, state }) => `${cause} ${state}`);
}

test('a backup without its manifest option is refused, with what to do', async () => {
  const { status, stderr } = await ponte('origin', 'backup', '--to', backups);
  assert.equal(status, 7);
  assert.match(stderr, /make a --manifest, then pg_dump or pg_basebackup \(.*backup\.md\)/);
});

test('the manifest lists counts and keys and contains no database', async () => {
  const { database, files, rows, secretKeys } = await readManifest(manifest);
  assert.deepEqual([database, files, rows['payments']], ['postgres', [], 2]);
  assert.deepEqual(valuesOf(secretKeys, 'id'), ['k']);
});

test('a restored database is accepted into quarantine, one that is of later too', async () => {
  await sql('create database whole template origin');
  await addPayments('whole', 'pi_later');
  const tried = await ponte('whole', 'restore', '--from', manifest, '--dry-run');
  assert.equal(tried.status, 0, tried.stderr);
  assert.deepEqual(await epochsOf('whole'), ['initial open']);
  const { status, stdout, stderr } = await ponte('whole', 'restore', '--from', manifest);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /in epoch \d+\.\n[\s\S]*quarantine/);
  assert.deepEqual(await epochsOf('whole'), ['initial over', 'restored quarantine']);
});

test('a restore, which nobody signs, has no entry in the audit log', async () => {
  await sql('create database unsigned template origin');
  const { status, stderr } = await ponte('unsigned', 'restore', '--from', manifest);
  assert.equal(status, 0, stderr);
  const entriesOf = async (database: string) =>
    JSON.parse((await ponte(database, 'audit', 'verify', '--json')).stdout).entries;
  assert.equal(await entriesOf('unsigned'), await entriesOf('origin'));
});

test('a database that lacks rows of the manifest is refused', async () => {
  await sql('create database half template origin');
  const client = new pg.Client(await urlOf('half'));
  await client.connect();
  await client.query(
    "delete from payments where id = 'pi_2'; delete from funds where payment_id = 'pi_2'",
  );
  await client.end();
  const { status, stderr } = await ponte('half', 'restore', '--from', manifest);
  assert.equal(status, 8);
  assert.match(stderr, /lacks rows of payments, funds\. Restore the dump that belongs to/);
  assert.deepEqual(await epochsOf('half'), ['initial open']);
});

test('a database without anything, or with other keys, is refused', async () => {
  await sql('create database nothing');
  const empty = await ponte('nothing', 'restore', '--from', manifest);
  assert.equal(empty.status, 4);
  assert.match(empty.stderr, /There is no database at/);
  await sql('create database locked template origin');
  const env = { ...(await environment('locked')), PONTE_SECRET_KEYS: newSecretKey('k') };
  const { status, stderr } = await runCommand(env, ['restore', '--from', manifest]);
  assert.equal(status, 7);
  assert.match(stderr, /PONTE_SECRET_KEYS: /);
  assert.deepEqual(await epochsOf('locked'), ['initial open']);
});

test('a database that hosts serve is refused', async () => {
  await sql('create database served template origin');
  const host = await startHost(readConfig(await environment('served')));
  const { status, stderr } = await ponte('served', 'restore', '--from', manifest);
  assert.equal(status, 4);
  assert.match(stderr, /is served by .*\. Stop them first\./);
  await host.stop();
  assert.deepEqual(await epochsOf('served'), ['initial open']);
});

test('a database without the folder of its documents is refused', async () => {
  await sql('create database moved template origin');
  const env = { ...(await environment('moved')), PONTE_DATA_DIR: join(folder, 'elsewhere') };
  const { status, stderr } = await runCommand(env, ['restore', '--from', manifest]);
  assert.equal(status, 7);
  assert.match(stderr, /PONTE_DOCUMENTS: .* is not where this database has its documents/);
});

test('a manifest of PostgreSQL does not restore a SQLite file, nor the other way round', async () => {
  const place = { PONTE_DATA_DIR: join(folder, 'file'), PONTE_DATABASE_URL: '' };
  const env = { ...(await environment('origin')), ...place };
  const { status, stderr } = await runCommand(env, ['restore', '--from', manifest]);
  assert.equal(status, 7);
  assert.match(stderr, /the backup is of postgres, the database is sqlite/);
  assert.equal((await runCommand(env, ['migrate'])).status, 0);
  const whole = await runCommand(env, ['backup', '--manifest', '--to', backups]);
  assert.equal(whole.status, 7);
  assert.match(whole.stderr, /--manifest: is for PostgreSQL/);
});
