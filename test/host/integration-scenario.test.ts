// A whole integration as a new integrator goes through it, on a running host: the entries
// `ponte-payments/client` and `ponte-payments/webhooks` are all it has. What is the operator's is
// done by the operator's use cases, and the buyer opens the link of the mail that came. One
// organization walks from its first key to a payment that is settled to its seller, and to an
// invoice that two members and the buyer had to do with. The same steps are taken with each partner
// on each database.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { components } from '../../adapters/client/ponte-client.js';
import { verifyWebhook } from '../../adapters/client/verify.js';
import { redeemLink } from '../../core/usecases/hosted/sign-ins.js';
import { requireApproval } from '../../core/usecases/parties/organizations.js';
import { localPostgres } from '../support/databases/local-postgres.js';
import { scenarioPartners } from '../support/partners/scenario-partners.js';
import {
  answered,
  type Integration,
  memberClient,
  startIntegration,
} from '../support/scenes/integration-scene.js';
import { suiteEnd } from '../support/suite-end.js';
import { valuesOf } from '../support/values-of.js';
import { until } from '../support/wait.js';

type FeedEvent = components['schemas']['FeedEvent'];
type TimelineEntry = components['schemas']['TimelineEntry'];

const journey = [
  'created',
  'buyer_kyc_pending',
  'buyer_kyc_approved',
  'fx_quoted',
  'on_ramp_pending',
  'on_chain_confirmed',
  'offramp_pending',
  'settled',
];

const postgres = localPostgres();
const databases = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ PONTE_DATABASE_URL: await postgres.migrated() }),
};

for (const [partnerName, partner] of Object.entries(scenarioPartners)) {
  for (const [databaseName, database] of Object.entries(databases)) {
    describe(`with ${partnerName} on ${databaseName}`, () => {
      const suite = suiteEnd();
      let scene: Integration;
      before(async () => {
        scene = await startIntegration(suite, partner, await database());
      });
      test('a seller from its creation to ready, and a payment to it to settled', () =>
        payToSeller(scene));
      test('an invoice: approved by a member, invited by mail, opened by its link, settled', () =>
        payInvoice(scene));
      test('the messages of the partner arrived', () => scene.partner.checkMessages());
    });
  }
}

async function payToSeller(scene: Integration): Promise<void> {
  const { ponte } = scene;
  const seller = await readySeller(scene, 'seller-1');
  const create = (externalId: string) =>
    ponte.POST('/v1/payments', {
      params: { header: { 'Idempotency-Key': 'order 1' } },
      body: {
        externalId,
        amount: '1250.00',
        buyer: { email: 'ana@buyer.example', country: 'US' },
        sellerExternalId: 'seller-1',
        metadata: { order: 1 },
      },
    });
  const first = await create('order-1');
  const payment = answered(first);
  assert.deepEqual([first.response.status, payment.status], [201, 'awaiting_buyer']);
  assert.deepEqual([payment.buyer.kycStatus, payment.brlSettledAmount], ['not_started', null]);
  const again = await create('order-2');
  assert.deepEqual([again.response.status, again.data], [200, payment]);
  assert.equal(again.response.headers.get('idempotent-replayed'), 'true');

  await advance(scene, payment.id);
  const types = [
    ...['created', 'kyb_approved', 'ready_to_collect'].map((type) => `connected_account.${type}`),
    ...journey.flatMap((step) => [`payment_intent.${step}`, `invoice.${step}`]),
  ];
  const events = await receivedInOrder(scene, 0, types);
  for (const { data } of events) {
    assert.ok('externalId' in data);
    const isOfSeller = 'connectedAccountId' in data;
    const id = isOfSeller ? data.connectedAccountId : data.paymentIntentId;
    const expected = isOfSeller ? seller : payment;
    assert.deepEqual([id, data.externalId], [expected.id, expected.externalId]);
  }
  const settled = await settledAmounts(scene, payment.id);
  const last = events.at(-1);
  assert.ok(last?.event === 'invoice.settled');
  const { metadata, brlSettledAmount, fxRateAtSettlement } = last.data;
  assert.deepEqual(metadata, { order: 1 });
  const fxFields = [brlSettledAmount, fxRateAtSettlement];
  assert.deepEqual(fxFields, [settled.brlSettledAmount, settled.fxRateAtSettlement]);

  await timelineTells(scene, payment.id, journey.slice(1), settled.brlSettledAmount);
}

async function payInvoice(scene: Integration): Promise<void> {
  const { host, orgId, ponte } = scene;
  const after = answered(await ponte.GET('/v1/events')).nextAfter;
  await requireApproval(host.deps, orgId, true);
  const [bia, leo] = await Promise.all([
    memberClient(scene, 'bia@acme.example', 'finance'),
    memberClient(scene, 'leo@acme.example', 'viewer'),
  ]);
  const draft = {
    number: '2030/17',
    amount: '980.00',
    dueDate: '2030-02-28',
    buyer: { email: 'Ana@Buyer.example', name: 'Ana Lima', country: 'US' },
    sellerExternalId: 'seller-1',
    metadata: { order: 17 },
  } as const;
  // The interface lets keys alone create: a member's session is none.
  const byMember = await bia.POST('/v1/invoices', { body: draft });
  assert.equal(byMember.error?.error, 'InvalidApiKey');
  const created = answered(await ponte.POST('/v1/invoices', { body: draft }));
  const { id } = created;
  const on = { params: { path: { id } } };
  assert.equal(created.status, 'awaiting_approval');
  assert.equal((await fetch(created.hostedPaymentUrl)).status, 404);

  const tooEarly = await ponte.POST('/v1/invoices/{id}/invite-buyer', on);
  assert.equal(tooEarly.error?.error, 'InvoiceNotApproved');
  const byViewer = await leo.POST('/v1/invoices/{id}/approve', on);
  assert.equal(byViewer.error?.error, 'InsufficientScope');
  const approved = answered(await bia.POST('/v1/invoices/{id}/approve', on));
  assert.equal(approved.status, 'approved');
  const invited = answered(await ponte.POST('/v1/invoices/{id}/invite-buyer', on));
  assert.deepEqual(invited, {
    status: 'sent',
    invoiceId: id,
    hostedPaymentUrl: created.hostedPaymentUrl,
  });

  const toBuyer = /^To: Ana@Buyer\.example\r$/im;
  const mail = await until(() => scene.mails().find((text) => toBuyer.test(text)) ?? null);
  assert.match(mail, /^Subject: \[Test\] \[2030\/17\] Lima Ltda asks you to pay USD 980\.00\r$/m);
  const waiting = answered(await ponte.GET('/v1/invoices/{id}', on));
  assert.equal(waiting.status, 'awaiting_buyer');
  const link = new URL(/^https?:\S+\?token=\S+/m.exec(mail)?.[0] ?? '');
  assert.equal(`${link.origin}${link.pathname}`, waiting.hostedPaymentUrl);
  const token = link.searchParams.get('token') ?? '';
  const publicId = link.pathname.split('/').at(-1) ?? '';
  const opened = await redeemLink(host.deps, { kind: 'payment', publicId }, token, 'en');
  assert.equal(opened.view?.payment.id, id);

  await advance(scene, id);
  // Approved for the intent before: of a buyer that is known, an invoice asks no KYC.
  const steps = journey.filter((step) => step !== 'buyer_kyc_pending' && step !== 'created');
  const moves = ['approved', 'awaiting_buyer', ...steps];
  const types = ['created', ...moves].map((step) => `invoice.${step}`);
  for (const { data } of await receivedInOrder(scene, after, types)) {
    assert.ok('invoiceId' in data);
    assert.deepEqual([data.invoiceId, data.source], [id, 'invoice']);
    assert.deepEqual(data.metadata, { order: 17 });
  }
  const settled = await settledAmounts(scene, id);
  await timelineTells(scene, id, moves, settled.brlSettledAmount);
  // The buyer signed in by mail, so it is mailed the receipt.
  const paid = /^Subject: \[Test\] \[2030\/17\] Paid: USD 980\.00 to Lima Ltda\r$/m;
  await until(() => scene.mails().find((text) => paid.test(text)) ?? null);
}

/** Onboarded by every step there is, a document included. */
async function readySeller({ partner, ponte }: Integration, externalId: string) {
  const created = answered(
    await ponte.POST('/v1/connected-accounts', {
      body: { role: 'seller', entityType: 'business', externalId },
    }),
  );
  const on = { params: { path: { id: created.id } } };
  const session = answered(
    await ponte.POST('/v1/connected-accounts/{id}/tos-session', {
      ...on,
      body: { redirectUrl: 'https://acme.example/terms' },
    }),
  );
  const back = await partner.acceptTerms(session.url);
  assert.equal(`${back.origin}${back.pathname}`, 'https://acme.example/terms');
  const tosId = back.searchParams.get('tos_id') ?? '';
  const accepted = answered(
    await ponte.POST('/v1/connected-accounts/{id}/tos-accepted', {
      ...on,
      body: { tosId },
    }),
  );
  assert.deepEqual([accepted.status, accepted.tosAccepted], ['created', true]);

  const contentType = 'application/pdf';
  const upload = answered(
    await ponte.POST('/v1/connected-accounts/{id}/upload-url', {
      ...on,
      body: { kind: 'incorporation_doc', contentType },
    }),
  );
  const { uploadMethod: method, uploadHeaders: headers, publicUrl } = upload;
  const sent = await fetch(upload.uploadUrl, { method, headers, body: 'proof' });
  assert.equal(sent.status, 200);
  assert.equal(await (await fetch(publicUrl)).text(), 'proof');

  const dossier = {
    email: 'eva@lima.example',
    country: 'BR',
    legalName: 'Lima Ltda',
    cnpj: '11.222.333/0001-81',
    incorporationDocFile: publicUrl,
  };
  const submitted = answered(
    await ponte.POST('/v1/connected-accounts/{id}/submit', { ...on, body: dossier }),
  );
  assert.ok(
    partner.submitted.some((status) => status === submitted.status),
    submitted.status,
  );
  assert.equal(submitted.readyToCollect, false);
  const isApproved = async () =>
    answered(await ponte.GET('/v1/connected-accounts/{id}', on)).status === 'approved';
  await until(isApproved);
  // The decision purges it.
  await until(async () => (await fetch(publicUrl)).status === 404);

  const ready = answered(
    await ponte.POST('/v1/connected-accounts/{id}/payout-config', {
      ...on,
      body: { pixKey: 'eva@lima.example', accountHolderName: 'Eva Lima' },
    }),
  );
  assert.deepEqual([ready.payoutConfigured, ready.readyToCollect], [true, true]);
  return ready;
}

async function advance({ ponte }: Integration, id: string): Promise<void> {
  answered(
    await ponte.POST('/v1/test-helpers/payments/{id}/advance', {
      params: { path: { id } },
      body: {},
    }),
  );
}

/**
 * The events after a sequence are these, in this order in the feed and each once; and each came as
 * a webhook that verifies, with the same content.
 */
async function receivedInOrder(
  { ponte, receiver, subscription }: Integration,
  sequence: number,
  types: readonly string[],
): Promise<readonly FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let next = sequence; events.length < types.length; ) {
    const query = { after: next, limit: 5, wait: 30 };
    const page = answered(await ponte.GET('/v1/events', { params: { query } }));
    events.push(...page.data);
    next = page.nextAfter;
  }
  assert.deepEqual(valuesOf(events, 'event'), types);
  assert.deepEqual(
    events.map((event) => event.sequence),
    types.map((_, index) => sequence + index + 1),
  );
  const { id } = subscription;
  const deliveries = await until(async () => {
    const params = { path: { id }, query: { limit: 100 } };
    const answer = await ponte.GET('/v1/webhook-subscriptions/{id}/deliveries', { params });
    const all = answered(answer).data;
    // A delivery is stored when its first attempt has ended.
    const isDelivered = (event: FeedEvent) =>
      all.some(({ eventId, status }) => eventId === event.id && status === 'delivered');
    return events.every(isDelivered) ? all : null;
  });
  const webhooks = new Map(
    receiver.requests.map(({ headers, body }) => {
      const header = String(headers['x-service-signature']);
      assert.equal(verifyWebhook({ secret: subscription.secret, header, body }).valid, true);
      // A program that knows only Standard Webhooks.
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': mac } = headers;
      const standard = {
        'webhook-id': `${id}`,
        'webhook-timestamp': `${at}`,
        'webhook-signature': `${mac}`,
      };
      const seen = new Webhook(subscription.secret).verify(body, standard);
      assert.deepEqual(seen, JSON.parse(body.toString('utf8')));
      assert.equal(id, headers['x-service-delivery-id']);
      const event = JSON.parse(body.toString('utf8')) as Pick<FeedEvent, 'event' | 'data'>;
      assert.equal(headers['x-service-event-type'], event.event);
      return [String(headers['x-service-delivery-id']), event];
    }),
  );
  for (const { id: eventId, event, data } of events) {
    const [delivery, ...others] = deliveries.filter((one) => one.eventId === eventId);
    assert.deepEqual(webhooks.get(delivery?.id ?? ''), { event, data });
    assert.equal(data['externalEventId'], eventId);
    assert.deepEqual(others, []);
  }
  return events;
}

async function settledAmounts({ ponte }: Integration, id: string) {
  const payment = answered(await ponte.GET('/v1/payments/{id}', { params: { path: { id } } }));
  assert.deepEqual([payment.status, payment.funds.status], ['settled', 'paid']);
  assert.match(payment.brlSettledAmount ?? '', /^[1-9][0-9]*\.[0-9]{2}$/);
  assert.match(payment.fxRateAtSettlement ?? '', /^[1-9][0-9]*\.[0-9]+$/);
  const [brl, rate] = [Number(payment.brlSettledAmount), Number(payment.fxRateAtSettlement)];
  const share = brl / (Number(payment.amount) * rate);
  assert.ok(share > 0.99 && share < 1, `the amount at the rate, less fees: ${share}`);
  return payment;
}

/** Read page by page: every move once and in order, and the money that came and went. */
async function timelineTells(
  { ponte }: Integration,
  id: string,
  moves: readonly string[],
  brlSettledAmount: string | null,
): Promise<void> {
  const entries: TimelineEntry[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 7, ...(cursor === undefined ? {} : { cursor }) };
    const page = answered(
      await ponte.GET('/v1/payments/{id}/timeline', { params: { path: { id }, query } }),
    );
    entries.push(...page.data);
    cursor = page.nextCursor;
  }
  const of = <K extends TimelineEntry['kind']>(kind: K) =>
    entries.flatMap((entry) =>
      entry.kind === kind ? [entry as Extract<TimelineEntry, { readonly kind: K }>] : [],
    );
  assert.equal(entries[0]?.kind, 'created');
  const statuses = of('status').map(({ status }) => status);
  assert.deepEqual(statuses, moves);
  assert.deepEqual(valuesOf(of('money'), 'fact'), ['funds_received', 'payout_paid']);
  const paid = of('money').flatMap(({ lines }) =>
    lines.filter(({ account }) => account === 'seller'),
  );
  assert.deepEqual(
    paid.map(({ amount, currency }) => [amount, currency]),
    [[brlSettledAmount, 'BRL']],
  );
  assert.deepEqual(
    of('attempt').map(({ attempt, responseStatus }) => [attempt, responseStatus]),
    of('delivery').map(() => [1, 204]),
  );
}
