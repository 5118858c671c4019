// A host that is killed soon after each start, as a supervisor starts it again and again, while the
// receiver never answers: webhooks lose none of their attempts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from '../support/servers/command.js';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.js';
import { jsonCall } from '../support/servers/json-call.js';
import { startReceiver } from '../support/servers/local-receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const LIVES = 4;
const READ_EVERY_MS = 10;

test('a crash loop uses up no attempts of webhooks and delays none that is new', async (t) => {
  const folder = temporaryFolder();
  // However slow the machine, no second attempt falls due.
  const waits = Array.from({ length: 6 }, () => '86400').join(',');
  const env = { PONTE_DATA_DIR: folder, PONTE_WEBHOOK_RETRY_SECONDS: waits };
  let answers = false;
  const receiver = await startReceiver((response) => {
    if (answers) response.writeHead(204).end();
  });
  t.after(() => receiver.close());
  const received = () =>
    receiver.requests.map(({ headers }) => String(headers['x-service-delivery-id']));

  let host = await startHostProcess(env);
  t.after(() => host.kill());
  const key = host.key ?? '';
  const hook = { url: receiver.url, eventTypes: ['payment_intent.created'] };
  const { id } = (await jsonCall(host, key, '/v1/webhook-subscriptions', hook)).body;
  for (let life = 1; life <= LIVES; life += 1) {
    await jsonCall(host, key, `/v1/webhook-subscriptions/${id}/test`, {});
    await until(host, () => new Set(received()).size === life);
    await host.kill();
    host = await startHostProcess(env);
  }
  const listed = await runCommand(env, ['deliveries', 'list', '--json']);
  const { data } = JSON.parse(listed.stdout) as {
    readonly data: readonly { readonly status: string; readonly attempt: number }[];
  };
  assert.equal(data.length, LIVES);
  for (const delivery of data) {
    assert.deepEqual([delivery.status, delivery.attempt], ['pending', 1]);
  }
  answers = true;
  const last = received().at(-1);
  await until(host, () => received().filter((one) => one === last).length === 2);
  const sendings = Object.values(Object.groupBy(received(), (one) => one));
  assert.ok(
    sendings.every((each) => (each?.length ?? 0) <= 2),
    'each is sent again once at most',
  );
});

async function until(host: HostProcess, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    assert.equal(host.log().includes('"level":"error"'), false, host.log());
    await wait(READ_EVERY_MS);
  }
}
