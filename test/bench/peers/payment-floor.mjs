// The floor of a whole payment: what it costs by hand on node:http and better-sqlite3, with the
// fake partner that Ponte calls. Each step reads what it decides on and stores all that it changes
// in one transaction, which is on the disk before the next step: payment, idempotency key, buyer,
// chained event, submission, quote, partner command (pending, sent, done, ended), inbox, funds,
// ledger and advance. Webhooks are signed and sent once, and stored with their outcome.
//
// `alone`: a transaction for each step. `grouped`: steps of one turn share a transaction, and the
// log is synced in the thread pool.
//
// It leaves out what Ponte does besides: it works off nothing after a crash and repeats no call or
// webhook; it has no leases, guards, limits, scopes, second tenant, audit log, sealed dossier,
// checks of what the partner reports, bank details of its own, words for a search, or mails; and it
// refuses nothing but a wrong key and a malformed create.
import 'tsx';
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { fdatasync, openSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { serveCalls } from '../child-calls.ts';
import { keyOf, newKey } from './fastify-handler.mjs';
import { deliverer } from './webhook-posting.mjs';

const { createFakePartner } = await import('../../../adapters/partner/fake.ts');
const { countedStatements } = await import('../counted-statements.ts');

const [, , file, receiver, way] = process.argv;
const db = new Database(file);
db.pragma('journal_mode = wal');
db.pragma(`synchronous = ${way === 'grouped' ? 'normal' : 'full'}`);
db.exec(`
  create table api_keys (id text primary key, salt blob, hash blob, org_id text) without rowid;
  create table payments (org_id text not null, id text not null, public_id text not null,
    external_id text not null, status text not null, amount_minor integer not null,
    currency text not null, buyer_id text not null, buyer text not null, metadata text not null,
    quote_id text, payin_instructions text, settled_minor integer, fx_rate text,
    created_at integer not null, updated_at integer not null,
    primary key (org_id, id)) without rowid;
  create unique index payments_public_id on payments (public_id);
  create unique index payments_external_id on payments (org_id, external_id);
  create index payments_of_status on payments (org_id, status, id);
  create index payments_of_buyer on payments (org_id, buyer_id, created_at);
  create index payments_updated on payments (org_id, updated_at, id);
  create table idempotency_keys (org_id text, idempotency_key text, payment_id text not null,
    primary key (org_id, idempotency_key)) without rowid;
  create table buyers (id text primary key, email text not null unique,
    created_at integer not null) without rowid;
  create table advances (org_id text, payment_id text, due_at integer not null,
    primary key (org_id, payment_id)) without rowid;
  create index advances_due on advances (due_at);
  create table submissions (org_id text, id text, buyer_id text not null, status text not null,
    partner_ref text, submitted_at integer not null, decided_at integer,
    primary key (org_id, id)) without rowid;
  create unique index submissions_of_buyer on submissions (org_id, buyer_id);
  create table quotes (org_id text, id text, payment_id text not null, terms text not null,
    expires_at integer not null, primary key (org_id, id)) without rowid;
  create table commands (reference text primary key, kind text not null, org_id text not null,
    payment_id text not null, subject_id text not null, state text not null, request text not null,
    partner_ref text, ended text not null, due_at integer, created_at integer not null,
    updated_at integer not null) without rowid;
  create index commands_due on commands (due_at) where due_at is not null;
  create index commands_partner_ref on commands (kind, partner_ref) where partner_ref is not null;
  create index commands_of_payment on commands (org_id, payment_id);
  create table inbox (message_id text primary key, facts text not null,
    received_at integer not null) without rowid;
  create table funds (org_id text, payment_id text, currency text not null, position text not null,
    received_minor integer not null, payout_minor integer not null,
    primary key (org_id, payment_id)) without rowid;
  create table ledger_lines (org_id text, posting_id text, line_number integer, payment_id text,
    kind text not null, account text not null, amount_minor integer not null,
    currency text not null, posted_at integer not null,
    primary key (org_id, posting_id, line_number)) without rowid;
  create index ledger_lines_of_payment on ledger_lines (org_id, payment_id);
  create table events (org_id text, sequence integer, id text not null, type text not null,
    payment_id text not null, body text not null, hash text not null, created_at integer not null,
    primary key (org_id, sequence)) without rowid;
  create unique index events_id on events (org_id, id);
  create index events_of_payment on events (org_id, payment_id, sequence);
  create table deliveries (event_id text, subscription_id text, status text not null,
    response_status integer, error text, ended_at text not null,
    primary key (subscription_id, event_id)) without rowid;
`);

const insert = (table, count) =>
  db.prepare(`insert into ${table} values (${Array(count).fill('?').join(', ')})`);
const add = {
  key: insert('api_keys', 4),
  payment: insert('payments', 16),
  idempotencyKey: insert('idempotency_keys', 3),
  buyer: db.prepare('insert into buyers values (?, ?, ?) on conflict do nothing'),
  advance: insert('advances', 3),
  submission: insert('submissions', 7),
  quote: insert('quotes', 5),
  command: insert('commands', 12),
  message: insert('inbox', 3),
  funds: insert('funds', 6),
  line: insert('ledger_lines', 9),
  event: insert('events', 8),
  delivery: insert('deliveries', 6),
};
const find = {
  key: db.prepare('select salt, hash, org_id as "orgId" from api_keys where id = ?'),
  buyer: db.prepare('select id from buyers where email = ?').pluck(),
  payment: db.prepare('select * from payments where org_id = ? and id = ?'),
  command: db.prepare('select * from commands where reference = ?'),
  quote: db.prepare('select terms from quotes where org_id = ? and id = ?').pluck(),
};
const set = {
  payment: db.prepare(`update payments set status = ?, quote_id = ?, payin_instructions = ?,
    settled_minor = ?, fx_rate = ?, updated_at = ? where org_id = ? and id = ?`),
  submission: db.prepare(`update submissions set status = ?, partner_ref = ?, decided_at = ?
    where org_id = ? and id = ?`),
  command: db.prepare(`update commands set state = ?, partner_ref = ?, ended = ?, due_at = ?,
    updated_at = ? where reference = ?`),
  funds: db.prepare(`update funds set position = ?, received_minor = ?, payout_minor = ?
    where org_id = ? and payment_id = ?`),
};
const removeAdvance = db.prepare('delete from advances where org_id = ? and payment_id = ?');

/** Runs a step in a transaction; resolves with its value once it is on the disk. */
const stored = way === 'grouped' ? grouped() : alone();

function alone() {
  const transaction = db.transaction((step) => step());
  return async (step) => transaction(step);
}

function grouped() {
  const sync = promisify(fdatasync);
  const log = openSync(`${file}-wal`, 'r+');
  const runAll = db.transaction((steps) => steps.map(({ step }) => step()));
  let waiting = [];
  let isSyncing = false;
  const commit = async () => {
    const group = waiting;
    waiting = [];
    isSyncing = true;
    const values = runAll(group);
    await sync(log);
    isSyncing = false;
    if (waiting.length > 0) setImmediate(commit);
    for (const [at, { resolve }] of group.entries()) resolve(values[at]);
  };
  return (step) =>
    new Promise((resolve) => {
      if (waiting.length === 0 && !isSyncing) setImmediate(commit);
      waiting.push({ step, resolve });
    });
}

const org = 'org_1';
const head = { sequence: 0, hash: '' };
const send = deliverer(receiver, (outcomes) =>
  stored(() => {
    for (const [status, responseStatus, error, endedAt, id] of outcomes) {
      add.delivery.run(id, 'sub_1', status, responseStatus, error, endedAt);
    }
  }),
);

/** Part of a step: appends the event of a payment's status. */
function append(payment, status) {
  head.sequence += 1;
  const id = `evt_${randomUUID()}`;
  const type = `payment_intent.${status}`;
  const body = JSON.stringify({
    event: type,
    data: {
      paymentIntentId: payment.id,
      externalId: payment.external_id,
      status: payment.status,
      amount: decimal(payment.amount_minor),
      currency: payment.currency,
      ...(payment.settled_minor === null
        ? {}
        : {
            brlSettledAmount: decimal(payment.settled_minor),
            fxRateAtSettlement: payment.fx_rate,
          }),
      metadata: JSON.parse(payment.metadata),
      source: 'payment_intent',
      externalEventId: id,
      occurredAt: new Date(payment.updated_at).toISOString(),
    },
  });
  head.hash = hash('sha256', `${head.hash}${body}`);
  const { sequence, hash: chained } = head;
  add.event.run(org, sequence, id, type, payment.id, body, chained, payment.updated_at);
  return { id, body };
}

function decimal(minor) {
  const text = `${minor}`.padStart(3, '0');
  return `${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Part of a step: stores what changes of a payment. */
function update(id, changes) {
  const payment = { ...find.payment.get(org, id), ...changes, updated_at: Date.now() };
  const { status, quote_id, payin_instructions, settled_minor, fx_rate, updated_at } = payment;
  const rest = [payin_instructions, settled_minor, fx_rate, updated_at, org, id];
  set.payment.run(status, quote_id, ...rest);
  return payment;
}

/** Part of a step: a new status with its event. */
function move(id, status, changes = {}) {
  const payment = update(id, { ...changes, status });
  return { payment, event: append(payment, status) };
}

/** A step of the given parts, and then the webhook of its event. */
async function step(parts) {
  const { payment, event } = await stored(parts);
  void send(event.id, event.body);
  return payment;
}

function post(paymentId, kind, ...lines) {
  const posting = `pst_${randomUUID()}`;
  for (const [at, [account, amountMinor, currency]] of lines.entries()) {
    add.line.run(org, posting, at, paymentId, kind, account, amountMinor, currency, Date.now());
  }
}

// ---------------------------------------------------------------------------------- the partner
const partner = createFakePartner({
  mode: 'test',
  clock: { nowMs: Date.now },
  delayMs: 0,
  secret: `whsec_${randomBytes(32).toString('base64')}`,
  deliver: receive,
  onQueued: sendMessages,
});
let isPlanned = false;

/** In a later turn: the answer to the call that caused a message is stored first. */
function sendMessages() {
  if (isPlanned) return;
  isPlanned = true;
  setImmediate(() => {
    isPlanned = false;
    void partner.sendDueMessages(Date.now(), 100);
    if (partner.nextDueAtMs() !== null) sendMessages();
  });
}

function doneValue(answer) {
  if (answer.outcome !== 'done') throw new Error(JSON.stringify(answer));
  return answer.value;
}

/** Part of a step: a command that is stored before it is called. */
function order(kind, { reference, request, paymentId, subjectId }) {
  const now = Date.now();
  const row = [kind, org, paymentId, subjectId, 'pending', request, null, 'open', now, now, now];
  add.command.run(reference, ...row);
}

/** Stores that a command is sent, and calls. Returns the step that stores the answer. */
async function call(kind, reference, answered) {
  const { request } = await stored(() => {
    const command = find.command.get(reference);
    set.command.run('sent', null, 'open', null, Date.now(), reference);
    return command;
  });
  const accepted = doneValue(await partner[kind].start(request));
  return () => {
    set.command.run('done', accepted.partnerRef, 'open', null, Date.now(), reference);
    return answered(accepted);
  };
}

const text = (value) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one));

/** A signed message of the partner, applied once by its id; what follows does not delay it. */
async function receive({ headers, body }) {
  const { messageId, facts } = partner.readInbound(headers, body, Date.now());
  const [fact] = facts;
  if (fact.reference === organization) return;
  if (fact.report.status !== 'approved' && fact.report.status !== 'completed') {
    throw new Error(`${fact.kind} ${fact.report.status}`);
  }
  const { prepare, apply, next } = reported[fact.kind];
  const prepared = await prepare?.(fact);
  const payment = await step(() => {
    add.message.run(messageId, text(facts), Date.now());
    const command = find.command.get(fact.reference);
    set.command.run('done', fact.partnerRef, 'completed', null, Date.now(), fact.reference);
    return apply(command, fact, prepared);
  });
  void next?.(payment, prepared);
}

const reported = {
  party: {
    apply({ payment_id: id, subject_id: submission }, { partnerRef }) {
      set.submission.run('approved', partnerRef, Date.now(), org, submission);
      return move(id, 'buyer_kyc_approved');
    },
    next: buy,
  },
  payin: {
    async prepare({ reference, partnerRef, report: { received } }) {
      const { payment_id: id } = find.command.get(reference);
      const quote = quoteOf(find.payment.get(org, id));
      const payout = `cmd_${randomUUID()}`;
      const input = { reference: payout, amount: received, payinRefs: [partnerRef], destination };
      return {
        reference: payout,
        request: doneValue(await partner.payout.prepare({ ...input, quote })),
      };
    },
    apply({ payment_id: id }, { report: { received } }, { reference, request }) {
      const { amountMinor, currency } = received;
      set.funds.run('received', amountMinor, 0, org, id);
      post(
        id,
        'funds_received',
        ['buyer', -amountMinor, currency],
        ['partner_float', amountMinor, currency],
      );
      order('payout', { reference, request, paymentId: id, subjectId: id });
      return move(id, 'on_chain_confirmed');
    },
    async next({ id, amount_minor: minor }, { reference }) {
      const end = await call('payout', reference, () => {
        set.funds.run('payout_ordered', minor, minor, org, id);
        return move(id, 'offramp_pending');
      });
      await step(end);
    },
  },
  payout: {
    apply({ payment_id: id }, { report: { settled, fees, fxRate } }) {
      const { amount_minor: minor, currency } = find.payment.get(org, id);
      set.funds.run('paid', minor, minor, org, id);
      const net = BigInt(minor) - fees.amountMinor;
      post(
        id,
        'payout_paid',
        ['partner_float', -minor, currency],
        ['fees', fees.amountMinor, fees.currency],
        ['conversion', net, currency],
        ['conversion', -settled.amountMinor, settled.currency],
        ['seller', settled.amountMinor, settled.currency],
      );
      removeAdvance.run(org, id);
      return move(id, 'settled', { settled_minor: Number(settled.amountMinor), fx_rate: fxRate });
    },
  },
};

// ------------------------------------------------------------------------------------ the buyer
const person = {
  role: 'buyer',
  entityType: 'individual',
  firstName: 'Ana',
  lastName: 'Buyer',
  dateOfBirth: '1990-01-31',
  country: 'US',
  idDocCountry: 'US',
  idDocType: 'PASSPORT',
  selfieFile: 'https://sandbox.invalid/selfie.jpg',
  idDocFrontFile: 'https://sandbox.invalid/passport.jpg',
};

/** Signs in, and hands the dossier in. */
async function signIn({ id, buyer_id: buyerId }) {
  await step(() => move(id, 'buyer_kyc_pending'));
  const reference = `cmd_${randomUUID()}`;
  const request = doneValue(await partner.party.prepare({ ...person, reference }));
  const submission = `kyc_${randomUUID()}`;
  await stored(() => {
    add.submission.run(org, submission, buyerId, 'verifying', null, Date.now(), null);
    order('party', { reference, request, paymentId: id, subjectId: submission });
  });
  await stored(await call('party', reference, () => undefined));
}

/** Asks for a price, confirms it, and orders the pay-in. */
async function buy({ id, amount_minor: minor, currency, buyer }) {
  const source = { amountMinor: BigInt(minor), currency };
  const quote = doneValue(await partner.quote({ source, destination }));
  const quoteId = `qt_${randomUUID()}`;
  const quoted = await step(() => {
    add.quote.run(org, quoteId, id, text(quote), quote.expiresAtMs);
    return move(id, 'fx_quoted', { quote_id: quoteId });
  });
  const reference = `cmd_${randomUUID()}`;
  const input = { reference, quote: quoteOf(quoted), payerEmail: JSON.parse(buyer).email };
  const request = doneValue(await partner.payin.prepare(input));
  await step(() => {
    add.funds.run(org, id, currency, 'expected', 0, 0);
    order('payin', { reference, request, paymentId: id, subjectId: id });
    return move(id, 'on_ramp_pending');
  });
  const end = await call('payin', reference, ({ instructions }) =>
    update(id, { payin_instructions: text(instructions) }),
  );
  await stored(end);
}

function quoteOf({ quote_id: quoteId }) {
  return JSON.parse(find.quote.get(org, quoteId));
}

// ------------------------------------------------------------------------------------- the API
const amountForm = /^\d{1,12}(\.\d{1,2})?$/;

function isCreate({ externalId, amount, buyer }) {
  const isText = (value) => typeof value === 'string' && value.length > 0 && value.length <= 200;
  return isText(externalId) && amountForm.test(amount) && isText(buyer?.email);
}

async function create({ externalId, amount, currency = 'USD', buyer, metadata = {} }, key) {
  const id = `pi_${randomUUID()}`;
  const publicId = randomBytes(18).toString('base64url');
  const now = Date.now();
  const minor = Math.round(Number(amount) * 100);
  const payment = await step(() => {
    add.buyer.run(`byr_${randomUUID()}`, buyer.email, now);
    const buyerId = find.buyer.get(buyer.email);
    add.idempotencyKey.run(org, key, id);
    const rest = [buyerId, JSON.stringify(buyer), JSON.stringify(metadata)];
    const none = [null, null, null, null];
    const row = [publicId, externalId, 'awaiting_buyer', minor, currency, ...rest, ...none];
    add.payment.run(org, id, ...row, now, now);
    const made = find.payment.get(org, id);
    return { payment: made, event: append(made, 'created') };
  });
  return answerOf(payment);
}

async function advance(id) {
  const payment = await stored(() => {
    add.advance.run(org, id, Date.now());
    return find.payment.get(org, id);
  });
  void signIn(payment);
  return answerOf(payment);
}

function answerOf({ id, public_id: publicId, external_id: externalId, status, ...payment }) {
  return {
    id,
    externalId,
    status,
    amount: decimal(payment.amount_minor),
    currency: payment.currency,
    buyer: JSON.parse(payment.buyer),
    metadata: JSON.parse(payment.metadata),
    hostedPaymentUrl: `https://pay.example/r/${publicId}`,
    createdAt: new Date(payment.created_at).toISOString(),
    updatedAt: new Date(payment.updated_at).toISOString(),
  };
}

const advancePath = /^\/v1\/test-helpers\/payments\/([^/]+)\/advance$/;

async function answer(request, text) {
  if ((await keyOf(request, (id) => find.key.get(id))) === null) {
    return [401, { error: 'InvalidApiKey' }];
  }
  const [, id] = advancePath.exec(request.url) ?? [];
  if (id !== undefined) return [200, await advance(id)];
  const body = JSON.parse(text);
  if (!isCreate(body)) return [400, { error: 'ValidationError' }];
  return [201, await create(body, request.headers['idempotency-key'] ?? null)];
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const [status, value] = await answer(request, Buffer.concat(chunks).toString());
    const body = JSON.stringify(value);
    const length = Buffer.byteLength(body);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
    response.end(body);
  });
});

// Clients keep connections for longer than a payment takes.
server.keepAliveTimeout = 65_000;

const key = await newKey(({ id, salt, hash: of, orgId }) => add.key.run(id, salt, of, orgId));
const organization = 'org_1_party';
const party = { ...person, role: 'seller', reference: organization };
const { partnerRef: partyRef } = doneValue(
  await partner.party.start(doneValue(await partner.party.prepare(party))),
);
const pix = { partyRef, pixKey: '52998224725', accountHolderName: 'Acme', key: organization };
const { destinationRef: destination } = doneValue(await partner.registerPixDestination(pix));
let statements = null;
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  serveCalls({
    address: async () => ({ url, key }),
    startCount: async () => {
      statements = countedStatements(db);
    },
    statements: async () => statements(),
  });
});
