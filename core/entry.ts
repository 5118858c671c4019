// The public exports of `ponte-payments/core`: tables, types and ports for embedding and adapters.

export { type Member, type MemberRole, scopeHolders } from './domain/access/member.js';
export { type Scope, scopes } from './domain/access/scope.js';
export { formatInstant, parseInstant } from './domain/base/instant.js';
export { formatAmount, type Money, parseAmount } from './domain/base/money.js';
export { schedules } from './domain/base/schedules.js';
export type { Mode, Tenant } from './domain/base/tenant.js';
export {
  type CommandState,
  commandMoves,
  type PartnerCommand,
} from './domain/commands/partner-command.js';
export type { Quote, QuoteTerms } from './domain/commands/quote.js';
export type { PayinReport, PayoutReport } from './domain/commands/report-check.js';
export {
  type AccountStatus,
  type ConnectedAccount,
  type EntityType,
  type Role,
  readyToCollect,
} from './domain/parties/connected-account.js';
export { type Document, documentKinds, documentMoves } from './domain/parties/document.js';
export {
  type Dossier,
  type Owner,
  ownerRequirements,
  requirements,
} from './domain/parties/dossier.js';
export { type PartyMove, type PartyStatus, partyMoves } from './domain/parties/party.js';
export type { PaymentView } from './domain/payments/change.js';
export { type DomainEvent, eventTypes, matchesEvent } from './domain/payments/event.js';
export {
  type Funds,
  heldMinor,
  type Position,
  positions,
  type RefundState,
  refundStates,
} from './domain/payments/funds.js';
export { decideCreate, idempotencyTable } from './domain/payments/idempotency.js';
export { type LedgerAccount, type Posting, sumByCurrency } from './domain/payments/ledger.js';
export {
  type BuyerHint,
  isCancellable,
  isTerminal,
  type Payment,
  type PaymentMove,
  type PaymentOrigin,
  type PaymentStatus,
  paymentMoves,
} from './domain/payments/payment.js';
export { signWebhook, verifyWebhook, webhookHeaders } from './domain/webhooks/signature.js';
export type { Subscription } from './domain/webhooks/subscription.js';
export { deliveryMoves, type WebhookDelivery } from './domain/webhooks/webhook-delivery.js';
export { catalogue, type ErrorCode, PonteError } from './errors.js';
export type * from './ports/deps.js';
export type * from './ports/letters.js';
export type * from './ports/outside.js';
export type * from './ports/partner.js';
export type * from './ports/storage.js';
export type { CreatedPayment, CreatePaymentInput } from './usecases/payments/payments.js';
