import assert from 'node:assert/strict';
import fs, { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPrivateFile } from '../../../adapters/crypto/private-file.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

test('a private file is written once, also beside a part that a killed process left', () => {
  const folder = temporaryFolder();
  const path = join(folder, 'key');
  const left = `key.${process.pid}`;
  writeFileSync(join(folder, left), 'a pa');
  createPrivateFile(path, 'one');
  createPrivateFile(path, 'two');
  assert.equal(readFileSync(path, 'utf8'), 'one');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder).sort(), ['key', left].sort());
});

test('a private file is written once where a file system has no hard links', (t) => {
  const refuse = () => assert.fail(Object.assign(new Error('link'), { code: 'EPERM' }));
  const { mock } = t.mock.method(fs, 'linkSync', refuse);
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  const folder = temporaryFolder();
  const path = join(folder, 'key');
  createPrivateFile(path, 'one');
  createPrivateFile(path, 'two');
  assert.equal(mock.callCount(), 2);
  assert.equal(readFileSync(path, 'utf8'), 'one');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['key']);
});
