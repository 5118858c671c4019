// The operator's console of a host: its port, the link of the command that signs in to it, and what
// it says of the health of the host.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../host/config.js';
import { startHost } from '../../host/main.js';
import { textOf, Visitor } from '../adapters/pages/visitor.js';
import { runCommand } from '../support/servers/command.js';
import { loginOf } from '../support/servers/operator-login.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const suite = suiteEnd();

test('a link of the command opens the console at its port, and nowhere else', async () => {
  const env = {
    PONTE_DATA_DIR: folder,
    PONTE_PORT: '0',
    PONTE_OPERATOR_PORT: '0',
    PONTE_LOG_LEVEL: 'silent',
    ...loginOf(folder, 'ana'),
  };
  const host = await startHost(readConfig(env));
  suite.after(() => host.stop());
  const { origin } = new URL(host.consoleUrl ?? assert.fail('it has a console'));
  const without = await runCommand(env, ['operator', 'console-link']);
  assert.match(without.stderr, /PONTE_OPERATOR_URL: must be set/);
  const off = await runCommand({ ...env, PONTE_OPERATOR_PORT: '' }, ['operator', 'console-link']);
  assert.match(off.stderr, /PONTE_OPERATOR_PORT: is not set/);
  for (const words of ['login', 'operator add ana']) {
    assert.equal((await runCommand(env, words.split(' '))).status, 0, words);
  }
  const asked = { ...env, PONTE_OPERATOR_URL: origin };
  const { stdout } = await runCommand(asked, ['operator', 'console-link', '--json']);
  const { url } = JSON.parse(stdout) as { readonly url: string };
  const visitor = new Visitor(origin);
  await visitor.open(url);
  assert.equal((await visitor.send('/enter')).heading, 'Money desk');
  const health = textOf((await visitor.open('/operator/health')).text);
  const doctor = await runCommand(env, ['doctor', '--json']);
  const { checks } = JSON.parse(doctor.stdout) as { readonly checks: readonly { name: string }[] };
  // To compare the ledger and the audit log, all of their rows are read.
  assert.doesNotMatch(health, / (ledger|audit log) (Ok|At risk) /);
  const others = checks.filter(({ name }) => name !== 'ledger' && name !== 'audit log');
  assert.equal(others.length, checks.length - 2);
  for (const { name } of others) assert.match(health, new RegExp(` ${name} (Ok|Look at it) `));
  assert.equal((await visitor.at(host.url).request('GET', '/operator/money')).status, 404);
  assert.equal((await visitor.request('GET', '/healthz')).status, 404);
});
