// The writer thread: applies the batches of the session on a separate connection. Batches that
// arrive during a commit form the next group.
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../../core/errors.js';
import { openAnotherConnection } from './connection.js';
import { GroupWriter, type WriteBatch } from './writer.js';
import {
  serializeError,
  type WriteRequest,
  WriteRequestDecoder,
  type WriteResponse,
} from './writer-messages.js';

assert(parentPort !== null, 'this runs as a thread');
const session = parentPort;
const connection = openAnotherConnection(String(workerData));
const orders = new WriteRequestDecoder();
let outcomes: WriteResponse['outcomes'][number][] = [];

const writer = new GroupWriter(connection, (commit) =>
  setImmediate(() => {
    commit();
    answer();
  }),
);

const reject: WriteBatch['reject'] = (error) => void outcomes.push(serializeError(error));
const resolveRows: WriteBatch['resolve'] = (rows) => void outcomes.push(rows);
const resolve: WriteBatch['resolve'] = () => void outcomes.push(null);

session.on('message', (message: WriteRequest | null) => {
  if (message === null) {
    void close();
    return;
  }
  for (const batch of orders.read(message)) {
    writer.add({ ...batch, resolve: batch.returns ? resolveRows : resolve, reject });
  }
});
session.postMessage(null);

function answer(): void {
  if (outcomes.length === 0) return;
  session.postMessage({ outcomes, counts: writer.counts } satisfies WriteResponse);
  outcomes = [];
}

async function close(): Promise<void> {
  await writer.close();
  answer();
  connection.close();
  session.close();
}
