// What an integrator does with connected accounts: create, read, list, terms and payout. Submitting
// the dossier is in account-submissions.ts, what follows from a change in account-changes.ts.
import {
  type ConnectedAccount,
  type EntityType,
  isRedirected,
  payableParty,
  payoutConfigured,
  type Role,
  taxIdPurpose,
  termsAccepted,
  termsStarted,
} from '../domain/connected-account.js';
import { lastFour } from '../domain/dossier.js';
import { accountMismatch } from '../domain/idempotency.js';
import { isDue, nothingDue, TERMS } from '../domain/party-due.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { AccountFilter } from '../ports/storage.js';
import {
  announceAccount,
  changeAccount,
  loadAccount,
  stageAccount,
  stageAccountEvents,
} from './account-changes.js';
import { runInline } from './command-runner.js';
import { callSafely, expectDone, partnerOf } from './partner-calls.js';
import { stagePartyRead } from './party-reports.js';
import { announceRedirect, stagePayoutNotices } from './payout-notices.js';
import { partnerKey } from './service-keys.js';

/** The key of a terms session binds a redirect to an account. */
const TOS_KEY_BYTES = 16;

export interface CreateAccountInput {
  readonly role: Role;
  readonly entityType: EntityType;
  readonly externalId: string | null;
  readonly email: string | null;
  readonly legalName: string | null;
  readonly displayName: string | null;
  readonly country: string | null;
  /** Stored sealed; only its last four characters are shown. */
  readonly taxId: string | null;
}

interface PayoutDestination {
  /** Sent to the partner; neither stored nor logged. */
  readonly pixKey: string;
  readonly accountHolderName: string;
}

interface CreatedAccount {
  readonly account: ConnectedAccount;
  /** The account of this externalId existed. */
  readonly replayed: boolean;
  /** Of a replay: the fields that differ from what is stored. */
  readonly mismatch: readonly string[];
}

/** Creates an account, or finds the one of this externalId. Concurrent creates make one account. */
export async function createAccount(
  deps: Deps,
  tenant: Tenant,
  input: CreateAccountInput,
): Promise<CreatedAccount> {
  const created = await deps.store.run(async (tx) => {
    const { externalId } = input;
    const known = externalId === null ? null : await tx.accounts.byExternalId(tenant, externalId);
    if (known !== null) return { account: known, replayed: true };
    const account = newAccount(deps, tenant, input);
    tx.accounts.insert(account);
    stageAccountEvents(deps, tx, null, account);
    return { account, replayed: false };
  });
  if (!created.replayed) {
    announceAccount(deps);
    return { ...created, mismatch: [] };
  }
  const { account } = created;
  const mismatch = accountMismatch(input, { ...account, taxId: openTaxId(deps, account) });
  if (mismatch.length > 0) {
    deps.log.warn('a repeated create differs', { accountId: account.id, fields: mismatch });
  }
  return { ...created, mismatch };
}

export function openTaxId(deps: Deps, account: ConnectedAccount): string | null {
  const { taxIdSealed } = account;
  return taxIdSealed === null ? null : deps.secretBox.open(taxIdSealed, taxIdPurpose(account));
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

/** A page of the partner where the end client accepts the terms. PartnerUnavailable. */
export async function startTerms(
  deps: Deps,
  tenant: Tenant,
  id: string,
  redirectUrl: string,
): Promise<{ readonly url: string; readonly idempotencyKey: string }> {
  const { status, partnerRef } = await readAccount(deps, tenant, id);
  // Terms of a rejected party serve no other one.
  const receiverRef = status === 'rejected' ? null : partnerRef;
  const key = Buffer.from(deps.ids.randomBytes(TOS_KEY_BYTES)).toString('hex');
  const partner = await partnerOf(deps, tenant);
  const { url } = expectDone(
    await callSafely(() => partner.startTos({ redirectUrl, key, receiverRef })),
  );
  await changeAccount(deps, tenant, id, (was, nowMs) => termsStarted(was, key, nowMs));
  return { url, idempotencyKey: key };
}

/**
 * TosSessionRequired before a session, TosIdMismatch if another id is stored and no terms are due.
 * New terms of a party that the partner knows are due until a read shows that it has them.
 */
export async function acceptTerms(
  deps: Deps,
  tenant: Tenant,
  id: string,
  tosId: string,
): Promise<ConnectedAccount> {
  const accepted = await deps.store.run(async (tx) => {
    const was = await loadAccount(tx, tenant, id);
    const nowMs = deps.clock.nowMs();
    const next = termsAccepted(was, tosId, nowMs);
    stageAccount(deps, tx, was, next);
    if (isDue(was, TERMS)) await stagePartyRead(tx, was.submitCommandId, nowMs);
    return next;
  });
  announceAccount(deps);
  return accepted;
}

/**
 * Registers the PIX destination of an approved seller and requests its off-ramp wallet. Existing
 * payments keep the old destination; a change is mailed to the people who can undo it. Without an
 * answer nothing is stored: the client repeats the request under the same key. ValidationError (a
 * buyer, a refused key), ConnectedAccountNotApproved, PartnerUnavailable.
 */
export async function configureAccountPayout(
  deps: Deps,
  tenant: Tenant,
  id: string,
  destination: PayoutDestination,
): Promise<ConnectedAccount> {
  const receiverRef = payableParty(await readAccount(deps, tenant, id));
  const destinationRef = await registered(deps, tenant, id, receiverRef, destination);
  const lease = deps.store.claims.newLease();
  const { rails, redirected } = await deps.store.run(async (tx) => {
    const was = await loadAccount(tx, tenant, id);
    // It may have been rejected since, or submitted as another party.
    if (payableParty(was) !== receiverRef) throw new PonteError('ConnectedAccountNotApproved');
    const nowMs = deps.clock.nowMs();
    const next = payoutConfigured(was, destinationRef, deps.ids.next('cmd', nowMs), nowMs);
    const redirected = isRedirected(was, next);
    if (redirected) await stagePayoutNotices(deps, tx, tenant, next);
    return { rails: stageAccount(deps, tx, was, next, lease), redirected };
  });
  announceAccount(deps);
  if (redirected) announceRedirect(deps, tenant, id);
  if (rails !== null) await runInline(deps, rails);
  return readAccount(deps, tenant, id);
}

function newAccount(deps: Deps, tenant: Tenant, input: CreateAccountInput): ConnectedAccount {
  const nowMs = deps.clock.nowMs();
  const id = deps.ids.next('acct', nowMs);
  const { taxId, ...sent } = input;
  return Object.freeze({
    ...tenantOf(tenant),
    ...sent,
    id,
    status: 'created',
    receiverId: null,
    submitCommandId: null,
    partnerRef: null,
    taxIdSealed: taxId === null ? null : deps.secretBox.seal(taxId, taxIdPurpose({ id })),
    taxIdLast4: taxId === null ? null : lastFour(taxId),
    tosSessionKey: null,
    tosId: null,
    destinationRef: null,
    railsCommandId: null,
    railsRef: null,
    readyAtMs: null,
    reason: null,
    approvedAtMs: null,
    rejectedAtMs: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    ...nothingDue,
    version: 1,
  });
}

async function registered(
  deps: Deps,
  tenant: Tenant,
  id: string,
  receiverRef: string,
  { pixKey, accountHolderName }: PayoutDestination,
): Promise<string> {
  const bound = [tenant.orgId, tenant.mode, id, receiverRef, pixKey, accountHolderName];
  const key = await partnerKey(deps, 'account-pix-destination', bound);
  const order = { receiverRef, pixKey, accountHolderName, key };
  const partner = await partnerOf(deps, tenant);
  const answer = await callSafely(() => partner.registerPixDestination(order), pixKey);
  return expectDone(answer).destinationRef;
}
