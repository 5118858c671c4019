// The receiver of webhooks, in a separate process: it answers every POST with 204 and counts it. It
// records the latency of bodies that hold `sent-<microseconds since the epoch>-`.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCalls } from './child-calls.js';
import { quantile } from './load-generator.js';

export interface Received {
  readonly count: number;
  /** Between the first and the last of them. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const sentAt = /sent-(\d{16})-/;
let count = 0;
let latenciesMs: number[] = [];
let [firstAtMs, lastAtMs] = [0, 0];

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('latin1');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    count += 1;
    lastAtMs = performance.now();
    if (count === 1) firstAtMs = lastAtMs;
    const found = sentAt.exec(text)?.[1];
    if (found !== undefined) {
      const nowMs = performance.timeOrigin + performance.now();
      latenciesMs.push(nowMs - Number(found) / 1_000);
    }
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 65_000;

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const calls = {
  url: async () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
  reset: async () => {
    count = 0;
    latenciesMs = [];
  },
  received: async (): Promise<Received> => {
    const sorted = Float64Array.from(latenciesMs).sort();
    const perSecond = ((count - 1) * 1_000) / (lastAtMs - firstAtMs);
    return { count, perSecond, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
  },
};
export type ReceiverCalls = typeof calls;

serveCalls(calls);
