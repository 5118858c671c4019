// The service itself: the endpoint of the settlement partner, probes, and public keys.
import { z } from 'zod';
import { DAY_MS, formatInstant } from '../../../core/domain/base/instant.js';
import { modes } from '../../../core/domain/base/tenant.js';
import { PonteError } from '../../../core/errors.js';
import { receivePartnerMessage } from '../../../core/usecases/commands/partner-inbox.js';
import { recordKeys } from '../../../core/usecases/service/service-keys.js';
import { representation } from '../protocol/representation.js';
import { contentReply, type Readiness, reply, route } from '../protocol/route-row.js';
import { pathText, receivedResponse, responseSchemas } from '../protocol/schemas.js';

/** Where messages of a settlement partner arrive. */
export const PARTNER_WEBHOOK = '/v1/partner-webhooks/{partner}/{mode}';

const plainText = 'text/plain; charset=utf-8';
/** RFC 9116 recommends less than a year. */
const CONTACT_LIFE_MS = 180 * DAY_MS;

const partnerParams = z.object({
  partner: pathText('The name of the partner.'),
  mode: z.enum(modes).meta({ description: 'The mode that the partner runs in.' }),
});

const health = z.strictObject({ status: z.literal('ok') });

const checks = representation<Readiness>()(null, {
  database: [z.enum(['ok', 'failed']), ({ database }) => (database ? 'ok' : 'failed')],
  migrations: [z.enum(['ok', 'pending']), ({ migrations }) => (migrations ? 'ok' : 'pending')],
  worker: [z.enum(['ok', 'stalled']), ({ worker }) => (worker ? 'ok' : 'stalled')],
  clock: [
    z
      .enum(['ok', 'wrong'])
      .meta({ description: 'The clock of this machine, compared with the clock of the database.' }),
    ({ clock }) => (clock ? 'ok' : 'wrong'),
  ],
  serving: [z.enum(['ok', 'stopping']), ({ serving }) => (serving ? 'ok' : 'stopping')],
});

export const readinessBody = representation<Readiness>()('Readiness', {
  status: [z.enum(['ready', 'quarantine', 'unavailable']), statusOf],
  version: [
    z.string().meta({ description: 'Version and commit: `1.0.0+2f3a4b5c6d7e`.' }),
    ({ version }) => version,
  ],
  checks: [checks.schema, checks.show],
});

const publicKeys = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('EdDSA'),
    }),
  ),
});

responseSchemas.add(publicKeys, { id: 'PublicKeys' });
responseSchemas.add(health, { id: 'Health' });

export const serviceRoutes = [
  route({
    method: 'POST',
    operations: { receivePartnerWebhook: PARTNER_WEBHOOK },
    summary: 'Receive a message of the settlement partner, signed over the raw bytes',
    access: { auth: 'partner', scope: 'none', modes: 'both', rateLimit: 'none' },
    inQuarantine: 'served',
    params: partnerParams,
    body: 'bytes',
    responses: { 200: receivedResponse },
    handler: async ({ deps }, { params, headers, bytes }) => {
      await receivePartnerMessage(deps, { ...params, headers, body: bytes });
      return reply(200, { received: true });
    },
  }),
  route({
    method: 'GET',
    operations: { healthz: '/healthz' },
    summary: 'Check that the process runs',
    access: { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: health },
    handler: async () => reply(200, { status: 'ok' }),
  }),
  route({
    method: 'GET',
    operations: { readyz: '/readyz' },
    summary: 'Check that the service can serve requests and do its work',
    access: { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: readinessBody.schema, 503: readinessBody.schema },
    handler: async ({ readiness }) => {
      const answer = readinessBody.show(await readiness());
      // Reads are served in quarantine: a load balancer keeps the host.
      return reply(answer.status === 'unavailable' ? 503 : 200, answer);
    },
  }),
  route({
    method: 'GET',
    operations: { readPublicKeys: '/.well-known/ponte-keys.json' },
    summary: 'Read the public keys (JWKS) of signed bank details, earlier keys included',
    access: { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: publicKeys },
    errors: ['StoreContention', 'StoreUnavailable'],
    handler: async ({ deps }) => reply(200, { keys: await recordKeys(deps) }),
  }),
  route({
    method: 'GET',
    operations: { readSecurityContact: '/.well-known/security.txt' },
    summary: 'Read where to report a vulnerability (RFC 9116)',
    access: { auth: 'none', scope: 'none', modes: 'both', rateLimit: 'none' },
    responses: { 200: [plainText] },
    errors: ['NotFound'],
    handler: async ({ deps: { clock, settings } }) => {
      const { securityContact } = settings;
      if (securityContact === null) throw new PonteError('NotFound');
      const today = clock.nowMs() - (clock.nowMs() % DAY_MS);
      const expires = formatInstant(today + CONTACT_LIFE_MS);
      const text = `Contact: ${securityContact}\nExpires: ${expires}\n`;
      return contentReply(Buffer.from(text), plainText, {});
    },
  }),
];

function statusOf(readiness: Readiness) {
  const { database, migrations, worker, clock, serving, quarantine = false } = readiness;
  const isWell = database && migrations && worker && clock && serving;
  if (!isWell) return 'unavailable';
  return quarantine ? 'quarantine' : 'ready';
}
