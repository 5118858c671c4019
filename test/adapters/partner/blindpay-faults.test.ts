// Commands at BlindPay under each fault of a call: repeated with the same text, or settled by a
// look-up, one object results, and no fault counts as a refusal.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { done, person } from '../../../adapters/partner-kit/conformance-harness.js';
import { DAY_MS, MINUTE_MS } from '../../../core/domain/base/instant.js';
import type { AcceptedCommand, CommandCalls, PartnerAnswer } from '../../../core/ports/partner.js';
import {
  approvedCustomer,
  type BlindPayScene,
  blindPay,
  destinationAt,
  pixKey,
  preparedPayin,
  preparedPayout,
  type SceneOptions,
  usd,
} from '../../support/blindpay/blindpay-scene.js';
import { type Fault, faults } from '../../support/blindpay/blindpay-server.js';

/** The time of a call is over once BlindPay has read it and is silent, on any machine. */
async function impatient(t: TestContext, options: SceneOptions = {}): Promise<BlindPayScene> {
  const scene = await blindPay(t, options);
  t.mock.method(AbortSignal, 'timeout', () => {
    const limit = new AbortController();
    scene.server.onSilent = () => limit.abort(new DOMException('no answer', 'TimeoutError'));
    return limit.signal;
  });
  return scene;
}

type Calls = Pick<CommandCalls<never, unknown>, 'start' | 'find'>;

/** How a command of each kind is prepared, the call that places it, and how many there are. */
const kinds = {
  party: {
    call: 'POST /customers',
    calls: ({ partner }: BlindPayScene): Calls => partner.party,
    prepare: async ({ partner }: BlindPayScene) => done(await partner.party.prepare(person({}))),
    count: ({ server }: BlindPayScene) => server.state.customers.length,
  },
  payin: {
    call: 'POST /payins/evm',
    calls: ({ partner }: BlindPayScene): Calls => partner.payin,
    prepare: (scene: BlindPayScene) => preparedPayin(scene),
    count: ({ server }: BlindPayScene) => server.state.payins.length,
  },
  payout: {
    call: 'POST /payouts/evm',
    calls: ({ partner }: BlindPayScene): Calls => partner.payout,
    async prepare(scene: BlindPayScene) {
      const request = await preparedPayout(scene);
      // The wallet has money of other payments: it would pay for a second payout.
      const { wallets, otherTokens } = scene.server.state;
      for (const { id } of wallets) otherTokens.set(id, 10_000_000);
      return request;
    },
    count: ({ server }: BlindPayScene) => server.state.payouts.length,
  },
} as const;

async function ordered(t: TestContext, name: keyof typeof kinds) {
  const scene = await impatient(t);
  const kind = kinds[name];
  const request = await kind.prepare(scene);
  const { start, find } = kind.calls(scene);
  return { scene, kind, request, start, find };
}

/** Until it is accepted; a pause that was asked for passes. */
async function repeated(
  scene: BlindPayScene,
  start: () => Promise<PartnerAnswer<AcceptedCommand>>,
): Promise<string> {
  for (let count = 0; count < 3; count += 1) {
    const answer = await start();
    assert.notEqual(answer.outcome, 'refused');
    if (answer.outcome === 'done') return answer.value.partnerRef;
    scene.pass(10_000);
  }
  return assert.fail('never accepted');
}

const cases = Object.keys(kinds).flatMap((name) =>
  Object.keys(faults).map((fault) => [name as keyof typeof kinds, fault as Fault] as const),
);

for (const [name, fault] of cases) {
  test(`${name}, ${fault}: repeated with the same text it is one, and found`, async (t) => {
    const { scene, kind, request, start, find } = await ordered(t, name);
    scene.server.failNext(kind.call, fault);
    const first = await start(request);
    const isEffective = faults[fault].effect;
    assert.ok(first.outcome === 'unknown' || (first.outcome === 'later' && !isEffective));
    const looked = await find(request);
    if (looked.outcome === 'done') assert.equal(looked.value !== null, isEffective);
    else assert.equal(looked.outcome, 'later');
    const partnerRef = await repeated(scene, () => start(request));
    scene.server.runLate();
    assert.equal(kind.count(scene), 1);
    assert.equal(done(await find(request))?.partnerRef, partnerRef);
    assert.equal(
      done(await kind.calls({ ...scene, partner: scene.restarted() }).find(request))?.partnerRef,
      partnerRef,
    );
  });
}

test('a repeat sends the same bytes under the same key', async (t) => {
  for (const name of ['party', 'payin'] as const) {
    const { scene, kind, request, start } = await ordered(t, name);
    scene.server.failNext(kind.call, '500 before');
    await start(request);
    await start(request);
    const sent = scene.server.calls.filter(({ method, path }) => `${method} ${path}` === kind.call);
    assert.equal(sent.length, 2);
    assert.deepEqual(new Set(sent.map(({ key, text }) => `${key} ${text}`)).size, 1);
    const { reference, quoteId } = JSON.parse(request);
    assert.equal(sent[0]?.key, name === 'payin' ? `${reference}.${quoteId}` : reference);
  }
});

test('a look-up that cannot read the list is no absence', async (t) => {
  for (const name of ['party', 'payin', 'payout'] as const) {
    for (const fault of ['403 page', '500 before', 'cut before', '429'] as const) {
      const { scene, kind, request, find } = await ordered(t, name);
      scene.server.failNext(kind.call.replace('POST', 'GET').replace('/evm', ''), fault);
      assert.equal((await find(request)).outcome, 'later', `${name} ${fault}`);
    }
  }
});

test('a payout whose call takes effect late is one, in any minute of its calls', async (t) => {
  for (const [firstAt, thenAfter] of [
    ...[0, 4].flatMap((first) => [0, 1, 4, 5, 6, 10].map((after) => [first, after] as const)),
    ...[1, 2, 4].map((after) => [9, after] as const),
  ]) {
    const { scene, kind, request, start } = await ordered(t, 'payout');
    scene.server.failNext(kind.call, 'late');
    scene.pass(firstAt * MINUTE_MS);
    assert.equal((await start(request)).outcome, 'unknown');
    scene.pass(thenAfter * MINUTE_MS);
    assert.notEqual((await start(request)).outcome, 'refused');
    scene.server.runLate();
    for (let count = 0; count < 3; count += 1) {
      scene.pass(5 * MINUTE_MS);
      await start(request);
    }
    assert.equal(scene.server.state.payouts.length, 1, `${firstAt} + ${thenAfter}`);
  }
});

/** The life of all further quotes. */
function quotesLive(scene: BlindPayScene, lifeMs: number): void {
  const { state } = scene.server;
  const createQuote = state.createQuote.bind(state);
  const made: typeof createQuote = (body) => ({
    ...createQuote(body),
    expires_at: scene.nowMs + lifeMs,
  });
  Object.assign(state, { createQuote: made });
}

test('a payout needs no quote of a certain life: its call is made at once, and once', async (t) => {
  for (const lifeMs of [MINUTE_MS, 5 * MINUTE_MS, 11 * MINUTE_MS, DAY_MS]) {
    for (const passedMs of [0, 4 * MINUTE_MS, 9 * MINUTE_MS]) {
      const { scene, kind, request, start } = await ordered(t, 'payout');
      scene.pass(passedMs);
      quotesLive(scene, lifeMs);
      scene.server.failNext(kind.call, '500 before');
      assert.equal((await start(request)).outcome, 'unknown', `${lifeMs} ${passedMs}`);
      assert.equal((await start(request)).outcome, 'done');
      assert.equal(scene.server.calls.filter(({ path }) => path === '/quotes').length, 2);
      assert.equal(scene.server.state.payouts.length, 1);
    }
  }
});

test('the next quote of a payout is requested only after the expiry of the one before', async (t) => {
  const { scene, kind, request, start } = await ordered(t, 'payout');
  const keys = () =>
    scene.server.calls.filter(({ path }) => path === '/quotes').map(({ key }) => key);
  for (const [passedMs, numbers, outcome] of [
    [0, [0], 'unknown'],
    [4 * MINUTE_MS, [0], 'unknown'],
    // The clock of BlindPay may be behind.
    [MINUTE_MS, [0], 'later'],
    [MINUTE_MS, [0, 1], 'unknown'],
  ] as const) {
    scene.pass(passedMs);
    const before = keys().length;
    if (outcome === 'unknown') scene.server.failNext(kind.call, '500 before');
    assert.equal((await start(request)).outcome, outcome);
    const fresh = keys().slice(before);
    assert.deepEqual(
      fresh,
      numbers.map((number) => `reference-2.${number}.quote`),
    );
  }
  // A process that starts waits for the life of a quote, then follows the chain.
  const { payout } = scene.restarted();
  assert.equal((await payout.start(request)).outcome, 'later');
  scene.pass(6 * MINUTE_MS);
  const before = keys().length;
  assert.equal((await payout.start(request)).outcome, 'done');
  const numbers = keys().slice(before);
  assert.deepEqual(
    numbers,
    [0, 1, 2].map((number) => `reference-2.${number}.quote`),
  );
  assert.equal(scene.server.state.payouts.length, 1);
});

/** What the clock of the machine, or of the database, does while a payout is called. */
const clocks = [
  { aheadMs: 7 * MINUTE_MS },
  { aheadMs: -7 * MINUTE_MS },
  { aheadMs: 2 * DAY_MS },
  { aheadMs: 400 * DAY_MS },
  { aheadMs: -400 * DAY_MS },
] as const;

for (const { aheadMs } of clocks) {
  test(`a clock that is ${aheadMs / MINUTE_MS} minutes ahead for a moment makes no second payout`, async (t) => {
    for (const date of ['right', 'none'] as const) {
      const { scene, request, start, kind } = await ordered(t, 'payout');
      scene.server.sendsDate = date === 'right';
      const quotes = () => scene.server.state.quotes.length;
      scene.server.failNext(kind.call, 'late');
      assert.equal((await start(request)).outcome, 'unknown');
      scene.aheadMs = aheadMs;
      for (let tries = 0; tries < 3; tries += 1) {
        scene.server.failNext(kind.call, 'late');
        await start(request);
        await scene.restarted().payout.start(request);
      }
      assert.equal(quotes(), 1, date);
      scene.aheadMs = 0;
      scene.pass(MINUTE_MS);
      await start(request);
      scene.server.runLate();
      await start(request);
      assert.equal(scene.server.state.payouts.length, 1, date);
    }
  });
}

test('a payout is prepared and found while the clock is wrong', async (t) => {
  for (const { aheadMs } of clocks) {
    const scene = await blindPay(t);
    const createdAtMs = scene.nowMs + aheadMs;
    scene.aheadMs = aheadMs;
    const request = await preparedPayout(scene, usd(125_000n), { sinceMs: createdAtMs });
    const { payout } = scene.partner;
    const { partnerRef } = done(await payout.start(request));
    scene.aheadMs = 0;
    scene.pass(2 * DAY_MS);
    assert.equal(done(await payout.find(request))?.partnerRef, partnerRef, `${aheadMs}`);
    assert.equal(done(await payout.start(request)).partnerRef, partnerRef);
    assert.equal(scene.server.state.payouts.length, 1);
  }
});

test('no call of a payout takes effect after `effectWithinMs`, so that its absence counts', async (t) => {
  for (const [lateByMs, payouts] of [
    [4 * MINUTE_MS, 1],
    [null, 0],
  ] as const) {
    const { scene, kind, request, start } = await ordered(t, 'payout');
    scene.server.failNext(kind.call, 'late');
    assert.equal((await start(request)).outcome, 'unknown');
    scene.pass(lateByMs ?? scene.partner.effectWithinMs);
    scene.server.runLate();
    assert.equal(scene.server.state.payouts.length, payouts);
  }
});

test('another request under a used key raises an alert at once, and the call is looked up', async (t) => {
  const { scene, kind, request, start } = await ordered(t, 'payin');
  scene.server.failNext(kind.call, 'mismatch');
  assert.equal((await start(request)).outcome, 'unknown');
  const alerts = scene.log.filter(({ message }) => message === 'alert');
  assert.match(String(alerts[0]?.fields['alert']), /another request under an idempotency key/);
});

test('a pay-in that is quoted again after a restore is ordered: its quote is in its key', async (t) => {
  const scene = await blindPay(t);
  const { payin, quote } = scene.partner;
  const destination = await destinationAt(scene);
  for (const payins of [1, 2]) {
    const asked = done(await quote({ source: usd(125_000n), destination }));
    const input = { reference: 'reference-1', quote: asked, payerEmail: 'buyer@example.com' };
    done(await payin.start(done(await payin.prepare(input))));
    assert.equal(scene.server.state.payins.length, payins);
  }
});

test('a payout whose process pauses within its call is not made by this call', async (t) => {
  const { scene, kind, request, start } = await ordered(t, 'payout');
  const { state } = scene.server;
  const createQuote = state.createQuote.bind(state);
  const pause: typeof createQuote = (body) => {
    scene.nowMs += MINUTE_MS;
    return createQuote(body);
  };
  Object.assign(state, { createQuote: pause });
  assert.equal((await start(request)).outcome, 'later');
  assert.equal(kind.count(scene), 0);
  assert.equal((await start(request)).outcome, 'done');
});

test('a payout is found after the idempotency keys are forgotten, and not made again', async (t) => {
  const { scene, request, start } = await ordered(t, 'payout');
  const { partnerRef } = done(await start(request));
  scene.pass(2 * DAY_MS);
  assert.equal(done(await start(request)).partnerRef, partnerRef);
  assert.equal(scene.server.state.payouts.length, 1);
});

test('a pay-in that is sent again after a restore is one: its quote may be old', async (t) => {
  for (const passedMs of [10 * MINUTE_MS, 2 * DAY_MS]) {
    const scene = await blindPay(t);
    const { payin } = scene.partner;
    const quote = done(
      await scene.partner.quote({ source: usd(125_000n), destination: await destinationAt(scene) }),
    );
    const input = { reference: 'reference-1', quote, payerEmail: 'buyer@example.com' };
    const { partnerRef } = done(await payin.start(done(await payin.prepare(input))));
    scene.pass(passedMs);
    const request = done(await payin.prepare(input));
    const answer = await payin.start(request);
    // Once its key is forgotten the call is refused, and a refusal is looked up.
    const found = answer.outcome === 'refused' ? await payin.find(request) : answer;
    assert.equal(done(found)?.partnerRef, partnerRef);
    assert.equal(scene.server.state.payins.length, 1);
  }
});

test('a payout without a description may be the one that is looked for', async (t) => {
  const { scene, request, start, find } = await ordered(t, 'payout');
  await start(request);
  const payout = scene.server.state.payouts[0] ?? assert.fail('a payout');
  Object.assign(payout, { description: null });
  assert.equal((await find(request)).outcome, 'later');
  assert.equal((await start(request)).outcome, 'later');
  assert.equal(scene.server.state.payouts.length, 1);
});

test('a quote that expires, a wallet that is empty, a party under review: the payout waits', async (t) => {
  const { scene, request, start } = await ordered(t, 'payout');
  const { state } = scene.server;
  const wallet = state.wallets[0]?.id ?? assert.fail('a wallet');
  const others = state.otherTokens.get(wallet) ?? 0;
  state.otherTokens.set(wallet, -others);
  assert.equal((await start(request)).outcome, 'later');
  state.otherTokens.set(wallet, others);
  const customer = state.customers[0]?.id ?? assert.fail('a customer');
  state.setKyc(customer, 'compliance_request');
  scene.pass(10 * MINUTE_MS);
  assert.equal((await start(request)).outcome, 'later');
  state.setKyc(customer, 'approved_rfi');
  scene.pass(10 * MINUTE_MS);
  assert.equal((await start(request)).outcome, 'done');
});

test('PIX account, wallet and virtual account: a fault at any call leaves one of each', async (t) => {
  const path = /^POST \/customers\/[^/]+\/(bank-accounts|wallets|virtual-accounts)$/;
  for (const step of ['bank-accounts', 'wallets', 'virtual-accounts']) {
    for (const fault of Object.keys(faults) as Fault[]) {
      const scene = await impatient(t, { route: { bankingPartner: 'cfsb' } });
      const partyRef = await approvedCustomer(scene);
      scene.server.failNext(`POST /customers/${partyRef}/${step}`, fault);
      const input = { partyRef, pixKey, accountHolderName: 'Ana Lima', key: 'key-1' };
      const steps = async () => {
        const pix = await scene.partner.registerPixDestination(input);
        if (pix.outcome !== 'done') return pix;
        const { destinationRef } = pix.value;
        return scene.partner.provisionRails({ partyRef, destinationRef, key: 'key-2' });
      };
      const first = await steps();
      assert.ok(first.outcome === 'unknown' || first.outcome === 'later', `${step} ${fault}`);
      scene.pass(10_000);
      const rails = done(await steps());
      scene.server.runLate();
      scene.pass(2 * DAY_MS);
      assert.deepEqual(done(await steps()), rails);
      const { bankAccounts, wallets, virtualAccounts } = scene.server.state;
      const counts = [bankAccounts, wallets, virtualAccounts].map(({ length }) => length);
      assert.deepEqual(counts, [1, 1, 1], `${step} ${fault}`);
      assert.ok(scene.server.calls.some((call) => path.test(`${call.method} ${call.path}`)));
    }
  }
});
