// Reconciles a restored database with the partner. The partner may have commands that have no row.
// Their references follow from what is ordered (command-references.ts), so the check looks for the
// stored commands and those that the restored state would make next: in the partner's books
// (lost-entries.ts), or one by one if it lists none. It runs in quarantine, page by page, and
// resumes where it was interrupted.
//
// A partner that lists no books is asked about each command, until ten numbers in a row are absent.
// A partner may store no reference with a pay-in: it is found by its quote, and if the quote was
// lost too, it becomes a deposit. A lost payout that is found takes the one deposit of its amount.
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  isMoneyCommand,
  isOpen,
  type MoneyCommand,
  type MoneyKind,
  moneyKinds,
  newCommand,
  voidCommand,
} from '../../domain/commands/partner-command.js';
import { refundAmountProblem } from '../../domain/commands/report-check.js';
import { isPayoutBack } from '../../domain/money-desk/money-decision.js';
import { sumsOf } from '../../domain/payments/funds.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type {
  AcceptedCommand,
  PartnerAnswer,
  PartnerEntry,
  PartnerFact,
  SettlementPartner,
} from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { requestOf } from '../commands/command-calls.js';
import { applyPartnerUpdate } from '../commands/partner-inbox.js';
import { operationOf } from '../commands/partner-operations.js';
import type { PartnerCall } from '../deposits/books.js';
import { isBehind } from '../deposits/our-rows.js';
import { readReview, storeStaged } from '../payments/command-changes.js';
import { commandReference, commandSubject } from '../payments/command-references.js';
import { loadPayment } from '../payments/payment-store.js';
import { currentEpoch } from '../service/epochs.js';
import { currentKey } from '../service/service-keys.js';
import { type LostEntries, readLost } from './lost-entries.js';

const PAYMENTS_PER_PAGE = 50;
/** Payments that are checked at a time. */
const PAYMENTS_AT_ONCE = 8;

/** Absent numbers in a row after which the search stops: a refused or void command leaves a gap. */
const ABSENT_MAX = 10;

export interface CheckedPayment extends Tenant {
  readonly paymentId: string;
  /** The status before and after. */
  readonly was: string;
  readonly is: string;
  /** Commands of the partner that had no row. */
  readonly adopted: readonly MoneyKind[];
  /** Reports under review. */
  readonly differs: readonly string[];
  /** What could not be looked up, and why. */
  readonly missed: readonly string[];
}

interface CheckCounts {
  readonly payments: number;
  /** With a new command or status. */
  readonly learned: number;
  /** With a report under review. */
  readonly differing: number;
  /** With a failed look-up. */
  readonly missed: number;
}

export interface CheckResult extends CheckCounts {
  /** Received pay-ins of the books that are no command's: they wait at the money desk. */
  readonly deposits: number;
  /** Payouts of the books that no payment here ordered: the backup lacks the payment. */
  readonly unknownPayouts: number;
  /** Entries of the books that could not be read. */
  readonly unreadable: number;
}

interface Progress extends CheckCounts {
  /** The last payment that was checked. */
  readonly after: (Tenant & { readonly paymentId: string }) | null;
}

const nothing: Progress = { payments: 0, learned: 0, differing: 0, missed: 0, after: null };

export function isCheckComplete(counts: Pick<CheckResult, 'missed' | 'unreadable'>): boolean {
  return counts.missed === 0 && counts.unreadable === 0;
}

/**
 * Returns the counts of the whole check. NotQuarantined;
 * PartnerUnavailable if the partner's books cannot be read.
 */
export async function checkRestored(
  given: Deps,
  report: (payment: CheckedPayment) => void,
  call?: PartnerCall,
): Promise<CheckResult> {
  const deps = allowedInQuarantine(given);
  const { number, state, checkProgress } = await currentEpoch(deps);
  if (state !== 'quarantine') throw new PonteError('NotQuarantined');
  const lost = {
    test: await readLost(deps, 'test', call),
    live: await readLost(deps, 'live', call),
  };
  let progress = checkProgress === null ? nothing : (JSON.parse(checkProgress) as Progress);
  for (;;) {
    const { after } = progress;
    const page = await deps.store.run((tx) => tx.funds.page(after, PAYMENTS_PER_PAGE));
    const last = page.at(-1);
    if (last === undefined) break;
    const checked: CheckedPayment[] = [];
    for (let at = 0; at < page.length; at += PAYMENTS_AT_ONCE) {
      const some = page.slice(at, at + PAYMENTS_AT_ONCE);
      checked.push(
        ...(await Promise.all(some.map((funds) => checkPayment(deps, lost[funds.mode], funds)))),
      );
    }
    for (const payment of checked) if (isNotable(payment)) report(payment);
    const cursor = { ...tenantOf(last), paymentId: last.paymentId };
    progress = counted({ ...progress, after: cursor }, checked);
    await noteProgress(deps, number, progress, null);
  }
  const left = await Promise.all([lost.test, lost.live].map((entries) => entries?.keepRest(deps)));
  const { payments, learned, differing, missed } = progress;
  const deposits = left.reduce((sum, found) => sum + (found?.deposits ?? 0), 0);
  const unknownPayouts = left.reduce((sum, found) => sum + (found?.payouts ?? 0), 0);
  const unreadable = (lost.test?.unreadable ?? 0) + (lost.live?.unreadable ?? 0);
  const counts = { payments, learned, differing, missed, deposits, unknownPayouts, unreadable };
  await noteProgress(deps, number, progress, counts);
  return counts;
}

/** Allows the writes of other use cases in quarantine: the check sends nothing. */
function allowedInQuarantine(deps: Deps): Deps {
  const { store } = deps;
  const inQuarantine = true;
  return { ...deps, store: { ...store, run: (work) => store.run(work, { inQuarantine }) } };
}

/**
 * `result`: of a check that is over; the next one starts over. NotQuarantined if another epoch has
 * started.
 */
async function noteProgress(
  deps: Deps,
  number: number,
  progress: Progress,
  result: CheckResult | null,
): Promise<void> {
  await deps.store.run(async (tx) => {
    const epoch = await tx.epochs.current();
    if (epoch.number !== number || epoch.state !== 'quarantine') {
      throw new PonteError('NotQuarantined');
    }
    const isComplete = result !== null && isCheckComplete(result);
    tx.epochs.update({
      ...epoch,
      checkProgress: result === null ? JSON.stringify(progress) : null,
      checkedAtMs: isComplete ? deps.clock.nowMs() : epoch.checkedAtMs,
    });
  });
}

function counted(progress: Progress, checked: readonly CheckedPayment[]): Progress {
  const of = (is: (payment: CheckedPayment) => boolean) => checked.filter(is).length;
  return {
    ...progress,
    payments: progress.payments + checked.length,
    learned: progress.learned + of(({ adopted, was, is }) => adopted.length > 0 || was !== is),
    differing: progress.differing + of(({ differs }) => differs.length > 0),
    missed: progress.missed + of(({ missed }) => missed.length > 0),
  };
}

function isNotable({ was, is, adopted, differs, missed }: CheckedPayment): boolean {
  return was !== is || adopted.length + differs.length + missed.length > 0;
}

interface CheckContext {
  readonly deps: Deps;
  readonly tenant: Tenant;
  readonly paymentId: string;
  readonly partner: SettlementPartner;
  /** Null if the partner lists nothing. */
  readonly lost: LostEntries | null;
  readonly key: Uint8Array;
  /** It had ended before the check: it sends only refunds, and payouts that are paid again. */
  readonly wasEnded: boolean;
  /** `balancedVersions` of its commands before the check. */
  readonly balancedBefore: string | null;
  readonly adopted: MoneyKind[];
  readonly missed: string[];
}

async function checkPayment(
  deps: Deps,
  lost: LostEntries | null,
  row: Tenant & { readonly paymentId: string },
): Promise<CheckedPayment> {
  const [tenant, { paymentId }] = [tenantOf(row), row];
  const { payment, commands } = await readCommands(deps, tenant, paymentId);
  const found = { ...tenant, paymentId, was: payment.status };
  const quiet = { ...found, is: payment.status, adopted: [], differs: [], missed: [] };
  // An ended payment sends only refunds of its pay-ins, and payouts that are paid again.
  if (isTerminal(payment.status) && commands.length === 0) return quiet;
  const partner = deps.partners[tenant.mode];
  if (partner === null) {
    const todo = 'set its variables; if it never had one, ponte release --force <reason>';
    return {
      ...quiet,
      missed: [`no settlement partner is configured for ${tenant.mode}: ${todo}`],
    };
  }
  const { bytes: key } = await currentKey(deps, 'partner');
  const wasEnded = isTerminal(payment.status);
  const known = { tenant, paymentId, partner, lost, key, wasEnded };
  const balancedBefore = wasEnded ? balancedVersions(commands) : null;
  const context: CheckContext = { deps, ...known, balancedBefore, adopted: [], missed: [] };
  try {
    for (const kind of moneyKinds) await checkKind(context, kind);
  } catch (error) {
    deps.log.error('a payment could not be checked', { paymentId, error });
    context.missed.push(String(error));
  }
  const after = await readCommands(deps, tenant, paymentId);
  const reviews = after.commands.flatMap(({ review }) => review ?? []);
  const differs = reviews.map((review) => readReview(review).reason);
  const { adopted, missed } = context;
  return { ...found, is: after.payment.status, adopted, differs, missed };
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

/** The stored commands of one kind, whose number may grow, then those without a row. */
async function checkKind(context: CheckContext, kind: MoneyKind): Promise<void> {
  const seen = new Set<string>();
  for (;;) {
    const { commands } = await readCommands(context.deps, context.tenant, context.paymentId);
    const next = commands.find((command) => command.kind === kind && !seen.has(command.id));
    if (next === undefined) break;
    seen.add(next.id);
    await refreshCommand(context, next, kind);
  }
  const { commands } = await readCommands(context.deps, context.tenant, context.paymentId);
  const payins = commands.filter((command) => command.kind === 'payin');
  if (kind === 'refund') {
    const { balancedBefore } = context;
    if (balancedBefore !== null && balancedBefore === balancedVersions(commands)) return;
    for (const payin of payins) {
      if (payin.partnerRef !== null) await checkBeyond(context, kind, payin);
    }
    return;
  }
  // The books show a command without a call, also a payout whose pay-in they do not name.
  const isFirst = !context.wasEnded && (kind === 'payin' || payins.length > 0);
  const mayExist = isFirst || (kind === 'payout' && commands.some(isPayoutBack));
  if (mayExist || context.lost !== null) await checkBeyond(context, kind, null);
}

/** Commands without a row, by their next numbers. */
async function checkBeyond(context: CheckContext, kind: MoneyKind, payin: MoneyCommand | null) {
  const payinId = payin?.id ?? null;
  const read = () => readCommands(context.deps, context.tenant, context.paymentId);
  let known = await read();
  for (let absent = 1; absent <= ABSENT_MAX; absent += 1) {
    const { payment, commands } = known;
    const alike = commands.filter(
      (command) => command.kind === kind && command.payinId === payinId,
    );
    const subject = payin?.reference ?? commandSubject(payment);
    const referenceOf = (number: number) =>
      commandReference(context.key, { subject, kind, number });
    const number = alike.length + absent;
    const found = await findByReference(context, kind, referenceOf(number));
    if (found.outcome !== 'done') {
      context.missed.push(missing(`${kind} ${number}`, found));
      return;
    }
    if (found.value === null) continue;
    const references = Array.from({ length: absent }, (_, gap) =>
      referenceOf(alike.length + gap + 1),
    );
    const adoption = { kind, payinId, references, found: found.value };
    if (!(await adopt(context, payment, adoption))) return;
    known = await read();
    absent = 0;
  }
}

interface Adoption {
  readonly kind: MoneyKind;
  readonly payinId: string | null;
  /** The references of the absent numbers, and of the command found. */
  readonly references: readonly string[];
  readonly found: AcceptedCommand;
}

/**
 * Stores a row for a command of the partner, and a void one for each absent number before it. All
 * are stored together: after a void payout alone, the next report of a pay-in would send another
 * one. False: nothing is stored, and why is in `missed`.
 */
async function adopt(
  context: CheckContext,
  payment: Payment,
  adoption: Adoption,
): Promise<boolean> {
  const { deps, tenant, paymentId } = context;
  const { kind, payinId, references, found } = adoption;
  const amount = await amountOf(context, payment, kind, found.partnerRef);
  if (amount === null) return false;
  const nowMs = deps.clock.nowMs();
  const made = references.map((reference) => {
    const name = { id: deps.ids.next('cmd', nowMs), reference };
    const what = { kind, amount, payinId, paymentId };
    return voidCommand(newCommand(tenant, name, what, nowMs), nowMs);
  });
  const last = made.at(-1);
  assert(last !== undefined, 'a command that was found has a reference');
  const command = await storeAccepted(context, last, found, made);
  context.adopted.push(kind);
  const { commands } = await readCommands(deps, tenant, paymentId);
  const isOrphan = kind === 'payout' && !commands.some((one) => one.kind === 'payin');
  if (isOrphan) context.lost?.notePaidOut({ ...tenant, paymentId });
  await readState(context, command, kind);
  return true;
}

/** The amount of a refund, as the partner reports it; null if it does not, or none that can be. */
async function amountOf(
  context: CheckContext,
  payment: Payment,
  kind: MoneyKind,
  partnerRef: string,
) {
  if (kind !== 'refund') return payment.amount;
  const answer = await context.partner.refund.read(partnerRef);
  if (answer.outcome !== 'done') {
    context.missed.push(missing(`refund ${partnerRef}`, answer));
    return null;
  }
  const { amount } = answer.value;
  const problem = refundAmountProblem(amount, payment.amount.currency);
  if (problem === null) return amount;
  context.missed.push(`refund ${partnerRef}: ${problem.text}`);
  return null;
}

/** By the books where they list commands of this kind: a call is made for what they have only. */
async function findByReference(
  { partner, lost }: CheckContext,
  kind: MoneyKind,
  reference: string,
  entry: PartnerEntry | null = lost?.byReference(kind, reference) ?? null,
): Promise<PartnerAnswer<AcceptedCommand | null>> {
  if (lost === null || kind === 'refund') return partner.findCommand(kind, reference);
  if (entry === null) return { outcome: 'done', value: null };
  const { partnerRef } = entry;
  // A look-up has the instructions for the buyer.
  return kind === 'payin'
    ? partner.findCommand(kind, reference)
    : { outcome: 'done', value: { partnerRef } };
}

/** The pay-in that the books have under its quote. */
async function findByRequest(
  { deps, partner }: CheckContext,
  command: MoneyCommand,
  { partnerRef }: PartnerEntry,
): Promise<PartnerAnswer<AcceptedCommand | null>> {
  const { prepare, callsOf } = operationOf(command);
  const request: PartnerAnswer<string> =
    command.request === null
      ? await prepare(deps, partner, command)
      : { outcome: 'done', value: requestOf(deps, command) };
  if (request.outcome !== 'done') return { outcome: 'done', value: { partnerRef } };
  return callsOf(partner).find(request.value);
}

/** Looks up a command without the partner's id, and stores its state. */
async function refreshCommand(
  context: CheckContext,
  command: MoneyCommand,
  kind: MoneyKind,
): Promise<void> {
  const { lost } = context;
  const { reference } = command;
  // Its deposit is read.
  if (command.depositId !== null) return;
  // The check makes commands too, after the books were read.
  const entry = lost?.ofCommand(command.id) ?? lost?.byReference(kind, reference) ?? null;
  if (command.partnerRef !== null) {
    const isListed = lost !== null && kind !== 'refund';
    const isKnown = entry === null ? !isOpen(command) : !isBehind(command, entry);
    return isListed && isKnown ? undefined : readState(context, command, kind);
  }
  const found =
    entry?.reference === null
      ? await findByRequest(context, command, entry)
      : await findByReference(context, kind, reference, entry);
  if (found.outcome !== 'done') context.missed.push(missing(kind, found));
  else if (found.value !== null) {
    await readState(context, await storeAccepted(context, command, found.value), kind);
  }
}

/** Reads and stores the state of a command. */
async function readState(
  context: CheckContext,
  command: MoneyCommand,
  kind: MoneyKind,
): Promise<void> {
  const { deps, partner, missed } = context;
  const { partnerRef, reference } = command;
  assert(partnerRef !== null, 'a command that was found has its id');
  const answer = await partner[kind].read(partnerRef);
  if (answer.outcome !== 'done') {
    missed.push(missing(kind, answer));
    return;
  }
  // Kind and report belong together by the port.
  const fact = { kind, reference, partnerRef, report: answer.value } as PartnerFact;
  await applyPartnerUpdate(deps, command.id, fact, { polledVersion: command.version });
}

/** `made` are commands without a row, including this one. */
async function storeAccepted(
  { deps }: CheckContext,
  command: MoneyCommand,
  accepted: AcceptedCommand,
  made: readonly MoneyCommand[] = [],
): Promise<MoneyCommand> {
  const stored = await storeStaged(deps, async (batch) => {
    const current = (await batch.tx.commands.get(command.id)) ?? command;
    return operationOf(current).onAccepted(batch, current, accepted, made);
  });
  assert(stored !== null && isMoneyCommand(stored), 'a command about money stays one');
  return stored;
}

function readCommands(
  { store }: Deps,
  tenant: Tenant,
  paymentId: string,
): Promise<{ readonly payment: Payment; readonly commands: readonly MoneyCommand[] }> {
  return store.run(async (tx: Tx) => {
    const { payment } = await loadPayment(tx, tenant, paymentId);
    return { payment, commands: await tx.commands.ofPayment(tenant, paymentId) };
  });
}

function missing(what: string, answer: Exclude<PartnerAnswer<unknown>, { outcome: 'done' }>) {
  const why = answer.outcome === 'refused' ? answer.code : answer.reason;
  return `${what} could not be looked up: ${why}`;
}
