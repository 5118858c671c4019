// Messages of BlindPay: genuine ones lead to a read of the object that they name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMessage } from '../../../adapters/partner/blindpay/inbound.js';
import { signMessage } from '../../../adapters/partner/signed-message.js';
import type { LogEntry } from '../../support/scenes/test-world.js';

/** The sample of the guide on verification (2026-08-21). Its signature is of the first body. */
const sample = {
  secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
  messageId: 'msg_loFOjxBNrRLzqYUf',
  atSeconds: 1_731_705_121,
};
const ping = '{"event_type":"ping","data":{"success":true}}';
const payinComplete = '{"webhook_event":"payin.complete","id":"pi_000000000000"}';
const vectors = [
  [ping, 'rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=', []],
  [
    payinComplete,
    'BH+aBLMNTbFbos1QPn1mSjgmCvCZ8MSG9PzBM5cGiXI=',
    [{ kind: 'payin', reference: null, partnerRef: 'pi_000000000000', report: null }],
  ],
] as const;

const other = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;

function desk(secrets: readonly string[] = [sample.secret]) {
  const log: LogEntry[] = [];
  const note = () => undefined;
  const info = (message: string, fields = {}) => void log.push({ level: 'info', message, fields });
  const options = { secrets, log: { debug: note, info, warn: note, error: note } };
  const take = (text: string, secret = sample.secret, messageId = 'msg_1') => {
    const nowMs = sample.atSeconds * 1_000;
    const { headers, body } = signMessage({ secret, messageId, sentAtMs: nowMs, text });
    return readMessage(options, headers, body, nowMs);
  };
  return { options, take, log };
}

test('the two known signatures of the sample are genuine', () => {
  for (const [text, signature, facts] of vectors) {
    const headers = {
      'svix-id': sample.messageId,
      'svix-timestamp': `${sample.atSeconds}`,
      'svix-signature': `v1,${signature}`,
    };
    const { options } = desk();
    const body = new TextEncoder().encode(text);
    const nowMs = sample.atSeconds * 1_000;
    const read = readMessage(options, headers, body, nowMs);
    assert.deepEqual(read, { messageId: sample.messageId, facts });
    assert.equal(readMessage(options, headers, body, nowMs + 301_000), null);
    assert.equal(readMessage(options, headers, body, nowMs - 301_000), null);
    const [foreign] = vectors.filter(([its]) => its !== text);
    const forged = new TextEncoder().encode(foreign?.[0]);
    assert.equal(readMessage(options, headers, forged, nowMs), null);
  }
});

test('a message is genuine under any of the secrets, and under no other', () => {
  for (const secrets of [[sample.secret], [other, sample.secret], [sample.secret, other]]) {
    assert.notEqual(desk(secrets).take(payinComplete), null);
  }
  assert.equal(desk([other]).take(payinComplete), null);
});

test('the event or, without one, the id names the object; its status is not believed', () => {
  const cases = [
    [{ webhook_event: 'customer.update', id: 're_1', kyc_status: 'approved' }, 'party'],
    [{ webhook_event: 'payin.update', id: 'pi_1', status: 'completed' }, 'payin'],
    [{ webhook_event: 'payout.complete', id: 'po_1', status: 'failed' }, 'payout'],
    [{ webhook_event: 'payout.new', id: 'pa_1' }, 'payout'],
    [{ id: 'pi_1', status: 'completed' }, 'payin'],
    [{ id: 'pa_1' }, 'payout'],
  ] as const;
  for (const [message, kind] of cases) {
    const facts = [{ kind, reference: null, partnerRef: message.id, report: null }];
    assert.deepEqual(desk().take(JSON.stringify(message)), { messageId: 'msg_1', facts });
  }
});

test('any other genuine message is acknowledged, and its event logged without its data', () => {
  for (const text of [
    '{"webhook_event":"tos.accept","tos_id":"to_1","idempotency_key":"k"}',
    '[]',
    'null',
    '{"webhook_event":"payable.new","id":"pb_1"}',
    '{"id":"va_1"}',
    'not json',
    '',
    '{"webhook_event":"payin.new"}',
    '{"webhook_event":7,"id":"pi_1"}',
  ]) {
    const { take, log } = desk();
    assert.deepEqual(take(text), { messageId: 'msg_1', facts: [] }, text);
    assert.deepEqual(Object.keys(log[0]?.fields ?? {}), ['event']);
  }
});
