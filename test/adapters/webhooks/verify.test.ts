import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signWebhook, verifyWebhook } from '../../../adapters/webhooks/verify.js';

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
