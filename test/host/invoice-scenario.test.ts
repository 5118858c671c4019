// An invoice on a running host, from its creation to the money: a second member approves it, the
// buyer is invited by mail, opens the link that came, pays, and the integrator hears of each step.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { verifyWebhook } from '../../adapters/webhooks/verify.js';
import { addMember } from '../../core/usecases/members.js';
import { requireApproval } from '../../core/usecases/organizations.js';
import { createSession } from '../../core/usecases/sessions.js';
import { redeemSignIn } from '../../core/usecases/sign-ins.js';
import { readConfig } from '../../host/config.js';
import { type Host, startHost } from '../../host/main.js';
import { type LocalReceiver, startReceiver } from '../support/local-receiver.js';

type Json = Readonly<Record<string, unknown>>;

const dataDir = mkdtempSync(join(tmpdir(), 'ponte-invoice-'));
const mailbox = join(dataDir, 'mails');
const orgId = () => host.demo?.orgId ?? '';

let host: Host;
let receiver: LocalReceiver;
let credentials: Readonly<Record<string, string>>;

before(async () => {
  receiver = await startReceiver((response) => response.writeHead(204).end());
  host = await startHost(
    readConfig({
      PONTE_DATA_DIR: dataDir,
      PONTE_PORT: '0',
      PONTE_FAKE_PARTNER_DELAY_MS: '0',
      PONTE_LOG_LEVEL: 'silent',
    }),
  );
  credentials = { 'x-api-key': host.demo?.secret ?? '' };
});
after(async () => {
  await host.stop();
  await receiver.close();
  rmSync(dataDir, { recursive: true });
});

async function call(method: string, path: string, body?: Json, headers = credentials) {
  const response = await fetch(`${host.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

async function until<T>(look: () => Promise<T | null> | T | null): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await wait(10);
  }
}

async function sessionOf(email: string) {
  const { deps } = host;
  const { token } = await createSession(deps, { orgId: orgId(), email, mode: 'test' });
  return { authorization: `Bearer ${token}` };
}

test('created, approved by a member, invited by mail, signed in by the link, settled', async () => {
  await requireApproval(host.deps, orgId(), true);
  await addMember(host.deps, { orgId: orgId(), email: 'bia@acme.example', role: 'finance' });
  const subscription = await call('POST', '/v1/webhook-subscriptions', {
    url: receiver.url,
    eventTypes: ['invoice.*'],
  });
  const created = await call('POST', '/v1/invoices', {
    number: '2030/17',
    amount: '980.00',
    dueDate: '2030-02-28',
    buyer: { email: 'Ana@Buyer.example', name: 'Ana Lima' },
    metadata: { order: 17 },
  });
  assert.equal(created.status, 201);
  const { id, status, hostedPaymentUrl } = created.body;
  assert.deepEqual([status, hostedPaymentUrl], ['awaiting_approval', null]);
  const path = `/v1/invoices/${id}`;

  const tooEarly = await call('POST', `${path}/invite-buyer`, {});
  assert.deepEqual([tooEarly.status, tooEarly.body['error']], [409, 'InvoiceNotApproved']);
  const session = await sessionOf('bia@acme.example');
  const approved = await call('POST', `${path}/approve`, {}, session);
  assert.deepEqual([approved.status, approved.body['status']], [200, 'approved']);

  const invited = await call('POST', `${path}/invite-buyer`, {});
  assert.deepEqual(invited, { status: 200, body: { status: 'sent', invoiceId: id } });
  const [name = ''] = await until(() => {
    const names = mailsIn(mailbox);
    return names.length === 0 ? null : names;
  });
  const mail = readFileSync(join(mailbox, name), 'utf8');
  assert.match(mail, /^To: Ana@Buyer\.example\r$/im);
  assert.match(mail, /Demo organization asks you to pay 980\.00 USD/);
  const { body: read } = await call('GET', path);
  assert.equal(read['status'], 'awaiting_buyer');
  const link = new URL(/^https?:\S+\?token=\S+/m.exec(mail)?.[0] ?? '');
  assert.equal(`${link.origin}${link.pathname}`, read['hostedPaymentUrl']);

  const token = link.searchParams.get('token') ?? '';
  const { payment } = await redeemSignIn(host.deps, token);
  assert.equal(payment.id, id);
  await call('POST', `/v1/test-helpers/payments/${id}/advance`, {});
  const settled = await until(async () => {
    const { body } = await call('GET', `/v1/payments/${id}`);
    return body['status'] === 'settled' ? body : null;
  });
  assert.match(String(settled['brlSettledAmount']), /^\d+\.\d\d$/);

  const events = [
    ...['created', 'approved', 'awaiting_buyer', 'buyer_kyc_pending', 'buyer_kyc_approved'],
    ...['fx_quoted', 'on_ramp_pending', 'on_chain_confirmed', 'offramp_pending', 'settled'],
  ].map((event) => `invoice.${event}`);
  await until(() => (receiver.requests.length < events.length ? null : receiver.requests));
  const heard = receiver.requests.map(({ headers, body }) => {
    const secret = String(subscription.body['secret']);
    const header = String(headers['x-service-signature']);
    assert.equal(verifyWebhook({ secret, header, body }).valid, true);
    return JSON.parse(body.toString('utf8')) as { readonly event: string; readonly data: Json };
  });
  assert.deepEqual(heard.map(({ event }) => event).toSorted(), events.toSorted());
  for (const { data } of heard) {
    assert.deepEqual([data['invoiceId'], data['source']], [id, 'invoice']);
    assert.deepEqual(data['metadata'], { order: 17 });
  }
  assert.equal(mailsIn(mailbox).length, 1);
});

function mailsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.eml'));
  } catch {
    return [];
  }
}
