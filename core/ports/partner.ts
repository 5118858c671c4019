// The settlement partner port: the partner receives money, converts it and pays it out.
import type { Money } from '../domain/base/money.js';
import type { Asset } from '../domain/commands/asset.js';
import type { CommandEnd, MoneyKind } from '../domain/commands/partner-command.js';
import type { Payer } from '../domain/commands/payer.js';
import type { QuoteTerms } from '../domain/commands/quote.js';
import type { PayinReport, PayoutReport } from '../domain/commands/report-check.js';
import type { EntryKind } from '../domain/deposits/book-reading.js';
import type { EntityType, Role } from '../domain/parties/connected-account.js';
import type { ContentType, VerificationKind } from '../domain/parties/document.js';
import type { Dossier } from '../domain/parties/dossier.js';
import type { Correction } from '../domain/parties/party-due.js';
import type { AmountLimit } from '../domain/payments/amount-limit.js';
import type { PayinInstructions } from '../domain/payments/payin-instructions.js';
import type { Purpose } from '../domain/payments/purpose.js';
import type { SimulatedOutcome } from '../domain/payments/simulated-event.js';

/**
 * How a call ends that may have an effect. `done`: the partner accepted it. `refused`: the same
 * request cannot succeed. `later`: without effect, to be retried; with a code, the partner refuses
 * it until an operator acts. `unknown`: it may have had an effect, so it never counts as a failure.
 */
export type PartnerAnswer<T> =
  | { readonly outcome: 'done'; readonly value: T }
  | { readonly outcome: 'refused'; readonly code: string; readonly message: string }
  | { readonly outcome: 'later'; readonly reason: string; readonly code?: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

/** A refusal fails the payment; an amount over a limit may be quoted later. */
export type QuoteAnswer =
  | PartnerAnswer<QuoteTerms>
  | { readonly outcome: 'over_limit'; readonly limit: AmountLimit };

export interface PayinInput {
  /** Our reference, and the idempotency key of the call. */
  readonly reference: string;
  readonly quote: QuoteTerms;
  readonly payerEmail: string;
  /** What the payer can write to name the payment, where the partner needs no reference. */
  readonly payerReference?: string;
}

export interface PayoutInput {
  readonly reference: string;
  /** What is paid out, in the currency the buyer paid. */
  readonly amount: Money;
  /** The completed pay-ins that brought it; none that went back. */
  readonly payinRefs: readonly string[];
  /** The reference that registerPixDestination returned. */
  readonly destination: string;
  /** As it was confirmed; null after a restore that lost it. A locked rate is its rate. */
  readonly quote: QuoteTerms | null;
  /** Goes to the partner's report of the foreign exchange, if it is known. */
  readonly purpose?: Purpose | null;
  /** No payout under the reference is older; absent or null: it may have any age. */
  readonly sinceMs?: number | null;
}

export interface RefundInput {
  readonly reference: string;
  readonly payinRef: string;
  readonly amount: Money;
}

/** A party's dossier under our reference, which is also the idempotency key. */
export interface PartyInput extends Dossier {
  readonly reference: string;
  readonly role: Role;
  readonly entityType: EntityType;
  /**
   * The partner's id of the party that it wants something of: the command answers, with what is due
   * at least. The partner may keep that id or give another one. Absent or null: a new party.
   */
  readonly previousRef?: string | null;
}

export interface PartyReport {
  /** `paused`: no new payments until the partner has its answer, even if it had approved. */
  readonly status: 'verifying' | 'approved' | 'paused' | 'rejected';
  readonly reason: string | null;
  /**
   * What the partner wants, in any status but `rejected`. `tosId`: the party must accept the
   * current terms, in a session of `startTos` with its id.
   */
  readonly corrections?: readonly Correction[];
  /** When the partner stops waiting for the answer. */
  readonly answerByMs?: number | null;
}

export interface RefundReport {
  readonly status: 'open' | 'completed' | 'failed';
  /** The amount before bank fees. */
  readonly amount: Money;
  readonly reason: string | null;
}

/**
 * What the partner reports of a command, by message or in answer to a query. `reference` is ours,
 * if the partner sends it; `partnerRef` is the partner's id.
 */
export type PartnerFact = {
  readonly [K in keyof PartnerReports]: {
    readonly kind: K;
    readonly reference: string | null;
    readonly partnerRef: string;
    readonly report: PartnerReports[K];
  };
}[keyof PartnerReports];

/** A message that states nothing that counts: its command is read. */
export interface PartnerNotice extends Pick<PartnerFact, 'kind' | 'reference' | 'partnerRef'> {
  readonly report: null;
}

export interface InboundMessage<F = PartnerFact | PartnerNotice> {
  /** The same on repeats. */
  readonly messageId: string;
  /** None: the message is acknowledged only. */
  readonly facts: readonly F[];
}

export interface PartnerReports {
  readonly party: PartyReport;
  readonly payin: PayinReport;
  readonly payout: PayoutReport;
  readonly refund: RefundReport;
}

/** The partner's answer when it accepts a command or a look-up finds it. */
export interface AcceptedCommand {
  readonly partnerRef: string;
  /** What the buyer of a pay-in must do to pay. */
  readonly instructions?: PayinInstructions;
  /** The status of a party, if the answer contains it. */
  readonly report?: PartyReport;
}

/** What the description of the API says about the partner. */
export interface PartnerNotes {
  readonly signatureHeader: string;
  /** Values that change an outcome in test mode. */
  readonly testValues: readonly {
    readonly where: string;
    readonly value: string;
    readonly means: string;
  }[];
}

/**
 * One kind of command. `prepare` makes the exact text of a request and has no effect. The text is
 * stored before `start`, which may be repeated with the same text. `find` looks a command up by its
 * request; null: there is none. A read without an answer is `later`. So is one of an object that
 * another request than this made, with the code MADE_BY_ANOTHER, since a call may be answered with
 * the id of another command; `request` reads the stored text, for an adapter that compares it.
 */
export interface CommandCalls<Input, Report> {
  prepare(input: Input): Promise<PartnerAnswer<string>>;
  start(request: string): Promise<PartnerAnswer<AcceptedCommand>>;
  find(request: string): Promise<PartnerAnswer<AcceptedCommand | null>>;
  read(partnerRef: string, request?: () => string): Promise<PartnerAnswer<Report>>;
}

/** A pay-in or payout in the partner's books, whether we ordered it or not. */
export interface PartnerEntry {
  readonly kind: EntryKind;
  readonly partnerRef: string;
  /** Our reference, if the partner stores it. */
  readonly reference: string | null;
  /** The `partnerQuoteId` of the quote of a pay-in. A deposit may have one that is not ours. */
  readonly partnerQuoteId: string | null;
  /** The party whose money it is; its `partnerRef`. */
  readonly partyRef: string | null;
  readonly status: CommandEnd;
  /** What arrives by a pay-in, or what a payout pays out, in the currency of the buyer. */
  readonly amount: Money;
  readonly createdAtMs: number;
  readonly transactionHash?: string | null;
  /** As in a PayinReport or PayoutReport. */
  readonly asset?: Asset | null;
  /** What the bank says about the payer of a pay-in. */
  readonly payer: Payer | null;
  /** The BRL of a completed payout that reached the seller; as in a PayoutReport. */
  readonly settled?: Money | null;
  /** The rate of a completed payout; as in a PayoutReport. */
  readonly fxRate?: string | null;
}

/** An entry that the adapter cannot read, such as a completed payout without an amount. */
export interface UnreadableEntry {
  readonly partnerRef: string;
  readonly reason: string;
}

export interface StatementPage {
  readonly entries: readonly PartnerEntry[];
  /** They are left out of `entries`. */
  readonly unreadable: readonly UnreadableEntry[];
  readonly nextCursor: string | null;
}

/** A transfer for several payments, which no pay-in orders. */
export interface CollectInput {
  /** The party whose account receives it. */
  readonly partyRef: string;
  readonly amount: Money;
  /** Ours; the payer writes it, and the books have it in the payer's texts. */
  readonly reference: string;
}

/** What the partner has done, for money that nobody ordered and for reconciliation. */
export interface PartnerStatement {
  /** Entries since a time, page by page in the partner's order; the first cursor is null. */
  page(
    kind: EntryKind,
    query: { readonly sinceMs: number; readonly cursor: string | null },
  ): Promise<PartnerAnswer<StatementPage>>;
  read(kind: EntryKind, partnerRef: string): Promise<PartnerAnswer<PartnerEntry>>;
}

/** Where the partner holds the money of payees until it is paid out. */
export interface PartnerWallets {
  /** The wallet that receives the money for a destination; null for an unknown text. */
  walletOf(destination: string): string | null;
  /** What the wallet holds, in the currency that buyers pay. */
  balance(wallet: string): Promise<PartnerAnswer<Money>>;
}

/** A result of `SettlementPartner.checks`, for an operator. */
export interface PartnerCheck {
  readonly name: string;
  /** `critical`: no money moves. */
  readonly severity: 'ok' | 'warning' | 'critical';
  /** What was found, and what to do about it. */
  readonly detail: string;
}

/**
 * A partner whose commands report what a person chooses (simulated-event.ts). It looks the outcome
 * of a command up by its reference, for each message and each answer to a read.
 */
export interface PartnerSandbox {
  /** Whether pay-ins from now on, and transfers of `collect`, wait until the buyer is simulated. */
  awaitsBuyer(): boolean;
  /** What arrives if the buyer pays; null if the pay-in does not wait for the buyer. */
  awaitedPayin(partnerRef: string): SimulatedOutcome | null;
  /** Sends the outcome of this command as a message. Resolves once it is accepted or queued. */
  send(command: {
    readonly kind: SimulatedOutcome['kind'];
    readonly reference: string;
    readonly partnerRef: string;
  }): Promise<void>;
  /** Money without a pay-in arrives, as `send`. Each call is another transfer. */
  deposit(input: CollectInput): Promise<void>;
  /** One entry of its books, as `PartnerStatement.read`, also if it keeps none that it can list. */
  readEntry(kind: EntryKind, partnerRef: string): Promise<PartnerAnswer<PartnerEntry>>;
  /** A quote whose rate differs from the one shown, or whose rate is locked. */
  quote(
    input: { readonly source: Money; readonly destination: string },
    change: 'moved' | 'locked',
    shown: QuoteTerms | null,
  ): Promise<PartnerAnswer<QuoteTerms>>;
}

export interface SettlementPartner {
  readonly name: string;
  /**
   * The partner, the account there and its address, for operators: the same after a restart. What
   * another one knows says nothing about the commands of this one.
   */
  readonly instance: string;
  /** After this time the outcome of a call is `unknown`. At most half of COMMAND_LEASE_MS. */
  readonly callTimeoutMs: number;
  /** For this long a call in doubt may take effect: a look-up that finds nothing proves nothing. */
  readonly effectWithinMs: number;
  /** Currencies that buyers can pay in, ISO 4217, of two decimals: a host refuses others. */
  readonly currencies: readonly string[];
  readonly notes: PartnerNotes;
  /** Required fields in addition to those of dossier.ts; `tosId`: accepted terms. */
  requirements(role: Role, entityType: EntityType): readonly (keyof Dossier)[];
  /** What it accepts of a kind of document; without it, what document.ts allows. */
  documentLimits?(kind: VerificationKind): {
    readonly bytesMax: number;
    readonly contentTypes: readonly ContentType[];
  };
  /**
   * A page where a party accepts the terms; it redirects to `redirectUrl` with a `tos_id`. That is
   * no evidence: the partner refuses a party with terms that it did not accept. `partyRef`: of a
   * party that accepts a new version.
   */
  startTos(input: {
    readonly redirectUrl: string;
    readonly key: string;
    readonly partyRef?: string | null;
  }): Promise<PartnerAnswer<{ url: string }>>;
  /** Parties: organizations, sellers and buyers. */
  readonly party: CommandCalls<PartyInput, PartyReport>;
  /** A pay-in whose quote has expired is refused with `QUOTE_EXPIRED` (quote.ts). */
  readonly payin: CommandCalls<PayinInput, PayinReport>;
  readonly payout: CommandCalls<PayoutInput, PayoutReport>;
  readonly refund: CommandCalls<RefundInput, RefundReport>;
  /** Is there if it refuses every refund: operators pay them by other means. */
  readonly refundsByHand?: true;
  /**
   * `key` is the idempotency key. The PIX key must not be stored or logged. It is canonical
   * (pix-key.ts): `52998224725`, `12ABC34501DE35`, `+5511987654321`, a lower-case address or UUID.
   */
  registerPixDestination(input: {
    readonly partyRef: string;
    readonly pixKey: string;
    readonly accountHolderName: string;
    readonly key: string;
  }): Promise<PartnerAnswer<{ destinationRef: string }>>;
  provisionRails(input: {
    readonly partyRef: string;
    readonly destinationRef: string;
    readonly key: string;
  }): Promise<PartnerAnswer<{ virtualAccountRef: string }>>;
  /** A quote or pay-in that is refused with `PARTY_BLOCKED` is asked for again (party-due.ts). */
  quote(input: { readonly source: Money; readonly destination: string }): Promise<QuoteAnswer>;
  /**
   * Absent if the partner does not list what it has done. Nothing is read after its end then: a
   * recall whose message is lost is not known.
   */
  readonly statement?: PartnerStatement;
  /**
   * The bank details of a transfer under a reference of ours; it becomes an entry of the books.
   * Absent if the partner takes no such transfer, or neither lists its entries nor simulates them.
   */
  collect?(input: CollectInput): Promise<PartnerAnswer<PayinInstructions>>;
  /** How long bank details last after they are made; absent: they do not end. */
  readonly payWithinMs?: number;
  /** Is there if the partner reports what the wallets of payees hold. */
  readonly wallets?: PartnerWallets;
  /**
   * Checks the connection: key, clock, webhook, rails. Changes nothing and never rejects.
   * `inboundUrl` is where messages of the partner are to arrive.
   */
  checks?(input: { readonly inboundUrl: string }): Promise<readonly PartnerCheck[]>;
  /** Absent if the partner of test mode does not simulate. */
  readonly sandbox?: PartnerSandbox;
  /** Looks a command up by our reference alone, after a restore; null: there is none. */
  findCommand(kind: MoneyKind, reference: string): Promise<PartnerAnswer<AcceptedCommand | null>>;
  /** Verifies a message over its raw bytes and reads it; null if it is not genuine or malformed. */
  readInbound(
    headers: Readonly<Record<string, string | undefined>>,
    body: Uint8Array,
    nowMs: number,
  ): InboundMessage | null;
}
