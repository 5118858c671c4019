// What the partner's books have since the newest command of a restored database: the entries of
// stored commands, those that the lost time made under our references, and deposits.
import { sameMoney } from '../../domain/base/money.js';
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import type { MoneyKind } from '../../domain/commands/partner-command.js';
import { type EntryKind, entryKinds, spans } from '../../domain/deposits/book-reading.js';
import { type Deposit, isUnmatched } from '../../domain/deposits/deposit.js';
import type { Payment } from '../../domain/payments/payment.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type {
  PartnerEntry,
  PartnerStatement,
  StatementPage,
  UnreadableEntry,
} from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { bookAlerts, type PartnerCall, readBook } from '../deposits/books.js';
import {
  isTo,
  namedConsolidated,
  ownerOf,
  unmatchedToSellerOf,
} from '../deposits/deposit-matching.js';
import { payerOf, stageAssignment, storeEntry } from '../deposits/deposits.js';
import { type BooksOf, ourRowsOf } from '../deposits/our-rows.js';

/** Null if the partner of this mode lists nothing. PartnerUnavailable. */
export async function readLost(
  deps: Deps,
  mode: Mode,
  call?: PartnerCall,
): Promise<LostEntries | null> {
  const partner = deps.partners[mode];
  if (partner?.statement === undefined) return null;
  const { name, statement } = partner;
  const of = { partner: name, mode };
  const lost = new LostEntries(of);
  const sinceMs = await lostSince(deps, of);
  for (const kind of entryKinds) {
    const { entries, unreadable } = await readWhole(statement, kind, sinceMs, call);
    for (const entry of entries) await lost.add(deps, entry);
    for (const entry of unreadable) lost.noteUnreadable(deps, kind, entry);
  }
  return lost;
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

async function readWhole(
  statement: PartnerStatement,
  kind: EntryKind,
  sinceMs: number,
  call?: PartnerCall,
): Promise<Omit<StatementPage, 'nextCursor'>> {
  const entries: PartnerEntry[] = [];
  const unreadable: UnreadableEntry[] = [];
  for await (const answer of readBook(statement, { kind, sinceMs, cursor: null }, call)) {
    if (answer.outcome !== 'done') {
      const reason = answer.outcome === 'refused' ? answer.code : answer.reason;
      const message = `The partner's book of ${kind}s could not be read: ${reason}. Try again.`;
      throw new PonteError('PartnerUnavailable', message);
    }
    entries.push(...answer.value.entries);
    unreadable.push(...answer.value.unreadable);
  }
  return { entries, unreadable };
}

type PaidOut = Tenant & { readonly paymentId: string };

export class LostEntries {
  readonly #of: BooksOf;
  readonly #ofCommands = new Map<string, PartnerEntry>();
  /** Entries of no stored command, by kind and reference. */
  readonly #named = new Map<string, PartnerEntry>();
  /** Pay-ins that a stored command may have. */
  readonly #quoted: PartnerEntry[] = [];
  readonly #paidOut: PaidOut[] = [];
  /** The partner's ids of pay-ins that no command has. */
  readonly #deposits = new Set<string>();
  #payouts = 0;
  #unreadable = 0;

  constructor(of: BooksOf) {
    this.#of = of;
  }

  async add(deps: Deps, entry: PartnerEntry): Promise<void> {
    const { own, named } = await deps.store.run((tx) => ourRowsOf(tx, this.#of, entry));
    const command = own ?? (named?.partnerRef === null ? named : null);
    if (command !== null) {
      this.#ofCommands.set(command.id, entry);
      if (own === null && entry.kind === 'payin') this.#quoted.push(entry);
    } else if (entry.reference !== null)
      this.#named.set(nameOf(entry.kind, entry.reference), entry);
    else await this.#keep(deps, entry);
  }

  noteUnreadable({ log }: Deps, book: EntryKind, entry: UnreadableEntry): void {
    this.#unreadable += 1;
    log.error('alert', { alert: bookAlerts.unreadable, mode: this.#of.mode, book, ...entry });
  }

  get unreadable(): number {
    return this.#unreadable;
  }

  ofCommand(id: string): PartnerEntry | null {
    return this.#ofCommands.get(id) ?? null;
  }

  byReference(kind: MoneyKind, reference: string): PartnerEntry | null {
    return this.#named.get(nameOf(kind, reference)) ?? null;
  }

  /** A payment whose payout was found, and no pay-in. */
  notePaidOut(payment: PaidOut): void {
    this.#paidOut.push(payment);
  }

  /** Once all payments were checked. Entries that a command has by then are left out. */
  async keepRest(deps: Deps): Promise<{ readonly deposits: number; readonly payouts: number }> {
    for (const entry of [...this.#named.values(), ...this.#quoted]) await this.#keep(deps, entry);
    for (const payment of this.#paidOut) await this.#assignDeposit(deps, payment);
    return { deposits: await this.#countUnmatched(deps), payouts: this.#payouts };
  }

  async #countUnmatched(deps: Deps): Promise<number> {
    const { partner, mode } = this.#of;
    let count = 0;
    for (const partnerRef of this.#deposits) {
      const deposit = await deps.store.run((tx) =>
        tx.deposits.byPartnerRef(partner, mode, 'payin', partnerRef),
      );
      if (deposit !== null && isUnmatched(deposit)) count += 1;
    }
    return count;
  }

  /** What was paid out was paid in: by the deposit of its amount, if only one fits only this. */
  async #assignDeposit(deps: Deps, { paymentId, ...tenant }: PaidOut): Promise<void> {
    const assigned = await deps.store.run(async (tx) => {
      const payment = await tx.payments.get(tenant, paymentId);
      assert(payment !== null, 'a payment that was checked is there');
      const [deposit, another] = await depositsFor({ deps, tx }, payment);
      if (deposit === undefined || another !== undefined) return null;
      const payments = this.#paidOut.map((one) => tx.payments.get(one, one.paymentId));
      const alike = (await Promise.all(payments)).filter(
        (one) =>
          one !== null && sameMoney(one.amount, payment.amount) && isSameSeller(one, payment),
      );
      if (alike.length > 1) return null;
      const batch = { deps, tx, nowMs: deps.clock.nowMs() };
      return stageAssignment(batch, deposit, paymentId, 'amount');
    });
    assigned?.announce();
  }

  /** An entry without a command becomes a deposit. */
  async #keep(deps: Deps, entry: PartnerEntry): Promise<void> {
    const { own, deposit } = await deps.store.run((tx) => ourRowsOf(tx, this.#of, entry));
    if (own !== null) return;
    if (entry.kind === 'payin') this.#deposits.add(entry.partnerRef);
    else this.#payouts += 1;
    if (deposit?.end !== entry.status) await storeEntry(deps, this.#of, entry);
  }
}

/**
 * Undecided deposits of the amount, to the seller of this payment. Those that name a consolidated
 * payment are left to a person.
 */
async function depositsFor(
  { deps, tx }: { readonly deps: Deps; readonly tx: Tx },
  payment: Payment,
): Promise<readonly Deposit[]> {
  const found: Deposit[] = [];
  for (const deposit of await unmatchedToSellerOf(tx, payment)) {
    if (!sameMoney(deposit.amount, payment.amount)) continue;
    const owner = await ownerOf(tx, deposit.mode, deposit.partyRef);
    if (owner === null || !isTo(payment, owner)) continue;
    const named = await namedConsolidated(tx, payerOf(deps, deposit), owner);
    if (named.length === 0) found.push(deposit);
  }
  return found;
}

function isSameSeller(left: Payment, right: Payment): boolean {
  return left.orgId === right.orgId && left.sellerExternalId === right.sellerExternalId;
}

function nameOf(kind: MoneyKind, reference: string): string {
  return `${kind} ${reference}`;
}
