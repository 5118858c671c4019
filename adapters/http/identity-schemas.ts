// The shapes of API keys, sessions and onboarding.
import { z } from 'zod';
import { kybStatuses } from '../../core/domain/organization.js';
import { scopes } from '../../core/domain/scope.js';
import { modes } from '../../core/domain/tenant.js';
import { NAME_LENGTH_MAX } from '../../core/usecases/keys.js';
import {
  instant,
  keysOf,
  optional,
  pathText,
  requestSchemas,
  responseSchemas,
  text,
} from './schemas.js';

const mode = z.enum(modes);
const scope = z.enum(keysOf(scopes));

export const createKeyBody = z.object({
  name: text(1, NAME_LENGTH_MAX, 'What the key is for.'),
  mode: mode.meta({ description: 'A live key may be made before production access.' }),
  scopes: optional(
    z.array(scope).meta({
      description: 'What the key may do; absent or empty: everything.',
    }),
  ).transform((granted) => granted ?? []),
});

export const switchModeBody = z.object({ mode });

export const keyParams = z.object({ id: pathText('`key_…`') });

requestSchemas.add(createKeyBody, { id: 'CreateApiKey' }).add(switchModeBody, { id: 'SwitchMode' });

export const keyResponse = z.strictObject({
  id: z.string(),
  orgId: z.string(),
  name: z.string(),
  keyPrefix: z.string().meta({ description: 'The public half, safe to log.' }),
  testMode: z.boolean(),
  scopes: z.array(z.enum(keysOf(scopes))).meta({ description: 'Empty: unrestricted.' }),
  lastUsedAt: instant.nullable().meta({ description: 'To the minute.' }),
  revokedAt: instant.nullable(),
  createdAt: instant,
});

export const keySecretResponse = z.strictObject({
  ...keyResponse.shape,
  secret: z
    .string()
    .regex(/^pk_(test|live)_[^.\s]+\.\S+$/)
    .meta({ description: 'Shown this once. The whole text is what X-API-Key takes.' }),
});

export const keyListResponse = z.strictObject({
  data: z.array(keyResponse),
  nextCursor: z.null().meta({ description: 'The list is always whole.' }),
});

export const sessionResponse = z.strictObject({
  token: z.string().meta({ description: 'For Authorization: Bearer. It lives 12 hours.' }),
  mode: z.enum(modes),
});

export const onboardingResponse = z.strictObject({
  mode: z.enum(modes),
  needsOnboarding: z.boolean().meta({
    description: 'True until the mode is activated: by its KYB, live after production access.',
  }),
  tosAccepted: z.boolean(),
  kybStatus: z
    .enum(kybStatuses)
    .nullable()
    .meta({ description: 'Null while no KYB was submitted in this mode.' }),
});

responseSchemas
  .add(keyResponse, { id: 'ApiKey' })
  .add(keySecretResponse, { id: 'ApiKeyWithSecret' })
  .add(keyListResponse, { id: 'ApiKeyList' })
  .add(sessionResponse, { id: 'Session' })
  .add(onboardingResponse, { id: 'OnboardingStatus' });
