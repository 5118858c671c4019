// A receiver in TypeScript: WEBHOOK_SECRET=whsec_… node webhook-receiver.ts
import { createServer } from 'node:http';
import { constructEvent, PonteError } from 'ponte-payments/webhooks';

const secret = process.env.WEBHOOK_SECRET ?? '';
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const header = request.headers['x-service-signature'];
  try {
    const webhook = constructEvent({ secret, header, body: Buffer.concat(chunks) });
    const deliveryId = String(request.headers['x-service-delivery-id']);
    if (!seen.has(deliveryId) && webhook.event === 'payment_intent.settled') {
      console.log(webhook.data.externalId, webhook.data.brlSettledAmount);
    }
    // A real receiver stores the id in the transaction of its effect.
    seen.add(deliveryId);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof PonteError)) throw error;
    response.writeHead(400).end(error.message);
  }
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log('listening', server.address());
});
