// The link by which a seller opens its own onboarding: an API key or a member makes it, and a press
// starts a session. Only the hash of its token is stored. The newest link counts: it ends the links
// and sessions before it. The organization mails it, so a gateway of mails may press its button
// first: it stays open until a session of it has stored something, which ends all others.
import {
  hashSessionToken,
  isSessionOpen,
  type PageSession,
  pageSessionKinds,
} from '../../domain/access/session.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { onboardingPath } from '../../domain/hosted/hosted-page.js';
import type { ConnectedAccount } from '../../domain/parties/connected-account.js';
import type { DestinationChange } from '../../domain/parties/destination-change.js';
import type { Organization } from '../../domain/parties/organization.js';
import { invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { makeSession, type NewSession } from '../access/open-sessions.js';
import { configureAccountPayout } from '../parties/accounts.js';
import { loadOrganization } from '../parties/organizations.js';
import { loadAccount } from '../parties/party-kinds.js';
import type { PixDestination } from '../parties/party-payouts.js';
import { endAll } from '../service/tokens.js';

export interface OnboardingLink {
  /** Has the token; it is shown once. */
  readonly url: string;
  readonly expiresAtMs: number;
}

/** What a page shows before a link is used. */
export type OnboardingLinkState =
  | { readonly state: 'valid' | 'unknown' }
  /** `used`: a session of it has stored something, or a newer link replaced it. */
  | { readonly state: 'used' | 'over'; readonly atMs: number };

/** A seller, and what its pages say about the organization that it sells for. */
export interface Onboarding {
  readonly organization: Organization;
  readonly account: ConnectedAccount;
  /** The newest destination; null before the first. */
  readonly change: DestinationChange | null;
}

/** NotFound, ValidationError (a buyer). */
export async function createOnboardingLink(
  deps: Deps,
  tenant: Tenant,
  accountId: string,
): Promise<OnboardingLink> {
  const subject = { ...tenantOf(tenant), ...noSubject, kind: 'seller_link', accountId } as const;
  const { token, session } = makeSession(deps, subject);
  await deps.store.run(async (tx) => {
    const { role } = await loadAccount(tx, tenant, accountId);
    if (role !== 'seller') {
      throw invalid('role: only a seller has an onboarding link. This account is a buyer.');
    }
    await stageEnded(deps, tx, tenant, accountId);
    tx.sessions.insert(session);
  });
  const url = `${deps.settings.payUrl}${onboardingPath(tenant, accountId)}?token=${token}`;
  return { url, expiresAtMs: session.endsAtMs };
}

/** Changes nothing: scanners of mails open links too. */
export async function onboardingLinkState(
  deps: Deps,
  tenant: Tenant,
  accountId: string,
  token: string,
): Promise<OnboardingLinkState> {
  const link = await deps.store.run((tx) => findLink(tx, tenant, accountId, token));
  if (link === null) return { state: 'unknown' };
  const { endedAtMs, endsAtMs } = link;
  if (endedAtMs !== null) return { state: 'used', atMs: endedAtMs };
  const isOver = !isSessionOpen(link, deps.clock.nowMs());
  return isOver ? { state: 'over', atMs: endsAtMs } : { state: 'valid' };
}

/** A session of the link; null if it is used, over or unknown. */
export async function redeemOnboardingLink(
  deps: Deps,
  tenant: Tenant,
  accountId: string,
  token: string,
): Promise<NewSession | null> {
  const subject = { ...tenantOf(tenant), ...noSubject, kind: 'seller', accountId } as const;
  const made = makeSession(deps, subject);
  return deps.store.run(async (tx) => {
    const link = await findLink(tx, tenant, accountId, token);
    if (link === null || !isSessionOpen(link, deps.clock.nowMs())) return null;
    tx.sessions.expect(link);
    tx.sessions.insert(made.session);
    return made;
  });
}

const noSubject = { paymentId: null, submissionId: null, ownerIndex: null } as const;

async function stageEnded(deps: Deps, tx: Tx, tenant: Tenant, accountId: string): Promise<void> {
  endAll(tx, await tx.sessions.open(tenant, pageSessionKinds, { accountId }), deps.clock.nowMs());
}

async function findLink(
  tx: Tx,
  { orgId, mode }: Tenant,
  accountId: string,
  token: string,
): Promise<PageSession | null> {
  const link = await tx.sessions.byToken(['seller_link'], hashSessionToken(token));
  if (link?.accountId !== accountId) return null;
  return link.orgId === orgId && link.mode === mode ? link : null;
}

/** NotFound, also for a buyer. */
export async function readOnboarding(
  deps: Deps,
  tenant: Tenant,
  accountId: string,
): Promise<Onboarding> {
  return deps.store.run(async (tx) => {
    const [account, organization, [change]] = await Promise.all([
      loadAccount(tx, tenant, accountId),
      loadOrganization(tx, tenant.orgId),
      tx.destinationChanges.ofPayee(tenantOf(tenant), accountId, 1),
    ]);
    if (account.role !== 'seller') throw new PonteError('NotFound');
    return { account, organization, change: change ?? null };
  });
}

/**
 * Sets the first PIX destination of the seller. Only the organization changes one: a link that
 * reached somebody else redirects nothing. ValidationError, ConnectedAccountNotApproved,
 * InsufficientScope (there is one), PartnerUnavailable.
 */
export async function setFirstDestination(
  deps: Deps,
  tenant: Tenant,
  accountId: string,
  destination: PixDestination,
): Promise<void> {
  const by = { origin: 'seller', changedBy: accountId, mayRedirect: false } as const;
  await configureAccountPayout(deps, tenant, accountId, destination, by);
}
