import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatInstant } from '../../../../core/domain/base/instant.js';
import {
  accountEvent,
  type EventAmounts,
  eventBody,
  eventNamespaces,
  eventTypes,
  isEventPattern,
  matchesEvent,
  moneyEvents,
  moneyEventTypes,
  paymentEvent,
  paymentEventTypes,
  reportedStatus,
} from '../../../../core/domain/payments/event.js';
import { failure } from '../../../../core/domain/payments/failure.js';
import type { Payment, PaymentStatus } from '../../../../core/domain/payments/payment.js';
import { anAccount } from '../../../support/samples/domain-samples.js';
import { START_MS, samplePayment } from '../../../support/samples/sample-rows.js';

const invoice: Payment = { ...samplePayment, id: 'inv_1', origin: 'invoice' };

test('an event of an account says who it is and how it stands, under the event’s id', () => {
  const account = anAccount({ externalId: 'seller-1', updatedAtMs: START_MS });
  const event = accountEvent(account, 'ready_to_collect', 'evt_1');
  const { body, ...rest } = event;
  assert.deepEqual(rest, {
    orgId: account.orgId,
    mode: account.mode,
    id: 'evt_1',
    type: 'connected_account.ready_to_collect',
    subjectId: account.id,
    createdAtMs: START_MS,
  });
  assert.deepEqual(JSON.parse(body), {
    event: 'connected_account.ready_to_collect',
    data: {
      connectedAccountId: account.id,
      externalId: 'seller-1',
      role: 'seller',
      entityType: 'business',
      status: 'approved',
      readyToCollect: true,
      externalEventId: 'evt_1',
      occurredAt: formatInstant(START_MS),
    },
  });
});

test('intents speak in both namespaces, invoices in one, once per change', () => {
  const failed = (payment: Payment) => ({ ...payment, status: 'failed' }) as const;
  const table: readonly (readonly [
    payment: Payment,
    happened: 'created' | 'kyc_rejected' | 'moved',
    types: readonly string[],
  ])[] = [
    [samplePayment, 'created', ['payment_intent.created', 'invoice.created']],
    [invoice, 'created', ['invoice.created']],
    [
      { ...samplePayment, status: 'settled' },
      'moved',
      ['payment_intent.settled', 'invoice.settled'],
    ],
    [{ ...invoice, status: 'settled' }, 'moved', ['invoice.settled']],
    [failed(samplePayment), 'moved', ['payment_intent.failed', 'invoice.failed']],
    [
      failed(samplePayment),
      'kyc_rejected',
      ['payment_intent.buyer_kyc_rejected', 'invoice.failed'],
    ],
    [failed(invoice), 'kyc_rejected', ['invoice.failed']],
  ];
  for (const [payment, happened, types] of table) {
    assert.deepEqual(paymentEventTypes(payment, happened), types, `${payment.id} ${happened}`);
  }
});

test('events about money use the namespaces of their payment', () => {
  for (const name of moneyEvents) {
    const types = [`payment_intent.${name}`, `invoice.${name}`];
    assert.deepEqual(moneyEventTypes(samplePayment, name), types);
    assert.deepEqual(moneyEventTypes(invoice, name), types.slice(1));
    for (const type of types) {
      assert.ok(eventTypes.includes(type), type);
      assert.equal(reportedStatus(type), null, `${type} reports no status`);
    }
  }
});

test('every event of every status is in the catalogue', () => {
  const moved: readonly PaymentStatus[] = [
    ...(['buyer_kyc_pending', 'buyer_kyc_approved', 'fx_quoted', 'on_ramp_pending'] as const),
    ...(['on_chain_confirmed', 'offramp_pending', 'settled', 'failed'] as const),
    ...(['cancelled', 'expired'] as const),
  ];
  for (const status of moved) {
    for (const payment of [samplePayment, invoice]) {
      for (const type of paymentEventTypes({ ...payment, status }, 'moved')) {
        assert.ok(eventTypes.includes(type), type);
      }
    }
  }
});

test('data names a payment by its origin, with the fields of the interface', () => {
  const occurredAtMs = START_MS + 7;
  const read = (payment: Payment) => {
    const type = 'invoice.created';
    const event = paymentEvent({ type, payment, occurredAtMs }, 'evt_1');
    assert.partialDeepStrictEqual(event, { orgId: 'org_1', mode: 'test', id: 'evt_1', type });
    assert.partialDeepStrictEqual(event, { subjectId: payment.id, createdAtMs: occurredAtMs });
    return JSON.parse(event.body) as unknown;
  };
  const common = {
    externalId: 'order-1',
    status: 'awaiting_buyer',
    amount: '100.00',
    currency: 'USD',
    metadata: {},
    externalEventId: 'evt_1',
    occurredAt: '2026-09-21T14:13:20.007Z',
  };
  assert.deepEqual(read(samplePayment), {
    event: 'invoice.created',
    data: { paymentIntentId: 'pi_1', ...common, source: 'payment_intent' },
  });
  assert.deepEqual(read({ ...invoice, externalId: null }), {
    event: 'invoice.created',
    data: { invoiceId: 'inv_1', ...common, externalId: null, source: 'invoice' },
  });
});

test('metadata goes out byte for byte, integer-like keys and large numbers included', () => {
  const metadata = '{"b": 1, "10":2,"2":12345678901234567890.10,\n "a":{"1":"\\u00e9","0":null}}';
  const draft = { type: 'x', payment: { ...samplePayment, metadata }, occurredAtMs: START_MS };
  assert.ok(paymentEvent(draft, 'evt_1').body.includes(`"metadata":${metadata},"source"`));
});

test('law: any metadata comes out of the body as it went in', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), (value, indent) => {
      const metadata = JSON.stringify(value, null, indent);
      const draft = { type: 'x', payment: { ...samplePayment, metadata }, occurredAtMs: START_MS };
      const { body } = paymentEvent(draft, 'evt_1');
      const { data } = JSON.parse(body) as { data: { metadata: unknown } };
      assert.deepEqual(data.metadata, JSON.parse(metadata));
      assert.ok(body.includes(metadata));
    }),
  );
});

test('data carries a reason on failure or cancel only, and a code on failure', () => {
  const table: readonly (readonly [Partial<Payment>, ...texts: readonly string[]])[] = [
    [{ status: 'settled' }],
    [{ status: 'expired' }],
    [
      { status: 'failed', ...failure('payin_failed', 'bank closed') },
      'reason: bank closed',
      'failureCode: payin_failed',
    ],
    [{ status: 'cancelled', cancelReason: 'command withdrawn' }, 'reason: command withdrawn'],
  ];
  for (const [fields, ...expected] of table) {
    const payment = { ...samplePayment, ...fields };
    const { body } = paymentEvent({ type: 'x', payment, occurredAtMs: START_MS }, 'evt_1');
    const { data } = JSON.parse(body) as { data: Readonly<Record<string, unknown>> };
    const found = ['reason', 'failureCode'].filter((name) => name in data);
    assert.deepEqual(
      found.map((name) => `${name}: ${data[name]}`),
      expected,
      payment.status,
    );
  }
});

test('only the settled event has the amount and the rate of the payout', () => {
  const settlement = {
    settled: { amountMinor: 52_345n, currency: 'BRL' },
    fees: { amountMinor: 100n, currency: 'USD' },
    fxRate: '5.2345',
    endToEndId: 'E1',
  };
  const paid = { ...samplePayment, status: 'settled', settlement } as const;
  const dataOf = (type: string, payment: Payment) => {
    const { body } = paymentEvent({ type, payment, occurredAtMs: START_MS }, 'evt_1');
    const { data } = JSON.parse(body) as { data: Readonly<Record<string, unknown>> };
    return [data['brlSettledAmount'], data['fxRateAtSettlement']];
  };
  for (const type of ['payment_intent.settled', 'invoice.settled']) {
    assert.deepEqual(dataOf(type, paid), ['523.45', '5.2345'], type);
    assert.deepEqual(dataOf(type, { ...paid, settlement: null }), [undefined, undefined]);
  }
  for (const type of eventTypes.filter((one) => !one.endsWith('.settled'))) {
    assert.deepEqual(dataOf(type, paid), [undefined, undefined], type);
  }
});

test('data of an event about money carries its amounts, and other events none', () => {
  const draft = { type: 'x', payment: samplePayment, occurredAtMs: START_MS };
  const read = (amounts: EventAmounts) => {
    const { body } = paymentEvent({ ...draft, amounts }, 'evt_1');
    return (JSON.parse(body) as { data: Record<string, unknown> }).data;
  };
  const usd = (amountMinor: bigint) => ({ amountMinor, currency: 'USD' });
  const plain = read({});
  assert.equal(plain['amount'], '100.00');
  assert.deepEqual(read({ refundAmount: usd(7_005n) }), { ...plain, refundAmount: '70.05' });
  assert.deepEqual(read({ received: usd(9_900n), missing: usd(100n), surplus: usd(0n) }), {
    ...plain,
    received: '99.00',
    missing: '1.00',
    surplus: '0.00',
  });
});

test('a body is event, then data', () => {
  const data = { subscriptionId: 'whs_1' };
  const body = '{"event":"webhook.test","data":{"subscriptionId":"whs_1"}}';
  assert.equal(eventBody('webhook.test', data), body);
});

test('a subscription names exact types, a namespace with a star, or all', () => {
  const patterns = ['*', ...eventNamespaces.map((name) => `${name}.*`), ...eventTypes];
  for (const pattern of patterns) assert.equal(isEventPattern(pattern), true, pattern);
  const unknown = [
    '',
    '**',
    '.*',
    'payment_intent',
    'payment_intent.',
    'payment_intent*',
    '*.settled',
    'payment_intent.set*',
    'payment_intent.unknown',
    'payment_intent.awaiting_approval',
    'Invoice.settled',
    'invoice.settled ',
    'command.*',
    'toString',
    'invoice.awaiting_approval',
  ];
  for (const pattern of unknown) assert.equal(isEventPattern(pattern), false, pattern);
});

test('an event matches a subscription to it, to its namespace or to all', () => {
  const table: readonly (readonly [patterns: readonly string[], type: string, boolean])[] = [
    [['*'], 'payment_intent.settled', true],
    [['payment_intent.*'], 'payment_intent.settled', true],
    [['payment_intent.settled'], 'payment_intent.settled', true],
    [['invoice.*'], 'payment_intent.settled', false],
    [['payment_intent.failed', 'invoice.*'], 'invoice.created', true],
    [['payment_intent.failed'], 'payment_intent.settled', false],
    [['payment_intent.set'], 'payment_intent.settled', false],
    [['invoice.*'], 'invoice_draft.created', false],
    [[], 'payment_intent.settled', false],
  ];
  for (const [patterns, type, expected] of table) {
    assert.equal(matchesEvent(patterns, type), expected, `${patterns} ${type}`);
  }
});

test('law: a pattern of the catalogue matches its own namespace and nothing else', () => {
  const anyType = fc.constantFrom(...eventTypes);
  fc.assert(
    fc.property(anyType, anyType, (mine, type) => {
      const [namespace] = mine.split('.');
      assert.equal(matchesEvent([mine], type), mine === type);
      assert.equal(matchesEvent([`${namespace}.*`], type), type.split('.')[0] === namespace);
    }),
  );
});
