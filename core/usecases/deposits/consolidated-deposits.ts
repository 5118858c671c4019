// Deposits of consolidated payments: their shares are stored in one batch with the deposit, and
// change with it. Guards of all payments with a share are part of the batch.
import { tenantOf } from '../../domain/base/tenant.js';
import { newCommand, voidCommand } from '../../domain/commands/partner-command.js';
import {
  inDueOrder,
  shareReported,
  sharesAfter,
  sharesOf,
} from '../../domain/deposits/consolidated-payment.js';
import type { Deposit } from '../../domain/deposits/deposit.js';
import type { Payment } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { PartnerEntry } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import {
  loadPaymentCommands,
  type PaymentCommands,
  type Staged,
  stagePaymentCommands,
} from '../payments/command-changes.js';
import { commandReference, commandSubject } from '../payments/command-references.js';
import { paymentsOf, sharesIn } from '../payments/deposit-shares.js';
import type { Batch } from '../service/batch.js';
import { currentKeyIn } from '../service/service-keys.js';
import { type AccountOwner, isFromBefore, namedConsolidated } from './deposit-matching.js';

interface StagedShares {
  /** For the deposit. */
  readonly given: Pick<Deposit, 'orgId' | 'paymentId' | 'rule' | 'consolidatedReference'>;
  readonly announce: () => void;
}

/**
 * Stages a pay-in of each payment that gets a share of the deposit. With nothing staged, null if
 * the payer names no consolidated payment, and `undecided` if a person decides: the payer names
 * several, none of its payments may have money, or a restore may have lost how it was split.
 */
export async function stageShares(
  batch: Batch,
  deposit: Deposit,
  entry: PartnerEntry,
  owner: AccountOwner,
): Promise<StagedShares | 'undecided' | null> {
  const { deps, tx, nowMs } = batch;
  const [named, ...others] = await namedConsolidated(tx, entry, owner);
  if (named === undefined) return null;
  if (others.length > 0 || (await isFromBefore(tx, entry))) return 'undecided';
  const { reference: consolidatedReference, payments } = named;
  const books = await booksOf(tx, payments);
  const shares = sharesOf(
    deposit.amount,
    [...books.values()].map(({ was }) => was),
  );
  if (shares === null) return 'undecided';
  const { id: depositId, partner, partnerRef, transactionHash } = deposit;
  const { bytes } = await currentKeyIn(deps, tx, 'partner');
  const staged: Staged[] = [];
  for (const { paymentId, amount } of shares) {
    const { was, commands } = bookOf(books, paymentId);
    const subject = `deposit.${partner}.${partnerRef}.${commandSubject(was.payment)}`;
    const reference = commandReference(bytes, { subject, kind: 'payin', number: 1 });
    const name = { id: deps.ids.next('cmd', nowMs), reference };
    const what = { kind: 'payin', amount, payinId: null, paymentId } as const;
    const made = voidCommand(newCommand(was.payment, name, what, nowMs), nowMs);
    const share = { ...made, depositId };
    const report = { partnerRef, end: 'completed', receivedMinor: amount.amountMinor } as const;
    const book = { was, commands: [...commands, share], adopted: [share] };
    const next = shareReported(share, report, nowMs);
    staged.push(await stagePaymentCommands(batch, book, next, { transactionHash }));
  }
  const [first] = shares;
  assert(first !== undefined, 'a deposit that is split has shares');
  const { orgId } = owner;
  return {
    given: { orgId, paymentId: first.paymentId, rule: 'text', consolidatedReference },
    announce() {
      for (const one of staged) one.announce();
      const about = { depositId, consolidatedReference, payments: shares.length };
      deps.log.info('a deposit is split among payments', about);
    },
  };
}

/** Stages all shares of the deposit as the partner's books have it now. */
export async function stageSharesAgain(
  batch: Batch,
  deposit: Deposit,
  { status }: PartnerEntry,
): Promise<() => void> {
  const { deps, tx, nowMs } = batch;
  const { transactionHash } = deposit;
  const books = await booksOf(tx, await paymentsOf(tx, deposit));
  const shares = sharesIn(
    deposit,
    [...books.values()].flatMap(({ commands }) => commands),
  );
  const staged: Staged[] = [];
  for (const next of sharesAfter(deposit, shares, nowMs)) {
    if (shares.includes(next)) continue;
    const book = bookOf(books, next.paymentId);
    staged.push(await stagePaymentCommands(batch, book, next, { transactionHash }));
  }
  return () => {
    for (const one of staged) one.announce();
    if (status !== 'failed') return;
    const alert = 'the partner reports a transfer failed whose money was split among payments';
    deps.log.error('alert', { alert, depositId: deposit.id });
  };
}

/** Read before anything is staged, by payment in due order. */
async function booksOf(
  tx: Tx,
  payments: readonly Payment[],
): Promise<ReadonlyMap<string, PaymentCommands>> {
  const books = inDueOrder(payments).map(
    async ({ id, ...of }) =>
      [id, await loadPaymentCommands(tx, { ...tenantOf(of), paymentId: id })] as const,
  );
  return new Map(await Promise.all(books));
}

function bookOf(books: ReadonlyMap<string, PaymentCommands>, paymentId: string): PaymentCommands {
  const book = books.get(paymentId);
  assert(book !== undefined, 'a share is of a payment of the consolidated one');
  return book;
}
