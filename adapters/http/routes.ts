// The one route table: every path the service answers, who may call it, what it takes and gives.
// The pipeline, the description and the tests read this table and nothing else. Public is spelled
// 'none'; no security field has a default.
import type { z } from 'zod';
import type { PaymentView } from '../../core/domain/change.js';
import { contentTypes, type DocumentOwner } from '../../core/domain/document.js';
import { SECOND_MS } from '../../core/domain/instant.js';
import { money } from '../../core/domain/money.js';
import { RawJson } from '../../core/domain/raw-json.js';
import type { Tenant } from '../../core/domain/tenant.js';
import { readPlace, writePlace } from '../../core/domain/timeline.js';
import type { Deps } from '../../core/ports.js';
import { submitAccount } from '../../core/usecases/account-submissions.js';
import {
  acceptTerms,
  configureAccountPayout,
  createAccount,
  listAccounts,
  readAccount,
  startTerms,
} from '../../core/usecases/accounts.js';
import { listDeliveries, replayDelivery } from '../../core/usecases/deliveries.js';
import {
  createUpload,
  readDocument,
  receiveUpload,
  type UploadInput,
} from '../../core/usecases/documents.js';
import { approveInvoice, inviteBuyer, listInvoices } from '../../core/usecases/invoices.js';
import { createKey, listKeys, revokeKey } from '../../core/usecases/keys.js';
import { startBuyerKyc } from '../../core/usecases/kyc.js';
import { receivePartnerMessage } from '../../core/usecases/partner-inbox.js';
import { type CreatedPayment, cancelPayment, createPayment } from '../../core/usecases/payments.js';
import { advancePayment } from '../../core/usecases/sandbox.js';
import { onboardingStatus, switchMode } from '../../core/usecases/sessions.js';
import {
  createSubscription,
  deleteSubscription,
  listSubscriptions,
  rotateSecret,
  testSubscription,
} from '../../core/usecases/subscriptions.js';
import { readTimeline } from '../../core/usecases/timelines.js';
import * as account from './account-schemas.js';
import * as buyer from './buyer-schemas.js';
import { pageOf, readCursor, writeCursor } from './cursor.js';
import { docsFile, docsFileTypes, docsPage, docsPageTypes } from './docs-page.js';
import * as feed from './feed-schemas.js';
import * as identity from './identity-schemas.js';
import * as invoice from './invoice-schemas.js';
import * as payment from './payment-schemas.js';
import {
  presentAccount,
  presentAccounts,
  presentDeliveries,
  presentDelivery,
  presentFeed,
  presentInvitation,
  presentInvoice,
  presentInvoices,
  presentKey,
  presentKeySecret,
  presentKeys,
  presentKyc,
  presentOnboarding,
  presentPayment,
  presentReadiness,
  presentSession,
  presentSubscription,
  presentSubscriptionSecret,
  presentSubscriptions,
  presentTimeline,
  presentUpload,
} from './present.js';

import {
  type Call,
  Content,
  type Reply,
  type Route,
  reply,
  route,
  type Site,
} from './route-row.js';
import * as schemas from './schemas.js';
import * as timeline from './timeline-schemas.js';
import * as webhook from './webhook-schemas.js';

/** Of rows that find payments of both origins. */
const paymentScopes = {
  read: { byOrigin: { payment_intent: 'payment_intents:read', invoice: 'invoices:read' } },
  write: { byOrigin: { payment_intent: 'payment_intents:write', invoice: 'invoices:write' } },
} as const;

/** For integrators that onboard clients and for those that collect payments. */
const buyerScopes = { anyOf: ['connected_accounts:write', 'payment_intents:write'] } as const;

/** What each field means stands in route-row.ts. */
export const routes: readonly Route[] = [
  route({
    method: 'POST',
    operations: { createPaymentIntent: '/v1/payment-intents' },
    summary: 'Create a payment intent',
    auth: 'key',
    scope: 'payment_intents:write',
    modes: 'both',
    rateLimit: 'create',
    idempotency: 'key',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: payment.createPaymentIntentBody,
    responses: { 200: payment.paymentResponse, 201: payment.paymentResponse },
    errors: ['KybNotApproved', 'AmountBelowMinimum', 'SellerNotReady'],
    handler: createIntent,
  }),
  route({
    method: 'POST',
    operations: { createPayment: '/v1/payments' },
    summary: 'Create a payment intent that settles to a connected seller',
    auth: 'key',
    scope: 'payment_intents:write',
    modes: 'both',
    rateLimit: 'create',
    idempotency: 'key',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: payment.createPaymentBody,
    responses: { 200: payment.paymentResponse, 201: payment.paymentResponse },
    errors: ['KybNotApproved', 'AmountBelowMinimum', 'SellerNotReady'],
    handler: createIntent,
  }),
  route({
    method: 'GET',
    operations: { readPaymentIntent: '/v1/payment-intents/{id}' },
    summary: 'Read a payment intent',
    auth: 'key',
    scope: { byOrigin: { payment_intent: 'payment_intents:read' } },
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: payment.intentParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: payment.paymentResponse },
    errors: [],
    handler: async ({ deps }, { found }) => paymentReply(deps, found),
  }),
  route({
    method: 'GET',
    operations: { readPayment: '/v1/payments/{id}' },
    summary: 'Read a payment, of an intent or an invoice',
    auth: 'key',
    scope: paymentScopes.read,
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: payment.paymentParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: payment.paymentResponse },
    errors: [],
    handler: async ({ deps }, { found }) => paymentReply(deps, found),
  }),
  route({
    method: 'GET',
    operations: { readPaymentTimeline: '/v1/payments/{id}/timeline' },
    summary: 'What happened to a payment, oldest first: moves, money, orders, webhooks',
    auth: 'key',
    scope: paymentScopes.read,
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: payment.paymentParams,
    query: schemas.pageQuery,
    body: 'none',
    responses: { 200: timeline.timelineResponse },
    errors: [],
    handler: readPaymentTimeline,
  }),
  route({
    method: 'POST',
    operations: { cancelPaymentIntent: '/v1/payment-intents/{id}/cancel' },
    summary: 'Cancel an intent before its BRL payout begins; cancelling again changes nothing',
    auth: 'key',
    scope: { byOrigin: { payment_intent: 'payment_intents:write' } },
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: payment.intentParams,
    query: schemas.noQuery,
    body: payment.cancelBody,
    responses: { 200: payment.paymentResponse },
    errors: ['PaymentNotCancellable'],
    handler: async ({ deps }, { tenant, found, body: { reason } }) =>
      paymentReply(deps, await cancelPayment(deps, tenant, found.payment.id, reason)),
  }),
  route({
    method: 'POST',
    operations: { cancelPayment: '/v1/payments/{id}/cancel' },
    summary: 'Cancel a payment before its BRL payout begins; cancelling again changes nothing',
    auth: 'key',
    scope: paymentScopes.write,
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: payment.paymentParams,
    query: schemas.noQuery,
    body: payment.cancelBody,
    responses: { 200: payment.paymentResponse },
    errors: ['PaymentNotCancellable'],
    handler: async ({ deps }, { tenant, found, body: { reason } }) =>
      paymentReply(deps, await cancelPayment(deps, tenant, found.payment.id, reason)),
  }),
  route({
    method: 'POST',
    operations: { createInvoice: '/v1/invoices' },
    summary: 'Create an invoice; it awaits approval if the organization asks for that',
    auth: 'key',
    scope: 'invoices:write',
    modes: 'both',
    rateLimit: 'create',
    idempotency: 'key',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: invoice.createInvoiceBody,
    responses: { 200: invoice.invoiceResponse, 201: invoice.invoiceResponse },
    errors: ['KybNotApproved', 'AmountBelowMinimum', 'SellerNotReady'],
    handler: createInvoice,
  }),
  route({
    method: 'GET',
    operations: { listInvoices: '/v1/invoices' },
    summary: 'List invoices, newest first',
    auth: 'key',
    scope: 'invoices:read',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: invoice.invoiceListQuery,
    body: 'none',
    responses: { 200: invoice.invoiceListResponse },
    errors: [],
    handler: listInvoicePage,
  }),
  route({
    method: 'GET',
    operations: { readInvoice: '/v1/invoices/{id}' },
    summary: 'Read an invoice',
    auth: 'key',
    scope: { byOrigin: { invoice: 'invoices:read' } },
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: invoice.invoiceParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: invoice.invoiceResponse },
    errors: [],
    handler: async ({ deps }, { found }) => invoiceReply(deps, found),
  }),
  route({
    method: 'POST',
    operations: { cancelInvoice: '/v1/invoices/{id}/cancel' },
    summary: 'Cancel an invoice before its BRL payout begins; cancelling again changes nothing',
    auth: 'key',
    scope: { byOrigin: { invoice: 'invoices:write' } },
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: invoice.invoiceParams,
    query: schemas.noQuery,
    body: payment.cancelBody,
    responses: { 200: invoice.invoiceResponse },
    errors: ['PaymentNotCancellable'],
    handler: async ({ deps }, { tenant, found, body: { reason } }) =>
      invoiceReply(deps, await cancelPayment(deps, tenant, found.payment.id, reason)),
  }),
  route({
    method: 'POST',
    operations: { approveInvoice: '/v1/invoices/{id}/approve' },
    summary: 'Approve an invoice that another member, or a key, created; again changes nothing',
    auth: 'session',
    scope: { byOrigin: { invoice: 'invoices:write' } },
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: invoice.invoiceParams,
    query: schemas.noQuery,
    body: schemas.emptyBody,
    responses: { 200: invoice.invoiceResponse },
    errors: ['SelfApprovalNotAllowed', 'PaymentStateConflict'],
    handler: async ({ deps }, { tenant, actor, found: { payment } }) =>
      invoiceReply(deps, await approveInvoice(deps, tenant, payment.id, actor.memberId)),
  }),
  route({
    method: 'POST',
    operations: { inviteInvoiceBuyer: '/v1/invoices/{id}/invite-buyer' },
    summary:
      'Mail the buyer of an approved invoice a link, or another while it awaits the buyer: one a ' +
      'minute for an invoice, five an hour to an address',
    auth: 'key',
    scope: { byOrigin: { invoice: 'invoices:write' } },
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: invoice.invoiceParams,
    query: schemas.noQuery,
    body: schemas.emptyBody,
    responses: { 200: invoice.invitationResponse },
    errors: ['InvoiceNotApproved', 'RateLimitExceeded'],
    handler: async ({ deps }, { tenant, found }) =>
      reply(200, presentInvitation(await inviteBuyer(deps, tenant, found.payment.id))),
  }),
  route({
    method: 'POST',
    operations: {
      createConnectedAccount: '/v1/connected-accounts',
      createAccount: '/v1/accounts',
    },
    summary: 'Create a connected account, or find the one of your externalId',
    auth: 'key',
    scope: 'connected_accounts:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: account.createAccountBody,
    responses: { 200: account.accountResponse, 201: account.accountResponse },
    errors: [],
    handler: createConnected,
  }),
  route({
    method: 'GET',
    operations: {
      listConnectedAccounts: '/v1/connected-accounts',
      listAccounts: '/v1/accounts',
    },
    summary: 'List connected accounts, newest first',
    auth: 'key',
    scope: 'connected_accounts:read',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: account.accountListQuery,
    body: 'none',
    responses: { 200: account.accountListResponse },
    errors: [],
    handler: listAccountPage,
  }),
  route({
    method: 'GET',
    operations: {
      readConnectedAccount: '/v1/connected-accounts/{id}',
      readAccount: '/v1/accounts/{id}',
    },
    summary: 'Read a connected account',
    auth: 'key',
    scope: 'connected_accounts:read',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: account.accountParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: account.accountResponse },
    errors: [],
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, presentAccount(await readAccount(deps, tenant, params.id))),
  }),
  route({
    method: 'POST',
    operations: {
      startConnectedAccountTerms: '/v1/connected-accounts/{id}/tos-session',
      startAccountTerms: '/v1/accounts/{id}/tos-session',
    },
    summary: 'Start a session in which the end client accepts the terms',
    auth: 'key',
    scope: 'connected_accounts:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: account.accountParams,
    query: schemas.noQuery,
    body: account.tosSessionBody,
    responses: { 200: account.tosSessionResponse },
    errors: ['PartnerUnavailable'],
    handler: async ({ deps }, { tenant, params, body }) =>
      reply(200, await startTerms(deps, tenant, params.id, body.redirectUrl)),
  }),
  route({
    method: 'POST',
    operations: {
      acceptConnectedAccountTerms: '/v1/connected-accounts/{id}/tos-accepted',
      acceptAccountTerms: '/v1/accounts/{id}/tos-accepted',
    },
    summary: 'Record the terms that the end client accepted',
    auth: 'key',
    scope: 'connected_accounts:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: account.accountParams,
    query: schemas.noQuery,
    body: account.tosAcceptedBody,
    responses: { 200: account.accountResponse },
    errors: ['TosSessionRequired', 'TosIdMismatch'],
    handler: async ({ deps }, { tenant, params, body }) =>
      reply(200, presentAccount(await acceptTerms(deps, tenant, params.id, body.tosId))),
  }),
  route({
    method: 'POST',
    operations: {
      submitConnectedAccount: '/v1/connected-accounts/{id}/submit',
      submitAccount: '/v1/accounts/{id}/submit',
    },
    summary: 'Submit for verification; while verifying or approved it changes nothing',
    auth: 'key',
    scope: 'connected_accounts:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: account.accountParams,
    query: schemas.noQuery,
    body: account.submitAccountBody,
    responses: { 200: account.accountResponse },
    errors: [
      'TosSessionRequired',
      'TosIdMismatch',
      'ConnectedAccountMissingFields',
      'PartnerUnavailable',
    ],
    handler: async ({ deps }, { tenant, params, body }) =>
      reply(200, presentAccount(await submitAccount(deps, tenant, params.id, body))),
  }),
  route({
    method: 'POST',
    operations: {
      configureConnectedAccountPayout: '/v1/connected-accounts/{id}/payout-config',
      configureAccountPayout: '/v1/accounts/{id}/payout-config',
    },
    summary:
      'Register the PIX destination of an approved seller: payments created before keep theirs, ' +
      'and owners, admins and the seller are mailed when it is another one',
    auth: 'key',
    scope: 'connected_accounts:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: account.accountParams,
    query: schemas.noQuery,
    body: account.payoutConfigBody,
    responses: { 200: account.accountResponse },
    errors: ['ConnectedAccountNotApproved', 'PartnerUnavailable'],
    handler: async ({ deps }, { tenant, params, body }) =>
      reply(200, presentAccount(await configureAccountPayout(deps, tenant, params.id, body))),
  }),
  route({
    method: 'POST',
    operations: {
      createConnectedAccountUpload: '/v1/connected-accounts/{id}/upload-url',
      createAccountUpload: '/v1/accounts/{id}/upload-url',
    },
    summary: 'Get a URL to upload a document of the account to; purged when it is decided on',
    auth: 'key',
    scope: 'connected_accounts:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: account.accountParams,
    query: schemas.noQuery,
    body: buyer.uploadUrlBody,
    responses: { 200: buyer.uploadResponse },
    errors: ['KycStorageDisabled'],
    handler: async ({ deps }, { tenant, params: { id }, body }) =>
      uploadReply(deps, tenant, { party: 'account', id }, body),
  }),
  route({
    method: 'POST',
    operations: { startBuyerKyc: '/v1/buyer-kyc' },
    summary: "Hand in a buyer's dossier, or without entityType start its hosted form",
    auth: 'either',
    scope: buyerScopes,
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: buyer.startBuyerKycBody,
    responses: { 201: buyer.kycResponse },
    errors: ['TosIdMismatch', 'NotFound', 'PartnerUnavailable'],
    handler: startKyc,
  }),
  route({
    method: 'POST',
    operations: { createBuyerUpload: '/v1/buyer-kyc/{buyerId}/upload-url' },
    summary: 'Get a URL to upload a document of the buyer to; purged when it is decided on',
    auth: 'either',
    scope: buyerScopes,
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: buyer.buyerParams,
    query: schemas.noQuery,
    body: buyer.uploadUrlBody,
    responses: { 200: buyer.uploadResponse },
    errors: ['KycStorageDisabled'],
    handler: async ({ deps }, { tenant, params, body }) =>
      uploadReply(deps, tenant, { party: 'buyer', id: params.buyerId }, body),
  }),
  route({
    method: 'PUT',
    operations: { uploadDocument: '/v1/documents/{id}/content' },
    summary: 'Where an uploadUrl leads: send the bytes of the document, 10 MiB at most',
    auth: 'signature',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: buyer.documentParams,
    query: buyer.signatureQuery,
    body: 'stream',
    responses: { 200: schemas.receivedResponse },
    errors: ['UploadUrlExpired', 'UnsupportedMediaType', 'KycStorageDisabled'],
    handler: takeDocument,
  }),
  route({
    method: 'GET',
    operations: { readDocument: '/v1/documents/{id}/content' },
    summary: 'Where a publicUrl leads, for the settlement partner, until the document is purged',
    auth: 'signature',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: buyer.documentParams,
    query: buyer.signatureQuery,
    body: 'none',
    responses: { 200: contentTypes },
    errors: ['KycStorageDisabled'],
    handler: giveDocument,
  }),
  route({
    method: 'POST',
    operations: { createWebhookSubscription: '/v1/webhook-subscriptions' },
    summary: 'Subscribe a URL to events; the secret is shown this once',
    auth: 'key',
    scope: 'webhooks:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: webhook.createSubscriptionBody,
    responses: { 201: webhook.subscriptionSecretResponse },
    errors: [],
    handler: async ({ deps }, { tenant, body }) =>
      reply(201, presentSubscriptionSecret(await createSubscription(deps, tenant, body))),
  }),
  route({
    method: 'GET',
    operations: { listWebhookSubscriptions: '/v1/webhook-subscriptions' },
    summary: 'List all active subscriptions and the newest deleted ones',
    auth: 'key',
    scope: 'webhooks:read',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: webhook.subscriptionListResponse },
    errors: [],
    handler: async ({ deps }, { tenant }) =>
      reply(200, presentSubscriptions(await listSubscriptions(deps, tenant))),
  }),
  route({
    method: 'DELETE',
    operations: { deleteWebhookSubscription: '/v1/webhook-subscriptions/{id}' },
    summary: 'Delete a subscription: nothing is sent any more, past deliveries stay readable',
    auth: 'key',
    scope: 'webhooks:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: webhook.subscriptionParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: webhook.subscriptionResponse },
    errors: [],
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, presentSubscription(await deleteSubscription(deps, tenant, params.id))),
  }),
  route({
    method: 'POST',
    operations: { rotateWebhookSecret: '/v1/webhook-subscriptions/{id}/rotate-secret' },
    summary: 'Replace the secret at once; the new one is shown this once',
    auth: 'key',
    scope: 'webhooks:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: webhook.subscriptionParams,
    query: schemas.noQuery,
    body: schemas.emptyBody,
    responses: { 200: webhook.subscriptionSecretResponse },
    errors: [],
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, presentSubscriptionSecret(await rotateSecret(deps, tenant, params.id))),
  }),
  route({
    method: 'POST',
    operations: { testWebhookSubscription: '/v1/webhook-subscriptions/{id}/test' },
    summary: 'Send webhook.test to this subscription, whatever its event types',
    auth: 'key',
    scope: 'webhooks:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: webhook.subscriptionParams,
    query: schemas.noQuery,
    body: schemas.emptyBody,
    responses: { 200: webhook.deliveryResponse },
    errors: [],
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, presentDelivery(await testSubscription(deps, tenant, params.id))),
  }),
  route({
    method: 'GET',
    operations: { listWebhookDeliveries: '/v1/webhook-subscriptions/{id}/deliveries' },
    summary: 'List the deliveries of a subscription, newest first',
    auth: 'key',
    scope: 'webhooks:read',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: webhook.subscriptionParams,
    query: schemas.pageQuery,
    body: 'none',
    responses: { 200: webhook.deliveryListResponse },
    errors: [],
    handler: listDeliveryPage,
  }),
  route({
    method: 'POST',
    operations: {
      replayWebhookDelivery: '/v1/webhook-subscriptions/{id}/deliveries/{deliveryId}/replay',
    },
    summary: 'Send an ended delivery again under its id, attempts counted from one',
    auth: 'key',
    scope: 'webhooks:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: webhook.deliveryParams,
    query: schemas.noQuery,
    body: schemas.emptyBody,
    responses: { 200: webhook.deliveryResponse },
    errors: ['DeliveryNotReplayable'],
    handler: async ({ deps }, { tenant, params: { id, deliveryId } }) =>
      reply(200, presentDelivery(await replayDelivery(deps, tenant, id, deliveryId))),
  }),
  route({
    method: 'GET',
    operations: { readEvents: '/v1/events' },
    summary: 'Read the events after a sequence, or wait for the next ones',
    auth: 'key',
    scope: 'webhooks:read',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: feed.feedQuery,
    body: 'none',
    responses: { 200: feed.feedResponse },
    errors: ['EventsPruned', 'FeedReset', 'RateLimitExceeded'],
    handler: readEvents,
  }),
  route({
    method: 'POST',
    operations: { createApiKey: '/v1/api-keys' },
    summary: 'Make an API key; the secret is shown this once',
    auth: 'session',
    scope: 'api_keys:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: identity.createKeyBody,
    responses: { 201: identity.keySecretResponse },
    errors: [],
    handler: async ({ deps }, { tenant: { orgId }, body }) =>
      reply(201, presentKeySecret(await createKey(deps, { ...body, orgId }))),
  }),
  route({
    method: 'GET',
    operations: { listApiKeys: '/v1/api-keys' },
    summary: 'List all active API keys of both modes and the newest revoked ones',
    auth: 'session',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: identity.keyListResponse },
    errors: [],
    handler: async ({ deps }, { tenant }) =>
      reply(200, presentKeys(await listKeys(deps, tenant.orgId))),
  }),
  route({
    method: 'DELETE',
    operations: { revokeApiKey: '/v1/api-keys/{id}' },
    summary: 'Revoke an API key for ever, from its next request on; again it changes nothing',
    auth: 'session',
    scope: 'api_keys:write',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: identity.keyParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: identity.keyResponse },
    inQuarantine: 'served',
    errors: [],
    handler: async ({ deps }, { tenant, params }) =>
      reply(200, presentKey(await revokeKey(deps, tenant.orgId, params.id))),
  }),
  route({
    method: 'POST',
    operations: { switchMode: '/v1/auth/switch-mode' },
    summary: 'Get a session token of the same member for a mode',
    auth: 'session',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: identity.switchModeBody,
    responses: { 200: identity.sessionResponse },
    inQuarantine: 'served',
    errors: ['ModeSwitchNotAllowed', 'ProductionAccessNotApproved'],
    handler: async ({ deps }, { actor, body }) =>
      reply(200, presentSession(await switchMode(deps, actor, body.mode))),
  }),
  route({
    method: 'GET',
    operations: { readOnboardingStatus: '/v1/onboarding/status' },
    summary: 'How far the organization is in the mode of the session',
    auth: 'session',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: identity.onboardingResponse },
    errors: [],
    handler: async ({ deps }, { tenant }) =>
      reply(200, presentOnboarding(await onboardingStatus(deps, tenant))),
  }),
  route({
    method: 'POST',
    operations: { advanceTestPayment: '/v1/test-helpers/payments/{id}/advance' },
    summary: 'Play the buyer of a test payment until it is at a status; test keys only',
    auth: 'key',
    scope: paymentScopes.write,
    modes: 'test',
    rateLimit: 'none',
    idempotency: 'none',
    params: payment.paymentParams,
    query: schemas.noQuery,
    body: payment.advanceBody,
    responses: { 200: payment.paymentResponse },
    errors: [],
    handler: async ({ deps }, { tenant, found, body }) =>
      paymentReply(deps, await advancePayment(deps, tenant, found.payment.id, body.to)),
  }),
  route({
    method: 'POST',
    operations: { receivePartnerWebhook: '/v1/partner-webhooks/{partner}/{mode}' },
    summary: 'Where the settlement partner reports; signed over the raw bytes',
    auth: 'partner',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.partnerParams,
    query: schemas.noQuery,
    body: 'bytes',
    responses: { 200: schemas.receivedResponse },
    inQuarantine: 'served',
    errors: [],
    handler: async ({ deps }, { params, headers, bytes }) => {
      await receivePartnerMessage(deps, { ...params, headers, body: bytes });
      return reply(200, { received: true });
    },
  }),
  route({
    method: 'GET',
    operations: { healthz: '/healthz' },
    summary: 'Whether the process lives',
    auth: 'none',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: schemas.healthResponse },
    errors: [],
    handler: async () => reply(200, { status: 'ok' }),
  }),
  route({
    method: 'GET',
    operations: { readyz: '/readyz' },
    summary: 'Whether requests and work are served',
    auth: 'none',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: schemas.readinessResponse, 503: schemas.readinessResponse },
    errors: [],
    handler: async ({ readiness }) => {
      const answer = presentReadiness(await readiness());
      // In quarantine reads are served: a balancer keeps the host.
      return reply(answer.status === 'unavailable' ? 503 : 200, answer);
    },
  }),
  route({
    method: 'GET',
    operations: { readDescription: '/docs-json' },
    summary: 'This description',
    auth: 'none',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: schemas.documentResponse, 304: [] },
    errors: [],
    handler: async ({ description }) => ({
      status: 200,
      body: new RawJson(description.json),
      headers: { etag: description.etag, 'cache-control': 'no-cache' },
    }),
  }),
  route({
    method: 'GET',
    operations: { browseDescription: '/docs' },
    summary: 'This description as a page to browse',
    auth: 'none',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.noParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: docsPageTypes, 304: [] },
    errors: [],
    handler: docsPage,
  }),
  route({
    method: 'GET',
    operations: { readDocsFile: '/docs/{version}/{file}' },
    summary: 'What the page of the description loads',
    auth: 'none',
    scope: 'none',
    modes: 'both',
    rateLimit: 'none',
    idempotency: 'none',
    params: schemas.docsFileParams,
    query: schemas.noQuery,
    body: 'none',
    responses: { 200: docsFileTypes },
    errors: [],
    handler: (_, { params: { version, file } }) => docsFile(version, file),
  }),
];

type CreateBody = z.infer<typeof payment.createPaymentIntentBody>;

function paymentReply(deps: Deps, view: PaymentView): Reply {
  return reply(200, presentPayment(view, deps.settings.payUrl));
}

function invoiceReply(deps: Deps, view: PaymentView): Reply {
  return reply(200, presentInvoice(view, deps.settings.payUrl));
}

async function createIntent(
  { deps }: Site,
  { tenant, body, idempotencyKey }: Call<'key', unknown, unknown, CreateBody>,
): Promise<Reply> {
  const input = { ...inputOf(body, idempotencyKey), origin: 'payment_intent' } as const;
  const created = await createPayment(deps, tenant, input);
  return createdReply(created, paymentReply(deps, created));
}

async function createInvoice(
  { deps }: Site,
  {
    tenant,
    body,
    idempotencyKey,
  }: Call<'key', unknown, unknown, z.infer<typeof invoice.createInvoiceBody>>,
): Promise<Reply> {
  const { number, dueDate } = body;
  const created = await createPayment(deps, tenant, {
    ...inputOf(body, idempotencyKey),
    // A key speaks for no member.
    ...{ origin: 'invoice', number, dueDate, createdByMemberId: null },
  });
  return createdReply(created, invoiceReply(deps, created));
}

/** What the creates of both surfaces say. */
function inputOf(
  body: Omit<CreateBody, 'externalId'> & { readonly externalId: string | null },
  idempotencyKey: string | null,
) {
  return {
    idempotencyKey,
    externalId: body.externalId,
    amount: money(body.amount, body.currency),
    buyer: body.buyer,
    sellerExternalId: body.sellerExternalId,
    returnUrl: body.returnUrl,
    display: body.display?.text ?? null,
    metadata: body.metadata?.text ?? '{}',
    expiresAtMs: body.expiresAt,
  };
}

function createdReply(
  { replayed, mismatch }: Pick<CreatedPayment, 'replayed' | 'mismatch'>,
  answer: Reply,
): Reply {
  if (!replayed) return { ...answer, status: 201 };
  const replay = { 'idempotent-replayed': 'true' } as const;
  if (mismatch.length === 0) return { ...answer, headers: replay };
  return { ...answer, headers: { ...replay, 'idempotent-mismatch': mismatch.join(', ') } };
}

async function listInvoicePage(
  { deps }: Site,
  { tenant, query }: Call<'key', unknown, z.infer<typeof invoice.invoiceListQuery>, unknown>,
): Promise<Reply> {
  const { status } = query;
  // A cursor belongs to the filter of its list.
  const list = { operation: 'invoices', tenant, parentId: `${status}` };
  const { rows, nextCursor } = await pageOf(deps.secretBox, list, query, async (page) => {
    const views = await listInvoices(deps, tenant, { status, ...page });
    return views.map((view) => ({ id: view.payment.id, view }));
  });
  const views = rows.map(({ view }) => view);
  return reply(200, presentInvoices(views, deps.settings.payUrl, nextCursor));
}

async function readPaymentTimeline(
  { deps }: Site,
  {
    tenant,
    found: { payment },
    query: { limit, cursor },
  }: Call<'key', unknown, z.infer<typeof schemas.pageQuery>, unknown, typeof paymentScopes.read>,
): Promise<Reply> {
  const list = { operation: 'timeline', tenant, parentId: payment.id };
  const place = readCursor(deps.secretBox, list, cursor);
  const after = place === null ? null : readPlace(place);
  const { entries, next } = await readTimeline(deps, payment, { after, limit });
  const nextCursor = next === null ? null : writeCursor(deps.secretBox, list, writePlace(next));
  return reply(200, presentTimeline(entries, nextCursor));
}

async function startKyc(
  { deps }: Site,
  { tenant, body }: Call<'either', unknown, unknown, z.infer<typeof buyer.startBuyerKycBody>>,
): Promise<Reply> {
  const { buyerEmail: email, buyerName: name, buyerCountry: country, ...told } = body;
  const { entityType, invoiceId: paymentId, ...rest } = told;
  const start = { email, name, entityType, paymentId, dossier: { ...rest, country } };
  return reply(201, presentKyc(await startBuyerKyc(deps, tenant, start), deps.settings.payUrl));
}

async function uploadReply(
  deps: Deps,
  tenant: Tenant,
  owner: DocumentOwner,
  body: Omit<UploadInput, 'owner'>,
): Promise<Reply> {
  return reply(200, presentUpload(await createUpload(deps, tenant, { owner, ...body })));
}

type DocumentCall = Call<'signature', { id: string }, { signature: string }, unknown>;

async function takeDocument(
  { deps }: Site,
  { params, query, headers, stream }: DocumentCall,
): Promise<Reply> {
  const length = headers['content-length'];
  await receiveUpload(deps, {
    documentId: params.id,
    signature: query.signature,
    contentType: headers['content-type'] ?? null,
    sizeBytes: length === undefined ? null : Number(length),
    bytes: stream,
  });
  return reply(200, { received: true });
}

async function giveDocument({ deps }: Site, { params, query }: DocumentCall): Promise<Reply> {
  const { contentType, ...content } = await readDocument(deps, params.id, query.signature);
  const body = new Content({ type: contentType, ...content });
  // Nothing that was uploaded is shown as a page of ours.
  return { status: 200, body, headers: { 'content-disposition': 'attachment' } };
}

async function readEvents(
  { feedReaders }: Site,
  call: Call<'key', unknown, z.infer<typeof feed.feedQuery>, unknown>,
): Promise<Reply> {
  const { tenant, actor, query, waitAtMost } = call;
  const over = query.wait === 0 ? null : waitAtMost(query.wait * SECOND_MS);
  const wait = over === null ? null : { keyId: actor.keyId, over };
  return reply(200, presentFeed(await feedReaders.read(tenant, query, wait)));
}

async function listDeliveryPage(
  { deps }: Site,
  {
    tenant,
    params,
    query,
  }: Call<'key', { id: string }, z.infer<typeof schemas.pageQuery>, unknown>,
): Promise<Reply> {
  const list = { operation: 'deliveries', tenant, parentId: params.id };
  const { rows, nextCursor } = await pageOf(deps.secretBox, list, query, (page) =>
    listDeliveries(deps, tenant, params.id, page),
  );
  return reply(200, presentDeliveries(rows, nextCursor));
}

async function createConnected(
  { deps }: Site,
  { tenant, body }: Call<'key', unknown, unknown, z.infer<typeof account.createAccountBody>>,
): Promise<Reply> {
  const created = await createAccount(deps, tenant, body);
  return createdReply(created, reply(200, presentAccount(created.account)));
}

async function listAccountPage(
  { deps }: Site,
  { tenant, query }: Call<'key', unknown, z.infer<typeof account.accountListQuery>, unknown>,
): Promise<Reply> {
  const { role, status } = query;
  // A cursor belongs to the filters of its list.
  const list = { operation: 'accounts', tenant, parentId: `${role} ${status}` };
  const { rows, nextCursor } = await pageOf(deps.secretBox, list, query, (page) =>
    listAccounts(deps, tenant, { role, status, ...page }),
  );
  return reply(200, presentAccounts(rows, nextCursor));
}
