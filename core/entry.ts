// The public exports of `ponte/core`: tables, types and ports for embedding and for adapters.

export type { PaymentView } from './domain/change.js';
export {
  type AccountStatus,
  type ConnectedAccount,
  type EntityType,
  type Role,
  readyToCollect,
} from './domain/connected-account.js';
export { type Document, documentKinds, documentMoves } from './domain/document.js';
export { type Dossier, type Owner, ownerRequirements, requirements } from './domain/dossier.js';
export { type DomainEvent, eventTypes, matchesEvent } from './domain/event.js';
export {
  type Funds,
  heldMinor,
  type Position,
  positions,
  type RefundState,
  refundStates,
} from './domain/funds.js';
export { decideCreate, idempotencyTable } from './domain/idempotency.js';
export { formatInstant, parseInstant } from './domain/instant.js';
export { type LedgerAccount, type Posting, sumByCurrency } from './domain/ledger.js';
export { type Member, type MemberRole, scopeHolders } from './domain/member.js';
export { formatAmount, type Money, parseAmount } from './domain/money.js';
export { type CommandState, commandMoves, type PartnerCommand } from './domain/partner-command.js';
export { type PartyMove, type PartyStatus, partyMoves } from './domain/party.js';
export {
  type BuyerHint,
  isCancellable,
  isTerminal,
  type Payment,
  type PaymentMove,
  type PaymentOrigin,
  type PaymentStatus,
  paymentMoves,
} from './domain/payment.js';
export type { Quote, QuoteTerms } from './domain/quote.js';
export type { PayinReport, PayoutReport } from './domain/report-check.js';
export { schedules } from './domain/schedules.js';
export { type Scope, scopes } from './domain/scope.js';
export { signWebhook, verifyWebhook, webhookHeaders } from './domain/signature.js';
export type { Subscription } from './domain/subscription.js';
export type { Mode, Tenant } from './domain/tenant.js';
export { deliveryMoves, type WebhookDelivery } from './domain/webhook-delivery.js';
export { catalogue, type ErrorCode, PonteError } from './errors.js';
export type * from './ports/deps.js';
export type * from './ports/letters.js';
export type * from './ports/outside.js';
export type * from './ports/partner.js';
export type * from './ports/storage.js';
export type { CreatedPayment, CreatePaymentInput } from './usecases/payments.js';
