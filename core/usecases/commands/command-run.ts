// One run of a leased command: ask the partner, store the answer, until nothing is left to ask. The
// steps are in core/domain/commands/command-step.ts. Without the lease only a report is applied.
import { firstStep, nextCommandStep } from '../../domain/commands/command-step.js';
import type { PartnerCommand } from '../../domain/commands/partner-command.js';
import type { Deps } from '../../ports/deps.js';
import type { KnownCommand } from '../payments/command-changes.js';
import { partnerFor } from '../service/partner-calls.js';
import { storeAnswer } from './command-answers.js';
import { askPartner } from './command-calls.js';

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
