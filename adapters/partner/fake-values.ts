// Values of test mode that change what the fake partner does: the end of an amount, or a first or
// legal name.
import { DAY_MS } from '../../core/domain/base/instant.js';
import { formatAmount } from '../../core/domain/base/money.js';
import { documentsAgain } from '../../core/domain/payments/simulated-event.js';
import type { PartyReport } from '../../core/ports/partner.js';

export const magicValues = {
  '.33': {
    effect: 'arrives_from_other',
    means: 'the pay-in arrives from an account in another name than the buyer',
  },
  '.44': { effect: 'locks_rate', means: 'quotes have a locked rate' },
  '.55': { effect: 'arrives_short', means: 'the pay-in arrives 1.00 short and stays open' },
  '.66': { effect: 'payin_fails', means: 'the pay-in fails and no money arrives' },
  '.77': { effect: 'payout_fails', means: 'the payout fails, and its money is not returned' },
  '.88': {
    effect: 'payout_returns',
    means: 'the payout fails; its money is returned after the delay',
  },
  Fail: { effect: 'is_rejected', means: 'the party is rejected' },
  Slow: {
    effect: 'is_undecided',
    means: 'a buyer is verified until a decision is simulated',
  },
  Again: {
    effect: 'is_corrected',
    means: 'a buyer is asked for its identity document again',
  },
  More: {
    effect: 'is_asked',
    means: 'the party must correct addressLine1 (requirements.due); with it, it is approved',
  },
} as const satisfies Readonly<Record<string, { readonly effect: string; readonly means: string }>>;

type Effect = (typeof magicValues)[keyof typeof magicValues]['effect'];

export function effectOf(text: string): Effect | null {
  const known = Object.entries(magicValues).find(([value]) => value === text);
  return known === undefined ? null : known[1].effect;
}

/** The point and the two decimals of an amount. */
export function ending(amountMinor: bigint): string {
  return formatAmount(amountMinor).slice(-3);
}

/** About a party, by its name. */
export const decisions = {
  approved: { status: 'approved', reason: null },
  rejected: { status: 'rejected', reason: 'rejected by the sandbox: the name is Fail' },
  corrected: { status: 'verifying', reason: null, corrections: documentsAgain },
  asked: {
    status: 'verifying',
    reason: null,
    corrections: [
      { field: 'addressLine1', reason: 'The address is not the registered one. Correct it.' },
    ],
  },
} as const satisfies Readonly<Record<string, PartyReport>>;

/** Corrections are awaited for 27 days. */
export function withLimit(decided: PartyReport, atMs: number): PartyReport {
  return decided.corrections === undefined
    ? decided
    : { ...decided, answerByMs: atMs + 27 * DAY_MS };
}
