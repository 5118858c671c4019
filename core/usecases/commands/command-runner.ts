// The worker of commands to the partner. It leases due commands and runs each: fixes the exact
// request, stores the intention, calls, and records the answer. A look-up decides a call without an
// answer and a refusal; an accepted command is polled until its end is reported. The worker does
// not wait for calls.
import { firstStep, nextCommandStep } from '../../domain/commands/command-step.js';
import { COMMAND_LEASE_MS, type PartnerCommand } from '../../domain/commands/partner-command.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { KnownCommand } from '../payments/command-changes.js';
import { ConcurrencyLimiter, type Runner } from '../service/concurrency-limiter.js';
import { eachSeparately } from '../service/due-work.js';
import { partnerFor } from '../service/partner-calls.js';
import { storeAnswer } from './command-answers.js';
import { askPartner } from './command-calls.js';

/** Commands that run at a time in one process: each is a connection to the partner. */
const COMMANDS_IN_FLIGHT_MAX = 256;

/** One per process: it counts the commands in flight. */
export function commandRunner(deps: Deps, inFlightMax = COMMANDS_IN_FLIGHT_MAX): Runner {
  for (const partner of Object.values(deps.partners)) {
    const calledMs = 2 * (partner?.callTimeoutMs ?? 0);
    assert(COMMAND_LEASE_MS > calledMs, 'a lease outlives the calls made under it');
  }
  const limiter = new ConcurrencyLimiter(() => deps.wake('commands'));
  return {
    runOnce: async (nowMs, limitAsked) => {
      const limit = Math.min(limitAsked, inFlightMax - limiter.reserved());
      if (limit <= 0) {
        limiter.onAvailable();
        return 0;
      }
      const claim = { nowMs, limit, leaseMs: COMMAND_LEASE_MS };
      const claimed = await deps.store.claims.commands(claim);
      limiter.reserve([], claimed.length);
      // A run does not reject: after a failure the command is due again when its lease ends.
      const run = (command: PartnerCommand) => runCommand(deps, command);
      for (const command of claimed)
        limiter.run([], async () => void (await eachSeparately(deps, 'commands', [command], run)));
      return claimed.length;
    },
    inFlight: () => limiter.inFlight(),
    idle: () => limiter.idle(),
  };
}

/**
 * Runs a command in the request that stored it with a lease. After a failure the workers run it.
 */
export async function runInline(deps: Deps, command: PartnerCommand): Promise<void> {
  await eachSeparately(deps, 'commands', [command], (leased) => runCommand(deps, leased));
  deps.wake('commands');
}

/**
 * Asks the partner and stores the answer, until nothing is left to ask (command-step.ts has the
 * steps). Without the lease only a report is applied.
 */
export async function runCommand(deps: Deps, claimed: PartnerCommand): Promise<void> {
  const partner = partnerFor(deps, claimed);
  if (partner === null) throw new Error(`no settlement partner is configured for ${claimed.mode}`);
  let step = firstStep(claimed);
  let request: string | null = null;
  for (let known: KnownCommand = { command: claimed, payment: null }; ; ) {
    const { command } = known;
    const asked = await askPartner(deps, partner, { command, step, request });
    const stored = await storeAnswer(deps, partner, known, asked);
    if (stored === null) return;
    const next = nextCommandStep(step, command, stored.command, deps.clock.nowMs());
    if (next === null) return;
    request =
      asked.step === 'prepare' && asked.answer.outcome === 'done' ? asked.answer.value : null;
    [step, known] = [next, stored];
  }
}
