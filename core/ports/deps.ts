// What every use case gets: the ports and the settings.

import type { Scope } from '../domain/access/scope.js';
import type { Locale } from '../domain/base/locale.js';
import type { Mode, Tenant } from '../domain/base/tenant.js';
import type { PartnerCommand } from '../domain/commands/partner-command.js';
import type { Regime } from '../domain/commands/regime.js';
import type { DriftLimits } from '../domain/commands/report-check.js';
import type { MailPurpose } from '../domain/mail/mail.js';
import type { LegalLinks } from '../domain/parties/contact.js';
import type { DomainEvent } from '../domain/payments/event.js';
import type { Payment } from '../domain/payments/payment.js';
import type { Refusals } from '../domain/service/refused-request.js';
import type { StorageLimits } from '../domain/service/storage-limits.js';
import type { Letters } from './letters.js';
import type {
  Clock,
  DocumentStorage,
  Ids,
  Log,
  Mailer,
  Metrics,
  NamedFile,
  RateLimits,
  SecretBox,
  TokenSigner,
  WebhookSender,
} from './outside.js';
import type { SettlementPartner } from './partner.js';
import { type DeliveryMonths, queueNames, type Store } from './storage.js';
import type { PasskeyVerifier } from './webauthn.js';

export interface KeyUse {
  readonly usedAtMs: number;
  /** All scopes ever used; null: they are as stored. */
  readonly usedScopes: readonly Scope[] | null;
}

export interface Deps {
  readonly store: Store;
  /** How keys were used, by id, until that is stored. */
  readonly keyUses: Map<string, KeyUse>;
  /** What was refused, until that is stored. */
  readonly refusals: Refusals;
  /** The settlement partner of each mode; null where none is configured. */
  readonly partners: Readonly<Record<Mode, SettlementPartner | null>>;
  readonly sender: WebhookSender;
  readonly mailer: Mailer;
  readonly letters: Letters;
  /** Write the files of a settled payment that mails carry, each for one purpose. */
  readonly mailedFiles: Partial<Readonly<Record<MailPurpose, MailedFile>>>;
  readonly secretBox: SecretBox;
  /** Null if documents are not stored: parties then send URLs of documents hosted elsewhere. */
  readonly documents: DocumentStorage | null;
  readonly tokenSigner: TokenSigner;
  readonly passkeyVerifier: PasskeyVerifier;
  readonly rateLimits: RateLimits;
  /** Null where the database has no such option. */
  readonly deliveryMonths: DeliveryMonths | null;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics | null;
  /**
   * Called after work is stored: wakes the workers of this and other hosts, or the readers of the
   * feeds of these tenants (of all feeds if none are named).
   */
  readonly wake: (work: WorkKind, tenants?: readonly Tenant[]) => void;
  /** Null where nothing is sent: deliveries are then stored with their events. */
  readonly dispatch: () => Dispatch | null;
  /** Runs a stored command within a request, with the `deps` of that request. */
  readonly runCommand: (deps: Deps, command: PartnerCommand) => Promise<void>;
  readonly settings: Settings;
}

/** Null if a file cannot show its characters. */
export type MailedFile = (
  deps: Deps,
  payment: Payment,
  locale: Locale,
) => Promise<NamedFile | null>;

/** Sends stored events of one tenant to its subscriptions. */
export type Dispatch = (events: readonly DomainEvent[]) => void;

/** Rows of a queue, or events of a feed. */
export const workKinds = [...queueNames, 'feed'] as const;
export type WorkKind = (typeof workKinds)[number];

export interface Settings {
  /** Public address of the API, without a trailing slash. */
  readonly baseUrl: string;
  /** Public address of the hosted page, without a trailing slash. */
  readonly payUrl: string;
  /** Waits before attempts 2 to 7 of a delivery. */
  readonly retryDelaysMs: readonly number[];
  /** Creates per minute and key; 0 switches the limit off, and that of stored bytes. */
  readonly rateLimitPerMinute: number;
  readonly rateLimitBurst: number;
  readonly storage: Readonly<Record<Mode, StorageLimits>>;
  /** Where to report a vulnerability, a mailto or https URL; null: not published. */
  readonly securityContact: string | null;
  /** Shown to buyers of organizations that have none; each is null if the operator has none. */
  readonly legal: LegalLinks;
  /** Days in which the operator answers a buyer whose payment needs a review; null: no promise. */
  readonly answerDays: number | null;
  /** How far a payout may be from its quote. */
  readonly drift: DriftLimits;
  /** The rule under which the partner pays out. */
  readonly regime: Regime;
}
