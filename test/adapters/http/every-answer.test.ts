// Every answer that /docs-json has is given by the service: each operation succeeds in every way
// and refuses for every described reason. How a refusal comes about stands here once for
// all operations that have it; that each answer is what the description says, the site checks. What
// is described and never given fails the last test.
import assert from 'node:assert/strict';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { FRESH_MS } from '../../../core/domain/access/session.js';
import { developmentOperator } from '../../../core/domain/base/actor.js';
import { DOCUMENT_BYTES_MAX, UPLOAD_URL_LIFE_MS } from '../../../core/domain/parties/document.js';
import { catalogue, type ErrorCode } from '../../../core/errors.js';
import { createKey, unlimitedKey } from '../../../core/usecases/access/keys.js';
import { createSession } from '../../../core/usecases/access/sessions.js';
import { requireApproval } from '../../../core/usecases/parties/organizations.js';
import { endQuarantine, quarantineRestored } from '../../../core/usecases/service/epochs.js';
import { takeLargeBody } from '../../../core/usecases/service/rate-limits.js';
import { feedReaders } from '../../../core/usecases/webhooks/feed-readers.js';
import {
  changeSubscription,
  testSubscription,
} from '../../../core/usecases/webhooks/subscriptions.js';
import { operatorDoes } from '../../support/operator-action.js';
import { addActiveMember } from '../../support/scenes/active-member.js';
import { makeIntent, makeInvoice } from '../../support/scenes/made-payments.js';
import { prunedFeed } from '../../support/scenes/pruned-feed.js';
import { openedTexts } from '../../support/scenes/sealed-scene.js';
import type { Json } from '../../support/servers/json-call.js';
import { type Answer, allWell, checkedSite, refusalOf } from './checked-site.js';
import { describedAnswers, givenAnswers } from './docs/described-answers.js';
import {
  createBody,
  type ExampleCall,
  newInvoice,
  newPayment,
  newSubscription,
} from './docs/example-calls.js';
import { failingStore, override, silentPartner } from './outages.js';
import { newSeller } from './resources/account-calls.js';
import { hostedBody, newUpload, pathOf } from './resources/buyer-calls.js';
import {
  type Credentials,
  operations,
  otherScopes,
  scopesNeeded,
  type TableScene,
  tableScene,
  withIds,
} from './table-scene.js';

type Operation = (typeof operations)[number];
interface Change extends Partial<ExampleCall> {
  readonly as?: Credentials;
  /** Goes around the call alone. */
  readonly around?: (call: () => Promise<Answer>) => Promise<Answer>;
}

const BODY_BYTES_MAX = 256 * 1024;

let scene: TableScene;

beforeEach(async (t) => {
  scene = await tableScene(t as TestContext);
});

/** How to provoke each refusal on an operation that declares it. */
const refusals: Partial<Record<ErrorCode, (operation: Operation) => Promise<Answer>>> = {
  ValidationError: (operation) => ask(operation, { headers: { host: null } }),
  InternalError: (operation) => {
    const handler = async () => {
      throw new Error('a mistake of ours');
    };
    return ask(operation, { around: replaced(operation.route, { handler }) });
  },
  StoreContention: storeFails('StoreContention'),
  StoreUnavailable: storeFails('StoreUnavailable'),
  InQuarantine: (operation) => whileItChanges(operation, quarantined),
  InvalidApiKey: (operation) => ask(operation, { as: { key: `${scene.key}x` } }),
  InvalidApiKeyFormat: (operation) => ask(operation, { as: { key: 'none' } }),
  Unauthorized: (operation) => ask(operation, { as: {} }),
  InvalidToken: (operation) => ask(operation, { as: { session: 'abc.def.ghi' } }),
  InvalidSignature: async (operation) => {
    const { path } = await scene.exampleOf(operation.operationId);
    const headers = { 'svix-signature': 'v1,AAAA' };
    return ask(operation, { path: path.replace(/(?<=signature=)\w+/, '0'), headers });
  },
  InsufficientScope: async (operation) => {
    const { site, tenant } = scene;
    const needed = scopesNeeded(operation.route, await scene.exampleOf(operation.operationId));
    const key = await site.world.key(tenant.orgId, { scopes: otherScopes(needed) });
    const session = await site.world.session(tenant.orgId, { role: 'viewer' });
    const takesKey = ['key', 'keyElseSession'].includes(operation.route.access.auth);
    return ask(operation, { as: takesKey ? { key } : { session } });
  },
  NotFound: notFound,
  RateLimitExceeded: async (operation) => {
    const around = strictLimits();
    await ask(operation, { around });
    return ask(operation, { around });
  },
  InvitationLimitExceeded: async (operation) => {
    const { path } = await scene.exampleOf(operation.operationId);
    await ask(operation, { path });
    return ask(operation, { path });
  },
  PreviewLimitExceeded: async (operation) => {
    const { path } = await scene.exampleOf('previewQuote');
    const { world } = scene.site;
    const as = { key: await world.key((await world.newTenant()).orgId) };
    for (let count = 0; count < 30; count += 1) await ask(operation, { path, as });
    return ask(operation, { path, as });
  },
  LargeBodyLimitExceeded: async (operation) => {
    const { world } = scene.site;
    // A key that has created nothing yet.
    const isCreate = operation.route.access.rateLimit === 'create';
    const as = isCreate && { as: { key: await world.key(scene.tenant.orgId) } };
    const around = strictLimits();
    const spent = (call: () => Promise<Answer>) =>
      around(() => takeLargeBody(world.deps, scene.tenant, 100_000).then(call));
    return ask(operation, { body: ' '.repeat(100_000), around: spent, ...as });
  },
  ReaderLimitExceeded: unplaced,
  StorageLimitExceeded: (operation) => whileItChanges(operation, budgetSpent),
  UploadsPaused: (operation) => {
    const { documents } = scene.site.world.deps;
    assert.ok(documents !== null);
    return ask(operation, { around: replaced(documents, { hasRoom: async () => false }) });
  },
  IdempotencyKeyConflict: async (operation) => {
    const headers = { 'idempotency-key': `for ${operation.operationId}` };
    // Each call of an action is for another invoice or account.
    const isCreate = operation.path.split('/').length === 3;
    if (!isCreate) await ask(operation, { headers });
    const path = operation.path === '/v1/invoices' ? '/v1/payment-intents' : '/v1/invoices';
    await scene.site.call('POST', path, { key: scene.key, body: createBody(), headers });
    return ask(operation, { headers });
  },
  PayloadTooLarge: ({ route, ...operation }) => {
    const bytes = route.body === 'stream' ? DOCUMENT_BYTES_MAX : BODY_BYTES_MAX;
    return ask({ route, ...operation }, { body: Buffer.alloc(bytes + 1) });
  },
  UnsupportedMediaType: (operation) =>
    ask(operation, { headers: { 'content-type': 'text/plain' } }),
  KybNotApproved: async (operation) => {
    const orgId = await scene.site.world.organization({ sandboxKyb: false });
    return ask(operation, { as: { key: await scene.site.world.key(orgId) } });
  },
  AmountBelowMinimum: withFields({ amount: '9.99' }),
  AmountAboveCap: (operation) => {
    const around = replaced(scene.site.world.deps.settings, { regime: 'virtual_assets' });
    return around(() => withFields({ amount: '100000.01' })(operation));
  },
  PaymentMissingFields: (operation) => {
    const around = replaced(scene.site.world.deps.settings, { regime: 'virtual_assets' });
    return around(() => withFields({ purpose: 'services' })(operation));
  },
  SellerNotReady: withFields({ sellerExternalId: 'nobody' }),
  AmbiguousExternalId: async (operation) => {
    const { world } = scene.site;
    const externalId = `both-${operation.operationId}`;
    await makeIntent(world.deps, scene.tenant, { externalId });
    await makeInvoice(world.deps, scene.tenant, { externalId });
    return ask(operation, { path: withIds(operation.path, `ext_${externalId}`, '') });
  },
  PaymentNotCancellable: onEnded,
  PaymentStateConflict: (operation) =>
    operation.operationId === 'readPaymentProof' ? onUnsettled(operation) : onEnded(operation),
  InvoiceNotApproved: onEnded,
  SelfApprovalNotAllowed: async (operation) => {
    const { deps } = scene.site.world;
    const member = { orgId: scene.tenant.orgId, email: 'author@acme.example' };
    const { id } = await addActiveMember(deps, { ...member, role: 'finance' });
    const { token: session } = await createSession(deps, { ...member, mode: 'test' });
    return ask(operation, { path: await ownPayment(operation, id), as: { session } });
  },
  SessionNotFresh: async (operation) => {
    const { site, tenant } = scene;
    const session = await site.world.session(tenant.orgId, { mode: 'live' });
    const live = { orgId: tenant.orgId, mode: 'live', name: 'live', ...unlimitedKey } as const;
    const { key } = await createKey(site.world.deps, {
      ...live,
      createdBy: developmentOperator.id,
    });
    const path = `/v1/api-keys/${key.id}/roll`;
    const isRoll = operation.operationId === 'rollApiKey';
    site.world.advanceClock(FRESH_MS);
    const answer = await ask(operation, { as: { session }, ...(isRoll ? { path } : {}) });
    // The other refusals have a fresh session.
    site.world.advanceClock(-FRESH_MS);
    return answer;
  },
  TosSessionRequired: async (operation) =>
    ask(operation, {
      path: await onNewSeller(operation),
      body: await bodyOf(operation, { tosId: 'tos_1' }),
    }),
  TosIdMismatch: async (operation) => {
    const { path } = await scene.exampleOf(
      operation.operationId === 'startBuyerKyc' ? 'startBuyerKyc' : 'acceptConnectedAccountTerms',
    );
    const body = await bodyOf(operation, { tosId: 'tos_1' });
    const accepting = path.replace('/v1/connected-accounts', '/v1/accounts');
    await scene.site.call('POST', accepting, { ...scene.own, body });
    const id = path.split('/')[3] ?? '';
    const again = { ...body, tosId: 'tos_2' };
    return ask(operation, { path: withIds(operation.path, id, ''), body: again });
  },
  ConnectedAccountMissingFields: (operation) => ask(operation, { body: {} }),
  ConnectedAccountNotApproved: async (operation) =>
    ask(operation, { path: await onNewSeller(operation) }),
  PartnerUnavailable: (operation) =>
    ask(operation, { around: replaced(scene.site.world.partner, silentPartner(scene.site.world)) }),
  KycStorageDisabled: (operation) =>
    ask(operation, { around: replaced(scene.site.world.deps, { documents: null }) }),
  UploadUrlExpired: (operation) =>
    ask(operation, {
      around: (call) => {
        scene.site.world.advanceClock(UPLOAD_URL_LIFE_MS);
        return call();
      },
    }),
  DeliveryNotReplayable: async (operation) => {
    const { world } = scene.site;
    const id = await newSubscription(world, scene.tenant);
    const delivery = await testSubscription(world.deps, scene.tenant, id);
    await changeSubscription(world.deps, scene.tenant, id, { paused: true });
    if (operation.operationId !== 'resendEvent') {
      return ask(operation, { path: withIds(operation.path, id, delivery.id) });
    }
    const path = operation.path.replace('{id}', delivery.eventId);
    return ask(operation, { path, body: { subscriptionId: id } });
  },
  EventsPruned: async (operation) => {
    const { world } = scene.site;
    const home = await world.newTenant();
    await prunedFeed(world.deps.store, home, { oldest: 8, last: 8 });
    return ask(operation, { as: { key: await world.key(home.orgId) } });
  },
  FeedReset: (operation) => ask(operation, { path: `${operation.path}?epoch=2` }),
  ModeSwitchNotAllowed: (operation) => ask(operation, { as: { key: scene.key } }),
  ProductionAccessNotApproved: withFields({ mode: 'live' }),
};

/** A call that writes: a repeated approval would write nothing. */
async function whileItChanges(
  operation: Operation,
  around: (call: () => Promise<Answer>) => Promise<Answer>,
): Promise<Answer> {
  if (!operation.operationId.startsWith('approve')) return ask(operation, { around });
  const { deps } = scene.site.world;
  await requireApproval(deps, scene.tenant.orgId, true);
  await requireApproval(deps, scene.tenant.orgId, true, 'payment_intent');
  return ask(operation, { path: await ownPayment(operation, 'mem_1'), around });
}

/** While the tenant may store nothing more. */
async function budgetSpent(call: () => Promise<Answer>): Promise<Answer> {
  const { rateLimits, settings } = scene.site.world.deps;
  const { take } = rateLimits;
  rateLimits.take = async ({ buckets, nowMs }) => {
    const stored = buckets.filter(({ key }) => key.startsWith('stored'));
    if (stored.length === 0) return take({ buckets, nowMs });
    return { retryAfterSeconds: 60, tatMicros: new Map(stored.map(({ key }) => [key, 0])) };
  };
  try {
    return await replaced(settings, { rateLimitPerMinute: 1_000_000, rateLimitBurst: 1_000 })(call);
  } finally {
    rateLimits.take = take;
  }
}

test('every operation succeeds in each way that is described', async (t) => {
  for (const operation of operations) {
    const { operationId, route } = operation;
    const call = await scene.exampleOf(operationId);
    const first = await ask(operation, call);
    assert.equal(first.status, call.status ?? 200, `${operationId}: ${first.text}`);
    if (route.responses[304] !== undefined) {
      const headers = { 'if-none-match': first.headers['etag'] ?? '' };
      assert.equal((await ask(operation, { headers })).status, 304, operationId);
    }
    if (route.responses[200] !== undefined && first.status === 201) {
      assert.equal((await ask(operation, call)).status, 200, operationId);
    }
  }
  const restored = await checkedSite(t, undefined, {
    readiness: async () => ({ ...allWell, quarantine: true }),
  });
  const answer = await restored.call('GET', '/readyz');
  assert.deepEqual([answer.status, answer.body['status']], [200, 'quarantine']);
  const unready = await checkedSite(t, undefined, {
    readiness: async () => ({ ...allWell, worker: false }),
  });
  assert.equal((await unready.call('GET', '/readyz')).status, 503);
});

test('what the operations store in a sealed column is sealed for its row', async () => {
  for (const operation of operations) {
    await ask(operation, await scene.exampleOf(operation.operationId));
  }
  const opened = [...(await openedTexts(scene.site.world.deps)).keys()];
  for (const column of ['connected_accounts.tax_id_sealed', 'partner_commands.request']) {
    assert.ok(
      opened.some((place) => place.startsWith(`${column} `)),
      column,
    );
  }
});

test('in quarantine reads are served, and changes that take a right away', async () => {
  for (const operation of operations) {
    const { operationId, route } = operation;
    if (route.method !== 'GET' && route.inQuarantine === 'refused') continue;
    const { status = 200 } = await scene.exampleOf(operationId);
    const answer = await ask(operation, { around: quarantined });
    assert.equal(answer.status, status, `${operationId}: ${answer.text}`);
  }
});

describe('every operation refuses for each reason that is described', () => {
  for (const operation of operations) {
    test(operation.operationId, async () => {
      for (const answer of describedAnswers) {
        const [operationId, status, code] = answer.split(' ');
        if (operationId !== operation.operationId || code === undefined) continue;
        const refused = refusals[code as ErrorCode];
        assert.ok(refused !== undefined, `${code} comes about somehow`);
        const refusal = await refused(operation);
        assert.equal(refusalOf(refusal), `${status} ${code}`, refusal.text);
        assert.equal(`${catalogue[code as ErrorCode].status}`, status);
      }
    });
  }
});

test('no answer is described that was not given', () => {
  assert.ok(describedAnswers.size > 500, `${describedAnswers.size} answers`);
  assert.deepEqual(
    [...describedAnswers].filter((answer) => !givenAnswers.has(answer)),
    [],
  );
});

/** The good call of an operation, but for this. */
async function ask(operation: Operation, change: Change = {}): Promise<Answer> {
  const { route, operationId } = operation;
  const {
    as = scene.accepted[route.access.auth],
    around = (call) => call(),
    ...otherwise
  } = change;
  const example = await scene.exampleOf(operationId);
  const headers = { ...example.headers, ...change.headers };
  return around(() => scene.send(route, { ...example, ...otherwise, headers }, as));
}

async function bodyOf({ operationId }: Operation, fields: Json): Promise<Json> {
  return { ...((await scene.exampleOf(operationId)).body as Json), ...fields };
}

/** Fields of the body, or of the query of a GET. */
function withFields(fields: Readonly<Record<string, string>>) {
  return async (operation: Operation) => {
    if (operation.route.method !== 'GET') {
      return ask(operation, { body: await bodyOf(operation, fields) });
    }
    const query = new URLSearchParams({ amount: '1250.00', ...fields });
    return ask(operation, { path: `${operation.path}?${query}` });
  };
}

function storeFails(code: ErrorCode) {
  return (operation: Operation) => {
    const { deps } = scene.site.world;
    return ask(operation, { around: replaced(deps, failingStore(deps, code)) });
  };
}

async function notFound(operation: Operation): Promise<Answer> {
  const { operationId, path } = operation;
  switch (operationId) {
    case 'startBuyerKyc':
      return ask(operation, { body: { ...hostedBody(), invoiceId: 'inv_nobody' } });
    case 'readDocument': {
      // Nothing was uploaded there.
      const { publicUrl } = await newUpload(scene.site.world, scene.tenant);
      return ask(operation, { path: pathOf(publicUrl) });
    }
    case 'signOut':
      return ask(operation, { body: { session: 'ses_nobody' } });
    case 'readSecurityContact': {
      const { settings } = scene.site.world.deps;
      return ask(operation, { around: replaced(settings, { securityContact: null }) });
    }
    case 'uploadDocument':
      // Everything that decodes lacks a signature.
      return ask(operation, { path: path.replace('{id}', '%FF') });
    default:
      return ask(operation, { path: path.replaceAll(/\{\w+\}/g, 'nobody') });
  }
}

/** While a call lasts, the database is in quarantine. */
async function quarantined(call: () => Promise<Answer>): Promise<Answer> {
  const { deps } = scene.site.world;
  await quarantineRestored(deps);
  try {
    return await call();
  } finally {
    await endQuarantine(deps, { by: 'test', forcedBecause: 'a test' });
  }
}

/** Where every wait is refused its place. */
async function unplaced({ path, ...operation }: Operation): Promise<Answer> {
  const { world } = scene.site;
  const { read } = feedReaders(world.deps, 0);
  // Where there are events, nothing is waited for.
  const key = await world.key(await world.organization());
  const change = { path: `${path}?wait=1`, as: { key } };
  return ask({ path, ...operation }, { ...change, around: replaced(world.feedReaders, { read }) });
}

/** One create at once. */
function strictLimits() {
  const limits = { rateLimitPerMinute: 1, rateLimitBurst: 1 };
  return replaced(scene.site.world.deps.settings, limits);
}

/** On a payment that has ended. */
async function onEnded(operation: Operation): Promise<Answer> {
  // A proof is of a settled payment only.
  if (operation.operationId === 'readPaymentProof') {
    return ask(operation, { path: await ownPayment(operation, 'mem_1') });
  }
  const { path } = await scene.exampleOf(operation.operationId);
  const [id = ''] = /(?:pi|inv)_\w+/.exec(path) ?? [];
  await operatorDoes(scene.site.world.deps, id, { verb: 'fail', reason: 'given up' });
  return ask(operation, { path });
}

async function onUnsettled(operation: Operation): Promise<Answer> {
  const { payment } = await newPayment(scene.site.world, scene.tenant);
  return ask(operation, { path: withIds(operation.path, payment.id, '') });
}

/** The path of the operation on a payment that this member created. */
async function ownPayment({ operationId, path }: Operation, memberId: string): Promise<string> {
  const make = operationId === 'approvePaymentIntent' ? newPayment : newInvoice;
  const { payment } = await make(scene.site.world, scene.tenant, memberId);
  return withIds(path, payment.id, '');
}

async function onNewSeller({ path }: Operation): Promise<string> {
  return withIds(path, (await newSeller(scene.site.world, scene.tenant)).id, '');
}

/** While a call lasts, something that it depends on is otherwise. */
function replaced<T extends object>(of: T, otherwise: Partial<T>) {
  return async (call: () => Promise<Answer>): Promise<Answer> => {
    const restore = override(of, otherwise);
    try {
      return await call();
    } finally {
      restore();
    }
  };
}
