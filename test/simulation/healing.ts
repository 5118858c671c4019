// The end of every history: faults stop, banks finish what they began, operators do their work, and
// time passes until nothing is left to do, or until it is clear that this never happens.
import { MINUTE_MS } from '../../core/domain/instant.js';
import { isStuck } from '../../core/domain/partner-command.js';
import { isExpirable } from '../../core/domain/payment.js';
import { tenantOf } from '../../core/domain/tenant.js';
import { retryCommand } from '../../core/usecases/command-retries.js';
import { cancelPayment } from '../../core/usecases/payments.js';
import { advance, dueWorkers, told } from './actions.js';
import { deliver, finish, readyMessages } from './banks.js';
import { atTheEnd, firstViolation } from './invariants.js';
import type { SimulatedHost } from './simulated-host.js';
import type { World } from './world.js';

/** Seven attempts of a delivery and every expiry fit into far fewer. */
const ROUNDS_MAX = 400;
const PAUSE_MS_MAX = 30 * MINUTE_MS;

export async function heal(world: World): Promise<void> {
  world.trace('faults stop');
  world.calmDown();
  await world.drain();
  for (let round = 0; round < ROUNDS_MAX && world.violation === null; round += 1) {
    const host = world.host();
    if (host === null) throw new Error('no process is left');
    // The banks take their time, so that what comes late is seen to come late.
    if (round > 2) for (const partner of Object.values(world.partners)) finish(world, partner);
    for (const message of readyMessages(world)) deliver(world, host, message);
    await world.look();
    operate(world, host, round);
    await world.look();
    for (const worker of dueWorkers(world)) host.work(worker);
    await world.look();
    if (await isOver(world)) return;
    await world.pass(await pauseMs(world));
  }
}

async function isOver(world: World): Promise<boolean> {
  const quiet = Object.values(world.partners).every(({ messages }) => messages.length === 0);
  if (!quiet || world.stragglers.length > 0 || world.violation !== null) return false;
  return firstViolation(atTheEnd, world.evidence) === null;
}

async function pauseMs(world: World): Promise<number> {
  const messages = Object.values(world.partners).flatMap((partner) => partner.messages);
  const moments = [
    (await world.store.claims.nextDueAtMs()) ?? Number.POSITIVE_INFINITY,
    ...messages.map(({ readyAtMs }) => readyAtMs),
    ...world.stragglers.map(({ arrivesAtMs }) => arrivesAtMs),
  ];
  const next = Math.min(...moments) - world.nowMs;
  return Math.min(Math.max(next, 100), PAUSE_MS_MAX);
}

/** Operators retry what is stuck; integrators drive or cancel what nobody would ever end. */
function operate(world: World, host: SimulatedHost, round: number): void {
  const { evidence, random } = world;
  const found = [...evidence.payments.values()];
  const commands = [...found.flatMap((each) => each.commands), ...evidence.submissions.values()];
  for (const command of commands.filter(isStuck)) {
    const { id, kind } = command;
    host.begin(`operator retries ${kind} ${id}`, () => retryCommand(host.deps, id));
  }
  if (round !== 1) return;
  for (const { payment } of found) {
    if (!isExpirable(payment.status) || payment.expiresAtMs !== null) continue;
    const { id } = payment;
    if (payment.mode === 'test' && random.chance(0.6)) advance(world, host, payment, null);
    else {
      host.begin(
        `cancel ${id}`,
        () => cancelPayment(host.deps, tenantOf(payment), id, 'closing'),
        told(world),
      );
    }
  }
}
