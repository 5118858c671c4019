// What a worker does next with a command that it has leased: a call to the partner for each step,
// and another call where an id may be that of another command.
import {
  isInDoubt,
  isMoneyCommand,
  isOpen,
  isPolled,
  type PartnerCommand,
} from './partner-command.js';

/**
 * `prepare`: the request is fixed, then stored with `sent`. `start`: the call. `look_up`: the
 * command may exist at the partner. `instruct`: a pay-in may lack instructions for the buyer.
 * `read`: its state.
 */
export type CommandStep = 'prepare' | 'start' | 'look_up' | 'instruct' | 'read';

export function firstStep(command: PartnerCommand): CommandStep {
  if (isPolled(command)) return 'instruct';
  return isInDoubt(command) ? 'look_up' : 'prepare';
}

/** After the answer to `step` is stored with the command; null: it is due again later. */
export function nextCommandStep(
  step: CommandStep,
  claimed: PartnerCommand,
  command: PartnerCommand,
  nowMs: number,
): CommandStep | null {
  const { state } = command;
  switch (step) {
    case 'prepare':
      // After a pause longer than the lease, another process may be calling.
      return state === 'sent' && !isLeaseOver(claimed, nowMs) ? 'start' : null;
    case 'start':
      return state === 'denied' ? 'look_up' : null;
    case 'look_up':
      if (state === 'pending') return 'prepare';
      // A client waits for the decision on a party; a command about money is polled when it is due.
      return state === 'done' && !isMoneyCommand(command) && isOpen(command) ? 'read' : null;
    case 'instruct':
      return 'read';
    case 'read':
      return null;
  }
}

function isLeaseOver({ dueAtMs }: PartnerCommand, nowMs: number): boolean {
  return dueAtMs !== null && dueAtMs <= nowMs;
}
