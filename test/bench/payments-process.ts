// Plays whole payments in a separate process, many at a time: a client creates one and asks the
// sandbox to advance it, and the receiver of its webhooks is here too. A payment is over when the
// webhooks of all its events have arrived; then the next one starts.
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCalls } from './child-calls.js';
import { type LoadJob, type LoadResult, quantile } from './load-generator.js';

/** Payments under way for each connection of the job: most of their time they wait. */
const UNDER_WAY = 4;

const statuses = [
  'created',
  'buyer_kyc_pending',
  'buyer_kyc_approved',
  'fx_quoted',
  'on_ramp_pending',
  'on_chain_confirmed',
  'offramp_pending',
  'settled',
] as const;

interface UnderWay {
  readonly missing: Set<string>;
  readonly over: () => void;
}

/** By external id: a webhook may arrive before the answer that has the id. */
const underWay = new Map<string, UnderWay>();
const agent = new Agent({ keepAlive: true });

const receiver = createServer(async (webhook, response) => {
  const { event, data } = JSON.parse(await textOf(webhook));
  response.writeHead(204).end();
  const payment = underWay.get(data.externalId);
  payment?.missing.delete(event);
  if (payment?.missing.size !== 0) return;
  underWay.delete(data.externalId);
  payment.over();
});
receiver.keepAliveTimeout = 65_000;
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));

/** The speed is that of all payments, from the first create to the last webhook. */
async function play(job: LoadJob): Promise<LoadResult> {
  const warm = await playFor(job, job.firstNumber, job.warmUpMs);
  const { latenciesMs, tookMs, nextNumber } = await playFor(job, warm.nextNumber, job.durationMs);
  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    perSecond: (latenciesMs.length * 1_000) / tookMs,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    statuses: { settled: nextNumber - job.firstNumber },
    nextNumber,
  };
}

async function playFor(job: LoadJob, firstNumber: number, durationMs: number) {
  const startedAtMs = performance.now();
  const latenciesMs: number[] = [];
  let nextNumber = firstNumber;
  const payOneAfterTheOther = async () => {
    let nowMs = performance.now();
    while (nowMs - startedAtMs < durationMs) {
      const createdAtMs = nowMs;
      nextNumber += 1;
      await settle(job, nextNumber - 1);
      nowMs = performance.now();
      latenciesMs.push(nowMs - createdAtMs);
    }
  };
  await Promise.all(Array.from({ length: job.connections * UNDER_WAY }, payOneAfterTheOther));
  return { latenciesMs, tookMs: performance.now() - startedAtMs, nextNumber };
}

async function settle({ urls, path, headers, body }: LoadJob, number: number): Promise<void> {
  const filled = (text: string) => text.replaceAll('$n', `${number}`);
  const create = filled(body ?? '');
  const missing = new Set<string>(statuses.map((status) => `payment_intent.${status}`));
  const isOver = new Promise<void>((over) => {
    underWay.set(JSON.parse(create).externalId, { missing, over });
  });
  const key = filled(headers['idempotency-key'] ?? '');
  const id = await post(`${urls[0]}${path}`, { ...headers, 'idempotency-key': key }, create);
  const advance = `${urls[0]}/v1/test-helpers/payments/${id}/advance`;
  await post(advance, { ...headers, 'idempotency-key': `${key}-advance` }, '{"to":"settled"}');
  await isOver;
}

/** The id in the answer. */
async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<string> {
  const sent = { ...headers, 'content-length': Buffer.byteLength(body) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method: 'POST', headers: sent, agent }, resolve).once('error', reject).end(body);
  });
  const text = await textOf(answer);
  if (answer.statusCode !== 200 && answer.statusCode !== 201) {
    throw new Error(`${url} answered ${answer.statusCode} ${text}`);
  }
  return JSON.parse(text).id;
}

async function textOf(message: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of message) text += chunk;
  return text;
}

const calls = {
  play,
  url: async () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`,
};
export type PaymentsCalls = typeof calls;

serveCalls(calls);
