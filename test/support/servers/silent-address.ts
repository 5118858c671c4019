// An address of this machine that does not answer a handshake: its server has a full backlog, so
// Linux drops the packets that ask for one. `answer` lets it accept what it is then asked for.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** In the thread of the server, which accepts nothing while it waits. */
const server = `
  const { createServer } = require('node:http');
  const { parentPort, workerData: { address, port, gate } } = require('node:worker_threads');
  const listening = createServer((request, response) => {
    request.resume().on('end', () => response.end('late'));
  });
  listening.listen({ host: address, port, backlog: 1 }, () => {
    parentPort.postMessage('listening');
    setImmediate(() => Atomics.wait(gate, 0, 0));
  });
`;

export interface SilentAddress {
  answer(): void;
  close(): Promise<void>;
}

export async function silentAddress(address: string, port: number): Promise<SilentAddress> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(server, { eval: true, workerData: { address, port, gate } });
  await once(worker, 'message');
  const fillers: Socket[] = [];
  // Until one is not answered at once: the backlog is full.
  for (let isFull = false; !isFull; ) {
    const filler = connect({ host: address, port });
    filler.on('error', () => undefined);
    fillers.push(filler);
    isFull = await Promise.race([
      once(filler, 'connect').then(() => false),
      new Promise<boolean>((done) => setTimeout(done, 200, true)),
    ]);
  }
  const answer = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return {
    answer: () => {
      for (const filler of fillers) filler.destroy();
      answer();
    },
    close: async () => {
      for (const filler of fillers) filler.destroy();
      answer();
      await worker.terminate();
    },
  };
}
