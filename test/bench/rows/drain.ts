// Webhooks from a backlog to one receiver that answers at once, everything on PostgreSQL: Ponte
// signs each, counts its attempt before it sends, and logs the answer; the queues post the same
// body as a job. What counts is when the receiver got them.
import pg from 'pg';
import { type BenchPostgres, startPostgres } from '../bench-postgres.js';
import { cpuMsOf, startChild } from '../child-calls.js';
import { type Bench, type Figure, type Measured, median, until, versus } from '../comparison.js';
import { startPonte } from '../ponte-server.js';
import type { ReceiverCalls } from '../receiver.js';
import { copyRows, countedId } from '../row-copies.js';

type QueueCalls = {
  fill(body: string, count: number): Promise<void>;
  drain(url: string): Promise<void>;
  stop(): Promise<void>;
};

const graphile = 'peers/graphile-deliveries.mjs';

interface Drained {
  readonly perSecond: number;
  readonly cpuUs: number;
}

const body = JSON.stringify({
  event: 'payment_intent.created',
  data: {
    paymentIntentId: 'pi_06f9k2q8h0a1b2c3d4e5f6g7h8',
    externalId: 'order-7',
    status: 'awaiting_buyer',
    amount: '250.00',
    currency: 'USD',
    source: 'payment_intent',
    metadata: { order: '7', channel: 'web' },
    occurredAt: '2026-01-01T00:00:00.000Z',
    externalEventId: 'evt_06f9k2q8h0a1b2c3d4e5f6g7h8',
  },
});

export async function deliveries(bench: Bench): Promise<readonly Figure[]> {
  const postgres = await startPostgres();
  // The goal was set beside the local queue as its preset has it; its best way is shown too.
  const ways = [
    { what: 'Ponte', drain: drainPonte },
    { what: 'graphile-worker, local queue', drain: queueDrain(graphile, 'queue'), goal: 1.5 },
    { what: 'graphile-worker, batched completion', drain: queueDrain(graphile, 'batched') },
    { what: 'pg-boss, in batches', drain: queueDrain('peers/boss-deliveries.mjs') },
  ];
  const count = bench.quick ? 5_000 : 30_000;
  const rounds: Drained[][] = ways.map(() => []);
  for (let round = 0; round < bench.rounds; round += 1) {
    for (const [index, { what, drain }] of ways.entries()) {
      const drained = await drain(postgres, what.startsWith('pg-boss') ? count / 5 : count);
      rounds[index]?.push(drained);
      const cost = `${Math.round(drained.cpuUs)} µs of processor each`;
      bench.say(`  ${what}: ${Math.round(drained.perSecond)}/s, ${cost}`);
    }
  }
  await postgres.end();
  const [ponte, ...queues] = ways.map(({ what, goal = null }, index) => {
    return { of: measured(what, rounds[index] ?? []), goal };
  });
  if (ponte === undefined) throw new Error('Ponte was measured');
  return queues.map(({ of, goal }) => versus('deliveries', ponte.of, of, goal));
}

function measured(what: string, drained: readonly Drained[]): Measured {
  const perSecond = drained.map((one) => one.perSecond);
  const cpuUs = median(drained.map((one) => one.cpuUs));
  return { what, perSecond, median: median(perSecond), cpuUs, p99Ms: 0, memoryMb: 0 };
}

/** A backlog that lies in the database before the process starts that works it off. */
async function drainPonte(postgres: BenchPostgres, count: number): Promise<Drained> {
  const receiver = await startChild<ReceiverCalls>('receiver.ts');
  const url = await postgres.newDatabase();
  const env = { PONTE_DATABASE_URL: url };
  const first = await startPonte({ env });
  await first.call('POST', '/v1/webhook-subscriptions', {
    url: await receiver.call('url'),
    eventTypes: ['payment_intent.*'],
  });
  const { metadata, amount, externalId } = JSON.parse(body).data;
  const buyer = { email: 'ana@buyer.example' };
  await first.call('POST', '/v1/payment-intents', { externalId, amount, buyer, metadata });
  await until(async () => (await receiver.call('received')).count === 1);
  await first.end({ keep: true });
  const pending = {
    id: countedId('id'),
    status: "'pending'",
    attempt: '0',
    due_at: 'now()',
    response_status: 'null',
    delivered_at: 'null',
    duration_ms: 'null',
    first_started_at: 'null',
  };
  await copyRows({ kind: 'postgres', url }, [
    { table: 'deliveries', where: "status = 'delivered'", count, columns: pending },
  ]);
  await receiver.call('reset');
  const second = await startPonte({ env, earlier: first });
  const cpuBefore = cpuMsOf(second.pid);
  await until(async () => (await receiver.call('received')).count >= count);
  const { perSecond } = await receiver.call('received');
  await logged(url, count + 1);
  const cpuUs = ((cpuMsOf(second.pid) - cpuBefore) * 1_000) / count;
  await second.end();
  await receiver.end();
  return { perSecond, cpuUs };
}

/** Every attempt is stored, and no delivery is on its way. */
async function logged(url: string, count: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await until(async () => {
    const sql = 'select count(*)::int as ended from deliveries where response_status = 204';
    const { rows } = await client.query(sql);
    return rows[0].ended >= count;
  });
  await client.end();
}

function queueDrain(file: string, ...args: readonly string[]) {
  return async (postgres: BenchPostgres, count: number): Promise<Drained> => {
    const receiver = await startChild<ReceiverCalls>('receiver.ts');
    const peer = await startChild<QueueCalls>(file, [await postgres.newDatabase(), ...args]);
    await peer.call('fill', body, count);
    const cpuBefore = cpuMsOf(peer.pid);
    await peer.call('drain', await receiver.call('url'));
    await until(async () => (await receiver.call('received')).count >= count);
    const { perSecond } = await receiver.call('received');
    const cpuUs = ((cpuMsOf(peer.pid) - cpuBefore) * 1_000) / count;
    await peer.call('stop');
    await peer.end();
    await receiver.end();
    return { perSecond, cpuUs };
  };
}
