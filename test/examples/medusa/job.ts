// The scheduled job of Medusa. In src/jobs/ponte.ts of your project:
// `export { config, default } from '../modules/ponte/job'`.
import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils';
import { processPaymentWorkflow } from '@medusajs/medusa/core-flows';
import { catchUp, type Place, type Shop } from './catch-up';
import { clientOf, type PonteOptions } from './provider';

export const config = { name: 'ponte-catch-up', schedule: '* * * * *' };

// biome-ignore lint/suspicious/noExplicitAny: the container is typed by each project of Medusa.
export type Container = { resolve(name: string): any };

const PROVIDER = 'pp_ponte_ponte';

// biome-ignore lint/style/noDefaultExport: Medusa loads it.
export default async function run(container: Container): Promise<void> {
  await catchUp(clientOf(optionsNow()), shopOf(container));
}

export function optionsNow(): PonteOptions {
  const { PONTE_URL = '', PONTE_KEY = '', PONTE_WEBHOOK_SECRET = '' } = process.env;
  return { baseUrl: PONTE_URL, apiKey: PONTE_KEY, webhookSecret: PONTE_WEBHOOK_SECRET };
}

export function shopOf(container: Container): Shop {
  const query = container.resolve(ContainerRegistrationKeys.QUERY);
  const stores = container.resolve(Modules.STORE);
  const firstStore = async () => (await stores.listStores())[0];
  return {
    async readPlace() {
      return ((await firstStore()).metadata?.ponte as Place | undefined) ?? null;
    },
    async storePlace(ponte) {
      const { id, metadata } = await firstStore();
      await stores.updateStores(id, { metadata: { ...metadata, ponte } });
    },
    async openSessions() {
      const { data } = await query.graph({
        entity: 'payment_session',
        fields: ['id', 'data'],
        filters: { provider_id: PROVIDER, status: ['pending', 'pending_authorization'] },
      });
      return data.map((one: { id: string; data: { id: string } }) => ({
        id: one.id,
        paymentId: one.data.id,
      }));
    },
    async isBooked(id) {
      const { data } = await query.graph({
        entity: 'payment',
        fields: ['captured_at', 'captures.id'],
        filters: { payment_session_id: id },
      });
      const [payment] = data as { captured_at: unknown; captures: { id: string }[] }[];
      if (!payment?.captured_at) return false;
      const reference_id = payment.captures.map((capture) => capture.id);
      const noted = await container.resolve(Modules.ORDER).listOrderTransactions({ reference_id });
      return noted.length >= reference_id.length;
    },
    async note(id, paymentId, ponte) {
      const { data } = await query.graph({
        entity: 'payment_session',
        fields: ['data', 'payment_collection.order.id', 'payment_collection.order.metadata'],
        filters: { id },
      });
      const [session] = data;
      const order = session?.payment_collection?.order;
      // A session has another payment after a change of the cart, and no order before its end.
      if (!order || session.data.id !== paymentId) return;
      const metadata = { ...order.metadata, ponte };
      await container.resolve(Modules.ORDER).updateOrders(order.id, { metadata });
    },
    async process(input) {
      await processPaymentWorkflow(container as never).run({ input: input as never });
    },
  };
}
