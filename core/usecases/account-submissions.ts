// Submits the dossier of a connected account to the partner. The order is stored before the call,
// which runs inside the request because its answer may contain the decision. After a crash in
// between the workers call.
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
 * Submits an account; unchanged while it is verifying or approved. After a rejection it is a new
 * party. Data sent at its creation need not be sent again. TosSessionRequired, TosIdMismatch,
 * ValidationError, ConnectedAccountMissingFields, PartnerUnavailable.
 */
export async function submitAccount(
  deps: Deps,
  tenant: Tenant,
  id: string,
  sent: Dossier,
): Promise<ConnectedAccount> {
  const account = await readAccount(deps, tenant, id);
  if (isSubmitted(account.status)) return account;
  const partner = await partnerOf(deps, tenant);
  const dossier = wholeDossier(deps, account, sent);
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
    await stageSubmitted(deps, tx, tenant, { party: 'account', id }, sent);
    const bound = withTerms(was, sent, nowMs);
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

/** The dossier, completed with data sent at the creation. */
function wholeDossier(deps: Deps, account: ConnectedAccount, sent: Dossier): Dossier {
  const email = sent.email ?? nonBlank(account.email);
  return {
    ...sent,
    tosId: withTerms(account, sent, account.updatedAtMs).tosId,
    email: email === null ? null : (readEmail(email) ?? email),
    legalName: sent.legalName ?? nonBlank(account.legalName),
    country: sent.country ?? nonBlank(account.country),
    taxId: sent.taxId ?? nonBlank(openTaxId(deps, account)),
  };
}

function nonBlank(text: string | null): string | null {
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

/** The part of the dossier that the account stores; the rest is in the order only. */
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
