// The demo of a restore: what it prints at its end, and that nothing was paid twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../support/servers/command.js';

test('the demo restores a backup, checks it, releases it and pays no seller twice', async () => {
  const { status, stdout } = await runCommand({}, ['demo', '--restore', '--json']);
  const { epoch, ...summary } = JSON.parse(stdout) as Record<string, unknown>;
  const payments = { payments: 5, learned: 5, differing: 0, missed: 0 };
  const entries = { deposits: 0, unknownPayouts: 0, unreadable: 0 };
  assert.deepEqual(summary, { complete: true, ...payments, ...entries, paidTwice: 0 });
  assert.ok(Number(epoch) > 1);
  assert.equal(status, 0);
});
