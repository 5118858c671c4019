// The state that the invariants judge: rows of the database, every stored status, acknowledgements,
// and what happened outside. It reads the rows again that a batch touched.
import type { StoredKey } from '../../../core/domain/access/api-key.js';
import type { Member } from '../../../core/domain/access/member.js';
import type { RegisteredOperator } from '../../../core/domain/access/registered-operator.js';
import { type Tenant, tenantOf } from '../../../core/domain/base/tenant.js';
import {
  isMoneyCommand,
  type PartnerCommand,
} from '../../../core/domain/commands/partner-command.js';
import type { InboxMessage } from '../../../core/domain/commands/partner-message.js';
import type { BookReading } from '../../../core/domain/deposits/book-reading.js';
import type { Deposit } from '../../../core/domain/deposits/deposit.js';
import type { Mail } from '../../../core/domain/mail/mail.js';
import type { Proposal } from '../../../core/domain/money-desk/proposal.js';
import type { DomainEvent } from '../../../core/domain/payments/event.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { Epoch } from '../../../core/domain/service/epoch.js';
import type { ServiceKey } from '../../../core/domain/service/service-key.js';
import type { Subscription } from '../../../core/domain/webhooks/subscription.js';
import type { WebhookDelivery } from '../../../core/domain/webhooks/webhook-delivery.js';
import type { ClaimedDelivery, Store } from '../../../core/ports/storage.js';
import {
  findDifferences,
  type LedgerDifference,
} from '../../../core/usecases/payments/ledger-check.js';
import { type AuditDefect, verifyAudit } from '../../../core/usecases/service/audit-log.js';
import { compareHeldRows } from '../../../core/usecases/service/row-comparison.js';
import type { PartnerTransaction, ShareHolder } from '../partner/partner-ledger.js';
import type { BatchObserver, ObservedBatch, StagedWrite } from '../world/gated-store.js';
import type { ReceivedWebhook } from '../world/simulated-receivers.js';
import { ObservedParties } from './observed-parties.js';
import { allParts, type ObservedPayment, type Part, readParts } from './observed-payment.js';
import { ObservedRows, type RowsCopy } from './observed-rows.js';
import { mailIdOf, type Outside } from './outside-truth.js';
import { QuarantineMonitor } from './quarantine-monitor.js';
import { RestoreExemptions } from './restore-exemptions.js';

/** Of Tx groups of rows. */
const plain: readonly string[] = ['insert', 'update'];

interface Named {
  readonly id: string;
}

export interface StateCopy {
  readonly memories: RowsCopy;
  readonly parties: ReturnType<ObservedParties['remember']>;
}

export class ObservedState extends ObservedRows implements BatchObserver {
  readonly outside: Outside;
  readonly parties = new ObservedParties();
  readonly exempt = new RestoreExemptions();
  /** The newest sealed secret at each claim of a delivery that was not sent yet, by process. */
  readonly #claimedSecrets = new Map<string, string[]>();
  /** The same for deliveries that are sent without a claim. */
  readonly #namedSecrets = new Map<string, string>();
  /** Errors that no caller may see. */
  readonly surprises: string[] = [];
  /** What was shown and should not have been. */
  readonly trespasses: string[] = [];
  /** Credentials that were accepted after their end. */
  readonly intrusions: string[] = [];
  readonly quarantine = new QuarantineMonitor();
  /** Documents that were shown although they were not to be. */
  readonly misreads: string[] = [];
  /** Refused refunds that an operator sent again, and when that request started. */
  readonly reordered: { readonly reference: string; readonly sinceMs: number }[] = [];
  /** What reached receivers and was not judged yet. */
  freshReceived: readonly ReceivedWebhook[] = [];
  /** Webhooks whose delivery has no row yet. */
  sentWithoutRow: readonly ReceivedWebhook[] = [];
  freshBatches: readonly ObservedBatch[] = [];
  /** Payments that passed KYC since the last look. */
  freshlyVerified: readonly ObservedPayment[] = [];
  storedDocuments: ReadonlyMap<string, readonly string[]> = new Map();
  #batchesSince: ObservedBatch[] = [];
  differences: readonly LedgerDifference[] = [];
  auditDefects: readonly AuditDefect[] = [];
  /** Every key that signed bank details. */
  recordKeys: readonly ServiceKey[] = [];
  readonly #owners = new Map<string, string>();
  readonly #transactions = new Map<string, readonly PartnerTransaction[]>();
  #transactionsSeen = 0;
  #batches = 0;
  #receivedSeen = 0;
  readonly #touched = {
    payments: new Map<string, { readonly tenant: Tenant; readonly parts: Set<Part> }>(),
    commands: new Set<string>(),
    tenants: new Map<string, Tenant>(),
    deliveries: new Set<string>(),
    subscriptions: new Set<string>(),
    inbox: new Map<string, InboxMessage>(),
    deposits: new Set<string>(),
  };

  constructor(outside: Outside) {
    super();
    this.outside = outside;
  }

  get touched(): boolean {
    const sets = Object.values(this.#touched);
    return this.parties.touched || sets.some((set) => set.size > 0);
  }

  applied(batch: ObservedBatch): void {
    this.#batches += 1;
    this.#batchesSince.push(batch);
    this.#noteActor(batch);
    for (const write of batch.writes) {
      this.#note(write);
      this.parties.note(write);
    }
  }

  /** A delivery is named right after its subscription was read. */
  namedDelivery(process: string, id: string): void {
    const subscriptionId = id.slice(id.indexOf('/') + 1);
    const secret = this.secrets.get(subscriptionId)?.at(-1);
    if (secret !== undefined) this.#namedSecrets.set(`${process} ${id}`, secret);
  }

  claimedMails(mails: readonly Mail[]): void {
    this.quarantine.noteClaims(mails);
    this.parties.claimedMails(mails);
  }

  claimedCommands(commands: readonly PartnerCommand[]): void {
    this.quarantine.noteClaims(commands);
    for (const command of commands) this.#touchCommand(command);
  }

  claimedDeliveries(process: string, claimed: readonly ClaimedDelivery[]): void {
    this.quarantine.noteClaims(claimed.map(({ delivery }) => delivery));
    for (const { delivery } of claimed) this.#noteClaim(process, delivery);
  }

  gatedWrites(writes: readonly StagedWrite[]): void {
    this.quarantine.noteWrites(writes);
  }

  #noteClaim(process: string, { id, subscriptionId }: WebhookDelivery): void {
    this.#touched.deliveries.add(id);
    const secret = this.secrets.get(subscriptionId)?.at(-1);
    const key = `${process} ${id}`;
    if (secret === undefined) return;
    this.#claimedSecrets.set(key, [...(this.#claimedSecrets.get(key) ?? []), secret]);
  }

  /** The oldest secret with which this process may sign the delivery that it is about to send. */
  secretToSign(process: string, deliveryId: string): string {
    const key = `${process} ${deliveryId}`;
    return this.#claimedSecrets.get(key)?.shift() ?? this.#namedSecrets.get(key) ?? '';
  }

  leasesEnded(): void {
    for (const { commands } of this.payments.values()) commands.forEach(this.#touchCommand, this);
    for (const command of this.partyCommands.values()) this.#touchCommand(command);
    this.parties.claimedMails([...this.parties.mails.values()]);
    for (const id of this.deliveries.keys()) this.#touched.deliveries.add(id);
  }

  /** What reached receivers since the last look comes up for judgement. */
  receive(): void {
    const received = this.outside.received();
    const unjudged = [...this.sentWithoutRow, ...received.slice(this.#receivedSeen)];
    const { true: known = [], false: unknown = [] } = Object.groupBy(
      unjudged,
      ({ deliveryId }) => String(this.deliveries.has(deliveryId)) as 'true' | 'false',
    );
    this.freshReceived = known;
    this.sentWithoutRow = unknown;
    this.#receivedSeen = received.length;
    this.freshBatches = this.#batchesSince;
    this.#batchesSince = [];
    this.exempt.noteLate(this.outside.books.transactions, this);
    this.freshlyVerified = [...this.payments].flatMap(([id, found]) => {
      if (this.verified.has(id) || !found.statuses.includes('buyer_kyc_approved')) return [];
      this.verified.add(id);
      return [found];
    });
    this.reportedWithdrawnBefore = this.reportedWithdrawn;
    const isApplied = (message: string) => this.inbox.get(message)?.dueAtMs === null;
    this.reportedWithdrawn = new Set(
      this.outside
        .parties()
        .filter(({ takenBackBy }) => takenBackBy !== null && isApplied(takenBackBy))
        .map(({ ref }) => ref),
    );
  }

  /** Reads the rows again that batches and claims have touched since the last time. */
  async refresh(store: Store): Promise<void> {
    const touched = this.#touched;
    await store.run(async (tx) => {
      for (const [id, { tenant, parts }] of touched.payments) {
        const found = await readParts(tx, tenant, id, this.payments.get(id), parts);
        replace(this.payments, id, found && { ...found, statuses: this.statuses.get(id) ?? [] });
      }
      if (touched.payments.size > 0) this.recordKeys = await tx.serviceKeys.list('record');
      for (const id of touched.commands) {
        const command = await tx.commands.get(id);
        if (command === null || !isMoneyCommand(command)) replace(this.partyCommands, id, command);
      }
      for (const [key, tenant] of touched.tenants) {
        const feed = this.tenants.get(key)?.feed ?? [];
        const fresh = await tx.feed.after(tenant, feed.at(-1)?.sequence ?? 0, 1_000);
        const head = await tx.feed.head(tenant);
        const freshFrom = feed.length;
        this.tenants.set(key, { tenant, feed: [...feed, ...fresh], head, freshFrom });
      }
      for (const id of touched.deliveries) {
        replace(this.deliveries, id, await tx.deliveries.get(id));
      }
      for (const id of touched.subscriptions) {
        replace(this.subscriptions, id, await tx.subscriptions.find(id));
      }
      for (const [id, { partner, mode }] of touched.inbox) {
        replace(this.inbox, id, await tx.inbox.get(partner, mode, id));
      }
      for (const id of touched.deposits) {
        replace(this.deposits, id, await tx.deposits.get(id));
      }
      await this.parties.refresh(tx);
    });
    this.parties.refreshed();
    this.storedDocuments = new Map(this.outside.storedDocuments());
    for (const set of Object.values(touched)) set.clear();
  }

  /** Reads everything again, and looks for rows that no batch was seen to write. */
  async audit(store: Store): Promise<void> {
    await store.run(async (tx) => {
      const filter = { status: null, orgId: null, beforeId: null, limit: 1_000 };
      for (const payment of await tx.payments.list(filter)) {
        this.#touchPayment(payment, payment.id, ...allParts);
      }
      const all = { status: null, subscriptionId: null, beforeId: null, limit: 10_000 };
      for (const { id } of await tx.deliveries.list(all)) this.#touched.deliveries.add(id);
    });
    this.differences = await findDifferences({ store }, 10);
    const { defects } = await verifyAudit({ store }, this.anchors);
    this.auditDefects = [...defects, ...(await compareHeldRows({ store })).defects];
    for (const [id, { payment }] of this.payments) this.#touchPayment(payment, id, ...allParts);
    for (const [id, message] of this.inbox) this.#touched.inbox.set(id, message);
    for (const id of this.subscriptions.keys()) this.#touched.subscriptions.add(id);
    for (const id of this.deposits.keys()) this.#touched.deposits.add(id);
    this.leasesEnded();
    await this.parties.audit(store);
    await this.refresh(store);
  }

  copy(): StateCopy {
    return { memories: this.remember(), parties: this.parties.remember() };
  }

  /** The database is what it was when this was copied. What is outside stays. */
  goBack({ memories, parties }: StateCopy): void {
    const { books } = this.outside;
    const shared = books.transfers.flatMap((transfer) =>
      books.sharesOf(transfer).map(({ owner }) => [transfer, owner] as const),
    );
    this.goBackTo(memories);
    this.parties.goBackTo(parties);
    this.#batchesSince = [];
    this.freshBatches = [];
    this.sentWithoutRow = [];
    const mails = this.outside.mails().map(({ messageId }) => mailIdOf(messageId));
    const unknown = mails.filter((id) => !this.parties.mails.has(id));
    this.exempt.note(books.transactions, unknown, this);
    for (const [transfer, owner] of shared) {
      const holders = this.holdersOf(transfer);
      if (!holders.some((one) => one.owner === owner)) this.exempt.noteShare(transfer, owner);
    }
  }

  /** The payment that ordered under this reference; the partner knows references only. */
  ownerOf(reference: string): string | null {
    return this.#owners.get(reference) ?? null;
  }

  /** What the partner has in its books for this payment. */
  transactionsOf({ payment }: ObservedPayment): readonly PartnerTransaction[] {
    const { transactions } = this.outside.books;
    for (; this.#transactionsSeen < transactions.length; this.#transactionsSeen += 1) {
      const transaction = transactions[this.#transactionsSeen] as PartnerTransaction;
      const owner = this.ownerOf(transaction.reference) ?? '';
      this.#transactions.set(owner, [...(this.#transactions.get(owner) ?? []), transaction]);
    }
    const ordered = this.#transactions.get(payment.id) ?? [];
    const shares = this.outside.books.sharesFor(payment.id);
    return shares.length === 0 ? ordered : [...ordered, ...shares];
  }

  /** The payments whose commands have this transfer, in the order in which they were paid. */
  holdersOf({ ref, mode }: PartnerTransaction): readonly ShareHolder[] {
    return [...this.payments.values()]
      .flatMap(({ payment, commands }) =>
        commands
          .filter(({ kind, partnerRef }) => kind === 'payin' && partnerRef === ref)
          .map((command) => ({ payment, command })),
      )
      .filter(({ payment }) => payment.mode === mode)
      .toSorted(
        ({ payment: one }, { payment: other }) =>
          one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1),
      )
      .map(({ payment: { id: owner }, command: { depositId, receivedMinor } }) => ({
        owner,
        claimMinor: depositId === null ? null : receivedMinor,
      }));
  }

  /** What this payment lost by what banks did on their own. */
  excusedMinor({ payment }: ObservedPayment): bigint {
    return this.outside.books.excusedMinor(payment.id);
  }

  #note({ group, method, args }: StagedWrite): void {
    const row = args[0];
    const touched = this.#touched;
    switch (group) {
      case 'payments':
        this.#notePayment(row as Payment);
        break;
      case 'funds':
      case 'advances':
        this.#touchPayment(row as Tenant, (row as { paymentId: string }).paymentId, group);
        break;
      case 'ledger':
        this.#touchPayment(row as Tenant, args[1] as string, 'ledger');
        break;
      case 'commands':
        this.#touchCommand(row as PartnerCommand);
        break;
      case 'feed':
        for (const { id } of args as readonly DomainEvent[]) {
          this.bornInBatch.set(id, this.#batches);
        }
        this.#touchTenant(row as DomainEvent);
        break;
      case 'deliveries':
        if (method !== 'logAttempt') touched.deliveries.add((row as WebhookDelivery).id);
        break;
      case 'subscriptions':
        if (method !== 'advance') this.#noteSubscription(row as Subscription);
        break;
      case 'epochs':
        if (method === 'update' && (row as Epoch).state === 'open') this.quarantine.isOn = false;
        break;
      case 'inbox':
        touched.inbox.set((row as InboxMessage).messageId, row as InboxMessage);
        break;
      case 'deposits':
        if (method !== 'append') touched.deposits.add((row as Deposit).id);
        break;
      case 'proposals': {
        const proposal = row as Proposal;
        this.proposals.set(proposal.id, proposal);
        if (proposal.state === 'done') this.decidedItems.add(proposal.itemId);
        break;
      }
      case 'operators':
        if (method !== 'expect') this.operators.set((row as Named).id, row as RegisteredOperator);
        break;
      case 'members':
        if (method !== 'expect') this.members.set((row as Named).id, row as Member);
        break;
      case 'keys':
        if (plain.includes(method)) this.keys.set((row as Named).id, row as StoredKey);
        break;
      case 'bookReadings':
        this.#noteReading(row as BookReading);
        break;
    }
  }

  #noteActor({ actor, writes }: ObservedBatch): void {
    if (actor === null) return;
    const { id } = actor;
    const changes = writes.filter(({ method }) => !method.startsWith('expect'));
    // Each batch of a command guards its operator; a request authenticates once.
    if (actor.kind === 'operator' && this.ended.has(id) && changes.length > 0) {
      this.intrusions.push(`${id} was removed, and did ${changes[0]?.group}`);
    }
    for (const { group, method, args } of changes) {
      if (group !== 'proposals' || method !== 'insert') continue;
      this.proposers.set((args[0] as Proposal).id, id);
    }
  }

  #noteReading(reading: BookReading): void {
    const { partner, mode, book, span } = reading;
    this.bookReadings.set(`${partner} ${mode} ${book} ${span}`, reading);
  }

  #notePayment(payment: Payment): void {
    this.#touchPayment(payment, payment.id, 'payments');
    const statuses = this.statuses.get(payment.id) ?? [];
    if (statuses.at(-1) !== payment.status) statuses.push(payment.status);
    this.statuses.set(payment.id, statuses);
  }

  #noteSubscription({ id, secretSealed }: Subscription): void {
    this.#touched.subscriptions.add(id);
    if (!this.bornInBatch.has(id)) this.bornInBatch.set(id, this.#batches);
    const secrets = this.secrets.get(id) ?? [];
    if (secrets.at(-1) !== secretSealed) secrets.push(secretSealed);
    this.secrets.set(id, secrets);
  }

  #touchPayment(tenant: Tenant, id: string, ...parts: readonly Part[]): void {
    const touched = this.#touched.payments.get(id) ?? {
      tenant: tenantOf(tenant),
      parts: new Set(),
    };
    for (const part of parts) touched.parts.add(part);
    this.#touched.payments.set(id, touched);
  }

  #touchCommand(command: PartnerCommand): void {
    if (!isMoneyCommand(command)) {
      this.#touched.commands.add(command.id);
      return;
    }
    this.#noteOwner(command.reference, command.paymentId);
    this.#touchPayment(command, command.paymentId, 'commands');
  }

  /** A payment that a copy lacked, created again, takes over the commands of the lost one. */
  #noteOwner(reference: string, paymentId: string): void {
    const before = this.#owners.get(reference) ?? paymentId;
    this.#owners.set(reference, paymentId);
    if (before === paymentId) return;
    this.#transactions.clear();
    this.#transactionsSeen = 0;
  }

  #touchTenant(row: Tenant): void {
    const tenant = tenantOf(row);
    this.#touched.tenants.set(`${tenant.orgId} ${tenant.mode}`, tenant);
  }
}

function replace<T>(rows: Map<string, T>, id: string, row: T | null): void {
  if (row === null) rows.delete(id);
  else rows.set(id, row);
}

/** Those whose commands no restore took from the database. */
export function eachWholePayment(
  observed: ObservedState,
  wrong: (found: ObservedPayment) => string | null,
): string | null {
  return eachPayment(observed, (found) =>
    observed.exempt.hasPayment(found.payment.id) ? null : wrong(found),
  );
}

export function eachPayment(
  observed: ObservedState,
  wrong: (found: ObservedPayment) => string | null,
): string | null {
  for (const [id, found] of observed.payments) {
    const detail = wrong(found);
    if (detail !== null) return `${id} ${detail}`;
  }
  return null;
}
