// What the invariants look at: the database as it reads now, every status that a batch ever stored,
// what was acknowledged to whom, and what truly happened at the partner and the receivers. It
// re-reads what a batch touched; judging is the invariants' matter.
import type { DomainEvent } from '../../core/domain/event.js';
import type { Funds } from '../../core/domain/funds.js';
import type { PartnerCommand } from '../../core/domain/partner-command.js';
import type { Payment, PaymentStatus } from '../../core/domain/payment.js';
import type { Subscription } from '../../core/domain/subscription.js';
import { type Tenant, tenantOf } from '../../core/domain/tenant.js';
import type { WebhookDelivery } from '../../core/domain/webhook-delivery.js';
import type {
  Advance,
  ClaimedDelivery,
  FeedEvent,
  FeedHead,
  InboxMessage,
  LedgerImbalance,
  OutboxRow,
  Store,
  StoredPosting,
  Tx,
} from '../../core/ports.js';
import type { BatchObserver, StagedWrite } from './gated-store.js';
import type { PartnerMessage, PartnerOrder, Party } from './simulated-partner.js';
import type { ReceivedWebhook } from './simulated-receivers.js';

export interface PaymentEvidence {
  readonly payment: Payment;
  readonly funds: Funds;
  readonly commands: readonly PartnerCommand[];
  readonly postings: readonly StoredPosting[];
  readonly advance: Advance | null;
  /** Every status that a committed batch stored, in order. */
  readonly statuses: readonly PaymentStatus[];
}

export interface TenantEvidence {
  readonly tenant: Tenant;
  readonly feed: readonly FeedEvent[];
  readonly head: FeedHead | null;
  /** The index from which on the feed was not judged yet. */
  readonly freshFrom: number;
}

const allParts = ['payments', 'funds', 'commands', 'ledger', 'advances'] as const;
type Part = (typeof allParts)[number];

/** What somebody was told, so that it must stay true. */
export type Acknowledgement =
  | {
      readonly kind: 'payment';
      readonly tenant: Tenant;
      readonly id: string;
      readonly status: PaymentStatus;
      readonly version: number;
      readonly externalId: string | null;
      readonly idempotencyKey: string | null;
    }
  | { readonly kind: 'message'; readonly tenant: Tenant; readonly id: string }
  | { readonly kind: 'subscribed' | 'unsubscribed'; readonly tenant: Tenant; readonly id: string };

/** The truth outside: what the partner and the receivers know. */
export interface Outside {
  /** In the order in which they were placed. */
  readonly orders: () => readonly PartnerOrder[];
  readonly parties: () => readonly Party[];
  /** What the partner told and got no answer to. */
  readonly messages: () => readonly PartnerMessage[];
  readonly misuse: () => readonly string[];
  readonly received: () => readonly ReceivedWebhook[];
}

export class Evidence implements BatchObserver {
  readonly outside: Outside;
  readonly payments = new Map<string, PaymentEvidence>();
  readonly submissions = new Map<string, PartnerCommand>();
  readonly tenants = new Map<string, TenantEvidence>();
  readonly deliveries = new Map<string, WebhookDelivery>();
  readonly subscriptions = new Map<string, Subscription>();
  /** Sealed secrets that a subscription ever had, oldest first. */
  readonly secrets = new Map<string, string[]>();
  /** The newest sealed secret at each claim of a delivery that was not sent yet, by process. */
  readonly #claimedSecrets = new Map<string, string[]>();
  readonly inbox = new Map<string, InboxMessage>();
  readonly acknowledged: Acknowledgement[] = [];
  /** The number of the batch that first stored an event or a subscription, by its id. */
  readonly bornInBatch = new Map<string, number>();
  /** Errors that no caller of the use cases may ever see. */
  readonly surprises: string[] = [];
  /** What reached receivers and was not judged yet. */
  freshReceived: readonly ReceivedWebhook[] = [];
  outbox: readonly OutboxRow[] = [];
  imbalances: readonly LedgerImbalance[] = [];
  readonly #owners = new Map<string, string>();
  readonly #orders = new Map<string, readonly PartnerOrder[]>();
  #ordersSeen = 0;
  #batches = 0;
  #receivedSeen = 0;
  readonly #statuses = new Map<string, PaymentStatus[]>();
  readonly #touched = {
    payments: new Map<string, { readonly tenant: Tenant; readonly parts: Set<Part> }>(),
    commands: new Set<string>(),
    tenants: new Map<string, Tenant>(),
    deliveries: new Set<string>(),
    subscriptions: new Set<string>(),
    inbox: new Map<string, InboxMessage>(),
    outbox: false,
  };

  constructor(outside: Outside) {
    this.outside = outside;
  }

  get touched(): boolean {
    const { outbox, ...sets } = this.#touched;
    return outbox || Object.values(sets).some((set) => set.size > 0);
  }

  applied(writes: readonly StagedWrite[]): void {
    this.#batches += 1;
    for (const write of writes) this.#note(write);
  }

  claimedCommands(commands: readonly PartnerCommand[]): void {
    for (const command of commands) this.#touchCommand(command);
  }

  claimedDeliveries(process: string, claimed: readonly ClaimedDelivery[]): void {
    for (const { delivery } of claimed) {
      this.#touched.deliveries.add(delivery.id);
      const secret = this.secrets.get(delivery.subscriptionId)?.at(-1);
      const key = `${process} ${delivery.id}`;
      if (secret === undefined) continue;
      this.#claimedSecrets.set(key, [...(this.#claimedSecrets.get(key) ?? []), secret]);
    }
  }

  /** The oldest secret with which this process may sign the delivery that it is about to send. */
  secretToSign(process: string, deliveryId: string): string {
    return this.#claimedSecrets.get(`${process} ${deliveryId}`)?.shift() ?? '';
  }

  leasesEnded(): void {
    for (const { commands } of this.payments.values()) commands.forEach(this.#touchCommand, this);
    for (const command of this.submissions.values()) this.#touchCommand(command);
    for (const id of this.deliveries.keys()) this.#touched.deliveries.add(id);
  }

  /** What reached receivers since the last look comes up for judgement. */
  receive(): void {
    const received = this.outside.received();
    this.freshReceived = received.slice(this.#receivedSeen);
    this.#receivedSeen = received.length;
  }

  /** Reads again whatever batches and claims touched since the last time. */
  async refresh(store: Store): Promise<void> {
    const touched = this.#touched;
    await store.run(async (tx) => {
      for (const [id, { tenant, parts }] of touched.payments) {
        const found = await readParts(tx, tenant, id, this.payments.get(id), parts);
        if (found === null) this.payments.delete(id);
        else this.payments.set(id, { ...found, statuses: this.#statuses.get(id) ?? [] });
      }
      for (const id of touched.commands) {
        const command = await tx.commands.get(id);
        if (command !== null) this.submissions.set(id, command);
        else this.submissions.delete(id);
      }
      for (const [key, tenant] of touched.tenants) {
        const feed = this.tenants.get(key)?.feed ?? [];
        const fresh = await tx.feed.after(tenant, feed.at(-1)?.sequence ?? 0, 1_000);
        const head = await tx.feed.head(tenant);
        const freshFrom = feed.length;
        this.tenants.set(key, { tenant, feed: [...feed, ...fresh], head, freshFrom });
      }
      for (const id of touched.deliveries) {
        const delivery = await tx.deliveries.get(id);
        if (delivery !== null) this.deliveries.set(id, delivery);
        else this.deliveries.delete(id);
      }
      for (const id of touched.subscriptions) {
        const subscription = await tx.subscriptions.find(id);
        if (subscription !== null) this.subscriptions.set(id, subscription);
        else this.subscriptions.delete(id);
      }
      for (const [id, { partner, mode }] of touched.inbox) {
        const message = await tx.inbox.get(partner, mode, id);
        if (message !== null) this.inbox.set(id, message);
        else this.inbox.delete(id);
      }
      if (touched.outbox) this.outbox = await tx.outbox.oldest(10_000);
    });
    for (const set of Object.values(touched)) if (typeof set !== 'boolean') set.clear();
    touched.outbox = false;
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
      this.imbalances = await tx.ledger.imbalances(10);
    });
    for (const [id, { payment }] of this.payments) this.#touchPayment(payment, id, ...allParts);
    for (const [id, message] of this.inbox) this.#touched.inbox.set(id, message);
    for (const id of this.subscriptions.keys()) this.#touched.subscriptions.add(id);
    this.leasesEnded();
    await this.refresh(store);
  }

  /** The payment whose command this is; the partner knows commands only. */
  ownerOf(commandId: string): string | null {
    return this.#owners.get(commandId) ?? null;
  }

  /** What the partner has in its books for this payment. */
  ordersOf({ payment }: PaymentEvidence): readonly PartnerOrder[] {
    const orders = this.outside.orders();
    for (; this.#ordersSeen < orders.length; this.#ordersSeen += 1) {
      const order = orders[this.#ordersSeen] as PartnerOrder;
      const owner = this.ownerOf(order.reference) ?? '';
      this.#orders.set(owner, [...(this.#orders.get(owner) ?? []), order]);
    }
    return this.#orders.get(payment.id) ?? [];
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
      case 'outbox':
        touched.outbox = true;
        if (method === 'append') this.bornInBatch.set((row as DomainEvent).id, this.#batches);
        break;
      case 'feed':
        if (method === 'append') this.#touchTenant(row as DomainEvent);
        break;
      case 'deliveries':
        if (method !== 'logAttempt') touched.deliveries.add((row as WebhookDelivery).id);
        break;
      case 'subscriptions':
        this.#noteSubscription(row as Subscription);
        break;
      case 'inbox':
        touched.inbox.set((row as InboxMessage).messageId, row as InboxMessage);
        break;
    }
  }

  #notePayment(payment: Payment): void {
    this.#touchPayment(payment, payment.id, 'payments');
    const statuses = this.#statuses.get(payment.id) ?? [];
    if (statuses.at(-1) !== payment.status) statuses.push(payment.status);
    this.#statuses.set(payment.id, statuses);
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
    if (command.paymentId === null) {
      this.#touched.commands.add(command.id);
      return;
    }
    this.#owners.set(command.id, command.paymentId);
    this.#touchPayment(command, command.paymentId, 'commands');
  }

  #touchTenant(row: Tenant): void {
    const tenant = tenantOf(row);
    this.#touched.tenants.set(`${tenant.orgId} ${tenant.mode}`, tenant);
  }
}

async function readParts(
  tx: Tx,
  tenant: Tenant,
  id: string,
  was: PaymentEvidence | undefined,
  parts: ReadonlySet<Part>,
): Promise<Omit<PaymentEvidence, 'statuses'> | null> {
  const has = (part: Part) => was === undefined || parts.has(part);
  const payment = has('payments') ? await tx.payments.get(tenant, id) : was?.payment;
  const funds = has('funds') ? await tx.funds.get(tenant, id) : was?.funds;
  if (!payment || !funds) return null;
  const { commands = [], postings = [], advance = null } = was ?? {};
  return {
    payment,
    funds,
    commands: has('commands') ? await tx.commands.ofPayment(tenant, id) : commands,
    postings: has('ledger') ? await tx.ledger.ofPayment(tenant, id) : postings,
    advance: has('advances') ? await tx.advances.get(tenant, id) : advance,
  };
}

export function eachPayment(
  evidence: Evidence,
  wrong: (found: PaymentEvidence) => string | null,
): string | null {
  for (const [id, found] of evidence.payments) {
    const detail = wrong(found);
    if (detail !== null) return `${id} ${detail}`;
  }
  return null;
}

/** Sign-in of a verified buyer passes buyer_kyc_pending within one batch. */
export function walk(statuses: readonly PaymentStatus[]): readonly PaymentStatus[] {
  return statuses.flatMap((status, index) =>
    status === 'buyer_kyc_approved' && statuses[index - 1] === 'awaiting_buyer'
      ? ['buyer_kyc_pending', status]
      : [status],
  );
}
