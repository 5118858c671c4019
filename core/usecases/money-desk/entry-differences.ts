// One entry of the partner's books against our row of it as it is now.
import { tenantOf } from '../../domain/base/tenant.js';
import { isOpen, type MoneyCommand } from '../../domain/commands/partner-command.js';
import type { Deposit } from '../../domain/deposits/deposit.js';
import { isFound } from '../../domain/money-desk/decisions.js';
import {
  compareCommand,
  compareDeposit,
  type Difference,
  mayBeOnItsWay,
  oursOf,
  theirsOf,
} from '../../domain/money-desk/reconciliation.js';
import { isTerminal } from '../../domain/payments/payment.js';
import { assert } from '../../errors.js';
import type { PartnerEntry } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { type BooksOf, ourRowsOf } from '../deposits/our-rows.js';

interface Side extends BooksOf {
  readonly nowMs: number;
}

export async function differencesOf(
  tx: Tx,
  { partner, mode, nowMs }: Side,
  entry: PartnerEntry,
): Promise<readonly Difference[]> {
  if (mayBeOnItsWay(entry.createdAtMs, nowMs)) return [];
  const { own, named, deposit } = await ourRowsOf(tx, { partner, mode }, entry);
  const sides = { book: entry.kind, theirs: theirsOf(entry), here: null, there: null };
  const isIts = named !== null && (named.partnerRef ?? entry.partnerRef) === entry.partnerRef;
  if (own !== null && isIts && named.id !== own.id) {
    return [{ ...sides, kind: 'duplicate_command', ours: oursOf(own), here: named.id }];
  }
  const command = own ?? named;
  if (command === null) return withoutCommand(deposit, entry);
  // A person has decided whose it is.
  if (deposit !== null && deposit.state !== 'waiting') return compareDeposit(deposit, entry);
  if (own === null && command.partnerRef !== null) {
    return [{ ...sides, kind: 'duplicate_at_partner', ours: oursOf(command) }];
  }
  if (command.partnerRef === null) {
    const isYoung = mayBeOnItsWay(command.lastSentAtMs ?? command.createdAtMs, nowMs);
    return isYoung ? [] : [{ ...sides, kind: 'not_accepted', ours: oursOf(command) }];
  }
  return comparedWith(tx, command, entry);
}

/** An entry without a command: a deposit, or nothing if its money is not here. */
function withoutCommand(deposit: Deposit | null, entry: PartnerEntry): readonly Difference[] {
  const { kind, status } = entry;
  if (deposit !== null) return compareDeposit(deposit, entry);
  if (status === 'failed' || status === 'returned') return [];
  return [
    {
      book: kind,
      kind: 'missing_here',
      ours: null,
      theirs: theirsOf(entry),
      here: null,
      there: null,
    },
  ];
}

async function comparedWith(
  tx: Tx,
  command: MoneyCommand,
  entry: PartnerEntry,
): Promise<readonly Difference[]> {
  const payment = await tx.payments.get(tenantOf(command), command.paymentId);
  assert(payment !== null, 'a command has its payment');
  // Nobody waits for its money: it is polled rarely, or not at all.
  const isAbandoned = command.kind === 'payin' && (isTerminal(payment.status) || !isOpen(command));
  const isUnpaid = command.receivedMinor === 0n && ['failed', 'returned'].includes(entry.status);
  if (isAbandoned && isUnpaid) return [];
  const found = compareCommand(command, payment, entry);
  const isFailed =
    command.kind === 'payout' && entry.status === 'failed' && command.end !== 'failed';
  if (!isFailed || !(await isFoundByOperator(tx, command))) return found;
  return found.filter(({ kind }) => kind !== 'status');
}

/** A failed payout does not show where its money is: an operator has found it elsewhere. */
async function isFoundByOperator(tx: Tx, { id }: MoneyCommand): Promise<boolean> {
  const decided = await tx.proposals.ofItem(id);
  return decided.some(({ state, action }) => state === 'done' && isFound(action.verb));
}
