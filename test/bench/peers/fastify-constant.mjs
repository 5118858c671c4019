// The fastest that a framework can be: Fastify with a schema, answering with one constant object.
import fastify from 'fastify';
import { serveCalls } from '../child-calls.ts';

const text = { type: 'string' };
const buyer = { type: 'object', properties: { id: text, email: text, kycStatus: text } };
const answer = {
  type: 'object',
  properties: { id: text, externalId: text, status: text, amount: text, currency: text, buyer },
};
const payment = {
  id: 'pi_06f9k2q8h0a1b2c3d4e5f6g7h8',
  externalId: 'order-7',
  status: 'awaiting_buyer',
  amount: '250.00',
  currency: 'USD',
  buyer: { id: 'byr_06f9k2q8h0', email: 'ana@buyer.example', kycStatus: 'not_started' },
};

const app = fastify();
app.get('/v1/payment-intents/:id', { schema: { response: { 200: answer } } }, async () => payment);
const url = await app.listen({ host: '127.0.0.1', port: 0 });
serveCalls({ address: async () => ({ url, key: '' }) });
