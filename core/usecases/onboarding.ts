// Orders to the partner about a party: an organization, a buyer or a connected account. The exact
// request is prepared first, then stored with the order.
import type { EntityType } from '../domain/connected-account.js';
import { type Dossier, isTierAllowed } from '../domain/dossier.js';
import { replaceOrder } from '../domain/order-report.js';
import {
  COMMAND_LEASE_MS,
  isOpen,
  isPolled,
  newCommand,
  type PartyCommand,
  requestPurpose,
} from '../domain/partner-command.js';
import type { Tenant } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';

export function refuseTier(entityType: EntityType, dossier: Dossier): void {
  if (isTierAllowed(entityType, dossier)) return;
  throw new PonteError('ValidationError', 'kycTier: enhanced is for individuals. Send standard.');
}

/** The order of the dossier before has ended for us: its reports do not count any more. */
export async function stageReplaced(deps: Deps, tx: Tx, orderId: string | null): Promise<void> {
  const order = orderId === null ? null : await tx.commands.get(orderId);
  if (order === null || !isPolled(order) || !isOpen(order)) return;
  tx.commands.update(replaceOrder(order, deps.clock.nowMs()));
}

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
