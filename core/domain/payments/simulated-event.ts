// Events that a person causes on a payment of test mode: what each does, and when it is possible.
// The outcome is stored under the command's reference; the sandbox partner then reports it.
import type { Mode } from '../base/tenant.js';
import type { MoneyCommand } from '../commands/partner-command.js';
import type { Correction } from '../parties/party-due.js';
import { type PaymentStatus, paymentStatuses } from './payment.js';

/** What a command reports from now on. The partner adds its own facts, such as rate and fees. */
export type SimulatedOutcome =
  | {
      readonly kind: 'party';
      readonly status: 'verifying' | 'approved' | 'rejected';
      readonly reason: string | null;
      readonly corrections: readonly Correction[];
    }
  | {
      readonly kind: 'payin';
      readonly status: 'open' | 'completed' | 'failed';
      /** The total so far. */
      readonly receivedMinor: bigint;
      /** Another company's account sends it. */
      readonly isFromOther?: boolean;
      readonly reason: string | null;
    }
  | {
      readonly kind: 'payout';
      readonly status: 'completed' | 'failed' | 'returned';
      readonly reason: string | null;
    }
  | {
      readonly kind: 'refund';
      readonly status: 'completed' | 'failed';
      readonly reason: string | null;
    };

/** Applies to the command with this reference, made or still to come. */
export interface SimulatedReport {
  readonly mode: Mode;
  readonly reference: string;
  readonly outcome: SimulatedOutcome;
  /** Grows with each outcome. */
  readonly version: number;
}

/** How a quote is replaced. */
export type QuoteChange = 'expired' | 'moved' | 'locked';

/** `dossier`: the buyer submits one. `deposit`: money arrives that nobody ordered. */
export type SimulatedEffect = SimulatedOutcome | QuoteChange | 'dossier' | 'deposit';

export interface AwaitedMoney extends Pick<MoneyCommand, 'amount' | 'receivedMinor'> {
  /** One transfer pays several payments: this is what they ask for, and have, together. */
  readonly isShared: boolean;
}

export interface SimulationFacts {
  readonly status: PaymentStatus;
  /** The partner verifies the buyer. */
  readonly isVerifying: boolean;
  readonly hasQuote: boolean;
  /** What the buyer pays into: the newest of the payment; null: it has none. */
  readonly payin: AwaitedMoney | null;
  /** The payment has a pay-in command, which a refund goes against. */
  readonly hasPayin: boolean;
  readonly hasPayout: boolean;
}

interface SimulationRule {
  /** The heading of the event in lists. */
  readonly group: 'identity' | 'quote' | 'money' | 'payout';
  readonly means: string;
  readonly statuses: readonly PaymentStatus[];
  /** Returns null if it is not possible now. */
  readonly act: (facts: SimulationFacts) => SimulatedEffect | null;
}

/** A short transfer lacks one unit, a surplus is ten units. */
const SHORT_BY_MINOR = 100n;
/** Money without a reference counts by itself if it is exactly what one payment lacks. */
export const UNMATCHED_BY_MINOR = 100n;
const SURPLUS_MINOR = 1_000n;

const SANDBOX = 'simulated in the sandbox';
export const documentsAgain: readonly Correction[] = [
  { field: 'idDocFrontFile', reason: 'The photo is not readable. Take it again without glare.' },
];

const verifying: readonly PaymentStatus[] = ['buyer_kyc_pending'];
const quoting: readonly PaymentStatus[] = ['fx_quoted'];
const paying: readonly PaymentStatus[] = ['on_ramp_pending'];
const ended: readonly PaymentStatus[] = ['failed', 'cancelled', 'expired'];
const fromPayin = paymentStatuses.slice(paymentStatuses.indexOf('on_ramp_pending'));

export const simulations = {
  identity_sent: {
    group: 'identity',
    means: 'the buyer fills in the form with made-up data and sends it',
    statuses: verifying,
    act: ({ isVerifying }) => (isVerifying ? null : 'dossier'),
  },
  identity_approved: {
    group: 'identity',
    means: 'the partner approves the buyer',
    statuses: verifying,
    act: party('approved', null),
  },
  identity_rejected: {
    group: 'identity',
    means: 'the partner rejects the buyer, and the payment fails',
    statuses: verifying,
    act: party('rejected', SANDBOX),
  },
  identity_documents_again: {
    group: 'identity',
    means: 'the partner asks for the identity document again',
    statuses: verifying,
    act: party('verifying', SANDBOX, documentsAgain),
  },
  identity_pending: {
    group: 'identity',
    means: 'the partner does not decide until it is simulated',
    statuses: verifying,
    act: party('verifying', null),
  },
  quote_expired: {
    group: 'quote',
    means: 'the quote expires',
    statuses: quoting,
    act: ({ hasQuote }) => (hasQuote ? 'expired' : null),
  },
  rate_moved: {
    group: 'quote',
    means: 'a new quote replaces the one shown, at another rate',
    statuses: quoting,
    act: ({ hasQuote }) => (hasQuote ? 'moved' : null),
  },
  rate_locked: {
    group: 'quote',
    means: 'a new quote with a locked rate replaces the one shown',
    statuses: ['buyer_kyc_approved', 'fx_quoted'],
    act: () => 'locked',
  },
  money_arrives: {
    group: 'money',
    means: 'the whole amount arrives',
    statuses: paying,
    act: payin((amount, received) => (received === 0n ? amount : null)),
  },
  money_from_other: {
    group: 'money',
    means: 'the whole amount arrives from an account in another name than the buyer',
    statuses: paying,
    act: payin((amount, received) => (received === 0n ? amount : null), true),
  },
  money_short: {
    group: 'money',
    means: 'the transfer arrives 1.00 short, and the payment waits for the rest',
    statuses: paying,
    act: payin((amount, received) =>
      received === 0n && amount > SHORT_BY_MINOR ? amount - SHORT_BY_MINOR : null,
    ),
  },
  money_top_up: {
    group: 'money',
    means: 'the rest of a short transfer arrives',
    statuses: paying,
    act: payin((amount, received) => (received > 0n && received < amount ? amount : null)),
  },
  money_over: {
    group: 'money',
    means: '10.00 more than the amount arrives, and at most twice the amount; it is refunded',
    statuses: paying,
    act: payin((amount) => amount + smaller(amount, SURPLUS_MINOR)),
  },
  money_twice: {
    group: 'money',
    means: 'the whole amount arrives a second time; the surplus is refunded',
    statuses: fromPayin,
    act: payin((amount, received) => (received < 2n * amount ? 2n * amount : null)),
  },
  money_unmatched: {
    group: 'money',
    means: '1.00 more than the amount arrives without a reference, and waits for an operator',
    statuses: fromPayin,
    act: ({ payin: command }) => (command === null ? null : 'deposit'),
  },
  money_fails: {
    group: 'money',
    means: 'the pay-in fails and no money arrives',
    statuses: paying,
    act: ({ payin: command }) =>
      command === null || command.receivedMinor > 0n || command.isShared
        ? null
        : { kind: 'payin', status: 'failed', receivedMinor: 0n, reason: SANDBOX },
  },
  money_late: {
    group: 'money',
    means: 'the whole amount arrives although the payment has ended; it is refunded',
    statuses: ended,
    act: payin((amount, received) => (received < amount ? amount : null)),
  },
  payout_completes: {
    group: 'payout',
    means: 'the payout completes, now or although it was reported as failed',
    statuses: ['offramp_pending', 'failed'],
    act: payout('completed', null),
  },
  payout_fails: {
    group: 'payout',
    means: 'the payout, if need be the next one, fails; its money is not returned',
    statuses: ['on_ramp_pending', 'on_chain_confirmed', 'offramp_pending'],
    act: payout('failed', SANDBOX),
  },
  payout_returns: {
    group: 'payout',
    means: 'the payout, if need be the next one, fails; its money is returned and refunded',
    statuses: ['on_ramp_pending', 'on_chain_confirmed', 'offramp_pending', 'settled', 'failed'],
    act: payout('returned', SANDBOX),
  },
  refund_completes: {
    group: 'payout',
    means: 'the refund to the buyer, if need be the next one, completes',
    statuses: fromPayin,
    act: ({ hasPayin }) =>
      !hasPayin ? null : { kind: 'refund', status: 'completed', reason: null },
  },
  refund_fails: {
    group: 'payout',
    means: 'the refund to the buyer, if need be the next one, fails; an operator resolves it',
    statuses: fromPayin,
    act: ({ hasPayin }) =>
      !hasPayin ? null : { kind: 'refund', status: 'failed', reason: SANDBOX },
  },
} as const satisfies Readonly<Record<string, SimulationRule>>;

export type SimulatedEvent = keyof typeof simulations;
export const simulatedEvents = Object.keys(simulations) as readonly SimulatedEvent[];

/** What the event does to this payment; null: it is not possible now. */
export function simulated(event: SimulatedEvent, facts: SimulationFacts): SimulatedEffect | null {
  const { statuses, act }: SimulationRule = simulations[event];
  return statuses.includes(facts.status) ? act(facts) : null;
}

export function possibleEvents(facts: SimulationFacts): readonly SimulatedEvent[] {
  return simulatedEvents.filter((event) => simulated(event, facts) !== null);
}

function party(
  status: 'verifying' | 'approved' | 'rejected',
  reason: string | null,
  corrections: readonly Correction[] = [],
): SimulationRule['act'] {
  return ({ isVerifying }) => (isVerifying ? { kind: 'party', status, reason, corrections } : null);
}

/** `total`: what has arrived then, by what was asked for and has arrived; null: not possible. */
function payin(
  total: (amountMinor: bigint, receivedMinor: bigint) => bigint | null,
  isFromOther = false,
): SimulationRule['act'] {
  return ({ payin: command }) => {
    // The payer of a transfer for several payments is their buyer.
    if (command === null || (command.isShared && isFromOther)) return null;
    const { amountMinor } = command.amount;
    const receivedMinor = total(amountMinor, command.receivedMinor);
    if (receivedMinor === null) return null;
    const status = receivedMinor < amountMinor ? 'open' : 'completed';
    const arrived = { kind: 'payin', status, receivedMinor, reason: null } as const;
    return isFromOther ? { ...arrived, isFromOther } : arrived;
  };
}

/** The event may mean the next payout, while the payment has not ended. */
function payout(
  status: 'completed' | 'failed' | 'returned',
  reason: string | null,
): SimulationRule['act'] {
  return ({ status: now, hasPayout }) =>
    hasPayout || now === 'on_ramp_pending' || now === 'on_chain_confirmed'
      ? { kind: 'payout', status, reason }
      : null;
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
