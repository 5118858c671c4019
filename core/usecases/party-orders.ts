// Orders to the partner about a party: its dossier, or the rails of a payee. The exact request is
// prepared first, then stored with the order.
import { replaceOrder } from '../domain/order-report.js';
import {
  COMMAND_LEASE_MS,
  isOpen,
  isPolled,
  newCommand,
  type PartnerCommand,
  type PartyCommand,
  requestPurpose,
} from '../domain/partner-command.js';
import type { Tenant } from '../domain/tenant.js';
import type { Deps } from '../ports/deps.js';
import type { Batch } from './batch.js';

/** Due now or, with a lease, run by the process that stores it. */
export function partyOrder(
  deps: Deps,
  tenant: Tenant,
  order: Pick<PartyCommand, 'id' | 'kind' | 'subject'> & {
    readonly request: string;
    readonly lease: string | null;
  },
): PartyCommand {
  const { id, kind, subject, request, lease } = order;
  const nowMs = deps.clock.nowMs();
  const command = newCommand(tenant, { id, reference: id }, { kind, subject }, nowMs);
  return Object.freeze({
    ...command,
    request: deps.secretBox.seal(request, requestPurpose(command)),
    leaseToken: lease,
    dueAtMs: lease === null ? nowMs : nowMs + COMMAND_LEASE_MS,
  });
}

/** The order of the dossier before has ended for us: its reports do not count any more. */
export async function stageReplaced({ tx, nowMs }: Batch, orderId: string | null): Promise<void> {
  const order = orderId === null ? null : await tx.commands.get(orderId);
  if (order === null || !isPolled(order) || !isOpen(order)) return;
  tx.commands.update(replaceOrder(order, nowMs));
}

/** Stages that the caller runs an open order next; null if it has ended or is leased. */
export async function stageTaken(
  { deps, tx, nowMs }: Batch,
  orderId: string | null,
): Promise<PartnerCommand | null> {
  const order = orderId === null ? null : await tx.commands.get(orderId);
  if (order === null || !isOpen(order)) return null;
  if (order.leaseToken !== null && (order.dueAtMs ?? 0) > nowMs) return null;
  const leaseToken = deps.store.claims.newLease();
  const taken = Object.freeze({ ...order, leaseToken, dueAtMs: nowMs + COMMAND_LEASE_MS });
  tx.commands.update(taken);
  return taken;
}
