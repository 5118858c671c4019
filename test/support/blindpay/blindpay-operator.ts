// What an operator does to connect a host to the simulated instance: register its webhook endpoint,
// and set the environment variables.
import type { Mode } from '../../../core/domain/base/tenant.js';
import { apiKey, type BlindPayServer, instanceId } from './blindpay-server.js';

export async function connectHost(
  { url }: Pick<BlindPayServer, 'url'>,
  hostUrl: string,
  mode: Mode,
): Promise<Readonly<Record<string, string>>> {
  const instance = `${url}/instances/${instanceId}`;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const call = async (path: string, body?: unknown): Promise<Readonly<Record<string, string>>> => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${instance}${path}`, { headers, ...sent });
    return (await answer.json()) as Readonly<Record<string, string>>;
  };
  const endpoint = { url: `${hostUrl}/v1/partner-webhooks/blindpay/${mode}`, events: [] };
  const { id } = await call('/webhook-endpoints', endpoint);
  const { key = '' } = await call(`/webhook-endpoints/${id}/secret`);
  const of = mode.toUpperCase();
  return {
    [`PONTE_PARTNER_${of}`]: 'blindpay',
    [`PONTE_BLINDPAY_${of}_API_KEY`]: apiKey,
    [`PONTE_BLINDPAY_${of}_INSTANCE_ID`]: instanceId,
    [`PONTE_BLINDPAY_${of}_WEBHOOK_SECRETS`]: key,
    [`PONTE_BLINDPAY_${of}_URL`]: url,
    [`PONTE_BLINDPAY_${of}_CALLS_PER_MINUTE`]: '0',
  };
}
