// Calls to the settlement partner within a request. A call that is repeated with its key is
// harmless, so an outcome in doubt is `PartnerUnavailable`: the client repeats its request.
import type { Mode } from '../../domain/base/tenant.js';
import type { PartnerCommand } from '../../domain/commands/partner-command.js';
import { invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer, SettlementPartner } from '../../ports/partner.js';
import { refuseInQuarantine } from './epochs.js';

/** PartnerUnavailable if none is configured for the mode; InQuarantine. */
export async function requirePartner(
  deps: Deps,
  { mode }: { readonly mode: Mode },
): Promise<SettlementPartner> {
  const partner = deps.partners[mode];
  if (partner === null) throw new PonteError('PartnerUnavailable');
  await refuseInQuarantine(deps);
  return partner;
}

/** A command is for the instance that is configured when it is stored, or sent, first. */
export function atInstance<C extends PartnerCommand>(
  { partners }: Pick<Deps, 'partners'>,
  command: C,
): C {
  const instance = command.instance ?? partners[command.mode]?.instance ?? null;
  return Object.freeze<C>({ ...command, instance });
}

/**
 * The partner for this command: in place of another instance than that of the command one that
 * answers nothing. Null if none is configured.
 */
export function partnerFor(
  { partners }: Pick<Deps, 'partners'>,
  { mode, instance }: PartnerCommand,
): SettlementPartner | null {
  const partner = partners[mode];
  if (partner === null || instance === null || instance === partner.instance) return partner;
  return withoutAnswers(partner, `the command is at ${instance}, not at ${partner.instance}`);
}

/** The same partner, each of whose calls is `later`: nothing is sent, and nothing is proven. */
export function withoutAnswers(partner: SettlementPartner, reason: string): SettlementPartner {
  const later = async () => ({ outcome: 'later', reason }) as const;
  const calls = { prepare: later, start: later, find: later, read: later };
  const { name, instance, callTimeoutMs, effectWithinMs, currencies, notes } = partner;
  return {
    name,
    instance,
    callTimeoutMs,
    effectWithinMs,
    currencies,
    notes,
    requirements: (...party) => partner.requirements(...party),
    startTos: later,
    party: calls,
    payin: calls,
    payout: calls,
    refund: calls,
    registerPixDestination: later,
    provisionRails: later,
    quote: later,
    findCommand: later,
    readInbound: () => null,
  };
}

/** The value of an answer; ValidationError if the partner refuses, else PartnerUnavailable. */
export function expectDone<T>(answer: PartnerAnswer<T>): T {
  if (answer.outcome === 'done') return answer.value;
  if (answer.outcome === 'refused') throw invalid(answer.message);
  throw new PonteError('PartnerUnavailable', undefined, { cause: answer.reason });
}

/** The same for a call, whose refusal names the partner; with its code for operators. */
export function expectAccepted<T>(answer: PartnerAnswer<T>, withCode = false): T {
  if (answer.outcome !== 'refused') return expectDone(answer);
  const code = withCode ? ` (${answer.code})` : '';
  const message = `The settlement partner refuses: ${answer.message}${code}`;
  return expectDone({ ...answer, message });
}

/**
 * Calls an adapter that may throw, which leaves the outcome in doubt. What it answers or throws may
 * quote what was sent, and would be logged: `hide` takes that out of a message.
 */
export async function callSafely<T>(
  call: () => Promise<PartnerAnswer<T>>,
  hide = (message: string) => message,
): Promise<PartnerAnswer<T>> {
  const reason = 'no usable answer of the partner';
  try {
    const answer = await call();
    if (answer.outcome === 'done') return answer;
    if (answer.outcome !== 'refused') return { ...answer, reason };
    return { ...answer, message: hide(answer.message) };
  } catch {
    return { outcome: 'unknown', reason };
  }
}
