// Notes in an order how its payment ended, when a webhook says so. In src/subscribers/ponte.ts of
// your project: `export { config, default } from '../modules/ponte/subscriber'`.
import { PaymentWebhookEvents } from '@medusajs/framework/utils';
import { constructEvent } from 'ponte-payments/webhooks';
import { noteEvent } from './catch-up';
import { type Container, optionsNow, shopOf } from './job';
import { clientOf } from './provider';

export const config = {
  event: PaymentWebhookEvents.WebhookReceived,
  context: { subscriberId: 'ponte-note' },
};

interface Received {
  readonly provider: string;
  readonly payload: {
    /** A Buffer, or its JSON if a queue was between. */
    readonly rawData: Buffer | { readonly data: readonly number[] };
    readonly headers: Readonly<Record<string, string | undefined>>;
  };
}

// biome-ignore lint/style/noDefaultExport: Medusa loads it.
export default async function run(given: {
  readonly event: { readonly data: Received };
  readonly container: Container;
}): Promise<void> {
  const { provider, payload } = given.event.data;
  if (provider !== 'ponte_ponte') return;
  const { rawData, headers } = payload;
  const options = optionsNow();
  const { event, data } = constructEvent({
    secret: options.webhookSecret,
    header: headers['x-service-signature'],
    body: Buffer.isBuffer(rawData) ? rawData : Buffer.from(rawData.data),
  });
  await noteEvent(clientOf(options), shopOf(given.container), event, data);
}
