// The walls between tenants, for every row of the route table: what belongs to another organization
// or to the other mode is answered like what never was, to the last byte, whether a path or a body
// names it, and nothing is written for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type Auth, noParams } from '../../../adapters/http/protocol/route-row.js';
import { parseApiKey } from '../../../core/domain/access/api-key.js';
import { memberRoles, scopesOf } from '../../../core/domain/access/member.js';
import type { IdPrefix } from '../../../core/ports/outside.js';
import { revokeKey } from '../../../core/usecases/access/keys.js';
import { cancelPayment } from '../../../core/usecases/payments/payments.js';
import { testSubscription } from '../../../core/usecases/webhooks/subscriptions.js';
import { withStatements } from '../../support/databases/test-store.js';
import type { Json } from '../../support/servers/json-call.js';
import { suiteEnd } from '../../support/suite-end.js';
import { valuesOf } from '../../support/values-of.js';
import { type Answer, refusalOf } from './checked-site.js';
import { createBody, newInvoice, newSubscription } from './docs/example-calls.js';
import { newSeller, readySeller, sellerDossier } from './resources/account-calls.js';
import {
  hostedBody,
  individualBody,
  newDocument,
  newUpload,
  pathOf,
} from './resources/buyer-calls.js';
import {
  type Credentials,
  eithers,
  keyed,
  operations,
  otherScopes,
  readByApprovers,
  scopesNeeded,
  sessioned,
  tableScene,
  withIds,
} from './table-scene.js';

const guarded = [...keyed, ...readByApprovers, ...eithers, ...sessioned];
const named = guarded.filter(({ route }) => route.params !== noParams);
/** A preview shows nothing that is stored. */
const lists = guarded.filter(
  ({ route, operationId }) =>
    route.method === 'GET' && route.params === noParams && operationId !== 'previewQuote',
);
/** Of an organization: its sessions of either mode see, roll and revoke keys; all see its name. */
const ofBothModes = [
  'listApiKeys',
  'rollApiKey',
  'revokeApiKey',
  'readCredential',
  'listAuditEntries',
];

const ids = /(?<![a-z0-9])(?:acct|byr|doc|evt|inv|key|kyc|mem|org|pi|rcv|whd|whs)_[0-9a-z]{26}/g;

const suite = suiteEnd();
const scene = await tableScene(suite);
const { site, tenant } = scene;
const other = await site.world.newTenant();
/** Everybody but the tenant, by what sets it apart. */
const strangers = {
  'another organization': {
    key: await site.world.key(other.orgId),
    session: await site.world.session(other.orgId),
  },
  'the other mode': {
    key: scene.liveKey,
    session: await site.world.session(tenant.orgId, { mode: 'live' }),
  },
};

test('an id of another tenant in a path: 404, as if it had never been', async () => {
  for (const { operationId, route } of named) {
    const example = await scene.exampleOf(operationId);
    for (const [stranger, credentials] of Object.entries(strangers)) {
      if (stranger === 'the other mode' && ofBothModes.includes(operationId)) continue;
      for (const used of eachOf(credentials, route.access.auth)) {
        for (const path of await formsOf(example.path)) {
          const request = `${operationId} ${path} by ${stranger}`;
          const foreign = await unwritten(() => scene.send(route, { ...example, path }, used));
          const nobodys = await scene.send(route, { ...example, path: unknown(path) }, used);
          assert.equal(refusalOf(foreign), '404 NotFound', request);
          assert.deepEqual(seen(foreign), seen(nobodys), request);
          const own = await scene.send(route, { ...example, path: unknown(path) }, scene.own);
          assert.deepEqual(seen(foreign), seen(own), request);
        }
      }
    }
    // It was there all the time.
    const answer = await scene.send(route, example, scene.own);
    assert.equal(answer.status, example.status ?? 200, operationId);
  }
});

test('ext_ with an externalId finds its payment, on every row that names one', async () => {
  for (const { operationId, route } of named) {
    const example = await scene.exampleOf(operationId);
    const [, path] = await formsOf(example.path);
    assert.equal(path !== undefined, /Payment|Invoice/.test(operationId), operationId);
    if (path === undefined) continue;
    const answer = await scene.send(route, { ...example, path }, scene.own);
    assert.equal(answer.status, example.status ?? 200, `${operationId} ${path}`);
  }
});

test('ids that are wrongly formed or of another kind: 404 like all the others', async () => {
  for (const { operationId, route, path } of named) {
    const example = await scene.exampleOf(operationId);
    const unheard = await scene.send(route, { ...example, path: unknown(example.path) }, scene.own);
    const empty = await scene.send(route, { ...example, path: withIds(path, '', '') }, scene.own);
    assert.deepEqual([empty.status, unheard.status], [404, 404]);
    assert.match(empty.text, /an id is missing between or after its slashes/);
    for (const [id, deliveryId] of [
      ['x', 'x'],
      ['ext_nobody', 'whd_nobody'],
      [tenant.orgId, other.orgId],
    ] as const) {
      const asked = withIds(path, id, deliveryId);
      const answer = await scene.send(route, { ...example, path: asked }, scene.own);
      assert.deepEqual(seen(answer), seen(unheard), `${operationId} ${asked}`);
    }
  }
});

test('a delivery is replayed under its own subscription alone', async () => {
  const replay = named.find(({ operationId }) => operationId === 'replayWebhookDelivery');
  assert.ok(replay !== undefined);
  const [mine, foreign] = [
    (await scene.exampleOf('replayWebhookDelivery')).path.split('/'),
    (await scene.exampleOf('replayWebhookDelivery', other)).path.split('/'),
  ];
  const [mySubscription, myDelivery] = [mine[3] ?? '', mine[5] ?? ''];
  const [theirSubscription, theirDelivery] = [foreign[3] ?? '', foreign[5] ?? ''];
  const nothing = await scene.send(
    replay.route,
    { path: withIds(replay.path, unknown(mySubscription), unknown(myDelivery)), body: {} },
    scene.own,
  );
  for (const [subscriptionId, deliveryId] of [
    [await newSubscription(site.world, tenant), myDelivery],
    [mySubscription, theirDelivery],
    [theirSubscription, myDelivery],
    [theirSubscription, theirDelivery],
    [mySubscription, unknown(theirDelivery)],
  ] as const) {
    const path = withIds(replay.path, subscriptionId, deliveryId);
    const ask = () => scene.send(replay.route, { path, body: {} }, scene.own);
    const answer: Answer = await unwritten(ask);
    assert.deepEqual(seen(answer), seen(nothing), path);
  }
});

test('without access, existing and missing resources get the same answer', async () => {
  const { world } = site;
  for (const { operationId, route } of named) {
    const needed = scopesNeeded(route, await scene.exampleOf(operationId));
    const lacking = { key: await world.key(tenant.orgId, { scopes: otherScopes(needed) }) };
    const malformed = { key: 'sk_test_a.b', session: 'abc.def.ghi' };
    const refused: Credentials[] = [{}, malformed, ...(needed.length === 0 ? [] : [lacking])];
    const role = memberRoles.find((some) =>
      needed.every((scope) => !scopesOf(some).includes(scope)),
    );
    if (role !== undefined && needed.length > 0)
      refused.push({ session: await world.session(tenant.orgId, { role }) });
    for (const used of refused) {
      const example = await scene.exampleOf(operationId);
      const mine = await unwritten(() => scene.send(route, example, used));
      assert.ok([400, 401, 403].includes(mine.status), `${operationId}: ${mine.text}`);
      const nobodys = await scene.send(route, { ...example, path: unknown(example.path) }, used);
      assert.deepEqual(seen(mine), seen(nobodys), operationId);
    }
  }
});

test('a revoked key, an unknown one and a wrong secret look alike', async () => {
  const { world } = site;
  const revoked = await world.key(tenant.orgId);
  await revokeKey(world.deps, tenant.orgId, parseApiKey(revoked)?.keyId ?? '');
  const otherMode = scene.key.replace('pk_test_', 'pk_live_');
  const feeds = [];
  for (const key of [revoked, unknown(scene.key), `${scene.key}x`, otherMode]) {
    feeds.push(seen(await site.call('GET', '/v1/events', { key })));
  }
  assert.deepEqual(feeds, Array(feeds.length).fill(feeds[0]));
});

test('lists and the feed of a stranger hold nothing of a tenant', async () => {
  const own = new Set<string>();
  for (const { operationId, route } of guarded) {
    const { text } = await scene.send(route, await scene.exampleOf(operationId), scene.own);
    for (const [id] of text.matchAll(ids)) own.add(id);
  }
  assert.ok(own.size > 50);
  for (const { operationId, route, path } of lists) {
    for (const [stranger, used] of Object.entries(strangers)) {
      if (stranger === 'the other mode' && ofBothModes.includes(operationId)) continue;
      const { status, text } = await scene.send(route, { path }, used);
      assert.equal(status, 200, operationId);
      const found = [...text.matchAll(ids)].map(([id]) => id);
      assert.deepEqual(
        found.filter((id) => own.has(id)),
        [],
        `${operationId} ${stranger}`,
      );
    }
  }
});

/** A filter of each list that has some. */
const filters: Readonly<Record<string, string>> = {
  listPayments: 'status=awaiting_buyer',
  listInvoices: 'status=approved',
  listConnectedAccounts: 'role=seller',
  listAccounts: 'role=seller',
};

/** The path of a list that has two rows. */
const longLists: Readonly<Record<string, () => Promise<string>>> = {
  async listWebhookDeliveries() {
    const id = await newSubscription(site.world, tenant);
    for (let rows = 0; rows < 2; rows += 1) await testSubscription(site.world.deps, tenant, id);
    return `/v1/webhook-subscriptions/${id}/deliveries`;
  },
  async readPaymentTimeline() {
    const { id } = (await newInvoice(site.world, tenant)).payment;
    await cancelPayment(site.world.deps, tenant, id, 'why');
    return `/v1/payments/${id}/timeline`;
  },
};

test('a page has 1 to 100 rows, and its cursor leads on in its list alone', async () => {
  for (let rows = 0; rows < 2; rows += 1) await newInvoice(site.world, tenant);
  for (let rows = 0; rows < 2; rows += 1) await newSeller(site.world, tenant);
  const paged = guarded.filter(
    ({ route: { query } }) => query instanceof z.ZodObject && 'cursor' in query.shape,
  );
  assert.ok(paged.length >= 7);
  for (const { operationId, route } of paged) {
    const ofOther = longLists[operationId];
    const list = (await ofOther?.()) ?? route.operations[operationId] ?? '';
    const ask = (query: string, used: Credentials = scene.own, path = list) =>
      scene.send(route, { path: `${path}?${query}` }, used);
    const cursor = String((await ask('limit=1')).body['nextCursor']);
    assert.equal((await ask(`limit=100&cursor=${cursor}`)).status, 200, operationId);
    const foreign = Object.values(strangers).map((used) => ask(`cursor=${cursor}`, used));
    const refused = [
      ...(ofOther === undefined ? foreign : [ask(`cursor=${cursor}`, scene.own, await ofOther())]),
      ...['', 'null', '%00', cursor.slice(1), `${cursor}x`].map((text) => ask(`cursor=${text}`)),
      ...(operationId in filters ? [ask(`cursor=${cursor}&${filters[operationId]}`)] : []),
      ...['limit=0', 'limit=101', 'limit=ten', 'limit=1&limit=1'].map((query) => ask(query)),
    ];
    for (const answer of await Promise.all(refused)) {
      assert.equal(refusalOf(answer), '400 ValidationError', operationId);
      assert.match(String(answer.body['message']), /^(cursor|limit): /, operationId);
    }
  }
});

test('a parameter of a query that is empty or sent twice is refused by its name', async () => {
  for (const { operationId, route } of guarded) {
    const names = route.query instanceof z.ZodObject ? Object.keys(route.query.shape) : [];
    if (names.length === 0) continue;
    const { path } = await scene.exampleOf(operationId);
    for (const name of names) {
      for (const query of [`${name}=`, `${name}=1&${name}=1`]) {
        const asked = `${path.replace(/\?.*/, '')}?${query}`;
        const answer = await scene.send(route, { path: asked }, scene.own);
        assert.equal(refusalOf(answer), '400 ValidationError', `${operationId} ${query}`);
        assert.match(String(answer.body['message']), new RegExp(`\\b${name}: `), operationId);
      }
    }
  }
});

test('what a body names of another tenant is answered like what never was', async () => {
  const { world } = site;
  const seller = await readySeller(world, tenant);
  const invoice = (await newInvoice(world, tenant)).payment.id;
  const upload = (await newDocument(world, tenant)).publicUrl;
  const pending = (await newUpload(world, tenant)).publicUrl;
  const account = (await newSeller(world, other)).id;
  const noUpload = unknown((await newUpload(world, other)).publicUrl);
  const withSeller = (sellerExternalId: unknown) => ({ ...createBody(), sellerExternalId });
  const rows: readonly (readonly [string, (id: string) => Json, string, string, string])[] = [
    ...['/v1/payments', '/v1/payment-intents', '/v1/invoices'].map(
      (path) =>
        [
          path,
          withSeller,
          String(seller.externalId),
          'seller-of-nobody',
          'SellerNotReady',
        ] as const,
    ),
    [
      '/v1/buyer-kyc',
      (invoiceId) => ({ ...hostedBody(), invoiceId }),
      invoice,
      unknown(invoice),
      'NotFound',
    ],
    [
      '/v1/buyer-kyc',
      (invoiceId) => ({ ...individualBody(), invoiceId }),
      invoice,
      unknown(invoice),
      'NotFound',
    ],
    [
      '/v1/buyer-kyc',
      (selfieFile) => ({ ...individualBody(), selfieFile }),
      upload,
      noUpload,
      'ValidationError',
    ],
    ...[upload, pending].map(
      (document) =>
        [
          `/v1/connected-accounts/${account}/submit`,
          (incorporationDocFile: string) => ({ ...sellerDossier, incorporationDocFile }),
          document,
          noUpload,
          'ValidationError',
        ] as const,
    ),
  ];
  const { key } = strangers['another organization'];
  for (const [path, body, foreign, nobodys, code] of rows) {
    const ask = (name: string) => site.call('POST', path, { key, body: body(name) });
    const [first, second] = [await unwritten(() => ask(foreign)), await ask(nobodys)];
    assert.equal(first.body['error'], code, `${path}: ${first.text}`);
    assert.deepEqual(seen(first), seen(second), path);
  }
});

test('names that tenants choose themselves may be the same', async () => {
  const headers = { 'idempotency-key': 'chosen twice' };
  const seller = { role: 'seller', entityType: 'business', externalId: 'chosen' };
  for (const [path, body, inLive] of [
    // What the key had made before would be answered in spite of the missing KYB.
    ['/v1/payment-intents', { ...createBody(), externalId: 'chosen' }, '400 KybNotApproved'],
    ['/v1/connected-accounts', seller, '201 -'],
  ] as const) {
    const ids = new Set<unknown>();
    for (const [{ key }, expected] of [
      [scene, '201 -'],
      [strangers['another organization'], '201 -'],
      [strangers['the other mode'], inLive],
    ] as const) {
      const answer = await site.call('POST', path, { key, body, headers });
      assert.equal(refusalOf(answer), expected, path);
      ids.add(answer.body['id']);
    }
    assert.equal(ids.size, 3, path);
  }
});

test('a document’s URL that was not given out: 401, whether there is one or not', async () => {
  const upload = await newDocument(site.world, tenant);
  for (const { operationId, route } of operations.filter(
    ({ route: { access } }) => access.auth === 'signature',
  )) {
    const example = await scene.exampleOf(operationId);
    // Each URL is good for one thing: the one that reads does not write.
    const isUpload = operationId === 'uploadDocument';
    const [right, grant] = isUpload
      ? [upload.uploadUrl, upload.publicUrl]
      : [upload.publicUrl, upload.uploadUrl];
    for (const url of [grant, right.replace(/\?.*/, ''), right.replace(/=.*/, '=')]) {
      const path = pathOf(url);
      const mine = await unwritten(() => scene.send(route, { ...example, path }));
      const nobodys = await scene.send(route, { ...example, path: unknown(path) });
      assert.equal(refusalOf(mine), '401 InvalidSignature', `${operationId} ${path}`);
      assert.deepEqual(seen(mine), seen(nobodys), operationId);
    }
  }
});

/** What a row takes of these credentials, one at a time. */
function eachOf({ key, session }: Required<Credentials>, auth: Auth): readonly Credentials[] {
  if (auth === 'either' || auth === 'keyElseSession') return [{ key }, { session }];
  return auth === 'key' ? [{ key }] : [{ session }];
}

/** The path, and where it names a payment the same with the payment's externalId. */
async function formsOf(path: string): Promise<readonly string[]> {
  const [id] = /(?:pi|inv)_[0-9a-z]{26}/.exec(path) ?? [];
  if (id === undefined) return [path];
  const payment = await site.world.payment(id);
  return [path, path.replace(id, `ext_${payment?.externalId}`)];
}

/** The same text with ids, or an externalId, of the same shape that nothing ever had. */
function unknown(text: string): string {
  const { ids: source, clock } = site.world.deps;
  return text
    .replaceAll(ids, (id) => source.next(id.split('_')[0] as IdPrefix, clock.nowMs()))
    .replace(/ext_[^/?]+/, (reference) => `ext_${'z'.repeat(reference.length - 4)}`);
}

/** What a client sees of an answer, without what differs per exchange. */
function seen({ status, headers, text }: Answer) {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return { status, headers: rest, text };
}

/** Fails when anything is written to the database while `work` runs. */
async function unwritten<T>(work: () => Promise<T>): Promise<T> {
  const { result, statements } = await withStatements(work);
  assert.deepEqual(valuesOf(statements, 'sql'), []);
  return result;
}
