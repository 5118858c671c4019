// Everything the core asks of the world outside. Adapters implement these; use cases take them as
// `Deps`. What an operation means to the business stands in the domain, not here.
import type { Buyer, KycStatus, KycSubmission } from './domain/buyer-kyc.js';
import type { PaymentView } from './domain/change.js';
import type {
  AccountStatus,
  ConnectedAccount,
  EntityType,
  Role,
} from './domain/connected-account.js';
import type { Document, DocumentOwner } from './domain/document.js';
import type { Dossier } from './domain/dossier.js';
import type { Epoch } from './domain/epoch.js';
import type { DomainEvent } from './domain/event.js';
import type { Funds } from './domain/funds.js';
import type { Posting } from './domain/ledger.js';
import type { Mail, MailOutcome, MailStatus } from './domain/mail.js';
import type { Member } from './domain/member.js';
import type { Money } from './domain/money.js';
import type { Organization, OrganizationProfile } from './domain/organization.js';
import type {
  CommandKind,
  MoneyCommand,
  MoneyKind,
  PartnerCommand,
} from './domain/partner-command.js';
import type { Payment, PaymentOrigin, PaymentStatus } from './domain/payment.js';
import type { Quote, QuoteTerms } from './domain/quote.js';
import type { PayinReport, PayoutReport } from './domain/report-check.js';
import type { Scope } from './domain/scope.js';
import type { SealedColumn } from './domain/sealed-columns.js';
import type { KeyState } from './domain/sealed-text.js';
import type { ServiceKey, ServiceKeyPurpose } from './domain/service-key.js';
import type { Subscription } from './domain/subscription.js';
import type { Mode, Tenant } from './domain/tenant.js';
import type { DeliveryStatus, WebhookDelivery } from './domain/webhook-delivery.js';

/** What every use case gets. */
export interface Deps {
  readonly store: Store;
  /** The settlement partner of each mode; null where none is configured. */
  readonly partners: Readonly<Record<Mode, SettlementPartner | null>>;
  readonly sender: WebhookSender;
  readonly mailer: Mailer;
  readonly secretBox: SecretBox;
  /** Null where documents are not taken in: parties then name addresses of their own. */
  readonly documents: DocumentStorage | null;
  readonly tokenSigner: TokenSigner;
  readonly rateLimits: RateLimits;
  readonly clock: Clock;
  /** Resolves after this long; at once where the clock is moved by hand. */
  readonly pause: (durationMs: number) => Promise<void>;
  readonly ids: Ids;
  readonly log: Log;
  /** Null where nobody watches. */
  readonly metrics: Metrics | null;
  /**
   * Called after work was stored: workers of this process look at once, readers of the feed at the
   * tenants named, or at all of theirs.
   */
  readonly wake: (work: WorkKind, tenants?: readonly Tenant[]) => void;
  readonly settings: Settings;
}

export type WorkKind =
  | 'outbox'
  | 'feed'
  | 'commands'
  | 'deliveries'
  | 'inbox'
  | 'advances'
  | 'purges'
  | 'mails';

export interface Settings {
  /** Public address of the API, without a trailing slash. */
  readonly baseUrl: string;
  /** Public address of the hosted page, without a trailing slash. */
  readonly payUrl: string;
  /** Waits before attempts 2 to 7 of a delivery. */
  readonly retryDelaysMs: readonly number[];
  /** Creates per minute and key; 0 switches the limit off. */
  readonly rateLimitPerMinute: number;
  readonly rateLimitBurst: number;
  /** Whether webhook URLs may be http and private: development only. */
  readonly allowPrivateUrls: boolean;
}

// ---------------------------------------------------------------------------------- storage

/**
 * The one way to data. `run` lets `work` read freely and stage writes; when it returns, all staged
 * writes are applied as one atomic batch, or none. If a guard fails or a unique value was taken
 * meanwhile, the whole `work` runs again and reads the winner; after a bounded number of runs it
 * gives up with `StoreContention` (transient). `work` must not do I/O of its own. A batch that
 * contains a text sealed under this process's key requires that key's canary to be `in_use`. In
 * quarantine (epoch.ts) a batch is refused with InQuarantine unless the run says otherwise.
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
  readonly keyCanaries: {
    /** One per key that may have sealed something. */
    list(): Promise<readonly KeyCanary[]>;
    /** A second one of a key is a conflict: the work runs again. */
    insert(canary: KeyCanary): void;
    update(canary: KeyCanary): void;
    remove(canary: KeyCanary): void;
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
    read(nowMs: number, countMax: number): Promise<Backlog>;
  };
}

/**
 * Immediate statements outside `run`: each takes due work for one worker by a lease. In quarantine
 * (epoch.ts) there are no commands, deliveries or mails to claim.
 */
export interface Claims {
  /** What tokens of leases that are taken here begin with. */
  readonly owner: string;
  /** Due commands, leased: `dueAtMs` is the end of the lease, `leaseToken` ends in `token`. */
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
  readonly token: string;
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

export interface Backlog {
  readonly queues: Readonly<
    Record<QueueName, { readonly due: number; readonly oldestDueAtMs: number | null }>
  >;
  /** The oldest delivery that has not ended, waits between its attempts included. */
  readonly oldestUndeliveredAtMs: number | null;
  /** `isStuck` of partner-command.ts. */
  readonly stuckCommands: number;
  readonly deadLetters: number;
  /** Payments whose money needs a person. */
  readonly operatorFunds: number;
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

export interface StoredKey {
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly salt: string;
  readonly secretHash: string;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Taken until it is revoked, see slot.ts; null of one that an earlier version created. */
  readonly slot: number | null;
  readonly createdAtMs: number;
  readonly version: number;
}

export interface StoredPosting extends Posting {
  readonly id: string;
  readonly atMs: number;
}

/** `position` orders rows of one subject as they were committed. */
export interface OutboxRow {
  readonly position: bigint;
  readonly event: DomainEvent;
}

export interface FeedHead {
  readonly sequence: number;
  /** Hex SHA-256 over the chain hash before and this event's body: the audit chain. */
  readonly chainHash: string;
}

export interface FeedEvent extends DomainEvent, FeedHead {}

/** An event without what it says. */
export type EventNote = Pick<DomainEvent, 'id' | 'type' | 'createdAtMs'>;

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

export interface DeliveryAttempt {
  readonly id: string;
  readonly deliveryId: string;
  readonly attempt: number;
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  /** The first 4 KiB of the answer at most, as text; null when there was none. */
  readonly responseBody: string | null;
  readonly error: string | null;
}

export interface InboxMessage {
  readonly partner: string;
  readonly mode: Mode;
  /** The partner's id of the message: one message is applied once. */
  readonly messageId: string;
  /** JSON text of the facts read from the verified message. */
  readonly facts: string;
  readonly receivedAtMs: number;
  /** When it is to be applied (again); null once applied. */
  readonly dueAtMs: number | null;
  readonly tries: number;
  readonly version: number;
}

export type MessageCursor = Pick<InboxMessage, 'receivedAtMs' | 'messageId'>;

/** A known text sealed under a secret key. Its presence makes every start require the key. */
export interface KeyCanary {
  readonly keyId: string;
  readonly sealed: string;
  readonly state: KeyState;
  readonly createdAtMs: number;
  readonly version: number;
}

/** The secret key under which this process seals. */
export interface Sealer {
  readonly keyId: string;
  /** Stores the key's canary as `in_use`. */
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

/** A random value that is also recorded at a resource outside, to recognize it. */
export interface StorageFingerprint {
  readonly name: string;
  readonly value: string;
  readonly createdAtMs: number;
}

/** A test payment that is being played towards `to`. */
export interface Advance extends Tenant {
  readonly paymentId: string;
  readonly to: PaymentStatus;
  readonly dueAtMs: number;
  readonly tries: number;
  readonly version: number;
}

// ------------------------------------------------------------------------ settlement partner

/**
 * How a call that may have an effect ends. `refused`: never, for good. `later`: surely nothing
 * happened, try again. `unknown`: it may have happened; never taken for a failure.
 */
export type PartnerAnswer<T> =
  | { readonly outcome: 'done'; readonly value: T }
  | { readonly outcome: 'refused'; readonly code: string; readonly message: string }
  | { readonly outcome: 'later'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

export interface PayinOrder {
  /** Our reference, and the idempotency key of the call. */
  readonly reference: string;
  readonly quote: QuoteTerms;
  readonly payerEmail: string;
}

export interface PayoutOrder {
  readonly reference: string;
  /** What is paid out, in the currency the buyer paid. */
  readonly amount: Money;
  /** From registerPixDestination. */
  readonly destination: string;
}

export interface RefundOrder {
  readonly reference: string;
  readonly payinRef: string;
  readonly amount: Money;
}

/** What a party tells of itself, under our reference, which is also the idempotency key. */
export interface ReceiverOrder extends Dossier {
  readonly reference: string;
  readonly role: Role;
  readonly entityType: EntityType;
}

export interface ReceiverReport {
  readonly status: 'verifying' | 'approved' | 'rejected';
  readonly reason: string | null;
}

export interface RefundReport {
  readonly status: 'open' | 'completed' | 'failed';
  /** What the order gives back, before any fee of a bank. */
  readonly amount: Money;
  readonly reason: string | null;
}

/**
 * A fact the partner tells, by message or when asked. `reference` is ours where the partner sends
 * it; `partnerRef` is its own id.
 */
export type PartnerFact = {
  readonly [K in keyof PartnerReports]: {
    readonly kind: K;
    readonly reference: string | null;
    readonly partnerRef: string;
    readonly report: PartnerReports[K];
  };
}[keyof PartnerReports];

/** What the partner reports of each kind of order. */
export interface PartnerReports {
  readonly receiver: ReceiverReport;
  readonly payin: PayinReport;
  readonly payout: PayoutReport;
  readonly refund: RefundReport;
}

/** What the partner answers when it takes an order, or when a look-up finds it. */
export interface AcceptedOrder {
  readonly partnerRef: string;
  /** Of a pay-in: what the buyer must do to pay, as JSON text. */
  readonly instructions?: string;
  /** Of a party: how it stands, if the answer says so. */
  readonly report?: ReceiverReport;
}

/** What the description of the API says about a partner. */
export interface PartnerNotes {
  /** The header with the signature of a message. */
  readonly signatureHeader: string;
  /** Values that change an outcome in test mode: where they are sent, and what they do. */
  readonly testValues: readonly {
    readonly where: string;
    readonly value: string;
    readonly means: string;
  }[];
}

/**
 * One kind of order. `prepare` makes the exact text of a request and has no effect. The text is
 * stored before `start`, which may be repeated with the same text. `find` looks an order up by its
 * request, where a repeat is not safe; null: there is none. A read that has no answer is `later`.
 */
export interface OrderApi<Order, Report> {
  prepare(order: Order): Promise<PartnerAnswer<string>>;
  start(request: string): Promise<PartnerAnswer<AcceptedOrder>>;
  find(request: string): Promise<PartnerAnswer<AcceptedOrder | null>>;
  read(partnerRef: string): Promise<PartnerAnswer<Report>>;
}

export interface SettlementPartner {
  readonly name: string;
  /** Every call answers within this time; then its outcome is `unknown`. Half a lease at most. */
  readonly callTimeoutMs: number;
  /**
   * A call in doubt may take effect until this long after it began. A look-up that finds nothing
   * sooner proves nothing.
   */
  readonly effectWithinMs: number;
  /** Currencies that buyers can pay in, ISO 4217. */
  readonly currencies: readonly string[];
  readonly notes: PartnerNotes;
  /** Fields that it needs of such a party besides those of dossier.ts; `tosId` means terms. */
  requirements(role: Role, entityType: EntityType): readonly (keyof Dossier)[];
  /** Where a party accepts the terms; it comes back to `redirectUrl` with a `tos_id`. */
  startTos(input: {
    readonly redirectUrl: string;
    readonly key: string;
  }): Promise<PartnerAnswer<{ url: string }>>;
  /** Parties: organizations, sellers and buyers. */
  readonly receiver: OrderApi<ReceiverOrder, ReceiverReport>;
  readonly payin: OrderApi<PayinOrder, PayinReport>;
  readonly payout: OrderApi<PayoutOrder, PayoutReport>;
  readonly refund: OrderApi<RefundOrder, RefundReport>;
  /** `key` makes a repeat harmless; the raw PIX key goes nowhere else. */
  registerPixDestination(input: {
    readonly receiverRef: string;
    readonly pixKey: string;
    readonly accountHolderName: string;
    readonly key: string;
  }): Promise<PartnerAnswer<{ destinationRef: string }>>;
  provisionRails(input: {
    readonly receiverRef: string;
    readonly destinationRef: string;
    readonly key: string;
  }): Promise<PartnerAnswer<{ virtualAccountRef: string }>>;
  quote(input: {
    readonly source: Money;
    readonly destination: string;
  }): Promise<PartnerAnswer<QuoteTerms>>;
  /**
   * The order about money with this reference of ours; null: there is none. For a read-back after
   * a restore, when no row may know the request.
   */
  findOrder(kind: MoneyKind, reference: string): Promise<PartnerAnswer<AcceptedOrder | null>>;
  /**
   * Verifies a message over its raw bytes and reads it. Null when it is not genuine (signature,
   * age) or not readable.
   */
  readInbound(
    headers: Readonly<Record<string, string | undefined>>,
    body: Uint8Array,
    nowMs: number,
  ): { readonly messageId: string; readonly facts: readonly PartnerFact[] } | null;
}

// ------------------------------------------------------------------------------- the rest

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `error` is null exactly when an answer came; what its status means is the domain's matter. */
export interface WebhookResult {
  readonly responseStatus: number | null;
  /** 4 KiB at most. */
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number;
}

export interface WebhookSender {
  /** POSTs once, follows no redirect, gives up after the receiver's 10 s; never throws. */
  send(request: WebhookRequest): Promise<WebhookResult>;
  /** Why this URL may not be subscribed; null when it may. */
  refusal(url: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface OutgoingMail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** Sent twice under one name, it is the same mail: the left half of its Message-ID. */
  readonly messageId: string;
  readonly writtenAtMs: number;
}

export interface Mailer {
  /** Sends once and gives up well before MAIL_LEASE_MS; never throws. */
  send(mail: OutgoingMail): Promise<MailOutcome>;
}

/** Authenticated encryption of what must not lie readable in the database. */
export interface SecretBox {
  /** The name of the key that seals, which a sealed text remembers. */
  readonly keyId: string;
  /** `purpose` is bound to the ciphertext: opening it for another purpose fails. */
  seal(plain: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
  /** HMAC-SHA256 in hex under a key derived for `purpose`. */
  mac(text: string, purpose: string): string;
  /** Whether `mac` gave this, under whichever key that is still configured; in constant time. */
  isMac(text: string, purpose: string, mac: string): boolean;
}

/** Holds what it reads from, as an open file, until it is read to its end or closed. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  /** At any time, also again. */
  close(): Promise<void>;
}

/** Where the bytes of documents lie. It knows no tenants: an id is a document.ts `Document`'s. */
export interface DocumentStorage {
  /** As people know it. */
  readonly place: string;
  /** Records it durably beside other fingerprints and documents. Repeating it is harmless. */
  recordFingerprint(fingerprint: string): Promise<void>;
  hasFingerprint(fingerprint: string): Promise<boolean>;
  /** Keeps the bytes under a name that is new to this document: whole and durably, or rejects. */
  put(documentId: string, name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Null when there is nothing of this name. */
  get(documentId: string, name: string): Promise<ByteSource | null>;
  /** Deletes what is there of this name, which no row names any more; if anything. */
  remove(documentId: string, name: string): Promise<void>;
  /** Deletes all that was put for the document but one, or all: also what came only half. */
  purge(documentId: string, keptName: string | null): Promise<void>;
  /** Ids of documents of which anything is kept, in the order of the ids. */
  list(page: {
    readonly afterId: string | null;
    readonly limit: number;
  }): Promise<readonly string[]>;
}

/** What a session token says: who speaks, for which organization, in which mode, until when. */
export interface SessionClaims extends Tenant {
  readonly memberId: string;
  /** Kept to the second. */
  readonly expiresAtMs: number;
}

export interface TokenSigner {
  /** A JWT, for `Authorization: Bearer`. */
  sign(claims: SessionClaims): Promise<string>;
  /** Null unless it was signed here, is unchanged and has not expired at `nowMs`. */
  verify(token: string, nowMs: number): Promise<SessionClaims | null>;
}

export interface RateLimits {
  /** One atomic step of rate-limit.ts; seconds to wait when refused, null when allowed. */
  take(input: {
    readonly key: string;
    readonly perMinute: number;
    readonly burst: number;
    readonly nowMs: number;
  }): Promise<number | null>;
}

export interface Clock {
  nowMs(): number;
}

export type IdPrefix =
  | 'org'
  | 'key'
  | 'pi'
  | 'inv'
  | 'byr'
  | 'kyc'
  | 'acct'
  | 'rcv'
  | 'whs'
  | 'evt'
  | 'whd'
  | 'doc'
  | 'mem'
  | 'mail'
  | 'skey'
  | 'qt'
  | 'cmd'
  | 'pst'
  | 'att';

/** Characters of an id behind its prefix that sort by time of creation. */
export const ID_TIME_CHARACTERS = 10;

export interface Ids {
  /** `<prefix>_…`: sortable by time of creation, unguessable (80 random bits). */
  next(prefix: IdPrefix, nowMs: number): string;
  randomBytes(length: number): Uint8Array;
}

/** Is told what happened, for operators to watch. A call costs little and does not throw. */
export interface Metrics {
  /**
   * A request was answered. `operation` is null where it named no row of the route table;
   * `createMs` is how long a create took that was not refused, null of everything else.
   */
  answered(
    operation: string | null,
    answer: { readonly status: number; readonly createMs: number | null },
  ): void;
  /** A receiver took a delivery, so long after its event. */
  delivered(sinceEventMs: number): void;
  /** Attempts failed: to be tried again, or the last ones of their deliveries. */
  undelivered(outcome: 'failed' | 'dead_letter', count: number): void;
}

export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
