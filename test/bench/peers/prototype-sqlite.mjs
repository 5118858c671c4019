// The limit: what a create with one webhook costs on node:http and better-sqlite3 without a
// framework. One payment with six b-trees, two chained events, one delivery with its attempt, and
// raw sockets to the receiver. Rows of one turn share a transaction; the log is synced in the
// thread pool before they are answered. It knows one key, one receiver and no refusal but 401 and
// 400, and it repeats nothing.
import {
  createHash,
  createHmac,
  hash,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto';
import { fdatasync, openSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { serveCalls } from '../child-calls.ts';

const sync = promisify(fdatasync);
const [, , file, receiver] = process.argv;
const db = new Database(file);
db.pragma('journal_mode = wal');
db.pragma('synchronous = normal');
db.exec(`
  create table payments (org_id text not null, id text not null, public_id text not null,
    external_id text not null, status text not null, amount_minor integer not null,
    currency text not null, buyer_id text not null, buyer text not null, metadata text not null,
    created_at integer not null, primary key (org_id, id)) without rowid;
  create unique index payments_public_id on payments (public_id);
  create unique index payments_external_id on payments (org_id, external_id);
  create index payments_of_status on payments (org_id, status, id);
  create index payments_of_buyer on payments (org_id, buyer_id, created_at);
  create table idempotency_keys (org_id text, idempotency_key text, payment_id text not null,
    primary key (org_id, idempotency_key)) without rowid;
  create table events (org_id text not null, sequence integer not null, id text not null,
    type text not null, body text not null, hash text not null, created_at integer not null,
    primary key (org_id, sequence)) without rowid;
  create table deliveries (subscription_id text not null, sequence integer not null,
    status text not null, attempts integer not null, response_status integer, error text,
    created_at integer not null, ended_at integer not null,
    primary key (subscription_id, sequence)) without rowid;
`);
const log = openSync(`${file}-wal`, 'r+');
const marks = (count) => Array(count).fill('?').join(', ');
const insert = Object.fromEntries(
  Object.entries({ payments: 11, idempotency_keys: 3, events: 7, deliveries: 8 }).map(
    ([table, count]) => [table, db.prepare(`insert into ${table} values (${marks(count)})`)],
  ),
);

const org = 'org_1';
const salt = randomBytes(16);
const hashOf = (secret) => createHash('sha256').update(salt).update(secret).digest();
const key = `pk_test_key_${randomUUID()}.${randomBytes(32).toString('base64url')}`;
const keyHash = hashOf(key);
const amountForm = /^\d{1,12}(\.\d{1,2})?$/;
const signingKey = randomBytes(32);
const head = { sequence: 0, hash: '' };

/** What waits for the next transaction: rows to write, and what to do once they are on the disk. */
let waiting = [];
let isSyncing = false;

function store(write, then) {
  if (waiting.length === 0 && !isSyncing) setImmediate(commit);
  waiting.push({ write, then });
}

async function commit() {
  const group = waiting;
  waiting = [];
  isSyncing = true;
  writeAll(group);
  await sync(log);
  isSyncing = false;
  if (waiting.length > 0) setImmediate(commit);
  for (const { then } of group) then();
}

const writeAll = db.transaction((group) => {
  for (const { write } of group) write();
});

function append(type, payment) {
  head.sequence += 1;
  const id = `evt_${randomUUID()}`;
  const body = JSON.stringify({ id, event: type, sequence: head.sequence, data: payment });
  head.hash = hash('sha256', `${head.hash}${body}`);
  insert.events.run(org, head.sequence, id, type, body, head.hash, payment.createdAt);
  return { sequence: head.sequence, body };
}

function create({ externalId, amount, currency = 'USD', buyer, metadata = {} }, idempotencyKey) {
  const payment = {
    id: `pi_${randomUUID()}`,
    publicId: randomBytes(18).toString('base64url'),
    status: 'awaiting_buyer',
    createdAt: Date.now(),
    ...{ externalId, amount, currency, buyer, metadata },
  };
  const { id, publicId, status, createdAt } = payment;
  const [buyerText, metadataText] = [JSON.stringify(buyer), JSON.stringify(metadata)];
  const minor = Math.round(Number(amount) * 100);
  const sent = [];
  const write = () => {
    const rest = [status, minor, currency, buyer.email, buyerText, metadataText, createdAt];
    insert.idempotency_keys.run(org, idempotencyKey, id);
    insert.payments.run(org, id, publicId, externalId, ...rest);
    append('payment.created', payment);
    sent.push(append('payment_intent.created', payment));
  };
  return { payment, write, sent };
}

const target = new URL(receiver);
const idle = [];

/** Posts over a kept connection. The answers of the receiver are short, and end with their head. */
function post(body, signature) {
  return new Promise((resolve, reject) => {
    const socket = idle.pop() ?? connect({ host: target.hostname, port: Number(target.port) });
    const onData = (data) => {
      if (data.indexOf('\r\n\r\n') < 0) return;
      ended();
      idle.push(socket);
      resolve(Number(data.toString('latin1', 9, 12)));
    };
    const onClose = () => {
      ended();
      reject(new Error('the connection closed'));
    };
    const ended = () => socket.off('data', onData).off('close', onClose).off('error', onClose);
    socket.on('data', onData).on('close', onClose).on('error', onClose);
    const length = Buffer.byteLength(body);
    const lines = `content-type: application/json\r\nsignature: ${signature}\r\n`;
    socket.write(
      `POST ${target.pathname} HTTP/1.1\r\nhost: ${target.host}\r\n${lines}content-length: ${length}\r\n\r\n${body}`,
    );
  });
}

async function deliver({ sequence, body }, createdAt) {
  const t = Math.floor(Date.now() / 1_000);
  const v1 = createHmac('sha256', signingKey).update(`${t}.${body}`).digest('hex');
  const [status, error] = await post(body, `t=${t},v1=${v1}`).then(
    (answered) => [answered, null],
    (failed) => [null, String(failed)],
  );
  const state = status !== null && status < 300 ? 'delivered' : 'failed';
  const row = ['sub_1', sequence, state, 1, status, error, createdAt, Date.now()];
  store(
    () => insert.deliveries.run(...row),
    () => undefined,
  );
}

function isCreate({ externalId, amount, buyer }) {
  const isText = (value) => typeof value === 'string' && value.length > 0 && value.length <= 200;
  return isText(externalId) && amountForm.test(amount) && isText(buyer?.email);
}

const server = createServer((request, response) => {
  const answer = (status, value) => {
    const text = JSON.stringify(value);
    const length = Buffer.byteLength(text);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
    response.end(text);
  };
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const given = hashOf(request.headers['x-api-key'] ?? '');
    if (!timingSafeEqual(given, keyHash)) return answer(401, { error: 'InvalidApiKey' });
    let body = {};
    try {
      body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      // It is no create.
    }
    if (!isCreate(body)) return answer(400, { error: 'ValidationError' });
    const { payment, write, sent } = create(body, request.headers['idempotency-key'] ?? null);
    store(write, () => {
      answer(201, { ...payment, hostedPaymentUrl: `https://pay.example/r/${payment.publicId}` });
      for (const one of sent) void deliver(one, payment.createdAt);
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  serveCalls({ address: async () => ({ url, key }) });
});
