// The demo of a restore: what it prints at its end, and that nothing was paid twice.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { runProgram } from '../../cli/program.js';

test('the demo restores a backup, checks and releases it, and pays nobody twice', async () => {
  let stdout = '';
  const shell = {
    env: {},
    stdin: Readable.from([]),
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: () => true },
    exitCode: 0,
  };
  await runProgram(shell, ['demo', '--restore', '--json']);
  const { epoch, ...told } = JSON.parse(stdout) as Record<string, unknown>;
  const counts = { payments: 5, learned: 5, differing: 0, missed: 0 };
  assert.deepEqual(told, { complete: true, ...counts, paidTwice: 0 });
  assert.ok(Number(epoch) > 1);
  assert.equal(shell.exitCode, 0);
});
