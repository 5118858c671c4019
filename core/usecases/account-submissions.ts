// Handing a connected account's dossier to the partner: what must be told, the order that carries
// it, and the call inside the request, so that its answer can bring the decision. The order is
// recorded before the call; a crash in between is healed by the workers.

import { readEmail } from '../domain/buyer-kyc.js';
import {
  type ConnectedAccount,
  isSubmitted,
  submitted,
  taxIdPurpose,
  termsAccepted,
} from '../domain/connected-account.js';
import { type Dossier, lastFour, malformedFields, missingFields } from '../domain/dossier.js';
import type { Tenant } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { SettlementPartner } from '../ports/partner.js';
import { loadAccount, stageAccount } from './account-changes.js';
import { openTaxId, readAccount } from './accounts.js';
import { runInline } from './command-runner.js';
import { stageSubmitted } from './documents.js';
import { partyOrder, refuseTier } from './onboarding.js';
import { expectDone, partnerOf } from './partner-calls.js';

/**
 * Submits an account, or answers with it as it is while it is verifying or approved. After a
 * rejection it is a fresh party. What the account was told at its creation need not be told again.
 * Refuses with TosSessionRequired, TosIdMismatch, ValidationError (what the dossier may not say),
 * ConnectedAccountMissingFields, PartnerUnavailable.
 */
export async function submitAccount(
  deps: Deps,
  tenant: Tenant,
  id: string,
  told: Dossier,
): Promise<ConnectedAccount> {
  const account = await readAccount(deps, tenant, id);
  if (isSubmitted(account.status)) return account;
  const partner = await partnerOf(deps, tenant);
  const dossier = wholeDossier(deps, account, told);
  checkDossier(partner, account, dossier);
  const commandId = deps.ids.next('cmd', deps.clock.nowMs());
  const { role, entityType } = account;
  const party = { ...dossier, reference: commandId, role, entityType };
  const request = expectDone(await partner.receiver.prepare(party));
  const lease = deps.store.claims.newLease();
  const command = await deps.store.run(async (tx) => {
    const was = await loadAccount(tx, tenant, id);
    if (isSubmitted(was.status)) return null;
    const nowMs = deps.clock.nowMs();
    await stageSubmitted(deps, tx, tenant, { party: 'account', id }, told);
    const bound = withTerms(was, told, nowMs);
    const receiverId = deps.ids.next('rcv', nowMs);
    const submission = { receiverId, submitCommandId: commandId, ...detailsOf(deps, was, dossier) };
    stageAccount(deps, tx, was, submitted(bound, submission, nowMs));
    const subject = { kind: 'account', id } as const;
    const order = { id: commandId, kind: 'submit_account', subject, request, lease } as const;
    const submit = partyOrder(deps, was, order);
    tx.commands.insert(submit);
    return submit;
  });
  if (command !== null) await runInline(deps, command);
  return readAccount(deps, tenant, id);
}

/** What is told now, and what the account was told at its creation, where it says something. */
function wholeDossier(deps: Deps, account: ConnectedAccount, told: Dossier): Dossier {
  const email = told.email ?? saying(account.email);
  return {
    ...told,
    tosId: withTerms(account, told, account.updatedAtMs).tosId,
    email: email === null ? null : (readEmail(email) ?? email),
    legalName: told.legalName ?? saying(account.legalName),
    country: told.country ?? saying(account.country),
    taxId: told.taxId ?? saying(openTaxId(deps, account)),
  };
}

function saying(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}

function withTerms(account: ConnectedAccount, { tosId }: Dossier, nowMs: number) {
  return tosId === null || tosId === undefined ? account : termsAccepted(account, tosId, nowMs);
}

function checkDossier(
  partner: SettlementPartner,
  { role, entityType }: ConnectedAccount,
  dossier: Dossier,
): void {
  refuseTier(entityType, dossier);
  const malformed = malformedFields(dossier);
  if (malformed.length > 0) throw new PonteError('ValidationError', `${malformed.join('; ')}.`);
  const extra = partner.requirements(role, entityType);
  const missing = missingFields(role, entityType, dossier, extra);
  if (missing.length === 0) return;
  throw new PonteError(
    'ConnectedAccountMissingFields',
    `A ${role} ${entityType} lacks: ${missing.join(', ')}. Send these fields and submit again.`,
  );
}

/** What the account shows of its dossier from now on; the rest is in the order alone. */
function detailsOf(deps: Deps, account: ConnectedAccount, dossier: Dossier) {
  const { email = null, legalName = null, country = null } = dossier;
  // The tax id of a Brazilian company is its company number.
  const taxId = dossier.taxId ?? dossier.cnpj ?? null;
  return {
    email,
    legalName,
    country,
    taxIdSealed: taxId === null ? null : deps.secretBox.seal(taxId, taxIdPurpose(account)),
    taxIdLast4: taxId === null ? null : lastFour(taxId),
  };
}
