// Submits the dossier of a connected account to the partner. The order is stored before the call,
// which runs inside the request because its answer may contain the decision. After a crash in
// between the workers call.
import { readEmail } from '../domain/buyer-kyc.js';
import {
  answered,
  type ConnectedAccount,
  isSubmitted,
  submitted,
  taxIdPurpose,
  termsAccepted,
} from '../domain/connected-account.js';
import { type Dossier, lastFour, malformedFields, missingFields } from '../domain/dossier.js';
import { isAnswer, unanswered } from '../domain/party-answer.js';
import { isDue, TERMS } from '../domain/party-due.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { SettlementPartner } from '../ports/partner.js';
import { loadAccount, stageAccount } from './account-changes.js';
import { acceptTerms, openTaxId, readAccount } from './accounts.js';
import { runInline } from './command-runner.js';
import { stageSubmitted } from './documents.js';
import { partyOrder, refuseTier, stageReplaced } from './onboarding.js';
import { expectDone, partnerOf } from './partner-calls.js';

/**
 * Submits an account. After a rejection it is a new party. While it is verifying or approved, only
 * an answer to what the partner wants is submitted; anything else changes nothing. Data sent at the
 * creation need not be sent again. TosSessionRequired, TosIdMismatch, ValidationError,
 * ConnectedAccountMissingFields, PartnerUnavailable.
 */
export async function submitAccount(
  deps: Deps,
  tenant: Tenant,
  id: string,
  sent: Dossier,
): Promise<ConnectedAccount> {
  const account = await readAccount(deps, tenant, id);
  if (!isSubmitted(account.status)) return submitParty(deps, account, sent);
  const { tosId = null } = sent;
  if (tosId !== null && isDue(account, TERMS)) await acceptTerms(deps, tenant, id, tosId);
  return isAnswer(account, sent) ? answer(deps, account, sent) : readAccount(deps, tenant, id);
}

async function submitParty(
  deps: Deps,
  account: ConnectedAccount,
  sent: Dossier,
): Promise<ConnectedAccount> {
  const partner = await partnerOf(deps, account);
  const dossier = wholeDossier(deps, account, sent);
  checkDossier(account, dossier, missingOf(partner, account, dossier));
  return submit(deps, account, { sent, dossier, previousRef: null }, (was, order, nowMs) => {
    if (isSubmitted(was.status)) return null;
    const bound = withTerms(was, sent, nowMs);
    const receiverId = deps.ids.next('rcv', nowMs);
    return submitted(bound, { receiverId, ...order }, nowMs);
  });
}

/** The partner knows the rest of the dossier: what is due is enough. */
async function answer(
  deps: Deps,
  account: ConnectedAccount,
  sent: Dossier,
): Promise<ConnectedAccount> {
  const { tosId: _, ...given } = sent;
  const dossier = { ...wholeDossier(deps, account, given), ...withoutNulls(given) };
  checkDossier(account, dossier, unanswered(account, dossier));
  const { partnerRef: previousRef, corrections } = account;
  return submit(deps, account, { sent, dossier, previousRef }, (was, order, nowMs) =>
    // Another answer may have been sent since, or more is due.
    was.corrections === corrections ? answered(was, order, nowMs) : null,
  );
}

interface Submission {
  readonly sent: Dossier;
  readonly dossier: Dossier;
  readonly previousRef: string | null;
}

/** `change` is null if there is nothing to submit any more. */
async function submit(
  deps: Deps,
  account: ConnectedAccount,
  { sent, dossier, previousRef }: Submission,
  change: (
    was: ConnectedAccount,
    order: Parameters<typeof answered>[1],
    nowMs: number,
  ) => ConnectedAccount | null,
): Promise<ConnectedAccount> {
  const { id, role, entityType } = account;
  const tenant = tenantOf(account);
  const partner = await partnerOf(deps, tenant);
  const commandId = deps.ids.next('cmd', deps.clock.nowMs());
  const party = { ...dossier, reference: commandId, role, entityType, previousRef };
  const request = expectDone(await partner.receiver.prepare(party));
  const lease = deps.store.claims.newLease();
  const command = await deps.store.run(async (tx) => {
    const was = await loadAccount(tx, tenant, id);
    const details = { submitCommandId: commandId, ...detailsOf(deps, was, dossier) };
    const next = change(was, details, deps.clock.nowMs());
    if (next === null) return null;
    await stageSubmitted(deps, tx, tenant, { party: 'account', id }, sent);
    await stageReplaced(deps, tx, was.submitCommandId);
    stageAccount(deps, tx, was, next);
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

function withoutNulls(sent: Dossier): Dossier {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value != null));
}

function missingOf(
  partner: SettlementPartner,
  { role, entityType }: ConnectedAccount,
  dossier: Dossier,
): readonly string[] {
  return missingFields(role, entityType, dossier, partner.requirements(role, entityType));
}

function checkDossier(
  { role, entityType }: ConnectedAccount,
  dossier: Dossier,
  missing: readonly string[],
): void {
  refuseTier(entityType, dossier);
  const malformed = malformedFields(dossier);
  if (malformed.length > 0) throw new PonteError('ValidationError', `${malformed.join('; ')}.`);
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
