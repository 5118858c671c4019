// Decisions about deposits without the money desk: no evidence, and no second operator.
import type { Deposit } from '../../../core/domain/deposits/deposit.js';
import { PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import type { ListPage } from '../../../core/ports/storage.js';
import type { StagedDeposit } from '../../../core/usecases/deposits/consolidated-deposits.js';
import {
  stageAssignment,
  stageRefund,
  stageResolution,
} from '../../../core/usecases/deposits/deposits.js';
import type { Batch } from '../../../core/usecases/service/batch.js';

/** Newest first. `waiting`: those that are open or need a decision. */
export function listDeposits(
  { store }: Pick<Deps, 'store'>,
  filter: ListPage & { readonly waiting: boolean },
): Promise<readonly Deposit[]> {
  return store.run((tx) => tx.deposits.list(filter));
}

/** The deposit counts as a pay-in of this payment. DepositDecided, PaymentStateConflict. */
export function assignDeposit(deps: Deps, depositId: string, paymentId: string): Promise<Deposit> {
  return decide(deps, depositId, (batch, deposit) => stageAssignment(batch, deposit, paymentId));
}

/** An operator paid it back by other means. DepositDecided. */
export function refundDeposit(deps: Deps, depositId: string): Promise<Deposit> {
  return decide(deps, depositId, stageRefund);
}

/** An operator booked it otherwise. DepositDecided. */
export function resolveDeposit(deps: Deps, depositId: string): Promise<Deposit> {
  return decide(deps, depositId, stageResolution);
}

async function decide(
  deps: Deps,
  depositId: string,
  stage: (batch: Batch, deposit: Deposit) => Promise<StagedDeposit>,
): Promise<Deposit> {
  const staged = await deps.store.run(async (tx) => {
    const deposit = await tx.deposits.get(depositId);
    if (deposit === null) throw new PonteError('NotFound');
    return stage({ deps, tx, nowMs: deps.clock.nowMs() }, deposit);
  });
  staged.announce();
  return staged.deposit;
}
