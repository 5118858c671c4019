// What a person makes the fake partner do. The outcome of a transaction is stored under its
// reference; reads and messages report it instead of what the clock gives.
import { parseRate } from '../../core/domain/base/money.js';
import type { Mode } from '../../core/domain/base/tenant.js';
import type { QuoteTerms } from '../../core/domain/commands/quote.js';
import type { SimulatedReport } from '../../core/domain/payments/simulated-event.js';
import type { Clock } from '../../core/ports/outside.js';
import type { PartnerFact, PartnerReports, PartnerSandbox } from '../../core/ports/partner.js';
import type { FakeOutbox } from './fake-outbox.js';
import { quoteAt, rateAt } from './fake-quote.js';
import { digestOf } from './fake-ref.js';
import {
  awaitedTransfer,
  type OutcomeOf,
  payerNamed,
  referenceIn,
  scenarios,
  type TransactionKind,
  type TransactionScenario,
} from './fake-transaction.js';

/** The outcome stored for the transaction with this reference. */
export type Chosen = (reference: string) => Promise<SimulatedReport | null>;

/** The name on the account that pays the command with this reference; null: the bank says none. */
export type PayerNameOf = (reference: string, partyRef: string | null) => Promise<string | null>;

/** What a person chose, and who pays. */
export interface SandboxWorld {
  readonly mode: Mode;
  readonly chosen: Chosen | null;
  readonly payerName: PayerNameOf | null;
}

/** A moved rate is two percent above or below that of the minute. */
const MOVED_UP = 102n;
const MOVED_DOWN = 98n;

/** The report that a person chose for the transaction, with the id of its message; null: none. */
export async function chosenReport<K extends TransactionKind>(
  { mode, chosen, payerName }: SandboxWorld,
  scenario: TransactionScenario<K>,
  partnerRef: string,
): Promise<{ readonly report: PartnerReports[K]; readonly messageId: string } | null> {
  const reference = referenceIn(mode, scenario.kind, partnerRef);
  if (reference === null || chosen === null) return null;
  const stored = await chosen(reference);
  if (stored?.outcome.kind !== scenario.kind) return null;
  // The kind of the outcome was compared.
  const outcome = stored.outcome as OutcomeOf<K>;
  const report = scenario.chosen(mode, partnerRef, outcome);
  const messageId = `msg_${digestOf(`${partnerRef}.chosen.${stored.version}`)}`;
  if (report === null) return null;
  return { report: await withPayer(payerName, scenario.kind, reference, report), messageId };
}

/** The message about a transaction as it is now: a chosen report replaces that of the clock. */
export async function currentMessage(
  world: SandboxWorld,
  message: { readonly messageId: string; readonly fact: PartnerFact },
): Promise<{ readonly messageId: string; readonly fact: PartnerFact }> {
  const { kind, partnerRef } = message.fact;
  const scenario: TransactionScenario<TransactionKind> = scenarios[kind] as never;
  const known = await chosenReport(world, scenario, partnerRef);
  if (known === null) {
    const { payerName, mode } = world;
    const reference = referenceIn(mode, kind, partnerRef) ?? '';
    const report = await withPayer(payerName, kind, reference, message.fact.report);
    return { ...message, fact: { ...message.fact, report } as PartnerFact };
  }
  // The scenario pairs kind and report.
  const fact = { ...message.fact, report: known.report } as PartnerFact;
  return { messageId: known.messageId, fact };
}

/** Money that arrives has the buyer's name, unless the report has another one. */
export async function withPayer<K extends TransactionKind>(
  payerName: PayerNameOf | null,
  kind: K,
  reference: string,
  report: PartnerReports[K],
): Promise<PartnerReports[K]> {
  if (kind !== 'payin' || payerName === null) return report;
  const payin = report as PartnerReports['payin'];
  if (payin.payer !== undefined || payin.received.amountMinor === 0n) return report;
  const name = await payerName(reference, null);
  return name === null ? report : { ...report, payer: payerNamed(name) };
}

export function createSandbox(
  world: SandboxWorld & { readonly clock: Clock; readonly outbox: FakeOutbox },
): Pick<PartnerSandbox, 'awaitedPayin' | 'send' | 'quote'> {
  const { mode, clock, outbox } = world;
  return {
    awaitedPayin: (partnerRef) => awaitedTransfer(mode, partnerRef),
    async send({ kind, reference, partnerRef }) {
      const scenario: TransactionScenario<TransactionKind> = scenarios[kind] as never;
      const known = await chosenReport(world, scenario, partnerRef);
      if (known === null) return;
      const { report, messageId } = known;
      // The scenario pairs kind and report.
      const fact = { kind, reference, partnerRef, report } as PartnerFact;
      await outbox.sendNow(messageId, fact, clock.nowMs());
    },
    async quote({ source }, change, shown) {
      const nowMs = clock.nowMs();
      const usual = rateAt(source.currency, nowMs);
      if (change === 'locked') return quoteAt(mode, source, { nowMs, rate: usual, locked: true });
      const rate = movedRate(usual, shown);
      return quoteAt(mode, source, { nowMs, rate, locked: false });
    },
  };
}

function movedRate(usual: { readonly rateScaled: bigint }, shown: QuoteTerms | null) {
  const last = shown === null ? null : parseRate(shown.rate);
  const percent = (last ?? usual).rateScaled > usual.rateScaled ? MOVED_DOWN : MOVED_UP;
  return { rateScaled: (usual.rateScaled * percent) / 100n };
}
