// The thread of the writer: a connection of its own, on which it applies what the session sends.
// What comes while a group is committed is the next group.
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../../core/errors.js';
import { openAnotherConnection } from './connection.js';
import { GroupWriter, type Unit } from './writer.js';
import { type Answers, type Orders, OrdersReader, tellError } from './writer-messages.js';

assert(parentPort !== null, 'this runs as a thread');
const session = parentPort;
const connection = openAnotherConnection(String(workerData));
const orders = new OrdersReader();
let outcomes: Answers['outcomes'][number][] = [];

const writer = new GroupWriter(connection, (commit) =>
  setImmediate(() => {
    commit();
    answer();
  }),
);

const reject: Unit['reject'] = (error) => void outcomes.push(tellError(error));
const resolveRows: Unit['resolve'] = (rows) => void outcomes.push(rows);
const resolve: Unit['resolve'] = () => void outcomes.push(null);

session.on('message', (message: Orders | null) => {
  if (message === null) {
    void close();
    return;
  }
  for (const unit of orders.read(message)) {
    writer.add({ ...unit, resolve: unit.returns ? resolveRows : resolve, reject });
  }
});
session.postMessage(null);

function answer(): void {
  if (outcomes.length === 0) return;
  session.postMessage({ outcomes, counts: writer.counts } satisfies Answers);
  outcomes = [];
}

async function close(): Promise<void> {
  await writer.close();
  answer();
  connection.close();
  session.close();
}
