// Documents in files and in memory keep the same contract; files keep some more.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFsDocuments } from '../../../adapters/documents/fs.js';
import { createMemoryDocuments } from '../../../adapters/documents/memory.js';
import { AssertionFailure } from '../../../core/errors.js';
import { allOf, chunks, documentStorageContract } from '../../contract/document-storage.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const root = temporaryFolder();

let folders = 0;

function freshFolder(): string {
  folders += 1;
  return join(root, `${folders}`, 'documents');
}

documentStorageContract('memory', createMemoryDocuments);
documentStorageContract('files', () => createFsDocuments(freshFolder()));

test('folders and files are for their owner alone', async () => {
  const folder = freshFolder();
  await createFsDocuments(folder).put('doc_a', '01', chunks('secret'));
  for (const path of [folder, join(folder, 'doc_a'), join(folder, 'doc_a', '01')]) {
    assert.equal(statSync(path).mode & 0o077, 0, path);
  }
});

test('what a killed process left half is not read, and goes with the purge', async () => {
  const folder = freshFolder();
  const storage = createFsDocuments(folder);
  const never = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const hanging = async function* () {
    yield Buffer.from('half');
    begun.resolve();
    await never.promise;
  };
  const put = storage.put('doc_a', '01', hanging());
  await begun.promise;
  const restarted = createFsDocuments(folder);
  assert.deepEqual(readdirSync(join(folder, 'doc_a')), ['01.part']);
  assert.equal(await restarted.get('doc_a', '01'), null);
  assert.deepEqual(await allOf(restarted), ['doc_a']);
  await restarted.purge('doc_a', null);
  assert.deepEqual(readdirSync(folder), []);
  never.resolve();
  await assert.rejects(put, 'its folder is gone: it cannot come back');
  assert.deepEqual(await allOf(restarted), []);
});

test('nothing is named that could lead out of the folder', async () => {
  const storage = createFsDocuments(freshFolder());
  for (const id of ['../doc_a', 'doc_', 'doc_a/..', 'doc_A', '', 'doc_a\0']) {
    await assert.rejects(storage.purge(id, null), AssertionFailure, id);
    await assert.rejects(storage.get(id, '01'), AssertionFailure, id);
  }
  for (const name of ['..', '01.part', '', 'x']) {
    await assert.rejects(storage.get('doc_a', name), AssertionFailure, name);
  }
});

test('foreign files in the folder are not taken for documents', async () => {
  const folder = freshFolder();
  const storage = createFsDocuments(folder);
  await storage.put('doc_a', '01', chunks('a'));
  assert.deepEqual(await createFsDocuments(join(folder, 'doc_a')).list(page), []);
});

const page = { afterId: null, limit: 10 } as const;
