// `ponte login` and `ponte operator`, and what commands demand of the operator who gives them.
import assert from 'node:assert/strict';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { authorityOf, pathOf } from '../../cli/operator.js';
import { createProgram } from '../../cli/program.js';
import { runCommand } from '../support/servers/command.js';
import { loginOf } from '../support/servers/operator-login.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const development = {
  PONTE_DATA_DIR: folder,
  PONTE_LOG_LEVEL: 'silent',
  PONTE_SECRET_KEYS: newSecretKey('one'),
  ...loginOf(folder, 'nobody'),
};
const production = {
  ...development,
  PONTE_ENV: 'production',
  PONTE_BASE_URL: 'https://api.example.com',
  PONTE_PAY_URL: 'https://pay.example.com',
  PONTE_SMTP_URL: 'smtp://127.0.0.1:1',
  PONTE_MAIL_FROM: 'pay@example.com',
};
const as = (name: string) => ({ ...production, ...loginOf(folder, name) });

async function ponte(env: Readonly<Record<string, string>>, words: string) {
  const { status, stdout, stderr } = await runCommand(env, [...words.split(' '), '--json']);
  return { status, stderr, json: JSON.parse(stdout || '{}') as Readonly<Record<string, unknown>> };
}

test('each command says who may give it', () => {
  const shell = { env: {}, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const groups = [createProgram({ ...shell, exitCode: 0 })];
  const authorities = new Map<string, string | undefined>();
  for (const group of groups) {
    for (const command of group.commands) {
      if (command.commands.length > 0) groups.push(command);
      else authorities.set(pathOf(command), authorityOf(command));
    }
  }
  assert.ok(authorities.size > 50);
  const undeclared = [...authorities].filter(([, authority]) => authority === undefined);
  assert.deepEqual(undeclared, []);
});

test('a new database of a production host obeys nobody but its first operator', async () => {
  await ponte(production, 'migrate');
  for (const words of ['org list', 'org create --name Acme', 'operator list']) {
    const { status, json } = await ponte(production, words);
    assert.deepEqual([status, json['error']], [5, 'OperatorNotAllowed'], words);
  }
  // A development host has no operator at first.
  assert.equal((await ponte(development, 'org list')).status, 0);
});

test('login keeps a key that only its user can read, and shows it again', async () => {
  const first = await ponte(as('ana'), 'login');
  const { path, publicKey } = first.json;
  assert.equal(path, join(folder, 'ana', 'ponte', 'operator.key'));
  assert.equal(statSync(`${path}`).mode & 0o777, 0o600);
  assert.match(`${publicKey}`, /^[\w-]{43}$/);
  assert.deepEqual((await ponte(as('ana'), 'login')).json, first.json);
});

test('the first operator needs no other one, each further one does', async () => {
  assert.equal((await ponte(as('ana'), 'operator add ana')).json['createdBy'], null);
  const { json } = await ponte(as('bia'), 'login');
  const add = `operator add bia --public-key ${json['publicKey']}`;
  const refused = await ponte(as('bia'), add);
  assert.deepEqual([refused.status, refused.json['error']], [5, 'OperatorNotAllowed']);
  assert.match(`${(await ponte(as('ana'), add)).json['createdBy']}`, /^opr_/);
});

test('with operators, each command needs the key of one, also under development settings', async () => {
  for (const env of [production, development]) {
    const { status, stderr } = await ponte(env, 'org list');
    assert.equal(status, 7, stderr);
    assert.match(stderr, /run ponte login/);
  }
  assert.equal((await ponte(as('bia'), 'org create --name Acme')).status, 0);
  assert.equal((await ponte(as('bia'), 'org list')).status, 0);
  await ponte(as('eva'), 'login');
  assert.deepEqual((await ponte(as('eva'), 'org list')).json['error'], 'OperatorNotAllowed');
});

test('a key that others can read is refused, and so is a file without a key', async () => {
  await registerLogin('noa');
  const path = join(folder, 'noa', 'ponte', 'operator.key');
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(path, mode);
    const { status, stderr } = await ponte(as('noa'), 'org list');
    assert.equal(status, 7);
    assert.match(stderr, /others can read it; run chmod 600/);
  }
  chmodSync(path, 0o600);
  assert.equal((await ponte(as('noa'), 'org list')).status, 0);
  writeFileSync(path, 'no key');
  const { status, stderr } = await ponte(as('noa'), 'org list');
  assert.equal(status, 7);
  assert.doesNotMatch(stderr, /no key\n/);
});

test('a removed operator is refused from the next command on, and the last two stay', async () => {
  const removed = await ponte(as('bia'), 'operator remove noa');
  assert.notEqual(removed.json['removedAt'], null);
  const last = await ponte(as('bia'), 'operator remove ana');
  assert.deepEqual([last.status, last.json['error']], [4, 'DecisionNotAllowed']);
  const { data } = (await ponte(as('ana'), 'operator list')).json;
  const rows = data as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    rows.map(({ name, removedAt }) => [name, removedAt === null]),
    [
      ['ana', true],
      ['bia', true],
      ['noa', false],
    ],
  );
});

async function registerLogin(name: string): Promise<void> {
  const { json } = await ponte(as(name), 'login');
  const added = await ponte(as('ana'), `operator add ${name} --public-key ${json['publicKey']}`);
  assert.equal(added.status, 0, added.stderr);
}
