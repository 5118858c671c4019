// What an integrator does with connected accounts: create, read, list, terms, submit and payout.
// What follows from a change is in party-kinds.ts.
import { readEmail } from '../../domain/base/email-address.js';
import type { Locale } from '../../domain/base/locale.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { isAnswer } from '../../domain/hosted/party-answer.js';
import {
  accountTermsAccepted,
  type ConnectedAccount,
  payableSeller,
  taxIdPurpose,
} from '../../domain/parties/connected-account.js';
import { type Dossier, malformedFields, nameIn } from '../../domain/parties/dossier.js';
import { isSubmitted, newParty, submitted } from '../../domain/parties/party.js';
import { isDue, TERMS } from '../../domain/parties/party-due.js';
import { noPayout } from '../../domain/parties/payee.js';
import { lastFour } from '../../domain/parties/tax-id.js';
import { accountMismatch } from '../../domain/payments/idempotency.js';
import { EXTERNAL_PREFIX, externalIdIn } from '../../domain/payments/payment.js';
import { expectFound, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer } from '../../ports/partner.js';
import type { AccountFilter } from '../../ports/storage.js';
import type { Batch } from '../service/batch.js';
import {
  callSafely,
  expectAccepted,
  expectDone,
  requirePartner,
} from '../service/partner-calls.js';
import { type BindKey, noKey } from '../service/repeated-actions.js';
import { stageSubmitted } from './documents.js';
import { type FormSent, formSent, isFormVersion } from './kyc-drafts.js';
import { accountKind, loadAccount, stageAccountEvents } from './party-kinds.js';
import { configurePayoutOf, type PayoutAuthor, type PixDestination } from './party-payouts.js';
import { announceParty, stagePartyRead } from './party-reports.js';
import { isAsKnown, refuseTier, submitParty } from './party-submissions.js';

/** The key of a terms session binds a redirect to an account. */
const TOS_KEY_BYTES = 16;

export interface CreateAccountInput
  extends Pick<
    ConnectedAccount,
    'role' | 'entityType' | 'externalId' | 'email' | 'legalName' | 'displayName' | 'country'
  > {
  /** Null or absent: that of its country. */
  readonly locale?: Locale | null;
  /** Stored sealed; only its last four characters are shown. */
  readonly taxId: string | null;
}

/**
 * Creates an account, or finds the one of this externalId (`replayed`), with the fields that differ
 * from what is stored (`mismatch`). Concurrent creates make one account.
 * IdempotencyKeyConflict: the account with `newId` exists.
 */
export async function createAccount(
  deps: Deps,
  tenant: Tenant,
  input: CreateAccountInput,
  newId: string | null = null,
) {
  const created = await deps.store.run(async (tx) => {
    if (newId !== null && (await tx.accounts.get(tenant, newId)) !== null) {
      throw new PonteError('IdempotencyKeyConflict', 'This account was created before.');
    }
    const { externalId } = input;
    const known = externalId === null ? null : await tx.accounts.byExternalId(tenant, externalId);
    if (known !== null) return { account: known, replayed: true };
    const account = newAccount(deps, tenant, input, newId);
    tx.accounts.insert(account);
    await stageAccountEvents(deps, tx, null, account);
    return { account, replayed: false };
  });
  if (!created.replayed) {
    announceParty(deps);
    return { ...created, mismatch: [] };
  }
  const { account } = created;
  const mismatch = accountMismatch(
    { locale: null, ...input },
    { ...account, taxId: openTaxId(deps, account) },
  );
  if (mismatch.length > 0) {
    deps.log.warn('a repeated create differs', { accountId: account.id, fields: mismatch });
  }
  return { ...created, mismatch };
}

export function openTaxId(deps: Deps, account: ConnectedAccount): string | null {
  const { taxIdSealed } = account;
  return taxIdSealed === null ? null : deps.secretBox.open(taxIdSealed, taxIdPurpose(account));
}

/** The id that a path names: itself or, with `ext_`, that of the externalId. NotFound. */
export async function accountIdOf(deps: Deps, tenant: Tenant, named: string): Promise<string> {
  if (!named.startsWith(EXTERNAL_PREFIX)) return named;
  const account = expectFound(
    await deps.store.run((tx) => tx.accounts.byExternalId(tenant, externalIdIn(named))),
  );
  return account.id;
}

export async function readAccount(
  deps: Deps,
  tenant: Tenant,
  id: string,
): Promise<ConnectedAccount> {
  return deps.store.run((tx) => loadAccount(tx, tenant, id));
}

export async function listAccounts(
  deps: Deps,
  tenant: Tenant,
  filter: AccountFilter,
): Promise<readonly ConnectedAccount[]> {
  return deps.store.run((tx) => tx.accounts.list(tenant, filter));
}

/** The list of the one account that has this externalId, if it fits the filter. */
export async function listNamedAccount(
  deps: Deps,
  tenant: Tenant,
  externalId: string,
  { role, status }: AccountFilter,
): Promise<readonly ConnectedAccount[]> {
  const found = await deps.store.run((tx) => tx.accounts.byExternalId(tenant, externalId));
  const fits =
    found !== null &&
    (role ?? found.role) === found.role &&
    (status ?? found.status) === found.status;
  return fits ? [found] : [];
}

/** The language of mails to it. */
export async function setAccountLocale(
  deps: Deps,
  tenant: Tenant,
  id: string,
  locale: Locale | null,
): Promise<void> {
  await changeAccount(deps, tenant, id, async (was) => ({ ...was, locale }));
}

/** A page of the partner where the end client accepts the terms. PartnerUnavailable. */
export async function startTerms(
  deps: Deps,
  tenant: Tenant,
  id: string,
  redirectUrl: string,
): Promise<{ readonly url: string; readonly idempotencyKey: string }> {
  const { status, partnerRef } = await readAccount(deps, tenant, id);
  // Terms of a rejected party serve no other one.
  const partyRef = status === 'rejected' ? null : partnerRef;
  const key = Buffer.from(deps.ids.randomBytes(TOS_KEY_BYTES)).toString('hex');
  const partner = await requirePartner(deps, tenant);
  const { url } = expectAccepted(
    await callSafely(() => partner.startTos({ redirectUrl, key, partyRef })),
  );
  await changeAccount(deps, tenant, id, async (was) => ({ ...was, tosSessionKey: key }));
  return { url, idempotencyKey: key };
}

/**
 * TosSessionRequired before a session, TosIdMismatch if another id is stored and no terms are due.
 * New terms of a party that the partner knows are due until a read shows that it has them.
 */
export async function acceptAccountTerms(
  deps: Deps,
  tenant: Tenant,
  id: string,
  tosId: string,
  bindKey = noKey,
): Promise<ConnectedAccount> {
  await changeAccount(deps, tenant, id, async (was, { tx, nowMs }) => {
    await bindKey(tx, nowMs);
    if (isDue(was, TERMS)) await stagePartyRead(tx, was.commandId, nowMs);
    return accountTermsAccepted(was, tosId);
  });
  return readAccount(deps, tenant, id);
}

async function changeAccount(
  deps: Deps,
  tenant: Tenant,
  id: string,
  change: (was: ConnectedAccount, batch: Batch) => Promise<ConnectedAccount>,
): Promise<void> {
  await deps.store.run(async (tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    const was = await loadAccount(tx, tenant, id);
    await accountKind.stage(batch, was, await change(was, batch));
  });
  announceParty(deps);
}

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
  bindKey = noKey,
): Promise<ConnectedAccount> {
  expectDone(await sendAccount(deps, tenant, id, sent, { formVersion: null, bindKey }));
  return readAccount(deps, tenant, id);
}

/**
 * Submits what the seller filled in on its form, if the draft still has this version. `refused`:
 * the partner does not take the data.
 */
export async function submitAccountForm(
  deps: Deps,
  tenant: Tenant,
  id: string,
  sent: Dossier,
  version: number,
): Promise<FormSent> {
  return formSent(
    await sendAccount(deps, tenant, id, sent, { formVersion: version, bindKey: noKey }),
  );
}

interface Sending {
  /** Null for a dossier of the API. */
  readonly formVersion: number | null;
  readonly bindKey: BindKey;
}

/** Done with null: nothing was submitted. */
async function sendAccount(
  deps: Deps,
  tenant: Tenant,
  id: string,
  sent: Dossier,
  { formVersion, bindKey }: Sending,
): Promise<PartnerAnswer<{ readonly id: string } | null>> {
  const known = await readAccount(deps, tenant, id);
  const isNew = !isSubmitted(known.status);
  const { tosId = null, ...given } = sent;
  if (!isNew && tosId !== null && isDue(known, TERMS))
    await acceptAccountTerms(deps, tenant, id, tosId);
  if (!isNew && !isAnswer(known, sent)) return { outcome: 'done', value: null };
  const { role, entityType, partnerRef } = known;
  const dossier = isNew
    ? wholeDossier(deps, withSentTerms(known, tosId), sent)
    : { ...wholeDossier(deps, known, given), ...withoutNulls(given) };
  refuseTier(entityType, dossier);
  const malformed = malformedFields(dossier);
  if (malformed.length > 0) throw invalid(`${malformed.join('; ')}.`);
  return submitParty(deps, tenant, {
    kind: 'account',
    role,
    entityType,
    dossier,
    previousRef: isNew ? null : partnerRef,
    // The partner knows the rest of the dossier.
    due: isNew ? null : known,
    async stage(batch, commandId) {
      const { tx, nowMs } = batch;
      const was = await loadAccount(tx, tenant, id);
      if (!isAsKnown(was, known)) return null;
      await bindKey(tx, nowMs);
      if (!(await isFormVersion(tx, tenant, id, formVersion))) return null;
      await stageSubmitted(deps, tx, tenant, { party: 'account', id }, sent);
      const bound = isNew ? withSentTerms(was, tosId) : was;
      const receiverId = isNew ? deps.ids.next('rcv', nowMs) : was.receiverId;
      const details = { ...detailsOf(deps, was, dossier), receiverId };
      await accountKind.stage(batch, was, { ...submitted(bound, commandId), ...details });
      return { id, replacedCommandId: was.commandId };
    },
  });
}

function withSentTerms(account: ConnectedAccount, tosId: string | null): ConnectedAccount {
  return tosId === null ? account : accountTermsAccepted(account, tosId);
}

/** The dossier, completed with data sent at the creation. */
function wholeDossier(deps: Deps, account: ConnectedAccount, sent: Dossier): Dossier {
  const email = sent.email ?? nonBlank(account.email);
  return {
    ...sent,
    tosId: account.tosId,
    email: email === null ? null : (readEmail(email) ?? email),
    legalName: sent.legalName ?? nonBlank(account.legalName),
    country: sent.country ?? nonBlank(account.country),
    taxId: sent.taxId ?? nonBlank(openTaxId(deps, account)),
  };
}

function nonBlank(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text;
}

function withoutNulls(sent: Dossier): Dossier {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value != null));
}

/** The part of the dossier that the account stores; the rest is in the command only. */
function detailsOf(deps: Deps, account: ConnectedAccount, dossier: Dossier) {
  const { email = null, legalName = null, country = null } = dossier;
  // The tax id of a Brazilian company is its company number.
  const taxId = dossier.taxId ?? dossier.cnpj ?? null;
  return {
    email,
    // Buyers see whom they pay. The name of a person who buys is in the dossier only.
    legalName: account.role === 'seller' ? nameIn(account.entityType, dossier) : legalName,
    country,
    taxIdSealed: taxId === null ? null : deps.secretBox.seal(taxId, taxIdPurpose(account)),
    taxIdLast4: taxId === null ? null : lastFour(taxId),
  };
}

/**
 * Registers the PIX destination of an approved seller and requests its off-ramp wallet.
 * ValidationError (a buyer, a refused key), ConnectedAccountNotApproved, InsufficientScope,
 * PartnerUnavailable.
 */
export async function configureAccountPayout(
  deps: Deps,
  tenant: Tenant,
  id: string,
  destination: PixDestination,
  by: PayoutAuthor,
  bindKey = noKey,
): Promise<ConnectedAccount> {
  const access = {
    kind: accountKind,
    payableParty: payableSeller,
    seller: (account: ConnectedAccount) => account,
    taxId: openTaxId,
  };
  await configurePayoutOf(deps, tenant, id, access, destination, by, bindKey);
  return readAccount(deps, tenant, id);
}

function newAccount(
  deps: Deps,
  tenant: Tenant,
  input: CreateAccountInput,
  newId: string | null,
): ConnectedAccount {
  const nowMs = deps.clock.nowMs();
  const id = newId ?? deps.ids.next('acct', nowMs);
  const { taxId, locale = null, ...sent } = input;
  return Object.freeze({
    ...tenantOf(tenant),
    ...sent,
    locale,
    id,
    status: 'created',
    receiverId: null,
    ...newParty,
    ...noPayout,
    taxIdSealed: taxId === null ? null : deps.secretBox.seal(taxId, taxIdPurpose({ id })),
    taxIdLast4: taxId === null ? null : lastFour(taxId),
    tosSessionKey: null,
    readyAtMs: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    version: 1,
  });
}
