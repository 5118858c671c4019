// A party that payments are paid to: an organization or a seller. The partner pays to its PIX
// destination and collects on its rails, a virtual account or a wallet. Both belong to one party of
// the partner.
import type { Party } from './party.js';

export interface Payee extends Party {
  /**
   * The partner's reference of the PIX destination; the PIX key itself is never stored. A held
   * change takes its place in time: `destinationAt`.
   */
  readonly destinationRef: string | null;
  readonly heldRef: string | null;
  /** Null: no change was held. */
  readonly heldUntilMs: number | null;
  /** The command that requests the rails; null before it. */
  readonly railsCommandId: string | null;
  /** The partner's reference of the rails. */
  readonly railsRef: string | null;
}

export const noPayout = {
  destinationRef: null,
  heldRef: null,
  heldUntilMs: null,
  railsCommandId: null,
  railsRef: null,
} as const;

/** The partner requires approval and PIX destination before it makes the rails. */
export function needsRails(payee: Payee): boolean {
  const { status, destinationRef, railsCommandId, railsRef } = payee;
  if (railsCommandId !== null || railsRef !== null) return false;
  return status === 'approved' && destinationRef !== null;
}

/** Another party of the partner has neither a destination nor rails yet. */
export function withOwnPayout<P extends Payee>(was: P, next: P): P {
  const isSame = was.partnerRef === null || was.partnerRef === next.partnerRef;
  return isSame ? next : Object.freeze({ ...next, ...noPayout });
}

/** Where a payment that is created at this time is paid. */
export function destinationAt(payee: Payee, nowMs: number): string | null {
  const { heldUntilMs, heldRef, destinationRef } = payee;
  return heldUntilMs !== null && nowMs >= heldUntilMs ? heldRef : destinationRef;
}

export interface Hold {
  readonly nowMs: number;
  /** How long a change is held; 0: not at all. */
  readonly holdMs: number;
  /** Whether one that replaces none is held too: `isFirstHeld`. */
  readonly holdsFirst: boolean;
}

/** Sets or changes the destination; the same again does not hold it longer. */
export function withDestination<P extends Payee>(
  payee: P,
  ref: string,
  { nowMs, holdMs, holdsFirst }: Hold,
): P {
  const current = destinationAt(payee, nowMs);
  const isPending = isHeld(payee, nowMs);
  if (ref === (isPending ? payee.heldRef : current)) return payee;
  const holds = holdMs > 0 && (current === null ? holdsFirst : ref !== current);
  return Object.freeze({
    ...payee,
    destinationRef: holds ? current : ref,
    heldRef: holds ? ref : null,
    heldUntilMs: holds ? nowMs + holdMs : null,
  });
}

export function isHeld({ heldUntilMs }: Payee, nowMs: number): boolean {
  return heldUntilMs !== null && nowMs < heldUntilMs;
}

/** Unchanged unless a hold has ended: then what was held is in its place. */
export function withoutEndedHold<P extends Payee>(payee: P, nowMs: number): P {
  if (payee.heldUntilMs === null || isHeld(payee, nowMs)) return payee;
  return withoutHeld(Object.freeze({ ...payee, destinationRef: payee.heldRef }));
}

export function withoutHeld<P extends Payee>(payee: P): P {
  return Object.freeze({ ...payee, heldRef: null, heldUntilMs: null });
}

/** The rails exist; those of an earlier party change nothing. */
export function railsProvisioned<P extends Payee>(payee: P, commandId: string, ref: string): P {
  if (payee.railsCommandId !== commandId || payee.railsRef !== null) return payee;
  return Object.freeze({ ...payee, railsRef: ref });
}

/** The partner refused the rails: configuring the payout requests them again. */
export function railsRefused<P extends Payee>(payee: P): P {
  return Object.freeze({ ...payee, railsCommandId: null });
}

type MaybeReady = Payee & { readonly readyAtMs?: number | null };

/** It has a destination, or an earlier party of it that was ready to collect had one. */
export function hadDestination({ destinationRef, readyAtMs = null }: MaybeReady): boolean {
  return destinationRef !== null || readyAtMs !== null;
}

/**
 * A new destination replaces an earlier one, even one of an earlier party, or is held; or a held
 * one was stopped. The end of a hold is no change.
 */
export function isRedirected(was: MaybeReady, next: Payee): boolean {
  const [from, to] = [was, next].map(({ heldRef, destinationRef }) => heldRef ?? destinationRef);
  if (from === to) return false;
  if (to === null) return was.partnerRef === next.partnerRef;
  return hadDestination(was) || next.heldRef !== null;
}

export function isOtherDestination(was: Payee, next: Payee): boolean {
  return next.destinationRef !== was.destinationRef || next.heldRef !== was.heldRef;
}
