// The timeline of a payment over HTTP: every kind of entry, in which order, to
// whom, and page by page.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { listKeys } from '../../../../core/usecases/access/keys.js';
import {
  askApprover,
  decideApproval,
} from '../../../../core/usecases/hosted/colleague-approvals.js';
import { cancelPayment, readPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { audited } from '../../../../core/usecases/service/audit-log.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import type { Json } from '../../../support/servers/json-call.js';
import { valuesOf } from '../../../support/values-of.js';
import { type Answer, sharedSite } from '../checked-site.js';
import { createBody, newPayment, newSubscription } from '../docs/example-calls.js';

const site = sharedSite();
let tenant: Tenant;
let key: string;

beforeEach(async () => {
  tenant = await site.world.newTenant();
  key = await site.world.key(tenant.orgId);
});

function read(id: string, query = '?limit=100'): Promise<Answer> {
  return site.call('GET', `/v1/payments/${id}/timeline${query}`, { key });
}

async function entriesOf(id: string): Promise<readonly Json[]> {
  const { body } = await read(id);
  assert.equal(body['nextCursor'], null);
  return body['data'] as readonly Json[];
}

function ofKind(entries: readonly Json[], kind: string): readonly Json[] {
  return entries.filter((entry) => entry['kind'] === kind);
}

/** Plays a payment, the clock moving on, until nothing is left to do. */
async function play(amount: string): Promise<string> {
  const body = { ...createBody(), amount };
  const { body: created } = await site.call('POST', '/v1/payment-intents', { key, body });
  const id = String(created['id']);
  await advancePayment(site.world.deps, tenant, id, null);
  for (let looks = 0; looks < 80; looks += 1) {
    await site.world.settle();
    site.world.advanceClock(250);
  }
  return id;
}

test('a settled payment lists statuses, money, commands and webhooks in order of time', async () => {
  await newSubscription(site.world, tenant);
  const entries = await entriesOf(await play('250.00'));
  const times = entries.map(({ at }) => String(at));
  assert.deepEqual(times, times.toSorted());
  const [first] = entries;
  assert.deepEqual([first?.['kind'], first?.['amount']], ['created', '250.00']);
  assert.deepEqual(
    ofKind(entries, 'status').map(({ status, event }) => [status, event]),
    [
      ['buyer_kyc_pending', 'payment_intent.buyer_kyc_pending'],
      ['buyer_kyc_approved', 'payment_intent.buyer_kyc_approved'],
      ['fx_quoted', 'payment_intent.fx_quoted'],
      ['on_ramp_pending', 'payment_intent.on_ramp_pending'],
      ['on_chain_confirmed', 'payment_intent.on_chain_confirmed'],
      ['offramp_pending', 'payment_intent.offramp_pending'],
      ['settled', 'payment_intent.settled'],
    ],
  );
  for (const commandKind of ['payin', 'payout']) {
    const own = entries.filter((entry) => entry['commandKind'] === commandKind);
    assert.deepEqual(
      own.map(({ kind, outcome }) => [kind, outcome]),
      [
        ['partner_command', undefined],
        ['partner_call', undefined],
        ['partner_outcome', 'completed'],
      ],
    );
    assert.equal(new Set(own.map(({ commandId }) => commandId)).size, 1);
    assert.deepEqual([own[0]?.['amount'], own[0]?.['currency']], ['250.00', 'USD']);
  }
  assert.deepEqual(valuesOf(ofKind(entries, 'money'), 'fact'), ['funds_received', 'payout_paid']);
  const [received] = ofKind(entries, 'money');
  assert.deepEqual(received?.['lines'], [
    { account: 'buyer', amount: '-250.00', currency: 'USD' },
    { account: 'partner_float', amount: '250.00', currency: 'USD' },
  ]);
  // Both namespaces: the creation and seven moves.
  const deliveries = ofKind(entries, 'delivery');
  assert.equal(deliveries.length, 16);
  assert.ok(deliveries.every(({ status }) => status === 'delivered'));
  const attempted = ofKind(entries, 'attempt');
  assert.deepEqual(
    attempted.map(({ deliveryId }) => deliveryId).toSorted(),
    deliveries.map(({ deliveryId }) => deliveryId).toSorted(),
  );
  assert.ok(attempted.every(({ responseStatus }) => responseStatus === 200));
  const delivered = new Set(deliveries.map(({ eventId }) => eventId));
  assert.ok(ofKind(entries, 'status').every(({ eventId }) => delivered.has(eventId)));
});

test('a payout that fails and is refunded lists each money movement, and the reason', async () => {
  const entries = await entriesOf(await play('250.88'));
  assert.deepEqual(valuesOf(ofKind(entries, 'money'), 'fact'), [
    'funds_received',
    'refund_owed',
    'refund_paid',
  ]);
  const outcomes = ofKind(entries, 'partner_outcome').map(({ commandKind, outcome }) => [
    commandKind,
    outcome,
  ]);
  assert.deepEqual(outcomes, [
    ['payin', 'completed'],
    ['payout', 'returned'],
    ['refund', 'completed'],
  ]);
  const last = ofKind(entries, 'status').at(-1);
  assert.equal(last?.['status'], 'failed');
  assert.equal(typeof last?.['reason'], 'string');
});

test('a change is in the timeline when its request is answered', async () => {
  const { payment } = await newPayment(site.world, tenant);
  const statuses = async () =>
    ofKind(await entriesOf(payment.id), 'status').map(({ status, reason }) => [status, reason]);
  assert.deepEqual(await statuses(), []);
  await site.call('POST', `/v1/payments/${payment.id}/cancel`, { key, body: { reason: 'why' } });
  const expected = [['cancelled', 'why']];
  assert.deepEqual(await statuses(), expected);
  await site.world.settle();
  assert.deepEqual(await statuses(), expected);
});

test('an approval by a colleague is an entry when it is asked for and when it is given', async () => {
  const { world } = site;
  const { id } = (await newPayment(world, tenant)).payment;
  await world.play(tenant, id, 'fx_quoted');
  const asked = { email: 'cfo@buyer.example', locale: 'en', client: null } as const;
  const payment = async () => (await readPayment(world.deps, tenant, id)).payment;
  assert.equal(await askApprover(world.deps, await payment(), asked), null);
  await decideApproval(world.deps, await payment(), 'approve');
  const own = ofKind(await entriesOf(id), 'colleague_approval');
  assert.deepEqual(valuesOf(own, 'state'), ['asked', 'approved']);
});

test('a payment that an operator failed has the reason', async () => {
  const { payment } = await newPayment(site.world, tenant);
  await operatorDoes(site.world.deps, payment.id, { verb: 'fail', reason: 'fraud' });
  const [failed] = ofKind(await entriesOf(payment.id), 'status');
  assert.equal(failed?.['status'], 'failed');
  assert.match(String(failed?.['reason']), /fraud/);
});

test('the reason of staff has 1 to 500 characters, as that of an integrator', async () => {
  const { payment } = await newPayment(site.world, tenant);
  const { deps } = site.world;
  for (const verb of ['cancel', 'fail'] as const) {
    for (const reason of ['', ' ', 'x'.repeat(501), 'a\0b']) {
      await assert.rejects(operatorDoes(deps, payment.id, { verb, reason }), {
        code: 'ValidationError',
      });
    }
  }
  const reason = ` ${'😀'.repeat(500)} `;
  await operatorDoes(deps, payment.id, { verb: 'cancel', reason });
  const ended = await readPayment(deps, tenant, payment.id);
  assert.equal(ended.payment.cancelReason, '😀'.repeat(500));
});

test('an entry says who caused it: a key and a member by name, the buyer by address', async () => {
  const { deps } = site.world;
  const by = { orgId: tenant.orgId, email: 'lia@seller.example', role: 'finance' } as const;
  const member = await addActiveMember(deps, by);
  const authors = [
    ['member', member.id, 'lia@seller.example'],
    ['operator', 'opr_1', null],
    ['buyer', 'pi_1', 'ana@buyer.example'],
    ['partner', 'fake', null],
    ['service', 'ponte', null],
    ['key', 'key_of_nobody', null],
  ] as const;
  const [made] = await listKeys(deps, tenant.orgId);
  for (const [kind, id, name] of authors) {
    const body = { ...createBody(), buyer: { email: 'ana@buyer.example' } };
    const { body: payment } = await site.call('POST', '/v1/payment-intents', { key, body });
    const paymentId = String(payment['id']);
    const acting = audited(deps, { actor: { kind, id }, action: 'cancel' });
    await cancelPayment(acting, tenant, paymentId, 'typo');
    const [created, cancelled] = await entriesOf(paymentId);
    assert.deepEqual(created?.['by'], { kind: 'key', id: made?.id, name: made?.name });
    assert.deepEqual(cancelled?.['by'], { kind, id, name });
  }
});

test('what a message of the partner moves, the partner caused', async () => {
  const entries = await entriesOf(await play('250.00'));
  const kinds = ofKind(entries, 'status').map(({ status, by }) => [
    status,
    (by as { readonly kind: string } | null)?.kind,
  ]);
  assert.deepEqual(Object.fromEntries(kinds)['on_chain_confirmed'], 'partner');
  assert.deepEqual(Object.fromEntries(kinds)['settled'], 'partner');
});

test('every attempt of a delivery is listed with its outcome', async () => {
  await newSubscription(site.world, tenant);
  const answers = [500, null, 204, 204];
  site.world.answer = () => {
    const responseStatus = answers.shift() ?? null;
    return { responseStatus, error: responseStatus === null ? 'no answer' : null };
  };
  const { payment } = await newPayment(site.world, tenant);
  await site.world.settle();
  site.world.advanceClock(60_000);
  await site.world.settle();
  site.world.answer = () => ({});
  const attempts = ofKind(await entriesOf(payment.id), 'attempt');
  assert.deepEqual(valuesOf(attempts, 'attempt'), [1, 1, 2, 2]);
  const ends = attempts.map(({ responseStatus, error }) => `${responseStatus} ${error}`);
  assert.deepEqual(ends.slice(0, 2).toSorted(), ['500 null', 'null no answer']);
  assert.deepEqual(ends.slice(2), ['204 null', '204 null']);
});

test('it shows no id of the partner and nothing of another payment', async () => {
  const [id, other] = [await play('250.00'), await play('250.77')];
  const { text } = await read(id);
  const { commands, postings } = await site.world.deps.store.run(async (tx) => ({
    commands: await tx.commands.ofPayment(tenant, id),
    postings: await tx.ledger.ofSubject(tenant, other),
  }));
  assert.ok(commands.length > 1 && postings.length > 0);
  for (const { partnerRef, request } of commands) {
    assert.ok(partnerRef !== null && request !== null);
    assert.ok(!text.includes(partnerRef) && !text.includes(request));
  }
  assert.ok(!text.includes(other));
});

/** A delivery is sent at any time after its event: its status changes, its place does not. */
function withoutStatus(entry: Json): Json {
  return entry['kind'] === 'delivery' ? { ...entry, status: null } : entry;
}

test('pages follow each other without gap, while events are appended and sent', async () => {
  for (let made = 0; made < 3; made += 1) await newSubscription(site.world, tenant);
  const { payment } = await newPayment(site.world, tenant);
  await site.call('POST', `/v1/payments/${payment.id}/cancel`, { key, body: { reason: 'why' } });
  const early = await entriesOf(payment.id);
  for (const limit of [1, 2, 7]) {
    const seen: Json[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const query = `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body } = await read(payment.id, query);
      seen.push(...(body['data'] as readonly Json[]));
      cursor = body['nextCursor'];
      await site.world.settle();
    }
    assert.deepEqual(seen.slice(0, early.length).map(withoutStatus), early.map(withoutStatus));
    assert.deepEqual(seen, await entriesOf(payment.id));
  }
});

test('an invoice lists its statuses with its own events', async () => {
  const { payment } = await makeInvoice(site.world.deps, tenant);
  const { id } = payment;
  await cancelPayment(site.world.deps, tenant, id, 'typo');
  await site.world.settle();
  const [created, cancelled] = await entriesOf(id);
  assert.deepEqual([created?.['kind'], created?.['amount']], ['created', '1250.00']);
  assert.deepEqual(
    [cancelled?.['status'], cancelled?.['event'], cancelled?.['reason']],
    ['cancelled', 'invoice.cancelled', 'typo'],
  );
});
