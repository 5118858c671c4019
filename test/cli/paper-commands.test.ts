// `ponte papers`: what an operator stores of the account holder for the files of buyers.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const env = { PONTE_DATA_DIR: join(folder, 'data'), PONTE_LOG_LEVEL: 'silent' } as const;
const file = join(folder, 'w9.pdf');
writeFileSync(file, '%PDF-1.7 form');

const ponte = (...words: readonly string[]) => runCommand(env, words);

async function listed() {
  const { stdout } = await ponte('papers', 'list', '--json');
  return (JSON.parse(stdout) as { readonly data: Readonly<Record<string, unknown>>[] }).data;
}

test('an operator stores, replaces, lists and removes documents of the account holder', async () => {
  await ponte('migrate');
  const add = (...more: readonly string[]) =>
    ponte('papers', 'add', 'holder_tax_form', file, '--mode', 'test', ...more);
  assert.equal((await add('--dry-run')).status, 0);
  assert.deepEqual(await listed(), []);
  const first = await add('--expires', '2020-12-31');
  assert.deepEqual([first.status, first.stderr], [0, '']);
  assert.equal((await listed())[0]?.['state'], 'ended');
  assert.equal((await add('--expires', '2099-12-31')).status, 0);
  const [paper, ...more] = await listed();
  assert.deepEqual(more, []);
  const { kind, fileName, expiresOn, state, testMode } = paper ?? {};
  assert.deepEqual(
    [kind, fileName, expiresOn, state, testMode],
    ['holder_tax_form', 'w9.pdf', '2099-12-31', 'valid', true],
  );
  const removed = await ponte('papers', 'remove', String(paper?.['id']), '--mode', 'test');
  assert.equal(removed.status, 0);
  assert.deepEqual(await listed(), []);
});

test('a wrong kind, day or file is refused with what to send', async () => {
  const add = (kind: string, path: string, day = '2099-12-31') =>
    ponte('papers', 'add', kind, path, '--mode', 'test', '--expires', day);
  const text = join(folder, 'w9.txt');
  writeFileSync(text, 'text');
  for (const [refused, says] of [
    [await add('w8', file), /send one of holder_tax_form, bank_letter, registration/],
    [await add('bank_letter', file, '31/12/2099'), /such as 2030-12-31/],
    [await add('bank_letter', text), /no PDF, PNG or JPEG/],
    [await add('bank_letter', join(folder, 'none.pdf')), /none\.pdf/],
  ] as const) {
    assert.notEqual(refused.status, 0);
    assert.match(refused.stderr, says);
  }
});
