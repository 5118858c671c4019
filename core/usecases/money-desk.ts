// The money desk: operators decide where no report of the partner can. A decision and its effect
// are one batch, and the effect is that of a report: funds, ledger, status and events follow from
// the orders. money-queues.ts lists what waits.
import { formatInstant } from '../domain/instant.js';
import { formatRate, type Money, money, rateBetween } from '../domain/money.js';
import {
  basisOf,
  type DecisionRuling,
  EVIDENCE_LENGTH_MAX,
  isPayoutOutOfSight,
  isRefundableByHand,
  type MoneyAction,
  type MoneyDecision,
  OPERATOR_LENGTH_MAX,
  paidByHand,
  repeated,
  ruleOf,
} from '../domain/money-decision.js';
import { ordersChanged } from '../domain/order-outcomes.js';
import {
  isMoneyCommand,
  type MoneyCommand,
  type PartnerCommand,
} from '../domain/partner-command.js';
import { type PayoutReport, payoutProblem } from '../domain/report-check.js';
import { tenantOf } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';
import type { Batch } from './order-changes.js';
import { nextReference } from './order-references.js';
import { operationOf } from './partner-operations.js';
import { announce, loadPayment, stageChange } from './payment-store.js';
import { currentKeyIn } from './service-keys.js';

/** Amounts without a currency are in that of the order, and `settledMinor` in BRL. */
export type DeskRequest =
  | Exclude<MoneyAction, { readonly found: 'paid' }>
  | {
      readonly verb: 'resolve';
      readonly found: 'paid';
      readonly settledMinor: bigint;
      readonly feesMinor: bigint;
      readonly endToEndId: string;
    };

export interface DeskCommand {
  readonly itemId: string;
  readonly request: DeskRequest;
  readonly evidence: string;
  readonly operator: string;
  /** Replaces another proposal for the item. */
  readonly replace: boolean;
}

/**
 * `waiting`: the same operator proposed it before. `repeated`: it was executed before. Both change
 * nothing.
 */
export interface DeskOutcome {
  readonly kind: 'done' | 'proposed' | 'waiting' | 'repeated';
  readonly decision: MoneyDecision;
  /** A proposal that is over: void if the item has changed since, else replaced. */
  readonly ended: MoneyDecision | null;
}

/**
 * Proposes a decision in live mode, confirms that of another operator, or executes it in test mode.
 * NotFound, ValidationError; DecisionNotAllowed if the item or another proposal is in its way.
 */
export async function decideMoney(deps: Deps, command: DeskCommand): Promise<DeskOutcome> {
  const asked = {
    ...command,
    evidence: checked('evidence', command.evidence, EVIDENCE_LENGTH_MAX),
    operator: checked('operator', command.operator, OPERATOR_LENGTH_MAX),
  };
  const { outcome, after } = await deps.store.run(async (tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    return decideIn(batch, asked);
  });
  after();
  return outcome;
}

interface Decided {
  readonly outcome: DeskOutcome;
  /** To be called after the batch is stored. */
  readonly after: () => void;
}

async function decideIn(batch: Batch, command: DeskCommand): Promise<Decided> {
  const { deps, tx, nowMs } = batch;
  const item = await tx.commands.get(command.itemId);
  if (item === null) throw new PonteError('NotFound');
  const known = await tx.decisions.ofItem(item.id);
  const problem = problemOf(command.request, item);
  if (problem !== null || !isMoneyCommand(item)) {
    const action = isMoneyCommand(item) ? actionOf(command.request, item) : null;
    const last = action && repeated({ ...command, action }, known);
    if (last !== null) return unchanged({ kind: 'repeated', decision: last, ended: null });
    throw new PonteError('DecisionNotAllowed', problem ?? undefined);
  }
  const action = actionOf(command.request, item);
  await checkFigures(tx, action, item);
  const basis = basisOf(item);
  const id = deps.ids.next('dec', nowMs);
  const ruling = ruleOf({ ...command, action, basis }, known, item, id, nowMs);
  return applyRuling(batch, ruling, known, () => stageEffect(batch, action, item));
}

async function applyRuling(
  { tx }: Batch,
  ruling: DecisionRuling,
  known: readonly MoneyDecision[],
  effect: () => Promise<() => void>,
): Promise<Decided> {
  const { kind, decision } = ruling;
  switch (kind) {
    case 'differs':
      throw new PonteError('DecisionNotAllowed', differsText(decision));
    case 'waits':
      return unchanged({ kind: 'waiting', decision, ended: null });
    case 'propose':
    case 'execute': {
      const after = kind === 'execute' ? await effect() : () => undefined;
      const { ended } = ruling;
      if (ended !== null) tx.decisions.update(ended);
      if (known.some(({ id }) => id === decision.id)) tx.decisions.update(decision);
      else tx.decisions.insert(decision);
      const outcome = kind === 'execute' ? 'done' : 'proposed';
      return { outcome: { kind: outcome, decision, ended }, after };
    }
  }
}

function unchanged(outcome: DeskOutcome): Decided {
  return { outcome, after: () => undefined };
}

function differsText({ proposedBy, proposedAtMs, basis }: MoneyDecision): string {
  const since = formatInstant(proposedAtMs);
  return (
    `${proposedBy} proposed another decision about it at ${since} (${basis}). Confirm that one ` +
    '(ponte money list shows the command), or add --replace.'
  );
}

/** Why the item does not allow this; null if it does. */
function problemOf({ verb }: DeskRequest, item: PartnerCommand): string | null {
  if (!isMoneyCommand(item)) return `${item.id} is no order about money.`;
  return verb === 'refund' ? refundProblem(item) : resolveProblem(item);
}

function refundProblem(item: MoneyCommand): string | null {
  const { id, kind, state, end, review } = item;
  if (kind !== 'refund') return `${id} is a ${kind}, not a refund.`;
  if (review !== null) return `A report about ${id} is under review. ${reviewHint(item)}`;
  if (isRefundableByHand(item)) return null;
  if (state === 'void') return `The refund ${id} is withdrawn: it is not owed, or another one is.`;
  if (state === 'done' && end === 'completed') return `The refund ${id} is paid.`;
  return (
    `The partner has or may have the refund ${id}. Wait for its outcome; ` +
    `ponte commands retry ${id} asks now.`
  );
}

function resolveProblem(item: MoneyCommand): string | null {
  const { id, kind, state, end, review } = item;
  if (isPayoutOutOfSight(item)) return null;
  if (review !== null) return `A report about ${id} is under review. ${reviewHint(item)}`;
  if (kind !== 'payout') return `${id} is a ${kind}: only a payout out of sight is resolved.`;
  return `The payout ${id} is not out of sight: it is ${state}/${end}.`;
}

function reviewHint({ id }: MoneyCommand): string {
  return `Read it: ponte commands list --stuck. Then ponte commands accept ${id}.`;
}

function actionOf(request: DeskRequest, item: MoneyCommand): MoneyAction {
  if (request.verb !== 'resolve' || request.found !== 'paid') return request;
  const { settledMinor, feesMinor } = request;
  return {
    ...{ verb: 'resolve', found: 'paid' },
    settled: money(settledMinor, 'BRL'),
    fees: money(feesMinor, item.amount.currency),
    endToEndId: checked('end-to-end id', request.endToEndId, OPERATOR_LENGTH_MAX),
  };
}

/** The figures of a person pass the check of a report. ValidationError. */
async function checkFigures(tx: Tx, action: MoneyAction, item: MoneyCommand): Promise<void> {
  if (action.verb !== 'resolve') return;
  const tenant = tenantOf(item);
  const payment = await tx.payments.get(tenant, item.paymentId);
  const quoteId = payment?.quoteId ?? null;
  const quote = quoteId === null ? null : await tx.quotes.get(tenant, quoteId);
  const problem = payoutProblem(item, payoutReport(action, item.amount), quote);
  if (problem === null) return;
  throw new PonteError('ValidationError', `The figures are not plausible: ${problem.text}.`);
}

type PayoutFound = Extract<MoneyAction, { readonly verb: 'resolve' }>;

/** What the partner would report. */
function payoutReport(action: PayoutFound, amount: Money): PayoutReport {
  const nothing = { settled: null, fxRate: null, fees: null, endToEndId: null, reason: null };
  if (action.found === 'returned') return { ...nothing, status: 'returned' };
  const { settled, fees, endToEndId } = action;
  const converted = { ...amount, amountMinor: amount.amountMinor - fees.amountMinor };
  const rate = rateBetween(converted, settled);
  const fxRate = rate === null ? null : formatRate(rate);
  return { ...nothing, status: 'completed', settled, fees, fxRate, endToEndId };
}

/** Returns what is to be called after the batch is stored. */
async function stageEffect(
  batch: Batch,
  action: MoneyAction,
  item: MoneyCommand,
): Promise<() => void> {
  if (action.verb === 'refund') return stagePaidByHand(batch, item);
  const { id, reference, partnerRef, amount, version, end } = item;
  assert(partnerRef !== null, `the payout ${id} was accepted`);
  const report = payoutReport(action, amount);
  const fact = { kind: 'payout', reference, partnerRef, report } as const;
  const overruled = action.found === 'paid' && end === 'failed' ? end : item.overruled;
  const alsoChange = <C extends PartnerCommand>(next: C): C => ({ ...next, overruled });
  const source = { polledVersion: version, alsoChange };
  const staged = await operationOf(item).onReport(batch, item, fact, source);
  return staged.announce;
}

async function stagePaidByHand(batch: Batch, refund: MoneyCommand): Promise<() => void> {
  const { deps, tx, nowMs } = batch;
  const tenant = tenantOf(refund);
  const was = await loadPayment(tx, tenant, refund.paymentId);
  const orders = await tx.commands.ofPayment(tenant, refund.paymentId);
  const { bytes } = await currentKeyIn(deps, tx, 'partner');
  const reference = nextReference(bytes, was.payment, orders, refund);
  const name = { id: deps.ids.next('cmd', nowMs), reference };
  const { ended, draft, paid } = paidByHand(refund, name, nowMs);
  const change = ordersChanged(was, [...orders, draft], [ended, paid], nowMs);
  const stored = await stageChange(deps, tx, was, change, [draft]);
  return () => announce(deps, stored);
}

/** One line of text. ValidationError. */
function checked(name: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  const isFit = trimmed !== '' && trimmed.length <= lengthMax && !/\p{Cc}/u.test(trimmed);
  if (isFit) return trimmed;
  throw new PonteError(
    'ValidationError',
    `${name}: give 1 to ${lengthMax} characters on one line.`,
  );
}
