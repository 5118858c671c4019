// `ponte login` and `ponte operator`, and what commands demand of the operator who gives them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newSecretKey } from '../../adapters/crypto/secret-box.js';
import { asOperator, type Operator } from '../../cli/operator.js';
import { operatorActor } from '../../core/domain/access/registered-operator.js';
import { listOperators, removeOperator } from '../../core/usecases/access/registered-operators.js';
import { createOrganization } from '../../core/usecases/parties/organizations.js';
import { runCommand } from '../support/servers/command.js';
import { programArguments } from '../support/servers/host-process.js';
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

test('a disk without room for the key leaves no part of one', async () => {
  const env = { ...process.env, ...as('rui') };
  const words = ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, ...programArguments];
  const { status, stderr } = spawnSync('sh', [...words, 'login'], { env, encoding: 'utf8' });
  assert.equal(status, 7);
  assert.match(stderr, /operator\.key cannot be written \(EFBIG\)/);
  assert.deepEqual(readdirSync(join(folder, 'rui', 'ponte')), []);
  assert.equal((await ponte(as('rui'), 'login')).status, 0);
});

test('a key that cannot be written or read says which variable moves it', async () => {
  const file = join(folder, 'no-folder');
  writeFileSync(file, '');
  const loop = join(folder, 'loop');
  symlinkSync(loop, loop);
  for (const [home, done] of [
    [file, 'written'],
    [loop, 'read'],
  ] as const) {
    const { status, json } = await ponte({ ...production, XDG_CONFIG_HOME: home }, 'login');
    assert.equal(status, 7);
    const advice = new RegExp(`cannot be ${done} \\(\\w+\\): set XDG_CONFIG_HOME`);
    assert.match(`${json['message']}`, advice);
  }
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
  const stranger = await ponte(as('eva'), 'org list');
  assert.equal(stranger.json['error'], 'OperatorNotAllowed');
  const { publicKey } = (await ponte(as('eva'), 'login')).json;
  assert.match(stranger.stderr, new RegExp(`operator add <name> --public-key ${publicKey}$`, 'm'));
});

test('production access is proposed by one operator and granted by another', async () => {
  const { id } = (await ponte(as('ana'), 'org create --name Live')).json;
  await ponte(as('ana'), `org support ${id} --email help@acme.example`);
  const granted = async () =>
    (await ponte(as('ana'), `org show ${id}`)).json['productionGrantedAt'];
  const { json } = await ponte(as('ana'), `org grant-production ${id}`);
  const { command, proposedBy } = json['decision'] as Readonly<Record<string, unknown>>;
  assert.deepEqual([json['outcome'], proposedBy, await granted()], ['proposed', 'ana', null]);
  const confirm = `${command}`.replace(/^ponte /, '');
  assert.equal((await ponte(as('ana'), confirm)).json['error'], 'DecisionNotAllowed');
  assert.equal((await ponte(as('bia'), `${confirm} --dry-run`)).json['outcome'], 'done');
  assert.equal(await granted(), null);
  assert.equal((await ponte(as('bia'), confirm)).json['outcome'], 'done');
  assert.notEqual(await granted(), null);
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
  const nobody = await ponte(as('bia'), 'operator remove nobody');
  assert.match(nobody.stderr, /There is no operator nobody\./);
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

test('a command of an operator who is removed while it runs changes nothing more', async () => {
  await registerLogin('eva');
  const stdio = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  const given = { command: 'org create', arguments: {} };
  const removedWithin = async ({ deps }: Operator) => {
    const ana = (await listOperators(deps)).find(({ name }) => name === 'ana');
    assert.ok(ana !== undefined);
    await removeOperator(deps, 'eva', operatorActor(ana));
    const create = createOrganization(deps, { name: 'Late', sandboxKyb: false });
    await assert.rejects(create, { code: 'OperatorNotAllowed' });
  };
  const shell = { env: as('eva'), ...stdio, exitCode: 0 };
  await asOperator(shell, removedWithin, { authority: 'signed', given });
});

async function registerLogin(name: string): Promise<void> {
  const { json } = await ponte(as(name), 'login');
  const added = await ponte(as('ana'), `operator add ${name} --public-key ${json['publicKey']}`);
  assert.equal(added.json['outcome'], 'proposed', added.stderr);
  const { id } = added.json['decision'] as Readonly<Record<string, unknown>>;
  assert.equal((await ponte(as('ana'), `confirm ${id}`)).status, 4);
  assert.equal((await ponte(as('bia'), `confirm ${id}`)).json['outcome'], 'done');
}
