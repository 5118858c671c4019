// `ponte reconcile`: its exit codes, its words, and what it says to do.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeRef } from '../../adapters/partner/fake-ref.js';
import { reconciliationText } from '../../cli/commands/reconcile-command.js';
import { HOUR_MS } from '../../core/domain/base/instant.js';
import { money } from '../../core/domain/base/money.js';
import {
  type Difference,
  type DifferenceKind,
  differenceKinds,
  type Ours,
} from '../../core/domain/money-desk/reconciliation.js';
import { T0 } from '../support/samples/domain-samples.js';
import { runCommand } from '../support/servers/command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const partnerFile = join(folder, 'partner.jsonl');
const env = { PONTE_DATA_DIR: folder, PONTE_LOG_LEVEL: 'silent' };
const withBooks = { ...env, PONTE_FAKE_PARTNER_FILE: partnerFile };
const run = (words: string, settings: Readonly<Record<string, string>> = withBooks) =>
  runCommand(settings, ['reconcile', ...words.split(' ')]);

assert.equal((await runCommand(env, ['migrate'])).status, 0);

test('without a difference it ends with 0', async () => {
  const { status, stdout, stderr } = await run('--mode test');
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^fake \(test\) since \S+Z: entries 0, commands 0, differences 0\n$/);
});

test('a partner that cannot be read ends it with 6, after the waits that were allowed', async () => {
  const unreachable = {
    ...env,
    PONTE_PARTNER_TEST: 'blindpay',
    PONTE_BLINDPAY_TEST_INSTANCE_ID: 'in_1',
    PONTE_BLINDPAY_TEST_API_KEY: 'the-key-of-the-instance',
    PONTE_BLINDPAY_TEST_WEBHOOK_SECRETS: `whsec_${'A'.repeat(24)}`,
    // A port that nothing listens on.
    PONTE_BLINDPAY_TEST_URL: 'http://127.0.0.1:1/v1',
  };
  const { status, stdout, stderr } = await run('--mode test --wait 1s', unreachable);
  assert.equal(status, 6);
  assert.match(stderr, /^waiting 1 s for the partner: no connection to BlindPay: ECONNREFUSED\n$/);
  assert.match(stdout, /^could not be read: the list of payouts: no connection .*ECONNREFUSED$/m);
  assert.match(stdout, /: entries 0, commands 0, differences 0, could not be read 2\n$/);
  const { stdout: json } = await run('--mode test --wait 0s --json', unreachable);
  const shown = JSON.parse(json) as Readonly<Record<string, unknown>>;
  assert.partialDeepStrictEqual(shown, { clean: false, partner: 'blindpay', differences: [] });
  assert.equal((shown['missed'] as readonly unknown[]).length, 2);
});

test('a partner without books, or no partner, ends it with 7', async () => {
  const fake = await run('--mode test', env);
  assert.equal(fake.status, 7);
  assert.match(
    fake.stderr,
    /PONTE_PARTNER_TEST: fake has no books .*: set PONTE_FAKE_PARTNER_FILE/,
  );
  const none = await run('--mode live');
  assert.equal(none.status, 7);
  assert.match(none.stderr, /PONTE_PARTNER_LIVE: no settlement partner is configured/);
});

test('the usual mode is live; periods have a unit', async () => {
  assert.equal((await run('--since 7d')).status, 7);
  for (const words of ['--since 7', '--since d', '--wait 1y', '--mode both']) {
    assert.equal((await run(words)).status, 2, words);
  }
});

test('help names the exit codes and what it compares', async () => {
  const { stdout } = await run('--help');
  assert.match(stdout, /Exit codes: 0 no difference; 8 differences; 6 the partner could not/);
  assert.match(stdout, /--since <duration> .*\(default: 7d\)/);
  assert.match(stdout, /It changes nothing\./);
});

test('a difference ends it with 8, with both sides and what to do', async () => {
  const atMs = Date.now() - HOUR_MS;
  const partnerRef = makeRef('test', 'payout', ['USD', 125_000, 540_000_000, atMs, 'stray']);
  const transaction = {
    mode: 'test',
    kind: 'payout',
    reference: 'stray',
    partnerRef,
    digest: 'd',
    atMs,
  };
  appendFileSync(partnerFile, `${JSON.stringify(transaction)}\n`);
  const { status, stdout } = await run('--mode test');
  assert.equal(status, 8);
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(lines.slice(0, -1), [
    'payout: the partner has it, and no command or deposit here has it',
    `  there  ${partnerRef} completed, 1250.00 USD, of ${new Date(atMs).toISOString()}`,
    '  do     ask the partner who ordered it; a restore may have lost its payment',
  ]);
  assert.match(
    lines.at(-1) ?? '',
    /^fake \(test\) since .*: entries 1, commands 0, differences 1$/,
  );
  const { stdout: json } = await run('--mode test --json');
  const [shown] = (JSON.parse(json) as { readonly differences: readonly unknown[] }).differences;
  assert.partialDeepStrictEqual(shown, {
    kind: 'missing_here',
    book: 'payout',
    ours: null,
    theirs: { partnerRef, status: 'completed', amount: '1250.00 USD' },
  });
  assert.equal((await run('--mode test --since 30m')).status, 0);
});

const ours: Ours = {
  what: 'command',
  id: 'cmd_1',
  orgId: 'org_a',
  paymentId: 'pi_1',
  reference: 'ref',
  partnerRef: 'po_1',
  status: 'completed',
  amount: money(125_000n, 'USD'),
  dueAtMs: null,
  report: 'ab12cd34',
};
const theirs = { partnerRef: 'po_2', status: 'completed', createdAtMs: T0 } as const;

/** The command, or who is asked. */
const toDo: Readonly<Record<DifferenceKind, string>> = {
  duplicate_at_partner: 'ask the partner to return one of them; ponte payments show pi_1',
  duplicate_command: 'ask the partner whose it is; ponte payments show pi_1',
  missing_here: 'ask the partner who ordered it; a restore may have lost its payment',
  missing_at_partner: 'ask the partner about po_1',
  not_accepted: 'have the partner send its last message about po_2 again; ponte payments show pi_1',
  amount: 'ask the partner which is right; ponte payments show pi_1',
  settlement: 'ask the partner which is right; ponte payments show pi_1',
  status: 'ponte commands retry cmd_1',
  deposit_unmatched: 'ponte money assign cmd_1 --payment PAYMENT_ID',
  report_in_review: 'ponte commands accept cmd_1 --report ab12cd34',
};

describe('each kind has words, both sides with ids and amounts, and what to do', () => {
  for (const kind of differenceKinds) {
    test(kind, () => {
      const there = { ...theirs, amount: money(99_000n, 'USD') };
      const texts = { here: 'open', there: 'completed' };
      const difference: Difference = { kind, book: 'payout', ours, theirs: there, ...texts };
      const found = { entries: 1, commands: 1, differences: [difference], missed: [] };
      const [title, here, other, advice] = reconciliationText(found, 'blindpay').split('\n');
      assert.match(title ?? '', /^payout: [a-z ,]+$/);
      const known = 'command cmd_1 completed, 1250.00 USD, payment pi_1, org_a, partner id po_1';
      assert.equal(here, `  here   open; ${known}`);
      assert.match(other ?? '', /^ {2}there {2}completed; po_2 completed, 990\.00 USD, of 20/);
      assert.equal(advice, `  do     ${toDo[kind]}`);
    });
  }
});
