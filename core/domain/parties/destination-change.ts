// The history of PIX destinations: a row for each one that was set. A change of one may be held,
// and is stopped by the links in the mails about it until it takes effect.
import type { Tenant } from '../base/tenant.js';
import type { PixKey } from './pix-key.js';
import { readCnpj, readCpf } from './tax-id.js';

/** How long a change is held in live mode, by the setting of the organization. */
export const HOLD_HOURS_MAX = 72;
export const HOLD_HOURS = 24;

/** Who sets a destination, and whether live mode holds one that replaces none. */
const holdsFirst = {
  // A key may be stolen, and its integrator mistaken.
  key: true,
  // On its onboarding page.
  seller: false,
  // An owner, with a fresh proof.
  member: false,
  // Two of them.
  operator: false,
} as const;

export type DestinationOrigin = keyof typeof holdsFirst;

/**
 * Whether live mode holds a destination that replaces none. A CPF or CNPJ is a PIX key of the
 * person with that number only. The holder's name proves nothing: it is typed with the key. Null:
 * not known.
 */
export function isFirstHeld(
  origin: DestinationOrigin,
  pixKey: PixKey | null,
  verifiedTaxId: string | null,
): boolean {
  const isNumber = pixKey?.kind === 'cpf' || pixKey?.kind === 'cnpj';
  const number = readCpf(verifiedTaxId ?? '') ?? readCnpj(verifiedTaxId ?? '');
  return holdsFirst[origin] && !(isNumber && pixKey.text === number);
}

export interface DestinationChange extends Tenant {
  readonly id: string;
  /** The seller; null: the organization itself. */
  readonly accountId: string | null;
  /** Destinations as references of the partner; null: there was none. */
  readonly fromRef: string | null;
  readonly toRef: string;
  /** `shownPixKey` of the destination. */
  readonly pixKeyShown: string;
  /** The id of the API key or the member, or of the operator who proposed it. */
  readonly changedBy: string;
  readonly createdAtMs: number;
  /** `createdAtMs` if it was not held. */
  readonly effectiveAtMs: number;
  readonly stoppedAtMs: number | null;
  /** When another change came while it was held. */
  readonly replacedAtMs: number | null;
  readonly version: number;
}

export type ChangeState = 'held' | 'effective' | 'stopped' | 'replaced';

export function changeState(change: DestinationChange, nowMs: number): ChangeState {
  if (change.stoppedAtMs !== null) return 'stopped';
  if (change.replacedAtMs !== null) return 'replaced';
  return nowMs < change.effectiveAtMs ? 'held' : 'effective';
}

/** What the code in the link of its mails is a keyed hash of. */
export function stopText({ orgId, mode, id }: DestinationChange): string {
  return `${orgId} ${mode} ${id}`;
}
