// Which commands of a payment are looked for at the partner after a restore, one by one: the stored
// ones of each kind, then those that the restored state would make next, by their numbers.
import { type MoneyCommand, type MoneyKind, moneyKinds } from '../commands/partner-command.js';
import { sumsOf } from '../payments/funds.js';
import { isTerminal, type Payment } from '../payments/payment.js';
import { isPayoutBack } from './money-decision.js';

/** Absent numbers in a row after which the search stops: a refused or void command leaves a gap. */
const ABSENT_MAX = 10;

export interface KnownCommands {
  readonly payment: Payment;
  /** All about money of the payment. */
  readonly commands: readonly MoneyCommand[];
}

export interface LookUp {
  readonly kind: MoneyKind;
  /** Null: there is no row. */
  readonly command: MoneyCommand | null;
  /** The pay-in of a refund without a row. */
  readonly payin: MoneyCommand | null;
  /** Numbers of a command without a row: the absent ones before it, and its own. */
  readonly numbers: readonly number[];
}

/** `missed`: the partner did not answer. `found`: it has the command, which is stored now. */
export type SearchOutcome = 'found' | 'absent' | 'missed';

/** Each look-up is answered with what is stored after it. `isListed`: the partner has books. */
export function* lookUps(
  first: KnownCommands,
  isListed: boolean,
): Generator<LookUp, void, KnownCommands & { readonly outcome: SearchOutcome }> {
  let known = first;
  // It sends only refunds of its pay-ins, and payouts that are paid again.
  const wasEnded = isTerminal(first.payment.status);
  const balanced = wasEnded ? balancedVersions(first.commands) : null;
  for (const kind of moneyKinds) {
    const seen = new Set<string>();
    for (;;) {
      // A report may add commands. The deposit of an assigned one is read instead.
      const command = known.commands.find(
        (one) => one.kind === kind && one.depositId === null && !seen.has(one.id),
      );
      if (command === undefined) break;
      seen.add(command.id);
      known = yield { kind, command, payin: null, numbers: [] };
    }
    for (const payin of subjectsOf(kind, known.commands, { wasEnded, balanced, isListed })) {
      for (let absent = 1; absent <= ABSENT_MAX; absent += 1) {
        const payinId = payin?.id ?? null;
        const alike = known.commands.filter((one) => one.kind === kind && one.payinId === payinId);
        const numbers = Array.from({ length: absent }, (_, gap) => alike.length + gap + 1);
        const searched = yield { kind, command: null, payin, numbers };
        known = searched;
        if (searched.outcome === 'missed') break;
        if (searched.outcome === 'found') absent = 0;
      }
    }
  }
}

/** For what commands without a row may be: the pay-ins of refunds; null: the payment. */
function subjectsOf(
  kind: MoneyKind,
  commands: readonly MoneyCommand[],
  search: {
    readonly wasEnded: boolean;
    readonly balanced: string | null;
    readonly isListed: boolean;
  },
): readonly (MoneyCommand | null)[] {
  const { wasEnded, balanced, isListed } = search;
  const payins = commands.filter((command) => command.kind === 'payin');
  if (kind === 'refund') {
    if (balanced !== null && balanced === balancedVersions(commands)) return [];
    return payins.filter(({ partnerRef }) => partnerRef !== null);
  }
  // The books show a command without a call, also a payout whose pay-in they do not name.
  const isFirst = !wasEnded && (kind === 'payin' || payins.length > 0);
  const mayExist = isFirst || (kind === 'payout' && commands.some(isPayoutBack));
  return mayExist || isListed ? [null] : [];
}

/**
 * The ids and versions of the commands of a payment that owes nothing: each command has ended
 * without a review, and all received money was paid out. While it is equal there was nothing to
 * refund. Null for other payments.
 */
function balancedVersions(commands: readonly MoneyCommand[]): string | null {
  const isOver = commands.every(
    ({ state, end, review }) =>
      review === null && (state === 'void' || (state === 'done' && end === 'completed')),
  );
  const { receivedMinor, paidMinor } = sumsOf(commands);
  if (!isOver || paidMinor === 0n || receivedMinor !== paidMinor) return null;
  return commands.map(({ id, version }) => `${id} ${version}`).join();
}
