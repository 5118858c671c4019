// The simulated instance itself: its webhook endpoints, its keys, and the rails of BlindPay.
import { type Answer, found, need, ok, without } from './blindpay-answers.js';
import { type Fields, hexOf, newId, type WebhookEndpoint } from './blindpay-objects.js';
import type { BlindPayState } from './blindpay-state.js';

/** The secret is made by BlindPay. */
export function addEndpoint({ webhookEndpoints }: BlindPayState, body: Fields): Answer {
  need(body, ['url', 'events']);
  const { url, events } = body as unknown as Pick<WebhookEndpoint, 'url' | 'events'>;
  const id = newId('we', webhookEndpoints.length + 1);
  const secret = `whsec_${Buffer.from(hexOf(id), 'hex').toString('base64')}`;
  webhookEndpoints.push({ id, url, events, secret });
  return ok({ id });
}

const at = '2026-01-02T03:04:05.678Z';
const stored = { instance_id: 'in_000000000001', created_at: at, updated_at: at };

export function listEndpoints({ webhookEndpoints }: BlindPayState): Answer {
  return ok(
    webhookEndpoints.map((one) => ({ ...without(one, 'secret'), last_event_at: at, ...stored })),
  );
}

export function secretOf({ webhookEndpoints }: BlindPayState, id: string): Answer {
  return ok({ key: found(webhookEndpoints, id, 'WEBHOOK_ENDPOINTS_NOT_FOUND').secret });
}

/** Of a key, only its beginning is shown. */
export function listKeys(): Answer {
  const full = { name: 'ponte', permission: 'full_access', unkey_id: 'key_1', last_used_at: at };
  const key = { id: newId('ap', 1), ...full, token: 'bp_test', ip_whitelist: ['127.0.0.1'] };
  return ok([{ ...key, ...stored }]);
}

export const rails = ok([
  { label: 'ACH', value: 'ach', country: 'US' },
  { label: 'PIX', value: 'pix', country: 'BR' },
]);
