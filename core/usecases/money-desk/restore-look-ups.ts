// Asks the partner about one command after a restore: in its books, which list each command of a
// kind, or by a call. Stores nothing.
import type { Money } from '../../domain/base/money.js';
import { isOpen } from '../../domain/commands/partner-command.js';
import { refundAmountProblem } from '../../domain/commands/report-check.js';
import type { LookUp } from '../../domain/money-desk/restore-search.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type {
  AcceptedCommand,
  PartnerAnswer,
  PartnerFact,
  SettlementPartner,
} from '../../ports/partner.js';
import { sentRequest } from '../commands/command-calls.js';
import { operationOf } from '../commands/partner-operations.js';
import { isBehind } from '../deposits/our-rows.js';
import { commandName, type LostEntries } from './lost-entries.js';

export interface AskedPartner {
  readonly deps: Deps;
  readonly partner: SettlementPartner;
  /** Null if the partner lists nothing. */
  readonly lost: LostEntries | null;
}

export interface WantedCommand extends LookUp {
  /** References of a command without a row, one of each number. */
  readonly references: readonly string[];
  /** Amount of the payment. */
  readonly amount: Money;
}

export interface FoundCommand {
  readonly accepted: AcceptedCommand;
  readonly amount: Money;
  /** Null: unknown. */
  readonly report: PartnerFact['report'] | null;
}

export interface LookUpAnswer {
  /** Null: the partner does not have it, or the row says all that the partner does. */
  readonly found: FoundCommand | null;
  /** What is not known, and why. */
  readonly missed: string | null;
}

export async function lookUp(asked: AskedPartner, wanted: WantedCommand): Promise<LookUpAnswer> {
  const { kind, command, numbers, amount } = wanted;
  const label = command === null ? `${kind} ${numbers.at(-1)}` : kind;
  const answer = await find(asked, wanted);
  const accepted = answer.outcome === 'done' ? answer.value : null;
  const sent =
    command === null || command.request === null
      ? undefined
      : () => sentRequest(asked.deps, command);
  const state =
    accepted === null ? answer : await asked.partner[kind].read(accepted.partnerRef, sent);
  const isNewRefund = kind === 'refund' && command === null;
  if (state.outcome !== 'done') {
    const why = state.outcome === 'refused' ? state.code : state.reason;
    const missed = `${label} could not be looked up: ${why}`;
    const isUsable = accepted !== null && !isNewRefund;
    return { found: isUsable ? { accepted, amount, report: null } : null, missed };
  }
  if (accepted === null) return { found: null, missed: null };
  const report = state.value as PartnerFact['report'];
  if (!isNewRefund || !('amount' in report)) {
    return { found: { accepted, amount, report }, missed: null };
  }
  // The amount of a refund without a row is the one that the partner reports.
  const problem = refundAmountProblem(report.amount, amount.currency);
  if (problem !== null) return { found: null, missed: `${label}: ${problem.text}` };
  return { found: { accepted, amount: report.amount, report }, missed: null };
}

async function find(
  { deps, partner, lost }: AskedPartner,
  { kind, command, references }: WantedCommand,
): Promise<PartnerAnswer<AcceptedCommand | null>> {
  const reference = command?.reference ?? references.at(-1);
  assert(reference !== undefined, 'a command without a row has a number');
  const isListed = lost !== null && kind !== 'refund';
  const ofCommand = command === null ? null : lost?.ofCommands.get(command.id);
  const entry = ofCommand ?? lost?.named.get(commandName(kind, reference)) ?? null;
  const listed = entry && { partnerRef: entry.partnerRef };
  if (command !== null && command.partnerRef !== null) {
    // The check makes commands too, after the books were read.
    const isKnown = entry === null ? !isOpen(command) : !isBehind(command, entry);
    const { partnerRef } = command;
    return { outcome: 'done', value: isListed && isKnown ? null : { partnerRef } };
  }
  // The pay-in that the books have under its quote.
  if (command !== null && entry !== null && entry.reference === null) {
    const { prepare, callsOf } = operationOf(command);
    const request: PartnerAnswer<string> =
      command.request === null
        ? (await prepare(deps, partner, command)).answer
        : { outcome: 'done', value: sentRequest(deps, command) };
    if (request.outcome !== 'done') return { outcome: 'done', value: listed };
    return callsOf(partner).find(request.value);
  }
  // A look-up has the instructions for the buyer.
  const isCalled = !isListed || (entry !== null && kind === 'payin');
  return isCalled ? partner.findCommand(kind, reference) : { outcome: 'done', value: listed };
}
