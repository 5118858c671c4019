// What operators can decide about a command to the partner, a deposit, or the loss of a payment:
// why it is refused, and what it stages. The effect on a command is that of a report of the
// partner.
import {
  formatRate,
  type Money,
  money,
  parseAmount,
  rateBetween,
} from '../../domain/base/money.js';
import { tenantOf } from '../../domain/base/tenant.js';
import {
  isMoneyCommand,
  type MoneyCommand,
  type PartnerCommand,
  paidByHand,
  replacedRefund,
} from '../../domain/commands/partner-command.js';
import { type PayoutReport, payoutProblem } from '../../domain/commands/report-check.js';
import type { SettlementFacts } from '../../domain/commands/settlement.js';
import type { Deposit } from '../../domain/deposits/deposit.js';
import {
  type DecisionName,
  type DeskSubject,
  decisionFor,
  decisionOf,
  type GivenInputs,
  inputs,
  isAmount,
  type MoneyAction,
  type MoneyVerb,
  type PaidAction,
  type VerbOf,
} from '../../domain/money-desk/decisions.js';
import { type Basis, basisOf, type Touched } from '../../domain/money-desk/money-decision.js';
import type { ProposedAction } from '../../domain/money-desk/proposal.js';
import { isServiceAction, type ServiceAction } from '../../domain/money-desk/service-decisions.js';
import type { PaymentAggregate } from '../../domain/payments/change.js';
import { commandsChanged, payoutPaidByHand } from '../../domain/payments/command-outcomes.js';
import { lossWrittenOff } from '../../domain/payments/payment-transitions.js';
import { assert, invalid, PonteError } from '../../errors.js';
import type { Tx } from '../../ports/storage.js';
import { operationOf } from '../commands/partner-operations.js';
import {
  expectAssignable,
  expectUndecided,
  stageAssignment,
  stageRefund,
  stageResolution,
  stageWithdrawal,
} from '../deposits/deposits.js';
import { loadPaymentCommands, stagePayoutDecided } from '../payments/command-changes.js';
import { nextReference } from '../payments/command-references.js';
import { announce, loadPayment, stageChange } from '../payments/payment-store.js';
import { currentDestination } from '../payments/payments.js';
import type { Batch } from '../service/batch.js';
import { currentKeyIn } from '../service/service-keys.js';
import { type DeskItem, type DeskRequest, readServiceItem } from './service-items.js';

type MoneyRequest = Exclude<DeskRequest, ServiceAction>;

/** NotFound. */
export async function readItem(
  { tx, nowMs }: Pick<Batch, 'tx' | 'nowMs'>,
  id: string,
  request: DeskRequest,
): Promise<DeskItem> {
  if (isServiceAction(request)) return readServiceItem({ tx, nowMs }, id, request);
  const [command, deposit, payment] = await Promise.all([
    tx.commands.get(id),
    tx.deposits.get(id),
    tx.payments.find(id),
  ]);
  if (deposit !== null) return depositItem(tx, deposit, request);
  if (payment !== null) {
    const tenant = tenantOf(payment);
    const stored = await loadPayment(tx, tenant, id);
    return lossItem(stored, await tx.commands.ofPayment(tenant, id), request);
  }
  if (command === null) throw new PonteError('NotFound');
  if (isMoneyCommand(command)) return commandItem({ tx, nowMs }, command, request);
  throw new PonteError('DecisionNotAllowed', `${id} is no command about money.`);
}

/** What an operator gave for a decision, as a request. ValidationError. */
export function requestFor(
  verb: DecisionName,
  given: GivenInputs,
  readAmount = parseAmount,
): DeskRequest {
  const entries = decisionOf(verb).inputs?.map((input) => {
    const text = (given[input] ?? '').trim();
    const value = isAmount(input) ? readAmount(text) : text;
    if (value !== null && value !== '') return [inputs[input].field, value];
    const example = isAmount(input) ? 'an amount, for example 100.00' : 'it';
    throw invalid(`${input}: give ${example}.`);
  });
  return { verb, ...Object.fromEntries(entries ?? []) } as DeskRequest;
}

/** The request that leads to this action. */
export function requestOfAction(action: ProposedAction): DeskRequest {
  if (!('settled' in action)) return action;
  const { verb, settled, fees, endToEndId } = action;
  return { verb, settledMinor: settled.amountMinor, feesMinor: fees.amountMinor, endToEndId };
}

function actionOf(request: MoneyRequest, verb: MoneyVerb, currency: string): MoneyAction {
  if (!('settledMinor' in request)) return { ...request, verb } as MoneyAction;
  const { settledMinor, feesMinor, endToEndId } = request;
  const [settled, fees] = [money(settledMinor, 'BRL'), money(feesMinor, currency)];
  return { verb: verb as PaidAction['verb'], settled, fees, endToEndId };
}

/** What a decision about an item does. `check` fails if it is not possible. */
interface Effect<T, A = MoneyAction> {
  check?(batch: Batch, item: T, action: A): Promise<unknown>;
  stage(batch: Batch, item: T, action: A): Promise<{ readonly announce: () => void }>;
}

/** Each decision of the table about one of these subjects has an effect. */
type Effects<K extends DeskSubject, T> = {
  readonly [V in VerbOf<K>]: Effect<T, Extract<MoneyAction, { readonly verb: V }>>;
};

const free = (batch: Batch, deposit: Deposit) => expectUndecided(batch.tx, deposit);

const ofDeposit: Effects<'deposit' | 'withdrawal', Deposit> = {
  assign: {
    check: (batch, deposit, { paymentId }) => expectAssignable(batch, deposit, paymentId),
    stage: (batch, deposit, { paymentId }) => stageAssignment(batch, deposit, paymentId),
  },
  refund: { check: free, stage: stageRefund },
  otherwise: { check: free, stage: stageResolution },
  withdrawn: { check: free, stage: stageWithdrawal },
};

const ofCommand: Effects<'payout' | 'refund', MoneyCommand> = {
  refund: { stage: (batch, refund) => stagePaidByHand(batch, refund, null) },
  refund_buyer: { stage: (batch, payout) => stageDecided(batch, payout, 'buyer') },
  pay_again: {
    check: ({ tx, nowMs }, payout) => destinationNow(tx, payout, nowMs),
    stage: (batch, payout) => stageDecided(batch, payout, 'seller'),
  },
  returned: { check: checkFigures, stage: stageFound },
  paid: { check: checkFigures, stage: stageFound },
  paid_by_hand: { check: checkFigures, stage: stagePaidByHand },
};

const ofPayment: Effects<'lost', PaymentAggregate> = {
  write_off: {
    async stage({ deps, tx }, stored) {
      const done = await stageChange(deps, tx, stored, lossWrittenOff(stored));
      return { announce: () => announce(deps, done) };
    },
  },
};

/** `effects` are those of the subject: without one, `problem` says that it is not about it. */
function deskItem<T extends Pick<DeskItem, 'mode'> & { readonly orgId: string | null }>(
  of: T,
  item: Pick<DeskItem, 'problem'> & { readonly action: MoneyAction; readonly basis: Basis },
  effects: Readonly<Partial<Record<MoneyVerb, unknown>>>,
  subject: unknown = of,
): DeskItem {
  const effect = effects[item.action.verb] as Effect<unknown> | undefined;
  return {
    orgId: of.orgId,
    mode: of.mode,
    ...item,
    check: async (batch) => void (await effect?.check?.(batch, subject, item.action)),
    async stage(batch) {
      assert(effect !== undefined, 'a decision that its item allows has an effect');
      return (await effect.stage(batch, subject, item.action)).announce;
    },
  };
}

async function commandItem(
  { tx, nowMs }: Pick<Batch, 'tx' | 'nowMs'>,
  command: MoneyCommand,
  request: MoneyRequest,
): Promise<DeskItem> {
  const { id, kind } = command;
  const { verb, touches, problem } = decisionFor(request.verb, kind, command, id);
  const payment = await loadPayment(tx, tenantOf(command), command.paymentId);
  const destination = touches.includes('destination')
    ? await destinationNow(tx, command, nowMs).catch(nullIfNotReady)
    : null;
  const item = {
    action: actionOf(request, verb, command.amount.currency),
    basis: basisOf(touches, { command, payment, destination } as Touched),
    problem,
  };
  return deskItem(command, item, ofCommand);
}

function nullIfNotReady(error: unknown): null {
  if (error instanceof PonteError && error.code === 'SellerNotReady') return null;
  throw error;
}

/** SellerNotReady. */
async function destinationNow(tx: Tx, payout: MoneyCommand, nowMs: number): Promise<string> {
  const payment = await tx.payments.get(tenantOf(payout), payout.paymentId);
  assert(payment !== null, 'a payment stays');
  return currentDestination(tx, payment, nowMs);
}

async function depositItem(tx: Tx, deposit: Deposit, request: MoneyRequest): Promise<DeskItem> {
  const subject = deposit.book === 'payin' ? 'deposit' : 'withdrawal';
  const { verb, touches, problem } = decisionFor(request.verb, subject, deposit, deposit.id);
  const action = actionOf(request, verb, deposit.amount.currency);
  const isAssigned = 'paymentId' in action && problem === null;
  const payment = isAssigned ? await paymentFor(tx, deposit, action.paymentId) : null;
  const touched = { deposit, payment } as Touched;
  const basis = basisOf(problem === null ? touches : ['deposit'], touched);
  return deskItem(deposit, { action, basis, problem }, ofDeposit);
}

/** NotFound, also for a payment of another mode. */
async function paymentFor(tx: Tx, { mode }: Deposit, id: string): Promise<PaymentAggregate> {
  const found = await tx.payments.find(id);
  if (found?.mode === mode) return loadPayment(tx, tenantOf(found), found.id);
  throw new PonteError('NotFound', `There is no payment ${id} in ${mode} mode.`);
}

function lossItem(
  stored: PaymentAggregate,
  commands: readonly MoneyCommand[],
  request: MoneyRequest,
): DeskItem {
  const { payment, funds } = stored;
  const { verb, problem } = decisionFor(request.verb, 'lost', { ...stored, commands }, payment.id);
  const basis = basisOf(['payment'], { payment: stored });
  const action = actionOf(request, verb, funds.currency);
  return deskItem(payment, { action, basis, problem }, ofPayment, stored);
}

/**
 * A rate that is further off the quote's is a typing error: what is off was seen by an operator.
 */
const FIGURES_OFF_PERCENT_MAX = 25;

type FoundAction = PaidAction | { readonly verb: 'returned' };

/** The figures of an operator pass the check of a report. ValidationError. */
async function checkFigures(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  item: MoneyCommand,
  action: FoundAction,
): Promise<void> {
  const tenant = tenantOf(item);
  const payment = await tx.payments.get(tenant, item.paymentId);
  const quoteId = payment?.quoteId ?? null;
  const quote = quoteId === null ? null : await tx.quotes.get(tenant, quoteId);
  const report = payoutReport(action, item.amount);
  const limits = { ...deps.settings.drift, waitPercent: FIGURES_OFF_PERCENT_MAX };
  const problem = payoutProblem(item, report, quote, limits);
  if (problem === null) return;
  throw invalid(`The figures are not plausible: ${problem.text}.`);
}

/** What the partner would report. */
function payoutReport(action: FoundAction, amount: Money): PayoutReport {
  const nothing = { settled: null, fxRate: null, fees: null, endToEndId: null, reason: null };
  if (!('settled' in action)) return { ...nothing, status: 'returned' };
  const { settled, fees, endToEndId } = action;
  const fxRate = rateOf(action, amount);
  return { ...nothing, status: 'completed', settled, fees, fxRate, endToEndId };
}

/** Null if the figures give none. */
function rateOf({ settled, fees }: PaidAction, amount: Money): string | null {
  const converted = { ...amount, amountMinor: amount.amountMinor - fees.amountMinor };
  const rate = rateBetween(converted, settled);
  return rate === null ? null : formatRate(rate);
}

function factsOf(action: PaidAction, amount: Money): SettlementFacts {
  const { settled, fees, endToEndId } = action;
  const fxRate = rateOf(action, amount);
  assert(fxRate !== null, 'the figures of a person pass the check of a report');
  return { settled, fees, fxRate, endToEndId };
}

async function stageFound(
  batch: Batch,
  item: MoneyCommand,
  action: FoundAction,
): Promise<{ readonly announce: () => void }> {
  const { id, reference, partnerRef, amount, version, end } = item;
  assert(partnerRef !== null, `the payout ${id} was accepted`);
  const report = payoutReport(action, amount);
  const fact = { kind: 'payout', reference, partnerRef, report } as const;
  const overruled = 'settled' in action && end === 'failed' ? end : item.overruled;
  const alsoChange = <C extends PartnerCommand>(next: C): C => ({ ...next, overruled });
  const source = { polledVersion: version, alsoChange };
  return operationOf(item).onReport(batch, item, fact, source);
}

async function stageDecided(
  batch: Batch,
  payout: MoneyCommand,
  to: 'buyer' | 'seller',
): Promise<{ readonly announce: () => void }> {
  const { tx, nowMs } = batch;
  const destination = to === 'seller' ? await destinationNow(tx, payout, nowMs) : null;
  const { staged } = await stagePayoutDecided(batch, payout, to, destination);
  return staged;
}

/** `settlement` is what the seller of a payout has; null for a refund. */
async function stagePaidByHand(
  batch: Batch,
  item: MoneyCommand,
  settlement: PaidAction | null,
): Promise<{ readonly announce: () => void }> {
  const { deps, tx, nowMs } = batch;
  const { was, commands } = await loadPaymentCommands(tx, item);
  const { bytes } = await currentKeyIn(deps, tx, 'partner');
  const reference = nextReference(bytes, was.payment, commands, item);
  const name = { id: deps.ids.next('cmd', nowMs), reference };
  const byHand = paidByHand(item, name, nowMs);
  const { draft, paid } = byHand;
  const change =
    settlement === null
      ? commandsChanged(was, [...commands, draft], [replacedRefund(item, nowMs), paid], nowMs)
      : payoutPaidByHand(was, commands, item, byHand, factsOf(settlement, item.amount), nowMs);
  const stored = await stageChange(deps, tx, was, change, [draft]);
  return { announce: () => announce(deps, stored) };
}
