// `ponte waiting`: everything that waits for an operator, of each kind, in one list.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitingKindNames } from '../../core/domain/money-desk/waiting-kind.js';
import { openForOperator } from '../../host/operator-access.js';
import { aRequest } from '../adapters/pages/console/console-site.js';
import { anOrganization } from '../support/samples/domain-samples.js';
import {
  anOrder,
  DeskScene,
  failedPayout,
  paidIn,
  refusedRefund,
} from '../support/scenes/desk-scene.js';
import { runCommand } from '../support/servers/command.js';
import type { Json } from '../support/servers/json-call.js';
import { loginOf, registerOperators } from '../support/servers/operator-login.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const env = { PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent', ...loginOf(folder, 'ana') };

async function waiting(words = ''): Promise<readonly Json[]> {
  const { stdout, status, stderr } = await runCommand(env, [
    'waiting',
    ...words.split(' ').filter(Boolean),
    '--json',
  ]);
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as { readonly data: readonly Json[] }).data;
}

const kindsOf = (rows: readonly Json[]) => rows.map(({ kind, id }) => [kind, id]);

const { deps, close } = await openForOperator(env, { opening: 'makes' });
const at = new DeskScene({ deps, log: [] });
await at.payment([paidIn(), refusedRefund()]);
await at.payment(
  [paidIn(10_000n, { id: 'cmd_in_2' }), failedPayout({ id: 'cmd_out_2', reference: 'out_2' })],
  { id: 'pi_2', publicId: 'two', externalId: 'two' },
);
const failing = { state: 'pending', tries: 99, lastError: 'busy', partnerRef: null } as const;
await at.payment([anOrder('payin', 'cmd_in_3', failing)], {
  id: 'pi_3',
  publicId: 'three',
  externalId: 'three',
  status: 'on_ramp_pending',
});
await at.deposit();
await deps.store.run(async (tx) => {
  tx.organizations.insert(anOrganization({ name: 'Rota Norte' }), []);
  tx.productionRequests.insert(aRequest);
  tx.inbox.insert({
    partner: 'fake',
    mode: 'live',
    messageId: 'msg_1',
    facts: '[]',
    receivedAtMs: 1,
    dueAtMs: 1,
    tries: 3,
    version: 1,
  });
});
await close();
await registerOperators(env, folder, ['ana', 'bia']);

test('each kind has what waits, and nothing waits twice', async () => {
  const found = kindsOf(await waiting());
  assert.deepEqual(found, [
    ['unmatched', 'dep_1'],
    ['owed', 'cmd_back'],
    ['in_review', 'cmd_out_2'],
    ['command', 'cmd_in_3'],
    ['production', 'org_a'],
    ['message', 'msg_1'],
  ]);
});

test('a row has the commands to copy; once proposed, the one that confirms', async () => {
  const [owed] = await waiting('--kind owed');
  const commands = (row: Json | undefined) =>
    ((row?.['steps'] ?? []) as readonly Json[]).map(({ command }) => command);
  assert.deepEqual(commands(owed), [
    'ponte commands retry cmd_back',
    "ponte money refund cmd_back --evidence 'EVIDENCE'",
  ]);
  const given = await runCommand(env, ['money', 'refund', 'cmd_back', '--evidence', 'wire']);
  assert.equal(given.status, 0, given.stderr);
  const [proposal] = await waiting('--kind proposal');
  const confirm = `ponte confirm ${proposal?.['id']}`;
  assert.deepEqual(commands(proposal), [confirm]);
  assert.deepEqual(commands((await waiting('--kind owed'))[0]), [confirm]);
});

test('rows are selected by kind, organization and mode, and limited for each kind', async () => {
  assert.deepEqual(kindsOf(await waiting('--org org_a --kind production')), [
    ['production', 'org_a'],
  ]);
  assert.deepEqual(await waiting('--org org_0'), []);
  assert.deepEqual(await waiting('--mode test'), []);
  assert.ok((await waiting('--limit 1')).length <= waitingKindNames.length);
  const { status } = await runCommand(env, ['waiting', '--kind nothing']);
  assert.equal(status, 2);
});

test('people read names beside ids: who pays whom, for which organization', async () => {
  const wide = { ...env, COLUMNS: '400' };
  const shown = async (words: string) => (await runCommand(wide, words.split(' '))).stdout;
  for (const [words, expected] of [
    ['waiting --kind owed', /Rota Norte org_a .* refund: buyer@example\.com pays Rota Norte /],
    ['payments list', /^pi_1 +failed +100\.00 USD +buyer@example\.com .* Rota Norte org_a /m],
    ['org requests', /^Rota Norte org_a /m],
    ['audit list', /^ +\d+ .* operator ana /m],
  ] as const) {
    assert.match(await shown(words), expected);
  }
});

test('for people it is a table', async () => {
  const { stdout } = await runCommand(env, ['waiting', '--kind', 'message']);
  assert.match(
    stdout,
    /^KIND +ID +ORGANIZATION +MODE +AMOUNT +SINCE +ABOUT +KNOWN\nmessage +msg_1/,
  );
});
