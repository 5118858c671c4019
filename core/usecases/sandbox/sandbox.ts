// Test mode plays the buyer: an advance is stored, and a worker takes the buyer's steps through the
// use cases of a real buyer until the payment reaches its target. The partner acts independently.
import { backoffMs } from '../../domain/base/schedules.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { isQuoteExpired } from '../../domain/commands/quote.js';
import type { PaymentView } from '../../domain/payments/change.js';
import {
  type Advance,
  isTerminal,
  type Payment,
  type PaymentStatus,
  progress,
} from '../../domain/payments/payment.js';
import { assert, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { confirmQuote, requestQuote, signIn } from '../hosted/buyer-steps.js';
import { inviteBuyer } from '../payments/invoices.js';
import { loadPayment, readView } from '../payments/payment-store.js';
import { eachDue } from '../service/due-work.js';
import { playDossier } from './sandbox-dossier.js';
import { playTransfer } from './simulations.js';

/** `refused`: waiting does not help. */
type Step = 'done' | 'partner_next' | 'refused';

type BuyerStep = (deps: Deps, payment: Payment) => Promise<Step>;

/** The buyer's step in each status; null: the buyer has none. */
const buyerSteps: Readonly<Record<PaymentStatus, BuyerStep | null>> = {
  // Only a member approves an invoice.
  awaiting_approval: null,
  approved: async (deps, payment) => {
    // The sandbox buyer needs no mail, so the limit of its address does not stop it.
    await inviteBuyer(deps, tenantOf(payment), payment.id, { mail: 'within_limits' });
    return 'done';
  },
  awaiting_buyer: async (deps, payment) => {
    await signIn(deps, tenantOf(payment), payment.id);
    return 'done';
  },
  buyer_kyc_pending: async (deps, payment) => {
    await playDossier(deps, payment);
    return 'partner_next';
  },
  buyer_kyc_approved: askQuote,
  fx_quoted: playQuote,
  on_ramp_pending: async (deps, payment) =>
    (await playTransfer(deps, payment)) ? 'done' : 'partner_next',
  on_chain_confirmed: null,
  offramp_pending: null,
  settled: null,
  failed: null,
  cancelled: null,
  expired: null,
};

/** More than the buyer has: the rest are for expired quotes. */
const STEPS_AT_ONCE = 8;

/**
 * Plays the buyer of a test payment until it reaches `to` (default `settled`) or has ended. Returns
 * the payment before that. NotFound in live mode.
 */
export async function advancePayment(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  to: PaymentStatus | null,
): Promise<PaymentView> {
  if (tenant.mode !== 'test') throw new PonteError('NotFound');
  const target = to ?? 'settled';
  if (progress(target) === null) throw invalid('to: send a status on the way to settled.');
  await deps.store.run(async (tx) => {
    await loadPayment(tx, tenant, paymentId);
    tx.advances.put({
      ...tenantOf(tenant),
      paymentId,
      to: target,
      dueAtMs: deps.clock.nowMs(),
      tries: 0,
      version: 1,
    });
  });
  deps.wake('advances');
  return readView(deps, tenant, paymentId);
}

/** Returns how many advances it processed. */
export async function runAdvances(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return eachDue(
    deps,
    'advances',
    { nowMs, limit },
    {
      // In quarantine nothing is played.
      read: (page) =>
        deps.store.run(async (tx) => {
          const { state } = await tx.epochs.current();
          return state === 'quarantine' ? [] : tx.advances.due(page);
        }),
      cursorOf: ({ paymentId, dueAtMs }) => ({ id: paymentId, dueAtMs }),
      work: (advance) => play(deps, advance),
    },
  );
}

async function play(deps: Deps, advance: Advance): Promise<void> {
  let moved = 0;
  let isOver = false;
  try {
    for (; moved < STEPS_AT_ONCE; moved += 1) {
      const { payment } = await deps.store.run((tx) =>
        loadPayment(tx, tenantOf(advance), advance.paymentId),
      );
      isOver = hasArrived(payment, advance.to);
      if (isOver) break;
      const step = (await buyerSteps[payment.status]?.(deps, payment)) ?? 'partner_next';
      isOver = step === 'refused';
      if (step !== 'done') break;
    }
  } catch (error) {
    // A refusal is expected: the payment was changed, or the partner is unavailable. The advance is
    // tried again in any case.
    const level = error instanceof PonteError ? 'debug' : 'error';
    deps.log[level]('advance interrupted', { paymentId: advance.paymentId, error });
  }
  await deps.store.run(async (tx) => {
    const current = await tx.advances.known(advance);
    // A newer advance replaced it.
    if (current === null || current.version !== advance.version) return;
    if (isOver) {
      tx.advances.remove(current);
      return;
    }
    const tries = moved > 0 ? 0 : current.tries + 1;
    const dueAtMs = deps.clock.nowMs() + backoffMs('sandboxStep', tries);
    tx.advances.update({ ...current, tries, dueAtMs });
  });
}

function hasArrived(payment: Payment, to: PaymentStatus): boolean {
  if (isTerminal(payment.status)) return true;
  const [now, target] = [progress(payment.status), progress(to)];
  assert(now !== null && target !== null, 'a status that has not ended is on the way');
  return now >= target;
}

/** Above a limit, a repeat would only use up calls to the partner. */
async function askQuote(deps: Deps, payment: Payment): Promise<Step> {
  const quote = await requestQuote(deps, tenantOf(payment), payment.id);
  return quote === null ? 'refused' : 'done';
}

async function playQuote(deps: Deps, payment: Payment): Promise<Step> {
  const tenant = tenantOf(payment);
  const { quoteId } = payment;
  const quote = quoteId && (await deps.store.run((tx) => tx.quotes.get(tenant, quoteId)));
  const stale = !quote || isQuoteExpired(quote, deps.clock.nowMs());
  if (stale) return askQuote(deps, payment);
  await confirmQuote(deps, tenant, payment.id, quote.id);
  return 'done';
}
