// What a history is made of and what goes wrong in it. Each seed draws its own mixture, some parts
// often and some not at all, because a mixture of everything hides what only repetition brings out.
import type { PartnerName } from './partner/history-partner.js';
import { drawRates, type FaultRandom, type FaultRates, noFaults } from './world/faults.js';

export interface RunProfile {
  readonly partner: PartnerName;
  /** Processes on the one database; a single one ends the leases of the one before it. */
  readonly hosts: 1 | 2;
  readonly faults: FaultRates;
  readonly slowReads: number;
  /** More would slow every step down and seldom show anything new. */
  readonly paymentsMax: number;
  /** How much happens besides payments: accounts, KYC by API, documents, invoices, mails. */
  readonly parties: number;
  /** How much people do with their credentials: operators, members, sessions, API keys. */
  readonly people: number;
  /** How much buyers pay several payments by one transfer. */
  readonly transfers: number;
  /** How many gates are closed: the more, the more can come between two awaits. */
  readonly gates: number;
  /** How often several processes move at once, so that their batches share a commit. */
  readonly bursts: number;
  /** How often waiting calls go on before anything new begins. */
  readonly patience: number;
  readonly weights: Readonly<Record<ActionName, number>>;
}

/** How often each thing begins, before the seed has its say. */
const actions = {
  create: 8,
  raceCreates: 3,
  repeatCreate: 2,
  buyerStep: 24,
  strayStep: 1.5,
  cancel: 0.5,
  operatorCancel: 0.15,
  operatorFail: 0.3,
  advance: 1.5,
  bankEvent: 16,
  lateBankEvent: 5,
  message: 16,
  forgedMessage: 0.3,
  work: 44,
  tick: 6,
  jump: 5,
  leap: 0.5,
  receiverMood: 1,
  subscribe: 1,
  unsubscribe: 0.2,
  rotateSecret: 0.3,
  testWebhook: 0.3,
  replay: 0.8,
  replayAllDead: 0.2,
  operatorRetries: 0.7,
  readFeed: 1,
} as const;

/** Those of parties, and those that need an invoice. */
const partyActions = {
  createAccount: 6,
  accountStep: 30,
  strayAccountStep: 1,
  startKyc: 5,
  getUpload: 3,
  upload: 5,
  readDocument: 2,
  createInvoice: 5,
  invoiceStep: 8,
  askForLink: 2,
  openLink: 6,
  trespass: 2,
} as const;
/** Those of people; they are the same in each seed. */
const peopleActions = {
  operatorCommand: 40,
  memberRequest: 25,
  keyRequest: 10,
  noteHead: 3,
} as const;

/** Those of transfers for several payments; they are the same in each seed. */
const transferActions = {
  consolidate: 30,
  transfer: 20,
} as const;

export type ActionName =
  | keyof typeof actions
  | keyof typeof transferActions
  | keyof typeof partyActions
  | keyof typeof peopleActions;

/** A mixture that brings something out: what it names is fixed, and these actions come often. */
export interface Focus extends Partial<Omit<RunProfile, 'weights' | 'faults'>> {
  readonly faults?: Partial<FaultRates>;
  readonly often?: readonly ActionName[];
}

/** Histories that dwell on parties, and have payments left when a seller is ready. */
export const ofParties: Focus = { parties: 3, paymentsMax: 10 };

/** Histories that dwell on people, some of whom are removed in the middle. */
export const ofPeople: Focus = { people: 1, parties: 0 };

/** Histories in which buyers pay several payments by one transfer. */
export const ofTransfers: Focus = {
  transfers: 1,
  parties: 0,
  paymentsMax: 12,
  often: ['buyerStep', 'work'],
};

/** Histories with BlindPay as the partner, which come to payouts before the faults stop. */
export const ofBlindPay: Focus = {
  partner: 'blindpay',
  parties: 0,
  often: ['buyerStep', 'bankEvent', 'work', 'jump'],
};

/** How much more often an action comes that a focus names. */
const OFTEN = 8;

export function focused(
  profile: RunProfile,
  { often = [], faults = {}, ...fixed }: Focus,
): RunProfile {
  const whole = { ...profile, ...fixed, faults: { ...profile.faults, ...faults } };
  const weights = { ...profile.weights };
  for (const name of Object.keys(partyActions) as ActionName[]) weights[name] *= whole.parties;
  for (const name of Object.keys(peopleActions) as ActionName[]) weights[name] *= whole.people;
  for (const name of Object.keys(transferActions) as ActionName[]) weights[name] *= whole.transfers;
  for (const name of often) weights[name] *= OFTEN;
  return { ...whole, weights };
}

export function drawProfile(streams: FaultRandom, partner: PartnerName = 'simulated'): RunProfile {
  const { random } = streams;
  const weights = Object.entries({ ...actions, ...partyActions }).map(([name, weight]) => [
    name,
    weight * random.pick([0.3, 1, 1, 1, 3]),
  ]);
  return {
    partner,
    hosts: random.chance(0.25) ? 2 : 1,
    faults: drawRates(streams, partner),
    slowReads: random.pick([0, 0.1, 0.5]),
    paymentsMax: random.pick([5, 12]),
    parties: random.pick([0, 0, 0.3, 1, 2]),
    people: 0,
    transfers: 0,
    gates: random.pick([0, 0.1, 0.3, 1]),
    bursts: random.pick([0, 0.1, 0.4]),
    patience: random.pick([0.5, 0.7, 0.85]),
    weights: { ...peopleActions, ...transferActions, ...Object.fromEntries(weights) } as Record<
      ActionName,
      number
    >,
  };
}

/** Nothing goes wrong any more. */
export function withoutFaults(profile: RunProfile): RunProfile {
  return { ...profile, faults: noFaults, slowReads: 0, gates: 0, bursts: 0 };
}
