// `ponte refunds`: money owed to buyers, lost, or in review.
import type { Command } from 'commander';
import { formatAmount } from '../../core/domain/base/money.js';
import { type Funds, openLossOf } from '../../core/domain/payments/funds.js';
import {
  addOperatorCommand,
  limitOption,
  listOf,
  type Operator,
  type Outcome,
  type Shell,
} from '../operator.js';

interface ListOptions {
  readonly limit: number;
}

export function addRefundsCommands(shell: Shell, program: Command): void {
  addOperatorCommand<ListOptions>(
    shell,
    program.command('refunds').description('money owed to buyers'),
    {
      name: 'list',
      authority: 'read',
      description: 'list money owed to buyers, lost, or in review, oldest first',
      options: [limitOption()],
      run: list,
    },
  );
}

async function list({ deps }: Operator, { limit }: ListOptions): Promise<Outcome> {
  const data = (await deps.store.run((tx) => tx.funds.open(limit))).map(presentRefund);
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
