// What a backup is: the database at one moment, every document that it names, and a manifest, for
// nobody's eyes but the owner's. What breaks while one is made leaves nothing that looks like one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { newestBackup, writeBackup } from '../../../adapters/backup/backup-folder.js';
import { manifestText, readManifest, type Source } from '../../../adapters/backup/manifest.js';
import { newSecretKey } from '../../../adapters/crypto/secret-box.js';
import { createFsDocuments } from '../../../adapters/documents/fs.js';
import { copySqliteFile, damageOf } from '../../../adapters/storage/sqlite/file-copy.js';
import { openSqliteStore } from '../../../adapters/storage/sqlite/store.js';
import type { DocumentStorage } from '../../../core/ports/outside.js';
import { endQuarantine, quarantineRestored } from '../../../core/usecases/service/epochs.js';
import { makeBackup } from '../../../host/backup.js';
import { openForOperator } from '../../../host/operator-access.js';
import { aBarePayment } from '../../support/samples/domain-samples.js';
import {
  addDocument,
  addPayment,
  backUp,
  keptDocument,
  type Place,
  ponte,
  servedPlace,
  treeOf,
  withStore,
} from '../../support/scenes/backup-scene.js';
import { programArguments } from '../../support/servers/host-process.js';
import { projectRoot } from '../../support/source-tree.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { valuesOf } from '../../support/values-of.js';

const folder = temporaryFolder();

const sourceOf = (place: Place) => ({ host: hostname(), database: place.file });
const newest = (place: Place) => newestBackup(place.backups, sourceOf(place));

test('a backup holds the database, its documents and a manifest, for the owner alone', async () => {
  const place = await servedPlace(folder, 'whole');
  const backup = await backUp(place);
  const manifest = await readManifest(backup);
  assert.deepEqual(
    [manifest.database, manifest.epoch, manifest.rows['payments'], manifest.rows['documents']],
    ['sqlite', 1, 1, 1],
  );
  assert.deepEqual(valuesOf(manifest.secretKeys, 'id'), ['dev']);
  assert.deepEqual(valuesOf(manifest.files, 'path'), ['ponte.db', 'documents/doc_1/ab12']);
  const modes = Object.values(treeOf(place.backups)).map((text) => text.split(' '));
  const own = modes.every(([mode, what]) => mode === (what === 'folder' ? '700' : '600'));
  assert.ok(own, 'folders 0700, files 0600');
  assert.equal((statSync(place.backups).mode & 0o777).toString(8), '700');
  const secret = readFileSync(join(place.env.PONTE_DATA_DIR, 'secret-key'));
  for (const path of Object.keys(treeOf(backup))) {
    const at = join(backup, path);
    if (statSync(at).isFile()) assert.ok(!readFileSync(at).includes(secret), path);
  }
});

test('the copy is of one moment, however much is written while it is made', async () => {
  const place = await servedPlace(folder, 'moment');
  await withStore(place, async (store) => {
    const insert = (index: number) =>
      store.run(async (tx) => {
        // Two rows of one batch: a copy that has one of them has both.
        tx.payments.insert(aBarePayment({ id: `pi_a${index}`, metadata: 'x'.repeat(20_000) }));
        tx.payments.insert(aBarePayment({ id: `pi_b${index}`, metadata: 'y'.repeat(20_000) }));
      });
    for (let index = 0; index < 200; index += 1) await insert(index);
    const before = (await store.rows()).tables['payments'] ?? 0;
    let isDone = false;
    const copy = copySqliteFile(place.file, join(folder, 'moment.db')).finally(() => {
      isDone = true;
    });
    let written = 0;
    while (!isDone) {
      await insert(1_000 + written);
      written += 1;
      await turn();
    }
    const { tables } = await copy;
    assert.ok(written > 0, 'rows were written during the copy');
    assert.equal(tables['payments'], before);
    assert.equal((await store.rows()).tables['payments'], before + 2 * written);
    assert.equal(damageOf(join(folder, 'moment.db')), null);
    const copied = openSqliteStore({ path: join(folder, 'moment.db'), readOnly: true });
    assert.deepEqual((await copied.rows()).tables, tables);
    await copied.close();
  });
});

test('documents deleted while the copy runs do not break it, and what rows name is in it', async () => {
  const place = await servedPlace(folder, 'deleting');
  await addDocument(place, 'doc_2', 'cd34');
  await addDocument(place, 'doc_3', 'ef56');
  const { close, deps, ...access } = await openForOperator(place.env);
  const inner = createFsDocuments(place.documents);
  const purge = async (id: string) => {
    await deps.store.run(async (tx) => {
      const document = await tx.documents.find(id);
      assert.ok(document !== null);
      tx.documents.update({ ...document, status: 'purging' });
    });
    await inner.purge(id, null);
  };
  // One goes before it is copied, one after it was.
  const documents: DocumentStorage = {
    ...inner,
    async get(id, name) {
      if (id === 'doc_1') await purge('doc_1');
      const bytes = await inner.get(id, name);
      if (id === 'doc_2') await purge('doc_2');
      return bytes;
    },
  };
  const { folder: made, manifest } = await makeBackup(
    { ...access, deps: { ...deps, documents } },
    { to: place.backups, keep: null },
  );
  await close();
  assert.deepEqual(valuesOf(manifest.files, 'path'), ['ponte.db', 'documents/doc_3/ef56']);
  assert.deepEqual(manifest.missingDocuments, []);
  const [mark = '', ...others] = readdirSync(join(made, 'documents')).toSorted();
  assert.match(mark, /^database-/);
  assert.deepEqual(others, ['doc_3'], 'nothing is left of the others');
});

test('a document that was deleted behind the copy of its row: both are copied again', async () => {
  const place = await servedPlace(folder, 'behind');
  const { close, deps, ...access } = await openForOperator(place.env);
  const inner = createFsDocuments(place.documents);
  let looks = 0;
  const documents: DocumentStorage = {
    ...inner,
    async get(id, name) {
      if (id !== 'doc_9') {
        // Between the first look at the rows and the copy of the database.
        await deps.store.run(async (tx) => tx.documents.insert(keptDocument('doc_9', '99')));
        return inner.get(id, name);
      }
      looks += 1;
      await deps.store.run(async (tx) => {
        const document = await tx.documents.find('doc_9');
        assert.ok(document !== null);
        tx.documents.update({ ...document, status: 'purged' });
      });
      return null;
    },
  };
  const { manifest } = await makeBackup(
    { ...access, deps: { ...deps, documents } },
    { to: place.backups, keep: null },
  );
  await close();
  assert.deepEqual([looks, manifest.missingDocuments], [1, []]);
  assert.deepEqual(valuesOf(manifest.files, 'path'), ['ponte.db', 'documents/doc_1/ab12']);
});

test('a lost document does not stop backups: it is reported with code 9', async () => {
  const place = await servedPlace(folder, 'lost');
  rmSync(join(place.documents, 'doc_1'), { recursive: true });
  const words = ['backup', '--to', place.backups];
  const { status, stdout } = await ponte(place, words);
  assert.equal(status, 9);
  assert.equal(stdout.split('\n', 1)[0], (await newest(place))?.folder, 'for a script');
  assert.match(stdout, /The document doc_1\/ab12 is missing\./);
  assert.deepEqual((await newest(place))?.manifest.missingDocuments, ['doc_1/ab12']);
});

test('a database that is damaged is refused, and nothing is left of its backup', async () => {
  const place = await servedPlace(folder, 'damaged');
  await withStore(place, (store) =>
    store.run(async (tx) => {
      for (let index = 0; index < 500; index += 1) {
        tx.payments.insert(aBarePayment({ id: `pi_${index}`, metadata: 'x'.repeat(1_000) }));
      }
    }),
  );
  const size = statSync(place.file).size;
  const file = openSync(place.file, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, size - 8_192);
  closeSync(file);
  const { status, stderr } = await ponte(place, ['backup', '--to', place.backups]);
  assert.equal(status, 8);
  assert.match(stderr, /^ponte: The copy is not sound: /);
  assert.deepEqual(readdirSync(place.backups), []);
});

test('what fails on the way leaves nothing', async () => {
  const root = join(folder, 'failing');
  const failing = writeBackup(root, 0, async (partial) => {
    writeFileSync(join(partial, 'ponte.db'), 'half');
    throw new Error('the disk is full');
  });
  await assert.rejects(failing, /the disk is full/);
  assert.deepEqual(readdirSync(root), []);
});

test('a killed backup leaves nothing that looks like one, and the next removes it', async () => {
  const place = await servedPlace(folder, 'killed');
  await withStore(place, (store) =>
    store.run(async (tx) => {
      for (let index = 0; index < 2_000; index += 1) {
        tx.payments.insert(aBarePayment({ id: `pi_${index}`, metadata: 'x'.repeat(10_000) }));
      }
    }),
  );
  const words = [...programArguments, 'backup', '--to', place.backups];
  const env = { ...process.env, ...place.env };
  const child = spawn(process.execPath, words, { cwd: projectRoot, env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const copy = () => {
    const [partial] = existsSync(place.backups) ? readdirSync(place.backups) : [];
    return partial !== undefined && existsSync(join(place.backups, partial, 'ponte.db'));
  };
  while (!copy()) {
    assert.equal(child.exitCode, null);
    await turn();
  }
  child.kill('SIGKILL');
  await exited;
  const [partial = '', ...more] = readdirSync(place.backups);
  assert.match(partial, /^\.partial-/);
  assert.deepEqual(more, []);
  assert.equal(await newest(place), null);
  const { status, stderr } = await ponte(place, [
    'restore',
    '--replace',
    '--from',
    join(place.backups, partial),
  ]);
  assert.equal(status, 4);
  assert.match(stderr, /is not a backup of Ponte: it has no manifest\.json/);
  const made = await backUp(place);
  assert.deepEqual(
    readdirSync(place.backups).map((name) => join(place.backups, name)),
    [made],
  );
});

test('other secret keys than those of the database make no backup', async () => {
  const place = await servedPlace(folder, 'keys');
  const env = { ...place.env, PONTE_SECRET_KEYS: newSecretKey('other') };
  const { status, stderr } = await ponte({ env }, ['backup', '--to', place.backups]);
  assert.equal(status, 7);
  assert.match(stderr, /PONTE_SECRET_KEYS: /);
  assert.equal(existsSync(place.backups), false);
});

test('--keep deletes older whole backups of this database that it made, and nothing else', async () => {
  const place = await servedPlace(folder, 'keeping');
  const other = await servedPlace(folder, 'keeping-other');
  const kept = [
    await backUp(place),
    await backUp({ ...other, backups: place.backups }, '--keep', '9'),
  ];
  const first = await backUp(place, '--keep', '2');
  // Of another's hand, with a name like those of backups: not whole, or changed since.
  const strange = join(place.backups, 'ponte-2020-01-01T00-00-00-000Z');
  mkdirSync(strange);
  const changed = join(place.backups, 'ponte-2020-01-02T00-00-00-000Z');
  cpSync(first, changed, { recursive: true });
  appendFileSync(join(changed, 'manifest.json'), '}');
  kept.push(strange, changed);
  const second = await backUp(place, '--keep', '2');
  const third = await backUp(place, '--keep', '2');
  assert.deepEqual(
    readdirSync(place.backups).toSorted(),
    [...kept, second, third].map((path) => path.slice(place.backups.length + 1)).toSorted(),
  );
  await addPayment(place, 'pi_later');
  const last = await backUp(place, '--keep', '1');
  assert.equal((await newest(place))?.folder, last);
  assert.equal((await newest(place))?.manifest.rows['payments'], 2);
  assert.ok(!existsSync(second) && !existsSync(third));
  for (const path of kept) assert.ok(existsSync(path), path);
});

test('--keep finds the backups of this database by its id, on any machine', async () => {
  const place = await servedPlace(folder, 'renamed');
  /** As the machine before would have made it. */
  const backUpElsewhere = async (change: (source: Source) => Source) => {
    const made = await backUp(place, '--keep', '9');
    const manifest = await readManifest(made);
    const source = change(manifest.source);
    writeFileSync(join(made, 'manifest.json'), manifestText({ ...manifest, source }));
    return made;
  };
  const before = await backUpElsewhere((source) => ({ ...source, host: 'container-1' }));
  const copy = await backUpElsewhere((source) => ({ ...source, database: '/staging/ponte.db' }));
  const other = await backUpElsewhere((source) => ({ ...source, id: 'skey_other' }));
  // From before there were ids: the machine's name counts.
  const nameless = await backUpElsewhere(({ host, database }) => ({ host, database }));
  const foreign = await backUpElsewhere(({ database }) => ({ host: 'container-1', database }));
  const last = await backUp(place, '--keep', '1');
  assert.deepEqual([before, nameless].map(existsSync), [false, false]);
  assert.deepEqual([copy, other, foreign, last].map(existsSync), [true, true, true, true]);
});

test('in quarantine --keep deletes nothing: another backup may be the one to restore', async () => {
  const place = await servedPlace(folder, 'quarantined');
  const before = await backUp(place, '--keep', '1');
  const mute = () => undefined;
  const log = { debug: mute, info: mute, warn: mute, error: mute };
  const clock = { nowMs: Date.now };
  await withStore(place, (store) => quarantineRestored({ store, clock, log }));
  const during = await backUp(place, '--keep', '1');
  assert.deepEqual([existsSync(before), existsSync(during)], [true, true]);
  const release = { by: 'ana', forcedBecause: 'the partner has no commands' };
  await withStore(place, (store) => endQuarantine({ store, clock, log }, release));
  const after = await backUp(place, '--keep', '1');
  assert.deepEqual([before, during, after].map(existsSync), [false, false, true]);
});
