// From when a create was due to be sent to its webhook at the receiver, at a constant 200 creates a
// second.
import { startPostgres } from '../bench-postgres.js';
import { startChild } from '../child-calls.js';
import { type Bench, type Figure, median, until } from '../comparison.js';
import { startPonte } from '../ponte-server.js';
import type { ReceiverCalls } from '../receiver.js';
import { createHeaders, createRequest } from './create.js';

const RATE = 200;
const P50_MS = 15;
const P99_MS = 80;

export async function latency(bench: Bench): Promise<readonly Figure[]> {
  const postgres = await startPostgres();
  const figures = [
    ...(await latencyOn(bench, 'SQLite', {})),
    ...(await latencyOn(bench, 'PostgreSQL', { PONTE_DATABASE_URL: await postgres.newDatabase() })),
  ];
  await postgres.end();
  return figures;
}

async function latencyOn(
  bench: Bench,
  database: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly Figure[]> {
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const ponte = await startPonte({ env });
  const subscription = { url: await receiver.call('url'), eventTypes: ['payment_intent.*'] };
  await ponte.call('POST', '/v1/webhook-subscriptions', subscription);
  const body = JSON.stringify({
    externalId: 'sent-$t-$n',
    amount: '250.00',
    buyer: { email: 'buyer-$k@buyer.example' },
  });
  const job = {
    ...createRequest,
    urls: [ponte.url],
    headers: createHeaders(ponte.key),
    body,
    connections: bench.connections,
    ratePerSecond: RATE,
    warmUpMs: 0,
  };
  const warmUp = await bench.load({ ...job, firstNumber: 0, durationMs: 3_000 });
  let firstNumber = warmUp.nextNumber;
  const [p50s, p99s]: [number[], number[]] = [[], []];
  for (let round = 0; round < bench.rounds; round += 1) {
    await receiver.call('reset');
    const { nextNumber } = await bench.load({ ...job, firstNumber, durationMs: bench.roundMs });
    const sent = nextNumber - firstNumber;
    firstNumber = nextNumber;
    await until(async () => (await receiver.call('received')).count >= sent);
    const { p50Ms, p99Ms } = await receiver.call('received');
    p50s.push(p50Ms);
    p99s.push(p99Ms);
    bench.say(`  ${database}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
  }
  await ponte.end();
  await receiver.end();
  const figure = (name: string, value: number, atMost: number): Figure => ({
    row: 'latency',
    what: `${database}, create to webhook at ${RATE}/s, ${name}`,
    unit: 'ms',
    value,
    against: null,
    ratio: null,
    goal: { kind: 'at most', value: atMost },
    notes: {},
  });
  return [figure('p50', median(p50s), P50_MS), figure('p99', median(p99s), P99_MS)];
}
