// `ponte refunds`: money owed to buyers, lost, or in review.
import type { Command } from 'commander';
import { formatAmount } from '../../core/domain/base/money.js';
import { type Funds, openLossOf } from '../../core/domain/payments/funds.js';
import { commandGroup, listOf, type Shell } from '../operator.js';
import { limit } from '../options.js';

export function addRefundsCommands(shell: Shell, program: Command): void {
  const add = commandGroup(shell, program, 'refunds', 'money owed to buyers');
  add({
    name: 'list',
    authority: 'read',
    description: 'list money owed to buyers, lost, or in review, oldest first',
    options: { limit },
    run: async ({ deps }, asked) => {
      const data = (await deps.store.run((tx) => tx.funds.open(asked.limit))).map(presentRefund);
      return listOf(data, 'Nothing is owed.', null, {
        PAYMENT: 'paymentId',
        RECEIVED: (row) => `${row.received} ${row.currency}`,
        UNSENT: 'refundUnsent',
        SENT: 'refundSent',
        REFUNDED: 'refunded',
        LOST: 'loss',
        REFUND: 'refundStatus',
        POSITION: 'status',
      });
    },
  });
}

function presentRefund(funds: Funds) {
  return {
    paymentId: funds.paymentId,
    orgId: funds.orgId,
    testMode: funds.mode === 'test',
    currency: funds.currency,
    status: funds.position,
    refundStatus: funds.refund,
    received: formatAmount(funds.receivedMinor),
    refundUnsent: formatAmount(funds.refundOwedMinor),
    refundSent: formatAmount(funds.refundOrderedMinor),
    refunded: formatAmount(funds.refundedMinor),
    loss: formatAmount(openLossOf(funds).amountMinor),
  };
}
