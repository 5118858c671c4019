// One good call for every operation of the route table, on resources made for it. A new operation
// without an example fails the tests over the table.
import { assetPaths } from '../../../../adapters/pages/kit/assets.js';
import type { SignedMessage } from '../../../../adapters/partner/signed-message.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { DAY_MS, formatInstant, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { createKey, unlimitedKey } from '../../../../core/usecases/access/keys.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { audited } from '../../../../core/usecases/service/audit-log.js';
import { currentKey } from '../../../../core/usecases/service/service-keys.js';
import {
  createSubscription,
  testSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { makeIntent, makeInvoice } from '../../../support/scenes/made-payments.js';
import type { World } from '../../../support/scenes/test-world.js';
import type { CallOptions } from '../checked-site.js';
import { accountExamples, readySeller } from '../resources/account-calls.js';
import { buyerExamples } from '../resources/buyer-calls.js';

/** What each answer about a payment has in the moment of its creation. */
export const justCreated = {
  payinInstructions: null,
  purpose: null,
  payerRelation: null,
  fiscalDocument: null,
  bookedRate: null,
  purchaseOrder: null,
  buyerReference: null,
  amountLimit: null,
  consolidatedReference: null,
  brlSettledAmount: null,
  fxRateAtSettlement: null,
  effectiveRateAtSettlement: null,
  settlementFees: null,
  endToEndId: null,
  settledAt: null,
  settlements: [],
  transactionHash: null,
  payinAsset: null,
  payer: null,
  failureCode: null,
  failureReason: null,
  cancelReason: null,
  funds: {
    status: 'none',
    refundStatus: 'none',
    received: '0.00',
    refundOwed: '0.00',
    refunded: '0.00',
  },
  createdAt: '2030-01-01T00:00:00.000Z',
  updatedAt: '2030-01-01T00:00:00.000Z',
} as const;

export interface ExampleCall extends Omit<CallOptions, 'key' | 'session'> {
  readonly path: string;
  /** 200 by default. */
  readonly status?: number;
  /** What the description shows instead of parameters of the path. */
  readonly recorded?: Readonly<Record<string, string>>;
  /** Takes the place of a shared session, which the call would end. */
  readonly session?: string;
}

export type Example = (world: World, tenant: Tenant) => Promise<ExampleCall>;

let made = 0;

/** The minimal body of a create, with a fresh externalId. */
export function createBody(): Readonly<Record<string, unknown>> {
  made += 1;
  return { externalId: `order-${made}`, amount: '1250.00', buyer: { email: 'ana@example.com' } };
}

export const examples: Readonly<Record<string, Example>> = {
  createPaymentIntent: async () => ({
    path: '/v1/payment-intents',
    body: createBody(),
    status: 201,
  }),
  createPayment: async (world, tenant) => {
    const { externalId } = await readySeller(world, tenant);
    const body = { ...createBody(), sellerExternalId: externalId };
    return { path: '/v1/payments', body, status: 201 };
  },
  listPayments: async () => ({ path: '/v1/payments?status=awaiting_buyer&limit=5' }),
  readIdempotencyKey: async (world, tenant) => {
    // An id, so that the tests of foreign ids replace it.
    const idempotencyKey = world.deps.ids.next('evt', world.deps.clock.nowMs());
    await makeIntent(world.deps, tenant, { idempotencyKey });
    return { path: `/v1/idempotency-keys/${idempotencyKey}` };
  },
  listSettlementEntries: async (world, tenant) => {
    const { payment } = await newPayment(world, tenant);
    await world.play(tenant, payment.id, 'settled');
    world.advanceClock(2 * MINUTE_MS);
    return { path: '/v1/settlement-entries?limit=5' };
  },
  readAccounting: async () => ({ path: '/v1/accounting' }),
  setAccountNames: async () => ({
    path: '/v1/accounting/accounts',
    body: { accounts: { seller: '1.1.2.01' } },
  }),
  // A month that is over.
  closeMonth: async (world) => ({
    path: '/v1/accounting/closed-months',
    body: { month: formatInstant(world.deps.clock.nowMs() - 40 * DAY_MS).slice(0, 7) },
  }),
  previewQuote: async () => ({ path: '/v1/quotes/preview?amount=1250.00&currency=USD' }),
  readPaymentIntent: onPayment('/v1/payment-intents/{id}'),
  readPayment: onPayment('/v1/payments/{id}'),
  readPaymentTimeline: onPayment('/v1/payments/{id}/timeline?limit=5'),
  readPaymentProof: async (world, tenant) => {
    const { payment } = await newPayment(world, tenant);
    await world.play(tenant, payment.id, 'settled');
    return { path: `/v1/payments/${payment.id}/proof` };
  },
  cancelPaymentIntent: onPayment('/v1/payment-intents/{id}/cancel', { reason: 'changed mind' }),
  cancelPayment: onPayment('/v1/payments/{id}/cancel', { reason: 'changed mind' }),
  setPaymentFiscalDocument: onPayment('/v1/payments/{id}/fiscal-document', {
    kind: 'nfe',
    key: '35261112ABC34501DE35550010000123451123456711',
    issuedOn: '2026-11-03',
  }),
  advanceTestPayment: onPayment('/v1/test-helpers/payments/{id}/advance', {}),
  simulateTestPayment: async (world, tenant) => {
    const { payment } = await newPayment(world, tenant);
    await world.play(tenant, payment.id, 'fx_quoted');
    const path = `/v1/test-helpers/payments/${payment.id}/simulate`;
    return { path, body: { event: 'rate_moved' } };
  },
  createInvoice: async () => ({ path: '/v1/invoices', body: createBody(), status: 201 }),
  createInvoiceUpload: async () => ({
    path: '/v1/invoices/upload-url',
    body: { contentType: 'application/pdf', fileName: 'invoice-0431.pdf' },
  }),
  listInvoices: async () => ({ path: '/v1/invoices?status=approved&limit=5' }),
  readInvoice: onInvoice('/v1/invoices/{id}'),
  cancelInvoice: onInvoice('/v1/invoices/{id}/cancel', { reason: 'changed mind' }),
  approveInvoice: onInvoice('/v1/invoices/{id}/approve', {}),
  approvePaymentIntent: onPayment('/v1/payment-intents/{id}/approve', {}),
  approvePayment: onPayment('/v1/payments/{id}/approve', {}),
  inviteInvoiceBuyer: onInvoice('/v1/invoices/{id}/invite-buyer', {}),
  inviteInvoiceBuyers: async (world, tenant) => {
    const { payment } = await newInvoice(world, tenant);
    return { path: '/v1/invoices/invite-buyers', body: { invoiceIds: [payment.id] } };
  },
  ...accountExamples('/v1/connected-accounts', 'ConnectedAccount'),
  ...accountExamples('/v1/accounts', 'Account'),
  createApiKey: async () => ({
    path: '/v1/api-keys',
    body: {
      name: 'erp',
      mode: 'live',
      scopes: ['invoices:read'],
      networks: ['203.0.113.0/24'],
    },
    status: 201,
  }),
  listApiKeys: async () => ({ path: '/v1/api-keys' }),
  rollApiKey: async (world, tenant) => {
    const { key } = await createKey(world.deps, {
      ...tenant,
      createdBy: developmentOperator.id,
      name: 'leaked',
      ...unlimitedKey,
    });
    return { path: `/v1/api-keys/${key.id}/roll`, body: { overlapHours: 1 } };
  },
  revokeApiKey: async (world, tenant) => {
    const { key } = await createKey(world.deps, {
      ...tenant,
      createdBy: developmentOperator.id,
      name: 'old',
      ...unlimitedKey,
    });
    return { path: `/v1/api-keys/${key.id}` };
  },
  switchMode: async () => ({ path: '/v1/auth/switch-mode', body: { mode: 'test' } }),
  listSessions: async () => ({ path: '/v1/auth/sessions' }),
  signOut: async (world, tenant) => {
    const session = await world.session(tenant.orgId);
    return { path: '/v1/auth/sign-out', body: {}, session };
  },
  readCredential: async () => ({ path: '/v1/me' }),
  listAuditEntries: async ({ deps }, tenant) => {
    const alice = { kind: 'operator', id: 'alice' } as const;
    const by = audited(deps, { actor: alice, action: 'key create', address: 'desk-1' });
    await createKey(by, {
      ...tenant,
      createdBy: developmentOperator.id,
      name: 'erp',
      ...unlimitedKey,
    });
    return { path: '/v1/audit?limit=5' };
  },
  readOnboardingStatus: async () => ({ path: '/v1/onboarding/status' }),
  ...buyerExamples,
  createWebhookSubscription: async () => ({
    path: '/v1/webhook-subscriptions',
    body: { url: 'https://acme.example/hooks', eventTypes: ['payment_intent.*'] },
    status: 201,
  }),
  listWebhookSubscriptions: async () => ({ path: '/v1/webhook-subscriptions' }),
  changeWebhookSubscription: onSubscription('/v1/webhook-subscriptions/{id}', {
    eventTypes: ['invoice.*'],
  }),
  deleteWebhookSubscription: onSubscription('/v1/webhook-subscriptions/{id}'),
  rotateWebhookSecret: onSubscription('/v1/webhook-subscriptions/{id}/rotate-secret', {}),
  testWebhookSubscription: onSubscription('/v1/webhook-subscriptions/{id}/test', {}),
  listWebhookDeliveries: async (world, tenant) => {
    const id = await newSubscription(world, tenant);
    await testSubscription(world.deps, tenant, id);
    await world.settle();
    return { path: `/v1/webhook-subscriptions/${id}/deliveries?limit=5&status=delivered` };
  },
  readWebhookDelivery: async (world, tenant) => {
    const id = await newSubscription(world, tenant);
    const delivery = await testSubscription(world.deps, tenant, id);
    await world.settle();
    return { path: `/v1/webhook-subscriptions/${id}/deliveries/${delivery.id}` };
  },
  replayWebhookDelivery: async (world, tenant) => {
    const id = await newSubscription(world, tenant);
    const delivery = await testSubscription(world.deps, tenant, id);
    await world.settle();
    const path = `/v1/webhook-subscriptions/${id}/deliveries/${delivery.id}/replay`;
    return { path, body: {} };
  },
  backfillWebhookSubscription: async (world, tenant) => {
    await newPayment(world, tenant);
    await world.settle();
    const id = await newSubscription(world, tenant);
    return { path: `/v1/webhook-subscriptions/${id}/backfill`, body: { after: 0 } };
  },
  replayDeadLetters: async (world, tenant) => {
    const subscriptionId = await newSubscription(world, tenant);
    const { id } = await testSubscription(world.deps, tenant, subscriptionId);
    const ended = { status: 'dead_letter', nextAttemptAtMs: null, dueAtMs: null } as const;
    await world.deps.store.run(async (tx) => {
      const delivery = await tx.deliveries.get(id);
      if (delivery !== null) tx.deliveries.update({ ...delivery, ...ended });
    });
    const path = `/v1/webhook-subscriptions/${subscriptionId}/replay-dead-letters`;
    return { path, body: {} };
  },
  readEvents: async (world, tenant) => {
    await newPayment(world, tenant);
    await world.settle();
    return { path: '/v1/events?after=1&limit=5&wait=1' };
  },
  readEvent: async (world, tenant) => {
    await newPayment(world, tenant);
    await world.settle();
    const [event] = await world.deps.store.run((tx) => tx.feed.after(tenant, 0, 1));
    return { path: `/v1/events/${event?.id}` };
  },
  resendEvent: async (world, tenant) => {
    const subscriptionId = await newSubscription(world, tenant);
    await newPayment(world, tenant);
    await world.settle();
    const [event] = await world.deps.store.run((tx) => tx.feed.after(tenant, 0, 1));
    return { path: `/v1/events/${event?.id}/resend`, body: { subscriptionId } };
  },
  receivePartnerWebhook: async (world, tenant) => {
    const { headers, body } = await partnerMessage(world, tenant);
    return { path: '/v1/partner-webhooks/fake/test', headers, body };
  },
  healthz: async () => ({ path: '/healthz' }),
  readyz: async () => ({ path: '/readyz' }),
  readPublicKeys: async (world) => {
    await currentKey(world.deps, 'record');
    return { path: '/.well-known/ponte-keys.json' };
  },
  readDescription: async () => ({ path: '/docs-json' }),
  readSecurityContact: async () => ({ path: '/.well-known/security.txt' }),
  browseRoot: async () => ({ path: '/' }),
  readDocsList: async () => ({ path: '/llms.txt' }),
  browseDocs: async () => ({ path: '/docs' }),
  browseDocsPart: async () => ({ path: '/docs/errors' }),
  browseDocsPage: async () => ({ path: '/docs/errors/SellerNotReady' }),
  readDocsFile: async () => ({
    path: assetPaths('/docs').documentation,
    // The real one changes with the file.
    recorded: { version: '0123456789ab' },
  }),
};

export async function newSubscription(world: World, tenant: Tenant): Promise<string> {
  const { subscription } = await createSubscription(world.deps, tenant, {
    url: 'https://acme.example/hooks',
    eventTypes: ['*'],
  });
  return subscription.id;
}

export function newPayment(world: World, tenant: Tenant, createdByMemberId: string | null = null) {
  return makeIntent(world.deps, tenant, { ...paymentInput(), createdByMemberId });
}

export function newInvoice(world: World, tenant: Tenant, createdByMemberId: string | null = null) {
  const invoice = { dueDate: null, createdByMemberId };
  return makeInvoice(world.deps, tenant, { ...paymentInput(), ...invoice });
}

function paymentInput() {
  return {
    externalId: `made-${String(createBody()['externalId'])}`,
    amount: money(125_000n, 'USD'),
    buyer: { email: 'ana@example.com', name: null, country: null, phone: null },
  };
}

/** A genuine message of the partner that has not arrived yet. */
export async function partnerMessage(world: World, tenant: Tenant): Promise<SignedMessage> {
  const messages: SignedMessage[] = [];
  const deliver = world.deliver;
  world.deliver = async (message) => {
    messages.push(message);
  };
  const { payment } = await newPayment(world, tenant);
  await advancePayment(world.deps, tenant, payment.id, null);
  for (let looks = 0; messages.length === 0 && looks < 50; looks += 1) {
    await world.settle();
    world.advanceClock(100);
  }
  world.deliver = deliver;
  const message = messages[0];
  if (message === undefined) throw new Error('the partner says something of every payment');
  return message;
}

function onPayment(form: string, body?: unknown): Example {
  return async (world, tenant) => {
    const { payment } = await newPayment(world, tenant);
    return { path: form.replace('{id}', payment.id), ...(body === undefined ? {} : { body }) };
  };
}

function onInvoice(form: string, body?: unknown): Example {
  return async (world, tenant) => {
    const { payment } = await newInvoice(world, tenant);
    return { path: form.replace('{id}', payment.id), ...(body === undefined ? {} : { body }) };
  };
}

function onSubscription(form: string, body?: unknown): Example {
  return async (world, tenant) => {
    const id = await newSubscription(world, tenant);
    return { path: form.replace('{id}', id), ...(body === undefined ? {} : { body }) };
  };
}
