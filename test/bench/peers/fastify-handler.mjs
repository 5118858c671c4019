// The create that one would write by hand on Fastify: API key, its hash, a checked body, four rows.
// What stores the rows is the caller's. It does nothing that the comparison does not need: no
// scopes, no buyers, no replay of a key, no events that go anywhere.
import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import fastify from 'fastify';
import { serveCalls } from '../child-calls.ts';

const text = { type: 'string' };
const body = {
  type: 'object',
  required: ['externalId', 'amount', 'buyer'],
  properties: {
    externalId: { type: 'string', minLength: 1, maxLength: 200 },
    amount: { type: 'string', pattern: '^[0-9]{1,12}(\\.[0-9]{1,2})?$' },
    currency: { type: 'string', pattern: '^[A-Z]{3}$', default: 'USD' },
    buyer: { type: 'object', required: ['email'], properties: { email: text, name: text } },
    metadata: { type: 'object' },
  },
};
const answer = {
  type: 'object',
  properties: {
    id: text,
    externalId: text,
    status: text,
    amount: text,
    currency: text,
    hostedPaymentUrl: text,
    createdAt: text,
    buyer: { type: 'object', properties: { id: text, email: text, name: text } },
    metadata: { type: 'object', additionalProperties: true },
  },
};

const hash = (given, salt) => createHash('sha256').update(salt).update(given).digest();

/** Stores an API key of `org_1` and returns its text. */
export async function newKey(storeKey) {
  const salt = randomBytes(16);
  const secret = randomBytes(32).toString('base64url');
  const id = `key_${randomUUID()}`;
  await storeKey({ id, salt, hash: hash(secret, salt), orgId: 'org_1' });
  return `pk_test_${id}.${secret}`;
}

/** The stored key of a request; null if it has no right one. */
export async function keyOf(request, keyById) {
  const [, , id, given] =
    /^pk_(test|live)_([^.]+)\.(.+)$/.exec(request.headers['x-api-key'] ?? '') ?? [];
  const key = id === undefined ? undefined : await keyById(id);
  return key !== undefined && timingSafeEqual(key.hash, hash(given, key.salt)) ? key : null;
}

/** `keyById` finds a stored key, `insert` stores a payment with its four rows. */
export async function servePayments({ storeKey, keyById, insert }) {
  const secret = await newKey(storeKey);
  const app = fastify();
  app.post(
    '/v1/payment-intents',
    { schema: { body, response: { 201: answer } } },
    async (request, reply) => {
      const key = await keyOf(request, keyById);
      if (key === null) return reply.code(401).send({ error: 'InvalidApiKey' });
      const { externalId, amount, currency, buyer, metadata } = request.body;
      const payment = {
        id: `pi_${randomUUID()}`,
        orgId: key.orgId,
        publicId: randomBytes(18).toString('base64url'),
        status: 'awaiting_buyer',
        createdAt: new Date().toISOString(),
        amountMinor: Math.round(Number(amount) * 100),
        eventId: `evt_${randomUUID()}`,
        idempotencyKey: request.headers['idempotency-key'],
        externalId,
        amount,
        currency,
        buyer,
        metadata,
      };
      await insert(payment);
      const hostedPaymentUrl = `https://pay.example/r/${payment.publicId}`;
      return reply.code(201).send({ ...payment, hostedPaymentUrl });
    },
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  serveCalls({ address: async () => ({ url, key: secret }) });
}

/** The tables, in the words that both databases understand. */
export const tables = [
  'create table api_keys (id text primary key, salt bytea, hash bytea, org_id text)',
  `create table payments (id text primary key, org_id text not null, external_id text,
    public_id text not null unique, status text not null, amount_minor bigint not null,
    currency text not null, buyer text not null, metadata text not null, created_at text not null,
    unique (org_id, external_id))`,
  `create table funds (payment_id text primary key, org_id text not null, currency text not null,
    position text not null)`,
  `create table idempotency_keys (org_id text, idempotency_key text, payment_id text not null,
    primary key (org_id, idempotency_key))`,
  `create table outbox (event_id text primary key, org_id text not null, type text not null,
    body text not null, created_at text not null)`,
];

/** The four rows of a payment: table by columns and values. */
export function rowsOf(payment) {
  const { id, orgId, externalId, publicId, status, amountMinor, currency, createdAt } = payment;
  const [buyer, metadata] = [JSON.stringify(payment.buyer), JSON.stringify(payment.metadata ?? {})];
  const event = JSON.stringify({ event: 'payment_intent.created', data: payment });
  return [
    [id, orgId, externalId, publicId, status, amountMinor, currency, buyer, metadata, createdAt],
    [id, orgId, currency, 'none'],
    [orgId, payment.idempotencyKey, id],
    [payment.eventId, orgId, 'payment_intent.created', event, createdAt],
  ];
}

export const inserts = [
  { table: 'payments', count: 10 },
  { table: 'funds', count: 4 },
  { table: 'idempotency_keys', count: 3 },
  { table: 'outbox', count: 5 },
];
