// Payments of integrators and operators: create, read, approve, cancel, fail, expiry. The buyer's
// steps are in buyer-steps.ts, the partner's in partner-operations.ts.

import { emailKey, mailboxKey } from '../../domain/base/email-address.js';
import { linkText } from '../../domain/base/link-text.js';
import { hasUnstorableText } from '../../domain/base/raw-json.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { isOverCap, missingFacts } from '../../domain/commands/regime.js';
import { nextReminderAtMs } from '../../domain/mail/reminder.js';
import type { Buyer, KycStatus } from '../../domain/parties/buyer-kyc.js';
import {
  type ConnectedAccount,
  payeeNameOf,
  readyToCollect,
} from '../../domain/parties/connected-account.js';
import { attached, type Document, isAttachable } from '../../domain/parties/document.js';
import {
  mayCollect,
  type NamedProfile,
  type Organization,
} from '../../domain/parties/organization.js';
import { destinationAt } from '../../domain/parties/payee.js';
import { isShortPaid, type PaymentView } from '../../domain/payments/change.js';
import { displayText } from '../../domain/payments/display.js';
import { paymentEvents, paymentEventTypes } from '../../domain/payments/event.js';
import type { FiscalDocument } from '../../domain/payments/fiscal-document.js';
import { type Funds, noFunds } from '../../domain/payments/funds.js';
import {
  decideCreate,
  paymentMismatch,
  type SentPayment,
} from '../../domain/payments/idempotency.js';
import {
  EXTERNAL_PREFIX,
  firstStatus,
  originsNamed,
  type Payment,
  type PaymentOrigin,
  paymentIdPrefixes,
  paymentOrigins,
} from '../../domain/payments/payment.js';
import {
  approved,
  cancelled,
  documented,
  expired,
} from '../../domain/payments/payment-transitions.js';
import { assert, expectFound, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageApprovalNotices } from '../mail/owner-notices.js';
import { eachDue } from '../service/due-work.js';
import { stageEvents } from '../webhooks/feed.js';
import { changePayment, kycStatusOf, loadView, readView, viewAfter } from './payment-store.js';

/** The interface's minimum for USD: 10.00. */
export const MINIMUM_USD_MINOR = 1_000n;
/** Maximum length of a cancel or failure reason, in characters. */
export const REASON_LENGTH_MAX = 500;
/** 128 random bits after 16 bits of the time. */
const PUBLIC_ID_BYTES = 18;
/** A few commits under load. The link does not reveal a more exact time. */
const PUBLIC_ID_MOMENT_MS = 64;

const noInvoiceFields = { number: null, dueDate: null, attachmentDocumentId: null } as const;

/** What a create sends; an invoice has more fields. */
export type NewPayment =
  | ({ readonly origin: 'payment_intent' } & Omit<SentPayment, keyof typeof noInvoiceFields>)
  | ({ readonly origin: 'invoice' } & SentPayment);

export type CreatePaymentInput = NewPayment &
  Pick<Payment, 'createdByMemberId'> & {
    /** The id of the API key, or of the member in the dashboard. */
    readonly createdBy: string;
    readonly idempotencyKey: string | null;
  };

export interface CreatedPayment extends PaymentView {
  /** The payment existed: found by its key or externalId. */
  readonly replayed: boolean;
  /** The fields of a replay that differ from what is stored. */
  readonly mismatch: readonly string[];
}

/**
 * Creates a payment, or finds the one of its idempotency key or externalId. Concurrent creates make
 * one payment. IdempotencyKeyConflict, KybNotApproved, ValidationError (currency),
 * AmountBelowMinimum, AmountAboveCap, ValidationError (expiresAt), SellerNotReady,
 * PaymentMissingFields, ValidationError (attachment), in this order.
 */
export async function createPayment(
  deps: Deps,
  tenant: Tenant,
  input: CreatePaymentInput,
): Promise<CreatedPayment> {
  const { origin, idempotencyKey: key } = input;
  const created = await deps.store.run(async (tx) => {
    const nowMs = deps.clock.nowMs();
    const [early, read] = await Promise.all([
      tx.insertsFirst ? notFound : tx.idempotency.ofCreate(tenant, input),
      readForCreate(tx, tenant, input),
    ]);
    const checked = checkCreateWithFacts(deps, tenant, input, read, nowMs);
    const isRefused = checked instanceof PonteError;
    // A replay is answered before the refusals of a create.
    const isUnseen = tx.insertsFirst && isRefused;
    const existing = isUnseen ? await tx.idempotency.ofCreate(tenant, input) : early;
    const decision = decideCreate({ origin, key, ...existing });
    if (decision.kind === 'conflict') throw keyConflict(origin);
    const bind = (paymentId: string) => {
      if (key === null || !decision.bindKey) return;
      tx.idempotency.bind(tenant, key, origin, paymentId, nowMs);
    };
    if (decision.kind === 'replay') {
      const view = await loadView(tx, tenant, decision.resourceId);
      bind(view.payment.id);
      return { ...view, replayed: true };
    }
    if (isRefused) throw checked;
    const buyer = read.known?.buyer ?? newBuyer(deps, tenant, input.buyer.email, nowMs);
    const payment = newPayment(deps, tenant, input, { ...checked, buyerId: buyer.id, nowMs });
    const kycStatus = read.known?.kycStatus ?? (await kycStatusOf(tx, payment));
    const attachment = await attachmentOf(tx, payment);
    guardCreate(tx, read);
    // The first writes are those that may be refused: usually there is nothing to take back then.
    // With a new key and a taken externalId the second one is, and the group is applied again.
    bind(payment.id);
    tx.payments.insert(payment);
    if (attachment !== null) tx.documents.update(attached(attachment, payment.id));
    // A create does not change an existing buyer: its data proves nothing.
    if (read.known === null) tx.buyers.insert(buyer);
    const funds = await stageNew(deps, tx, payment, input.createdBy);
    return { payment, funds, kycStatus, settlements: [], replayed: false };
  });
  if (!created.replayed) return { ...created, mismatch: [] };
  const { payment } = created;
  const mismatch = mismatchOf(input, payment);
  if (mismatch.length > 0) {
    deps.log.warn('a repeated create differs', { paymentId: payment.id, fields: mismatch });
  }
  return { ...created, mismatch };
}

/** What a create would do now. At most one of the two is not null. */
export interface CreateCheck {
  /** A replay: the payment that exists, and the fields that differ from it. */
  readonly existing: Pick<CreatedPayment, 'payment' | 'mismatch'> | null;
  /** A refusal of `createPayment`. */
  readonly refusal: PonteError | null;
}

/** Checks creates of invoices in the order given, and stores nothing. */
export async function checkInvoices(
  deps: Deps,
  tenant: Tenant,
  inputs: readonly Extract<CreatePaymentInput, { origin: 'invoice' }>[],
): Promise<readonly CreateCheck[]> {
  const nowMs = deps.clock.nowMs();
  const sellerIds = new Set(inputs.flatMap(({ sellerExternalId }) => sellerExternalId ?? []));
  return deps.store.run(async (tx) => {
    const [named, organization] = await Promise.all([
      tx.organizations.named(tenant),
      tx.organizations.get(tenant.orgId),
    ]);
    const found = [...sellerIds].map((id) => tx.accounts.byExternalId(tenant, id));
    const sellers = new Map((await Promise.all(found)).map((one) => [one?.externalId, one]));
    const check = async (input: CreatePaymentInput): Promise<CreateCheck> => {
      const { origin, idempotencyKey: key, sellerExternalId } = input;
      const existing = await tx.idempotency.ofCreate(tenant, input);
      const decision = decideCreate({ origin, key, ...existing });
      if (decision.kind === 'conflict') return { existing: null, refusal: keyConflict(origin) };
      if (decision.kind === 'replay') {
        const { payment } = await loadView(tx, tenant, decision.resourceId);
        return { existing: { payment, mismatch: mismatchOf(input, payment) }, refusal: null };
      }
      const seller = sellers.get(sellerExternalId ?? undefined) ?? null;
      const checked = checkCreateWithFacts(
        deps,
        tenant,
        input,
        { named, seller, organization },
        nowMs,
      );
      return { existing: null, refusal: checked instanceof PonteError ? checked : null };
    };
    return Promise.all(inputs.map(check));
  });
}

function mismatchOf(input: CreatePaymentInput, stored: Payment): readonly string[] {
  return paymentMismatch({ ...noInvoiceFields, ...input }, stored);
}

function keyConflict(origin: PaymentOrigin): PonteError {
  const [wanted, bound] =
    origin === 'invoice' ? ['an invoice', 'a payment intent'] : ['a payment intent', 'an invoice'];
  const message = `This Idempotency-Key created ${bound}. Send a new key to create ${wanted}.`;
  return new PonteError('IdempotencyKeyConflict', message);
}

/**
 * The payment that a path names by its id or, with `ext_`, by its externalId, if it has one of
 * these origins. NotFound; AmbiguousExternalId if payments of two origins have this externalId.
 */
export async function readPayment(
  deps: Deps,
  tenant: Tenant,
  idOrExternalId: string,
  origins: readonly PaymentOrigin[] = paymentOrigins,
): Promise<PaymentView> {
  const named = originsNamed(idOrExternalId, origins);
  const isExternal = idOrExternalId.startsWith(EXTERNAL_PREFIX);
  const externalId = idOrExternalId.slice(EXTERNAL_PREFIX.length);
  const views = await deps.store.run((tx) =>
    Promise.all(
      named.map((origin) =>
        isExternal
          ? tx.views.byExternalId(tenant, origin, externalId)
          : tx.views.get(tenant, idOrExternalId),
      ),
    ),
  );
  const found = views.filter((one) => one !== null);
  const [view] = found;
  if (view === undefined) throw new PonteError('NotFound');
  if (found.length > 1) {
    const ids = found.map(({ payment }) => payment.id).join(' or ');
    const message = `A payment intent and an invoice have this externalId. Send the id: ${ids}.`;
    throw new PonteError('AmbiguousExternalId', message);
  }
  return view;
}

/** The same from cached rows; null: read it. */
export function keptPayment(
  { store }: Pick<Deps, 'store'>,
  tenant: Tenant,
  id: string,
  origins: readonly PaymentOrigin[],
): PaymentView | null {
  if (id.startsWith(EXTERNAL_PREFIX) || originsNamed(id, origins).length === 0) return null;
  return store.kept.view(tenant, id);
}

/**
 * An approved payment is unchanged. SelfApprovalNotAllowed for the member who created it, also with
 * another address of the same mailbox; PaymentStateConflict.
 */
export async function approvePayment(
  deps: Deps,
  tenant: Tenant,
  id: string,
  memberId: string,
): Promise<PaymentView> {
  await changePayment(deps, tenant, id, async (was, tx) => {
    await expectSecondPerson(tx, was.payment, memberId);
    const change = approved(was, memberId, deps.clock.nowMs());
    if (change.payment !== was.payment) await stageApprovalNotices(deps, tx, change.payment);
    return change;
  });
  deps.wake('mails');
  return readView(deps, tenant, id);
}

async function expectSecondPerson(
  tx: Tx,
  { orgId, createdByMemberId }: Payment,
  memberId: string,
): Promise<void> {
  if (createdByMemberId === null) return;
  const [creator, approver] = await Promise.all([
    tx.members.get(orgId, createdByMemberId),
    tx.members.get(orgId, memberId),
  ]);
  if (creator === null || approver === null) return;
  if (mailboxKey(creator.email) !== mailboxKey(approver.email)) return;
  throw new PonteError('SelfApprovalNotAllowed');
}

/** A cancelled payment is unchanged. PaymentNotCancellable. */
export async function cancelPayment(
  deps: Deps,
  tenant: Tenant,
  id: string,
  reason: string,
): Promise<PaymentView> {
  const change = await changePayment(deps, tenant, id, async (was, tx) =>
    cancelled(was, await tx.commands.ofPayment(tenant, id), reason, deps.clock.nowMs()),
  );
  return viewAfter(deps, change);
}

/** Adds or replaces the fiscal document; the same one again changes nothing. */
export async function setFiscalDocument(
  deps: Deps,
  tenant: Tenant,
  id: string,
  sent: FiscalDocument,
): Promise<PaymentView> {
  const change = await changePayment(deps, tenant, id, (was) =>
    documented(was, sent, deps.clock.nowMs()),
  );
  return viewAfter(deps, change);
}

/**
 * The buyer takes back what it sent so far. PaymentStateConflict unless the payment is still short
 * and has the version that the buyer saw: the rest may have arrived since.
 */
export async function takeShortBack(
  deps: Deps,
  tenant: Tenant,
  id: string,
  version: number,
): Promise<void> {
  const reason = 'the buyer asked for the money back';
  await changePayment(deps, tenant, id, async (was, tx) => {
    const isSeen = was.payment.version === version;
    if (!isSeen || !isShortPaid(was)) throw new PonteError('PaymentStateConflict');
    const commands = await tx.commands.ofPayment(tenant, id);
    return cancelled(was, commands, reason, deps.clock.nowMs());
  });
}

/** The integrator receives it. */
export function checkedReason(reason: string): string {
  const checked = reason.trim();
  if (checked !== '' && [...checked].length <= REASON_LENGTH_MAX && !hasUnstorableText(checked))
    return checked;
  throw invalid(`reason: give 1 to ${REASON_LENGTH_MAX} characters of text.`);
}

/** Finds a payment of any tenant, for operators. */
export async function findPayment(deps: Deps, id: string): Promise<Payment> {
  return expectFound(await deps.store.run((tx) => tx.payments.find(id)));
}

export async function runExpiry(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return eachDue(
    deps,
    'expiry',
    { nowMs, limit },
    {
      read: (page) => deps.store.claims.expiredPayments(page),
      cursorOf: ({ id, expiresAtMs }) => ({ id, dueAtMs: expiresAtMs ?? nowMs }),
      work: async (payment) => {
        const tenant = tenantOf(payment);
        await changePayment(deps, tenant, payment.id, async (was, tx) =>
          expired(was, await tx.commands.ofPayment(tenant, payment.id), nowMs),
        );
      },
    },
  );
}

const notFound = { boundTo: null, existingByExternalId: null } as const;

/** What a create depends on. */
interface CreateReads {
  readonly named: NamedProfile | null;
  readonly seller: ConnectedAccount | null;
  /** Read for an invoice only. */
  readonly organization: Organization | null;
  readonly known: { readonly buyer: Buyer; readonly kycStatus: KycStatus } | null;
}

async function readForCreate(
  tx: Tx,
  tenant: Tenant,
  { origin, sellerExternalId, buyer }: CreatePaymentInput,
): Promise<CreateReads> {
  const [named, seller, organization, known] = await Promise.all([
    tx.organizations.named(tenant),
    sellerExternalId === null ? null : tx.accounts.byExternalId(tenant, sellerExternalId),
    origin === 'invoice' ? tx.organizations.get(tenant.orgId) : null,
    tx.views.buyer(tenant, emailKey(buyer.email)),
  ]);
  return { named, seller, organization, known };
}

/** A new payment depends on these rows. */
function guardCreate(tx: Tx, { named, seller, organization }: CreateReads): void {
  if (named !== null) tx.organizations.expectProfile(named.profile);
  if (seller !== null) tx.accounts.expect(seller);
  if (organization !== null) tx.organizations.expect(organization);
}

/** Who is paid, and the PIX destination. */
type Payee = Pick<Payment, 'payeeName' | 'destination'>;
type CheckedFields = Pick<
  CreatePaymentInput,
  'origin' | 'amount' | 'expiresAtMs' | 'sellerExternalId'
>;
type Checked = Payee & Pick<Payment, 'status' | 'requiresApproval'>;

export function isBelowMinimum({ currency, amountMinor }: CreatePaymentInput['amount']): boolean {
  return currency === 'USD' && amountMinor < MINIMUM_USD_MINOR;
}

/** `checkCreate`, and then PaymentMissingFields: a price is shown without these facts. */
function checkCreateWithFacts(
  deps: Deps,
  tenant: Tenant,
  input: CreatePaymentInput,
  reads: Omit<CreateReads, 'known'>,
  nowMs: number,
): PonteError | Checked {
  const checked = checkCreate(deps, tenant, input, reads, nowMs);
  if (checked instanceof PonteError) return checked;
  const missing = missingFacts(deps.settings.regime, input);
  if (missing.length === 0) return checked;
  const text = `Send ${missing.join(' and ')}, which the partner reports of each payment.`;
  return new PonteError('PaymentMissingFields', text);
}

/** The first refusal of a create, in their order; else what follows from what was read. */
export function checkCreate(
  deps: Deps,
  { mode }: Tenant,
  { origin, amount, expiresAtMs, sellerExternalId }: CheckedFields,
  { named, seller, organization }: Omit<CreateReads, 'known'>,
  nowMs: number,
): PonteError | Checked {
  const partner = deps.partners[mode];
  if (named === null || partner === null || !mayCollect(named.profile)) {
    return new PonteError('KybNotApproved');
  }
  if (!partner.currencies.includes(amount.currency)) {
    const known = partner.currencies.join(', ');
    return invalid(`currency: send one of ${known}.`);
  }
  if (isBelowMinimum(amount)) return new PonteError('AmountBelowMinimum');
  if (isOverCap(deps.settings.regime, amount)) return new PonteError('AmountAboveCap');
  if (amount.amountMinor <= 0n) return invalid('amount: send an amount above zero.');
  if (expiresAtMs !== null && expiresAtMs <= nowMs) {
    return invalid('expiresAt: send a time in the future.');
  }
  const { profile, name } = named;
  const requiresApproval = organization?.requiresApproval ?? profile.intentsNeedApproval;
  const decided = { requiresApproval, status: firstStatus(origin, requiresApproval) };
  if (sellerExternalId !== null) {
    const payee = sellerPayee(seller, nowMs);
    return payee === null ? new PonteError('SellerNotReady') : { ...decided, ...payee };
  }
  const destination = destinationAt(profile, nowMs);
  if (destination === null) {
    const message = 'The organization has no PIX destination. Register one, then create again.';
    return new PonteError('SellerNotReady', message);
  }
  return { ...decided, payeeName: name, destination };
}

/** The uploaded document that a new payment names. ValidationError. */
async function attachmentOf(tx: Tx, payment: Payment): Promise<Document | null> {
  const { attachmentDocumentId: id } = payment;
  if (id === null) return null;
  const document = await tx.documents.find(id);
  if (document !== null && isAttachable(document, payment)) return document;
  const message = 'name a document that you uploaded as an attachment and no invoice has.';
  throw invalid(`attachmentDocumentId: ${message}`);
}

/** Where a new payment to the same payee would be paid. SellerNotReady. */
export async function currentDestination(tx: Tx, payment: Payment, nowMs: number): Promise<string> {
  const tenant = tenantOf(payment);
  const { sellerExternalId } = payment;
  if (sellerExternalId !== null) {
    const seller = await tx.accounts.byExternalId(tenant, sellerExternalId);
    const payee = sellerPayee(seller, nowMs);
    if (seller === null || payee === null) throw new PonteError('SellerNotReady');
    // It must still be ready when the payment is stored.
    tx.accounts.expect(seller);
    return payee.destination;
  }
  const profile = await tx.organizations.profile(tenant);
  const destination = profile === null ? null : destinationAt(profile, nowMs);
  if (profile === null || destination === null) throw new PonteError('SellerNotReady');
  tx.organizations.expectProfile(profile);
  return destination;
}

/** Null unless the seller is ready, and has a name that the buyer can be shown. */
function sellerPayee(seller: ConnectedAccount | null, nowMs: number): Payee | null {
  if (seller === null || !readyToCollect(seller)) return null;
  const payeeName = payeeNameOf(seller);
  if (payeeName === null || displayText(payeeName) === null) return null;
  const destination = destinationAt(seller, nowMs);
  assert(destination !== null, 'a seller that is ready has a destination');
  return { payeeName, destination };
}

async function stageNew(deps: Deps, tx: Tx, payment: Payment, createdBy: string): Promise<Funds> {
  const { createdAtMs: nowMs } = payment;
  const funds = noFunds(payment);
  const types = paymentEventTypes(payment, 'created');
  const drafts = types.map((type) => ({ type, payment, createdBy, occurredAtMs: nowMs }));
  await stageEvents(
    deps,
    tx,
    paymentEvents(drafts, () => deps.ids.next('evt', nowMs)),
  );
  return funds;
}

export function newBuyer(deps: Deps, tenant: Tenant, email: string, nowMs: number): Buyer {
  const id = deps.ids.next('byr', nowMs);
  return { id, mode: tenant.mode, email, emailKey: emailKey(email), createdAtMs: nowMs };
}

function newPayment(
  deps: Deps,
  tenant: Tenant,
  input: CreatePaymentInput,
  decided: Checked & Pick<Payment, 'buyerId'> & { readonly nowMs: number },
): Payment {
  const { nowMs, ...known } = decided;
  const { idempotencyKey: _, createdBy: __, ...sent } = input;
  return Object.freeze({
    ...noInvoiceFields,
    ...sent,
    ...known,
    ...tenantOf(tenant),
    id: deps.ids.next(paymentIdPrefixes[input.origin], nowMs),
    publicId: newPublicId(deps, nowMs),
    approvedByMemberId: null,
    invitedAtMs: null,
    remindAtMs: nextReminderAtMs(input.origin === 'invoice' ? input.dueDate : null, nowMs),
    buyerLocale: null,
    limitHit: null,
    colleagueApproval: null,
    approvalLostAtMs: null,
    quoteId: null,
    confirmedLocale: null,
    payinInstructions: null,
    bankDetailsCode: null,
    consolidatedReference: null,
    coveredAtMs: null,
    transactionHash: null,
    payinAsset: null,
    payer: null,
    settlement: null,
    settledAtMs: null,
    failureCode: null,
    failureReason: null,
    cancelReason: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    version: 1,
  });
}

/**
 * Ids of one moment have the same prefix, so a commit of many writes few pages of their index. The
 * prefix repeats within 70 minutes, so it does not reveal the time of creation.
 */
function newPublicId(deps: Deps, nowMs: number): string {
  const bytes = Buffer.from(deps.ids.randomBytes(PUBLIC_ID_BYTES));
  bytes.writeUInt16BE(Math.floor(nowMs / PUBLIC_ID_MOMENT_MS) % 2 ** 16);
  return linkText(bytes);
}
