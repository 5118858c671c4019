import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
