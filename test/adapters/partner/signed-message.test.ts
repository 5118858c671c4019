import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { signMessage, verifyMessage } from '../../../adapters/partner/signed-message.js';

const secret = 'whsec_plJ3nmyCDGBKInavdOK15jsl';
const golden = [
  ['{"event_type":"ping","data":{"success":true}}', 'rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0='],
  [
    '{"webhook_event":"payin.complete","id":"pi_000000000000"}',
    'BH+aBLMNTbFbos1QPn1mSjgmCvCZ8MSG9PzBM5cGiXI=',
  ],
] as const;
const messageId = 'msg_loFOjxBNrRLzqYUf';
const sentAtMs = 1_731_705_121_000;

test('messages of a real Svix sender verify', () => {
  for (const [text, mac] of golden) {
    const headers = {
      'svix-id': messageId,
      'svix-timestamp': '1731705121',
      'svix-signature': `v1,${mac}`,
    };
    const body = Buffer.from(text);
    const verified = verifyMessage({ secret, headers, body, nowMs: sentAtMs });
    assert.deepEqual(verified, { messageId, text });
    const signed = signMessage({ secret, messageId, sentAtMs, text });
    assert.equal(signed.headers['svix-signature'], `v1,${mac}`);
  }
});

test('any signed text verifies', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const { headers, body } = signMessage({ secret, messageId, sentAtMs, text });
      const verified = verifyMessage({ secret, headers, body, nowMs: sentAtMs });
      assert.deepEqual(verified, { messageId, text });
    }),
  );
});

test('a message with any bit of its body flipped does not verify', () => {
  const { headers, body } = signMessage({ secret, messageId, sentAtMs, text: 'números: 1' });
  for (let bit = 0; bit < body.length * 8; bit += 1) {
    const changed = Uint8Array.from(body);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(verifyMessage({ secret, headers, body: changed, nowMs: sentAtMs }), null);
  }
});

test('bytes that are no text do not pass for the text they resemble', () => {
  const text = 'a\ufffdb';
  const { headers } = signMessage({ secret, messageId, sentAtMs, text });
  const body = Uint8Array.from([0x61, 0xff, 0x62]);
  assert.equal(verifyMessage({ secret, headers, body, nowMs: sentAtMs }), null);
});

test('a message is taken up to 300 s before and after its time', () => {
  const { headers, body } = signMessage({ secret, messageId, sentAtMs, text: '{}' });
  for (const [offMs, taken] of [
    [-300_001, false],
    [-300_000, true],
    [300_000, true],
    [300_001, false],
  ] as const) {
    const verified = verifyMessage({ secret, headers, body, nowMs: sentAtMs + offMs });
    assert.equal(verified !== null, taken, `${offMs}`);
  }
});

test('one of several signatures is enough', () => {
  const { headers, body } = signMessage({ secret, messageId, sentAtMs, text: '{}' });
  const ours = headers['svix-signature'];
  const other = signMessage({ secret: 'whsec_AAAA', messageId, sentAtMs, text: '{}' });
  const theirs = other.headers['svix-signature'];
  for (const [list, taken] of [
    [`${theirs} ${ours}`, true],
    [`v1a,x ${ours} ${theirs}`, true],
    [theirs, false],
    [ours?.replace('v1,', 'v2,'), false],
    [ours?.slice(3), false],
    [ours?.toLowerCase(), false],
    [`${'x '.repeat(4_096)}${ours}`, false],
  ] as const) {
    const changed = { ...headers, 'svix-signature': list };
    const verified = verifyMessage({ secret, headers: changed, body, nowMs: sentAtMs });
    assert.equal(verified !== null, taken, list);
  }
});

test('a part of the id cannot be taken for the time, nor of the time for the body', () => {
  const text = '1731705121.{}';
  const { headers } = signMessage({ secret, messageId, sentAtMs, text });
  const changed = { ...headers, 'svix-id': `${messageId}.1731705121` };
  const body = Buffer.from('{}');
  assert.equal(verifyMessage({ secret, headers: changed, body, nowMs: sentAtMs }), null);
});

test('headers that are missing or malformed do not verify', () => {
  const { headers, body } = signMessage({ secret, messageId, sentAtMs, text: '{}' });
  for (const [name, wrong] of [
    ['svix-id', undefined],
    ['svix-id', ''],
    ['svix-timestamp', undefined],
    ['svix-timestamp', '01731705121'],
    ['svix-timestamp', '1731705121.0'],
    ['svix-timestamp', ' 1731705121'],
    ['svix-timestamp', 'now'],
    ['svix-signature', undefined],
    ['svix-signature', ''],
  ] as const) {
    const changed = { ...headers, [name]: wrong };
    assert.equal(verifyMessage({ secret, headers: changed, body, nowMs: sentAtMs }), null);
  }
});
