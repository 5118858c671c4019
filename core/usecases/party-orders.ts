// Orders to the partner about a party, whoever it is: the exact request is made first, then stored
// with the order, and whoever stored it may work on it at once under a lease. What the partner says
// of the party is parties.ts's matter.
import type { EntityType } from '../domain/connected-account.js';
import { type Dossier, isTierAllowed } from '../domain/dossier.js';
import {
  COMMAND_LEASE_MS,
  type CommandKind,
  newCommand,
  type PartnerCommand,
  requestPurpose,
} from '../domain/partner-command.js';
import type { Tenant } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps, ReceiverOrder, SettlementPartner } from '../ports.js';

export function refuseTier(entityType: EntityType, dossier: Dossier): void {
  if (isTierAllowed(entityType, dossier)) return;
  throw new PonteError('ValidationError', 'kycTier: enhanced is for individuals. Send standard.');
}

/**
 * The text that hands this party in; making it has no effect. ValidationError for what the partner
 * never takes, PartnerUnavailable when it cannot be asked.
 */
export async function preparedParty(
  partner: SettlementPartner,
  order: ReceiverOrder,
): Promise<string> {
  const answer = await partner.receiver.prepare(order);
  if (answer.outcome === 'refused') throw new PonteError('ValidationError', answer.message);
  if (answer.outcome !== 'done') throw new PonteError('PartnerUnavailable');
  return answer.value;
}

/** An order with its request fixed: due at once or, under a lease, its maker's for a while. */
export function partyOrder(
  deps: Deps,
  tenant: Tenant,
  order: {
    readonly id: string;
    readonly kind: CommandKind;
    readonly request: string;
    readonly lease: string | null;
  },
  party: Parameters<typeof newCommand>[3],
): PartnerCommand {
  const { id, kind, request, lease } = order;
  const nowMs = deps.clock.nowMs();
  const draft = { kind, amount: null, payinId: null };
  const command = newCommand(tenant, { id, reference: id }, draft, party, nowMs);
  return Object.freeze({
    ...command,
    request: deps.secretBox.seal(request, requestPurpose(command)),
    leaseToken: lease,
    dueAtMs: lease === null ? nowMs : nowMs + COMMAND_LEASE_MS,
  });
}

/** For an order that the process works on that makes it. */
export function newLease(deps: Deps): string {
  return deps.store.claims.owner + Buffer.from(deps.ids.randomBytes(16)).toString('hex');
}
