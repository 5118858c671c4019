// Deposits as 0.1.0 stores them, each of 1.00 USD, and their postings.
import type { CommandEnd } from '../../../core/domain/commands/partner-command.js';
import type { DepositState } from '../../../core/domain/deposits/deposit.js';

/** What each posting adds to `buyer`, `suspense` and `adjustments`. */
const postings = {
  received: ['received', -100, 100, 0],
  assigned: ['assigned', 100, -100, 0],
  refunded: ['refunded', 100, -100, 0],
  resolved: ['resolved', 0, -100, 100],
  returned: ['returned_by_partner', 100, -100, 0],
  recalled: ['returned_by_partner', 100, 0, -100],
} as const;

interface FormerDeposit {
  readonly state: DepositState;
  readonly end: CommandEnd;
  readonly postings: readonly (keyof typeof postings)[];
}

const here = { end: 'completed' } as const;
const gone = { end: 'returned' } as const;

export const formerDeposits = {
  waiting: { state: 'waiting', ...here, postings: ['received'] },
  assigned: { state: 'assigned', ...here, postings: ['received', 'assigned'] },
  refunded: { state: 'refunded', ...here, postings: ['received', 'refunded'] },
  resolved: { state: 'resolved', ...here, postings: ['received', 'resolved'] },
  returned: { state: 'returned', ...gone, postings: ['received', 'returned'] },
  // The bank took back what operators had decided on.
  refunded_recalled: {
    state: 'refunded',
    ...gone,
    postings: ['received', 'refunded', 'recalled'],
  },
  resolved_recalled: {
    state: 'resolved',
    ...gone,
    postings: ['received', 'resolved', 'recalled'],
  },
} as const satisfies Readonly<Record<string, FormerDeposit>>;

export type FormerName = keyof typeof formerDeposits;
export const formerDepositNames = Object.keys(formerDeposits) as readonly FormerName[];

/** SQL that inserts the postings of a deposit, posted at the given SQL value. */
export function formerReceiptLines(id: string, name: FormerName, postedAt: string): string {
  const rows = formerDeposits[name].postings.flatMap((of) => {
    const [kind, ...amounts] = postings[of];
    return (['buyer', 'suspense', 'adjustments'] as const).flatMap((account, index) => {
      const amountMinor = amounts[index] ?? 0;
      const line = `${index + 1}, '${id}', '${kind}', '${account}', ${amountMinor}`;
      return amountMinor === 0 ? [] : [`('pst_${id}_${of}', ${line}, 'USD', ${postedAt})`];
    });
  });
  return `insert into receipt_lines values ${rows.join(', ')}`;
}
