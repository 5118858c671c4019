// What operators can decide about a command to the partner, a deposit, or the loss of a payment:
// why it is refused, and what it stages. The effect on a command is that of a report of the
// partner.
import { formatRate, type Money, money, rateBetween } from '../../domain/base/money.js';
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
import { type Deposit, type DepositState, isUnmatched } from '../../domain/deposits/deposit.js';
import {
  type Basis,
  basisOf,
  isPayoutBack,
  isPayoutDecidable,
  isRefundableByHand,
  isResolvable,
  type MoneyAction,
} from '../../domain/money-desk/money-decision.js';
import {
  isServiceAction,
  type ProposedAction,
  type ServiceAction,
} from '../../domain/money-desk/proposal.js';
import type { PaymentAggregate } from '../../domain/payments/change.js';
import { commandsChanged, payoutPaidByHand } from '../../domain/payments/command-outcomes.js';
import { openLossOf } from '../../domain/payments/funds.js';
import { lossWrittenOff } from '../../domain/payments/payment-transitions.js';
import { assert, PonteError } from '../../errors.js';
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

type PaidAction = Extract<MoneyAction, { readonly found: 'paid' }>;
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
  if (isMoneyCommand(command)) {
    return commandItem({ tx, nowMs }, command, request);
  }
  throw new PonteError('DecisionNotAllowed', `${id} is no command about money.`);
}

/** The request that leads to this action. */
export function requestOf(action: ProposedAction): DeskRequest {
  if (isServiceAction(action) || action.verb !== 'resolve' || action.found !== 'paid')
    return action;
  const { settled, fees, ...of } = action;
  return { ...of, settledMinor: settled.amountMinor, feesMinor: fees.amountMinor };
}

async function commandBasis(
  { tx, nowMs }: Pick<Batch, 'tx' | 'nowMs'>,
  command: MoneyCommand,
  { verb }: MoneyAction,
): Promise<Basis> {
  const payment = await loadPayment(tx, tenantOf(command), command.paymentId);
  const touched = { command, payment };
  if (command.kind !== 'payout') return basisOf('refund refund', touched);
  if (verb === 'resolve') return basisOf('resolve payout', touched);
  const destination = await destinationNow(tx, command, nowMs).catch((error: unknown) => {
    if (error instanceof PonteError && error.code === 'SellerNotReady') return null;
    throw error;
  });
  const name = verb === 'pay-again' ? 'pay-again payout' : 'refund payout';
  return basisOf(name, { ...touched, destination });
}

/** SellerNotReady. */
async function destinationNow(tx: Tx, payout: MoneyCommand, nowMs: number): Promise<string> {
  const payment = await tx.payments.get(tenantOf(payout), payout.paymentId);
  assert(payment !== null, 'a payment stays');
  return currentDestination(tx, payment, nowMs);
}

async function depositItem(tx: Tx, deposit: Deposit, request: MoneyRequest): Promise<DeskItem> {
  const { orgId, mode } = deposit;
  const action = actionOf(request, deposit.amount.currency);
  const problem = depositProblem(deposit, action);
  const stages = {
    assign: async (batch: Batch) =>
      action.verb === 'assign' ? stageAssignment(batch, deposit, action.paymentId) : null,
    refund: (batch: Batch) => stageRefund(batch, deposit),
    resolve: (batch: Batch) =>
      deposit.book === 'payout' && action.verb === 'resolve' && action.found === 'withdrawn'
        ? stageWithdrawal(batch, deposit)
        : stageResolution(batch, deposit),
    'pay-again': async () => null,
    'write-off': async () => null,
  } as const;
  return {
    orgId,
    mode,
    basis: await depositBasis(tx, deposit, action, problem === null),
    action,
    problem,
    async check(batch) {
      if (action.verb === 'assign') await expectAssignable(batch, deposit, action.paymentId);
      else await expectUndecided(batch.tx, deposit);
    },
    async stage(batch) {
      const staged = await stages[action.verb](batch);
      assert(staged !== null, 'each verb stages its action');
      return staged.announce;
    },
  };
}

/** NotFound, also for a payment of another mode. */
async function depositBasis(
  tx: Tx,
  deposit: Deposit,
  action: MoneyAction,
  isPossible: boolean,
): Promise<Basis> {
  if (action.verb !== 'assign' || !isPossible) {
    const name = action.verb === 'resolve' ? 'resolve deposit' : 'refund deposit';
    return basisOf(name, { deposit });
  }
  const found = await tx.payments.find(action.paymentId);
  if (found === null || found.mode !== deposit.mode) {
    const message = `There is no payment ${action.paymentId} in ${deposit.mode} mode.`;
    throw new PonteError('NotFound', message);
  }
  const payment = await loadPayment(tx, tenantOf(found), found.id);
  return basisOf('assign deposit', { deposit, payment });
}

const depositTexts: Readonly<Record<DepositState, string>> = {
  waiting: 'is not here yet: the partner has not completed it',
  assigned: 'is assigned to a payment',
  returned: 'went back: the partner returned it',
  refunded: 'was paid back',
  resolved: 'was settled otherwise',
  withdrawn: 'was withdrawn by the operator',
};

const onlyLosses = ': only the loss of a payment is written off.';

function depositProblem(deposit: Deposit, action: MoneyAction): string | null {
  const { id, state, paymentId, rule } = deposit;
  if (!isUnmatched(deposit)) {
    const by = rule === null ? '' : ` by the rule "${rule}"`;
    const to = paymentId === null ? '' : `, ${paymentId}${by}`;
    return `The money of ${id} ${depositTexts[state]}${to}.`;
  }
  if (action.verb === 'pay-again') return `${id} is a deposit: only a payout is paid again.`;
  if (action.verb === 'write-off') return `${id} is a deposit${onlyLosses}`;
  const found = action.verb === 'resolve' ? action.found : null;
  if (deposit.book === 'payin') {
    const isFit = found === null || found === 'otherwise';
    return isFit ? null : `${id} is a deposit: it is resolved --as otherwise.`;
  }
  if (action.verb === 'refund') return `${id} is a withdrawal: nobody paid it in.`;
  const isFit = found === null || found === 'otherwise' || found === 'withdrawn';
  return isFit ? null : `${id} is a withdrawal: it is resolved --as withdrawn or otherwise.`;
}

function lossItem(
  stored: PaymentAggregate,
  commands: readonly MoneyCommand[],
  request: MoneyRequest,
): DeskItem {
  const { orgId, mode } = stored.payment;
  const { funds } = stored;
  return {
    orgId,
    mode,
    basis: basisOf('write-off payment', { payment: stored }),
    action: actionOf(request, funds.currency),
    problem: lossProblem(stored, commands, request),
    check: async () => undefined,
    async stage({ deps, tx }) {
      const done = await stageChange(deps, tx, stored, lossWrittenOff(stored));
      return () => announce(deps, done);
    },
  };
}

function lossProblem(
  { payment: { id }, funds }: PaymentAggregate,
  commands: readonly MoneyCommand[],
  { verb }: MoneyRequest,
): string | null {
  if (verb !== 'write-off') return `${id} is a payment: only its loss is written off.`;
  if (openLossOf(funds).amountMinor === 0n) return `${id} has no loss, or it is written off.`;
  const back = commands.find(isPayoutBack);
  if (back === undefined) return null;
  return `The payout ${back.id} came back: decide about it first, its money may cover the loss.`;
}

async function commandItem(
  { tx, nowMs }: Pick<Batch, 'tx' | 'nowMs'>,
  command: MoneyCommand,
  request: MoneyRequest,
): Promise<DeskItem> {
  const { orgId, mode } = command;
  const asked = actionOf(request, command.amount.currency);
  const isOfPayout = asked.verb === 'refund' && command.kind === 'payout';
  const action: MoneyAction = isOfPayout ? { ...asked, of: 'payout' } : asked;
  return {
    orgId,
    mode,
    basis: await commandBasis({ tx, nowMs }, command, action),
    action,
    problem: commandProblem(command, action),
    async check(batch) {
      if (action.verb === 'pay-again') await destinationNow(batch.tx, command, batch.nowMs);
      await checkFigures(batch, action, command);
    },
    stage: (batch) => stageCommandAction(batch, action, command),
  };
}

function actionOf(request: MoneyRequest, currency: string): MoneyAction {
  if (request.verb !== 'resolve' || request.found !== 'paid') return request;
  const { settledMinor, feesMinor, ...of } = request;
  return { ...of, settled: money(settledMinor, 'BRL'), fees: money(feesMinor, currency) };
}

function commandProblem(command: MoneyCommand, action: MoneyAction): string | null {
  switch (action.verb) {
    case 'assign':
      return `${command.id} is a command to the partner: only a deposit is assigned.`;
    case 'refund':
      return action.of === 'payout' ? whyNotPayableAgain(command) : whyNotRefundable(command);
    case 'pay-again':
      return whyNotPayableAgain(command);
    case 'write-off':
      return `${command.id} is a command to the partner${onlyLosses}`;
    case 'resolve':
      if (isOfDeposit(action))
        return `${command.id} is a command to the partner: it is resolved --as returned or paid.`;
      return isByHand(action) ? whyNotPayableAgain(command) : whyNotResolvable(command);
  }
}

function whyNotPayableAgain(item: MoneyCommand): string | null {
  const { id, kind, state, end, review } = item;
  if (kind !== 'payout') return `${id} is a ${kind}: only a payout is paid again.`;
  if (review !== null) return `A report about ${id} is under review. ${reviewHint(item)}`;
  if (isPayoutDecidable(item)) return null;
  return `The partner has or may have the payout ${id}, or it is on its way: ${state}/${end}.`;
}

function whyNotRefundable(item: MoneyCommand): string | null {
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

function whyNotResolvable(item: MoneyCommand): string | null {
  const { id, kind, state, end, review } = item;
  if (isResolvable(item)) return null;
  if (review !== null) return `A report about ${id} is under review. ${reviewHint(item)}`;
  if (kind !== 'payout') return `${id} is a ${kind}: only a payout in review is resolved.`;
  return `The payout ${id} is not in review: it is ${state}/${end}.`;
}

function reviewHint({ id }: MoneyCommand): string {
  return `Read it: ponte commands list --stuck. Then ponte commands accept ${id}.`;
}

/** A rate that is further off the quote's is a typing error: what is off was seen by a person. */
const FIGURES_OFF_PERCENT_MAX = 25;

/** The figures of a person pass the check of a report. ValidationError. */
async function checkFigures(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  action: MoneyAction,
  item: MoneyCommand,
): Promise<void> {
  if (!isPayoutFound(action)) return;
  const tenant = tenantOf(item);
  const payment = await tx.payments.get(tenant, item.paymentId);
  const quoteId = payment?.quoteId ?? null;
  const quote = quoteId === null ? null : await tx.quotes.get(tenant, quoteId);
  const report = payoutReport(action, item.amount);
  const limits = { ...deps.settings.drift, waitPercent: FIGURES_OFF_PERCENT_MAX };
  const problem = payoutProblem(item, report, quote, limits);
  if (problem === null) return;
  throw new PonteError('ValidationError', `The figures are not plausible: ${problem.text}.`);
}

function isByHand(action: MoneyAction): action is PaidAction & { readonly by: 'hand' } {
  return action.verb === 'resolve' && action.found === 'paid' && action.by === 'hand';
}

type PayoutFound = PaidAction | { readonly verb: 'resolve'; readonly found: 'returned' };

function isPayoutFound(action: MoneyAction): action is PayoutFound {
  return action.verb === 'resolve' && !isOfDeposit(action);
}

function isOfDeposit(action: MoneyAction): boolean {
  if (action.verb !== 'resolve') return false;
  return action.found === 'otherwise' || action.found === 'withdrawn';
}

/** What the partner would report. */
function payoutReport(action: PayoutFound, amount: Money): PayoutReport {
  const nothing = { settled: null, fxRate: null, fees: null, endToEndId: null, reason: null };
  if (action.found === 'returned') return { ...nothing, status: 'returned' };
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

async function stageCommandAction(
  batch: Batch,
  action: MoneyAction,
  item: MoneyCommand,
): Promise<() => void> {
  if (action.verb === 'pay-again') return stageDecided(batch, item, 'seller');
  if (action.verb === 'refund') {
    return action.of === 'payout'
      ? stageDecided(batch, item, 'buyer')
      : stagePaidByHand(batch, item, null);
  }
  assert(isPayoutFound(action), 'only a payout is resolved');
  if (isByHand(action)) return stagePaidByHand(batch, item, action);
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

async function stageDecided(
  batch: Batch,
  payout: MoneyCommand,
  to: 'buyer' | 'seller',
): Promise<() => void> {
  const { tx, nowMs } = batch;
  const destination = to === 'seller' ? await destinationNow(tx, payout, nowMs) : null;
  const { staged } = await stagePayoutDecided(batch, payout, to, destination);
  return staged.announce;
}

/** `settlement` is what the seller of a payout has; null for a refund. */
async function stagePaidByHand(
  batch: Batch,
  item: MoneyCommand,
  settlement: PaidAction | null,
): Promise<() => void> {
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
  return () => announce(deps, stored);
}
