// Sessions of members: authenticates requests and pages of the dashboard, makes tokens, switches
// their mode, signs out.
import { type Member, scopesOf } from '../../domain/access/member.js';
import {
  isOpenSession,
  type MemberSession,
  newMemberSession,
} from '../../domain/access/member-session.js';
import { hashSessionToken, SESSION_SEEN_EVERY_MS } from '../../domain/access/page-session.js';
import type { Scope, ScopeRule } from '../../domain/access/scope.js';
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import {
  needsOnboarding,
  type Organization,
  type OrganizationProfile,
} from '../../domain/parties/organization.js';
import type { PartyStatus } from '../../domain/parties/party.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { requireScope } from './keys.js';
import { findMember } from './members.js';
import { newSessionToken } from './page-sessions.js';

export interface SessionActor extends Tenant {
  readonly memberId: string;
  readonly session: MemberSession;
  /** The scopes of the member's role; never empty. */
  readonly scopes: readonly Scope[];
}

/** A member who has a page of the dashboard open. */
export interface DashboardActor extends SessionActor {
  readonly member: Member;
  readonly organization: Organization;
}

/** Who proved a mailbox: a person may be a member of several organizations. */
export interface SignedInMember {
  readonly session: MemberSession;
  /** The member that the session was started for. */
  readonly member: Member;
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
 * forged or expired, its session is over, or its member was removed. The rows are read each time: a
 * sign-out, a removal or another role takes effect on the next request.
 */
export async function authenticateSession(
  deps: Deps,
  header: string | undefined,
): Promise<SessionActor> {
  const token = bearerToken(header);
  if (token === null) throw new PonteError('Unauthorized');
  const nowMs = deps.clock.nowMs();
  const claims = await deps.tokenSigner.verify(token, nowMs);
  if (claims === null) throw new PonteError('InvalidToken');
  const { orgId, mode, memberId, sessionId } = claims;
  const [member, session] = await deps.store.run((tx) =>
    Promise.all([tx.members.get(orgId, memberId), tx.memberSessions.get(orgId, sessionId)]),
  );
  if (member === null || member.removedAtMs !== null) throw new PonteError('InvalidToken');
  if (session === null || !isOpenSession(session, memberId, nowMs)) {
    throw new PonteError('InvalidToken');
  }
  if (session.operatorId !== null && (await isInProduction(deps, orgId))) {
    throw new PonteError('InvalidToken');
  }
  return { orgId, mode, memberId, session, scopes: scopesOf(member.role) };
}

/** A session to be stored. `token` is for the cookie; it is not stored. */
export function makeMemberSession(
  { ids, clock }: Pick<Deps, 'ids' | 'clock'>,
  of: Pick<MemberSession, 'orgId' | 'memberId'>,
  id: string | null = null,
): { readonly token: string; readonly session: MemberSession } {
  const token = newSessionToken({ ids });
  const nowMs = clock.nowMs();
  const named = { ...of, id: id ?? ids.next('ses', nowMs) };
  return { token, session: newMemberSession(named, nowMs, token) };
}

/**
 * Whose cookie it is; null if the session is over or its member was removed. Records that a page is
 * shown, except for a `background` request.
 */
export async function readMemberSession(
  deps: Deps,
  token: string,
  { background = false }: { readonly background?: boolean } = {},
): Promise<SignedInMember | null> {
  const tokenHash = hashSessionToken(token);
  return deps.store.run(
    async (tx) => {
      const session = await tx.memberSessions.byTokenHash(tokenHash);
      if (session === null) return null;
      const { orgId, memberId, seenAtMs } = session;
      const member = await tx.members.get(orgId, memberId);
      const nowMs = deps.clock.nowMs();
      if (member === null || member.removedAtMs !== null) return null;
      if (!isOpenSession(session, memberId, nowMs)) return null;
      if (background || nowMs < (seenAtMs ?? 0) + SESSION_SEEN_EVERY_MS) return { session, member };
      const seen = Object.freeze({ ...session, seenAtMs: nowMs });
      tx.memberSessions.touch(seen);
      return { session: seen, member };
    },
    { inQuarantine: true },
  );
}

/**
 * The person as a member of this organization, by the address that the session proved. NotFound for
 * an organization of others, ProductionAccessNotApproved.
 */
export async function actIn(
  deps: Deps,
  { session, member }: SignedInMember,
  { orgId, mode }: Tenant,
): Promise<DashboardActor> {
  const [organization, own] = await deps.store.run((tx) =>
    Promise.all([
      tx.organizations.get(orgId),
      orgId === member.orgId ? member : tx.members.byEmail(orgId, member.emailKey),
    ]),
  );
  if (organization === null || own === null) throw new PonteError('NotFound');
  if (mode === 'live' && organization.productionGrantedAtMs === null) {
    throw new PonteError('ProductionAccessNotApproved');
  }
  const scopes = scopesOf(own.role);
  return { orgId, mode, memberId: own.id, session, scopes, member: own, organization };
}

/**
 * Reads who signed in for a batch that the person changes something in, in the organization of
 * `actor` by this scope. InvalidToken once the session was ended or the member was removed,
 * InsufficientScope with another role since.
 */
export async function guardMember(
  tx: Tx,
  { session: { orgId, id }, member }: SignedInMember,
  acts: { readonly actor: DashboardActor; readonly scope: ScopeRule } | null,
): Promise<() => void> {
  const { orgId: ofOrg, id: memberId } = acts?.actor.member ?? member;
  const [session, own] = await Promise.all([
    tx.memberSessions.get(orgId, id),
    tx.members.get(ofOrg, memberId),
  ]);
  return () => {
    if (session === null || session.endedAtMs !== null) throw new PonteError('InvalidToken');
    if (own === null || own.removedAtMs !== null) throw new PonteError('InvalidToken');
    if (acts !== null) requireScope({ scopes: scopesOf(own.role) }, acts.scope);
    tx.memberSessions.expect(session);
    tx.members.expect(own);
  };
}

/** The organizations of which the person is a member, oldest membership first. */
export async function listMemberships(
  deps: Deps,
  { member }: SignedInMember,
): Promise<readonly { readonly member: Member; readonly organization: Organization }[]> {
  return deps.store.run(async (tx) => {
    const members = await tx.members.ofAddress(member.emailKey);
    const organizations = await Promise.all(
      members.map(({ orgId }) => tx.organizations.get(orgId)),
    );
    return members.flatMap((one, at) => {
      const organization = organizations[at] ?? null;
      return organization === null ? [] : [{ member: one, organization }];
    });
  });
}

/** Null for another credential or none. */
export function bearerToken(header: string | undefined): string | null {
  const [scheme = '', ...rest] = (header ?? '').trim().split(/ +/);
  return scheme.toLowerCase() === 'bearer' ? rest.join(' ') : null;
}

const noTokenInProduction =
  'The organization is in production, so no operator acts as a member of it. Its members sign in ' +
  'to the dashboard; a program uses an API key.';

/**
 * For operators, in place of the member. ProductionAccessNotApproved for live mode without access;
 * DecisionNotAllowed for a registered operator (`operatorId`) once the organization has it: a token
 * would give one operator all that an owner may do.
 */
export async function createSession(
  deps: Deps,
  input: { readonly orgId: string; readonly email: string; readonly mode: Mode },
  operatorId: string | null = null,
): Promise<Session> {
  const { orgId, mode } = input;
  const { id: memberId } = await findMember(deps, orgId, input.email);
  await requireAccess(deps, { orgId, mode });
  if (operatorId !== null && (await isInProduction(deps, orgId))) {
    throw new PonteError('DecisionNotAllowed', noTokenInProduction);
  }
  return tokenOf(deps, await startMemberSession(deps, { orgId, memberId }, operatorId), mode);
}

export async function startMemberSession(
  deps: Deps,
  of: Pick<MemberSession, 'orgId' | 'memberId'>,
  operatorId: string | null = null,
): Promise<MemberSession> {
  const nowMs = deps.clock.nowMs();
  const named = { ...of, id: deps.ids.next('ses', nowMs) };
  const session = newMemberSession(named, nowMs, null, operatorId);
  await deps.store.run(async (tx) => tx.memberSessions.insert(session), { inQuarantine: true });
  return session;
}

/** Another token of the same session, for `mode`; the old one stays valid. */
export async function switchMode(deps: Deps, actor: SessionActor, mode: Mode): Promise<Session> {
  await requireAccess(deps, { orgId: actor.orgId, mode });
  return tokenOf(deps, actor.session, mode);
}

export async function tokenOf(
  { tokenSigner }: Pick<Deps, 'tokenSigner'>,
  { orgId, memberId, id: sessionId, endsAtMs: expiresAtMs }: MemberSession,
  mode: Mode,
): Promise<Session> {
  const token = await tokenSigner.sign({ orgId, mode, memberId, sessionId, expiresAtMs });
  return { token, mode, expiresAtMs };
}

/** The sessions of the member that are not over, newest first. */
export async function listSessions(
  deps: Deps,
  { orgId, memberId }: Pick<MemberSession, 'orgId' | 'memberId'>,
): Promise<readonly MemberSession[]> {
  const nowMs = deps.clock.nowMs();
  const found = await deps.store.run((tx) =>
    tx.memberSessions.openOfMember(orgId, memberId, nowMs),
  );
  return found.filter((session) => isOpenSession(session, memberId, nowMs));
}

/** Ends a session of the member, or all of them (null), with their tokens. NotFound. */
export async function endSessions(
  deps: Deps,
  { orgId, memberId }: Pick<MemberSession, 'orgId' | 'memberId'>,
  sessionId: string | null,
): Promise<readonly MemberSession[]> {
  const nowMs = deps.clock.nowMs();
  return deps.store.run(
    async (tx) => {
      const open = await tx.memberSessions.openOfMember(orgId, memberId, nowMs);
      const chosen = open.filter(({ id }) => sessionId === null || id === sessionId);
      if (sessionId !== null && chosen.length === 0) throw new PonteError('NotFound');
      const ended = chosen.map((session) => Object.freeze({ ...session, endedAtMs: nowMs }));
      for (const session of ended) tx.memberSessions.update(session);
      return ended;
    },
    { inQuarantine: true },
  );
}

export async function onboardingStatus(deps: Deps, tenant: Tenant): Promise<OnboardingStatus> {
  const { organization, profile } = await readStanding(deps, tenant);
  return {
    mode: tenant.mode,
    needsOnboarding: needsOnboarding(organization, profile),
    tosAccepted: profile.tosAcceptedAtMs !== null,
    kybStatus: profile.status,
  };
}

/** The organization of an actor, and its profile in the actor's mode. */
export async function readStanding(
  deps: Deps,
  { orgId, mode }: Tenant,
): Promise<{ readonly organization: Organization; readonly profile: OrganizationProfile }> {
  const [organization, profile] = await deps.store.run((tx) =>
    Promise.all([tx.organizations.get(orgId), tx.organizations.profile({ orgId, mode })]),
  );
  assert(organization !== null && profile !== null, 'an actor has an organization');
  return { organization, profile };
}

async function requireAccess(deps: Deps, { orgId, mode }: Tenant): Promise<void> {
  if (mode === 'test' || (await isInProduction(deps, orgId))) return;
  throw new PonteError('ProductionAccessNotApproved');
}

async function isInProduction(deps: Deps, orgId: string): Promise<boolean> {
  const organization = await deps.store.run((tx) => tx.organizations.get(orgId));
  return (organization?.productionGrantedAtMs ?? null) !== null;
}
