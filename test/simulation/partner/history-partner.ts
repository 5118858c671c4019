// The settlement partner of a history: what it does when the world moves, what it sends, and the
// books by which the invariants judge ours. One is invented for the simulator
// (simulated-partner.ts), one is BlindPay behind its real adapter (simulated-blindpay.ts).
import type { Money } from '../../../core/domain/base/money.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { Clock, Log } from '../../../core/ports/outside.js';
import type { CollectInput, SettlementPartner } from '../../../core/ports/partner.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Faults } from '../world/faults.js';
import type { Gates, SimulatedProcess } from '../world/gates.js';
import type { PartnerLedger, PartnerTransaction, TransactionStatus } from './partner-ledger.js';
import type { PartnerMessage, PartnerMessages } from './partner-messages.js';
import type { Party, PixDestination, Rails } from './partner-parties.js';

/** What a partner can do; where it cannot, actions and invariants expect nothing of the kind. */
export interface PartnerAbilities {
  /** Without refunds, what is owed waits for an operator, who pays it by other means. */
  readonly refunds: boolean;
  /** Without, a check after a restore is never complete, and an operator releases by force. */
  readonly findsPayinsByReference: boolean;
  /** Its books are read, so that a pay-in without a command becomes a deposit. */
  readonly hasStatement: boolean;
  /** Without, a pay-in brings its whole amount or nothing. */
  readonly takesPartsOfPayins: boolean;
  /** Without, what came and went back between two looks is never known. */
  readonly tellsWhatItReturned: boolean;
  /** Without, a seller is known although it accepted no terms. */
  readonly requiresTerms: boolean;
}

export const partnerAbilities = {
  simulated: {
    refunds: true,
    findsPayinsByReference: true,
    hasStatement: true,
    takesPartsOfPayins: true,
    tellsWhatItReturned: true,
    requiresTerms: true,
  },
  blindpay: {
    refunds: false,
    findsPayinsByReference: false,
    hasStatement: true,
    takesPartsOfPayins: false,
    tellsWhatItReturned: false,
    requiresTerms: false,
  },
} as const satisfies Readonly<Record<string, PartnerAbilities>>;

export type PartnerName = keyof typeof partnerAbilities;
export const partnerNames = Object.keys(partnerAbilities) as readonly PartnerName[];

/** A call that is still on its way although nobody waits for it any more. */
export interface LateCall {
  readonly label: string;
  readonly arrivesAtMs: number;
  readonly arrive: () => void;
}

/** A late call arrives within five minutes: far less than a partner keeps its key. */
export const LATE_MS_MAX = 300_000;

export interface HistoryPartnerInput {
  readonly mode: Mode;
  readonly random: SeededRandom;
  readonly nowMs: () => number;
  readonly faults: Faults;
  /** Those of every mode. */
  readonly books: PartnerLedger;
  readonly lateCalls: LateCall[];
  readonly trace: (line: string) => void;
  readonly count: (what: string) => void;
}

/** What the adapter has in the process in which it runs. */
export interface AdapterSetup {
  readonly process: SimulatedProcess;
  readonly gates: Gates;
  readonly clock: Clock;
  readonly log: Log;
  readonly readFile: (
    url: string,
  ) => Promise<{ readonly type: string; readonly bytes: Uint8Array } | null>;
}

/** People and companies whom the partner knows. */
export interface PartnerDesk {
  readonly parties: readonly Party[];
  readonly destinations: readonly PixDestination[];
  readonly rails: readonly Rails[];
  /** References of parties that were turned away at once. */
  readonly turnedAway: readonly string[];
}

export interface HistoryPartner {
  readonly name: PartnerName;
  readonly desk: PartnerDesk;
  readonly messages: PartnerMessages;
  readonly transactions: readonly PartnerTransaction[];
  /** What a correct caller never does. */
  readonly misuse: readonly string[];
  /** Raised by every change that the invariants look at. */
  readonly changes: number;
  /** Nothing waits for a bank or a decision. */
  readonly isIdle: boolean;
  adapter(setup: AdapterSetup): SettlementPartner;
  /** An organization that can collect. */
  organization(orgId: string): {
    readonly partnerRef: string;
    readonly railsRef: string;
    readonly destinationRef: string;
  };
  /** Bank details of transfers for several payments, and such a transfer. */
  readonly collections: readonly CollectInput[];
  transfer(collection: CollectInput, amountMinor: bigint): void;
  /** Money leaves without a command. */
  withdraw(amount: Money): void;
  /** A pay-in or payout of ours is made once more, under our reference. */
  makeTwice(transaction: PartnerTransaction): void;
  /** Money that arrived in another currency is what was ordered after all. */
  correctCurrency(transaction: PartnerTransaction): void;
  decide(party: Party, status: 'approved' | 'rejected'): void;
  transaction(ref: string): PartnerTransaction | null;
  /** The buyer's bank sends money for a pay-in; one that went back bounces it. */
  buyerPays(transaction: PartnerTransaction, amountMinor: bigint): void;
  /** A command comes to its end, or from one end to another. */
  end(transaction: PartnerTransaction, status: Exclude<TransactionStatus, 'open'>): void;
  /** As it is sent now; one that is not genuine has a wrong signature. */
  headersOf(
    message: Pick<PartnerMessage, 'id' | 'body'>,
    isGenuine: boolean,
  ): Readonly<Record<string, string>>;
  /** The caller is what it was at this time. */
  restored(sinceMs: number): void;
}
