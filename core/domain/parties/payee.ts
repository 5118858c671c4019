// A party that payments are paid to: an organization or a seller. The partner pays to its PIX
// destination and collects on its rails, a virtual account or a wallet. Both belong to one party of
// the partner.
import type { Party } from './party.js';

export interface Payee extends Party {
  /** The partner's reference of the PIX destination; the PIX key itself is never stored. */
  readonly destinationRef: string | null;
  /** The command that requests the rails; null before it. */
  readonly railsCommandId: string | null;
  /** The partner's reference of the rails. */
  readonly railsRef: string | null;
}

export const noPayout = { destinationRef: null, railsCommandId: null, railsRef: null } as const;

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

export function withDestination<P extends Payee>(payee: P, destinationRef: string): P {
  return payee.destinationRef === destinationRef
    ? payee
    : Object.freeze({ ...payee, destinationRef });
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

/** A new destination replaces an earlier one, even one of an earlier party. */
export function isRedirected(was: Payee & { readonly readyAtMs?: number | null }, next: Payee) {
  const hadOne = was.destinationRef !== null || (was.readyAtMs ?? null) !== null;
  return hadOne && next.destinationRef !== null && next.destinationRef !== was.destinationRef;
}
