// `ponte money`: what operators read about money that waits, the commands that they copy from it,
// and the two operators of live mode.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAmount } from '../../core/domain/base/money.js';
import { openForOperator } from '../../host/operator-access.js';
import {
  anOrder,
  DeskScene,
  failedPayout,
  inTest,
  paidIn,
  refusedRefund,
} from '../support/scenes/desk-scene.js';
import { runCommand } from '../support/servers/command.js';
import type { Json } from '../support/servers/json-call.js';
import { loginOf, registerOperators } from '../support/servers/operator-login.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const env = { PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent', ...loginOf(folder, 'ana') };
const bia = loginOf(folder, 'bia');

type Steps = readonly { readonly what: string; readonly command: string }[];

/** An id as long as a real one. */
const id = (prefix: string, name: string) => `${prefix}_01kb0000${name.padEnd(18, '0')}`;
const review = JSON.stringify({
  kind: 'implausible',
  reason: 'received 25000 minor units, 10000 were requested',
  fact: { kind: 'payin', reference: null, partnerRef: 'pa_1', report: {} },
});

const { deps, close } = await openForOperator(env, { opening: 'makes' });
const at = new DeskScene({ deps, log: [] });
await at.organization({ orgId: 'org_a', mode: 'live', partnerRef: 'pa_a' });
const payment = (name: string, fields = {}) => {
  const seller = { id: id('pi', name), publicId: name, externalId: name };
  return { ...seller, ...fields };
};
const payinOf = (name: string, received = 10_000n, fields = {}) =>
  paidIn(received, { id: id('cmd', `in${name}`), ...fields });
await at.payment([payinOf('short', 4_050n)], payment('short', { status: 'on_ramp_pending' }));
const refund = (name: string, fields = {}) => {
  const of = { id: id('cmd', name), payinId: id('cmd', `in${name}`) };
  return refusedRefund({ ...of, ...fields });
};
await at.payment([payinOf('back'), refund('back')], payment('back'));
await at.payment([payinOf('backtest'), refund('backtest')], {
  ...payment('backtest'),
  tenant: inTest,
});
await at.payment(
  [payinOf('sent'), refund('sent', { state: 'unknown', lastError: null })],
  payment('sent'),
);
const out = failedPayout({ id: id('cmd', 'out') });
await at.payment([payinOf('out'), out], payment('out'));
const back = { end: 'returned', isUndecided: true, lastError: 'account closed' } as const;
const settled = payment('return', { status: 'settled' });
await at.payment([payinOf('return'), anOrder('payout', id('cmd', 'zback'), back)], settled);
const odd = anOrder('payin', id('cmd', 'odd'), { review });
await at.payment([odd], payment('odd', { status: 'on_ramp_pending' }));
const lost = refund('lost', { state: 'done', end: 'completed', partnerRef: 'pa_lost' });
await at.payment([payinOf('lost', 4_000n), lost], payment('lost'));
await close();
await registerOperators(env, folder, ['ana', 'bia', 'eva']);

const ponte = (words: readonly string[], more = {}) => runCommand({ ...env, ...more }, words);

async function run(words: string, more = {}): Promise<Json> {
  const { status, stdout, stderr } = await ponte([...words.split(' '), '--json'], more);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Json;
}

async function rows(words = ''): Promise<readonly Json[]> {
  const { data } = await run(`money list ${words}`.trim());
  return data as readonly Json[];
}

/** The words of a command as a shell reads them. */
function wordsOf(command: string): readonly string[] {
  const parts = command.match(/'[^']*'|[^\s']+/g) ?? [];
  return parts.slice(1).map((part) => part.replace(/^'|'$/g, ''));
}

test('the queues follow each other, each row with what is known and what can be done', async () => {
  const found = await rows();
  assert.deepEqual(
    found.map(({ queue, amount, currency, known }) => [queue, amount, currency, known]),
    [
      ['short', '59.50', 'USD', '40.50 USD of 100.00 USD arrived. The payment waits for the rest.'],
      [
        'owed',
        '100.00',
        'USD',
        'The partner refused or failed the refund: not_supported: no refunds.',
      ],
      [
        'owed',
        '100.00',
        'USD',
        'The partner refused or failed the refund: not_supported: no refunds.',
      ],
      ['owed', '100.00', 'USD', 'The partner may have the refund; Ponte looks it up.'],
      [
        'in_review',
        '100.00',
        'USD',
        'A report of the partner is under review: ' +
          'received 25000 minor units, 10000 were requested.',
      ],
      [
        'in_review',
        '100.00',
        'USD',
        'The payout failed, and the partner does not say where its money is: PIX key closed.',
      ],
      [
        'in_review',
        '100.00',
        'USD',
        'The payout came back after the payment was settled: account closed.',
      ],
      ['lost', '60.00', 'USD', '40.00 USD arrived, and more has left.'],
    ],
  );
  const commands = found.map(({ steps }) => (steps as Steps).map(({ command }) => command));
  const back = id('cmd', 'back');
  assert.deepEqual(commands.slice(0, 2), [
    [`ponte payments cancel ${id('pi', 'short')} --reason 'REASON'`],
    [`ponte commands retry ${back}`, `ponte money refund ${back} --evidence 'EVIDENCE'`],
  ]);
  assert.deepEqual(commands[3], []);
  assert.deepEqual(commands.at(-2), [
    `ponte money refund ${id('cmd', 'zback')} --evidence 'EVIDENCE'`,
    `ponte money pay-again ${id('cmd', 'zback')} --evidence 'EVIDENCE'`,
    `ponte money resolve ${id('cmd', 'zback')} --as paid-by-hand --settled BRL --fees FEES ` +
      "--end-to-end-id E2E --evidence 'EVIDENCE'",
  ]);
  assert.deepEqual(commands.at(-1), [
    `ponte money write-off ${id('pi', 'lost')} --evidence 'EVIDENCE'`,
  ]);
});

test('every command that a row shows is understood', async () => {
  for (const { steps } of await rows()) {
    for (const { command } of steps as Steps) {
      const figures = command.replace('BRL', '514.80').replace('FEES', '1.00');
      const { status, stderr } = await ponte([...wordsOf(figures), '--dry-run']);
      assert.notEqual(status, 2, `${command}: ${stderr}`);
      assert.notEqual(status, 1, `${command}: ${stderr}`);
    }
  }
});

test('rows are selected by queue, organization and mode, and paged across queues', async () => {
  const ids = async (words: string) => (await rows(words)).map((row) => row['id']);
  const all = await ids('');
  assert.equal(new Set(all).size, 8);
  assert.deepEqual(await ids('--queue short'), all.slice(0, 1));
  assert.deepEqual(await ids('--queue in_review'), all.slice(4, 7));
  assert.deepEqual(await ids('--mode test'), [id('cmd', 'backtest')]);
  assert.deepEqual(await ids('--org org_0'), []);
  const paged: unknown[] = [];
  for (let cursor = ''; ; ) {
    const page = await run(`money list --limit 2${cursor}`);
    paged.push(...(page['data'] as readonly Json[]).map((row) => row['id']));
    if (page['nextCursor'] === null) break;
    cursor = ` --cursor ${page['nextCursor']}`;
  }
  assert.deepEqual(paged, all);
  for (const cursor of ['cmd_1', 'nothing:cmd_1', 'owed:']) {
    const { status } = await ponte(['money', 'list', '--cursor', cursor]);
    assert.equal(status, 2, cursor);
  }
});

test('for people no line is longer than 100 columns', async () => {
  const { stdout } = await ponte(['money', 'list']);
  for (const line of stdout.split('\n')) {
    assert.ok(line.length <= 100, line);
  }
  assert.doesNotMatch(stdout, /[{}]/);
  assert.match(stdout, /^OWED BACK: /m);
  assert.match(stdout, /^ {2}Acme Ltda · São Paulo org_a, live$/m);
  assert.match(stdout, / --as paid --settled BRL \\\n {6}--/);
});

test('the second operator copies the command from the list', async () => {
  const back = id('cmd', 'back');
  const evidence = ['--evidence', "wire 7781, Ana's bank"];
  const proposed = await ponte(['money', 'refund', back, ...evidence]);
  assert.equal(proposed.status, 0);
  assert.match(
    proposed.stdout,
    /^Proposed\. Nothing is booked yet\.\n {2}Acme .*\n {2}The payer was paid back/,
  );
  const [waiting] = (await run('proposals'))['data'] as readonly Json[];
  const { command } = waiting ?? {};
  assert.match(`${command}`, /^ponte confirm dec_/);
  assert.ok(proposed.stdout.includes(`    ${command}\n`), proposed.stdout);
  const { stdout } = await ponte(['money', 'list', '--queue', 'owed']);
  assert.ok(stdout.includes(`    ${command}`), stdout);
  const again = await ponte(['money', 'refund', back, ...evidence]);
  assert.match(again.stdout, /^It was proposed before\. Nothing was changed\./);
  const own = await ponte(wordsOf(`${command}`));
  assert.equal(own.status, 4);
  assert.match(own.stderr, /You proposed it/);
  const other = await ponte(wordsOf(`${command}`), bia);
  assert.match(other.stdout, /^Done\.[\s\S]*Proposed by ana at .*; confirmed by bia at\s+\S+\.\n$/);
  const third = await ponte(['money', 'refund', back, ...evidence], loginOf(folder, 'eva'));
  assert.match(third.stdout, /^It was done before\. Nothing was changed\./);
  assert.partialDeepStrictEqual(await run('ledger verify'), { balanced: true, imbalances: [] });
  const [decision] = (await run('proposals'))['data'] as readonly Json[];
  assert.partialDeepStrictEqual(decision, {
    itemId: back,
    state: 'done',
    proposedBy: 'ana',
    endedBy: 'bia',
    testMode: false,
    evidence: "wire 7781, Ana's bank",
    command: null,
    decision: 'the payer was paid back by other means',
  });
});

test('a payout is resolved with its figures, after a dry run that changes nothing', async () => {
  const out = id('cmd', 'out');
  const figures = `--settled ${formatAmount(51_480n)} --fees 1 --end-to-end-id E1`;
  const words = `money resolve ${out} --as paid ${figures} --evidence deposit`;
  const dry = await run(`${words} --dry-run`);
  assert.deepEqual([dry['outcome'], dry['dryRun']], ['proposed', true]);
  const { outcome, decision } = await run(words);
  assert.equal(outcome, 'proposed');
  const { command } = decision as Json;
  const confirm = wordsOf(`${command}`).join(' ');
  assert.equal((await run(`${confirm} --dry-run`, bia))['outcome'], 'done');
  assert.equal((await run(confirm, bia))['outcome'], 'done');
  assert.deepEqual(
    (await rows('--queue in_review')).map((row) => row['id']),
    [id('cmd', 'odd'), id('cmd', 'zback')],
  );
  const { data } = await run('payments list --status failed');
  const settled = (data as readonly Json[]).find((row) => row['id'] === id('pi', 'out'));
  assert.equal(settled?.['brlSettledAmount'], '514.80');
  assert.partialDeepStrictEqual(await run('ledger verify'), { balanced: true, imbalances: [] });
});

test('a dry run names the decision as one that is not stored', async () => {
  const back = id('cmd', 'backtest');
  const { stdout } = await ponte(`money refund ${back} --evidence wire --dry-run`.split(' '));
  assert.match(
    stdout,
    /^Dry run: nothing is stored\. Without --dry-run this is booked:\n {2}Acme .*\n {2}The payer/,
  );
  assert.doesNotMatch(stdout, /Done|Decided/);
});

test('the help of a command marks the options that it requires', async () => {
  const { stdout } = await ponte(['money', 'resolve', '--help']);
  const help = stdout.replace(/\s+/g, ' ');
  assert.match(help, /money resolve \[options\] <item-id>/);
  assert.match(help, /--as <found> what you found \(choices: [^)]*\); required/);
  assert.match(help, /--evidence <text> [^-]*; recorded; required/);
});

test('the help of money refund says that one operator sends a refund again', async () => {
  const { stdout } = await ponte(['money', 'refund', '--help']);
  assert.match(
    stdout,
    /--retry takes effect at once in live mode too: no other operator confirms it/,
  );
});

test('a refused refund is sent again by --retry or --order, without evidence', async () => {
  const back = id('cmd', 'backtest');
  const both = `money refund ${back} --retry --evidence wire`.split(' ');
  assert.equal((await ponte(both)).status, 2);
  const { outcome, commandId } = await run(`money refund ${back} --order`);
  assert.equal(outcome, 'ordered');
  assert.notEqual(commandId, back);
});

for (const [words, status] of [
  ['money refund cmd_1', 2],
  ['money refund cmd_1 --evidence wire', 3],
  [`money refund ${id('cmd', 'sent')} --evidence wire`, 4],
  [`money refund ${id('cmd', 'odd')} --evidence wire`, 4],
  [`money resolve ${id('cmd', 'odd')} --as returned --evidence mail`, 4],
  ['money resolve cmd_1 --evidence mail', 2],
  ['money resolve cmd_1 --as returned', 2],
  ['money pay-again cmd_1', 2],
  ['money resolve cmd_1 --as lost --evidence mail', 2],
  ['money resolve cmd_1 --as paid --evidence mail', 2],
  ['money resolve cmd_1 --as returned --settled 1.00 --evidence mail', 2],
  ['money resolve cmd_1 --as paid --settled 1,00 --fees 0 --end-to-end-id E1 --evidence m', 2],
  ['money write-off pi_1', 2],
  ['money write-off pi_1 --evidence board', 3],
  [`money write-off ${id('pi', 'back')} --evidence board`, 4],
  ['money list --queue found', 2],
  ['money list --decided --queue owed', 2],
] as const) {
  test(`${words} exits with ${status}`, async () => {
    const { status: found, stderr } = await ponte(words.split(' '));
    assert.equal(found, status, stderr);
    assert.notEqual(stderr, '');
  });
}
