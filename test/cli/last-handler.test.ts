// A failure that leaves every handler of a serving process: one line in the log, an orderly end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/wait.js';

const preload = './test/support/failing-callbacks.ts';

type Line = Readonly<Record<string, unknown>>;

function fail({ pid }: HostProcess): void {
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGUSR2');
}

/** Each line is JSON, the stack included. */
function linesOf(host: HostProcess): readonly Line[] {
  const lines = host.log().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
}

for (const [name, extra] of [
  ['throw in a callback', {}],
  ['rejection that nothing handles', { TEST_CALLBACK_REJECTS: '1' }],
] as const) {
  test(`after a ${name} the process logs it, finishes requests and exits with 1`, async (t) => {
    const env = { PONTE_DATA_DIR: temporaryFolder(), PONTE_DRAIN_SECONDS: '1', ...extra };
    const host = await startHostProcess(env, { preload });
    t.after(() => host.kill());
    const headers = { 'x-api-key': host.key ?? '' };
    // Waits for events until the host ends.
    const waiting = fetch(`${host.url}/v1/events?after=0&wait=30`, { headers });
    fail(host);
    await until(async () => (await fetch(`${host.url}/readyz`)).status === 503);
    assert.equal((await waiting).status, 200);
    assert.equal(await host.exitCode, 1);
    const lines = linesOf(host);
    const fatal = lines.filter(({ level }) => level === 'fatal');
    assert.equal(fatal.length, 1);
    const error = fatal[0]?.['error'] as Line | undefined;
    assert.equal(error?.['message'], 'a callback failed for pk_test_abc.[cut]');
    assert.match(String(error?.['stack']), /at .*failing-callbacks\.ts/);
    assert.doesNotMatch(host.log(), /abc\.secret/);
    assert.equal(lines.at(-1)?.['message'], 'stopped');
    const next = await startHostProcess(env);
    assert.equal(await next.stop('SIGTERM'), 0);
  });
}

for (const [name, begin] of [
  ['a failure', fail],
  ['a signal', ({ pid }: HostProcess) => process.kill(pid ?? 0, 'SIGTERM')],
] as const) {
  test(`a failure while the process ends after ${name} exits at once`, async (t) => {
    const env = { PONTE_DATA_DIR: temporaryFolder(), PONTE_DRAIN_SECONDS: '60' };
    const host = await startHostProcess(env, { preload });
    t.after(() => host.kill());
    begin(host);
    await until(() => host.log().includes('"draining"'));
    fail(host);
    assert.equal(await host.exitCode, 1);
    assert.doesNotMatch(host.log(), /"message":"stopp/);
  });
}
