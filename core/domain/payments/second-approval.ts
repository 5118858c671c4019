// The second approval: a colleague of the buyer approves a payment before the buyer confirms its
// price. It is off until the buyer asks for it. The buyer may ask somebody else, but cannot take the
// request back: that would be a confirmation without the colleague.
import { machine } from '../base/machine.js';

export const secondApprovalMoves = {
  asked: { ask: 'asked', approve: 'approved', decline: 'declined' },
  declined: { ask: 'asked' },
  approved: {},
} as const;

export type SecondApprovalState = keyof typeof secondApprovalMoves;
export type ApprovalDecision = 'approve' | 'decline';
export const { states: secondApprovalStates, next: nextSecondApproval } =
  machine(secondApprovalMoves);

export interface SecondApproval {
  readonly state: SecondApprovalState;
  /** The address of the approver: whom the buyer asked last. */
  readonly email: string;
  readonly askedAtMs: number;
  readonly decidedAtMs: number | null;
  /** Why the approver declined; for the buyer only. */
  readonly reason: string | null;
}

interface Approvable {
  readonly secondApproval: SecondApproval | null;
}

/** It was asked for and not given: the buyer cannot confirm. */
export function lacksSecondApproval({ secondApproval }: Approvable): boolean {
  return secondApproval !== null && secondApproval.state !== 'approved';
}

export function writeSecondApproval(approval: SecondApproval): string {
  return JSON.stringify(approval);
}

export function readSecondApproval(text: string): SecondApproval {
  return Object.freeze(JSON.parse(text) as SecondApproval);
}
