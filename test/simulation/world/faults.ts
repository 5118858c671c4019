// Faults of a history: one row per kind, with the probabilities that a seed picks from. All faults
// are drawn here, so that a report can state how often each kind was injected.
import { recordOf } from '../../../core/domain/base/record-of.js';
import { type Fault, faults as httpFaults } from '../../support/blindpay/blindpay-server.js';
import type { PartnerName } from '../partner/history-partner.js';
import type { SeededRandom } from '../seeded-random.js';

const perCall = [0, 0, 0.02, 0.07, 0.2] as const;
const perCommand = [0, 0, 0.03, 0.15] as const;
const perSurprise = [0, 0.1, 0.4, 0.8] as const;
const perStep = [0, 0, 0, 0.01] as const;
/** There are many kinds, and a command takes several calls. */
const perHttpCall = [0, 0, 0.01, 0.04] as const;

type HttpFault = `http ${Fault}`;

/** Per HTTP call to BlindPay: every fault of its simulator. */
export const httpFaultKinds = Object.keys(httpFaults).map((name) => `http ${name}` as HttpFault);

export function httpFaultOf(kind: HttpFault): Fault {
  return kind.slice('http '.length) as Fault;
}

const usualFaults = {
  /** Per step: a process dies. */
  crash: [0, 0.002, 0.005, 0.02],
  /** Per step: all processes die, and the database is an earlier copy of itself. */
  restore: [0, 0, 0, 0.01],
  /** Per step: the clock of a process's machine is set an hour ahead or back, or right again. */
  clockJump: [0, 0, 0, 0.01],

  /** Per call to the partner: it cannot be sent, is lost, arrives late, or its answer is lost. */
  noConnection: perCall,
  callLost: perCall,
  callLate: perCall,
  answerLost: perCall,
  /** Per look-up or question about a command: refused (403), or not answered for now (429). */
  lookUpForbidden: perCall,
  lookUpLimited: perCall,

  /** Per valid command, or per valid party, PIX key or wallet: the partner refuses it for good. */
  commandRefused: perCommand,
  partyRefused: perCommand,
  /** Per preparation of a payout, or per quote for it: refused with any code. */
  payoutUnprepared: perCommand,
  /** Per command: it is taken, and the answer is a refusal (409). */
  refusedAfterEffect: perCommand,
  /** Per command: time-out without effect, and the key is burnt: every repeat is refused. */
  keyBurnt: perCommand,
  /** Per repeat of a command under a known key: refused instead of answered as before. */
  repeatRefused: perCommand,
  /** Per pay-in: refused as expired, and taken all the same minutes later. */
  payinTakenLate: perCommand,

  /** Per message of the partner: never delivered, or delivered twice. */
  messageLost: [0, 0.1, 0.5, 1],
  messageDoubled: [0, 0.1, 0.5],
  /** Per change of a command: one more message that names the partner's id of another command. */
  wrongReference: [0, 0, 0.1, 0.3],
  /** Per report, by message or when asked: an amount, currency, rate or fee that cannot be true. */
  wrongReport: [0, 0, 0.05, 0.2],

  /** Per opportunity after a command has ended, also days later: what banks still do. */
  overpayment: perSurprise,
  latePayment: perSurprise,
  chargeback: perSurprise,
  chargebackReversed: perSurprise,
  devolution: perSurprise,
  failedPayoutReturned: perSurprise,
  failedPayoutCompleted: perSurprise,
  returnedPayoutCompleted: perSurprise,
  refundBounced: perSurprise,
  totalCorrected: [0, 0, 0.1],
  failedRefundCompleted: perSurprise,

  /** Per step: money leaves the partner's wallets, or a pay-in or payout of ours is made twice. */
  withdrawal: perStep,
  madeTwice: perStep,
  /** Per pay-in that arrives: in another currency, until the partner corrects it. */
  otherCurrency: [0, 0, 0, 0.2],
  /** Per step: a process that has another instance of the partner works on commands. */
  otherInstance: perStep,

  /** Per deletion of a document, or of one of its uploads. */
  purgeFailed: [0, 0.1, 0.5],
  /** Per mail: the server asks to come back, takes it and does not say so, or refuses it. */
  mailDeferred: [0, 0.03, 0.12],
  mailAnswerLost: [0, 0.05, 0.25],
  mailRefused: [0, 0.1, 0.4],
} as const satisfies Readonly<Record<string, readonly number[]>>;

/** Of calls as only BlindPay has them. */
const blindPayFaults = {
  /** Per HTTP call: its process is paused before, for longer than its lease. */
  processPaused: perHttpCall,
  /** Per order of a pay-in or payout: it is answered with the id of another one. */
  otherId: [0, 0, 0, 0.3],
  ...recordOf(httpFaultKinds, () => perHttpCall),
} as const;

export type FaultKind = keyof typeof usualFaults | keyof typeof blindPayFaults;
export type FaultRates = Readonly<Record<FaultKind, number>>;

export const faultTable: Readonly<Record<FaultKind, readonly number[]>> = {
  ...usualFaults,
  ...blindPayFaults,
};

/** Of calls and reports as only the invented partner has them. */
const ofTheInventedPartner: readonly FaultKind[] = [
  ...(['callLost', 'callLate', 'answerLost', 'lookUpForbidden', 'lookUpLimited'] as const),
  ...(['refusedAfterEffect', 'keyBurnt', 'repeatRefused', 'payinTakenLate'] as const),
  ...(['wrongReference', 'wrongReport', 'overpayment', 'totalCorrected'] as const),
  ...(['refundBounced', 'failedRefundCompleted', 'madeTwice'] as const),
];

const allKinds = Object.keys(faultTable) as readonly FaultKind[];

/** Of histories with this partner. */
export const faultKinds: Readonly<Record<PartnerName, readonly FaultKind[]>> = {
  simulated: allKinds.filter((kind) => !(kind in blindPayFaults)),
  blindpay: allKinds.filter((kind) => !ofTheInventedPartner.includes(kind)),
};

export const noFaults: FaultRates = ratesBy(() => 0);

/** Drawn apart: what else a seed decides does not depend on them. */
const drawnApart: Partial<Readonly<Record<FaultKind, 'apart' | 'outside'>>> = {
  clockJump: 'apart',
  totalCorrected: 'apart',
  payoutUnprepared: 'apart',
  withdrawal: 'outside',
  madeTwice: 'outside',
  otherCurrency: 'outside',
  otherInstance: 'outside',
  otherId: 'outside',
};

/** The streams of one seed. */
export interface FaultRandom {
  readonly random: SeededRandom;
  readonly apart: SeededRandom;
  /** Of what nobody ordered. */
  readonly outside: SeededRandom;
}

export function drawRates(streams: FaultRandom, partner: PartnerName): FaultRates {
  const kinds = faultKinds[partner];
  return ratesBy((kind) =>
    kinds.includes(kind) ? streamOf(streams, kind).pick<number>(faultTable[kind]) : 0,
  );
}

function streamOf(streams: FaultRandom, kind: FaultKind): SeededRandom {
  return streams[drawnApart[kind] ?? 'random'];
}

export class Faults {
  readonly injected = new Map<FaultKind, number>();
  readonly #streams: FaultRandom;
  readonly #rates: () => FaultRates;

  constructor(streams: FaultRandom, rates: () => FaultRates) {
    this.#streams = streams;
    this.#rates = rates;
  }

  /** Whether this fault happens at this opportunity. */
  occurs(kind: FaultKind): boolean {
    if (!streamOf(this.#streams, kind).chance(this.#rates()[kind])) return false;
    this.injected.set(kind, (this.injected.get(kind) ?? 0) + 1);
    return true;
  }

  /** The first of these that happens; null when none does. */
  firstOf<K extends FaultKind>(...kinds: readonly K[]): K | null {
    return kinds.find((kind) => this.occurs(kind)) ?? null;
  }
}

function ratesBy(rate: (kind: FaultKind) => number): FaultRates {
  return recordOf(allKinds, rate);
}
