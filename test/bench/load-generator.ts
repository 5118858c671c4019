// Plays many clients over HTTP/1.1 keep-alive in a separate process: either each connection sends
// its next request after each answer (throughput), or requests are sent at a constant rate and
// timed from when they were due (latency). It uses bare sockets: an HTTP client would need as much
// CPU time as the measured server.
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface LoadJob {
  /** Connections are shared out over them. */
  readonly urls: readonly string[];
  readonly method: 'GET' | 'POST';
  /**
   * In path, headers and body `$n` is a number that never comes again, `$k` one below 1,000, `$t`
   * when the request was meant to be sent, in microseconds since the epoch.
   */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** `$i` in the path is one of these after the other. */
  readonly ids: readonly string[];
  readonly firstNumber: number;
  readonly connections: number;
  /** Requests a second; null: as many as are answered. */
  readonly ratePerSecond: number | null;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export interface LoadResult {
  /** Answers within the measured time. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers by status, of the whole run. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Numbers used: the next run begins here. */
  readonly nextNumber: number;
}

interface Client {
  readonly socket: Socket;
  /** When the request under way was meant to be sent; null: none is. */
  meantAtMs: number | null;
  rest: Buffer | null;
}

const headEnd = Buffer.from('\r\n\r\n');
const lengthLine = /\r\ncontent-length: *(\d+)/i;

/** Plays one job to its end. */
export async function playLoad(job: LoadJob): Promise<LoadResult> {
  const { ratePerSecond, warmUpMs, durationMs } = job;
  const write = requestWriter(job);
  const latenciesMs: number[] = [];
  const statuses: Record<string, number> = {};
  const idle: Client[] = [];
  /** When requests were meant to be sent that found no idle connection. */
  const late: number[] = [];
  let number = job.firstNumber;
  let phase: 'warming up' | 'measuring' | 'ending' = 'warming up';

  const ask = (client: Client, meantAtMs: number) => {
    client.meantAtMs = meantAtMs;
    client.socket.write(write(number, meantAtMs), 'latin1');
    number += 1;
  };
  const answered = (client: Client, status: string) => {
    const nowMs = performance.now();
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (phase === 'measuring') latenciesMs.push(nowMs - (client.meantAtMs ?? nowMs));
    client.meantAtMs = null;
    const next = ratePerSecond === null ? nowMs : late.shift();
    if (phase === 'ending' || next === undefined) idle.push(client);
    else ask(client, next);
  };
  const clients = await Promise.all(
    Array.from({ length: job.connections }, (_, at) =>
      openClient(job.urls[at % job.urls.length] ?? '', answered),
    ),
  );

  const startedAtMs = performance.now();
  if (ratePerSecond === null) for (const client of clients) ask(client, startedAtMs);
  else idle.push(...clients);
  let sent = 0;
  for (let passedMs = 0; passedMs < warmUpMs + durationMs; ) {
    for (; sent < (passedMs / 1_000) * (ratePerSecond ?? 0); sent += 1) {
      const meantAtMs = startedAtMs + (sent / (ratePerSecond ?? 1)) * 1_000;
      const client = idle.pop();
      if (client === undefined) late.push(meantAtMs);
      else ask(client, meantAtMs);
    }
    await wait(1);
    passedMs = performance.now() - startedAtMs;
    if (passedMs >= warmUpMs) phase = 'measuring';
  }
  phase = 'ending';
  // Answers under way are waited for, so that they do not fall into somebody else's measurement.
  while (clients.some(({ meantAtMs }) => meantAtMs !== null)) await wait(1);
  for (const { socket } of clients) socket.destroy();
  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    perSecond: sorted.length / (durationMs / 1_000),
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    statuses,
    nextNumber: number,
  };
}

export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function requestWriter(job: LoadJob): (number: number, meantAtMs: number) => string {
  const lines = Object.entries(job.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = ` HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}`;
  const filled = (text: string, number: number, meantAtMs: number) => {
    if (!text.includes('$')) return text;
    const meantAtUs = Math.round((performance.timeOrigin + meantAtMs) * 1_000);
    return text
      .replaceAll('$n', `${number}`)
      .replaceAll('$k', `${number % 1_000}`)
      .replaceAll('$t', `${meantAtUs}`);
  };
  return (number, meantAtMs) => {
    const id = job.ids[number % Math.max(1, job.ids.length)] ?? '';
    const path = filled(job.path, number, meantAtMs).replace('$i', id);
    const before = `${job.method} ${path}${filled(head, number, meantAtMs)}`;
    if (job.body === null) return `${before}\r\n`;
    const body = filled(job.body, number, meantAtMs);
    return `${before}content-length: ${body.length}\r\n\r\n${body}`;
  };
}

/** Answers are short and carry their length: nothing else is understood here. */
function openClient(
  url: string,
  answered: (client: Client, status: string) => void,
): Promise<Client> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port), noDelay: true });
    const client: Client = { socket, meantAtMs: null, rest: null };
    socket.once('connect', () => resolve(client));
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      const data = client.rest === null ? chunk : Buffer.concat([client.rest, chunk]);
      const end = data.indexOf(headEnd);
      const head = end < 0 ? '' : data.toString('latin1', 0, end);
      const length = Number(lengthLine.exec(head)?.[1] ?? 0);
      if (end < 0 || data.length < end + headEnd.length + length) {
        client.rest = data;
        return;
      }
      client.rest = null;
      answered(client, head.slice(9, 12));
    });
  });
}
