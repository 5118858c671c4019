import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  constructEvent,
  PonteError,
  signWebhook,
  verifyWebhook,
} from '../../../adapters/client/verify.js';

const secret = 'whsec_c2VjcmV0';
const body = Buffer.from('{"event":"webhook.test","data":{}}');

function signedAt(timestampSeconds: number): string {
  return signWebhook({ secret, timestampSeconds, body });
}

test('without a time given, the machine clock decides', () => {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  assert.equal(verifyWebhook({ secret, header: signedAt(nowSeconds), body }).valid, true);
  assert.deepEqual(verifyWebhook({ secret, header: signedAt(nowSeconds - 400), body }), {
    valid: false,
    reason: 'timestamp outside the tolerance',
  });
});

test('a time given counts instead of the clock', () => {
  const header = signedAt(1_000);
  assert.equal(verifyWebhook({ secret, header, body, nowSeconds: 1_300 }).valid, true);
  assert.equal(verifyWebhook({ secret, header, body, nowSeconds: 1_301 }).valid, false);
});

test('a valid webhook becomes the event that its bytes say, from bytes, text or a buffer', () => {
  const text = '{"event":"webhook.test","data":{"subscriptionId":"whs_1","note":"ü😀"}}';
  const bytes = Buffer.from(text);
  const header = signWebhook({ secret, timestampSeconds: 1_000, body: bytes });
  for (const given of [text, bytes, new Uint8Array(bytes), Uint8Array.from(bytes).buffer]) {
    const webhook = constructEvent({ secret, header, body: given, nowSeconds: 1_000 });
    assert.deepEqual(webhook, JSON.parse(text));
    assert.equal(webhook.event === 'webhook.test' && webhook.data.subscriptionId, 'whs_1');
  }
});

test('a webhook that is not valid is no event: it throws the reason', () => {
  const header = signedAt(1_000);
  const valid = { secret, header, body, nowSeconds: 1_000 } as const;
  const cases = [
    [{ ...valid, header: undefined }, 'missing header'],
    [{ ...valid, body: `${body} ` }, 'signature mismatch'],
    [{ ...valid, secret: 'whsec_other' }, 'signature mismatch'],
    [{ ...valid, nowSeconds: 1_301 }, 'timestamp outside the tolerance'],
  ] as const;
  for (const [options, reason] of cases) {
    assert.throws(
      () => constructEvent(options),
      (error) =>
        error instanceof PonteError &&
        error.code === 'InvalidSignature' &&
        error.message === `The webhook is not valid: ${reason}.`,
    );
  }
});
