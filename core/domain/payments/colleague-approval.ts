// The approval of a payment by a colleague of its buyer, before the buyer confirms the price. It is
// off until the buyer asks for it. The buyer may ask somebody else, but cannot take the request
// back: that would be a confirmation without the colleague.
import { machine } from '../base/machine.js';

const colleagueApprovalMoves = {
  asked: { ask: 'asked', approve: 'approved', decline: 'declined' },
  declined: { ask: 'asked' },
  approved: {},
} as const;

export type ColleagueApprovalState = keyof typeof colleagueApprovalMoves;
export type ApprovalDecision = 'approve' | 'decline';
export const { states: colleagueApprovalStates, next: nextColleagueApproval } =
  machine(colleagueApprovalMoves);

export interface ColleagueApproval {
  readonly state: ColleagueApprovalState;
  /** The address of the approver: whom the buyer asked last. */
  readonly email: string;
  readonly askedAtMs: number;
  readonly decidedAtMs: number | null;
  /** Why the approver declined; for the buyer only. */
  readonly reason: string | null;
}

interface Approvable {
  readonly colleagueApproval: ColleagueApproval | null;
}

/** It was asked for and not given: the buyer cannot confirm. */
export function lacksColleagueApproval({ colleagueApproval }: Approvable): boolean {
  return colleagueApproval !== null && colleagueApproval.state !== 'approved';
}
