// Sessions of members: authenticates requests, makes tokens, switches their mode.
import { SESSION_MS, scopesOf } from '../../domain/access/member.js';
import type { Scope } from '../../domain/access/scope.js';
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import { needsOnboarding } from '../../domain/parties/organization.js';
import type { PartyStatus } from '../../domain/parties/party.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { SessionClaims } from '../../ports/outside.js';
import { findMember } from './members.js';

export interface SessionActor extends Tenant {
  readonly memberId: string;
  /** The scopes of the member's role; never empty. */
  readonly scopes: readonly Scope[];
}

export interface Session {
  readonly token: string;
  readonly mode: Mode;
  readonly expiresAtMs: number;
}

export interface OnboardingStatus {
  readonly mode: Mode;
  readonly needsOnboarding: boolean;
  readonly tosAccepted: boolean;
  /** Null before the first submission. */
  readonly kybStatus: PartyStatus | null;
}

/**
 * The actor of an Authorization header. Unauthorized without a bearer token, InvalidToken if it is
 * forged or expired or its member was removed. The member is read each time, so a removal or
 * another role takes effect on the next request.
 */
export async function authenticateSession(
  deps: Deps,
  header: string | undefined,
): Promise<SessionActor> {
  const token = bearerToken(header);
  if (token === null) throw new PonteError('Unauthorized');
  const claims = await deps.tokenSigner.verify(token, deps.clock.nowMs());
  if (claims === null) throw new PonteError('InvalidToken');
  const { orgId, mode, memberId } = claims;
  const member = await deps.store.run((tx) => tx.members.get(orgId, memberId));
  if (member === null || member.removedAtMs !== null) throw new PonteError('InvalidToken');
  return { orgId, mode, memberId, scopes: scopesOf(member.role) };
}

/** Null for another credential or none. */
export function bearerToken(header: string | undefined): string | null {
  const [scheme = '', ...rest] = (header ?? '').trim().split(/ +/);
  return scheme.toLowerCase() === 'bearer' ? rest.join(' ') : null;
}

/** For operators. ProductionAccessNotApproved for live mode without access. */
export async function createSession(
  deps: Deps,
  input: { readonly orgId: string; readonly email: string; readonly mode: Mode },
): Promise<Session> {
  const member = await findMember(deps, input.orgId, input.email);
  return newSession(deps, { orgId: input.orgId, mode: input.mode, memberId: member.id });
}

/** A new token of the same member for `mode`; the old one stays valid. */
export async function switchMode(deps: Deps, actor: SessionActor, mode: Mode): Promise<Session> {
  return newSession(deps, { orgId: actor.orgId, mode, memberId: actor.memberId });
}

export async function onboardingStatus(deps: Deps, tenant: Tenant): Promise<OnboardingStatus> {
  const [organization, profile] = await deps.store.run((tx) =>
    Promise.all([tx.organizations.get(tenant.orgId), tx.organizations.profile(tenant)]),
  );
  assert(organization !== null && profile !== null, 'an actor has an organization');
  return {
    mode: tenant.mode,
    needsOnboarding: needsOnboarding(organization, profile),
    tosAccepted: profile.tosAcceptedAtMs !== null,
    kybStatus: profile.status,
  };
}

async function newSession(
  deps: Deps,
  claims: Omit<SessionClaims, 'expiresAtMs'>,
): Promise<Session> {
  if (claims.mode === 'live') {
    const organization = await deps.store.run((tx) => tx.organizations.get(claims.orgId));
    if (organization === null || organization.productionGrantedAtMs === null) {
      throw new PonteError('ProductionAccessNotApproved');
    }
  }
  const expiresAtMs = deps.clock.nowMs() + SESSION_MS;
  const token = await deps.tokenSigner.sign({ ...claims, expiresAtMs });
  return { token, mode: claims.mode, expiresAtMs };
}
