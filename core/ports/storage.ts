// The storage port. An adapter implements it for one database. The domain documents what the rows
// mean.

import type { StoredKey } from '../domain/access/api-key.js';
import type { Member } from '../domain/access/member.js';
import type { Passkey } from '../domain/access/passkey.js';
import type { Person } from '../domain/access/person.js';
import type { RegisteredOperator } from '../domain/access/registered-operator.js';
import type { Scope } from '../domain/access/scope.js';
import type {
  AnySession,
  MemberSession,
  OperatorSession,
  PageSession,
  PageSessionKind,
  SessionAbout,
  SessionKind,
  SessionOf,
} from '../domain/access/session.js';
import type { Accounting } from '../domain/accounting/accounting.js';
import type { PaymentPosting } from '../domain/accounting/settlement-entry.js';
import type { Actor } from '../domain/base/actor.js';
import type { Money } from '../domain/base/money.js';
import type { Mode, Tenant } from '../domain/base/tenant.js';
import type {
  CommandKind,
  MoneyCommand,
  PartnerCommand,
} from '../domain/commands/partner-command.js';
import type { InboxMessage, MessageCursor } from '../domain/commands/partner-message.js';
import type { Quote } from '../domain/commands/quote.js';
import type { BookReading, EntryKind } from '../domain/deposits/book-reading.js';
import type { Deposit } from '../domain/deposits/deposit.js';
import type { Mail, MailStatus, MailSubject } from '../domain/mail/mail.js';
import type { CommandQueue } from '../domain/money-desk/money-decision.js';
import type { Proposal } from '../domain/money-desk/proposal.js';
import type { ScheduledReconciliation } from '../domain/money-desk/reconciliation.js';
import type { Buyer, KycStatus, KycSubmission } from '../domain/parties/buyer-kyc.js';
import type { AccountStatus, ConnectedAccount, Role } from '../domain/parties/connected-account.js';
import type { DestinationChange } from '../domain/parties/destination-change.js';
import type { Document, DocumentOwner, Fingerprint } from '../domain/parties/document.js';
import type { Logo } from '../domain/parties/logo.js';
import type {
  NamedProfile,
  Organization,
  OrganizationProfile,
} from '../domain/parties/organization.js';
import type { PartyDraft } from '../domain/parties/party-draft.js';
import type { ProductionRequest } from '../domain/parties/production-request.js';
import type { BankAccount, BankDetails } from '../domain/payments/bank-record.js';
import type {
  PaymentAggregate,
  PaymentView,
  PaymentWithCommands,
  ShownView,
} from '../domain/payments/change.js';
import type { DomainEvent, EventNote, FeedHead, NumberedEvent } from '../domain/payments/event.js';
import type { Funds } from '../domain/payments/funds.js';
import type {
  BodyMacs,
  CreateFindings,
  KeyBinding,
  KeyOrigin,
} from '../domain/payments/idempotency.js';
import type { Posting, StoredPosting } from '../domain/payments/ledger.js';
import type { Advance, Payment, PaymentOrigin, PaymentStatus } from '../domain/payments/payment.js';
import type { SimulatedReport } from '../domain/payments/simulated-event.js';
import type { ChangedRow, HeldType } from '../domain/service/audit-record.js';
import type { Epoch } from '../domain/service/epoch.js';
import type { RefusedRequest } from '../domain/service/refused-request.js';
import type { SealedColumn, SealedPlace } from '../domain/service/sealed-columns.js';
import type { KeyCheckValue } from '../domain/service/sealed-text.js';
import type { ServiceKey, ServiceKeyPurpose } from '../domain/service/service-key.js';
import type { Subscription } from '../domain/webhooks/subscription.js';
import type {
  DeliveryAttempt,
  DeliveryStatus,
  WebhookDelivery,
} from '../domain/webhooks/webhook-delivery.js';

/** A row as a record of the audit log has it. */
export interface HeldRow {
  readonly key: readonly string[];
  readonly id: string | null;
  readonly hash: string;
}

/**
 * The only access to data. In `run`, `work` reads and stages writes; when it returns, all staged
 * writes are applied as one atomic batch, or none. If a guard fails or a unique value is taken,
 * `work` runs again and reads the winner; after a bounded number of runs it fails with
 * `StoreContention`. `work` must not do other I/O. A batch that contains a text sealed under this
 * process's key requires that key's check value to be `in_use`. In quarantine (epoch.ts) a batch
 * is refused with InQuarantine unless the run allows it.
 */
export interface Store {
  run<T>(work: (tx: Tx) => Promise<T>, options?: RunOptions): Promise<T>;
  readonly kept: KeptRows;
  readonly claims: Claims;
  /** Applies missing migrations and returns their numbers; refuses a newer database. */
  migrate(): Promise<readonly number[]>;
  health(): Promise<{ readonly database: boolean; readonly migrations: boolean }>;
  close(): Promise<void>;
}

/** The same store, whose work is run by another function. */
export function withRun(store: Store, run: Store['run']): Store {
  return {
    kept: store.kept,
    claims: store.claims,
    migrate: () => store.migrate(),
    health: () => store.health(),
    close: () => store.close(),
    run,
  };
}

/**
 * What a read would answer now, if this process keeps it: no process has committed a change since,
 * and all of it is durable. Null: read it.
 */
export interface KeptRows {
  key(keyId: string): StoredKey | null;
  view(tenant: Tenant, paymentId: string): PaymentView | null;
}

/** Deliveries and their attempts in a part for each month of creation. */
export interface DeliveryMonths {
  /**
   * Keeps them by month from now on, the present ones in one part, and makes the months that are
   * missing. False: they were kept so before. StoreUnavailable if somebody uses the table too long.
   */
  begin(months: readonly DeliveryMonth[]): Promise<boolean>;
  /**
   * Removes each part in which all deliveries are old, and makes the months that are missing.
   * Returns the number of deliveries. Does nothing if they are not kept by month.
   */
  prune(cutoff: RetentionCutoff, months: readonly DeliveryMonth[]): Promise<number>;
}

/** Deliveries from `fromId` and before `toId`. */
export interface DeliveryMonth {
  /** For example 2026_12. */
  readonly name: string;
  readonly fromId: string;
  readonly toId: string;
}

type GivenDetails = Tenant & Pick<BankDetails, 'paymentId' | 'checkCode' | 'issuedAtMs'>;

/** Ids of one `pageVersions`. */
export const VERSIONS_MAX = 100;

export interface RunOptions {
  /** Allows the batch in quarantine: it records what is known or revokes a right. */
  readonly inQuarantine?: boolean;
  /**
   * A payment that the caller has read: the first run of the work takes it as it is, and its batch
   * guards the payment, whose version guards funds and commands. Later runs read.
   */
  readonly known?: PaymentWithCommands | null;
}

export interface CommandFilter {
  /** Only those with `isStuck`. */
  readonly stuck: boolean;
  readonly orgId?: string | null;
  readonly mode?: Mode | null;
  readonly paymentId?: string | null;
  /** The last of the page before. */
  readonly beforeId?: string | null;
  readonly limit: number;
}

type Many<T> = Promise<readonly T[]>;
type Found<T> = Promise<T | null>;

/** Staged writes of one row. */
type Writes<T, W extends 'insert' | 'update' | 'expect' | 'remove'> = {
  readonly [K in W]: (row: T) => void;
};

/** The rows of one table that are about a person, by column. */
export interface PersonalRows {
  readonly table: string;
  /** Why and how long they are kept. */
  readonly kept: string;
  /** The columns that are personal data. */
  readonly personal: readonly string[];
  /** Columns that exist and are not read: sealed texts and secrets. */
  readonly withheld: readonly string[];
  /** What erasure ends of them; `row`: all. */
  readonly erased: readonly string[] | 'row';
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Reads and staged writes of one run. It is not a database transaction: each read sees the newest
 * commit, and guards detect changes. Updates are compare-and-set on the version that was read, and
 * raise it by one. An insert that breaks a unique constraint is a conflict: `work` runs again.
 * `expect` guards a row that a decision depends on and that is not written. Querying a table with a
 * staged write, or reading a written row by key, is an AssertionFailure. Lists for a page are
 * newest first.
 */
export interface Tx {
  /**
   * True in a first run, where the database finds taken unique values at no cost to others: they
   * need no look-up. If one is taken, the work runs again.
   */
  readonly insertsFirst: boolean;
  /** Calls `listener` when this run of the work has ended: whether its batch is known as stored. */
  readonly onEnd: (listener: (stored: boolean) => void) => void;
  /** What this run has staged so far, in its order. */
  readonly changes: () => readonly ChangedRow[];
  /** Stores the actor with the events that this run appends from now on. */
  readonly actAs: (actor: Actor) => void;
  readonly organizations: Writes<Organization, 'update' | 'expect'> & {
    get(orgId: string): Found<Organization>;
    list(): Many<Organization>;
    profile(tenant: Tenant): Found<OrganizationProfile>;
    /** The profile and the organization's name, in one statement. */
    named(tenant: Tenant): Found<NamedProfile>;
    insert(organization: Organization, profiles: readonly OrganizationProfile[]): void;
    updateProfile(profile: OrganizationProfile): void;
    expectProfile(profile: OrganizationProfile): void;
    /** At most two, over all organizations. */
    profilesByPartnerRef(mode: Mode, partnerRef: string): Many<OrganizationProfile>;
  };
  readonly logos: Writes<Logo, 'insert' | 'update' | 'remove'> & {
    get(orgId: string): Found<Logo>;
  };
  readonly operators: Writes<RegisteredOperator, 'insert' | 'update' | 'expect'> & {
    get(id: string): Found<RegisteredOperator>;
    byKey(publicKey: string): Found<RegisteredOperator>;
    /** Number 1. */
    first(): Found<RegisteredOperator>;
    /** In the order of their numbers, removed ones too. */
    list(): Many<RegisteredOperator>;
  };
  readonly members: Writes<Member, 'insert' | 'update' | 'expect'> & {
    get(orgId: string, id: string): Found<Member>;
    /** The member of this address that was not removed. */
    byEmail(orgId: string, emailKey: string): Found<Member>;
    /** Memberships of this person that were not ended, in all organizations, oldest first. */
    ofPerson(personId: string): Many<Member>;
    /** Raises `seenAtMs` without a check of the version; a later value stays. */
    touch(member: Member): void;
    /** Newest first, removed ones included. */
    list(orgId: string): Many<Member>;
  };
  readonly keys: Writes<StoredKey, 'insert' | 'update'> & {
    get(keyId: string): Found<StoredKey>;
    /** All keys that are not revoked and at most `revokedMax` revoked ones, newest first. */
    list(orgId: string, revokedMax: number): Many<StoredKey>;
    /** Newest first. */
    unrevoked(orgId: string): Many<StoredKey>;
    /** Slots of keys that are not revoked. */
    slots(tenant: Tenant): Many<number>;
    /** Raises `lastUsedAtMs` without a check of the version; a later value stays. */
    touch(keyId: string, lastUsedAtMs: number): void;
    /** Sets `usedScopes` without a check of the version. A lost scope is noted by its next use. */
    noteScopes(keyId: string, usedScopes: readonly Scope[]): void;
  };
  readonly payments: Writes<Payment, 'insert' | 'update'> & {
    get(tenant: Tenant, id: string): Found<Payment>;
    withFunds(tenant: Tenant, id: string): Found<PaymentAggregate>;
    byExternalId(tenant: Tenant, origin: PaymentOrigin, externalId: string): Found<Payment>;
    /** The hosted page names its payment by this alone. */
    byPublicId(publicId: string): Found<Payment>;
    /** Reads all tenants, in key order. */
    page(after: Pick<Payment, 'orgId' | 'mode' | 'id'> | null, limit: number): Many<Payment>;
    /** A page of each of these statuses, oldest first, in one statement. */
    ofBuyer(
      tenant: Tenant,
      buyerId: string,
      statuses: readonly PaymentStatus[],
      page: TimePage,
    ): Many<Payment>;
    /** Newest first, created from `fromMs` on and before the payment at `beforeMs`, `beforeId`. */
    newestOfBuyer(
      tenant: Tenant,
      buyerId: string,
      status: PaymentStatus,
      page: {
        readonly fromMs: number;
        readonly beforeMs: number;
        readonly beforeId: string;
        readonly limit: number;
      },
    ): Many<Payment>;
    /** Any one payment of this tenant and buyer. */
    anyOfBuyer(tenant: Tenant, buyerId: string): Found<Payment>;
    /** `on_ramp_pending` payments to this seller (null: to the organization), in id order. */
    awaitingMoney(tenant: Tenant, sellerExternalId: string | null, limit: number): Many<Payment>;
    /** The payments of one consolidated payment, oldest first. */
    consolidated(tenant: Tenant, reference: string): Many<Payment>;
    /**
     * Ids of payments whose id, externalId, number, purchase order or PIX id begins with this key
     * (`searchKey`); of each at most so many, the last in the order of their keys.
     */
    startingWith(tenant: Tenant, key: string, limit: number): Many<string>;
    /** Reads all tenants, for operators. */
    list(filter: PaymentFilter): Many<Payment>;
    /** Reads all tenants, for operators. */
    find(id: string): Found<Payment>;
  };
  /** What finds buyers and connected accounts by name; written with payments and accounts. */
  readonly names: {
    /** Ids of those with a word that begins like this, out of so many words. */
    owners(tenant: Tenant, start: string, limit: number): Many<string>;
    /** All words of one. */
    ofOwner(tenant: Tenant, ownerId: string): Many<string>;
  };
  /** Each in one read, for display only: a decision reads its rows separately and guards them. */
  readonly views: {
    get(tenant: Tenant, id: string): Found<PaymentView>;
    byExternalId(tenant: Tenant, origin: PaymentOrigin, externalId: string): Found<PaymentView>;
    /**
     * Returns for each of these payments a text that changes with everything that its hosted page
     * shows. At most VERSIONS_MAX ids.
     */
    pageVersions(
      tenant: Tenant,
      paymentIds: readonly string[],
    ): Many<{ readonly paymentId: string; readonly version: string }>;
    listPayments(tenant: Tenant, filter: TenantPaymentFilter): Many<ShownView>;
    /** By their latest change, oldest first, then by id. */
    updatedPayments(tenant: Tenant, page: UpdatedPage): Many<ShownView>;
    /** Payments made at a moment (as in ids) or later: the newest `countMax` of each status. */
    countsByStatus(
      tenant: Tenant,
      asked: {
        readonly fromMoment: string;
        /** Those that were made before this moment are old. */
        readonly oldBefore: string;
        readonly countMax: number;
      },
    ): Many<StatusCount>;
    kycStatus(tenant: Tenant, buyer: Pick<Buyer, 'id' | 'emailKey'>): Promise<KycStatus>;
    buyer(
      tenant: Tenant,
      emailKey: string,
    ): Found<Pick<PaymentView, 'kycStatus'> & { readonly buyer: Buyer }>;
  };
  /** Until its first money is expected, a payment has no row of them (`noFunds`). */
  readonly accounting: {
    get(tenant: Tenant): Found<Accounting>;
    /** With a closed month whose balances are not complete. */
    summing(limit: number): Many<Accounting>;
    /** Inserts version 0. */
    put(accounting: Accounting): void;
  };
  readonly funds: {
    /** Inserts the row of version 0, and updates later ones. */
    put(funds: Funds): void;
    get(tenant: Tenant, paymentId: string): Found<Funds>;
    /** Those of this payment, also if they have no row. */
    of(payment: Payment): Promise<Funds>;
    /** Funds with a debt to the buyer, an unknown position or an open loss, oldest first. */
    open(limit: number): Many<Funds>;
    /** The same of one tenant, newest payment first; a loss is not among them. */
    attention(tenant: Tenant, limit: number): Many<Funds>;
  };
  readonly quotes: Writes<Quote, 'insert'> & {
    get(tenant: Tenant, id: string): Found<Quote>;
    /** Reads all tenants of the mode. */
    byPartnerQuoteId(mode: Mode, partnerQuoteId: string, limit: number): Many<Quote>;
  };
  readonly bankDetails: {
    insert(details: BankDetails, accounts: readonly BankAccount[]): void;
    /** Oldest first. */
    ofPayment(tenant: Tenant, paymentId: string): Many<BankDetails>;
    /** Reads all tenants. */
    byCode(shortId: string, checkCode: string): Found<BankDetails>;
    /** The latest of this page with this account, over all tenants. */
    byNumber(numberHash: string, shortId: string): Found<GivenDetails>;
    /** Reads all tenants. */
    byShortId(shortId: string, limit: number): Many<BankDetails>;
    /** The latest of another payment of this buyer to this payee, which was paid in full. */
    paidBefore(
      details: BankDetails,
      accountHash: string,
    ): Found<Pick<BankDetails, 'paymentId' | 'issuedAtMs'>>;
  };
  readonly commands: Writes<PartnerCommand, 'insert' | 'update'> & {
    get(id: string): Found<PartnerCommand>;
    /** `command` itself in the first run of the work, which guards its version; then the row. */
    known(command: PartnerCommand): Found<PartnerCommand>;
    /** Commands of other instances that are due, or whose money waits for an operator. */
    unfinishedElsewhere(mode: Mode, instance: string, limit: number): Many<PartnerCommand>;
    /** The instance has another name: its commands follow. */
    renameInstance(mode: Mode, from: string, to: string): void;
    byReference(mode: Mode, reference: string): Found<PartnerCommand>;
    /**
     * The oldest; the pay-in that has the money; the newest about a party, because an answer is
     * another command about it.
     */
    byPartnerRef(mode: Mode, kind: CommandKind, partnerRef: string): Found<PartnerCommand>;
    /** All but shares of deposits. */
    allByPartnerRef(mode: Mode, kind: CommandKind, partnerRef: string): Many<PartnerCommand>;
    ofPayment(tenant: Tenant, paymentId: string): Many<MoneyCommand>;
    /** `isPayinInFlight` of partner-command.ts, in id order. */
    payinsInFlight(mode: Mode, limit: number): Many<MoneyCommand>;
    ofSubmission(tenant: Tenant, submissionId: string): Many<PartnerCommand>;
    /** By their creation, over all tenants. */
    since(page: TimePage): Many<PartnerCommand>;
    /** Newest first, over all tenants, for operators. */
    list(filter: CommandFilter): Many<PartnerCommand>;
  };
  readonly ledger: {
    /** The subject is a payment, or a deposit with its `depositTenant`. */
    append(tenant: Tenant, subjectId: string, id: string, posting: Posting, atMs: number): void;
    ofSubject(tenant: Tenant, subjectId: string): Many<StoredPosting>;
    /** The time of the last posting of any organization, in the order of their ids. */
    newestMs(): Found<number>;
    /** In the order of their ids, with an end that is not included. */
    page(
      tenant: Tenant,
      range: { readonly afterId: string; readonly beforeId: string; readonly limit: number },
    ): Many<PaymentPosting>;
    /** What sellers were paid in this time, less payouts that came back, by currency. */
    paidOut(tenant: Tenant, fromMs: number, toMs: number): Many<Money>;
    /** Reads all lines of the mode. */
    balances(mode: Mode): Many<AccountBalance>;
    /** Reads all tenants of the mode: payments whose money the partner holds. */
    floats(mode: Mode): Many<PaymentFloat>;
  };
  readonly proposals: Writes<Proposal, 'insert' | 'update'> & {
    get(id: string): Found<Proposal>;
    /** In the order in which they were made. */
    ofItem(itemId: string): Many<Proposal>;
    /** Reads all tenants, for operators. */
    list(filter: ProposalFilter): Many<Proposal>;
  };
  /** Reads all tenants, for operators, in id order. */
  readonly moneyQueues: {
    commands(queue: CommandQueue, page: QueuePage): Many<MoneyCommand>;
    /** Deposits with `isUnmatched`. */
    deposits(page: QueuePage): Many<Deposit>;
    /** Lists payments that hold money, by the id of the payment. */
    received(page: QueuePage): Many<Funds>;
    /** Running payments whose buyer lost its approval, perhaps for a time. */
    unapproved(page: QueuePage): Many<Payment>;
    /** Lists payments with a loss that is not written off, by the id of the payment. */
    lost(page: QueuePage): Many<Funds>;
  };
  readonly idempotency: {
    find(tenant: Tenant, key: string): Found<KeyBinding>;
    /** What the key and the externalId of a create name. */
    ofCreate(
      tenant: Tenant,
      create: Pick<Payment, 'origin' | 'externalId'> & { readonly idempotencyKey: string | null },
    ): Promise<Pick<CreateFindings, 'boundTo' | 'existingByExternalId'>>;
    bind(
      tenant: Tenant,
      key: string,
      origin: KeyOrigin,
      resourceId: string,
      atMs: number,
      bodyMacs?: BodyMacs | null,
    ): void;
  };
  readonly buyers: Writes<Buyer, 'insert'> & {
    byEmail(mode: Mode, emailKey: string): Found<Buyer>;
    get(mode: Mode, id: string): Found<Buyer>;
    /** The submission of this tenant for the buyer that is not rejected, else the newest. */
    submission(tenant: Tenant, buyerId: string): Found<KycSubmission>;
    submissionById(tenant: Tenant, id: string): Found<KycSubmission>;
    /** An approved submission of any tenant of the mode. */
    approvedAnywhere(mode: Mode, buyerId: string): Found<KycSubmission>;
    /** The hosted form names its submission by this alone. */
    submissionByFlow(flowId: string): Found<KycSubmission>;
    /** Approved submissions of all tenants that depend on this party. */
    approvedByPartnerRef(mode: Mode, partnerRef: string, limit: number): Many<KycSubmission>;
    insertSubmission(submission: KycSubmission): void;
    updateSubmission(submission: KycSubmission): void;
    expectSubmission(submission: KycSubmission): void;
  };
  readonly accounts: Writes<ConnectedAccount, 'insert' | 'update' | 'expect'> & {
    get(tenant: Tenant, id: string): Found<ConnectedAccount>;
    byExternalId(tenant: Tenant, externalId: string): Found<ConnectedAccount>;
    /** At most two, over all tenants of the mode. */
    byPartnerRef(mode: Mode, partnerRef: string): Many<ConnectedAccount>;
    list(tenant: Tenant, filter: AccountFilter): Many<ConnectedAccount>;
    /** Verifying or approved buyers of this address, newest first. */
    ofBuyer(tenant: Tenant, emailKey: string): Many<ConnectedAccount>;
  };
  readonly partyDrafts: Writes<PartyDraft, 'insert' | 'update' | 'expect' | 'remove'> & {
    get(tenant: Tenant, id: string): Found<PartyDraft>;
    /** Reads all tenants, oldest first, those behind `after`. */
    savedBefore(beforeMs: number, after: PartyDraft | null, limit: number): Many<PartyDraft>;
  };
  readonly documents: Writes<Document, 'insert' | 'update'> & {
    /** A signed URL names its document by the id alone. */
    find(id: string): Found<Document>;
    due(page: DuePage): Many<Document>;
    /** Reads all tenants, for operators. */
    list(filter: DocumentFilter): Many<Document>;
    /** Slots of the party's documents that are not purged. */
    slots(tenant: Tenant, owner: DocumentOwner): Many<number>;
    /** Papers that are kept, of this organization, seller or partner. */
    ofVendor(tenant: Tenant, id: string): Many<Document>;
    /** The sum of all uploads that are kept. */
    keptBytes(tenant: Tenant): Promise<number>;
    /** Applies `purgeRequested` of document.ts to each document of this party. */
    requestPurge(tenant: Tenant, owner: DocumentOwner, nowMs: number): void;
  };
  readonly mails: Writes<Mail, 'insert' | 'update' | 'remove'> & {
    /** Does nothing if a mail of the tenant has this cause. */
    insertOnce(mail: Mail): void;
    get(tenant: Tenant, id: string): Found<Mail>;
    byTokenHash(tokenHash: string): Found<Mail>;
    /** Links about this subject that have not ended, newest first; used ones only with a code. */
    openLinks(tenant: Tenant, subject: MailSubject, nowMs: number): Many<Mail>;
    /** The newest requested link that signed the buyer in to the form of a submission. */
    newestUsedLink(tenant: Tenant, submissionId: string): Found<Mail>;
    newestOwnerLink(tenant: Tenant, submissionId: string, ownerIndex: number): Found<Mail>;
    /** Links to any part of the form of a submission, newest first. */
    newestOwnerLinks(tenant: Tenant, submissionId: string, limit: number): Many<Mail>;
    /** Numbered mails of a purpose to an address, highest first. */
    newestNumbered(to: Tenant & Pick<Mail, 'purpose' | 'toKey'>, limit: number): Many<Mail>;
    /** The same about one account; null: about the organization. */
    newestAbout(
      to: Tenant & Pick<Mail, 'purpose' | 'toKey'> & { readonly accountId: string | null },
      limit: number,
    ): Many<Mail>;
    /** A mail of the organization that was sent to the address, in either mode. */
    anySentTo(orgId: string, toKey: string): Found<Mail>;
    /** Reads all tenants, for operators. */
    find(id: string): Found<Mail>;
    /** Reads all tenants, for operators. */
    list(filter: MailFilter): Many<Mail>;
    /** Reads all tenants, in creation order. */
    oldest(limit: number): Many<Mail>;
  };
  /** No look-up finds a session of another kind than it names. */
  readonly sessions: Writes<AnySession, 'insert' | 'update' | 'expect' | 'remove'> & {
    get<K extends SessionKind>(kinds: readonly K[], id: string): Found<SessionOf<K>>;
    /** Reads all tenants; the hash is of the token in the cookie, or in the link. */
    byToken<K extends SessionKind>(kinds: readonly K[], hash: string): Found<SessionOf<K>>;
    /** The hash is of the token in the link of an operator. */
    byLink(linkHash: string): Found<OperatorSession>;
    /** Stores `seenAtMs` unless a later one is stored. Unguarded: it never loses a race. */
    touch(session: AnySession): void;
    /** The buyer's session about this that was seen last. */
    newest(tenant: Tenant, about: SessionAbout): Found<PageSession>;
    /** Sessions and links of these kinds that were not ended, about all of `about`. */
    open<K extends PageSessionKind>(
      tenant: Tenant,
      kinds: readonly K[],
      about: SessionAbout,
    ): Many<PageSession>;
    /** Sessions of the person that are not over at `nowMs`, newest first. */
    openOfPerson(personId: string, nowMs: number): Many<MemberSession>;
    /** Links and sessions of the operator that were not ended. */
    ofOperator(operatorId: string): Many<OperatorSession>;
    /** Reads all tenants, oldest first. */
    createdBefore(beforeMs: number, limit: number): Many<AnySession>;
  };
  /** People belong to no organization. */
  readonly people: Writes<Person, 'insert' | 'update' | 'expect'> & {
    get(id: string): Found<Person>;
    byEmail(emailKey: string): Found<Person>;
    /** What is stored under an address, over all tenants, without secrets and sealed texts. */
    find(address: string): Many<PersonalRows>;
    /** In a row of this id: of a buyer, member, seller or mail, or of a payment its approver. */
    addressOf(id: string): Promise<string | null>;
    /** What must end before the person is erased, in words. */
    blocking(address: string): Many<string>;
    /** Stages that the rows of the address name nobody. Rows that laws require keep the rest. */
    erase(address: string): Promise<void>;
  };
  readonly passkeys: Writes<Passkey, 'insert' | 'update'> & {
    get(id: string): Found<Passkey>;
    /** Removed ones included. */
    byCredential(credentialId: string): Found<Passkey>;
    /** Those that were not removed, oldest first. */
    ofPerson(personId: string): Many<Passkey>;
  };
  readonly productionRequests: Writes<ProductionRequest, 'insert' | 'update'> & {
    newest(orgId: string): Found<ProductionRequest>;
    /** Reads all organizations, oldest first: those that wait for a decision. */
    waiting(limit: number): Many<ProductionRequest>;
  };
  readonly destinationChanges: Writes<DestinationChange, 'insert' | 'update'> & {
    /** Reads all tenants: the link in a mail names it. */
    find(id: string): Found<DestinationChange>;
    /** Newest first. */
    list(tenant: Tenant, limit: number): Many<DestinationChange>;
    /** Newest first, of one seller; null: of the organization itself. */
    ofPayee(tenant: Tenant, accountId: string | null, limit: number): Many<DestinationChange>;
  };
  readonly feed: {
    /** Returns null before a tenant's first event. */
    head(tenant: Tenant): Found<FeedHead>;
    /**
     * The commit gives the event the next number of its tenant and chains it. Its alias, which
     * follows from it, has the number after that.
     */
    append(event: DomainEvent, alias?: DomainEvent): void;
    /** Guards that the event was not pruned; it never changes. */
    expect(event: NumberedEvent): void;
    get(tenant: Tenant, id: string): Found<NumberedEvent>;
    /** Fewer than `limit` at the end, or before a gap of the numbers: the log was changed. */
    after(tenant: Tenant, sequence: number, limit: number): Many<NumberedEvent>;
    /** Newest first. */
    newest(tenant: Tenant, filter: FeedFilter, page: NewestPage): Many<NumberedEvent>;
    /** In sequence order. */
    ofSubject(tenant: Tenant, subjectId: string): Many<EventNote>;
    /** Events behind `after`, up to `last`, without a delivery to this subscription. */
    withoutDelivery(
      subscription: Subscription,
      after: number,
      last: number,
    ): Many<Omit<DomainEvent, 'body'>>;
  };
  readonly subscriptions: Writes<Subscription, 'insert' | 'update' | 'expect'> & {
    get(tenant: Tenant, id: string): Found<Subscription>;
    find(id: string): Found<Subscription>;
    /** All active subscriptions and at most `deletedMax` deleted ones, newest first. */
    list(tenant: Tenant, deletedMax: number): Many<Subscription>;
    active(tenant: Tenant): Many<Subscription>;
    /** Active ones with the URL of another active one of their tenant, by tenant. */
    sharingUrl(mode: Mode, limit: number): Many<Subscription>;
    /** Active ones whose cursor is behind the head of the feed, over all tenants, in id order. */
    behind(
      afterId: string,
      limit: number,
    ): Many<{
      readonly subscription: Subscription;
      readonly cursor: number;
      readonly head: number;
    }>;
    /** Up to this event of the feed, the subscription has its deliveries; 0 for an unknown one. */
    cursor(subscription: Subscription): Promise<number>;
    advance(subscription: Subscription, cursor: number): void;
    /** Slots of active subscriptions. */
    slots(tenant: Tenant): Many<number>;
  };
  readonly deliveries: Writes<WebhookDelivery, 'insert' | 'update'> & {
    get(id: string): Found<WebhookDelivery>;
    /** Newest first, of all tenants. */
    list(filter: DeliveryFilter): Many<WebhookDelivery>;
    /** The deliveries of one event to all subscriptions. */
    ofEvent(tenant: Tenant, eventId: string, limit: number): Many<WebhookDelivery>;
    counts(subscriptionId: string, within: CountRange): Promise<DeliveryCounts>;
    pendingOf(subscriptionId: string, limit: number): Many<WebhookDelivery>;
    /** Pending, not due yet and not leased. */
    waitingOf(subscriptionId: string, nowMs: number, limit: number): Many<WebhookDelivery>;
    attempts(deliveryId: string): Many<DeliveryAttempt>;
    /** Deliveries of the events of one subject, oldest first. */
    ofSubject(tenant: Tenant, subjectId: string, page: TimePage): Many<WebhookDelivery>;
    /** Attempts of those deliveries, in start order. */
    attemptsOfSubject(tenant: Tenant, subjectId: string, page: TimePage): Many<DeliveryAttempt>;
    logAttempt(attempt: DeliveryAttempt): void;
  };
  readonly inbox: Writes<InboxMessage, 'insert' | 'update'> & {
    get(partner: string, mode: Mode, messageId: string): Found<InboxMessage>;
    /** The same of a message that was read before; one of version 0 had no row then. */
    known(message: InboxMessage): Found<InboxMessage>;
    unapplied(page: DuePage): Many<InboxMessage>;
  };
  /** Money that nobody ordered, over all tenants. */
  readonly deposits: Writes<Deposit, 'insert' | 'update'> & {
    get(id: string): Found<Deposit>;
    byPartnerRef(partner: string, mode: Mode, book: EntryKind, partnerRef: string): Found<Deposit>;
    /** Newest first; `waiting`: those that are open or need a decision. */
    list(filter: DepositFilter): Many<Deposit>;
    /** Pay-ins with `isUnmatched` to this party, however many wait for others. */
    unmatchedTo(mode: Mode, partyRef: string, currency: string): Many<Deposit>;
    /** In id order. */
    after(id: string, limit: number): Many<Deposit>;
  };
  readonly bookReadings: Writes<BookReading, 'insert' | 'update'> & {
    of(partner: string, mode: Mode): Many<BookReading>;
  };
  readonly reconciliations: Writes<ScheduledReconciliation, 'insert' | 'update'> & {
    get(partner: string, mode: Mode): Found<ScheduledReconciliation>;
  };
  readonly advances: Writes<Advance, 'update' | 'remove'> & {
    get(tenant: Tenant, paymentId: string): Found<Advance>;
    known(advance: Advance): Found<Advance>;
    due(page: DuePage): Many<Advance>;
    /** Inserts, or replaces the advance of the same payment. */
    put(advance: Advance): void;
  };
  /** Outcomes that were chosen for commands of the sandbox. */
  readonly simulations: {
    get(mode: Mode, reference: string): Found<SimulatedReport>;
    /** Inserts, or replaces the outcome of the same order. */
    put(report: Omit<SimulatedReport, 'version'>): void;
  };
  /** Rows that may be removed when they are old; records of money stay. */
  readonly retention: {
    /** Ids of old deliveries, in id order. */
    oldDeliveries(cutoff: RetentionCutoff, afterId: string, limit: number): Many<string>;
    /** With their attempts. */
    removeDeliveries(cutoff: RetentionCutoff, afterId: string, lastId: string): void;
    /** Applied messages that are old, oldest first. */
    oldMessages(
      cutoff: RetentionCutoff,
      after: MessageCursor | null,
      limit: number,
    ): Many<MessageCursor>;
    removeMessages(after: MessageCursor | null, last: MessageCursor): void;
    /** Tenants with a feed, in key order; not the audit log. */
    tenants(after: Tenant | null, limit: number): Many<Tenant>;
    /**
     * With the number of its alias, if it has one. An event is needed while it is young, its
     * payment runs, or a delivery of it is not old.
     */
    oldestEvents(
      cutoff: RetentionCutoff,
      tenant: Tenant,
      after: number,
      limit: number,
    ): Promise<
      readonly { readonly sequence: number; readonly count: 1 | 2; readonly needed: boolean }[]
    >;
    /** Removes none while any of them has a delivery: the feed has no gaps. */
    removeEvents(tenant: Tenant, after: number, last: number): void;
  };
  readonly keyCheckValues: Writes<KeyCheckValue, 'insert' | 'update' | 'remove'> & {
    list(): Many<KeyCheckValue>;
  };
  /** Rows that the audit log is compared with. */
  readonly held: {
    /** In primary key order. */
    page(type: HeldType, after: HeldRow | null, limit: number): Many<HeldRow>;
  };
  /** Sealed texts of any table, for a reseal. */
  readonly sealed: {
    /** In primary key order, including rows without a text. */
    page(column: SealedColumn, page: SealedPage): Many<SealedRow>;
    /** Replaces the row's text and raises its version; does nothing if the text has changed. */
    replace(column: SealedColumn, row: SealedRow, sealed: string): void;
  };
  readonly serviceKeys: Writes<ServiceKey, 'insert' | 'update' | 'remove'> & {
    /** Expired keys included. */
    list(purpose: ServiceKeyPurpose): Many<ServiceKey>;
  };
  readonly fingerprints: Writes<Fingerprint, 'insert'> & {
    get(name: string): Found<Fingerprint>;
    /** Inserts, or replaces the value of the same name. */
    put(fingerprint: Fingerprint): void;
  };
  /** Reads all organizations, and requests without one. */
  readonly refusedRequests: Writes<RefusedRequest, 'insert' | 'remove'> & {
    /** Newest first. */
    byRequestId(requestId: string, limit: number): Many<RefusedRequest>;
    /** Newest first. */
    list(filter: RefusalFilter): Many<RefusedRequest>;
    /** Oldest first. */
    oldest(limit: number): Many<RefusedRequest>;
  };
  readonly epochs: Writes<Epoch, 'insert' | 'update'> & {
    /** The epoch that is not over. */
    current(): Promise<Epoch>;
    /** In number order. */
    list(): Many<Epoch>;
    /** No quarantine begins before this batch is stored. */
    expectNoQuarantine(): void;
  };
  readonly queueStats: {
    /** Counts stop at `countMax`, so that the read stays cheap. */
    read(nowMs: number, countMax: number): Promise<QueueStats>;
  };
}

/**
 * Queries and single statements over due work, outside `run`. `commands`, `deliveries` and `mails`
 * lease the rows that they return. In quarantine (epoch.ts) these and `sendingSubscriptions` return
 * none.
 */
export interface Claims {
  /** What the tokens of this process's leases begin with. */
  readonly owner: string;
  /** The token of a lease under which this process stores a row that it works on itself. */
  newLease(): string;
  /** The active ones. Read after a commit, for its events. */
  sendingSubscriptions(tenant: Tenant): Many<Subscription>;
  /** Due commands, leased: `dueAtMs` is the end of the lease. */
  commands(claim: Claim): Many<PartnerCommand>;
  /** Active or deleted subscriptions that have due deliveries to send. */
  dueSubscriptions(nowMs: number): Promise<readonly Pick<Subscription, 'id' | 'orgId' | 'mode'>[]>;
  /**
   * Due deliveries of one subscription that are not `resent`, oldest first, leased as
   * `beginAttempt` of webhook-delivery.ts does, with the current subscription.
   */
  deliveries(claim: Claim & { readonly subscriptionId: string }): Many<ClaimedDelivery>;
  /** Due deliveries that are `resent`, of any subscription; they are ended, not leased. */
  lostDeliveries(nowMs: number, limit: number): Many<WebhookDelivery>;
  /** Due mails, leased, the try counted. */
  mails(claim: Claim): Many<Mail>;
  /** Payments that are expirable (payment.ts), not covered, and whose `expiresAtMs` has come. */
  expiredPayments(page: DuePage): Many<Payment>;
  /** Payments whose `remindAtMs` has come. */
  paymentsToRemind(page: DuePage): Many<Payment>;
  /** Sellers with a destination whose hold has ended. */
  accountsToUnhold(page: DuePage): Many<ConnectedAccount>;
  /** Ends the leases of this process, before it stops. */
  releaseOwn(nowMs: number): Promise<void>;
  /** Ends every lease. Only the one process that serves a database may call it. */
  releaseAll(nowMs: number): Promise<void>;
  /** When the next row of any queue falls due; null if all are empty. */
  nextDueAtMs(): Promise<number | null>;
}

export interface Claim {
  readonly nowMs: number;
  readonly limit: number;
  readonly leaseMs: number;
}

export interface ClaimedDelivery {
  readonly delivery: WebhookDelivery;
  readonly subscription: Subscription;
  readonly body: string;
}

export interface AccountBalance {
  readonly account: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  /** Lines of postings. */
  readonly lines: number;
}

/** The float and the refunds that are owed: both are still with the partner. */
export interface PaymentFloat {
  readonly paymentId: string;
  readonly destination: string;
  readonly currency: string;
  readonly floatMinor: bigint;
  /** The amount and the fees of its quote; null without one. */
  readonly quotedMinor: bigint | null;
  readonly feesMinor: bigint | null;
}

export const queueNames = [
  'deliveries',
  'commands',
  'inbox',
  'mails',
  'documents',
  'advances',
] as const;

export type QueueName = (typeof queueNames)[number];

export interface QueueStats {
  readonly queues: Readonly<
    Record<QueueName, { readonly due: number; readonly oldestDueAtMs: number | null }>
  >;
  /** The oldest pending delivery, due or not. */
  readonly oldestUndeliveredAtMs: number | null;
  /** `isStuck` of partner-command.ts. */
  readonly stuckCommands: number;
  readonly deadLetters: number;
  /** Mails that wait because the mail server refuses them: `isBlocked` of mail.ts. */
  readonly blockedMails: number;
  /** Payments whose money needs an operator. */
  readonly fundsToReview: Readonly<Record<Mode, number>>;
  /** Payments of which more left than arrived. */
  readonly losses: number;
  /** When all books of a partner were last read completely; before that, from when on. */
  readonly booksRead: readonly {
    readonly partner: string;
    readonly mode: Mode;
    readonly atMs: number;
  }[];
  /** The comparisons with partners, in the order of their names. */
  readonly reconciliations: readonly ScheduledReconciliation[];
  /** Deposits that need a decision. */
  readonly unmatched: readonly {
    readonly currency: string;
    readonly amountMinor: bigint;
    readonly oldestAtMs: number;
  }[];
}

export interface CountRange {
  /** `recent` and `delivered` count from this id on. */
  readonly fromId: string;
  /** Each count stops here. */
  readonly countMax: number;
}

export interface DeliveryCounts {
  readonly recent: number;
  /** How many of the recent ones were delivered. */
  readonly delivered: number;
  readonly pending: number;
  readonly dead: number;
  /** When the oldest pending one was created. */
  readonly oldestPendingAtMs: number | null;
}

/** A page of a list, newest first. */
export interface ListPage {
  /** The last id of the page before; null for the first page. */
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface FeedFilter {
  /** Null: about all subjects. */
  readonly subjectId: string | null;
  /** Null: of all types. */
  readonly type: string | null;
  /** No event before this one is looked at. */
  readonly fromSequence: number;
}

/** A page of a feed, newest first. */
export interface NewestPage {
  /** The last sequence of the page before; null for the first page. */
  readonly beforeSequence: number | null;
  readonly limit: number;
}

/** A null field selects all. */
export interface PaymentFilter extends ListPage {
  readonly status: PaymentStatus | null;
  readonly orgId: string | null;
}

/** Payments of a tenant in a status. */
export interface StatusCount {
  readonly status: PaymentStatus;
  readonly count: number;
  /** Those of them that are old. */
  readonly old: number;
}

/**
 * Payments of all origins are in one order: that of their ids without the prefix. A null field
 * selects all.
 */
export interface TenantPaymentFilter extends ListPage {
  /** The first id of the page behind: the page ends before it, and `beforeId` is null. */
  readonly afterId: string | null;
  readonly origins: readonly PaymentOrigin[];
  readonly statuses: readonly PaymentStatus[] | null;
  readonly id: string | null;
  readonly externalId: string | null;
  readonly sellerExternalId: string | null;
  readonly buyerId: string | null;
  readonly amount: Money | null;
  /** Created at this time or later; as in ids (ID_TIME_CHARACTERS). */
  readonly fromMoment: string | null;
  /** Created before this time; as in ids. */
  readonly beforeMoment: string | null;
  /** When they settled. Such a list is in the order of the settlements. */
  readonly settled: SettledRange | null;
  /** When they are due. Unless `settled` is set, such a list has the earliest due day first. */
  readonly due: DueRange | null;
}

export interface DueRange {
  /** Days (YYYY-MM-DD), both inclusive. */
  readonly from: string;
  readonly to: string;
  /** Only payments of which the whole amount has never arrived. */
  readonly isUncovered: boolean;
}

export interface SettledRange {
  readonly fromMs: number;
  /** Exclusive. */
  readonly beforeMs: number;
}

export interface UpdatedPage extends TimePage {
  readonly origins: readonly PaymentOrigin[];
  /** Rows that changed later are left out. */
  readonly untilMs: number;
}

export interface ProposalFilter extends ListPage {
  readonly orgId: string | null;
  readonly mode: Mode | null;
}

/** A page of a queue of the money desk, which is short. */
export interface QueuePage {
  /** The last id of the page before; null for the first page. */
  readonly afterId: string | null;
  readonly limit: number;
}

interface DepositFilter extends ListPage {
  readonly waiting: boolean;
}

interface MailFilter extends ListPage {
  readonly status: MailStatus | null;
}

export interface RefusalFilter extends ListPage {
  readonly orgId: string | null;
}

interface DeliveryFilter extends ListPage {
  readonly status: DeliveryStatus | null;
  readonly subscriptionId: string | null;
}

export interface AccountFilter extends ListPage {
  readonly role: Role | null;
  readonly status: AccountStatus | null;
}

export interface DocumentFilter extends ListPage {
  /** Only documents that are not purged. */
  readonly kept: boolean;
}

/** Rows that are due at `nowMs`, oldest first, then by id, after `after`. */
export interface DuePage {
  readonly nowMs: number;
  readonly limit: number;
  readonly after: DueCursor | null;
}

export interface DueCursor {
  readonly dueAtMs: number;
  readonly id: string;
}

/**
 * Rows before it may be removed. A delivery is old if it was created before `sinceMs`, has ended
 * and had no attempt since.
 */
export interface RetentionCutoff {
  readonly sinceMs: number;
  /** An id of a delivery created at `sinceMs`: ids sort by creation. */
  readonly sinceDeliveryId: string;
}

/** Rows later than `fromMs`, or at it with an id beyond `afterId`. */
export interface TimePage {
  readonly fromMs: number;
  readonly afterId: string;
  readonly limit: number;
}

/** The secret key under which this process seals. */
export interface Sealer {
  readonly keyId: string;
  /** Stores the key's check value as `in_use`. */
  registerKey(): Promise<void>;
}

interface SealedPage {
  /** Texts under this secret key are returned as null. */
  readonly exceptKeyId: string;
  /** Null to start with the first row. */
  readonly after: SealedRow | null;
  readonly limit: number;
}

export interface SealedRow extends SealedPlace {
  readonly sealed: string | null;
}
