// Test mode over HTTP: how far an advance plays a payment, and what the magic values make go wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { magicValues } from '../../../../adapters/partner/fake-values.js';
import { readCode } from '../../../../core/domain/payments/bank-record.js';
import { paymentStatuses } from '../../../../core/domain/payments/payment.js';
import { runAdvances } from '../../../../core/usecases/sandbox/sandbox.js';
import type { Json } from '../../../support/servers/json-call.js';
import { valuesOf } from '../../../support/values-of.js';
import { type Answer, refusalOf, sharedSite } from '../checked-site.js';
import { createBody } from '../docs/example-calls.js';

let orgId: string;
let key: string;

const site = sharedSite(async () => {
  orgId = await site.world.organization();
  key = await site.world.key(orgId);
});

function create(fields: Json = {}): Promise<Answer> {
  return site.call('POST', '/v1/payment-intents', { key, body: { ...createBody(), ...fields } });
}

function advance(reference: unknown, body: Json = {}, used = key): Promise<Answer> {
  const path = `/v1/test-helpers/payments/${String(reference)}/advance`;
  return site.call('POST', path, { key: used, body });
}

/** The payment when all is done that time alone brings about. */
async function atLast(id: unknown): Promise<Json> {
  for (let looks = 0; looks < 60; looks += 1) {
    await site.world.settle();
    site.world.advanceClock(100);
  }
  return (await site.call('GET', `/v1/payments/${String(id)}`, { key })).body;
}

test('an advance goes to settled, or stops where it is asked to', async () => {
  const ways = ['buyer_kyc_approved', 'fx_quoted', 'on_chain_confirmed', 'settled', null] as const;
  for (const to of ways) {
    const { body } = await create();
    await advance(body['id'], { to });
    const { status } = await atLast(body['id']);
    // Beyond the buyer's last step the partner goes on by itself.
    const stays = to === 'buyer_kyc_approved' || to === 'fx_quoted';
    assert.equal(status, stays ? to : 'settled', `${to}`);
  }
});

test('an advance is answered with the payment as it stands, and recorded', async () => {
  const { body } = await create();
  const answer = await advance(`ext_${String(body['externalId'])}`);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, body);
  const tenant = { orgId, mode: 'test' } as const;
  const { deps } = site.world;
  const recorded = () => deps.store.run((tx) => tx.advances.get(tenant, String(body['id'])));
  assert.equal((await recorded())?.to, 'settled');
  // Another process continues with it.
  await runAdvances({ ...deps, wake: () => undefined }, deps.clock.nowMs(), 10);
  const moved = await site.call('GET', `/v1/payments/${String(body['id'])}`, { key });
  assert.notEqual(moved.body['status'], 'awaiting_buyer');
  assert.equal((await atLast(body['id']))['status'], 'settled');
  assert.equal(await recorded(), null);
});

test('an advance of a payment that is past that, or has ended, changes nothing', async () => {
  const { body } = await create();
  await advance(body['id']);
  const settled = await atLast(body['id']);
  for (const to of ['awaiting_buyer', 'settled']) {
    assert.deepEqual((await advance(body['id'], { to })).body, settled);
    assert.deepEqual(await atLast(body['id']), settled);
  }
});

test('a payment has bank details once its pay-in is accepted', async () => {
  const { body } = await create({ amount: '250.55' });
  assert.equal(body['payinInstructions'], null);
  await advance(body['id'], { to: 'fx_quoted' });
  assert.equal((await atLast(body['id']))['payinInstructions'], null);
  await advance(body['id']);
  const { payinInstructions } = await atLast(body['id']);
  const { rails, reference, payBy, checkCode, ...rest } = payinInstructions as Json;
  assert.deepEqual(rest, {
    amount: '250.55',
    currency: 'USD',
    referenceRequired: true,
    holder: 'partner',
  });
  assert.match(String(reference), /^[0-9]{8}$/);
  assert.equal(checkCode, readCode(String(checkCode)));
  assert.match(String(payBy), /^2030-01-08T/);
  const [usual] = rails as readonly Json[];
  assert.equal(usual?.['rail'], 'ach');
  assert.deepEqual(usual?.['arrivesWithinDays'], { from: 1, to: 3 });
});

function simulate(reference: unknown, event: string, used = key): Promise<Answer> {
  const path = `/v1/test-helpers/payments/${String(reference)}/simulate`;
  return site.call('POST', path, { key: used, body: { event } });
}

test('a simulated event is answered with the payment after it', async () => {
  const { body } = await create({ buyer: { email: 'slow@example.com', name: 'Slow Buyer' } });
  assert.equal(refusalOf(await simulate(body['id'], 'identity_rejected')), REFUSED);
  await advance(body['id']);
  await site.world.settle();
  const reference = `ext_${String(body['externalId'])}`;
  const answer = await simulate(reference, 'identity_rejected');
  assert.deepEqual([answer.status, answer.body['status']], [200, 'failed']);
  assert.equal(refusalOf(await simulate(reference, 'identity_rejected')), REFUSED);
  assert.equal(refusalOf(await simulate(reference, 'nothing')), '400 ValidationError');
  assert.equal(refusalOf(await simulate('pi_none', 'money_late')), '404 NotFound');
});

const REFUSED = '409 PaymentStateConflict';

test('an advance takes the moves, events and partner calls of a real buyer', async () => {
  const { body } = await create();
  await advance(body['id']);
  await atLast(body['id']);
  const path = `/v1/payments/${String(body['id'])}/timeline?limit=100`;
  const { data } = (await site.call('GET', path, { key })).body as { data: readonly Json[] };
  const ofKind = (kind: string) => data.filter((entry) => entry['kind'] === kind);
  assert.deepEqual(
    ofKind('status').map(({ status }) => status),
    paymentStatuses.slice(
      paymentStatuses.indexOf('buyer_kyc_pending'),
      paymentStatuses.indexOf('settled') + 1,
    ),
  );
  assert.deepEqual(valuesOf(ofKind('partner_call'), 'commandKind'), ['payin', 'payout']);
  const feed = await site.world.deps.store.run((tx) =>
    tx.feed.after({ orgId, mode: 'test' }, 0, 1_000),
  );
  const own = feed.filter(({ subjectId }) => subjectId === body['id']);
  assert.equal(own.length, 2 * (1 + ofKind('status').length), 'one event a change and namespace');
});

const buyer = (name: string) => ({
  buyer: { email: `${name}@example.com`, name: `${name} Buyer` },
});
const none = ['none', 'none', '0.00', '0.00', '0.00'];
const failed = { status: 'failed', funds: none };
const waits = { status: 'buyer_kyc_pending', funds: none };
const paid = (received: string) => ['paid', 'none', received, '0.00', '0.00'];
const held = ['needs_review', 'none', '100.77', '0.00', '0.00'];
const returned = ['returned_to_buyer', 'refunded', '100.88', '0.00', '100.88'];
const short = ['received', 'none', '99.55', '0.00', '0.00'];

const magic: Readonly<Record<keyof typeof magicValues, readonly [create: Json, ends: Json]>> = {
  '.66': [{ amount: '100.66' }, failed],
  '.77': [{ amount: '100.77' }, { status: 'failed', funds: held }],
  '.88': [{ amount: '100.88' }, { status: 'failed', funds: returned }],
  '.55': [{ amount: '100.55' }, { status: 'on_ramp_pending', funds: short }],
  '.33': [{ amount: '100.33' }, { status: 'settled', funds: paid('100.33') }],
  '.44': [{ amount: '100.44' }, { status: 'settled', funds: paid('100.44') }],
  Slow: [buyer('Slow'), waits],
  Again: [buyer('Again'), waits],
  More: [buyer('More'), waits],
  Fail: [buyer('Fail'), failed],
};

for (const [value, [fields, ends]] of Object.entries(magic)) {
  test(`${value}: ${magicValues[value as keyof typeof magicValues].means}`, async () => {
    const { body } = await create(fields);
    await advance(body['id']);
    const { status, funds, failureReason, buyer, payer } = await atLast(body['id']);
    assert.deepEqual({ status, funds: Object.values(funds as Json) }, ends);
    assert.equal(typeof failureReason, status === 'failed' ? 'string' : 'object');
    const rejected = (buyer as Json)['kycStatus'] === 'rejected';
    assert.equal(rejected, value === 'Fail');
    const agreement = (payer as Json | null)?.['agreement'];
    if (status === 'settled') assert.equal(agreement, value === '.33' ? 'differs' : 'agrees');
  });
}
