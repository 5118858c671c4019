import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { pastedSecret } from '../../../../core/domain/base/pasted-secret.js';
import {
  type InvalidWebhookReason,
  signedHeaders,
  signingKeys,
  signWebhook,
  type VerifyWebhookInput,
  verifyWebhook,
  webhookHeaders,
} from '../../../../core/domain/webhooks/signature.js';
import { AssertionFailure } from '../../../../core/errors.js';
import { lawRuns } from '../../../support/law-runs.js';

const NOW = 1_790_000_000;
const SECRET = 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0';
const BODY = '{"event":"webhook.test","data":{"note":"ação ✓"}}';
const HEADER = signWebhook({ secret: SECRET, timestampSeconds: NOW, body: BODY });
const valid: VerifyWebhookInput = { secret: SECRET, header: HEADER, body: BODY, nowSeconds: NOW };

/** Blanks alone are no secret. */
const secret = fc
  .string({ minLength: 1, maxLength: 60 })
  .filter((text) => pastedSecret(text) !== '');
const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
const bytes = fc.uint8Array({ minLength: 1, maxLength: 400 });

function reasonOf(input: VerifyWebhookInput): InvalidWebhookReason | 'valid' {
  const result = verifyWebhook(input);
  return result.valid ? 'valid' : result.reason;
}

test('v1 is the HMAC-SHA256 over <t>.<raw body>, keyed by the whole secret text', () => {
  const expected = createHmac('sha256', Buffer.from(SECRET, 'utf8'))
    .update(Buffer.concat([Buffer.from(`${NOW}.`), Buffer.from(BODY, 'utf8')]))
    .digest('hex');
  assert.equal(HEADER, `t=${NOW},v1=${expected}`);
});

test('the signature of a known webhook does not change', () => {
  const header = signWebhook({
    secret: 'whsec_dGVzdA==',
    timestampSeconds: 1_700_000_000,
    body: '{"event":"webhook.test","data":{}}',
  });
  // Made with: printf '%s' '1700000000.{"event":…}' | openssl dgst -sha256 -hmac 'whsec_dGVzdA=='
  assert.equal(
    header,
    't=1700000000,v1=b6e57af2ae0cea9f593e7a96d514d8553035aed39786b52a5ce28434ad26712f',
  );
});

test('the headers are those of the interface', () => {
  assert.deepEqual(Object.values(webhookHeaders), [
    'X-Service-Signature',
    'X-Service-Delivery-Id',
    'X-Service-Event-Type',
  ]);
});

test('law: a library of Standard Webhooks takes the second signature, by the same secret', (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  const keys = fc.uint8Array({ minLength: 1, maxLength: 64 });
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(keys, seconds, text, fc.uuid(), (key, at, note, deliveryId) => {
      t.mock.timers.setTime(at * 1_000);
      const secret = `whsec_${Buffer.from(key).toString('base64')}`;
      const body = JSON.stringify({ note });
      const sent = { timestampSeconds: at, body, deliveryId, eventType: 'a.b' };
      const headers = signedHeaders({ ...sent, keys: signingKeys(secret) });
      const verifier = new Webhook(secret);
      assert.deepEqual(verifier.verify(body, headers), { note });
      assert.throws(() => verifier.verify(`${body} `, headers), /No matching signature/);
      const other = { ...headers, 'webhook-id': `${deliveryId}x` };
      assert.throws(() => verifier.verify(body, other), /No matching signature/);
      // The header of the interface is what it is without the other.
      const own = signWebhook({ secret, timestampSeconds: at, body });
      assert.equal(headers['X-Service-Signature'], own);
    }),
  );
});

test('law: what is signed verifies, as bytes, as a buffer and as text', () => {
  fc.assert(
    fc.property(secret, seconds, fc.string({ unit: 'grapheme' }), (key, at, text) => {
      const header = signWebhook({ secret: key, timestampSeconds: at, body: text });
      const encoded = new TextEncoder().encode(text);
      for (const body of [text, encoded, Buffer.from(text), encoded.slice().buffer]) {
        const verified = verifyWebhook({ secret: key, header, body, nowSeconds: at });
        assert.deepEqual(verified, { valid: true, timestampSeconds: at });
      }
    }),
  );
});

test('law: any flipped bit of the body fails', () => {
  fc.assert(
    fc.property(secret, seconds, bytes, fc.nat(), fc.nat(7), (key, at, body, position, bit) => {
      const header = signWebhook({ secret: key, timestampSeconds: at, body });
      const flipped = Uint8Array.from(body);
      const index = position % flipped.length;
      flipped[index] = flipped[index]! ^ (1 << bit);
      const reason = reasonOf({ secret: key, header, body: flipped, nowSeconds: at });
      assert.equal(reason, 'signature mismatch');
    }),
  );
});

test('law: any changed character of the header fails', () => {
  fc.assert(
    fc.property(
      fc.nat(HEADER.length - 1),
      fc.string({ minLength: 1, maxLength: 1 }),
      (at, other) => {
        const header = `${HEADER.slice(0, at)}${other}${HEADER.slice(at + 1)}`;
        // Hex digits may be written in either case.
        fc.pre(header.toLowerCase() !== HEADER.toLowerCase());
        assert.notEqual(reasonOf({ ...valid, header }), 'valid');
      },
    ),
    { numRuns: lawRuns(1_000) },
  );
});

test('law: any other secret fails', () => {
  fc.assert(
    fc.property(secret, (other) => {
      fc.pre(other !== SECRET);
      assert.equal(reasonOf({ ...valid, secret: other }), 'signature mismatch');
    }),
  );
});

test('the secret counts with its whsec_ prefix, as text and not as base64', () => {
  const base64 = SECRET.slice('whsec_'.length);
  for (const other of [base64, Buffer.from(base64, 'base64').toString('latin1')]) {
    assert.equal(reasonOf({ ...valid, secret: other }), 'signature mismatch');
  }
});

test('the window is 300 seconds both ways, its ends included', () => {
  for (const nowSeconds of [NOW, NOW + 300, NOW - 300]) {
    assert.equal(reasonOf({ ...valid, nowSeconds }), 'valid', `${nowSeconds}`);
  }
  for (const nowSeconds of [
    NOW + 301,
    NOW - 301,
    NOW + 300.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]) {
    const reason = reasonOf({ ...valid, nowSeconds });
    assert.equal(reason, 'timestamp outside the tolerance', `${nowSeconds}`);
  }
  assert.equal(reasonOf({ ...valid, nowSeconds: NOW + 10, toleranceSeconds: 10 }), 'valid');
  assert.notEqual(reasonOf({ ...valid, nowSeconds: NOW + 11, toleranceSeconds: 10 }), 'valid');
});

const mac = HEADER.slice(HEADER.indexOf('v1=') + 3);
const zeros = '0'.repeat(64);
const headers: readonly (readonly [
  header: VerifyWebhookInput['header'],
  expected: InvalidWebhookReason | 'valid',
])[] = [
  [HEADER, 'valid'],
  [[HEADER], 'valid'],
  [[`t=${NOW}`, `v1=${mac}`], 'valid'],
  [`v1=${mac},t=${NOW}`, 'valid'],
  [` t=${NOW} , v1=${mac} `, 'valid'],
  [`t=${NOW},v1=${mac.toUpperCase()}`, 'valid'],
  [`t=${NOW},v1=${zeros},v1=${mac}`, 'valid'],
  [`t=${NOW},v1=${mac},v1=${zeros}`, 'valid'],
  [`t=${NOW},v1=${mac},v0=old,v2`, 'valid'],
  [`t=${NOW},v1=${zeros}`, 'signature mismatch'],
  [`t=0${NOW},v1=${mac}`, 'signature mismatch'],
  [undefined, 'missing header'],
  [null, 'missing header'],
  ['', 'missing header'],
  [[], 'missing header'],
  ['nonsense', 'malformed header'],
  [',', 'malformed header'],
  [`t=${NOW}`, 'malformed header'],
  [`v1=${mac}`, 'malformed header'],
  [`t=${NOW},v0=${mac}`, 'malformed header'],
  [`t=${NOW},t=${NOW},v1=${mac}`, 'malformed header'],
  [`t=${NOW}.0,v1=${mac}`, 'malformed header'],
  [`t=-${NOW},v1=${mac}`, 'malformed header'],
  [`t=,v1=${mac}`, 'malformed header'],
  [`t=${NOW},v1=`, 'malformed header'],
  [`t=${NOW},v1=${mac.slice(1)}`, 'malformed header'],
  [`t=${NOW},v1=${mac}0`, 'malformed header'],
  [`t=${NOW},v1=${'g'.repeat(64)}`, 'malformed header'],
  [`t=${'9'.repeat(16)},v1=${mac}`, 'malformed header'],
  [`${HEADER},${'x'.repeat(5_000)}`, 'malformed header'],
];

test('a header is one t and at least one v1, in any order; one matching v1 is enough', () => {
  for (const [header, expected] of headers) {
    assert.equal(reasonOf({ ...valid, header }), expected, JSON.stringify(header));
  }
});

/** What files, shells and .env readers put around a secret. */
const wrappings: readonly ((secret: string) => string)[] = [
  (secret) => `${secret}\n`,
  (secret) => `${secret}\r\n`,
  (secret) => `\u{feff}${secret}`,
  (secret) => ` ${secret}`,
  (secret) => `\t${secret}\t`,
  (secret) => `"${secret}"`,
  (secret) => `'${secret}'`,
  (secret) => `"${secret}"\n`,
  (secret) => ` ' ${secret} ' `,
  (secret) => `${secret}\u{a0}`,
];

test('a secret with blanks, line ends or quotes around it verifies', () => {
  const body = '{}';
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const header = signWebhook({ secret, timestampSeconds: 1_000, body });
  for (const wrap of wrappings) {
    const wrapped = wrap(secret);
    const result = verifyWebhook({ secret: wrapped, header, body, nowSeconds: 1_000 });
    assert.equal(result.valid, true, JSON.stringify(wrapped));
    const other = wrap(secret.replace('B', 'C'));
    assert.equal(verifyWebhook({ secret: other, header, body, nowSeconds: 1_000 }).valid, false);
  }
  for (const nothing of ['\n', '""', "' '", '  \r\n']) {
    const result = verifyWebhook({ secret: nothing, header, body, nowSeconds: 1_000 });
    assert.deepEqual(result, { valid: false, reason: 'missing secret' }, JSON.stringify(nothing));
  }
});

test('an empty secret verifies nothing, though a MAC could be made with it', () => {
  const forged = createHmac('sha256', '').update(`${NOW}.${BODY}`).digest('hex');
  const header = `t=${NOW},v1=${forged}`;
  assert.equal(reasonOf({ ...valid, secret: '', header }), 'missing secret');
  const sign = () => signWebhook({ secret: '', timestampSeconds: NOW, body: BODY });
  assert.throws(sign, AssertionFailure);
});

test('a parsed body is named as the mistake that it is', () => {
  const body = JSON.parse(BODY) as string;
  assert.equal(reasonOf({ ...valid, body }), 'body is neither bytes nor text');
});

test('law: nothing that comes in makes it throw, and nothing unsigned is valid', () => {
  const exotic = { withBigInt: true, withDate: true, withNullPrototype: true };
  const anything = fc.anything({ ...exotic, withTypedArray: true });
  const oneOf = (right: unknown) => fc.oneof(fc.constant(right), anything);
  const detached = new ArrayBuffer(8);
  structuredClone(detached, { transfer: [detached] });
  const input = fc.record({
    secret: oneOf(SECRET),
    header: fc.oneof(
      anything,
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'t=,v1 0f') }),
      fc.constant(`t=${NOW},v1=${zeros}`),
    ),
    body: fc.oneof(fc.constant(BODY), anything, fc.constant(detached)),
    nowSeconds: oneOf(NOW),
    toleranceSeconds: fc.oneof(fc.constant(undefined), anything),
  });
  fc.assert(
    fc.property(input, (given) => {
      const result = verifyWebhook(given as VerifyWebhookInput);
      assert.equal(result.valid, false);
    }),
    { numRuns: lawRuns(2_000) },
  );
});

test('a timestamp that is no whole second cannot be signed', () => {
  for (const timestampSeconds of [-1, 0.5, Number.NaN, 1e21]) {
    const sign = () => signWebhook({ secret: SECRET, timestampSeconds, body: BODY });
    assert.throws(sign, AssertionFailure);
  }
});
