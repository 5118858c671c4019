// What the partner says of its commands: reports and messages as they truly are, and reports with a
// number that cannot be true.
import type { Money } from '../../../core/domain/base/money.js';
import type { PayinReport, PayoutReport } from '../../../core/domain/commands/report-check.js';
import type { SettlementFacts } from '../../../core/domain/commands/settlement.js';
import type { PartnerFact, PartnerNotice, RefundReport } from '../../../core/ports/partner.js';
import type { SeededRandom } from '../seeded-random.js';
import type { PartnerTransaction } from './partner-ledger.js';

export function payinReport(transaction: PartnerTransaction): PayinReport {
  const { status, receivedMinor, ref, amount } = transaction;
  const transactionHash = status === 'completed' ? `0x${ref}` : null;
  const received = transaction.foreign ?? { ...amount, amountMinor: receivedMinor };
  return { status, received, transactionHash, reason: reasonOf(transaction) };
}

export function payoutReport(transaction: PartnerTransaction): PayoutReport {
  const { status, settlement } = transaction;
  const known = status === 'completed' ? settlement : null;
  return {
    status,
    settled: known?.settled ?? null,
    fxRate: known?.fxRate ?? null,
    fees: known?.fees ?? null,
    endToEndId: known?.endToEndId ?? null,
    reason: reasonOf(transaction),
  };
}

/** What a payout of this amount brings. */
export function settlementOf(amount: Money, ref: string): SettlementFacts {
  const fees = { ...amount, amountMinor: amount.amountMinor / 100n };
  return { settled: brl(amount, fees), fxRate: '5.2', fees, endToEndId: `E${ref}` };
}

export function refundReport(transaction: PartnerTransaction): RefundReport {
  const status = transaction.status === 'returned' ? 'failed' : transaction.status;
  return { status, amount: transaction.amount, reason: reasonOf(transaction) };
}

/** These amounts are implausible. */
export function wrongPayinReport(
  random: SeededRandom,
  transaction: PartnerTransaction,
): PayinReport {
  const { amountMinor, currency } = transaction.amount;
  const received = random.pick([
    { amountMinor: -1n, currency },
    { amountMinor: amountMinor * 7n, currency },
    { amountMinor: amountMinor * 1_000n, currency },
    { amountMinor, currency: 'BRL' },
  ]);
  return { ...payinReport(transaction), received };
}

/** A refund reports its amount from its start. */
export function wrongRefundReport(
  random: SeededRandom,
  transaction: PartnerTransaction,
): RefundReport {
  const { amountMinor, currency } = transaction.amount;
  const amount = random.pick([
    { amountMinor: -1n, currency },
    { amountMinor: amountMinor * 7n, currency },
    { amountMinor, currency: 'BRL' },
  ]);
  return { ...refundReport(transaction), amount };
}

/** Only a completed payout reports amounts that can be wrong. */
export function wrongPayoutReport(
  random: SeededRandom,
  transaction: PartnerTransaction,
): PayoutReport {
  const report = payoutReport(transaction);
  const { settled, fees } = report;
  if (settled === null || fees === null) return report;
  const wrong: Partial<PayoutReport> = random.pick([
    { settled: { ...settled, currency: 'USD' } },
    { settled: { ...settled, amountMinor: 1n } },
    { settled: { ...settled, amountMinor: settled.amountMinor * 2n } },
    { settled: null },
    { fees: { ...fees, currency: 'BRL' } },
    { fees: { ...fees, amountMinor: -1n } },
    { fees: transaction.amount },
    { fxRate: 'abc' },
    { fxRate: '0' },
    { fxRate: '52' },
  ]);
  return { ...report, ...wrong };
}

/** The content of a message; `named` with our reference. */
export function transactionFact(transaction: PartnerTransaction, named: boolean): PartnerFact {
  const reference = transaction.collected?.repeats ?? transaction.reference;
  const base = { reference: named ? reference : null, partnerRef: transaction.ref };
  switch (transaction.kind) {
    case 'payin':
      return { ...base, kind: 'payin', report: payinReport(transaction) };
    case 'payout':
      return { ...base, kind: 'payout', report: payoutReport(transaction) };
    case 'refund':
      return { ...base, kind: 'refund', report: refundReport(transaction) };
  }
}

/** The same with a number that cannot be true. */
export function wrongFact(random: SeededRandom, transaction: PartnerTransaction): PartnerFact {
  const fact = transactionFact(transaction, true);
  if (fact.kind === 'payin') return { ...fact, report: wrongPayinReport(random, transaction) };
  if (fact.kind === 'payout') return { ...fact, report: wrongPayoutReport(random, transaction) };
  if (fact.kind === 'refund') return { ...fact, report: wrongRefundReport(random, transaction) };
  return fact;
}

/** Our reference of one order, the partner's id of another, and a report of either. */
export function mixedFact(
  random: SeededRandom,
  transaction: PartnerTransaction,
  other: PartnerTransaction,
): PartnerFact {
  const fact = transactionFact(random.pick([transaction, other]), true);
  return { ...fact, reference: transaction.reference, partnerRef: other.ref };
}

/** The text of a message: facts as JSON, amounts as digits. */
export function factsText(facts: readonly PartnerFact[]): string {
  return JSON.stringify(facts, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
}

export function readFacts(text: string): readonly (PartnerFact | PartnerNotice)[] {
  return JSON.parse(text, (key, value: unknown) =>
    key.endsWith('Minor') && typeof value === 'string' ? BigInt(value) : value,
  ) as ReturnType<typeof readFacts>;
}

/** At 5.20 per unit after fees, rounded down. */
export function brl(source: Money, fees: Money): Money {
  const amountMinor = ((source.amountMinor - fees.amountMinor) * 52n) / 10n;
  return { amountMinor, currency: 'BRL' };
}

function reasonOf({ status }: PartnerTransaction): string | null {
  return status === 'failed' || status === 'returned' ? `bank: ${status}` : null;
}
