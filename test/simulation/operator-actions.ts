// What an operator does with an order to the partner that the service does not finish by itself. An
// operator sees the partner's own books, and accepts an odd report only where they say the same.

import { MINUTE_MS } from '../../core/domain/instant.js';
import { isStuck, type PartnerCommand } from '../../core/domain/partner-command.js';
import { acceptReport, retryCommand } from '../../core/usecases/command-retries.js';
import { readReview } from '../../core/usecases/settlement.js';
import type { SimulatedHost } from './simulated-host.js';
import type { World } from './world.js';

/** An operator looks at what is stuck after a while. */
const PATIENCE_MS = 20 * MINUTE_MS;

export function isTheOperatorsTurn({ nowMs }: World, command: PartnerCommand): boolean {
  return isStuck(command) && command.updatedAtMs + PATIENCE_MS <= nowMs;
}

export function operatorActs(world: World, host: SimulatedHost, command: PartnerCommand): void {
  if (isReviewTrue(world, command)) {
    const { id, kind } = command;
    host.begin(`operator accepts ${kind} ${id}`, () => acceptReport(host.deps, id));
  } else retries(world, host, command);
}

function retries(world: World, host: SimulatedHost, command: PartnerCommand): void {
  const { id, kind, reference, request } = command;
  const sinceMs = world.nowMs;
  host.begin(`operator retries ${kind} ${id}`, () => retryCommand(host.deps, id), {
    done: (next) => {
      const isAnother = next.id !== id && request !== null;
      if (isAnother) world.evidence.orderedAnew.push({ reference, sinceMs });
    },
  });
}

/** Only amounts that a buyer sent can be odd and true. */
function isReviewTrue({ partners }: World, { mode, review }: PartnerCommand): boolean {
  if (review === null) return false;
  const { fact } = readReview(review);
  const order = partners[mode].order(fact.partnerRef);
  if (order === null || fact.kind !== 'payin') return false;
  return order.status === fact.report.status && order.receivedMinor === fact.report.receivedMinor;
}
