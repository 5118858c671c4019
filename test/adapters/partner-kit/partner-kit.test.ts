// The conformance suite of `ponte-payments/partner-kit` detects defects, and its report is honest.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type ConformanceReport,
  formatReport,
  groups,
  notShown,
} from '../../../adapters/partner-kit/conformance-report.js';
import { operationKinds, recorded } from '../../../adapters/partner-kit/operation-kinds.js';
import { defects } from '../../support/partners/defective-partners.js';
import { world } from '../../support/partners/fake-world.js';
import { loadTypeScript } from '../../support/source-tree.js';

const all = Object.keys(groups) as (keyof typeof groups)[];

/** The group of rules that must fail for each defect; others may fail with it. */
const failing: Readonly<Record<string, keyof typeof groups>> = {
  'a second command for a repeat': 'once',
  'another text for each preparation': 'determinism',
  'an answer that counts as another party': 'requirements',
  'a command that is not found': 'once',
  'a currency without two decimals': 'quote',
  'messages that nobody verifies': 'inbound',
  'a look-up that refuses': 'once',
  'a page whose first entry is missing': 'read-back',
  'more paid than the rate gives': 'money',
};

test('each defect fails the rules about it, and the report says so', () => {
  const file = fileURLToPath(
    new URL('../../support/partners/defective-partners.ts', import.meta.url),
  );
  const env = { ...process.env, DEFECTIVE_PARTNERS: '1', NODE_TEST_CONTEXT: undefined };
  const run = spawnSync(process.execPath, [...loadTypeScript, file], { env, encoding: 'utf8' });
  assert.notEqual(run.status, 0);
  const lines = run.stdout.split('\n').flatMap((line) => /report (\{.*\})/.exec(line)?.[1] ?? []);
  const reports = lines.map((line) => JSON.parse(line) as ConformanceReport);
  assert.deepEqual(
    reports.map(({ partner }) => partner),
    Object.keys(defects),
  );
  for (const { partner, groups: results } of reports) {
    const group = failing[partner] ?? assert.fail(partner);
    assert.equal(results[group], 'failed', partner);
    assert.equal(results.faults, 'declared only');
  }
});

test('the name of an operation is in the list', async () => {
  const called = new Set<string>();
  const partner = recorded(world().partner, called);
  partner.requirements('buyer', 'individual');
  await partner.payin.read('x');
  assert.deepEqual([...called], ['requirements', 'payin.read']);
  for (const name of called) assert.ok(name in operationKinds);
  assert.equal(partner.name, 'fake');
  assert.deepEqual(partner.currencies, ['USD', 'EUR', 'GBP']);
});

test('a report names what ran, what is declared only, and what no rule shows', () => {
  const results = all.map((group) => [group, group === 'faults' ? 'declared only' : 'passed']);
  const text = formatReport({
    partner: 'bank 1.0',
    against: 'simulator',
    source: 'API of 2026-08-07',
    notShown,
    groups: Object.fromEntries(results),
    unsupported: { 'refund.start': 'no such call' },
  });
  assert.match(text, /^bank 1\.0 against a simulator, built from API of 2026-08-07\n/);
  assert.match(text, /\n {2}declared only faults: /);
  assert.match(text, /\n {2}unsupported {3}refund\.start: no such call\n/);
  for (const line of notShown) assert.ok(text.includes(`not shown     ${line}`));
});
