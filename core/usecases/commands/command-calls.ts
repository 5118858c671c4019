// The calls to the partner of a command that runs. They store nothing.
import { tenantOf } from '../../domain/base/tenant.js';
import type { CommandStep } from '../../domain/commands/command-step.js';
import {
  isDisownable,
  isMoneyCommand,
  MADE_BY_ANOTHER,
  type MoneyCommand,
  type PartnerCommand,
  requestPurpose,
} from '../../domain/commands/partner-command.js';
import { assert, unreachable } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type {
  AcceptedCommand,
  PartnerAnswer,
  PartnerFact,
  SettlementPartner,
} from '../../ports/partner.js';
import { othersWithId } from '../deposits/deposits.js';
import { operationOf, type PreparedRequest } from './partner-operations.js';

interface Turn {
  readonly command: PartnerCommand;
  readonly step: CommandStep;
  /** As it was prepared in this run. */
  readonly request: string | null;
}

export type AskedStep =
  | (PreparedRequest & { readonly step: 'prepare' })
  | { readonly step: 'start'; readonly answer: PartnerAnswer<AcceptedCommand> }
  | {
      readonly step: 'look_up';
      readonly answer: PartnerAnswer<AcceptedCommand | null>;
      readonly askedAtMs: number;
      /** The other command that has the id which was found; null if none has. */
      readonly disowned: MoneyCommand | null;
    }
  | { readonly step: 'instruct'; readonly instructions: AcceptedCommand['instructions'] }
  | {
      readonly step: 'read';
      readonly answer: PartnerAnswer<PartnerFact['report']>;
      /** The command itself, if its id is not its own. */
      readonly disowned: MoneyCommand | null;
    };

export async function askPartner(
  deps: Deps,
  partner: SettlementPartner,
  { command, step, request }: Turn,
): Promise<AskedStep> {
  switch (step) {
    case 'prepare':
      return { step, ...(await prepare(deps, partner, command)) };
    case 'start':
      return { step, answer: await call(partner, command, request ?? sentRequest(deps, command)) };
    case 'look_up': {
      const askedAtMs = deps.clock.nowMs();
      const answer = await operationOf(command).callsOf(partner).find(sentRequest(deps, command));
      const disowned = await disownedBy(deps, partner, command, answer);
      return { step, answer, askedAtMs, disowned };
    }
    case 'instruct':
      return { step, instructions: await instructionsOf(deps, partner, command) };
    case 'read': {
      const { partnerRef } = command;
      assert(partnerRef !== null, 'an accepted command has the partner’s id');
      const sent = command.request === null ? undefined : () => sentRequest(deps, command);
      const answer = await operationOf(command).callsOf(partner).read(partnerRef, sent);
      const isOther = isMadeByAnother(answer) && (await hasAnotherId(deps, partner, command));
      return { step, answer, disowned: isOther && isMoneyCommand(command) ? command : null };
    }
    default:
      return unreachable(step);
  }
}

async function prepare(
  deps: Deps,
  partner: SettlementPartner,
  command: PartnerCommand,
): Promise<PreparedRequest> {
  if (command.request !== null) {
    return { answer: { outcome: 'done', value: sentRequest(deps, command) }, payment: null };
  }
  return operationOf(command).prepare(deps, partner, command);
}

export function sentRequest(deps: Deps, command: PartnerCommand): string {
  assert(command.request !== null, 'a command that was sent has its request');
  return deps.secretBox.open(command.request, requestPurpose(command));
}

/** An adapter that throws leaves the outcome in doubt. */
async function call(
  partner: SettlementPartner,
  command: PartnerCommand,
  request: string,
): Promise<PartnerAnswer<AcceptedCommand>> {
  try {
    return await operationOf(command).callsOf(partner).start(request);
  } catch (error) {
    // Its message may quote the request.
    const name = error instanceof Error ? error.name : typeof error;
    return { outcome: 'unknown', reason: `the adapter threw: ${name}` };
  }
}

function isMadeByAnother(read: PartnerAnswer<PartnerFact['report']>): boolean {
  return read.outcome === 'later' && read.code === MADE_BY_ANOTHER;
}

/**
 * The read shows that another request made the object. Only a second fact proves that the id is
 * not its own: the look-up of the command itself finds another one, or that of another command
 * finds this one. A text that the partner changed must not lead to another payout.
 */
async function hasAnotherId(
  deps: Deps,
  partner: SettlementPartner,
  command: PartnerCommand,
): Promise<boolean> {
  if (!isMoneyCommand(command) || !isDisownable(command)) return false;
  if (!hasTimeForCall(deps, partner, command)) return false;
  const found = await operationOf(command).callsOf(partner).find(sentRequest(deps, command));
  const own = found.outcome === 'done' ? found.value : null;
  return own !== null && own.partnerRef !== command.partnerRef;
}

/** The other command whose call was answered with the id that is found for this one. */
async function disownedBy(
  deps: Deps,
  partner: SettlementPartner,
  command: PartnerCommand,
  answer: PartnerAnswer<AcceptedCommand | null>,
): Promise<MoneyCommand | null> {
  const partnerRef = answer.outcome === 'done' ? (answer.value?.partnerRef ?? null) : null;
  if (partnerRef === null || !isMoneyCommand(command)) return null;
  const others = await deps.store.run((tx) => othersWithId({ deps, tx }, command, partnerRef));
  const other = others.find(isDisownable);
  if (other === undefined || !hasTimeForCall(deps, partner, command)) return null;
  const calls = operationOf(other).callsOf(partner);
  const read = await calls.read(partnerRef, () => sentRequest(deps, other));
  return isMadeByAnother(read) ? other : null;
}

/** Whether the lease outlives another call. If not, the next poll or look-up makes it. */
function hasTimeForCall(
  { clock }: Deps,
  { callTimeoutMs }: SettlementPartner,
  { dueAtMs }: PartnerCommand,
): boolean {
  return dueAtMs === null || dueAtMs - clock.nowMs() > callTimeoutMs;
}

/**
 * If a message reported a pay-in before its call was answered, a look-up gets the instructions for
 * the buyer.
 */
async function instructionsOf(
  deps: Deps,
  partner: SettlementPartner,
  command: PartnerCommand,
): Promise<AcceptedCommand['instructions']> {
  if (!isMoneyCommand(command)) return undefined;
  const { kind, end, paymentId, request } = command;
  if (kind !== 'payin' || end !== 'open' || request === null) return undefined;
  const payment = await deps.store.run((tx) => tx.payments.get(tenantOf(command), paymentId));
  if (payment === null || payment.payinInstructions !== null) return undefined;
  const found = await partner.payin.find(sentRequest(deps, command));
  return found.outcome === 'done' ? found.value?.instructions : undefined;
}
