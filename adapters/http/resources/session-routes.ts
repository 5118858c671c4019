// Dashboard sessions: switching their mode, and the onboarding status of a mode.
import { z } from 'zod';
import { modes } from '../../../core/domain/base/tenant.js';
import { partyStatuses } from '../../../core/domain/parties/party.js';
import {
  type OnboardingStatus,
  onboardingStatus,
  type Session,
  switchMode,
} from '../../../core/usecases/access/sessions.js';
import { representation } from '../protocol/representation.js';
import { reply, route } from '../protocol/route-row.js';
import { requestSchemas } from '../protocol/schemas.js';

const mode = z.enum(modes);

const switchModeBody = z.object({ mode });

requestSchemas.add(switchModeBody, { id: 'SwitchMode' });

const session = representation<Session>()('Session', {
  token: z
    .string()
    .meta({ description: 'Send it as Authorization: Bearer. It expires after 12 hours.' }),
  mode,
});

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

export const sessionRoutes = [
  route({
    method: 'POST',
    operations: { switchMode: '/v1/auth/switch-mode' },
    summary: 'Create a session token of the same member for a mode',
    access: { auth: 'session', scope: 'none', modes: 'both', rateLimit: 'none' },
    inQuarantine: 'served',
    body: switchModeBody,
    responses: { 200: session.schema },
    errors: ['ModeSwitchNotAllowed', 'ProductionAccessNotApproved'],
    handler: async ({ deps }, { actor, body }) =>
      reply(200, session.show(await switchMode(deps, actor, body.mode))),
  }),
  route({
    method: 'GET',
    operations: { readOnboardingStatus: '/v1/onboarding/status' },
    summary: 'Read the onboarding status of the organization in the mode of the session',
    access: { auth: 'session', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: onboarding.schema },
    handler: async ({ deps }, { tenant }) =>
      reply(200, onboarding.show(await onboardingStatus(deps, tenant))),
  }),
];
