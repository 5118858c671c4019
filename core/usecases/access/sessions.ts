// Sessions of people: authenticates requests and pages of the dashboard, accepts memberships, makes
// tokens, switches their mode, signs out.
import { parseApiKey } from '../../domain/access/api-key.js';
import {
  isActiveMember,
  type Member,
  type MemberRole,
  scopesOf,
} from '../../domain/access/member.js';
import type { Person } from '../../domain/access/person.js';
import type { Scope, ScopeRule } from '../../domain/access/scope.js';
import {
  isSessionOpen,
  type MemberSession,
  newSession,
  seenNow,
  unused,
} from '../../domain/access/session.js';
import { actionProofs, missingProof, type PageProof } from '../../domain/access/session-proof.js';
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import {
  needsOnboarding,
  type Organization,
  type OrganizationProfile,
} from '../../domain/parties/organization.js';
import type { AuditAuthor } from '../../domain/service/audit-record.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { audited } from '../service/audit-log.js';
import { endAll, newToken } from '../service/tokens.js';
import { requireScope } from './keys.js';
import { findMember } from './members.js';
import { openSession } from './open-sessions.js';

export interface SessionActor extends Tenant {
  readonly memberId: string;
  readonly session: MemberSession;
  readonly role: MemberRole;
  /** `requiresPasskey` of the organization. */
  readonly requiresPasskey: boolean;
  /** The scopes of the member's role; never empty. */
  readonly scopes: readonly Scope[];
}

/** A member who has a page of the dashboard open. */
export interface DashboardActor extends SessionActor {
  readonly member: Member;
  readonly organization: Organization;
}

/** A person may be a member of several organizations. */
export interface SignedInPerson {
  readonly session: MemberSession;
  readonly person: Person;
}

export interface Session {
  readonly token: string;
  readonly mode: Mode;
  readonly expiresAtMs: number;
}

export type OnboardingStatus = Awaited<ReturnType<typeof onboardingStatus>>;

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
  if (claims === null) {
    const keyMessage = 'The bearer token is an API key. Send a key as X-API-Key.';
    throw new PonteError('InvalidToken', parseApiKey(token) === null ? undefined : keyMessage);
  }
  const { orgId, mode, memberId, sessionId } = claims;
  const [member, session, organization] = await deps.store.run((tx) =>
    Promise.all([
      tx.members.get(orgId, memberId),
      tx.sessions.get(['token'], sessionId),
      tx.organizations.get(orgId),
    ]),
  );
  if (member === null || !isActiveMember(member)) throw new PonteError('InvalidToken');
  if (session === null || !isSessionOpen(session, nowMs)) throw new PonteError('InvalidToken');
  if (session.orgId !== orgId || session.personId !== member.personId) {
    throw new PonteError('InvalidToken');
  }
  if (organization === null) throw new PonteError('InvalidToken');
  const { productionGrantedAtMs, requiresPasskey } = organization;
  if (session.operatorId !== null && productionGrantedAtMs !== null) {
    throw new PonteError('InvalidToken');
  }
  const { role } = member;
  const asked = { rule: 'session', mode, role, requiresPasskey } as const;
  if (missingProof(session, asked, nowMs) !== null) throw new PonteError('InvalidToken');
  return { orgId, mode, memberId, session, role, requiresPasskey, scopes: scopesOf(role) };
}

/** A session to be stored. `token` is for the cookie; it is not stored. */
export function makeMemberSession(
  { ids, clock }: Pick<Deps, 'ids' | 'clock'>,
  of: Pick<MemberSession, 'personId' | 'began'>,
  id: string | null = null,
): { readonly token: string; readonly session: MemberSession } {
  const token = newToken({ ids });
  const nowMs = clock.nowMs();
  const named = { ...unused, kind: 'member', ...of, id: id ?? ids.next('ses', nowMs) } as const;
  return { token, session: newSession(named, token, nowMs) };
}

/**
 * Whose cookie it is; null if the session is over, or the person is a member nowhere. Records that
 * a page is shown, except for a `background` request.
 */
export async function readMemberSession(
  deps: Deps,
  token: string,
  shown: { readonly background?: boolean } = {},
): Promise<SignedInPerson | null> {
  const found = await openSession(deps, ['member'], token, shown, async (tx, { personId }) => {
    const [person, memberships] = await Promise.all([
      tx.people.get(personId),
      tx.members.ofPerson(personId),
    ]);
    return memberships.length === 0 ? null : person;
  });
  return found && { session: found.session, person: found.holder };
}

/**
 * The person as a member of this organization. `opens`: by a page that the person opens, which
 * accepts the membership and is recorded; null: by another request. NotFound for an organization of
 * others and for an invitation that was not accepted, ProductionAccessNotApproved.
 */
export async function actIn(
  deps: Deps,
  { session, person }: SignedInPerson,
  { orgId, mode }: Tenant,
  opens: Pick<AuditAuthor, 'action' | 'address' | 'requestId'> | null = null,
): Promise<DashboardActor> {
  const [organization, found] = await deps.store.run((tx) =>
    Promise.all([tx.organizations.get(orgId), tx.members.byEmail(orgId, person.emailKey)]),
  );
  if (organization === null || found?.personId !== person.id) throw new PonteError('NotFound');
  if (mode === 'live' && organization.productionGrantedAtMs === null) {
    throw new PonteError('ProductionAccessNotApproved');
  }
  const member = opens === null ? found : await opened(deps, found, opens);
  if (!isActiveMember(member)) throw new PonteError('NotFound');
  const { role } = member;
  const { requiresPasskey } = organization;
  const as = { memberId: member.id, role, requiresPasskey, scopes: scopesOf(role) };
  return { orgId, mode, session, ...as, member, organization };
}

async function opened(
  deps: Deps,
  member: Member,
  by: Pick<AuditAuthor, 'action' | 'address' | 'requestId'>,
): Promise<Member> {
  const { id, orgId, acceptedAtMs } = member;
  const nowMs = deps.clock.nowMs();
  if (acceptedAtMs === null) {
    const recorded = audited(deps, { ...by, actor: { kind: 'member', id }, orgId });
    const accept = (tx: Tx) => acceptMembership(tx, orgId, id, nowMs);
    return recorded.store.run(accept, { inQuarantine: true });
  }
  const seen = seenNow(member, nowMs);
  if (seen === member) return member;
  await deps.store.run(async (tx) => tx.members.touch(seen), { inQuarantine: true });
  return seen;
}

/** Once; what was accepted stays as it is. NotFound if the membership has ended. */
export async function acceptMembership(
  tx: Tx,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<Member> {
  const member = await tx.members.get(orgId, id);
  if (member === null || member.removedAtMs !== null) throw new PonteError('NotFound');
  if (member.acceptedAtMs !== null) return member;
  const accepted = Object.freeze({ ...member, acceptedAtMs: nowMs, seenAtMs: nowMs });
  tx.members.update(accepted);
  return accepted;
}

/**
 * Reads who signed in for a batch that the person changes something in, in the organization of
 * `actor` by this scope and proof. InvalidToken once the session was ended or the member was
 * removed, InsufficientScope with another role since, SessionNotFresh once a passkey is required.
 */
export async function guardMember(
  tx: Tx,
  { session: { id }, person }: SignedInPerson,
  acts: {
    readonly actor: DashboardActor;
    readonly scope: ScopeRule;
    readonly proof: PageProof;
  } | null,
): Promise<() => void> {
  const [session, own, organization] = await Promise.all([
    tx.sessions.get(['member'], id),
    acts === null
      ? tx.members.ofPerson(person.id).then(([first = null]) => first)
      : tx.members.get(acts.actor.orgId, acts.actor.memberId),
    acts === null ? null : tx.organizations.get(acts.actor.orgId),
  ]);
  return () => {
    if (session === null || session.endedAtMs !== null) throw new PonteError('InvalidToken');
    if (own === null || own.removedAtMs !== null) throw new PonteError('InvalidToken');
    if (acts !== null && !isActiveMember(own)) throw new PonteError('InvalidToken');
    if (acts !== null) requireScope({ scopes: scopesOf(own.role) }, acts.scope);
    if (acts !== null && organization !== null) {
      const { mode } = acts.actor;
      const { requiresPasskey } = organization;
      const asked = {
        rule: actionProofs[acts.proof],
        mode,
        role: own.role,
        requiresPasskey,
      } as const;
      // The session was young when the request began.
      const missing = missingProof(session, asked, session.createdAtMs);
      if (missing !== null) throw new PonteError('SessionNotFresh', byPasskeyOnly);
      tx.organizations.expect(organization);
    }
    tx.sessions.expect(session);
    tx.members.expect(own);
  };
}

export const byPasskeyOnly = 'The organization requires a passkey for this. Sign in with one.';

/** Whether only a passkey changes passkeys: the person has one, an organization requires it. */
export async function needsOwnPasskey(tx: Tx, personId: string): Promise<boolean> {
  const [passkeys, memberships] = await Promise.all([
    tx.passkeys.ofPerson(personId),
    tx.members.ofPerson(personId),
  ]);
  if (passkeys.length === 0) return false;
  const active = memberships.filter(isActiveMember);
  const organizations = await Promise.all(active.map(({ orgId }) => tx.organizations.get(orgId)));
  return organizations.some((one) => one?.requiresPasskey === true);
}

/** The organizations of which the person is a member, oldest membership first. */
export async function listMemberships(
  deps: Deps,
  { person }: SignedInPerson,
): Promise<readonly { readonly member: Member; readonly organization: Organization }[]> {
  return deps.store.run(async (tx) => {
    const members = await tx.members.ofPerson(person.id);
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
  const member = await findMember(deps, orgId, input.email);
  await requireAccess(deps, { orgId, mode });
  if (operatorId !== null && (await isInProduction(deps, orgId))) {
    throw new PonteError('DecisionNotAllowed', noTokenInProduction);
  }
  const session = await startMemberSession(deps, member, operatorId);
  return tokenOf(deps, session, { orgId, memberId: member.id, mode });
}

/** A session of tokens. It accepts the membership, in place of the person. */
export async function startMemberSession(
  deps: Deps,
  { orgId, id: memberId, personId }: Pick<Member, 'orgId' | 'id' | 'personId'>,
  operatorId: string | null = null,
): Promise<MemberSession> {
  const nowMs = deps.clock.nowMs();
  const id = deps.ids.next('ses', nowMs);
  const of = { id, personId, orgId, operatorId, kind: 'token', began: 'operator' } as const;
  const session = newSession({ ...unused, ...of }, null, nowMs);
  await deps.store.run(
    async (tx) => {
      await acceptMembership(tx, orgId, memberId, nowMs);
      tx.sessions.insert(session);
    },
    { inQuarantine: true },
  );
  return session;
}

/** Another token of the same session, for `mode`; the old one stays valid. */
export async function switchMode(deps: Deps, actor: SessionActor, mode: Mode): Promise<Session> {
  await requireAccess(deps, { orgId: actor.orgId, mode });
  return tokenOf(deps, actor.session, { ...actor, mode });
}

export async function tokenOf(
  { tokenSigner }: Pick<Deps, 'tokenSigner'>,
  { id: sessionId, endsAtMs: expiresAtMs }: MemberSession,
  { orgId, memberId, mode }: Pick<SessionActor, 'orgId' | 'memberId' | 'mode'>,
): Promise<Session> {
  const token = await tokenSigner.sign({ orgId, mode, memberId, sessionId, expiresAtMs });
  return { token, mode, expiresAtMs };
}

/** Sessions of a person: those of the tokens of an organization, or all of them (null). */
export type OwnSessions = Pick<MemberSession, 'personId' | 'orgId'>;

/** Those that are not over, newest first. */
export async function listSessions(
  deps: Deps,
  { personId, orgId }: OwnSessions,
): Promise<readonly MemberSession[]> {
  const nowMs = deps.clock.nowMs();
  const open = await deps.store.run((tx) => tx.sessions.openOfPerson(personId, nowMs));
  return open.filter(
    (session) => isSessionOpen(session, nowMs) && (orgId === null || session.orgId === orgId),
  );
}

/** Ends one of them, or all of them (null), with their tokens. NotFound. */
export async function endSessions(
  deps: Deps,
  { personId, orgId }: OwnSessions,
  sessionId: string | null,
): Promise<readonly MemberSession[]> {
  const nowMs = deps.clock.nowMs();
  return deps.store.run(
    async (tx) => {
      const open = await tx.sessions.openOfPerson(personId, nowMs);
      const own = open.filter((session) => orgId === null || session.orgId === orgId);
      const chosen = own.filter(({ id }) => sessionId === null || id === sessionId);
      if (sessionId !== null && chosen.length === 0) throw new PonteError('NotFound');
      return endAll(tx, chosen, nowMs);
    },
    { inQuarantine: true },
  );
}

export async function onboardingStatus(deps: Deps, tenant: Tenant) {
  const { organization, profile } = await readStanding(deps, tenant);
  return {
    mode: tenant.mode,
    needsOnboarding: needsOnboarding(organization, profile),
    tosAccepted: profile.tosAcceptedAtMs !== null,
    /** Null before the first submission. */
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
