// A restore verifies everything before it touches anything, keeps what it replaces, and leaves the
// database in quarantine. What it refuses it refuses with the place as it was.
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import SqliteConnection from 'better-sqlite3';
import { fileIn } from '../../../adapters/backup/backup-folder.js';
import { manifestText, readManifest } from '../../../adapters/backup/manifest.js';
import { newSecretKey } from '../../../adapters/crypto/secret-box.js';
import { sqliteRows } from '../../../adapters/storage/sqlite/stored-rows.js';
import { readConfig } from '../../../host/config.js';
import { startHost } from '../../../host/main.js';
import { swap } from '../../../host/restore-place.js';
import { olderDatabase } from '../../support/databases/older-database.js';
import {
  addDocument,
  addPayment,
  backUp,
  type Place,
  placeIn,
  ponte,
  servedPlace,
  serveOnce,
  treeOf,
  withStore,
} from '../../support/scenes/backup-scene.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/wait.js';

const folder = temporaryFolder();
const origin = await servedPlace(folder, 'origin');
const backup = await backUp(origin);
const secretKeys = readFileSync(join(origin.env.PONTE_DATA_DIR, 'secret-key'), 'utf8').trim();

/** An empty place with the keys of the backup. */
function emptyPlace(name: string): Place {
  const place = placeIn(folder, name);
  return { ...place, env: { ...place.env, PONTE_SECRET_KEYS: secretKeys } };
}

function restore(place: Pick<Place, 'env'>, from: string, ...options: readonly string[]) {
  return ponte(place, ['restore', '--from', from, ...options]);
}

const paymentsIn = async (place: Place) =>
  (await withStore(place, (store) => store.rows())).tables['payments'];

test('a restored database is that of the backup, with its documents, in quarantine', async () => {
  const place = emptyPlace('empty');
  const { status, stdout, stderr } = await restore(place, backup);
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /is restored as of \S+Z, in epoch \d+\./);
  assert.match(stdout, /ponte restore --check[\s\S]*ponte release/);
  assert.equal(await paymentsIn(place), 1);
  const epochs = await withStore(place, (store) => store.run((tx) => tx.epochs.list()));
  assert.deepEqual(
    epochs.map(({ cause, state }) => [cause, state]),
    [
      ['initial', 'over'],
      ['restored', 'quarantine'],
    ],
  );
  const documents = { ...treeOf(place.documents) };
  assert.deepEqual(documents, { ...treeOf(origin.documents) });
  for (const path of readdirSync(place.env.PONTE_DATA_DIR)) assert.ok(!path.startsWith('.'), path);
  // The folder of its documents is the right one, and the keys open it.
  await serveOnce(place);
});

test('two restores of one backup are two epochs', async () => {
  const place = emptyPlace('twice');
  assert.equal((await restore(place, backup)).status, 0);
  const current = () => withStore(place, (store) => store.run((tx) => tx.epochs.current()));
  const first = await current();
  // The number of an epoch comes from the second in which it starts.
  const later = Math.floor(Date.now() / 1_000) + 1;
  await until(() => Date.now() >= later * 1_000);
  assert.equal((await restore(place, backup, '--replace')).status, 0);
  assert.ok((await current()).number > first.number);
});

test('--replace keeps what was there, whole, under names that it prints', async () => {
  const place = await servedPlace(folder, 'replaced');
  await addPayment(place, 'pi_since');
  await addDocument(place, 'doc_7', '77');
  const own = { ...place, env: { ...place.env, PONTE_SECRET_KEYS: secretKeys } };
  const refused = await restore(own, backup);
  assert.equal(refused.status, 4);
  assert.match(refused.stderr, /ponte\.db exists\. With --replace it is moved aside/);
  assert.equal(await paymentsIn(place), 2);
  const { status, stdout } = await restore(own, backup, '--replace', '--json');
  assert.equal(status, 0);
  const { replaced } = JSON.parse(stdout) as { readonly replaced: readonly string[] };
  const [file = '', documents = ''] = [replaced[0], replaced.at(-1)];
  assert.match(file, /ponte\.db\.replaced-[-\dTZ]+$/);
  assert.match(documents, /documents\/\.replaced-[-\dTZ]+$/);
  assert.equal((await withStore({ file }, (store) => store.rows())).tables['payments'], 2);
  assert.ok(existsSync(join(documents, 'doc_7', '77')));
  assert.equal(await paymentsIn(own), 1);
  assert.ok(!existsSync(join(place.documents, 'doc_7')));
});

test('the folder of the documents stays where it is: it may be a mount point', async () => {
  const place = await servedPlace(folder, 'mounted');
  // As a disk that is mounted there has it.
  mkdirSync(join(place.documents, 'lost+found'));
  const own = { ...place, env: { ...place.env, PONTE_SECRET_KEYS: secretKeys } };
  const before = statSync(place.documents).ino;
  const { status, stdout, stderr } = await restore(own, backup, '--replace', '--json');
  assert.deepEqual([status, stderr], [0, '']);
  assert.equal(statSync(place.documents).ino, before);
  assert.ok(existsSync(join(place.documents, 'lost+found')));
  assert.ok(existsSync(join(place.documents, 'doc_1', 'ab12')));
  const { replaced } = JSON.parse(stdout) as { readonly replaced: readonly string[] };
  assert.ok(existsSync(join(replaced.at(-1) ?? '', 'doc_1', 'ab12')));
  await serveOnce(own);
});

/** What makes a step of the swap fail, from the first step to the last. */
const failures: readonly (readonly [
  name: string,
  hinder: (paths: { readonly stage: string; readonly replaced: (path: string) => string }) => void,
])[] = [
  ['the database', ({ replaced }) => writeFileSync(replaced('ponte.db'), '')],
  ['the documents', ({ replaced }) => writeFileSync(replaced('documents/'), '')],
  ['the restored database', ({ stage }) => rmSync(join(stage, 'ponte.db'))],
];

describe('a restore that fails leaves the old state whole', () => {
  for (const [name, hinder] of failures) {
    test(`${name} cannot be renamed`, async () => {
      const place = await servedPlace(folder, `failing ${name}`);
      const before = treeOf(place.env.PONTE_DATA_DIR);
      const stage = join(folder, `stage of ${name}`);
      cpSync(backup, stage, { recursive: true });
      const instant = '2026-01-02T03:04:05.678Z';
      const suffix = '.replaced-2026-01-02T03-04-05-678Z';
      const replaced = (path: string) => join(place.env.PONTE_DATA_DIR, `${path}${suffix}`);
      hinder({ stage, replaced });
      const staged = { file: join(stage, 'ponte.db'), documents: join(stage, 'documents') };
      await assert.rejects(swap(staged, place, instant));
      for (const path of ['ponte.db', 'documents/']) {
        rmSync(replaced(path), { recursive: true, force: true });
      }
      assert.deepEqual(treeOf(place.env.PONTE_DATA_DIR), before);
      assert.ok(existsSync(join(stage, 'documents', 'doc_1', 'ab12')));
    });
  }
});

test('what was committed to the log alone is kept with the database that it belongs to', async () => {
  const place = await servedPlace(folder, 'log');
  const own = { ...place, env: { ...place.env, PONTE_SECRET_KEYS: secretKeys } };
  // As a killed host leaves it: the log was not written back.
  const killed = placeIn(folder, 'log-killed');
  await withStore(place, async (store) => {
    await store.run((tx) => tx.organizations.list());
    const connection = new SqliteConnection(place.file);
    connection.pragma('wal_autocheckpoint = 0');
    connection.exec('create table of_the_log (a text)');
    cpSync(place.env.PONTE_DATA_DIR, killed.env.PONTE_DATA_DIR, { recursive: true });
    connection.close();
  });
  assert.ok(existsSync(`${killed.file}-wal`));
  const env = { ...own.env, PONTE_DATA_DIR: killed.env.PONTE_DATA_DIR };
  const { stdout } = await restore({ env }, backup, '--replace', '--json');
  const { replaced } = JSON.parse(stdout) as { readonly replaced: readonly string[] };
  const connection = new SqliteConnection(replaced[0]);
  assert.deepEqual(connection.prepare('select * from of_the_log').all(), []);
  connection.close();
});

test('a dry run verifies everything and leaves the place as it is', async () => {
  const place = await servedPlace(folder, 'dry');
  const own = { ...place, env: { ...place.env, PONTE_SECRET_KEYS: secretKeys } };
  const tree = treeOf(place.env.PONTE_DATA_DIR);
  const { status, stdout } = await restore(own, backup, '--dry-run');
  assert.equal(status, 0);
  const { takenAt, version, schema } = await readManifest(backup);
  assert.match(version, /^\d+\.\d+\.\d+(-\w+)?\+\w/);
  const writtenAt = new Date(Math.floor(statSync(place.file).mtimeMs)).toISOString();
  for (const line of [
    'The backup is complete and can be restored. Nothing was changed.',
    `made by        Ponte ${version}, migration ${schema}`,
    'epoch          1',
    'payments       1',
    'documents      1',
    'secret keys    "dev"',
    `would replace  ${place.file}, ${place.documents}, last written ${writtenAt}`,
  ]) {
    assert.ok(stdout.split('\n').includes(line), `${line}\nin\n${stdout}`);
  }
  const taken = new RegExp(`^taken {10}${takenAt}, \\d+ minutes? ago$`, 'm');
  assert.match(stdout, taken);
  assert.match(stdout, /^rows {11}\d+ in \d+ tables$/m);
  const json = JSON.parse((await restore(own, backup, '--dry-run', '--json')).stdout) as object;
  assert.deepEqual(Object.keys(json), [
    'restored',
    'takenAt',
    'database',
    'epoch',
    'replaced',
    'replacedWrittenAt',
    'backup',
  ]);
  assert.deepEqual(treeOf(place.env.PONTE_DATA_DIR), tree);
  const host = await startHost(readConfig(place.env));
  const beside = await restore(own, backup, '--dry-run');
  assert.equal(beside.status, 0, 'a host may serve the place');
  await host.stop();
});

test('the database of a running host is refused, replaced or not', async () => {
  const place = await servedPlace(folder, 'running');
  const own = { ...place, env: { ...place.env, PONTE_SECRET_KEYS: secretKeys } };
  const host = await startHost(readConfig(place.env));
  for (const options of [[], ['--replace']]) {
    const { status, stderr } = await restore(own, backup, ...options);
    assert.equal(status, 4);
    assert.match(stderr, /^ponte: Process \d+ serves \S+ponte\.db\. Stop it first\.\n$/);
  }
  await host.stop();
  assert.equal(await paymentsIn(place), 1);
  assert.equal((await restore(own, backup, '--replace')).status, 0);
});

/** What is done to a backup, and how its restore is refused. */
const refusals: readonly (readonly [
  name: string,
  spoil: (from: string) => Promise<void> | void,
  code: number,
  message: RegExp,
])[] = [
  [
    'a flipped byte in the database',
    (from) => flip(join(from, 'ponte.db')),
    8,
    /ponte\.db does not/,
  ],
  [
    'a flipped byte in a document',
    (from) => flip(join(from, 'documents', 'doc_1', 'ab12')),
    8,
    /doc_1\/ab12 does not match its manifest: changed/,
  ],
  [
    'a document that is missing',
    (from) => rmSync(join(from, 'documents', 'doc_1', 'ab12')),
    8,
    /doc_1\/ab12 does not match its manifest: missing/,
  ],
  ['a database that is missing', (from) => rmSync(join(from, 'ponte.db')), 8, /: missing/],
  ['no manifest', (from) => rmSync(join(from, 'manifest.json')), 4, /it has no manifest\.json/],
  [
    'a manifest that was edited',
    (from) => edit(from, (text) => text.replace('"payments": 1', '"payments": 2')),
    8,
    /manifest\.json is damaged/,
  ],
  [
    'a manifest that ends in the middle',
    (from) => edit(from, (text) => text.slice(0, 100)),
    8,
    /manifest\.json is damaged/,
  ],
  [
    'a manifest of a newer format',
    (from) => edit(from, (text) => text.replace('"format": 1', '"format": 2')),
    4,
    /made by a newer version of Ponte/,
  ],
  [
    'a newer schema',
    (from) => rewrite(from, (manifest) => ({ ...manifest, schema: manifest.schema + 1 })),
    4,
    /The backup is at migration \d+, newer than this version of Ponte \(\d+\)/,
  ],
  [
    'other numbers of rows than the manifest has',
    (from) => rewrite(from, (it) => ({ ...it, rows: { ...it.rows, funds: 7 } })),
    8,
    /row counts differ in funds/,
  ],
  [
    'a document that its manifest does not know',
    (from) => rewrite(from, (it) => ({ ...it, files: it.files.slice(0, 1) })),
    8,
    /the document doc_1\/ab12 is missing/,
  ],
  [
    'other sums in its ledger than the manifest has',
    (from) => rewrite(from, (it) => ({ ...it, ledgerDifferences: 1 })),
    8,
    /the ledger differs/,
  ],
  [
    'an audit log that its manifest does not know',
    (from) =>
      rewrite(from, (it) => ({ ...it, auditHead: { sequence: 1, chainHash: '0'.repeat(64) } })),
    8,
    /the audit log differs/,
  ],
  [
    'a backup of PostgreSQL',
    (from) => rewrite(from, (it) => ({ ...it, database: 'postgres' })),
    7,
    /the backup is of postgres, the database is sqlite/,
  ],
];

describe('refused, and nothing is touched', () => {
  for (const [name, spoil, code, message] of refusals) {
    for (const where of ['an empty place', 'a place that is to be replaced']) {
      test(`${name}, in ${where}`, async () => {
        const title = `${name} ${where}`.replaceAll(/\W/g, '-');
        const from = join(folder, `spoilt ${title}`);
        cpSync(backup, from, { recursive: true });
        await spoil(from);
        const place = where === 'an empty place' ? emptyPlace(title) : occupied(title);
        const tree = treeOf(place.env.PONTE_DATA_DIR);
        const { status, stderr } = await restore(place, from, '--replace');
        assert.equal(status, code, stderr);
        assert.match(stderr, message);
        assert.deepEqual(treeOf(place.env.PONTE_DATA_DIR), tree);
      });
    }
  }

  test('a secret key that is missing, or another of its name', async () => {
    const place = emptyPlace('keyless');
    const without = { env: placeIn(folder, 'keyless').env };
    const wrong = { env: { ...place.env, PONTE_SECRET_KEYS: newSecretKey('dev') } };
    const advices = new Map([
      [without, /Copy the file secret-key of the folder that was served to \S+ first/],
      [wrong, /Set the keys that the database was served with/],
    ]);
    for (const [given, advice] of advices) {
      const { status, stderr } = await restore(given, backup);
      assert.equal(status, 7);
      assert.match(stderr, /PONTE_SECRET_KEYS: the backup does not open without the key "dev"/);
      assert.match(stderr, advice);
      assert.deepEqual(treeOf(place.env.PONTE_DATA_DIR), {});
    }
  });

  test('documents where the database is not', async () => {
    const place = emptyPlace('documents-only');
    mkdirSync(join(place.documents, 'doc_5'), { recursive: true });
    writeFileSync(join(place.documents, 'doc_5', '55'), 'bytes');
    const { status, stderr } = await restore(place, backup);
    assert.equal(status, 4);
    assert.match(stderr, /documents exists\. With --replace/);
    assert.ok(!existsSync(place.file));
  });
});

test('a backup of an older version is brought to this one', async () => {
  const from = join(folder, 'older');
  mkdirSync(from);
  const connection = olderDatabase(join(from, 'ponte.db'));
  const { tables: rows, migrations: schema } = sqliteRows(connection);
  connection.close();
  const files = [await fileIn(from, 'ponte.db')];
  const none = { secretKeys: [], documentFingerprint: null, auditHead: null };
  const older = { rows, schema, files, ...none };
  writeFileSync(
    join(from, 'manifest.json'),
    manifestText({ ...(await readManifest(backup)), ...older }),
  );
  const place = emptyPlace('older-restored');
  const { status, stderr } = await restore(place, from);
  assert.equal(status, 0, stderr);
  await serveOnce(place);
});

/** A place with a database. */
function occupied(name: string): Place {
  const place = emptyPlace(name);
  cpSync(origin.env.PONTE_DATA_DIR, place.env.PONTE_DATA_DIR, { recursive: true });
  return place;
}

function flip(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

function edit(from: string, change: (text: string) => string): void {
  const path = join(from, 'manifest.json');
  const text = readFileSync(path, 'utf8');
  assert.notEqual(change(text), text);
  writeFileSync(path, change(text));
}

type Manifest = Awaited<ReturnType<typeof readManifest>>;

/** As another program would have written it: its checksum is right. */
async function rewrite(from: string, change: (manifest: Manifest) => Manifest): Promise<void> {
  writeFileSync(join(from, 'manifest.json'), manifestText(change(await readManifest(from))));
}
