// Submits the dossier of a party to the partner: a new party, or an answer to what the partner
// wants of one that it knows. The command is stored before the call. The call runs inside the
// request, because its answer may contain the decision; after a crash in between the workers call.
import type { Tenant } from '../../domain/base/tenant.js';
import type { Subject } from '../../domain/commands/partner-command.js';
import { unanswered } from '../../domain/hosted/party-answer.js';
import type { EntityType, Role } from '../../domain/parties/connected-account.js';
import {
  type Dossier,
  isTierAllowed,
  missingFields,
  partnerDossier,
} from '../../domain/parties/dossier.js';
import { isSubmitted, type Party } from '../../domain/parties/party.js';
import type { PartyDue } from '../../domain/parties/party-due.js';
import { invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer } from '../../ports/partner.js';
import type { Batch } from '../service/batch.js';
import { requirePartner } from '../service/partner-calls.js';
import { partyCommand, stageReplaced } from './party-commands.js';

export interface PartySubmission {
  readonly kind: Subject['kind'];
  readonly role: Role;
  readonly entityType: EntityType;
  readonly dossier: Dossier;
  /** The party that the dossier is an answer about; null for a new party. */
  readonly previousRef: string | null;
  /** An answer needs only what is due; null: the dossier must be complete. */
  readonly due: PartyDue | null;
  /** Stages the party with its new command; null if there is nothing to submit any more. */
  stage(
    batch: Batch,
    commandId: string,
  ): Promise<{ readonly id: string; readonly replacedCommandId: string | null } | null>;
}

/** API names of fields of a buyer's dossier with another name. */
const buyerNames: Readonly<Record<string, string>> = {
  email: 'buyerEmail',
  country: 'buyerCountry',
};

/** The command for each kind of party, and the error that lists the missing fields. */
const kinds = {
  organization: {
    commandKind: 'submit_organization',
    code: 'ValidationError',
    text: (missing: readonly string[]) =>
      `${missing.join(', ')}: the KYB of an organization needs these. Submit it with them.`,
  },
  account: {
    commandKind: 'submit_account',
    code: 'ConnectedAccountMissingFields',
    text: (missing: readonly string[], whose: string) =>
      `A ${whose} lacks: ${missing.join(', ')}. Send these fields and submit again.`,
  },
  submission: {
    commandKind: 'submit_buyer',
    // The interface answers a start of the KYC that lacks fields with this code, and names them.
    code: 'TosIdMismatch',
    text: (missing: readonly string[], whose: string) => {
      const paths = missing.map((path) => buyerNames[path] ?? path).join(', ');
      return `The dossier of a ${whose} lacks: ${paths}. Send these fields too.`;
    },
  },
} as const;

/** Refused if the partner does not take the data; without an effect if `stage` returns null. */
export async function submitParty(
  deps: Deps,
  tenant: Tenant,
  { kind, role, entityType, dossier, previousRef, due, stage }: PartySubmission,
): Promise<PartnerAnswer<{ readonly id: string } | null>> {
  const partner = await requirePartner(deps, tenant);
  const { commandKind, code, text } = kinds[kind];
  const missing =
    due === null
      ? missingFields(role, entityType, dossier, partner.requirements(role, entityType))
      : unanswered(due, dossier);
  if (missing.length > 0) throw new PonteError(code, text(missing, `${role} ${entityType}`));
  const commandId = deps.ids.next('cmd', deps.clock.nowMs());
  const party = { ...partnerDossier(dossier), role, entityType, previousRef, reference: commandId };
  const prepared = await partner.party.prepare(party);
  if (prepared.outcome !== 'done') return prepared;
  const lease = deps.store.claims.newLease();
  const command = await deps.store.run(async (tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    const staged = await stage(batch, commandId);
    if (staged === null) return null;
    const { id, replacedCommandId } = staged;
    await stageReplaced(batch, replacedCommandId);
    const subject = { kind, id };
    const request = { request: prepared.value, lease };
    const command = partyCommand(deps, tenant, {
      id: commandId,
      kind: commandKind,
      subject,
      ...request,
    });
    tx.commands.insert(command);
    return command;
  });
  if (command !== null) await deps.runCommand(deps, command);
  return { outcome: 'done', value: command?.subject ?? null };
}

export function refuseTier(entityType: EntityType, dossier: Dossier): void {
  if (isTierAllowed(entityType, dossier)) return;
  throw invalid('kycTier: enhanced is for individuals. Send standard.');
}

/** Nobody has submitted the party since it was read as `known`, and nothing else is due. */
export function isAsKnown(was: Party, known: Party): boolean {
  const { commandId, corrections } = known;
  const isSame = was.commandId === commandId && was.corrections === corrections;
  return isSame && isSubmitted(was.status) === isSubmitted(known.status);
}
