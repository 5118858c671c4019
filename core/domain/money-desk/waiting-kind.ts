// The kinds of what waits for an operator, in the order in which they are shown. Those of money are
// the queues of the money desk.
import type { MoneyQueue } from './money-decision.js';

export const waitingKinds = {
  proposal: 'Proposals that another operator confirms',
  unmatched: 'Unmatched: money that nobody ordered',
  short: 'Short: payments that wait for the rest of their money',
  unapproved: 'Unapproved: payments whose buyer was rejected after its approval',
  owed: 'Owed back: refunds that buyers have not received',
  in_review: 'In review: payouts and reports that need an operator',
  lost: 'Lost: payments of which more left than arrived',
  command: 'Stuck: other commands to the partner that need an operator',
  production: 'Requests for production access',
  message: 'Messages of the partner that could not be applied',
} as const satisfies Readonly<Record<MoneyQueue, string>> & Readonly<Record<string, string>>;

export type WaitingKind = keyof typeof waitingKinds;
export const waitingKindNames = Object.keys(waitingKinds) as readonly WaitingKind[];
