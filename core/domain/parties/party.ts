// A party: an organization (KYB), a connected account or a buyer (KYC) that the settlement partner
// verifies. All have the same states, are submitted and reported in the same way, and accept the
// partner's terms once. What the partner wants of a party is in party-due.ts.
import { PonteError } from '../../errors.js';
import { type MoveOf, machine } from '../base/machine.js';
import { isDue, nothingDue, type PartyDue, TERMS } from './party-due.js';

/**
 * `overrule` is an operator's decision on an organization. `adopt` takes over the approval of a
 * buyer with another tenant. A rejected buyer is submitted again as another row.
 */
export const partyMoves = {
  none: { submit: 'verifying', adopt: 'approved' },
  verifying: { approve: 'approved', reject: 'rejected', overrule: 'approved', adopt: 'approved' },
  approved: { reject: 'rejected', pause: 'verifying' },
  rejected: { submit: 'verifying', overrule: 'approved' },
} as const;

export type PartyMove = MoveOf<typeof partyMoves>;
export type PartyStatus = Exclude<keyof typeof partyMoves, 'none'>;
const moves = machine(partyMoves);
export const partyStatuses = moves.states.filter((status) => status !== 'none');

export interface Party extends PartyDue {
  /** Each kind of party has its own words for `none`. */
  readonly status: PartyStatus | 'created' | 'not_started' | 'pending' | null;
  /** The command of the latest dossier; reports about earlier ones are ignored. */
  readonly commandId: string | null;
  /** The partner's id of the party; never shown. */
  readonly partnerRef: string | null;
  /** The partner's id of the accepted terms, if it gives one. */
  readonly tosId: string | null;
  /** The partner's reason for its latest decision. */
  readonly reason: string | null;
  readonly approvedAtMs: number | null;
  readonly rejectedAtMs: number | null;
}

/** A party before its first submission. */
export const newParty = {
  commandId: null,
  partnerRef: null,
  tosId: null,
  reason: null,
  approvedAtMs: null,
  rejectedAtMs: null,
  ...nothingDue,
} as const satisfies Omit<Party, 'status'>;

export function nextPartyStatus(status: Party['status'], move: PartyMove): PartyStatus | null {
  return moves.next(partyStatuses.find((known) => known === status) ?? 'none', move);
}

/** The partner verifies the party or has approved it: only an answer can be submitted. */
export function isSubmitted(status: Party['status']): boolean {
  return nextPartyStatus(status, 'submit') === null;
}

export function isDecision(was: Pick<Party, 'status'>, next: Pick<Party, 'status'>): boolean {
  return next.status !== was.status && (next.status === 'approved' || next.status === 'rejected');
}

/** Submits a new party; where the table has no such move, an answer about the known one. */
export function submitted<P extends Party>(party: P, commandId: string): P {
  const status = nextPartyStatus(party.status, 'submit');
  if (status === null) return Object.freeze({ ...party, ...nothingDue, commandId });
  const { tosId } = party;
  return Object.freeze({ ...party, ...newParty, tosId, commandId, status });
}

const reportMoves = { approved: 'approve', paused: 'pause', rejected: 'reject' } as const;

/** Applies a report of the partner; `dueReported` applies what is due. */
export function reported<P extends Party>(
  party: P,
  report: {
    readonly partnerRef: string | null;
    readonly status: 'verifying' | keyof typeof reportMoves;
    readonly reason: string | null;
  },
  nowMs: number,
): P {
  const { partnerRef, status, reason } = report;
  const { partnerRef: known } = party;
  // The first id counts, until the partner approves the party under another one.
  const isNamed = partnerRef !== null && (known === null || status === 'approved');
  const named = isNamed && partnerRef !== known ? Object.freeze({ ...party, partnerRef }) : party;
  return status === 'verifying' ? named : decided(named, reportMoves[status], reason, nowMs);
}

/** Unchanged where the table has no such move. */
export function decided<P extends Party>(
  party: P,
  move: Exclude<PartyMove, 'submit'>,
  reason: string | null,
  atMs: number | null,
): P {
  const status = nextPartyStatus(party.status, move);
  if (status === null) return party;
  if (status === 'verifying') return Object.freeze({ ...party, status });
  if (status === 'approved') return Object.freeze({ ...party, status, reason, approvedAtMs: atMs });
  const rejected = { ...party, ...nothingDue, status, reason, rejectedAtMs: atMs };
  return Object.freeze(areTermsUsed(rejected) ? { ...rejected, tosId: null } : rejected);
}

/** Terms serve one party of the partner; it may also have refused them. */
export function areTermsUsed({ status, partnerRef, reason }: Party): boolean {
  return status === 'rejected' && (partnerRef !== null || reason === TERMS);
}

/** The first terms stay, unless the partner asks for others. TosIdMismatch. */
export function withTerms<P extends Party>(party: P, tosId: string | null): P {
  if (tosId === null || tosId === party.tosId) return party;
  if (party.tosId !== null && !isDue(party, TERMS)) throw new PonteError('TosIdMismatch');
  return Object.freeze({ ...party, tosId });
}
