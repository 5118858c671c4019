// The messages of an open page, over the small world with its own timers.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { changeStream } from '../../../../adapters/pages/kit/change-stream.js';
import { cookieLivesSeconds } from '../../../../adapters/pages/kit/cookies.js';
import type { PageAnswer } from '../../../../adapters/pages/kit/page-route.js';
import { MINUTE_MS, SECOND_MS } from '../../../../core/domain/base/instant.js';
import { signIn } from '../../../../core/usecases/hosted/buyer-steps.js';
import { pageWatch, STREAMS_PER_SESSION_MAX } from '../../../../core/usecases/hosted/page-watch.js';
import { readPaymentPage } from '../../../../core/usecases/hosted/payment-page.js';
import { world } from '../../../support/scenes/test-world.js';
import { turn } from '../../../support/wait.js';

/** A signed-in buyer who opens streams of one payment. */
async function scene(t: TestContext) {
  const made = await world(t);
  const { deps } = made;
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant);
  const { publicId } = await made.payment(id);
  const watch = pageWatch(deps, () => () => undefined);
  const { pageVersion } = await readPaymentPage(deps, publicId);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(AbortSignal, 'timeout', (durationMs: number) => {
    const over = new AbortController();
    setTimeout(() => over.abort(), durationMs);
    return over.signal;
  });
  const session = { isOpen: true };
  const open = async ({ sessionId = 'session 1', version = pageVersion } = {}) => {
    const gone = new AbortController();
    const answer = changeStream(watch, gone.signal, {
      watched: { ...tenant, id },
      sessionId,
      shown: version,
      isOpen: async () => session.isOpen,
    });
    const { body } = answer;
    const messages = isText(body) ? null : body[Symbol.asyncIterator]();
    const next = async () => (await messages?.next())?.value ?? null;
    return { ...answer, next, leave: () => gone.abort() };
  };
  const change = async () => {
    await signIn(deps, tenant, id);
    watch.look([tenant]);
  };
  return { t, watch, session, open, change };
}

function isText(body: PageAnswer['body']): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

test('a stream opens at once and reports each change', async (t) => {
  const { open, change } = await scene(t);
  const { status, headers, next } = await open();
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/event-stream');
  // A proxy must not wait for the end.
  assert.equal(headers['x-accel-buffering'], 'no');
  assert.equal(await next(), ': open\n\n');
  const waiting = next();
  await change();
  assert.equal(await waiting, 'data: changed\n\n');
});

test('a page that shows an earlier state is reported a change immediately', async (t) => {
  const { open } = await scene(t);
  const { next } = await open({ version: '0.0' });
  assert.equal(await next(), ': open\n\n');
  assert.equal(await next(), 'data: changed\n\n');
});

test('a change before the browser reads is not lost', async (t) => {
  const { open, change } = await scene(t);
  const { next } = await open();
  await change();
  assert.equal(await next(), ': open\n\n');
  assert.equal(await next(), 'data: changed\n\n');
});

test('without a change something is sent before proxies close the connection', async (t) => {
  const { open } = await scene(t);
  const { next } = await open();
  await next();
  const waiting = next();
  await turn();
  t.mock.timers.tick(25 * SECOND_MS);
  assert.equal(await waiting, ': still open\n\n');
});

test('a session has four streams; 204 ends the attempts of a fifth', async (t) => {
  const { open, watch } = await scene(t);
  const streams = [];
  for (let count = 0; count < STREAMS_PER_SESSION_MAX; count += 1) streams.push(await open());
  assert.deepEqual(
    streams.map(({ status }) => status),
    Array(4).fill(200),
  );
  const fifth = await open();
  assert.deepEqual([fifth.status, await fifth.next()], [204, null]);
  assert.equal((await open({ sessionId: 'another session' })).status, 200);
  streams[0]?.leave();
  assert.equal((await open()).status, 200);
  assert.equal(watch.open(), 5);
});

test('a stream ends after its life, so that the session is checked again', async (t) => {
  const { open, watch } = await scene(t);
  const { next } = await open();
  await next();
  const lifeMs = 10 * MINUTE_MS;
  assert.ok(lifeMs < cookieLivesSeconds.session * SECOND_MS);
  for (let atMs = 0; atMs + 25 * SECOND_MS < lifeMs; atMs += 25 * SECOND_MS) {
    const waiting = next();
    await turn();
    t.mock.timers.tick(25 * SECOND_MS);
    assert.equal(await waiting, ': still open\n\n');
  }
  const waiting = next();
  await turn();
  t.mock.timers.tick(25 * SECOND_MS);
  assert.equal(await waiting, null);
  assert.equal(watch.open(), 0);
});

test('a stream ends with its client', async (t) => {
  const { open, watch } = await scene(t);
  const { next, leave } = await open();
  await next();
  const waiting = next();
  await turn();
  leave();
  assert.equal(await waiting, null);
  assert.equal(watch.open(), 0);
});

test('a stream ends with its session, and says nothing of a change after it', async (t) => {
  const { open, change, session, watch } = await scene(t);
  const { next } = await open();
  await next();
  const waiting = next();
  session.isOpen = false;
  await change();
  assert.equal(await waiting, null);
  assert.equal(watch.open(), 0);
});
