// The storage port. An adapter implements it for one database. The domain documents what the rows
// mean.
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
 * The only access to data. In `run`, `work` reads and stages writes; when it returns, all staged
 * writes are applied as one atomic batch, or none. If a guard fails or a unique value is taken,
 * `work` runs again and reads the winner; after a bounded number of runs it fails with
 * `StoreContention`. `work` must not do other I/O. A batch that contains a text sealed under this
 * process's key requires that key's check value to be `in_use`. In quarantine (epoch.ts) a batch
 * is refused with InQuarantine unless the run allows it.
 */
export interface Store {
  run<T>(work: (tx: Tx) => Promise<T>, options?: RunOptions): Promise<T>;
  readonly claims: Claims;
  /** Applies missing migrations and returns their numbers; refuses a newer database. */
  migrate(): Promise<readonly number[]>;
  health(): Promise<{ readonly database: boolean; readonly migrations: boolean }>;
  close(): Promise<void>;
}

export interface RunOptions {
  /** Allows the batch in quarantine: it records what is known or revokes a right. */
  readonly inQuarantine?: boolean;
}

/**
 * Updates are compare-and-set on the version that was read, and raise it by one. An insert that
 * breaks a unique constraint is a conflict: `work` runs again. `expect` guards a row that a
 * decision depends on and that is not written. To read an aggregate with a staged write is a
 * programmer's error. Lists for a page are newest first.
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
    /** The member of this address that was not removed. */
    byEmail(orgId: string, emailKey: string): Promise<Member | null>;
    /** Newest first, removed ones included. */
    list(orgId: string): Promise<readonly Member[]>;
    insert(member: Member): void;
    update(member: Member): void;
  };
  readonly keys: {
    get(keyId: string): Promise<StoredKey | null>;
    /** All active keys and at most `revokedMax` revoked ones, newest first. */
    list(orgId: string, revokedMax: number): Promise<readonly StoredKey[]>;
    /** Slots of active keys. */
    slots(tenant: Tenant): Promise<readonly number[]>;
    insert(key: StoredKey): void;
    update(key: StoredKey): void;
    /** Raises `lastUsedAtMs` without a check of the version; a later value stays. */
    touch(keyId: string, lastUsedAtMs: number): void;
  };
  readonly payments: {
    get(tenant: Tenant, id: string): Promise<Payment | null>;
    byExternalId(
      tenant: Tenant,
      origin: PaymentOrigin,
      externalId: string,
    ): Promise<Payment | null>;
    /** The hosted page names its payment by this alone. */
    byPublicId(publicId: string): Promise<Payment | null>;
    /** Oldest first. */
    ofBuyer(
      tenant: Tenant,
      buyerId: string,
      status: PaymentStatus,
      page: TimePage,
    ): Promise<readonly Payment[]>;
    /** Any one payment of this tenant and buyer. */
    anyOfBuyer(tenant: Tenant, buyerId: string): Promise<Payment | null>;
    /** Over all tenants, for operators. */
    list(filter: PaymentFilter): Promise<readonly Payment[]>;
    /** Over all tenants, for operators. */
    find(id: string): Promise<Payment | null>;
    insert(payment: Payment): void;
    update(payment: Payment): void;
  };
  /** Each in one read, for display only: a decision reads its rows separately and guards them. */
  readonly views: {
    get(tenant: Tenant, id: string): Promise<PaymentView | null>;
    byExternalId(
      tenant: Tenant,
      origin: PaymentOrigin,
      externalId: string,
    ): Promise<PaymentView | null>;
    listInvoices(tenant: Tenant, filter: InvoiceFilter): Promise<readonly PaymentView[]>;
    /** The buyer's KYC for this tenant. */
    kycStatus(tenant: Tenant, buyer: Pick<Buyer, 'id' | 'emailKey'>): Promise<KycStatus>;
  };
  readonly funds: {
    get(tenant: Tenant, paymentId: string): Promise<Funds | null>;
    /** Funds with a debt to the buyer, an unknown position or a loss, oldest first. */
    open(limit: number): Promise<readonly Funds[]>;
    /** Over all tenants, in key order. */
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
    byReference(mode: Mode, reference: string): Promise<PartnerCommand | null>;
    byPartnerRef(mode: Mode, kind: CommandKind, partnerRef: string): Promise<PartnerCommand | null>;
    ofPayment(tenant: Tenant, paymentId: string): Promise<readonly MoneyCommand[]>;
    ofSubmission(tenant: Tenant, submissionId: string): Promise<readonly PartnerCommand[]>;
    /** Newest first, over all tenants; `stuck`: only those with `isStuck`. */
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
    insert(buyer: Buyer): void;
    /** The submission of this tenant for the buyer that is not rejected, else the newest. */
    submission(tenant: Tenant, buyerId: string): Promise<KycSubmission | null>;
    submissionById(tenant: Tenant, id: string): Promise<KycSubmission | null>;
    /** An approved submission of any tenant of the mode. */
    approvedAnywhere(mode: Mode, buyerId: string): Promise<KycSubmission | null>;
    /** The hosted form names its submission by this alone. */
    submissionByFlow(flowId: string): Promise<KycSubmission | null>;
    /** Approved submissions of all tenants that depend on this party. */
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
    list(tenant: Tenant, filter: AccountFilter): Promise<readonly ConnectedAccount[]>;
    /** Verifying or approved buyers of this address, newest first. */
    ofBuyer(tenant: Tenant, emailKey: string): Promise<readonly ConnectedAccount[]>;
    insert(account: ConnectedAccount): void;
    update(account: ConnectedAccount): void;
    expect(account: ConnectedAccount): void;
  };
  readonly documents: {
    /** A signed URL names its document by the id alone. */
    find(id: string): Promise<Document | null>;
    due(page: DuePage): Promise<readonly Document[]>;
    /** Over all tenants, for operators. */
    list(filter: DocumentFilter): Promise<readonly Document[]>;
    /** Slots of the party's documents that are not purged. */
    slots(tenant: Tenant, owner: DocumentOwner): Promise<readonly number[]>;
    insert(document: Document): void;
    update(document: Document): void;
    /** Applies `purgeOrdered` of document.ts to each document of this party. */
    orderPurge(tenant: Tenant, owner: DocumentOwner, nowMs: number): void;
  };
  readonly mails: {
    get(tenant: Tenant, id: string): Promise<Mail | null>;
    byTokenHash(tokenHash: string): Promise<Mail | null>;
    /** Numbered mails of a purpose to an address, highest first, in the scope of `countedOver`. */
    newestNumbered(
      to: Tenant & Pick<Mail, 'purpose' | 'toKey'>,
      limit: number,
    ): Promise<readonly Mail[]>;
    /** The same within an organization, about one account; null: about the organization. */
    newestAbout(
      to: Tenant & Pick<Mail, 'purpose' | 'toKey' | 'accountId'>,
      limit: number,
    ): Promise<readonly Mail[]>;
    /** Over all tenants, for operators. */
    list(filter: MailFilter): Promise<readonly Mail[]>;
    /** Over all tenants, in creation order. */
    oldest(limit: number): Promise<readonly Mail[]>;
    insert(mail: Mail): void;
    update(mail: Mail): void;
    remove(mail: Mail): void;
  };
  readonly outbox: {
    append(event: DomainEvent): void;
    oldest(limit: number): Promise<readonly OutboxRow[]>;
    remove(rows: readonly OutboxRow[]): void;
    /** Waiting events of one subject, in order, among the newest thousand of the queue. */
    ofSubject(tenant: Tenant, subjectId: string): Promise<readonly EventNote[]>;
  };
  readonly feed: {
    /** Null before a tenant's first event. */
    head(tenant: Tenant): Promise<FeedHead | null>;
    /** Compare-and-set from `was`; null for the tenant's first. */
    setHead(tenant: Tenant, was: FeedHead | null, head: FeedHead): void;
    append(event: FeedEvent): void;
    after(tenant: Tenant, sequence: number, limit: number): Promise<readonly FeedEvent[]>;
    get(tenant: Tenant, eventId: string): Promise<FeedEvent | null>;
    /** In sequence order. */
    ofSubject(tenant: Tenant, subjectId: string): Promise<readonly EventNote[]>;
  };
  readonly subscriptions: {
    get(tenant: Tenant, id: string): Promise<Subscription | null>;
    find(id: string): Promise<Subscription | null>;
    /** All active subscriptions and at most `deletedMax` deleted ones, newest first. */
    list(tenant: Tenant, deletedMax: number): Promise<readonly Subscription[]>;
    active(tenant: Tenant): Promise<readonly Subscription[]>;
    /** Slots of active subscriptions. */
    slots(tenant: Tenant): Promise<readonly number[]>;
    insert(subscription: Subscription): void;
    update(subscription: Subscription): void;
    expect(subscription: Subscription): void;
  };
  readonly deliveries: {
    get(id: string): Promise<WebhookDelivery | null>;
    ofSubscription(
      tenant: Tenant,
      subscriptionId: string,
      page: ListPage,
    ): Promise<readonly WebhookDelivery[]>;
    /** Over all tenants, for operators. */
    list(filter: DeliveryFilter): Promise<readonly WebhookDelivery[]>;
    pendingOf(subscriptionId: string, limit: number): Promise<readonly WebhookDelivery[]>;
    attempts(deliveryId: string): Promise<readonly DeliveryAttempt[]>;
    /** Deliveries of the events of one subject, oldest first. */
    ofSubject(
      tenant: Tenant,
      subjectId: string,
      page: TimePage,
    ): Promise<readonly WebhookDelivery[]>;
    /** Attempts of those deliveries, in start order. */
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
    /** Inserts, or replaces the advance of the same payment. */
    put(advance: Advance): void;
    update(advance: Advance): void;
    remove(advance: Advance): void;
  };
  /** Rows that may be removed when they are old; records of money stay. */
  readonly retention: {
    /** Ids of old deliveries, in id order. */
    oldDeliveries(
      cutoff: RetentionCutoff,
      afterId: string,
      limit: number,
    ): Promise<readonly string[]>;
    /** With their attempts. */
    removeDeliveries(cutoff: RetentionCutoff, afterId: string, lastId: string): void;
    /** Applied messages that are old, oldest first. */
    oldMessages(
      cutoff: RetentionCutoff,
      after: MessageCursor | null,
      limit: number,
    ): Promise<readonly MessageCursor[]>;
    removeMessages(after: MessageCursor | null, last: MessageCursor): void;
    /** Tenants with a feed, in key order. */
    tenants(after: Tenant | null, limit: number): Promise<readonly Tenant[]>;
    /** An event is needed while it is young, its payment runs, or a delivery of it is not old. */
    oldestEvents(
      cutoff: RetentionCutoff,
      tenant: Tenant,
      after: number,
      limit: number,
    ): Promise<readonly { readonly sequence: number; readonly needed: boolean }[]>;
    /** Removes none while any of them has a delivery: the feed has no gaps. */
    removeEvents(tenant: Tenant, after: number, last: number): void;
  };
  readonly keyCheckValues: {
    list(): Promise<readonly KeyCheckValue[]>;
    insert(checkValue: KeyCheckValue): void;
    update(checkValue: KeyCheckValue): void;
    remove(checkValue: KeyCheckValue): void;
  };
  /** Sealed texts of any table, for a reseal. */
  readonly sealed: {
    /** In primary key order, including rows without a text. */
    page(column: SealedColumn, page: SealedPage): Promise<readonly SealedRow[]>;
    /** Replaces the row's text and raises its version; does nothing if the text has changed. */
    replace(column: SealedColumn, row: SealedRow, sealed: string): void;
  };
  readonly serviceKeys: {
    /** Expired keys included. */
    list(purpose: ServiceKeyPurpose): Promise<readonly ServiceKey[]>;
    insert(key: ServiceKey): void;
    update(key: ServiceKey): void;
    remove(key: ServiceKey): void;
  };
  readonly storageFingerprints: {
    get(name: string): Promise<StorageFingerprint | null>;
    insert(fingerprint: StorageFingerprint): void;
  };
  readonly epochs: {
    /** The epoch that is not over. */
    current(): Promise<Epoch>;
    /** In number order. */
    list(): Promise<readonly Epoch[]>;
    /** No quarantine begins before this batch is stored. */
    expectOpen(): void;
    insert(epoch: Epoch): void;
    update(epoch: Epoch): void;
  };
  readonly queueStats: {
    /** Counts stop at `countMax`, so that the read stays cheap. */
    read(nowMs: number, countMax: number): Promise<QueueStats>;
  };
}

/**
 * Immediate statements outside `run`: each claims due rows for one worker by a lease. In quarantine
 * (epoch.ts) no command, delivery or mail can be claimed.
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
   * Due deliveries of one subscription without `attemptsExhausted`, oldest first, leased as
   * `beginAttempt` of webhook-delivery.ts does, with the current subscription.
   */
  deliveries(
    claim: Claim & { readonly subscriptionId: string },
  ): Promise<readonly ClaimedDelivery[]>;
  /** Due deliveries with `attemptsExhausted`, of any subscription; they are ended, not leased. */
  spentDeliveries(nowMs: number, limit: number): Promise<readonly WebhookDelivery[]>;
  /** Due mails, leased, the try counted. */
  mails(claim: Claim): Promise<readonly Mail[]>;
  /** Payments that are expirable (payment.ts), not covered, and whose `expiresAtMs` has come. */
  expiredPayments(page: DuePage): Promise<readonly Payment[]>;
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
  readonly eventCreatedAtMs: number;
}

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
  /** The oldest pending delivery, due or not. */
  readonly oldestUndeliveredAtMs: number | null;
  /** `isStuck` of partner-command.ts. */
  readonly stuckCommands: number;
  readonly deadLetters: number;
  /** Payments whose money needs a person. */
  readonly fundsToReview: number;
}

/** A page of a list, newest first. */
export interface ListPage {
  /** The last id of the page before; null for the first page. */
  readonly beforeId: string | null;
  readonly limit: number;
}

/** Null selects all. */
export interface InvoiceFilter extends ListPage {
  readonly status: PaymentStatus | null;
}

export interface PaymentFilter extends InvoiceFilter {
  readonly orgId: string | null;
}

interface MailFilter extends ListPage {
  readonly status: MailStatus | null;
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
  /** Null: start with the first row. */
  readonly after: SealedRow | null;
  readonly limit: number;
}

export interface SealedRow {
  /** The values of its primary key. */
  readonly key: readonly string[];
  readonly id: string;
  readonly sealed: string | null;
}
