// What the partner's books have since the newest command of a restored database: the entries of
// stored commands, those that the lost time made under our references, and deposits.

import { sameMoney } from '../../domain/base/money.js';
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import type { MoneyKind } from '../../domain/commands/partner-command.js';
import type { Payer } from '../../domain/commands/payer.js';
import { entryKinds, spans } from '../../domain/deposits/book-reading.js';
import { type Deposit, isUnmatched } from '../../domain/deposits/deposit.js';
import type { Payment } from '../../domain/payments/payment.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerEntry } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { bookAlerts, type PartnerCall, readBook } from '../deposits/books.js';
import {
  accountOwner,
  isTo,
  namedConsolidated,
  payerOf,
  unmatchedToSellerOf,
} from '../deposits/deposit-matching.js';
import { stageAssignment, storeEntry } from '../deposits/deposits.js';
import { type BooksOf, ourRowsOf } from '../deposits/our-rows.js';

/** A payment of which a payout was found, and no pay-in. */
export type PaidOut = Tenant & Pick<Payment, 'id'>;

export interface LostEntries {
  readonly of: BooksOf;
  /** By the id of a stored command. */
  readonly ofCommands: ReadonlyMap<string, PartnerEntry>;
  /** Entries of no stored command, by `commandName`. */
  readonly named: ReadonlyMap<string, PartnerEntry>;
  /** Pay-ins that a stored command may have. */
  readonly quoted: readonly PartnerEntry[];
  /** Entries that no command can have. */
  readonly kept: readonly PartnerEntry[];
  readonly unreadable: number;
}

/** Null if the partner of this mode lists nothing. PartnerUnavailable. */
export async function readLost(
  deps: Deps,
  mode: Mode,
  call?: PartnerCall,
): Promise<LostEntries | null> {
  const partner = deps.partners[mode];
  if (partner?.statement === undefined) return null;
  const of = { partner: partner.name, mode };
  const sinceMs = await lostSince(deps, of);
  const entries: PartnerEntry[] = [];
  let unreadable = 0;
  for (const kind of entryKinds) {
    const query = { kind, sinceMs, cursor: null };
    for await (const answer of readBook(partner.statement, query, call)) {
      if (answer.outcome !== 'done') {
        const reason = answer.outcome === 'refused' ? answer.code : answer.reason;
        const message = `The partner's book of ${kind}s could not be read: ${reason}. Try again.`;
        throw new PonteError('PartnerUnavailable', message);
      }
      entries.push(...answer.value.entries);
      for (const entry of answer.value.unreadable) {
        unreadable += 1;
        deps.log.error('alert', { alert: bookAlerts.unreadable, mode, book: kind, ...entry });
      }
    }
  }
  const ofCommands = new Map<string, PartnerEntry>();
  const named = new Map<string, PartnerEntry>();
  const [quoted, unordered]: [PartnerEntry[], PartnerEntry[]] = [[], []];
  for (const entry of entries) {
    const rows = await deps.store.run((tx) => ourRowsOf(tx, of, entry));
    const command = rows.own ?? (rows.named?.partnerRef === null ? rows.named : null);
    if (command !== null) {
      ofCommands.set(command.id, entry);
      if (rows.own === null && entry.kind === 'payin') quoted.push(entry);
    } else if (entry.reference !== null) named.set(commandName(entry.kind, entry.reference), entry);
    else unordered.push(entry);
  }
  const kept = await keepEntries(deps, of, unordered);
  return { of, ofCommands, named, quoted, kept, unreadable };
}

/** A backup is not older than its newest command. Without any, all is read that is ours. */
async function lostSince({ store }: Deps, { partner, mode }: BooksOf): Promise<number> {
  return store.run(async (tx) => {
    const [newest] = await tx.commands.list({ stuck: false, limit: 1 });
    if (newest !== undefined) return newest.createdAtMs - spans.recent.windowMs;
    const [reading] = await tx.bookReadings.of(partner, mode);
    return reading?.fromMs ?? 0;
  });
}

/** What is in the books and in no command. */
export interface RestCounts {
  /** Received pay-ins: they wait at the money desk. */
  readonly deposits: number;
  /** Payouts that no payment here ordered: the backup lacks the payment. */
  readonly unknownPayouts: number;
  /** Entries that could not be read. */
  readonly unreadable: number;
}

/**
 * Once all payments were checked. Entries that a command has by then are left out. `paidOut` are
 * payments whose payout was found, and no pay-in.
 */
export async function keepRest(
  deps: Deps,
  lost: Readonly<Record<Mode, LostEntries | null>>,
  paidOut: readonly PaidOut[],
): Promise<RestCounts> {
  const rests = [];
  for (const entries of Object.values(lost)) {
    if (entries === null) continue;
    const { of, named, quoted, kept, unreadable } = entries;
    const rest = [...kept, ...(await keepEntries(deps, of, [...named.values(), ...quoted]))];
    rests.push({ of, rest, unreadable });
  }
  await assignDeposits(deps, paidOut);
  const counts = { deposits: 0, unknownPayouts: 0, unreadable: 0 };
  for (const { of, rest, unreadable } of rests) {
    const payins = rest.filter(({ kind }) => kind === 'payin');
    const refs = [...new Set(payins.map(({ partnerRef }) => partnerRef))];
    const deposits = await deps.store.run((tx) =>
      Promise.all(refs.map((ref) => tx.deposits.byPartnerRef(of.partner, of.mode, 'payin', ref))),
    );
    counts.deposits += deposits.filter((one) => one !== null && isUnmatched(one)).length;
    counts.unknownPayouts += rest.length - payins.length;
    counts.unreadable += unreadable;
  }
  return counts;
}

/** Entries without a command become deposits, and are returned. */
async function keepEntries(
  deps: Deps,
  of: BooksOf,
  entries: readonly PartnerEntry[],
): Promise<readonly PartnerEntry[]> {
  const kept: PartnerEntry[] = [];
  for (const entry of entries) {
    const { own, deposit } = await deps.store.run((tx) => ourRowsOf(tx, of, entry));
    if (own !== null) continue;
    kept.push(entry);
    if (deposit?.end !== entry.status) await storeEntry(deps, of, entry);
  }
  return kept;
}

/** What was paid out was paid in: by the deposit of its amount, if only one fits only this. */
async function assignDeposits(deps: Deps, paidOut: readonly PaidOut[]): Promise<void> {
  const payments = await deps.store.run((tx) =>
    Promise.all(paidOut.map((one) => tx.payments.get(one, one.id))),
  );
  const known = payments.filter((payment) => payment !== null);
  for (const payment of known) {
    const alike = known.filter((one) => isAlike(one, payment));
    const assigned = await deps.store.run(async (tx) => {
      const [deposit, another] = await depositsFor(tx, payment, (one) => payerOf(deps, one));
      if (deposit === undefined || another !== undefined || alike.length > 1) return null;
      const batch = { deps, tx, nowMs: deps.clock.nowMs() };
      return stageAssignment(batch, deposit, payment.id, 'amount');
    });
    assigned?.announce();
  }
}

/**
 * Undecided deposits of the amount, to the seller of this payment. Those that name a consolidated
 * payment are left to an operator.
 */
async function depositsFor(
  tx: Tx,
  payment: Payment,
  payer: (deposit: Deposit) => Payer | null,
): Promise<readonly Deposit[]> {
  const found: Deposit[] = [];
  for (const deposit of await unmatchedToSellerOf(tx, payment)) {
    if (!sameMoney(deposit.amount, payment.amount)) continue;
    const owner = await accountOwner(tx, deposit.mode, deposit.partyRef);
    if (owner === null || !isTo(payment, owner)) continue;
    const named = await namedConsolidated(tx, payer(deposit), owner);
    if (named.length === 0) found.push(deposit);
  }
  return found;
}

/** Whether both ask for the same amount, for the same seller. */
function isAlike(left: Payment, right: Payment): boolean {
  const { orgId, mode, sellerExternalId, amount } = right;
  return isTo(left, { orgId, mode, sellerExternalId }) && sameMoney(left.amount, amount);
}

export function commandName(kind: MoneyKind, reference: string): string {
  return `${kind} ${reference}`;
}
