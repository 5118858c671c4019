// Who makes a request. Dashboard sessions: their list and end, switching their mode, the onboarding
// status of a mode.
import { z } from 'zod';
import { keyScopes, scopeNames } from '../../../core/domain/access/scope.js';
import type { MemberSession } from '../../../core/domain/access/session.js';
import { formatInstant } from '../../../core/domain/base/instant.js';
import { modes } from '../../../core/domain/base/tenant.js';
import {
  collectNeedNames,
  lacksToCollect,
  type Organization,
  type OrganizationProfile,
} from '../../../core/domain/parties/organization.js';
import { partyStatuses } from '../../../core/domain/parties/party.js';
import type { KeyActor } from '../../../core/usecases/access/keys.js';
import {
  endSessions,
  listSessions,
  type OnboardingStatus,
  onboardingStatus,
  readStanding,
  type Session,
  type SessionActor,
  switchMode,
} from '../../../core/usecases/access/sessions.js';
import { representation, wholeListOf } from '../protocol/representation.js';
import { type Reply, reply, route } from '../protocol/route-row.js';
import { instant, optional, requestSchemas, text } from '../protocol/schemas.js';
import { requirements, requirementsOf } from './requirements-answer.js';

const mode = z.enum(modes);

const switchModeBody = z.object({ mode });

requestSchemas.add(switchModeBody, { id: 'SwitchMode' });

const session = representation<Session>()('Session', {
  token: z
    .string()
    .meta({ description: 'Send it as Authorization: Bearer. It expires with its session.' }),
  mode,
});

interface ShownSession extends MemberSession {
  readonly currentId: string;
}

const memberSession = representation<ShownSession>()('MemberSession', {
  id: z.string(),
  current: [
    z.boolean().meta({ description: 'Whether it is the session of this request.' }),
    ({ id, currentId }) => id === currentId,
  ],
  createdAt: [instant, ({ createdAtMs }) => formatInstant(createdAtMs)],
  expiresAt: [
    instant.meta({ description: '12 hours after its start; switch-mode does not change it.' }),
    ({ endsAtMs }) => formatInstant(endsAtMs),
  ],
});

const sessionList = wholeListOf('MemberSessionList', memberSession);

const signOutBody = z.object({
  session: optional(text(1, 200, '`ses_…`, or `all`. Absent: the session of this request.')),
});

requestSchemas.add(signOutBody, { id: 'SignOut' });

const onboarding = representation<OnboardingStatus>()('OnboardingStatus', {
  mode,
  needsOnboarding: z.boolean().meta({
    description:
      'True until the KYB of the mode is approved; for live, until production access too.',
  }),
  tosAccepted: z.boolean(),
  kybStatus: z
    .enum(partyStatuses)
    .nullable()
    .meta({ description: 'Null until a KYB is submitted in this mode.' }),
});

interface Credential {
  readonly actor: KeyActor | SessionActor;
  readonly organization: Organization;
  readonly profile: OrganizationProfile;
}

const lack = z.strictObject({
  need: z.enum(collectNeedNames),
  message: z.string().meta({ description: 'For people, such as `no PIX destination`.' }),
});

const credential = representation<Credential>()('Credential', {
  organizationId: [z.string(), ({ organization }) => organization.id],
  organizationName: [z.string(), ({ organization }) => organization.name],
  mode: [mode, ({ actor }) => actor.mode],
  keyId: [
    z.string().nullable().meta({ description: '`key_…` of an API key; null for a session.' }),
    ({ actor }) => ('keyId' in actor ? actor.keyId : null),
  ],
  memberId: [
    z.string().nullable().meta({ description: '`mem_…` of a session; null for an API key.' }),
    ({ actor }) => ('memberId' in actor ? actor.memberId : null),
  ],
  scopes: [
    z.array(z.enum(scopeNames)).meta({ description: 'All scopes of an unrestricted key.' }),
    ({ actor }) => (actor.scopes.length === 0 ? keyScopes : actor.scopes),
  ],
  readyToCollect: [
    z.boolean().meta({
      description: 'Whether the organization can collect in this mode, for itself.',
    }),
    ({ organization, profile }) => lacksToCollect(organization, profile).length === 0,
  ],
  missing: [
    z.array(lack).meta({ description: 'What it needs for that, in the order to get it.' }),
    ({ organization, profile }) => lacksToCollect(organization, profile),
  ],
  requirements: [requirements, ({ profile }) => requirementsOf(profile)],
});

export const sessionRoutes = [
  route({
    method: 'GET',
    operations: { readCredential: '/v1/me' },
    summary: 'Read who the credential is, what it may do, and what is missing to collect',
    access: { auth: 'either', scope: 'none', modes: 'both', rateLimit: 'none', proof: 'session' },
    responses: { 200: credential.schema },
    handler: async ({ deps }, { tenant, actor }) =>
      reply(200, credential.show({ actor, ...(await readStanding(deps, tenant)) })),
  }),
  route({
    method: 'POST',
    operations: { switchMode: '/v1/auth/switch-mode' },
    summary: 'Create a session token of the same member for a mode',
    access: { auth: 'session', scope: 'none', modes: 'both', rateLimit: 'none', proof: 'session' },
    inQuarantine: 'served',
    body: switchModeBody,
    responses: { 200: session.schema },
    errors: ['ModeSwitchNotAllowed', 'ProductionAccessNotApproved'],
    handler: async ({ deps }, { actor, body }) =>
      reply(200, session.show(await switchMode(deps, actor, body.mode))),
  }),
  route({
    method: 'GET',
    operations: { listSessions: '/v1/auth/sessions' },
    summary: 'List the open sessions of the member',
    access: { auth: 'session', scope: 'none', modes: 'both', rateLimit: 'none', proof: 'session' },
    responses: { 200: sessionList.schema },
    handler: async ({ deps }, { actor }) => shown(await listSessions(deps, actor.session), actor),
  }),
  route({
    method: 'POST',
    operations: { signOut: '/v1/auth/sign-out' },
    summary: 'End a session of the member, or all, with their tokens in both modes',
    access: {
      auth: 'session',
      scope: 'none',
      modes: 'both',
      rateLimit: 'stored',
      proof: 'session',
    },
    inQuarantine: 'served',
    body: signOutBody,
    responses: { 200: sessionList.schema },
    errors: ['NotFound'],
    handler: async ({ deps }, { actor, body: { session: named } }) => {
      const id = named === 'all' ? null : (named ?? actor.session.id);
      return shown(await endSessions(deps, actor.session, id), actor);
    },
  }),
  route({
    method: 'GET',
    operations: { readOnboardingStatus: '/v1/onboarding/status' },
    summary: 'Read the onboarding status of the organization in the mode of the session',
    access: { auth: 'session', scope: 'none', modes: 'both', rateLimit: 'none', proof: 'session' },
    responses: { 200: onboarding.schema },
    handler: async ({ deps }, { tenant }) =>
      reply(200, onboarding.show(await onboardingStatus(deps, tenant))),
  }),
];

function shown(sessions: readonly MemberSession[], { session }: SessionActor): Reply {
  const rows = sessions.map((one) => ({ ...one, currentId: session.id }));
  return reply(200, sessionList.show(rows, null));
}
