// Commands to the partner about a party: its dossier, or the rails of a payee. The exact request is
// prepared first, then stored with the command.
import type { Tenant } from '../../domain/base/tenant.js';
import { replaceCommand } from '../../domain/commands/command-report.js';
import {
  COMMAND_LEASE_MS,
  isOpen,
  isPolled,
  newCommand,
  type PartnerCommand,
  type PartyCommand,
  requestPurpose,
} from '../../domain/commands/partner-command.js';
import type { Deps } from '../../ports/deps.js';
import type { Batch } from '../service/batch.js';
import { atInstance } from '../service/partner-calls.js';

/** Due now or, with a lease, run by the process that stores it. */
export function partyCommand(
  deps: Deps,
  tenant: Tenant,
  {
    id,
    kind,
    subject,
    request,
    lease,
  }: Pick<PartyCommand, 'id' | 'kind' | 'subject'> & {
    readonly request: string;
    readonly lease: string | null;
  },
): PartyCommand {
  const nowMs = deps.clock.nowMs();
  const made = newCommand(tenant, { id, reference: id }, { kind, subject }, nowMs);
  const command = atInstance(deps, made);
  return Object.freeze({
    ...command,
    request: deps.secretBox.seal(request, requestPurpose(command)),
    leaseToken: lease,
    dueAtMs: lease === null ? nowMs : nowMs + COMMAND_LEASE_MS,
  });
}

/** The command of the dossier before has ended for us: its reports do not count any more. */
export async function stageReplaced({ tx, nowMs }: Batch, commandId: string | null): Promise<void> {
  const command = commandId === null ? null : await tx.commands.get(commandId);
  if (command === null || !isPolled(command) || !isOpen(command)) return;
  tx.commands.update(replaceCommand(command, nowMs));
}

/** Stages that the caller runs an open command next; null if it has ended or is leased. */
export async function stageTaken(
  { deps, tx, nowMs }: Batch,
  commandId: string | null,
): Promise<PartnerCommand | null> {
  const command = commandId === null ? null : await tx.commands.get(commandId);
  if (command === null || !isOpen(command)) return null;
  if (command.leaseToken !== null && (command.dueAtMs ?? 0) > nowMs) return null;
  const leaseToken = deps.store.claims.newLease();
  const taken = Object.freeze({ ...command, leaseToken, dueAtMs: nowMs + COMMAND_LEASE_MS });
  tx.commands.update(taken);
  return taken;
}
