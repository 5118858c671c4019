// A name server on loopback that answers as the first label of the name asks, well or badly.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  close(): void;
}

const A = 1;
const CNAME = 5;
const LATE_MS = 2_000;

/** Flags of a response: recursion desired and available, and a response code. */
const NO_ERROR = 0x8180;
const SERVER_FAILURE = 0x8182;
const NO_SUCH_NAME = 0x8183;
const TRUNCATED = 0x0200;

/** By first label: the answer to a question; null for none. */
const answers: Readonly<Record<string, (query: Buffer) => Buffer | null>> = {
  alias: (query) => response(query, NO_ERROR, [record(CNAME, nameBytes('gone.example'))]),
  empty: (query) => response(query, NO_ERROR),
  unknown: (query) => response(query, NO_SUCH_NAME),
  failing: (query) => response(query, SERVER_FAILURE),
  truncated: (query) => response(query, NO_ERROR | TRUNCATED),
  noise: (query) => Buffer.concat([query.subarray(0, 2), Buffer.alloc(40, 0xa7)]),
  short: (query) => response(query, NO_ERROR, [record(A, Buffer.from([8, 8]))]),
  loop: (query) => response(query, NO_ERROR, [record(CNAME, Buffer.from([0xc0, 12]))]),
  private: (query) => response(query, NO_ERROR, [record(A, Buffer.from([10, 0, 0, 1]))]),
  late: (query) => response(query, NO_ERROR, [record(A, Buffer.from([10, 0, 0, 1]))]),
  never: () => null,
};

export const answerKinds: readonly string[] = Object.keys(answers);

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const label = query.subarray(13, 13 + (query[12] ?? 0)).toString();
    const answer = answers[label]?.(query) ?? null;
    if (answer === null) return;
    setTimeout(() => socket.send(answer, port, address), label === 'late' ? LATE_MS : 0).unref();
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

/** The header, the question of the query, and the records. */
function response(query: Buffer, flags: number, records: readonly Buffer[] = []): Buffer {
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  for (const [at, value] of [flags, 1, records.length].entries()) {
    header.writeUInt16BE(value, 2 + 2 * at);
  }
  const questionEnds = query.indexOf(0, 12) + 5;
  return Buffer.concat([header, query.subarray(12, questionEnds), ...records]);
}

/** About the name of the question, valid for a minute. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([head, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => `${String.fromCharCode(label.length)}${label}`);
  return Buffer.from(`${labels.join('')}\0`);
}
