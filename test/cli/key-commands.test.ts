// `ponte key create`: which scopes there are, and how several are given.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scopes, sessionScopes } from '../../core/domain/access/scope.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const env = { PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent' };
const ponte = (words: string) => runCommand(env, words.split(' '));

test('help names every scope and what it is for, and which have no effect on a key', async () => {
  const { stdout } = await ponte('key create --help');
  for (const [scope, meaning] of Object.entries(scopes)) {
    const isOfSessions = sessionScopes.some((one) => one === scope);
    const note = isOfSessions ? ' \\(sessions only: no effect on a key\\)' : '';
    assert.match(stdout, new RegExp(`^ {2}${scope} +${meaning}${note}$`, 'm'));
  }
});

test('scopes are given with commas between, one after the other, or one an option', async () => {
  const { stdout } = await ponte('org create --name Exporter --json');
  const { id } = JSON.parse(stdout) as { readonly id: string };
  const create = `key create --org ${id} --mode test --name erp --json`;
  const given = ['webhooks:read', 'invoices:read', 'invoices:write'];
  for (const words of [
    '--scope webhooks:read,invoices:read,invoices:write',
    '--scope webhooks:read invoices:read,invoices:write',
    '--scope webhooks:read --scope invoices:read --scope invoices:write',
  ]) {
    const made = JSON.parse((await ponte(`${create} ${words}`)).stdout);
    assert.deepEqual(made.scopes, given, words);
  }
  assert.deepEqual(JSON.parse((await ponte(create)).stdout).scopes, [], 'all');
  const text = create.replace(' --json', '');
  const useless = await ponte(`${text} --scope payments:export,invoices:read`);
  assert.match(
    useless.stdout,
    /No effect on a key, because only sessions use it: payments:export\./,
  );
  assert.doesNotMatch((await ponte(`${text} --scope invoices:read`)).stdout, /No effect/);
});

test('a scope that is unknown is refused by its name, with where to look', async () => {
  const key = 'key create --org org_1 --mode test --name erp --scope';
  for (const [given, unknown] of [
    ['invoices:read,invoices', 'invoices'],
    ['all', 'all'],
    ['invoices:read,', ''],
  ]) {
    const { status, stderr } = await ponte(`${key} ${given}`);
    assert.equal(status, 2, given);
    assert.match(stderr, new RegExp(`Unknown: ${unknown}\\. See key create --help\\.`));
  }
});

test('a key has its networks and its end, is rolled, and is not in the report yet', async () => {
  const { stdout } = await ponte('org create --name Exporter --json');
  const { id: org } = JSON.parse(stdout) as { readonly id: string };
  const ends = '--network 203.0.113.0/24,2001:db8::/32 --expires-at 2090-01-31T12:00:00Z';
  const made = JSON.parse(
    (await ponte(`key create --org ${org} --mode test --name erp --json ${ends}`)).stdout,
  );
  assert.deepEqual(made.networks, ['203.0.113.0/24', '2001:db8::/32']);
  assert.deepEqual([made.expiresAt, made.createdBy], ['2090-01-31T12:00:00.000Z', 'development']);
  const rolled = JSON.parse((await ponte(`key roll ${made.id} --overlap-hours 1 --json`)).stdout);
  assert.deepEqual(rolled.networks, made.networks);
  const again = await ponte(`key roll ${made.id} --json`);
  assert.deepEqual([again.status, JSON.parse(again.stdout).error], [2, 'ValidationError']);
  assert.equal(
    (await ponte('key report')).stdout,
    'No key is older than 90 days without use, and every scope was used.\n',
  );
  for (const wrong of ['--network localhost', '--expires-at tomorrow']) {
    const refused = await ponte(`key create --org ${org} --mode test --name erp ${wrong}`);
    assert.equal(refused.status, 2, wrong);
  }
});

test('a new key comes with what its mode lacks to collect', async () => {
  const { stdout } = await ponte('org create --name Exporter --json');
  const { id: org } = JSON.parse(stdout) as { readonly id: string };
  const create = async (mode: string) =>
    (await ponte(`key create --org ${org} --mode ${mode} --name erp`)).stdout;
  assert.match(await create('live'), /\nlive mode is not ready: KYB not started, .*org show org_/);
  assert.doesNotMatch(await create('test'), /not ready/);
});
