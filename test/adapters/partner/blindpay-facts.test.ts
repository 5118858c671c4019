// The simulator of BlindPay and the adapter's table of codes, held against what is documented.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faults, sortError } from '../../../adapters/partner/blindpay/answer-codes.js';
import { done } from '../../../adapters/partner-kit/conformance-harness.js';
import { errorAnswer } from '../../support/blindpay/blindpay-answers.js';
import { question } from '../../support/blindpay/blindpay-compliance.js';
import {
  documentedCodes,
  errorBody,
  fixtures,
  messageKeys,
} from '../../support/blindpay/blindpay-facts.js';
import { connectHost } from '../../support/blindpay/blindpay-operator.js';
import { blindPay, pixKey, preparedPayout, usd } from '../../support/blindpay/blindpay-scene.js';

test('each documented code is listed: what may be retried is never refused', () => {
  assert.equal(documentedCodes.length, 77);
  for (const [code, status, retry] of documentedCodes) {
    assert.ok(faults.has(code), code);
    if (retry === 'retryable') assert.notEqual(sortError(status, code), 'refused', code);
    else assert.notEqual(sortError(status, code), 'unknown', code);
  }
});

test('each documented code has one fault, and only one of the request refuses a payout', async (t) => {
  const scene = await blindPay(t);
  const { partner, server } = scene;
  const request = await preparedPayout(scene, usd(125_000n));
  const codes = [...documentedCodes, ...[400, 404, 409].map((status) => ['NEW', status] as const)];
  for (const [code, status] of codes) {
    const fault = faults.get(code) ?? null;
    // The same key is asked again: a quote may be there.
    if (fault === 'effect') continue;
    server.refusal = ({ path }) => (path === '/quotes' ? errorAnswer(status, code) : null);
    const answer = await partner.payout.start(request);
    assert.equal(answer.outcome === 'refused', fault === 'request', code);
    // It waits for an operator from now on, unless it passes.
    const isShown = fault === null || fault === 'account' || fault === 'instance';
    assert.equal('code' in answer && answer.outcome === 'later', isShown, code);
  }
  assert.equal(server.state.payouts.length, 0);
});

test('every answer and message of the simulator has the documented shape', async (t) => {
  const scene = await blindPay(t, { route: { bankingPartner: 'cfsb' } });
  const { partner, server } = scene;
  const request = await preparedPayout(scene, usd(125_000n));
  const { partnerRef } = done(await partner.payout.start(request));
  scene.pass(60_000);
  await partner.payout.read(partnerRef);
  await partner.payout.find(request);
  await partner.payin.find(
    JSON.stringify({
      kind: 'payin',
      reference: 'x',
      customerId: 're_00000000001',
      quoteId: 'none',
    }),
  );
  await partner.startTos({ redirectUrl: 'https://shop.example', key: 'k' });
  const input = { reference: 'r', role: 'seller', entityType: 'individual' } as const;
  const party = done(
    await partner.party.prepare({ ...input, email: 'a@b.example', country: 'BR' }),
  );
  await partner.party.start(party);
  await partner.party.find(party);
  const [first] = server.state.customers;
  const partyRef = first?.id ?? assert.fail('a customer');
  const pix = { partyRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
  const { destinationRef } = done(await partner.registerPixDestination(pix));
  const { virtualAccountRef: virtualAccountId } = done(
    await partner.provisionRails({ partyRef, destinationRef, key: 'key-2' }),
  );
  server.state.compliance.ask(partyRef, [question]);
  await partner.party.read(partyRef);
  const answers = { business_description_explanation: 'Coffee.' };
  const about = { reference: 'r2', previousRef: partyRef, answers };
  const answer = await partner.party.prepare({ ...input, ...about });
  await partner.party.start(done(answer));
  scene.pass(60_000);
  const deposit = server.state.deposit({ virtualAccountId, amountMinor: 5_000 });
  scene.pass(60_000);
  await partner.payin.read(deposit);
  await partner.payin.read('pi_none');
  await connectHost(server, 'https://ponte.example', 'test');
  const inboundUrl = 'https://ponte.example/v1/partner-webhooks/blindpay/test';
  await partner.checks?.({ inboundUrl });
  const seen = new Set<string>();
  for (const { method, path, answer } of server.calls) {
    const call = `${method} ${path}`;
    const { status, body } = answer ?? assert.fail('an answer');
    const fixture = fixtures.find((one) => one.call.test(call)) ?? assert.fail(call);
    const shape = status === 200 ? fixture.answer : errorBody;
    assert.equal(shape.safeParse(body).error, undefined, call);
    if (status === 200) seen.add(String(fixture.call));
  }
  const unseen = fixtures.filter(({ call }) => !seen.has(String(call)));
  assert.deepEqual(
    unseen.map(({ call }) => String(call)),
    ['/^POST \\/upload$/'],
  );
  for (const { text } of server.state.messages) {
    const message = JSON.parse(text) as Record<string, unknown>;
    const [kind = ''] = String(message['webhook_event']).split('.');
    for (const key of messageKeys[kind] ?? assert.fail(kind))
      assert.ok(key in message, `${kind} ${key}`);
    assert.ok(!('payin_quote_id' in message) && !('quote_id' in message));
  }
});
