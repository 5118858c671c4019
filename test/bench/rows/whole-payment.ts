// Whole payments, from the create to the settlement and the last webhook: the buyer's verification,
// price and transfer, the payout, and eight signed webhooks, at the fake partner without delay.
// Each payment has a new buyer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { type Child, startChild } from '../child-calls.js';
import {
  type Bench,
  type Contender,
  compareThroughput,
  type Figure,
  versus,
} from '../comparison.js';
import type { PaymentsCalls } from '../payments-process.js';
import { startPonte } from '../ponte-server.js';
import { createHeaders, createRequest, type PeerCalls } from './create.js';

type FloorCalls = PeerCalls & {
  /** Counts statements from now on. */
  startCount(): Promise<void>;
  statements(): Promise<number>;
};

const body = JSON.stringify({
  externalId: 'order-$n',
  amount: '250.00',
  buyer: { email: 'buyer-$n@buyer.example', name: 'Ana Buyer' },
  metadata: { order: '$n', channel: 'web' },
});

/** The request whose statements the gate counts for Ponte (gate.ts). */
const counted = 'a payment of a new buyer, create to settled + 8 webhooks';
const costs = JSON.parse(readFileSync(new URL('../costs.json', import.meta.url), 'utf8'));

interface Playing extends Contender {
  readonly load: Bench['load'];
  readonly end: () => Promise<void>;
}

export async function wholePayment(bench: Bench): Promise<readonly Figure[]> {
  const ponte = await pontePaying('Ponte on SQLite', {});
  const floor = await floorPaying('by hand, a transaction for each step', 'alone');
  const limit = await floorPaying('by hand, steps of a turn in one transaction', 'grouped');
  const before =
    bench.before === null ? [] : [await pontePaying('Ponte before', { clone: bench.before })];
  const all = [ponte, floor.playing, limit.playing, ...before];
  const [mine, ...others] = await compareThroughput(bench, all, 'settled');
  const statements = await countOf(bench, floor);
  for (const { end } of all) await end();
  if (mine === undefined) throw new Error('Ponte was measured');
  return [
    ...others.map((other, at) => versus('whole-payment', mine, other, at === 0 ? 1.5 : null)),
    {
      row: 'whole-payment',
      what: 'statements of a payment, as the gate counts them',
      unit: '',
      value: costs[counted].statements,
      against: { what: 'by hand', value: statements },
      ratio: costs[counted].statements / statements,
      goal: null,
      notes: {},
    },
  ];
}

async function pontePaying(what: string, options: { readonly clone?: string }): Promise<Playing> {
  const payments = await startChild<PaymentsCalls>('payments-process.ts');
  const url = await payments.call('url');
  const env = { PONTE_FAKE_PARTNER_DELAY_MS: '0', PONTE_FAKE_PARTNER_PAYINS: 'arrive' };
  const server = await startPonte({ ...options, env });
  await server.call('POST', '/v1/webhook-subscriptions', { url, eventTypes: ['payment_intent.*'] });
  return playing({ what, payments, server, end: () => server.end() });
}

async function floorPaying(what: string, way: 'alone' | 'grouped') {
  const payments = await startChild<PaymentsCalls>('payments-process.ts');
  const args = [join(temporaryFolder(), `${way}.db`), await payments.call('url'), way];
  const floor = await startChild<FloorCalls>('peers/payment-floor.mjs', args);
  const server = { pid: floor.pid, ...(await floor.call('address')) };
  return { floor, playing: playing({ what, payments, server, end: () => floor.end() }) };
}

function playing({
  what,
  payments,
  server: { pid, url, key },
  end,
}: {
  readonly what: string;
  readonly payments: Child<PaymentsCalls>;
  readonly server: { readonly pid: number; readonly url: string; readonly key: string };
  readonly end: () => Promise<void>;
}): Playing {
  return {
    what,
    pids: [pid],
    job: { ...createRequest, urls: [url], headers: createHeaders(key), body },
    load: (job) => payments.call('play', job),
    end: async () => {
      await end();
      await payments.end();
    },
  };
}

/** After the rounds, so that counting costs none of them anything. */
async function countOf(
  bench: Bench,
  { floor, playing: { load, job } }: Awaited<ReturnType<typeof floorPaying>>,
): Promise<number> {
  await floor.call('startCount');
  const firstNumber = 1_000_000_000;
  const { nextNumber } = await load({
    ...job,
    firstNumber,
    connections: bench.connections,
    ratePerSecond: null,
    warmUpMs: 0,
    durationMs: 500,
  });
  return (await floor.call('statements')) / (nextNumber - firstNumber);
}
