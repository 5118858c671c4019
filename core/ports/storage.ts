// The storage port. An adapter implements it for one database. What an operation means to the
// business is documented in the domain.
import type { StoredKey } from '../domain/api-key.js';
import type { Buyer, KycStatus, KycSubmission } from '../domain/buyer-kyc.js';
import type { PaymentView } from '../domain/change.js';
import type { AccountStatus, ConnectedAccount, Role } from '../domain/connected-account.js';
import type { Document, DocumentOwner, StorageFingerprint } from '../domain/document.js';
import type { Epoch } from '../domain/epoch.js';
import type { DomainEvent, EventNote, FeedEvent, FeedHead, OutboxRow } from '../domain/event.js';
import type { Funds } from '../domain/funds.js';
import type { Posting, StoredPosting } from '../domain/ledger.js';
import type { Mail, MailStatus } from '../domain/mail.js';
import type { Member } from '../domain/member.js';
import type { Organization, OrganizationProfile } from '../domain/organization.js';
import type { CommandKind, MoneyCommand, PartnerCommand } from '../domain/partner-command.js';
import type { InboxMessage, MessageCursor } from '../domain/partner-message.js';
import type { Advance, Payment, PaymentOrigin, PaymentStatus } from '../domain/payment.js';
import type { Quote } from '../domain/quote.js';
import type { SealedColumn } from '../domain/sealed-columns.js';
import type { KeyCheckValue } from '../domain/sealed-text.js';
import type { ServiceKey, ServiceKeyPurpose } from '../domain/service-key.js';
import type { Subscription } from '../domain/subscription.js';
import type { Mode, Tenant } from '../domain/tenant.js';
import type {
  DeliveryAttempt,
  DeliveryStatus,
  WebhookDelivery,
} from '../domain/webhook-delivery.js';

/**
 * The one way to data. `run` lets `work` read freely and stage writes; when it returns, all staged
 * writes are applied as one atomic batch, or none. If a guard fails or a unique value was taken
 * meanwhile, the whole `work` runs again and reads the winner; after a bounded number of runs it
 * gives up with `StoreContention` (transient). `work` must not do other I/O. A batch that contains
 * a text sealed under this process's key requires that key's check value to be `in_use`. In
 * quarantine (epoch.ts) a batch is refused with InQuarantine unless the run allows it.
 */
export interface Store {
  run<T>(work: (tx: Tx) => Promise<T>, options?: RunOptions): Promise<T>;
  readonly claims: Claims;
  /** Applies what migrations are missing, whose numbers it yields; refuses a newer database. */
  migrate(): Promise<readonly number[]>;
  health(): Promise<{ readonly database: boolean; readonly migrations: boolean }>;
  close(): Promise<void>;
}

export interface RunOptions {
  /** It also writes in quarantine: it keeps or learns something, or takes a right away. */
  readonly inQuarantine?: boolean;
}

/**
 * Updates are compare-and-set on the version that was read, and raise it by one. `expect` guards a
 * row that was read for a decision and is not written. Reading an aggregate of which a write is
 * staged is a programmer's error. Tenants come first in every tenant read.
 */
export interface Tx {
  readonly organizations: {
    get(orgId: string): Promise<Organization | null>;
    list(): Promise<readonly Organization[]>;
    profile(tenant: Tenant): Promise<OrganizationProfile | null>;
    insert(organization: Organization, profiles: readonly OrganizationProfile[]): void;
    update(organization: Organization): void;
    expect(organization: Organization): void;
    updateProfile(profile: OrganizationProfile): void;
    expectProfile(profile: OrganizationProfile): void;
  };
  readonly members: {
    get(orgId: string, id: string): Promise<Member | null>;
    /** The one of this address who was not removed. */
    byEmail(orgId: string, emailKey: string): Promise<Member | null>;
    /** Newest first, removed ones included. */
    list(orgId: string): Promise<readonly Member[]>;
    /** A second member of the same address is a conflict: the work runs again. */
    insert(member: Member): void;
    update(member: Member): void;
  };
  readonly keys: {
    get(keyId: string): Promise<StoredKey | null>;
    /** Those not revoked and so many of the revoked ones, newest first by id. */
    list(orgId: string, revokedMax: number): Promise<readonly StoredKey[]>;
    /** Slots of those not revoked. */
    slots(tenant: Tenant): Promise<readonly number[]>;
    /** A second key in a slot is a conflict: the work runs again. */
    insert(key: StoredKey): void;
    update(key: StoredKey): void;
    /** Raises `lastUsedAtMs`, whatever the version; a later value stays. */
    touch(keyId: string, lastUsedAtMs: number): void;
  };
  readonly payments: {
    get(tenant: Tenant, id: string): Promise<Payment | null>;
    byExternalId(
      tenant: Tenant,
      origin: PaymentOrigin,
      externalId: string,
    ): Promise<Payment | null>;
    /** Whoever comes to the hosted page names its payment by this alone. */
    byPublicId(publicId: string): Promise<Payment | null>;
    /** Payments of one tenant and buyer that wait in a status, oldest first. */
    ofBuyer(
      tenant: Tenant,
      buyerId: string,
      status: PaymentStatus,
      page: TimePage,
    ): Promise<readonly Payment[]>;
    /** Any one payment of this tenant and buyer. */
    anyOfBuyer(tenant: Tenant, buyerId: string): Promise<Payment | null>;
    /** Newest first, over all tenants: for operators. */
    list(filter: PaymentFilter): Promise<readonly Payment[]>;
    /** For operators, who name a payment by its id alone. */
    find(id: string): Promise<Payment | null>;
    insert(payment: Payment): void;
    update(payment: Payment): void;
  };
  /** For showing, each in one read. Who decides on rows reads them one by one, and guards them. */
  readonly views: {
    get(tenant: Tenant, id: string): Promise<PaymentView | null>;
    byExternalId(
      tenant: Tenant,
      origin: PaymentOrigin,
      externalId: string,
    ): Promise<PaymentView | null>;
    /** Newest first; `beforeId` is the last id of the page before. */
    listInvoices(tenant: Tenant, filter: InvoiceFilter): Promise<readonly PaymentView[]>;
    /** The KYC of a buyer as this tenant knows it. */
    kycStatus(tenant: Tenant, buyer: Pick<Buyer, 'id' | 'emailKey'>): Promise<KycStatus>;
  };
  readonly funds: {
    get(tenant: Tenant, paymentId: string): Promise<Funds | null>;
    /** Funds with a debt to the buyer, an unknown position or a loss, oldest first. */
    open(limit: number): Promise<readonly Funds[]>;
    /** Of all tenants, in the order of their keys: those behind `after`. */
    page(
      after: Pick<Funds, 'orgId' | 'mode' | 'paymentId'> | null,
      limit: number,
    ): Promise<readonly Funds[]>;
    insert(funds: Funds): void;
    update(funds: Funds): void;
  };
  readonly quotes: {
    get(tenant: Tenant, id: string): Promise<Quote | null>;
    insert(quote: Quote): void;
  };
  readonly commands: {
    get(id: string): Promise<PartnerCommand | null>;
    /** The partner names an order by our reference. */
    byReference(mode: Mode, reference: string): Promise<PartnerCommand | null>;
    byPartnerRef(mode: Mode, kind: CommandKind, partnerRef: string): Promise<PartnerCommand | null>;
    ofPayment(tenant: Tenant, paymentId: string): Promise<readonly MoneyCommand[]>;
    ofSubmission(tenant: Tenant, submissionId: string): Promise<readonly PartnerCommand[]>;
    /** Newest first, for operators; `stuck` as partner-command.ts defines it. */
    list(filter: {
      readonly stuck: boolean;
      readonly limit: number;
    }): Promise<readonly PartnerCommand[]>;
    insert(command: PartnerCommand): void;
    update(command: PartnerCommand): void;
  };
  readonly ledger: {
    append(tenant: Tenant, paymentId: string, id: string, posting: Posting, atMs: number): void;
    ofPayment(tenant: Tenant, paymentId: string): Promise<readonly StoredPosting[]>;
  };
  readonly idempotency: {
    find(
      tenant: Tenant,
      key: string,
    ): Promise<{ readonly surface: PaymentOrigin; readonly resourceId: string } | null>;
    bind(
      tenant: Tenant,
      key: string,
      surface: PaymentOrigin,
      resourceId: string,
      atMs: number,
    ): void;
  };
  readonly buyers: {
    byEmail(mode: Mode, emailKey: string): Promise<Buyer | null>;
    get(mode: Mode, id: string): Promise<Buyer | null>;
    /**
     * A second buyer of the same address is a conflict: the work runs again and reads the first.
     */
    insert(buyer: Buyer): void;
    /** The submission of this tenant for the buyer that is not rejected, else the newest. */
    submission(tenant: Tenant, buyerId: string): Promise<KycSubmission | null>;
    submissionById(tenant: Tenant, id: string): Promise<KycSubmission | null>;
    /** An approved submission of any tenant of the mode. */
    approvedAnywhere(mode: Mode, buyerId: string): Promise<KycSubmission | null>;
    /** Whoever comes to a hosted form names its submission by the form's id alone. */
    submissionByFlow(flowId: string): Promise<KycSubmission | null>;
    /** Approved submissions of all tenants that rest on this party. */
    approvedByPartnerRef(
      mode: Mode,
      partnerRef: string,
      limit: number,
    ): Promise<readonly KycSubmission[]>;
    insertSubmission(submission: KycSubmission): void;
    updateSubmission(submission: KycSubmission): void;
    expectSubmission(submission: KycSubmission): void;
  };
  readonly accounts: {
    get(tenant: Tenant, id: string): Promise<ConnectedAccount | null>;
    byExternalId(tenant: Tenant, externalId: string): Promise<ConnectedAccount | null>;
    /** Newest first; `beforeId` is the last id of the page before. */
    list(tenant: Tenant, filter: AccountFilter): Promise<readonly ConnectedAccount[]>;
    /** Verifying or approved buyers of this address, newest first. */
    ofBuyer(tenant: Tenant, emailKey: string): Promise<readonly ConnectedAccount[]>;
    insert(account: ConnectedAccount): void;
    update(account: ConnectedAccount): void;
    expect(account: ConnectedAccount): void;
  };
  readonly documents: {
    /** Whoever has its signed URL names a document by its id alone. */
    find(id: string): Promise<Document | null>;
    /** At which a worker must look by now. */
    due(page: DuePage): Promise<readonly Document[]>;
    /** Newest first, over all tenants: for operators. */
    list(filter: DocumentFilter): Promise<readonly Document[]>;
    /** Slots of those of this party that are not purged. */
    slots(tenant: Tenant, owner: DocumentOwner): Promise<readonly number[]>;
    /** A second one of a party in a slot is a conflict: the work runs again. */
    insert(document: Document): void;
    update(document: Document): void;
    /** `purgeOrdered` of document.ts for each document of this party, however many there are. */
    orderPurge(tenant: Tenant, owner: DocumentOwner, nowMs: number): void;
  };
  readonly mails: {
    get(tenant: Tenant, id: string): Promise<Mail | null>;
    /** Whoever has its link names a mail by that alone. */
    byTokenHash(tokenHash: string): Promise<Mail | null>;
    /** Numbered ones of a purpose to an address, highest first, over whom `countedOver` says. */
    newestNumbered(
      to: Tenant & Pick<Mail, 'purpose' | 'toKey'>,
      limit: number,
    ): Promise<readonly Mail[]>;
    /** The same of an organization, about one account only; null: about the organization. */
    newestAbout(
      to: Tenant & Pick<Mail, 'purpose' | 'toKey' | 'accountId'>,
      limit: number,
    ): Promise<readonly Mail[]>;
    /** Newest first, over all tenants: for operators. */
    list(filter: MailFilter): Promise<readonly Mail[]>;
    /** Over all tenants, in the order of their ids, which is that of their making. */
    oldest(limit: number): Promise<readonly Mail[]>;
    /** A second mail of an address, purpose and number is a conflict: the work runs again. */
    insert(mail: Mail): void;
    update(mail: Mail): void;
    remove(mail: Mail): void;
  };
  readonly outbox: {
    append(event: DomainEvent): void;
    /** The oldest rows not yet sequenced. */
    oldest(limit: number): Promise<readonly OutboxRow[]>;
    remove(rows: readonly OutboxRow[]): void;
    /** What waits of one subject, in order; only the newest thousand of a queue is looked at. */
    ofSubject(tenant: Tenant, subjectId: string): Promise<readonly EventNote[]>;
  };
  readonly feed: {
    /** The last sequence given and its chain hash; null before a tenant's first event. */
    head(tenant: Tenant): Promise<FeedHead | null>;
    /** Compare-and-set from `was` (null: the tenant's first). */
    setHead(tenant: Tenant, was: FeedHead | null, head: FeedHead): void;
    append(event: FeedEvent): void;
    after(tenant: Tenant, sequence: number, limit: number): Promise<readonly FeedEvent[]>;
    get(tenant: Tenant, eventId: string): Promise<FeedEvent | null>;
    /** In the order of their sequence. */
    ofSubject(tenant: Tenant, subjectId: string): Promise<readonly EventNote[]>;
  };
  readonly subscriptions: {
    get(tenant: Tenant, id: string): Promise<Subscription | null>;
    find(id: string): Promise<Subscription | null>;
    /** The active ones and so many of the deleted ones, newest first by id. */
    list(tenant: Tenant, deletedMax: number): Promise<readonly Subscription[]>;
    active(tenant: Tenant): Promise<readonly Subscription[]>;
    /** Slots of the active ones. */
    slots(tenant: Tenant): Promise<readonly number[]>;
    /** A second active one in a slot is a conflict: the work runs again. */
    insert(subscription: Subscription): void;
    update(subscription: Subscription): void;
    expect(subscription: Subscription): void;
  };
  readonly deliveries: {
    get(id: string): Promise<WebhookDelivery | null>;
    /** Newest first; `beforeId` is the last id of the page before. */
    ofSubscription(
      tenant: Tenant,
      subscriptionId: string,
      page: { readonly beforeId: string | null; readonly limit: number },
    ): Promise<readonly WebhookDelivery[]>;
    /** Newest first, over all tenants: for operators. */
    list(filter: {
      readonly status: DeliveryStatus | null;
      readonly subscriptionId: string | null;
      readonly beforeId: string | null;
      readonly limit: number;
    }): Promise<readonly WebhookDelivery[]>;
    /** Pending ones of a subscription, for its deletion. */
    pendingOf(subscriptionId: string, limit: number): Promise<readonly WebhookDelivery[]>;
    attempts(deliveryId: string): Promise<readonly DeliveryAttempt[]>;
    /** Deliveries of the events of one subject, oldest first. */
    ofSubject(
      tenant: Tenant,
      subjectId: string,
      page: TimePage,
    ): Promise<readonly WebhookDelivery[]>;
    /** Attempts of those deliveries, in the order in which they started. */
    attemptsOfSubject(
      tenant: Tenant,
      subjectId: string,
      page: TimePage,
    ): Promise<readonly DeliveryAttempt[]>;
    insert(delivery: WebhookDelivery): void;
    update(delivery: WebhookDelivery): void;
    logAttempt(attempt: DeliveryAttempt): void;
  };
  readonly inbox: {
    get(partner: string, mode: Mode, messageId: string): Promise<InboxMessage | null>;
    insert(message: InboxMessage): void;
    unapplied(page: DuePage): Promise<readonly InboxMessage[]>;
    update(message: InboxMessage): void;
  };
  readonly advances: {
    get(tenant: Tenant, paymentId: string): Promise<Advance | null>;
    due(page: DuePage): Promise<readonly Advance[]>;
    /** Inserts, or replaces the one of the same payment. */
    put(advance: Advance): void;
    update(advance: Advance): void;
    remove(advance: Advance): void;
  };
  /** What may go when it is old; what stands for money is not among it. */
  readonly retention: {
    /** The next old deliveries behind an id, in the order of their ids. */
    oldDeliveries(
      cutoff: RetentionCutoff,
      afterId: string,
      limit: number,
    ): Promise<readonly string[]>;
    /** The old ones behind an id up to another, with their attempts. */
    removeDeliveries(cutoff: RetentionCutoff, afterId: string, lastId: string): void;
    /** The next applied messages that are old, oldest first. */
    oldMessages(
      cutoff: RetentionCutoff,
      after: MessageCursor | null,
      limit: number,
    ): Promise<readonly MessageCursor[]>;
    removeMessages(after: MessageCursor | null, last: MessageCursor): void;
    /** Who has a feed: those behind a tenant, organizations in order. */
    tenants(after: Tenant | null, limit: number): Promise<readonly Tenant[]>;
    /**
     * The next events behind a sequence. One is needed while it is young, while its payment is not
     * ended, and while a delivery of it is not old.
     */
    oldestEvents(
      cutoff: RetentionCutoff,
      tenant: Tenant,
      after: number,
      limit: number,
    ): Promise<readonly { readonly sequence: number; readonly needed: boolean }[]>;
    /** All of them or, while any of them has a delivery, none: the feed has no gaps. */
    removeEvents(tenant: Tenant, after: number, last: number): void;
  };
  readonly keyCheckValues: {
    /** One per key that may have sealed something. */
    list(): Promise<readonly KeyCheckValue[]>;
    /** A second one of a key is a conflict: the work runs again. */
    insert(checkValue: KeyCheckValue): void;
    update(checkValue: KeyCheckValue): void;
    remove(checkValue: KeyCheckValue): void;
  };
  /** Sealed texts of any table, for a reseal. */
  readonly sealed: {
    /** The next rows in the order of their primary key, including rows without a text. */
    page(column: SealedColumn, page: SealedPage): Promise<readonly SealedRow[]>;
    /** Replaces the row's text and raises its version; does nothing if the text has changed. */
    replace(column: SealedColumn, row: SealedRow, sealed: string): void;
  };
  readonly serviceKeys: {
    /** Expired keys included. */
    list(purpose: ServiceKeyPurpose): Promise<readonly ServiceKey[]>;
    /** A second current key of a purpose is a conflict: the work runs again. */
    insert(key: ServiceKey): void;
    update(key: ServiceKey): void;
    remove(key: ServiceKey): void;
  };
  readonly storageFingerprints: {
    get(name: string): Promise<StorageFingerprint | null>;
    /** A second one of a name is a conflict: the work runs again. */
    insert(mark: StorageFingerprint): void;
  };
  readonly epochs: {
    /** The one that is not over. */
    current(): Promise<Epoch>;
    /** In the order of their numbers. */
    list(): Promise<readonly Epoch[]>;
    /** No quarantine begins before this batch is stored. */
    expectOpen(): void;
    /** A second one of a number is a conflict: the work runs again. */
    insert(epoch: Epoch): void;
    update(epoch: Epoch): void;
  };
  readonly queueStats: {
    /** For operators; counts end at `countMax`, so that looking costs little however much waits. */
    read(nowMs: number, countMax: number): Promise<QueueStats>;
  };
}

/**
 * Immediate statements outside `run`: each takes due work for one worker by a lease. In quarantine
 * (epoch.ts) there are no commands, deliveries or mails to claim.
 */
export interface Claims {
  /** What the tokens of this process's leases begin with. */
  readonly owner: string;
  /** The token of a lease under which this process stores a row that it works on itself. */
  newLease(): string;
  /** Due commands, leased: `dueAtMs` is the end of the lease. */
  commands(claim: Claim): Promise<readonly PartnerCommand[]>;
  /** Active or deleted subscriptions that have due deliveries to send. */
  dueSubscriptions(nowMs: number): Promise<readonly Pick<Subscription, 'id' | 'orgId' | 'mode'>[]>;
  /**
   * Due deliveries of one subscription that are not spent, oldest first, leased as `beginAttempt`
   * of webhook-delivery.ts does, with their events' bodies and the subscription as it stands.
   */
  deliveries(
    claim: Claim & { readonly subscriptionId: string },
  ): Promise<readonly ClaimedDelivery[]>;
  /** Due deliveries with `attemptsExhausted`, of any subscription: to be ended, so not leased. */
  spentDeliveries(nowMs: number, limit: number): Promise<readonly WebhookDelivery[]>;
  /** Due mails, leased, each try already counted. */
  mails(claim: Claim): Promise<readonly Mail[]>;
  /** Payments that are expirable (payment.ts), not covered, and whose `expiresAtMs` has come. */
  expiredPayments(page: DuePage): Promise<readonly Payment[]>;
  /** Ends the leases that were taken here: for a process that stops. */
  releaseOwn(nowMs: number): Promise<void>;
  /** Ends every lease: only for a process that knows to be alone on the database. */
  releaseAll(nowMs: number): Promise<void>;
  /** The next moment at which any work falls due; null when there is none. */
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
  readonly eventCreatedAtMs: number;
}

/** Where work waits for a worker, which takes what is due. */
export type QueueName =
  | 'outbox'
  | 'deliveries'
  | 'commands'
  | 'inbox'
  | 'mails'
  | 'documents'
  | 'advances';

export interface QueueStats {
  readonly queues: Readonly<
    Record<QueueName, { readonly due: number; readonly oldestDueAtMs: number | null }>
  >;
  /** The oldest delivery that has not ended, waits between its attempts included. */
  readonly oldestUndeliveredAtMs: number | null;
  /** `isStuck` of partner-command.ts. */
  readonly stuckCommands: number;
  readonly deadLetters: number;
  /** Payments whose money needs a person. */
  readonly fundsToReview: number;
}

export interface PaymentFilter {
  readonly status: PaymentStatus | null;
  readonly orgId: string | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface InvoiceFilter {
  readonly status: PaymentStatus | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface MailFilter {
  readonly status: MailStatus | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface AccountFilter {
  readonly role: Role | null;
  readonly status: AccountStatus | null;
  readonly beforeId: string | null;
  readonly limit: number;
}

export interface DocumentFilter {
  /** Only those that are not purged. */
  readonly kept: boolean;
  readonly beforeId: string | null;
  readonly limit: number;
}

/** Rows that are due at `nowMs`, oldest first, ids breaking ties: those behind `after`. */
export interface DuePage {
  readonly nowMs: number;
  readonly limit: number;
  /** Null: from the first one. */
  readonly after: DueCursor | null;
}

export interface DueCursor {
  readonly dueAtMs: number;
  readonly id: string;
}

/**
 * Rows before it may be removed. A delivery is old when it was created before `sinceMs`, has ended
 * and had no attempt since.
 */
export interface RetentionCutoff {
  readonly sinceMs: number;
  /** An id of a delivery made at `sinceMs`: ids sort by creation. */
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

export interface SealedPage {
  /** Texts under this secret key are returned as null. */
  readonly exceptKeyId: string;
  /** Null: start with the first row. */
  readonly after: SealedRow | null;
  readonly limit: number;
}

export interface SealedRow {
  /** The values of its primary key. */
  readonly place: readonly string[];
  readonly id: string;
  readonly sealed: string | null;
}
