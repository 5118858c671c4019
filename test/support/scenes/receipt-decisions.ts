// Decisions about receipts without the money desk: no evidence, and no second operator.
import type { Receipt } from '../../../core/domain/deposits/receipt.js';
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { ListPage } from '../../../core/ports/storage.js';
import {
  type StagedReceipt,
  stageAssignment,
  stageRefund,
  stageResolution,
} from '../../../core/usecases/deposits/receipts.js';
import type { Batch } from '../../../core/usecases/service/batch.js';

/** Newest first. `waiting`: those that are open or need a decision. */
export function listReceipts(
  { store }: Pick<Deps, 'store'>,
  filter: ListPage & { readonly waiting: boolean },
): Promise<readonly Receipt[]> {
  return store.run((tx) => tx.receipts.list(filter));
}

/** The receipt counts as a pay-in of this payment. ReceiptDecided, PaymentStateConflict. */
export function assignReceipt(deps: Deps, receiptId: string, paymentId: string): Promise<Receipt> {
  return decide(deps, receiptId, (batch, receipt) => stageAssignment(batch, receipt, paymentId));
}

/** An operator paid it back by other means. ReceiptDecided. */
export function refundReceipt(deps: Deps, receiptId: string): Promise<Receipt> {
  return decide(deps, receiptId, async (batch, receipt) => stageRefund(batch, receipt));
}

/** An operator booked it otherwise. ReceiptDecided. */
export function resolveReceipt(deps: Deps, receiptId: string): Promise<Receipt> {
  return decide(deps, receiptId, async (batch, receipt) => stageResolution(batch, receipt));
}

async function decide(
  deps: Deps,
  receiptId: string,
  stage: (batch: Batch, receipt: Receipt) => Promise<StagedReceipt>,
): Promise<Receipt> {
  const staged = await deps.store.run(async (tx) => {
    const receipt = await tx.receipts.get(receiptId);
    if (receipt === null) throw new PonteError('NotFound');
    return stage({ deps, tx, nowMs: deps.clock.nowMs() }, receipt);
  });
  staged.announce();
  return staged.receipt;
}
