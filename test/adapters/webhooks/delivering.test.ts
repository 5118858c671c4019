import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { verifyWebhook } from '../../../adapters/client/verify.js';
import { webhookSender } from '../../../adapters/webhooks/sender.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { Runner } from '../../../core/usecases/service/concurrency-limiter.js';
import { deliveryRunner } from '../../../core/usecases/webhooks/delivery-runner.js';
import { STARTS_AT_MS } from '../../support/scenes/test-world.js';
import { type Scene, scene } from '../../support/scenes/webhook-scene.js';
import { type Answering, startReceiver } from '../../support/servers/local-receiver.js';
import { turn, until } from '../../support/wait.js';

interface Wired {
  readonly made: Scene;
  readonly runner: Runner;
  /** Begins everything that is due now. */
  begin(): Promise<void>;
}

/** The core with the real sender instead of a scripted one. */
async function wired(t: TestContext): Promise<Wired> {
  const made = await scene(t);
  const sender = webhookSender({ allowPrivate: true });
  t.after(() => sender.close());
  const deps: Deps = { ...made.deps, sender };
  const runner = deliveryRunner(deps);
  const begin = async () => {
    const nowMs = deps.clock.nowMs();
    while ((await runner.runOnce(nowMs, 100)) > 0);
  };
  return { made, runner, begin };
}

async function receiver(t: TestContext, answering: Answering) {
  const started = await startReceiver(answering);
  t.after(() => started.close());
  return started;
}

test('a receiver verifies the raw bytes that it got, on every attempt the same ones', async (t) => {
  const { made, runner, begin } = await wired(t);
  let status = 500;
  const server = await receiver(t, (response) => response.writeHead(status).end());
  const { subscription, secret } = await made.subscribe(['*'], { url: server.url });
  const [event] = await made.emit({});
  await begin();
  await runner.idle();
  status = 204;
  made.advanceClock(30_000);
  await begin();
  await runner.idle();
  const [row] = await made.deliveries(subscription.id);
  assert.deepEqual([row?.status, row?.attempt, row?.responseStatus], ['delivered', 2, 204]);
  assert.equal(server.requests.length, 2);
  const sentAtSeconds = [STARTS_AT_MS / 1_000, STARTS_AT_MS / 1_000 + 30];
  for (const [index, { headers, body }] of server.requests.entries()) {
    assert.deepEqual(body, Buffer.from(event?.body ?? ''));
    assert.equal(headers['x-service-delivery-id'], row?.id);
    assert.equal(headers['x-service-event-type'], event?.type);
    assert.equal(headers['content-type'], 'application/json');
    const header = headers['x-service-signature'];
    const nowSeconds = sentAtSeconds[index]!;
    assert.deepEqual(verifyWebhook({ secret, header, body, nowSeconds, toleranceSeconds: 0 }), {
      valid: true,
      timestampSeconds: nowSeconds,
    });
    const changed = Buffer.from(body);
    changed[3]! ^= 1;
    assert.equal(verifyWebhook({ secret, header, body: changed, nowSeconds }).valid, false);
  }
});

test('while one receiver hangs, another gets everything', async (t) => {
  const { made, runner, begin } = await wired(t);
  const hanging: { end(): unknown }[] = [];
  const stuck = await receiver(t, (response) => hanging.push(response));
  const quick = await receiver(t, (response) => response.end());
  await made.subscribe(['*'], { url: stuck.url });
  const fine = await made.subscribe(['*'], { url: quick.url });
  await made.emit(...Array.from({ length: 80 }, () => ({})));
  const isDone = async () => {
    await begin();
    const rows = await made.deliveries(fine.subscription.id);
    return rows.length === 80 && rows.every(({ status }) => status === 'delivered');
  };
  while (!(await isDone())) await turn();
  assert.equal(quick.requests.length, 80);
  await until(() => hanging.length === runner.inFlight());
  assert.equal(stuck.requests.length, hanging.length);
  for (const response of hanging) response.end();
  await runner.idle();
});

test('what the receiver answered is kept in the log of attempts', async (t) => {
  const { made, runner, begin } = await wired(t);
  const server = await receiver(t, (response) => {
    response.writeHead(302, { location: '/elsewhere' }).end('a'.repeat(10_000));
  });
  const { subscription } = await made.subscribe(['*'], { url: server.url });
  await made.emit({});
  await begin();
  await runner.idle();
  const [row] = await made.deliveries(subscription.id);
  assert.deepEqual([row?.status, row?.lastError], ['pending', 'the receiver answered 302']);
  const [attempt] = await made.attempts(row?.id ?? '');
  assert.deepEqual([attempt?.responseStatus, attempt?.responseBody?.length], [302, 4_096]);
  assert.equal(server.requests.length, 1);
});
