// Simulated events of test mode (simulated-event.ts). What a command reports is stored first, then
// the sandbox partner sends it as a message. After a crash in between, a poll finds it; a repeat
// sends it again.
import { type Money, money } from '../../domain/base/money.js';
import { type Mode, type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { isMoneyCommand } from '../../domain/commands/partner-command.js';
import { askedTogether } from '../../domain/deposits/consolidated-payment.js';
import type { ScreenFacts } from '../../domain/hosted/hosted-screen.js';
import type { PaymentAggregate, PaymentView } from '../../domain/payments/change.js';
import { type Funds, netReceivedMinor } from '../../domain/payments/funds.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import { quoted } from '../../domain/payments/payment-transitions.js';
import {
  type AwaitedMoney,
  possibleEvents,
  type QuoteChange,
  type SimulatedEffect,
  type SimulatedEvent,
  type SimulatedOutcome,
  type SimulationFacts,
  simulated,
  simulatedEvents,
  simulations,
  UNMATCHED_BY_MINOR,
} from '../../domain/payments/simulated-event.js';
import type { BudgetPart } from '../../domain/service/storage-limits.js';
import { assert, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerSandbox } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { accountOwner } from '../deposits/deposit-matching.js';
import { requestQuote } from '../hosted/buyer-steps.js';
import { partyRefOf } from '../hosted/consolidated-payments.js';
import { readConsolidated } from '../hosted/payment-page.js';
import { nextReference } from '../payments/command-references.js';
import { changePayment, loadPayment, readView } from '../payments/payment-store.js';
import { requirePartner } from '../service/partner-calls.js';
import { takeStored } from '../service/rate-limits.js';
import { currentKeyIn } from '../service/service-keys.js';
import { playDossier } from './sandbox-dossier.js';

/** What a message of the sandbox's partner takes in the database, with its records, rounded up. */
const MESSAGE_BYTES = 8_192;

/**
 * The name on the account that pays a pay-in, or a transfer to this party for several payments: the
 * verified one. Null if it is not known.
 */
export function readPayerName(
  deps: Deps,
  mode: Mode,
  reference: string,
  partyRef: string | null,
): Promise<string | null> {
  return deps.store.run(async (tx) => {
    const command = await tx.commands.byReference(mode, reference);
    const owner = await accountOwner(tx, mode, partyRef);
    const [payment = null] =
      command !== null && isMoneyCommand(command)
        ? [await tx.payments.get(tenantOf(command), command.paymentId)]
        : owner === null
          ? []
          : await tx.payments.consolidated(owner, reference);
    return payment?.payer?.verified?.name ?? null;
  });
}

/**
 * Causes an event on a payment of test mode, and returns the payment after it. What follows comes
 * by a message, which no batch of the request counts, so the event takes it from `part` of the
 * budget of the tenant. NotFound in live mode, ValidationError (unknown event),
 * PaymentStateConflict (not possible now), StorageLimitExceeded, PartnerUnavailable.
 */
export async function simulate(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  name: string,
  part: BudgetPart = 'keys',
): Promise<PaymentView> {
  const sandbox = await sandboxOf(deps, tenant);
  const event = simulatedEvents.find((known) => known === name);
  if (event === undefined) throw invalid(`event: send one of ${simulatedEvents.join(', ')}.`);
  const rows = event === 'money_unmatched' ? 1 : 0;
  await takeStored(deps, tenant, part, { rows, bytes: MESSAGE_BYTES });
  const { effect, command, scene } = await deps.store.run(async (tx) => {
    const loaded = await loadScene(tx, sandbox, tenant, paymentId);
    const chosen = simulated(event, loaded.facts);
    if (chosen === null) throw notNow(event, loaded.facts);
    const isOrdered = typeof chosen !== 'string' && !isOfTransfer(chosen, loaded.facts);
    if (!isOrdered) return { effect: chosen, command: null, scene: loaded };
    const target = await targetOf(deps, tx, loaded, chosen.kind);
    tx.simulations.put({ mode: tenant.mode, reference: target.reference, outcome: chosen });
    return { effect: chosen, command: target, scene: loaded };
  });
  const { payment } = scene;
  if (effect === 'dossier') await playDossier(deps, payment);
  else if (effect === 'deposit') await playUnmatched(deps, sandbox, payment);
  else if (isOfTransfer(effect, scene.facts)) await playShared(deps, sandbox, scene, effect);
  else if (typeof effect === 'string') await changeQuote(deps, sandbox, tenant, paymentId, effect);
  else if (command !== null) await report(sandbox, effect.kind, command);
  return readView(deps, tenant, paymentId);
}

/** A transfer with a text that names nothing, which waits for an operator. */
async function playUnmatched(deps: Deps, sandbox: PartnerSandbox, payment: Payment): Promise<void> {
  const { amountMinor, currency } = payment.amount;
  const amount = money(amountMinor + UNMATCHED_BY_MINOR, currency);
  const bytes = Buffer.from(deps.ids.randomBytes(4));
  const reference = `INV${bytes.toString('hex').toUpperCase()}`;
  await playDeposit(deps, sandbox, payment, { amount, reference });
}

type TransferOutcome = Extract<SimulatedOutcome, { readonly kind: 'payin' }>;

/** Whether the effect is a transfer for several payments, and no report about a command. */
function isOfTransfer(
  effect: SimulatedEffect,
  { payin }: SimulationFacts,
): effect is TransferOutcome {
  return typeof effect !== 'string' && effect.kind === 'payin' && payin?.isShared === true;
}

/** The buyer sends what is missing from the total of the outcome. */
async function playShared(
  deps: Deps,
  sandbox: PartnerSandbox,
  { payment, facts }: Pick<SimulationContext, 'payment' | 'facts'>,
  { receivedMinor }: TransferOutcome,
): Promise<void> {
  const { payin } = facts;
  const { consolidatedReference: reference, amount } = payment;
  assert(payin !== null && reference !== null, 'a shared transfer has a reference');
  const sent = money(receivedMinor - payin.receivedMinor, amount.currency);
  await playDeposit(deps, sandbox, payment, { amount: sent, reference });
}

async function playDeposit(
  deps: Deps,
  sandbox: PartnerSandbox,
  payment: Payment,
  transfer: { readonly amount: Money; readonly reference: string },
): Promise<void> {
  const partyRef = await deps.store.run((tx) => partyRefOf(tx, payment));
  assert(partyRef !== null, 'a payment with a pay-in has a payee at the partner');
  await sandbox.deposit({ partyRef, ...transfer });
}

/**
 * The buyer pays, if the pay-in waits for that and nothing was simulated; else false, as for a
 * transfer for several payments, which its buyer sends.
 */
export async function playTransfer(deps: Deps, payment: Payment): Promise<boolean> {
  const { sandbox } = await requirePartner(deps, payment);
  if (sandbox === undefined) return false;
  const command = await deps.store.run(async (tx) => {
    const { payin } = await loadScene(tx, sandbox, tenantOf(payment), payment.id);
    if (payin === null || payin.partnerRef === null) return null;
    const { mode, reference, partnerRef } = payin;
    const outcome = sandbox.awaitedPayin(partnerRef);
    if (outcome === null || (await tx.simulations.get(mode, reference)) !== null) return null;
    tx.simulations.put({ mode, reference, outcome });
    return { reference, partnerRef };
  });
  if (command === null) return false;
  await report(sandbox, 'payin', command);
  return true;
}

/**
 * What a page offers for this payment. An event may still be refused: the commands may have
 * changed.
 */
export function simulationsFor({
  payment,
  funds,
  kyc,
  quote,
  consolidated,
  sandbox,
}: Pick<ScreenFacts, 'payment' | 'funds' | 'kyc' | 'quote'> & {
  readonly consolidated: readonly PaymentAggregate[];
  readonly sandbox: PartnerSandbox;
}): readonly { readonly event: SimulatedEvent; readonly group: string }[] {
  const { status, amount, payinInstructions } = payment;
  const { receivedMinor, position, refund } = funds;
  const hasOwn = payinInstructions !== null && consolidated.length === 0;
  const own = hasOwn ? { amount, receivedMinor, isShared: false } : null;
  const payouts: readonly Funds['position'][] = ['payout_ordered', 'paid', 'needs_review'];
  const events = possibleEvents({
    status,
    isVerifying: kyc === 'verifying' || kyc === 'corrections',
    hasQuote: quote !== null,
    payin: awaitedOf(sandbox, consolidated) ?? own,
    hasPayin: hasOwn || receivedMinor > 0n,
    hasPayout: payouts.includes(position),
  });
  // A refund to come can be chosen by the API; a button would seem to do nothing.
  const isRefund = refund === 'refund_owed' || refund === 'refund_ordered';
  // Money that no page shows is for operators.
  const shown = events.filter(
    (event) => event !== 'money_unmatched' && (isRefund || !event.startsWith('refund_')),
  );
  return shown.map((event) => ({ event, group: simulations[event].group }));
}

/**
 * What the buyer of several payments pays into, if that waits for it. Those that have ended count
 * if all have: none of the money is for them before.
 */
function awaitedOf(
  sandbox: PartnerSandbox,
  members: readonly PaymentAggregate[],
): AwaitedMoney | null {
  const open = members.filter(({ payment }) => !isTerminal(payment.status));
  const counted = open.length > 0 ? open : members;
  const [first] = counted;
  if (first === undefined || !sandbox.awaitsBuyer()) return null;
  const payments = counted.map(({ payment }) => payment);
  const receivedMinor = counted.reduce((sum, { funds }) => sum + netReceivedMinor(funds), 0n);
  const amount = askedTogether(first.payment.amount.currency, payments);
  return { amount, receivedMinor, isShared: true };
}

async function sandboxOf(deps: Deps, tenant: Tenant): Promise<PartnerSandbox> {
  if (tenant.mode !== 'test') throw new PonteError('NotFound');
  const { sandbox } = await requirePartner(deps, tenant);
  if (sandbox !== undefined) return sandbox;
  const message = 'The settlement partner of test mode does not simulate.';
  throw new PonteError('PaymentStateConflict', message);
}

type SimulationContext = Awaited<ReturnType<typeof loadScene>>;

async function loadScene(tx: Tx, sandbox: PartnerSandbox, tenant: Tenant, paymentId: string) {
  const { payment } = await loadPayment(tx, tenant, paymentId);
  const [commands, submission] = await Promise.all([
    tx.commands.ofPayment(tenant, paymentId),
    tx.buyers.submission(tenant, payment.buyerId),
  ]);
  const identityId = submission?.status === 'verifying' ? submission.commandId : null;
  const identity = identityId === null ? null : await tx.commands.get(identityId);
  const live = commands.filter(({ state }) => state !== 'void' && state !== 'refused');
  const payin = live.findLast(({ kind }) => kind === 'payin') ?? null;
  const own = payin === null ? null : { ...payin, isShared: false };
  const facts = {
    status: payment.status,
    isVerifying: identity !== null,
    hasQuote: payment.quoteId !== null,
    payin: awaitedOf(sandbox, await readConsolidated(tx, payment)) ?? own,
    hasPayin: payin !== null,
    hasPayout: live.some(({ kind }) => kind === 'payout'),
  };
  return { payment, commands: live, payin, identity, facts };
}

interface Target {
  readonly reference: string;
  /** Null: the partner has not accepted the command yet. It looks the outcome up when it does. */
  readonly partnerRef: string | null;
}

/** The command that an outcome is about: the newest, or the next payout or refund. */
async function targetOf(
  deps: Deps,
  tx: Tx,
  { payment, commands, payin, identity }: SimulationContext,
  kind: SimulatedOutcome['kind'],
): Promise<Target> {
  if (kind === 'party' || kind === 'payin') {
    const target = kind === 'party' ? identity : payin;
    assert(target !== null, 'an event is possible only with its command');
    return target;
  }
  const made = commands.findLast((command) => command.kind === kind);
  if (made !== undefined && (kind === 'payout' || made.end === 'open')) return made;
  const all = await tx.commands.ofPayment(tenantOf(payment), payment.id);
  const { bytes } = await currentKeyIn(deps, tx, 'partner');
  const payinId = kind === 'refund' ? (payin?.id ?? null) : null;
  const reference = nextReference(bytes, payment, all, { kind, payinId });
  return { reference, partnerRef: null };
}

async function report(
  sandbox: PartnerSandbox,
  kind: SimulatedOutcome['kind'],
  { reference, partnerRef }: Target,
): Promise<void> {
  if (partnerRef !== null) await sandbox.send({ kind, reference, partnerRef });
}

async function changeQuote(
  deps: Deps,
  sandbox: PartnerSandbox,
  tenant: Tenant,
  paymentId: string,
  change: QuoteChange,
): Promise<void> {
  if (change !== 'expired') {
    await requestQuote(deps, tenant, paymentId, (input, shown) =>
      sandbox.quote(input, change, shown),
    );
    return;
  }
  await changePayment(deps, tenant, paymentId, async (was, tx) => {
    const { quoteId } = was.payment;
    const shown = quoteId === null ? null : await tx.quotes.get(tenant, quoteId);
    if (shown === null) throw new PonteError('PaymentStateConflict');
    const nowMs = deps.clock.nowMs();
    const id = deps.ids.next('qt', nowMs);
    // A stored quote never changes.
    const expired = Object.freeze({ ...shown, id, createdAtMs: nowMs, expiresAtMs: nowMs });
    tx.quotes.insert(expired);
    return quoted(was, expired, nowMs);
  });
}

function notNow(event: SimulatedEvent, facts: SimulationFacts): PonteError {
  const possible = possibleEvents(facts);
  const rest =
    possible.length === 0
      ? `No event is possible in ${facts.status}.`
      : `Possible now: ${possible.join(', ')}.`;
  return new PonteError('PaymentStateConflict', `${event} is not possible now. ${rest}`);
}
