// What the compiler refuses of a call: `@ts-expect-error` fails the type check where it would not.
// At run time each call is sent to a service that answers nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createPonteClient,
  type FeedEvent,
  type ListPath,
  type paths,
  type WebhookEvent,
} from '../../../adapters/client/ponte-client.js';

const ponte = createPonteClient({
  baseUrl: 'http://127.0.0.1:1',
  apiKey: 'pk_test_1.secret',
  attemptsMax: 1,
  fetch: async () => new Response('{}'),
});
const order = { externalId: 'a', amount: '10.00', buyer: { email: 'ana@example.com' } } as const;

test('a misspelled property of a body does not compile, at any depth', async () => {
  await ponte.POST('/v1/payment-intents', { body: { ...order, currency: 'EUR' } });
  // @ts-expect-error curency
  await ponte.POST('/v1/payment-intents', { body: { ...order, curency: 'EUR' } });
  await ponte.POST('/v1/payment-intents', {
    // @ts-expect-error nmae
    body: { ...order, buyer: { email: 'ana@example.com', nmae: 'Ana' } },
  });
  const owner = { firstName: 'Ana' } as const;
  await ponte.POST('/v1/accounts/{id}/submit', {
    params: { path: { id: 'acct_1' } },
    // @ts-expect-error lastNmae
    body: { owners: [{ ...owner, lastNmae: 'Lima' }] },
  });
});

test('a property that is missing or of another type does not compile', async () => {
  // @ts-expect-error no buyer
  await ponte.POST('/v1/payment-intents', { body: { externalId: 'a', amount: '10.00' } });
  // @ts-expect-error an amount is text
  await ponte.POST('/v1/payment-intents', { body: { ...order, amount: 10 } });
  // @ts-expect-error no body
  await ponte.POST('/v1/payment-intents');
});

test('what metadata and display hold is free', async () => {
  const free = { anything: [{ goes: 1 }] } as const;
  await ponte.POST('/v1/payment-intents', { body: { ...order, metadata: free, display: free } });
});

test('a list and the feed have the types of their rows', async () => {
  const typed = async () => {
    for await (const payment of ponte.list('/v1/payments')) assert.equal(payment.amount, '10.00');
    for await (const event of ponte.events({ after: 0, eventTypes: ['invoice.*'] })) {
      if (event.event === 'invoice.settled') assert.ok(event.data.brlSettledAmount);
    }
    // @ts-expect-error not a list
    ponte.list('/v1/payments/{id}');
    // @ts-expect-error staus
    ponte.list('/v1/invoices', { params: { query: { staus: 'expired' } } });
  };
  assert.equal(typed.length, 0);
});

type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: infer Sent } }
  ? Sent extends { query?: infer Query }
    ? [Query] extends [undefined]
      ? never
      : keyof NonNullable<Query>
    : never
  : never;
type PagedPath = {
  [P in keyof paths]: 'cursor' extends QueryOf<P> ? P : 'after' extends QueryOf<P> ? P : never;
}[keyof paths];

test('list takes each path that answers in pages, but that of the feed', () => {
  const others = { '/v1/events': 'it has no end: events' } satisfies Record<
    Exclude<PagedPath, ListPath>,
    string
  >;
  assert.equal(Object.keys(others).length, 1);
});

test('a misspelled option, query or path parameter does not compile', async () => {
  // @ts-expect-error bdoy
  await ponte.POST('/v1/payment-intents', { bdoy: order, body: order });
  await ponte.GET('/v1/invoices', { params: { query: { status: 'expired' } } });
  // @ts-expect-error staus
  await ponte.GET('/v1/invoices', { params: { query: { staus: 'expired' } } });
  // @ts-expect-error ID
  await ponte.GET('/v1/payments/{id}', { params: { path: { ID: 'pi_1' } } });
  // @ts-expect-error no path parameter
  await ponte.GET('/v1/payments/{id}');
  // @ts-expect-error no such path
  await ponte.GET('/v1/payment');
});

test('a body whose every property is optional may be left out', async () => {
  const params = { path: { id: 'inv_1' } } as const;
  await ponte.POST('/v1/invoices/{id}/invite-buyer', { params });
  await ponte.POST('/v1/invoices/{id}/invite-buyer', { params, body: {} });
  await ponte.POST('/v1/test-helpers/payments/{id}/advance', { params, body: { to: 'settled' } });
  // @ts-expect-error a reason is needed
  await ponte.POST('/v1/invoices/{id}/cancel', { params });
});

test('an answer has its type, and a refusal its codes', async () => {
  const { data, error } = await ponte.POST('/v1/payment-intents', { body: order });
  if (error) {
    const code: string = error.error;
    // @ts-expect-error no such code
    assert.notEqual(error.error === 'Nope', true, code);
    return;
  }
  const status: 'awaiting_buyer' | string = data.status;
  // @ts-expect-error no such property
  assert.deepEqual([status, data.staus], [undefined, undefined]);
});

/** As a receiver or reader would: the type of `event` narrows `data`. */
function view(webhook: WebhookEvent | FeedEvent): string | null | undefined {
  // @ts-expect-error not every event has it
  webhook.data.brlSettledAmount;
  switch (webhook.event) {
    case 'payment_intent.settled':
    case 'invoice.settled': {
      const brl: string = webhook.data.brlSettledAmount;
      return `${brl} ${webhook.data.fxRateAtSettlement}`;
    }
    case 'payment_intent.failed':
      // @ts-expect-error a payment that failed was not settled
      webhook.data.brlSettledAmount;
      return webhook.data.reason;
    case 'connected_account.ready_to_collect':
      // @ts-expect-error an account is no payment
      webhook.data.paymentIntentId;
      return webhook.data.connectedAccountId;
    case 'webhook.test':
      return webhook.data.subscriptionId;
    // @ts-expect-error no such event
    case 'payment_intent.paid':
      return undefined;
    default:
      return webhook.data.externalId;
  }
}

test('the type discriminates events, of a webhook and of the feed', async () => {
  const { data } = await ponte.GET('/v1/events');
  assert.deepEqual(data?.data?.map(view), undefined);
  const base = { externalEventId: 'evt_1', occurredAt: '2031-01-31T12:00:00.000Z' };
  const test = { event: 'webhook.test', data: { ...base, subscriptionId: 'whs_1' } } as const;
  assert.equal(view(test), 'whs_1');
  assert.equal(view({ ...test, sequence: 1, id: 'evt_1', createdAt: base.occurredAt }), 'whs_1');
});
