// createPonte: the API without a port, a clock moved by hand, the same ids for the same seed.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { verifyWebhook } from '../../adapters/client/verify.js';
import { DAY_MS, SECOND_MS } from '../../core/domain/base/instant.js';
import { createPonte, type Ponte, type PonteOptions } from '../../host/embed.js';
import { openLink } from '../support/scenes/made-payments.js';
import { projectRoot } from '../support/source-tree.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const intent = { externalId: 'order-1', amount: '250.00', buyer: { email: 'ana@buyer.example' } };

async function withPonte(
  options: PonteOptions,
  work: (ponte: Ponte) => Promise<void>,
): Promise<void> {
  const ponte = await createPonte(options);
  try {
    await work(ponte);
  } finally {
    await ponte.close();
  }
}

async function subscribe(ponte: Ponte): Promise<string> {
  const made = await ponte.post('/v1/webhook-subscriptions', {
    url: 'https://erp.example/hooks',
    eventTypes: ['payment_intent.*'],
  });
  return String(made['secret']);
}

test('a payment settles and its webhooks are collected, signed at the time of the clock', () =>
  withPonte({}, async (ponte) => {
    const secret = await subscribe(ponte);
    const { id } = await ponte.post('/v1/payment-intents', intent);
    await ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
    await ponte.runUntilIdle();
    assert.equal((await ponte.get(`/v1/payments/${id}`))['status'], 'settled');
    const events = ponte.webhooks.map(({ event }) => event);
    assert.equal(new Set(events).size, 8);
    assert.ok(events.includes('payment_intent.settled'));
    for (const { headers, body } of ponte.webhooks) {
      const header = headers['X-Service-Signature'];
      const nowSeconds = ponte.nowMs() / SECOND_MS;
      assert.equal(verifyWebhook({ secret, header, body, nowSeconds }).valid, true);
    }
  }));

for (const [name, turn] of [
  ['runUntilIdle', (ponte: Ponte) => ponte.runUntilIdle()],
  ['advanceTime', (ponte: Ponte) => ponte.advanceTime(SECOND_MS)],
] as const)
  test(`after listen(), ${name} returns when all is done that a change has begun`, () =>
    withPonte({}, async (ponte) => {
      await ponte.listen();
      await subscribe(ponte);
      for (let count = 0; count < 5; count += 1) {
        const externalId = `order-${count}`;
        const { id } = await ponte.post('/v1/payment-intents', { ...intent, externalId });
        await ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
        await turn(ponte);
        assert.equal((await ponte.get(`/v1/payments/${id}`))['status'], 'settled');
        assert.equal(ponte.webhooks.length, 8 * (count + 1));
      }
    }));

test('its verifyWebhook uses its clock; the exported one uses the machine’s clock', () =>
  withPonte({ nowMs: 1_000_000 * SECOND_MS }, async (ponte) => {
    const secret = await subscribe(ponte);
    await ponte.post('/v1/payment-intents', intent);
    await ponte.runUntilIdle();
    const [webhook] = ponte.webhooks;
    assert.ok(webhook !== undefined);
    const { headers, body } = webhook;
    const signed = { secret, header: headers['X-Service-Signature'], body };
    assert.equal(ponte.verifyWebhook(signed).valid, true);
    assert.equal(verifyWebhook(signed).valid, false);
    assert.equal(ponte.verifyWebhook({ ...signed, body: `${body} ` }).valid, false);
    assert.equal(ponte.verifyWebhook({ ...signed, nowSeconds: 0 }).valid, false, 'a time given');
    await ponte.advanceTime(301 * SECOND_MS);
    assert.deepEqual(ponte.verifyWebhook(signed), {
      valid: false,
      reason: 'timestamp outside the tolerance',
    });
  }));

test('the same seed and calls give the same ids, another seed gives others', async () => {
  const run = async (seed: string) => {
    let seen: unknown;
    await withPonte({ seed }, async (ponte) => {
      await subscribe(ponte);
      const { id } = await ponte.post('/v1/payment-intents', intent);
      await ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
      await ponte.runUntilIdle();
      seen = [ponte.apiKey, ponte.nowMs(), ponte.webhooks];
    });
    return seen;
  };
  assert.deepEqual(await run('a'), await run('a'));
  assert.notDeepEqual(await run('a'), await run('b'));
});

test('mails to buyers are collected, and the link in one signs its buyer in', () =>
  withPonte({}, async (ponte) => {
    const { externalId: _, ...invoice } = intent;
    const { id } = await ponte.post('/v1/invoices', { ...invoice, number: 'INV/7' });
    await ponte.post(`/v1/invoices/${id}/invite-buyer`, {});
    assert.equal(ponte.mails.length, 0);
    await ponte.runUntilIdle();
    const [mail, ...more] = ponte.mails;
    assert.ok(mail !== undefined && more.length === 0);
    assert.equal(mail.to, intent.buyer.email);
    const { view } = await openLink(ponte.deps, mail);
    assert.deepEqual([view?.payment.id, view?.payment.status], [id, 'buyer_kyc_pending']);
  }));

test('time stands still until it is moved', () =>
  withPonte({ partnerDelayMs: 5_000 }, async (ponte) => {
    const { id } = await ponte.post('/v1/payment-intents', intent);
    await ponte.post(`/v1/test-helpers/payments/${id}/advance`, {});
    const status = async () => (await ponte.get(`/v1/payments/${id}`))['status'];
    await ponte.runUntilIdle();
    assert.equal(await status(), 'buyer_kyc_pending');
    await ponte.advanceTime(60_000);
    assert.equal(await status(), 'settled');
  }));

test('a payment expires when its time has come, and not before', () =>
  withPonte({ nowMs: 0 }, async (ponte) => {
    const body = { ...intent, expiresAt: '1970-01-02T00:00:00Z' };
    const { id } = await ponte.post('/v1/payment-intents', body);
    await ponte.advanceTime(DAY_MS - 1);
    assert.equal((await ponte.get(`/v1/payments/${id}`))['status'], 'awaiting_buyer');
    await ponte.advanceTime(1);
    assert.equal((await ponte.get(`/v1/payments/${id}`))['status'], 'expired');
  }));

test('a receiver that fails is tried again on schedule, seven times in all', async () => {
  const answers: (() => number)[] = [
    () => 500,
    () => 302,
    () => {
      throw new Error('unreachable');
    },
  ];
  const sentAtMs: number[] = [];
  let ponte: Ponte | null = null;
  const onWebhook = (): number => {
    sentAtMs.push(ponte?.nowMs() ?? 0);
    return (answers[sentAtMs.length % answers.length] as () => number)();
  };
  await withPonte({ onWebhook }, async (made) => {
    ponte = made;
    await subscribe(made);
    await made.post('/v1/payment-intents', intent);
    await made.advanceTime(2 * DAY_MS);
    assert.deepEqual(
      sentAtMs.slice(1).map((atMs, index) => (atMs - (sentAtMs[index] ?? 0)) / SECOND_MS),
      [30, 120, 600, 3_600, 21_600, 86_400],
    );
    assert.equal(new Set(made.webhooks.map(({ deliveryId }) => deliveryId)).size, 1);
    assert.equal(new Set(made.webhooks.map(({ body }) => body)).size, 1);
  });
});

test('a sender of one’s own is given the requests', async () => {
  const sent: string[] = [];
  const sender = {
    send: async ({ url }: { readonly url: string }) => {
      sent.push(url);
      return { responseStatus: 200, responseBody: null, error: null, durationMs: 1 };
    },
    refusal: async () => null,
    close: async () => undefined,
  };
  await withPonte({ sender }, async (ponte) => {
    await subscribe(ponte);
    await ponte.post('/v1/payment-intents', intent);
    await ponte.runUntilIdle();
    assert.deepEqual([sent, ponte.webhooks], [['https://erp.example/hooks'], []]);
  });
});

describe('fetch is the API for the client under test', () => {
  test('with the key added where there is none, and any host name', () =>
    withPonte({}, async (ponte) => {
      const response = await ponte.fetch('https://api.ponte.example/v1/payment-intents', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
        body: JSON.stringify(intent),
      });
      assert.equal(response.status, 201);
      assert.match(response.headers.get('content-type') ?? '', /json/);
      const again = await ponte.fetch(new Request('http://x/v1/payments/ext_order-1'));
      assert.equal(again.status, 200);
      const created = (await response.json()) as Readonly<Record<string, unknown>>;
      assert.deepEqual(await again.json(), created);
    }));

  test('with refusals as the service gives them', () =>
    withPonte({}, async (ponte) => {
      const headers = { 'x-api-key': 'wrong' };
      const refused = await ponte.fetch('/v1/payments/pi_0', { headers });
      assert.equal(refused.status, 401);
      const { error } = (await refused.json()) as { readonly error: string };
      assert.equal(error, 'InvalidApiKeyFormat');
      const missing = await ponte.fetch('/nowhere');
      assert.equal(missing.status, 404);
    }));

  test('and get, post and delete reject with the code of a refusal', () =>
    withPonte({}, async (ponte) => {
      await assert.rejects(ponte.get('/v1/payments/pi_0'), { code: 'NotFound' });
      const small = ponte.post('/v1/payment-intents', { ...intent, amount: '9.99' });
      await assert.rejects(small, { code: 'AmountBelowMinimum' });
      await assert.rejects(ponte.delete('/v1/payment-intents'), { code: 'MethodNotAllowed' });
    }));
});

test('the README’s snippet that embeds ponte runs as written', async () => {
  const readme = readFileSync(join(projectRoot, 'README.md'), 'utf8');
  const snippets = [...readme.matchAll(/```(?:ts|js)\n([\s\S]*?)```/g)]
    .map(([, text]) => text ?? '')
    .filter((text) => text.includes("from 'ponte-payments'"));
  assert.notEqual(snippets.length, 0);
  const embed = pathToFileURL(join(projectRoot, 'host/embed.ts'));
  const folder = temporaryFolder();
  for (const [index, text] of snippets.entries()) {
    const file = join(folder, `${index}.mjs`);
    writeFileSync(file, text.replace("from 'ponte-payments'", `from '${embed}'`));
    await import(pathToFileURL(file).href);
  }
});

test('a reader that waits for events is answered when there are some', () =>
  withPonte({}, async (ponte) => {
    const waiting = ponte.get('/v1/events?wait=30');
    await ponte.post('/v1/payment-intents', intent);
    await ponte.runUntilIdle();
    const { data } = (await waiting) as { readonly data: readonly { readonly event: string }[] };
    assert.equal(data[0]?.event, 'payment_intent.created');
  }));

test('an answer that breaks off rejects the call and nothing else', async (t) => {
  await withPonte({}, async (ponte) => {
    t.mock.method(ServerResponse.prototype, 'end', function (this: ServerResponse) {
      this.write('{');
      this.socket?.destroy();
      return this;
    });
    await assert.rejects(ponte.get('/healthz'), { code: 'ECONNRESET' });
  });
});
