// Samples of money that nobody ordered.
import { money } from '../../../core/domain/base/money.js';
import type { BookReading } from '../../../core/domain/deposits/book-reading.js';
import type { Deposit } from '../../../core/domain/deposits/deposit.js';
import type { ScheduledReconciliation } from '../../../core/domain/money-desk/reconciliation.js';
import { sampleAsset, T0 } from './domain-samples.js';

export function aDeposit(fields: Partial<Deposit> = {}): Deposit {
  return {
    id: 'dep_1',
    partner: 'fake',
    mode: 'test',
    book: 'payin',
    partnerRef: 'pa_9',
    partyRef: 're_1',
    orgId: 'org_a',
    accountId: 'acct_1',
    amount: money(9_007_199_254_740_993n, 'USD'),
    end: 'completed',
    state: 'waiting',
    payerSealed: 'sealed',
    transactionHash: '0xab',
    asset: sampleAsset,
    paymentId: null,
    rule: null,
    consolidatedReference: null,
    enteredAtMs: T0 - 2,
    completedAtMs: T0 - 1,
    createdAtMs: T0,
    updatedAtMs: T0 + 3,
    version: 1,
    ...fields,
  };
}

export function aReconciliation(
  fields: Partial<ScheduledReconciliation> = {},
): ScheduledReconciliation {
  const found = { entries: 7, commands: 6, differences: 2, unread: 1 };
  return {
    partner: 'fake',
    mode: 'test',
    last: { sinceMs: T0 - 9, endedAtMs: T0 - 1, ...found },
    dueAtMs: T0,
    version: 1,
    ...fields,
  };
}

export function aBookReading(fields: Partial<BookReading> = {}): BookReading {
  return {
    partner: 'fake',
    mode: 'test',
    book: 'payin',
    span: 'recent',
    fromMs: T0 - 20,
    sinceMs: T0 - 9,
    cursor: 'c',
    beganAtMs: T0 - 1,
    completedAtMs: T0 - 5,
    tries: 3,
    dueAtMs: T0,
    lastError: 'e',
    version: 1,
    ...fields,
  };
}
