// Postings of deposits as 0.1.0 stores them, for a deposit of 1.00 in each state.

const lines = {
  received: [-100, 100, 0],
  assigned: [100, -100, 0],
  refunded: [100, -100, 0],
  resolved: [0, -100, 100],
  returned_by_partner: [100, -100, 0],
} as const;

const history = {
  waiting: ['received'],
  assigned: ['received', 'assigned'],
  refunded: ['received', 'refunded'],
  resolved: ['received', 'resolved'],
  returned: ['received', 'returned_by_partner'],
} as const;

export type FormerState = keyof typeof history;
export const formerStates = Object.keys(history) as readonly FormerState[];

/** SQL that inserts the postings of a deposit, posted at the given SQL value. */
export function formerReceiptLines(id: string, state: FormerState, postedAt: string): string {
  const rows = history[state].flatMap((kind) =>
    (['buyer', 'suspense', 'adjustments'] as const).flatMap((account, index) => {
      const amountMinor = lines[kind][index] ?? 0;
      const line = `${index + 1}, '${id}', '${kind}', '${account}', ${amountMinor}`;
      return amountMinor === 0 ? [] : [`('pst_${id}_${kind}', ${line}, 'USD', ${postedAt})`];
    }),
  );
  return `insert into receipt_lines values ${rows.join(', ')}`;
}
