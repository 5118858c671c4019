// A network between hosts and a server that fails without a word: nothing is reset, bytes are
// swallowed or come late.
import { createServer, connect as dial, type Socket } from 'node:net';

/**
 * `hangs`: nothing goes through, and bytes sent during the fault are lost. `half-open`: the same,
 * for the connections open at its start only. `slow`: all bytes are delayed.
 */
export type Fault = 'none' | 'hangs' | 'half-open' | 'slow';

export interface SilentProxy {
  /** The URL of the database through it. */
  readonly url: string;
  /** Connections that lost bytes stay silent when the fault is over. */
  set(fault: Fault): void;
  close(): Promise<void>;
}

const SLOW_MS = 40;

export async function silentProxy(url: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const cut = new Set<Socket>();
  let fault: Fault = 'none';
  const carry = (from: Socket, to: Socket) => {
    from.on('data', (data: Buffer) => {
      if (fault === 'hangs') cut.add(from).add(to);
      if (cut.has(from)) return;
      if (fault === 'slow') setTimeout(() => to.write(data), SLOW_MS);
      else to.write(data);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      // A machine that is gone closes nothing.
      if (!cut.has(from)) to.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = dial(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket);
    carry(client, upstream);
    carry(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const through = new URL(url);
  through.port = typeof address === 'object' && address !== null ? `${address.port}` : '';
  return {
    url: through.href,
    set(next) {
      fault = next;
      if (next === 'half-open') for (const socket of sockets) cut.add(socket);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
