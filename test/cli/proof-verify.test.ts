// `ponte proof verify`: what it says of a pack, with and without the published keys.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordKeys } from '../../core/usecases/service/service-keys.js';
import { proofScene } from '../adapters/pages/proof/proof-scene.js';
import { runCommand } from '../support/servers/command.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();

const scene = await proofScene(suiteEnd());
const pack = await scene.pack();
const keys = await recordKeys(scene.made.deps);
write('pack.zip', pack);
write('cut.zip', pack.subarray(1));
write('keys.json', JSON.stringify({ keys }));
write('other.json', JSON.stringify({ keys: [] }));

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(folder, name), content);
}

const cases = [
  { name: 'pack.zip', keys: null, exit: 0, says: /Compare the key with https:\/\/api\.example/ },
  { name: 'pack.zip', keys: 'keys.json', exit: 0, says: /genuine +yes/ },
  { name: 'pack.zip', keys: 'other.json', exit: 8, says: /genuine +no\nproblem +the key .* known/ },
  { name: 'cut.zip', keys: 'keys.json', exit: 8, says: /genuine +no/ },
  { name: 'none.zip', keys: null, exit: 2, says: /none\.zip: cannot be read \(ENOENT\)/ },
  { name: 'pack.zip', keys: 'pack.zip', exit: 2, says: /--keys: .*pack\.zip has no public keys/ },
] as const;

test('a pack is genuine with the keys of its service, and the exit code says it', async () => {
  for (const { name, keys, exit, says } of cases) {
    const words = ['proof', 'verify', join(folder, name)];
    const given = keys === null ? [] : ['--keys', join(folder, keys)];
    const { status, stdout, stderr } = await runCommand({}, [...words, ...given]);
    assert.equal(status, exit, `${name} ${keys}: ${stdout}${stderr}`);
    assert.match(`${stdout}${stderr}`, says);
  }
});
