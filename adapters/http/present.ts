// What answers look like: one function per resource, field by field, so that nothing is shown by
// accident. Every function's result is held against its schema by the compiler.
import type { z } from 'zod';
import { keyPrefix } from '../../core/domain/api-key.js';
import { awaitsDossier, type KycSubmission } from '../../core/domain/buyer-kyc.js';
import type { PaymentView } from '../../core/domain/change.js';
import { type ConnectedAccount, readyToCollect } from '../../core/domain/connected-account.js';
import { formatInstant } from '../../core/domain/instant.js';
import { formatAmount, type Money } from '../../core/domain/money.js';
import { isPageOpen, type Payment } from '../../core/domain/payment.js';
import { RawJson, sliceTopLevel } from '../../core/domain/raw-json.js';
import type { Subscription } from '../../core/domain/subscription.js';
import type { TimelineEntry } from '../../core/domain/timeline.js';
import type { WebhookDelivery } from '../../core/domain/webhook-delivery.js';
import type { PonteError } from '../../core/errors.js';
import type { StoredKey } from '../../core/ports.js';
import type { Upload } from '../../core/usecases/documents.js';
import type { FeedPage } from '../../core/usecases/feed-readers.js';
import type { OnboardingStatus, Session } from '../../core/usecases/sessions.js';
import type { accountListResponse, accountResponse } from './account-schemas.js';
import type { kycResponse, uploadResponse } from './buyer-schemas.js';
import type { feedEventResponse, feedResponse } from './feed-schemas.js';
import type {
  keyListResponse,
  keyResponse,
  keySecretResponse,
  onboardingResponse,
  sessionResponse,
} from './identity-schemas.js';
import type { invitationResponse, invoiceResponse } from './invoice-schemas.js';
import type { paymentResponse } from './payment-schemas.js';
import type { errorResponse, readinessResponse } from './schemas.js';
import type { timelineResponse } from './timeline-schemas.js';
import type {
  deliveryListResponse,
  deliveryResponse,
  subscriptionListResponse,
  subscriptionResponse,
  subscriptionSecretResponse,
} from './webhook-schemas.js';

/** What readiness probes ask; each is true when all is well. */
export interface Readiness {
  readonly database: boolean;
  readonly migrations: boolean;
  readonly worker: boolean;
  /** Whether the database is in quarantine after a restore: reads are served. */
  readonly quarantine?: boolean;
  /** False: the machine's clock and that of the database differ by too much. */
  readonly clock: boolean;
  /** False after a signal to stop. */
  readonly serving: boolean;
}

/** The integrator's own JSON is put out as the text it was sent in. */
type PaymentBody = Omit<z.infer<typeof paymentResponse>, 'metadata' | 'display'> & {
  readonly metadata: RawJson;
  readonly display: RawJson | null;
};

export function presentPayment(view: PaymentView, payUrl: string): PaymentBody {
  const { payment, funds } = view;
  return {
    id: payment.id,
    externalId: payment.externalId,
    status: payment.status,
    amount: formatAmount(payment.amount.amountMinor),
    currency: payment.amount.currency,
    hostedPaymentUrl: isPageOpen(payment) ? `${payUrl}/r/${payment.publicId}` : null,
    buyer: {
      id: payment.buyerId,
      email: payment.buyer.email,
      name: payment.buyer.name,
      country: payment.buyer.country,
      kycStatus: view.kycStatus,
    },
    sellerExternalId: payment.sellerExternalId,
    returnUrl: payment.returnUrl,
    metadata: new RawJson(payment.metadata),
    display: payment.display === null ? null : new RawJson(payment.display),
    expiresAt: instantOrNull(payment.expiresAtMs),
    brlSettledAmount:
      payment.settlement === null ? null : formatAmount(payment.settlement.settled.amountMinor),
    fxRateAtSettlement: payment.settlement?.fxRate ?? null,
    failureReason: payment.failureReason,
    cancelReason: payment.cancelReason,
    funds: {
      status: funds.position,
      refundStatus: funds.refund,
      received: formatAmount(funds.receivedMinor),
      // An order to the partner is no payment yet: the buyer is owed until it is confirmed.
      refundOwed: formatAmount(funds.refundOwedMinor + funds.refundOrderedMinor),
      refunded: formatAmount(funds.refundedMinor),
    },
    createdAt: formatInstant(payment.createdAtMs),
    updatedAt: formatInstant(payment.updatedAtMs),
  };
}

type InvoiceBody = PaymentBody & Pick<z.infer<typeof invoiceResponse>, 'number' | 'dueDate'>;

export function presentInvoice(view: PaymentView, payUrl: string): InvoiceBody {
  const { number, dueDate } = view.payment;
  return { ...presentPayment(view, payUrl), number, dueDate };
}

export function presentInvoices(
  views: readonly PaymentView[],
  payUrl: string,
  nextCursor: string | null,
): { readonly data: readonly InvoiceBody[]; readonly nextCursor: string | null } {
  return { data: views.map((view) => presentInvoice(view, payUrl)), nextCursor };
}

export function presentInvitation({ id }: Payment): z.infer<typeof invitationResponse> {
  return { status: 'sent', invoiceId: id };
}

export function presentAccount(account: ConnectedAccount): z.infer<typeof accountResponse> {
  return {
    id: account.id,
    externalId: account.externalId,
    role: account.role,
    entityType: account.entityType,
    status: account.status,
    receiverId: account.receiverId,
    email: account.email,
    legalName: account.legalName,
    displayName: account.displayName,
    country: account.country,
    taxIdLast4: account.taxIdLast4,
    tosAccepted: account.tosId !== null,
    payoutConfigured: account.destinationRef !== null,
    readyToCollect: readyToCollect(account),
    approvedAt: instantOrNull(account.approvedAtMs),
    rejectedAt: instantOrNull(account.rejectedAtMs),
    createdAt: formatInstant(account.createdAtMs),
    updatedAt: formatInstant(account.updatedAtMs),
  };
}

export function presentAccounts(
  accounts: readonly ConnectedAccount[],
  nextCursor: string | null,
): z.infer<typeof accountListResponse> {
  return { data: accounts.map(presentAccount), nextCursor };
}

export function presentSubscription(
  subscription: Subscription,
): z.infer<typeof subscriptionResponse> {
  return {
    id: subscription.id,
    orgId: subscription.orgId,
    url: subscription.url,
    eventTypes: [...subscription.eventTypes],
    active: subscription.active,
    createdAt: formatInstant(subscription.createdAtMs),
    updatedAt: formatInstant(subscription.updatedAtMs),
  };
}

/** For the answers that hand the secret out: creation and rotation. */
export function presentSubscriptionSecret(made: {
  readonly subscription: Subscription;
  readonly secret: string;
}): z.infer<typeof subscriptionSecretResponse> {
  return { ...presentSubscription(made.subscription), secret: made.secret };
}

export function presentSubscriptions(
  subscriptions: readonly Subscription[],
): z.infer<typeof subscriptionListResponse> {
  return { data: subscriptions.map(presentSubscription), nextCursor: null };
}

export function presentDelivery(delivery: WebhookDelivery): z.infer<typeof deliveryResponse> {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    attempt: delivery.attempt,
    status: delivery.status,
    responseStatus: delivery.responseStatus,
    nextAttemptAt: instantOrNull(delivery.nextAttemptAtMs),
    createdAt: formatInstant(delivery.createdAtMs),
    deliveredAt: instantOrNull(delivery.deliveredAtMs),
    lastError: delivery.lastError,
    durationMs: delivery.durationMs,
  };
}

export function presentDeliveries(
  deliveries: readonly WebhookDelivery[],
  nextCursor: string | null,
): z.infer<typeof deliveryListResponse> {
  return { data: deliveries.map(presentDelivery), nextCursor };
}

/** `data` is cut out of the stored body: the very bytes that webhooks carry. */
export function presentFeed({ events, nextAfter, epoch }: FeedPage): FeedBody {
  return {
    data: events.map(({ sequence, id, type, createdAtMs, body }) => ({
      sequence,
      id,
      event: type,
      createdAt: formatInstant(createdAtMs),
      data: new RawJson(sliceTopLevel(body, ['data']).get('data') ?? '{}'),
    })),
    nextAfter,
    epoch,
  };
}

type FeedBody = Omit<z.infer<typeof feedResponse>, 'data'> & {
  readonly data: readonly (Omit<z.infer<typeof feedEventResponse>, 'data'> & {
    readonly data: RawJson;
  })[];
};

export function presentTimeline(
  entries: readonly TimelineEntry[],
  nextCursor: string | null,
): z.infer<typeof timelineResponse> {
  return { data: entries.map(presentEntry), nextCursor };
}

function presentEntry(entry: TimelineEntry): z.infer<typeof timelineResponse>['data'][number] {
  const at = formatInstant(entry.atMs);
  switch (entry.kind) {
    case 'created':
      return { at, kind: entry.kind, ...presentMoney(entry.amount) };
    case 'status': {
      const { kind, status, eventType: event, eventId, reason } = entry;
      return { at, kind, status, event, eventId, reason };
    }
    case 'money': {
      const lines = entry.lines.map(({ account, money }) => ({ account, ...presentMoney(money) }));
      return { at, kind: entry.kind, fact: entry.fact, lines };
    }
    case 'partner_order': {
      const { kind, commandId, order, amount } = entry;
      return { at, kind, commandId, order, ...presentMoney(amount) };
    }
    case 'partner_call':
      return { at, kind: entry.kind, commandId: entry.commandId, order: entry.order };
    case 'partner_outcome': {
      const { kind, commandId, order, outcome } = entry;
      return { at, kind, commandId, order, outcome };
    }
    case 'delivery': {
      const { kind, deliveryId, subscriptionId, eventType: event, eventId, status } = entry;
      return { at, kind, deliveryId, subscriptionId, event, eventId, status };
    }
    case 'attempt': {
      const { kind, deliveryId, attempt, responseStatus, error, durationMs } = entry;
      return { at, kind, deliveryId, attempt, responseStatus, error, durationMs };
    }
  }
}

function presentMoney({ amountMinor, currency }: Money): { amount: string; currency: string } {
  return { amount: formatAmount(amountMinor), currency };
}

/** The key as it may be shown again: without its secret. */
export function presentKey(key: StoredKey): z.infer<typeof keyResponse> {
  return {
    id: key.id,
    orgId: key.orgId,
    name: key.name,
    keyPrefix: keyPrefix(key.mode, key.id),
    testMode: key.mode === 'test',
    scopes: [...key.scopes],
    lastUsedAt: instantOrNull(key.lastUsedAtMs),
    revokedAt: instantOrNull(key.revokedAtMs),
    createdAt: formatInstant(key.createdAtMs),
  };
}

/** For the answer that hands the secret out. */
export function presentKeySecret(made: {
  readonly key: StoredKey;
  readonly secret: string;
}): z.infer<typeof keySecretResponse> {
  return { ...presentKey(made.key), secret: made.secret };
}

export function presentKeys(keys: readonly StoredKey[]): z.infer<typeof keyListResponse> {
  return { data: keys.map(presentKey), nextCursor: null };
}

export function presentSession({ token, mode }: Session): z.infer<typeof sessionResponse> {
  return { token, mode };
}

export function presentOnboarding(status: OnboardingStatus): z.infer<typeof onboardingResponse> {
  return {
    mode: status.mode,
    needsOnboarding: status.needsOnboarding,
    tosAccepted: status.tosAccepted,
    kybStatus: status.kybStatus,
  };
}

export function presentReadiness({
  quarantine = false,
  ...checks
}: Readiness): z.infer<typeof readinessResponse> {
  const ready = Object.values(checks).every((isWell) => isWell);
  return {
    status: !ready ? 'unavailable' : quarantine ? 'quarantine' : 'ready',
    checks: {
      database: checks.database ? 'ok' : 'failed',
      migrations: checks.migrations ? 'ok' : 'pending',
      worker: checks.worker ? 'ok' : 'stalled',
      clock: checks.clock ? 'ok' : 'wrong',
      serving: checks.serving ? 'ok' : 'stopping',
    },
  };
}

/** The hosted form is told of while it is awaited. */
export function presentKyc(submission: KycSubmission, payUrl: string): z.infer<typeof kycResponse> {
  const awaited = awaitsDossier(submission) && submission.flowId !== null;
  return {
    id: submission.id,
    buyerId: submission.buyerId,
    receiverId: submission.receiverId,
    status: submission.status,
    hostedFlowUrl: awaited ? `${payUrl}/kyc/${submission.flowId}` : null,
    submittedAt: formatInstant(submission.submittedAtMs),
    approvedAt: instantOrNull(submission.approvedAtMs),
    rejectedAt: instantOrNull(submission.rejectedAtMs),
  };
}

export function presentUpload(upload: Upload): z.infer<typeof uploadResponse> {
  return {
    uploadUrl: upload.uploadUrl,
    publicUrl: upload.publicUrl,
    uploadHeaders: { ...upload.uploadHeaders },
    uploadMethod: upload.uploadMethod,
    expiresAt: formatInstant(upload.expiresAtMs),
  };
}

export function presentError(error: PonteError): z.infer<typeof errorResponse> {
  const { oldestSequence, feed, retryAfterSeconds: retryAfter } = error;
  return {
    statusCode: error.status,
    error: error.code,
    message: error.message,
    ...(retryAfter === null ? {} : { retryAfter }),
    ...(oldestSequence === null ? {} : { oldestSequence }),
    ...feed,
  };
}

function instantOrNull(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}
