// Domain values for tests that need some of everything: valid, distinct in every field that could
// be mixed up, and changed by the fields that a test is about.

import type { StoredKey } from '../../../core/domain/access/api-key.js';
import type { Member } from '../../../core/domain/access/member.js';
import type { Passkey } from '../../../core/domain/access/passkey.js';
import type { Person } from '../../../core/domain/access/person.js';
import type { MemberSession } from '../../../core/domain/access/session.js';
import { unused } from '../../../core/domain/access/session.js';
import { emailKey } from '../../../core/domain/base/email-address.js';
import { money } from '../../../core/domain/base/money.js';
import { recordOf } from '../../../core/domain/base/record-of.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { Asset } from '../../../core/domain/commands/asset.js';
import {
  type MoneyCommand,
  newCommand,
  type PartyCommand,
} from '../../../core/domain/commands/partner-command.js';
import type { InboxMessage } from '../../../core/domain/commands/partner-message.js';
import type { Quote } from '../../../core/domain/commands/quote.js';
import type { Buyer, KycSubmission } from '../../../core/domain/parties/buyer-kyc.js';
import type { ConnectedAccount } from '../../../core/domain/parties/connected-account.js';
import { contactNames } from '../../../core/domain/parties/contact.js';
import type { DestinationChange } from '../../../core/domain/parties/destination-change.js';
import type { Document } from '../../../core/domain/parties/document.js';
import type { Logo } from '../../../core/domain/parties/logo.js';
import {
  mailSwitches,
  newOrganization,
  type Organization,
  type OrganizationProfile,
} from '../../../core/domain/parties/organization.js';
import type { PartyDraft } from '../../../core/domain/parties/party-draft.js';
import type { ProductionRequest } from '../../../core/domain/parties/production-request.js';
import type { LimitHit } from '../../../core/domain/payments/amount-limit.js';
import {
  type DomainEvent,
  headAfter,
  type NumberedEvent,
} from '../../../core/domain/payments/event.js';
import { type Funds, noFunds } from '../../../core/domain/payments/funds.js';
import type { PayerFacts } from '../../../core/domain/payments/payer-facts.js';
import type { Advance, Payment } from '../../../core/domain/payments/payment.js';
import type { RefusedRequest } from '../../../core/domain/service/refused-request.js';
import type { Subscription } from '../../../core/domain/webhooks/subscription.js';
import {
  type AttemptResult,
  type DeliveryAttempt,
  newDelivery,
  type WebhookDelivery,
} from '../../../core/domain/webhooks/webhook-delivery.js';
import type { DuePage } from '../../../core/ports/storage.js';
import { sampleInstructions } from './payin-samples.js';

/** 2026-01-02T03:04:05.678Z. */
export const T0 = 1_767_323_045_678;

export const sampleAsset: Asset = {
  token: 'USDC',
  network: 'base',
  quantity: '99.20',
  transactionHash: '0xabc',
  fromWallet: '0xfrom',
  toWallet: null,
};

export const samplePayer: PayerFacts = {
  verified: { name: 'Acme Inc.', country: 'US' },
  told: [{ name: 'ACME INC', bank: 'Bank of Somewhere', payinId: 'cmd_1' }],
};

export const tenant: Tenant = { orgId: 'org_a', mode: 'test' };
export const otherMode: Tenant = { orgId: 'org_a', mode: 'live' };
export const otherOrg: Tenant = { orgId: 'org_b', mode: 'test' };

export function duePage(limit: number, nowMs = T0, after: DuePage['after'] = null): DuePage {
  return { nowMs, limit, after };
}

export function anOrganization(fields: Partial<Organization> = {}): Organization {
  return {
    ...newOrganization('org_a', 'Acme Ltda · São Paulo', T0),
    productionGrantedAtMs: T0 + 1,
    requiresApproval: true,
    ...recordOf(mailSwitches, () => true),
    requiresPasskey: true,
    ...recordOf(contactNames, (name) => `https://acme.example/${name}`),
    supportEmail: 'help@acme.example',
    supportPhone: '+55 11 5555-0100',
    accentColor: '#8a1c4a',
    logoHash: 'ab'.repeat(8),
    ...fields,
  };
}

export function aLogo(fields: Partial<Logo> = {}): Logo {
  const content = Buffer.from('a picture').toString('base64');
  const file = { contentType: 'image/png', hash: 'ab'.repeat(8), content } as const;
  return { orgId: 'org_a', ...file, version: 1, ...fields };
}

export function aProfile(fields: Partial<OrganizationProfile> = {}): OrganizationProfile {
  return {
    ...tenant,
    status: 'approved',
    commandId: 'cmd_kyb',
    partnerRef: 're_1',
    destinationRef: 'pix_1',
    heldRef: 'pix_2',
    // Beyond every test.
    heldUntilMs: 9_000_000_000_000,
    payoutHoldHours: 12,
    railsCommandId: 'cmd_rails',
    railsRef: 'va_1',
    tosId: 'tos_1',
    tosAcceptedAtMs: T0 + 2,
    intentsNeedApproval: true,
    reason: 'so',
    approvedAtMs: T0 + 5,
    rejectedAtMs: T0 + 6,
    version: 1,
    corrections: '[]',
    answerByMs: T0 + 3,
    answerAlertedAtMs: T0 + 4,
    ...fields,
  };
}

export function aPerson(fields: Partial<Person> = {}): Person {
  const { email = 'Ana@Acme.example' } = fields;
  return {
    id: 'per_1',
    email,
    emailKey: emailKey(email),
    createdAtMs: T0,
    version: 1,
    ...fields,
  };
}

export function aMember(fields: Partial<Member> = {}): Member {
  const { email = 'Ana@Acme.example' } = fields;
  return {
    id: 'mem_1',
    orgId: 'org_a',
    personId: 'per_1',
    email,
    emailKey: emailKey(email),
    role: 'finance',
    name: null,
    acceptedAtMs: T0 + 1,
    seenAtMs: T0 + 2,
    removedAtMs: null,
    createdAtMs: T0,
    version: 1,
    ...fields,
  };
}

/** Who configures a payout, and may change it. */
export const anyAuthor = { origin: 'key', changedBy: 'key_1', mayRedirect: true } as const;

/** One that is held. */
export function aDestinationChange(fields: Partial<DestinationChange> = {}): DestinationChange {
  return {
    ...tenant,
    id: 'dst_1',
    accountId: 'acct_1',
    fromRef: 'pix_1',
    toRef: 'pix_2',
    pixKeyShown: 'eva…@acme.example',
    changedBy: 'key_1',
    createdAtMs: T0,
    effectiveAtMs: T0 + 9,
    stoppedAtMs: null,
    replacedAtMs: null,
    version: 1,
    ...fields,
  };
}

/** One that waits. */
export function aProductionRequest(fields: Partial<ProductionRequest> = {}): ProductionRequest {
  return {
    orgId: 'org_a',
    id: 'prq_1',
    requestedBy: 'mem_1',
    answers: { sells: 'Coffee', customers: 'Cafés in the US', monthlyVolume: 'USD 80,000' },
    certified: null,
    state: 'requested',
    decidedBy: null,
    decidedAtMs: null,
    reason: null,
    createdAtMs: T0,
    version: 1,
    ...fields,
  };
}

/** One that was ended. */
export function aMemberSession(fields: Partial<MemberSession> = {}): MemberSession {
  const of = {
    ...unused,
    id: 'ses_1',
    kind: 'member',
    personId: 'per_1',
    began: 'passkey',
  } as const;
  const times = { createdAtMs: T0, endsAtMs: T0 + 9, endedAtMs: T0 + 5, seenAtMs: T0 + 1 };
  const tokenHash = `hash of ${fields.id ?? of.id}`;
  return { ...of, ...times, tokenHash, version: 1, ...fields };
}

export function aPasskey(fields: Partial<Passkey> = {}): Passkey {
  const of = { id: 'psk_1', personId: 'per_1', name: 'phone' };
  const credential = { credentialId: `credential of ${fields.id ?? of.id}`, publicKey: 'pQEC' };
  const times = { createdAtMs: T0, usedAtMs: T0 + 1, removedAtMs: null };
  return { ...of, ...credential, ...times, signCount: 4_294_967_295, version: 1, ...fields };
}

export function aKey(fields: Partial<StoredKey> = {}): StoredKey {
  return {
    ...tenant,
    id: 'key_1',
    name: 'server',
    createdBy: 'mem_1',
    keptBy: null,
    keptScopes: [],
    networks: ['203.0.113.0/24'],
    usedScopes: [],
    expiresAtMs: T0 + 9,
    scopes: ['webhooks:read', 'invoices:write'],
    salt: '00'.repeat(16),
    secretHash: 'ab'.repeat(32),
    lastUsedAtMs: null,
    revokedAtMs: null,
    rolledAtMs: null,
    slot: null,
    createdAtMs: T0,
    version: 1,
    ...fields,
  };
}

export function aLimitHit(fields: Partial<LimitHit> = {}): LimitHit {
  const limit = { period: 'day', left: money(10_000n, 'EUR'), untilMs: T0 + 10 } as const;
  return { ...limit, atMs: T0, isLifted: false, ...fields };
}

export function aPayment(fields: Partial<Payment> = {}): Payment {
  const id = fields.id ?? 'pi_1';
  return {
    ...tenant,
    id,
    origin: 'payment_intent',
    publicId: `pub_${id}`,
    externalId: null,
    status: 'awaiting_buyer',
    amount: money(99_999_999_999_999n, 'EUR'),
    number: 'INV/7',
    dueDate: '2026-02-28',
    attachmentDocumentId: 'doc_9',
    createdByMemberId: 'mem_1',
    requiresApproval: true,
    approvedByMemberId: 'mem_2',
    invitedAtMs: T0 + 3,
    remindAtMs: T0 + 7_000,
    buyerId: 'byr_1',
    buyer: { email: 'Buyer@Example.com', name: 'Zoë 買い手', country: 'JP', phone: '+81 3' },
    sellerExternalId: 'seller-1',
    payeeName: 'Padaria São João Ltda',
    destination: 'pix_1',
    purpose: 'freight_and_logistics',
    payerRelation: 'subsidiary',
    fiscalDocument: { kind: 'other', key: null, number: '7', issuedOn: '2026-01-02' },
    bookedRate: '5.4321',
    returnUrl: 'https://shop.example/back',
    purchaseOrder: 'PO-4711',
    buyerReference: 'KST 300',
    display: '{"b":1,"a":"\\u00e9"}',
    metadata: '{ "command" : 7 }',
    expiresAtMs: T0 + 60_000,
    buyerLocale: 'pt-BR',
    limitHit: aLimitHit(),
    colleagueApproval: {
      state: 'approved',
      email: 'Treasurer@buyer.example',
      askedAtMs: T0 + 2,
      decidedAtMs: T0 + 3,
      reason: null,
    },
    approvalLostAtMs: T0 + 1,
    quoteId: 'qt_1',
    confirmedLocale: 'pt-BR',
    payinInstructions: sampleInstructions({ payByMs: T0 + 90_000 }),
    bankDetailsCode: '7KQ4-M2XD',
    consolidatedReference: 'W2QK-9M4X',
    coveredAtMs: T0 + 7,
    transactionHash: '0xabc',
    payinAsset: sampleAsset,
    payer: samplePayer,
    settlement: {
      settled: money(5_123n, 'BRL'),
      fees: money(10n, 'EUR'),
      fxRate: '5.1234',
      endToEndId: 'E1',
    },
    settledAtMs: T0 + 8,
    failureCode: 'payin_failed',
    failureReason: 'failed so',
    cancelReason: 'cancelled so',
    createdAtMs: T0,
    updatedAtMs: T0 + 5,
    version: 1,
    ...fields,
  };
}

/** As it is right after its creation: everything optional is absent. */
export function aBarePayment(fields: Partial<Payment> = {}): Payment {
  return aPayment({
    number: null,
    dueDate: null,
    attachmentDocumentId: null,
    createdByMemberId: null,
    requiresApproval: false,
    approvedByMemberId: null,
    invitedAtMs: null,
    remindAtMs: null,
    buyer: { email: 'buyer@example.com', name: null, country: null, phone: null },
    sellerExternalId: null,
    returnUrl: null,
    purchaseOrder: null,
    buyerReference: null,
    display: null,
    metadata: '{}',
    buyerLocale: null,
    payeeName: null,
    confirmedLocale: null,
    purpose: null,
    payerRelation: null,
    fiscalDocument: null,
    bookedRate: null,
    limitHit: null,
    colleagueApproval: null,
    approvalLostAtMs: null,
    expiresAtMs: null,
    quoteId: null,
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
    ...fields,
  });
}

export function someFunds(fields: Partial<Funds> = {}): Funds {
  return { ...noFunds({ ...tenant, id: 'pi_1', amount: { currency: 'EUR' } }), ...fields };
}

export function aQuote(fields: Partial<Quote> = {}): Quote {
  return {
    ...tenant,
    id: 'qt_1',
    paymentId: 'pi_1',
    partnerQuoteId: 'pq_1',
    source: money(10_000n, 'EUR'),
    fees: money(150n, 'USD'),
    rate: '5.12345678',
    target: money(51_000n, 'BRL'),
    rateKind: 'locked',
    lockedUntilMs: T0 + 10,
    expiresAtMs: T0 + 20,
    createdAtMs: T0,
    ...fields,
  };
}

const worked = {
  request: 'sealed',
  partnerRef: 'pa_1',
  tries: 3,
  lastError: 'it was late',
  lastSentAtMs: T0 + 1,
  updatedAtMs: T0 + 2,
  heldSinceMs: T0 + 3,
  lateAtMs: T0 + 4,
} as const;
const named = (id = 'cmd_1') => ({ id: 'cmd_1', reference: `ref_of_${id}` });

export function aCommand(fields: Partial<MoneyCommand> = {}): MoneyCommand {
  const draft = { kind: 'payin', amount: money(10_000n, 'EUR'), payinId: null } as const;
  const command = newCommand(tenant, named(fields.id), { ...draft, paymentId: 'pi_1' }, T0);
  const partnerRef = (fields.id ?? 'cmd_1').replace(/^cmd/, 'pa');
  return { ...command, ...worked, partnerRef, ...fields };
}

export function aPartyCommand(fields: Partial<PartyCommand> = {}): PartyCommand {
  const subject = { kind: 'organization', id: tenant.orgId } as const;
  const party = { kind: 'submit_organization', subject } as const;
  return { ...newCommand(tenant, named(fields.id), party, T0), ...worked, ...fields };
}

export function aBuyer(fields: Partial<Buyer> = {}): Buyer {
  return {
    id: 'byr_1',
    mode: 'test',
    email: 'Buyer@Example.com',
    emailKey: 'buyer@example.com',
    createdAtMs: T0,
    ...fields,
  };
}

export function aSubmission(fields: Partial<KycSubmission> = {}): KycSubmission {
  return {
    ...tenant,
    id: 'kyc_1',
    buyerId: 'byr_1',
    flowId: 'flow_1',
    receiverId: 'rcv_1',
    status: 'verifying',
    partnerRef: 're_1',
    reason: 'so',
    tosId: 'tos_1',
    draftSealed: 'sealed',
    dossierSealed: 'sealed too',
    corrections: '[]',
    answerByMs: T0 + 4,
    answerAlertedAtMs: T0 + 5,
    commandId: 'cmd_1',
    submittedBy: 'integrator',
    legalName: 'Ana Souza',
    country: 'DE',
    bornHash: 'bb',
    taxHash: 'cc',
    documentHash: 'dd',
    factTries: 1,
    submittedAtMs: T0 + 1,
    approvedAtMs: T0 + 2,
    rejectedAtMs: T0 + 3,
    createdAtMs: T0,
    version: 1,
    ...fields,
  };
}

export function aPartyDraft(fields: Partial<PartyDraft> = {}): PartyDraft {
  return { ...tenant, id: 'acct_1', draftSealed: 'sealed', savedAtMs: T0, version: 1, ...fields };
}

export function anAccount(fields: Partial<ConnectedAccount> = {}): ConnectedAccount {
  return {
    ...tenant,
    id: 'acct_1',
    externalId: null,
    role: 'seller',
    entityType: 'business',
    status: 'approved',
    receiverId: 'rcv_1',
    commandId: 'cmd_1',
    partnerRef: 're_1',
    email: 'Seller@Example.com',
    legalName: 'Zoë Ltda',
    displayName: 'Zoë',
    country: 'BR',
    locale: null,
    taxIdSealed: 'sealed',
    taxIdLast4: '0181',
    tosSessionKey: 'session_1',
    tosId: 'tos_1',
    destinationRef: 'pix_1',
    heldRef: null,
    heldUntilMs: null,
    railsCommandId: 'cmd_2',
    railsRef: 'wallet_1',
    readyAtMs: T0 + 3,
    reason: 'so',
    approvedAtMs: T0 + 1,
    rejectedAtMs: T0 + 2,
    createdAtMs: T0,
    updatedAtMs: T0 + 4,
    corrections: '[]',
    answerByMs: T0 + 5,
    answerAlertedAtMs: T0 + 6,
    version: 1,
    ...fields,
  };
}

export function aDocument(fields: Partial<Document> = {}): Document {
  return {
    ...tenant,
    id: 'doc_1',
    owner: { party: 'buyer', id: 'byr_1' },
    kind: 'proof_of_address',
    ownerIndex: 20,
    contentType: 'application/pdf',
    expiresOn: null,
    fileName: 'fatura São João.pdf',
    status: 'stored',
    contentName: 'ab12',
    sizeBytes: 10_485_760,
    tokenHashes: { upload: 'aa'.repeat(32), read: 'bb'.repeat(32) },
    uploads: 3,
    slot: null,
    uploadUntilMs: T0 + 11,
    dueAtMs: T0 + 12,
    tries: 2,
    createdAtMs: T0,
    purgedAtMs: T0 + 13,
    version: 1,
    ...fields,
  };
}

export function aRefusedRequest(fields: Partial<RefusedRequest> = {}): RefusedRequest {
  return {
    id: 'req_1',
    requestId: 'request 1',
    atMs: T0,
    operation: 'createPaymentIntent',
    status: 400,
    code: 'ValidationError',
    field: 'amount',
    ...tenant,
    credentialId: 'key_1',
    version: 1,
    ...fields,
  };
}

export function anEvent(fields: Partial<DomainEvent> = {}): DomainEvent {
  return {
    ...tenant,
    id: 'evt_1',
    type: 'payment_intent.created',
    subjectId: 'pi_1',
    body: '{"event":"payment_intent.created","data":{}}',
    createdAtMs: T0,
    ...fields,
  };
}

/** The first event of its feed. */
export function aFeedEvent(fields: Partial<DomainEvent> = {}): NumberedEvent {
  const event = anEvent(fields);
  return { ...event, ...headAfter(null, event.body) };
}

export function aSubscription(fields: Partial<Subscription> = {}): Subscription {
  return {
    ...tenant,
    id: 'whs_1',
    url: 'https://receiver.example/hooks',
    eventTypes: ['payment_intent.*', 'invoice.settled'],
    active: true,
    paused: false,
    slot: null,
    secretSealed: 'sealed',
    createdAtMs: T0,
    updatedAtMs: T0 + 1,
    version: 1,
    ...fields,
  };
}

export function aDelivery(fields: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const fresh = newDelivery({
    ...tenant,
    id: 'whd_1',
    subscriptionId: 'whs_1',
    eventId: 'evt_1',
    eventType: 'payment_intent.created',
    createdAtMs: T0,
  });
  return { ...fresh, ...fields };
}

export const anAttemptResult: AttemptResult = {
  startedAtMs: T0,
  durationMs: 12,
  responseStatus: 500,
  responseBody: 'oh no',
  error: null,
};

export function anAttempt(fields: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return { id: 'att_1', deliveryId: 'whd_1', attempt: 1, ...anAttemptResult, ...fields };
}

export function aMessage(fields: Partial<InboxMessage> = {}): InboxMessage {
  return {
    partner: 'fake',
    mode: 'test',
    messageId: 'msg_1',
    facts: '[]',
    receivedAtMs: T0,
    dueAtMs: T0 + 1,
    tries: 0,
    version: 1,
    ...fields,
  };
}

export function anAdvance(fields: Partial<Advance> = {}): Advance {
  return {
    ...tenant,
    paymentId: 'pi_1',
    to: 'settled',
    dueAtMs: T0,
    tries: 0,
    version: 1,
    ...fields,
  };
}
