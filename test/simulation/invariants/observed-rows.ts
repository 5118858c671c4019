// The rows of the database, now and in each observed batch, and what was acknowledged to callers:
// all of it goes back when an earlier copy of the database is restored.
import type { StoredKey } from '../../../core/domain/access/api-key.js';
import type { Member } from '../../../core/domain/access/member.js';
import type { RegisteredOperator } from '../../../core/domain/access/registered-operator.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import type { PartyCommand } from '../../../core/domain/commands/partner-command.js';
import type { InboxMessage } from '../../../core/domain/commands/partner-message.js';
import type { BookReading } from '../../../core/domain/deposits/book-reading.js';
import type { Deposit } from '../../../core/domain/deposits/deposit.js';
import type { Proposal } from '../../../core/domain/money-desk/proposal.js';
import type { FeedHead, NumberedEvent } from '../../../core/domain/payments/event.js';
import type { PaymentStatus } from '../../../core/domain/payments/payment.js';
import type { Subscription } from '../../../core/domain/webhooks/subscription.js';
import type { WebhookDelivery } from '../../../core/domain/webhooks/webhook-delivery.js';
import type { ObservedPayment } from './observed-payment.js';

export interface ObservedTenant {
  readonly tenant: Tenant;
  readonly feed: readonly NumberedEvent[];
  readonly head: FeedHead | null;
  /** The index from which on the feed was not judged yet. */
  readonly freshFrom: number;
}

/** What a caller relies on, so that it must stay true. */
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
  | { readonly kind: 'account' | 'kyc'; readonly id: string; readonly version: number }
  | { readonly kind: 'uploaded'; readonly id: string }
  | { readonly kind: 'message'; readonly tenant: Tenant; readonly id: string }
  | { readonly kind: 'subscribed' | 'unsubscribed'; readonly tenant: Tenant; readonly id: string };

/** A sign-in by a link. `usesBefore` had ended when it began. */
export interface LinkUse {
  readonly token: string;
  readonly isPerson: boolean;
  readonly usesBefore: number;
}

export class ObservedRows {
  readonly payments = new Map<string, ObservedPayment>();
  /** Commands that serve a party. */
  readonly partyCommands = new Map<string, PartyCommand>();
  readonly tenants = new Map<string, ObservedTenant>();
  readonly deliveries = new Map<string, WebhookDelivery>();
  readonly subscriptions = new Map<string, Subscription>();
  /** Sealed secrets that a subscription ever had, oldest first. */
  readonly secrets = new Map<string, string[]>();
  readonly inbox = new Map<string, InboxMessage>();
  readonly deposits = new Map<string, Deposit>();
  /** By partner and mode. */
  readonly bookReadings = new Map<string, BookReading>();
  readonly acknowledged: Acknowledgement[] = [];
  /** The number of the batch that first stored an event or a subscription, by its id. */
  readonly bornInBatch = new Map<string, number>();
  /** Links that signed somebody in; `isPerson`: by the code. */
  readonly linksUsed: LinkUse[] = [];
  /** Every status that a batch stored, by payment. */
  readonly statuses = new Map<string, PaymentStatus[]>();
  /** Items about which operators have decided. */
  readonly decidedItems = new Set<string>();
  /** The actor who proposed each decision. */
  readonly proposers = new Map<string, string>();
  readonly proposals = new Map<string, Proposal>();
  readonly operators = new Map<string, RegisteredOperator>();
  readonly members = new Map<string, Member>();
  readonly keys = new Map<string, StoredKey>();
  /** Keys, sessions, members and operators whose end was acknowledged. */
  readonly ended = new Set<string>();
  /** Heads of the audit log. */
  readonly anchors: FeedHead[] = [];
  /** Payments that passed KYC. */
  readonly verified = new Set<string>();
  /** Parties whose withdrawn approval an applied message reported: now, and at the last step. */
  reportedWithdrawn: ReadonlySet<string> = new Set();
  reportedWithdrawnBefore: ReadonlySet<string> = new Set();
  remember(): RowsCopy {
    const own = names.map((name) => [name, this[name]]);
    return structuredClone(Object.fromEntries(own) as RowsCopy);
  }

  goBackTo(memories: RowsCopy): void {
    Object.assign(this, structuredClone(memories));
  }
}

export type RowsCopy = Pick<ObservedRows, Exclude<keyof ObservedRows, 'remember' | 'goBackTo'>>;

const names = Object.keys(new ObservedRows()) as (keyof RowsCopy)[];
