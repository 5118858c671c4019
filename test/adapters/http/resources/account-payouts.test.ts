// The payout of connected sellers over HTTP: PIX destination, off-ramp wallet, ready to collect.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { HOUR_MS } from '../../../../core/domain/base/instant.js';
import type { SettlementPartner } from '../../../../core/ports/partner.js';
import { listAccountChanges } from '../../../../core/usecases/parties/payout-changes.js';
import { refusalOf, sharedSite } from '../checked-site.js';
import { createBody } from '../docs/example-calls.js';
import { newSeller, payoutConfig, sellerDossier } from './account-calls.js';
import {
  type AccountClient,
  accountsPath,
  newAccountClient,
  reportOn,
  withPartner,
  writtenBy,
} from './account-client.js';

const site = sharedSite();
let api: AccountClient;

beforeEach(async () => {
  api = await newAccountClient(site);
});

test('a payout makes an approved seller ready to collect, in its answer', async () => {
  const id = await api.approvedSeller();
  const { status, body } = await api.payout(id);
  assert.equal(status, 200);
  assert.equal(body['payoutConfigured'], true);
  assert.equal(body['readyToCollect'], true);
  assert.deepEqual((await api.get(id)).body, body);
  assert.deepEqual(await api.events(), ['created', 'kyb_approved', 'ready_to_collect']);
});

test('a payout before the approval is refused, and one of a buyer at any time', async () => {
  const seller = (await newSeller(site.world, api.tenant)).id;
  assert.equal(refusalOf(await api.payout(seller)), '400 ConnectedAccountNotApproved');
  await api.submit(seller, { ...sellerDossier, legalName: 'Fail' });
  assert.equal(refusalOf(await api.payout(seller)), '400 ConnectedAccountNotApproved');
  const buyer = await api.newBuyer('bo@example.com');
  assert.equal(refusalOf(await api.payout(buyer)), '400 ValidationError');
  await site.world.settle();
  assert.equal((await api.get(buyer)).body['status'], 'approved');
  assert.equal(refusalOf(await api.payout(buyer)), '400 ValidationError');
});

test('ready_to_collect fires once only', async () => {
  const id = await api.approvedSeller();
  for (let count = 0; count < 3; count += 1) await api.payout(id);
  await api.payout(id, { ...payoutConfig, pixKey: 'other@example.com' });
  await reportOn(site.world, await api.submissionOf(id), {
    status: 'rejected',
    reason: 'taken back',
  });
  assert.equal((await api.get(id)).body['readyToCollect'], false);
  await api.submit(id, sellerDossier);
  assert.equal((await api.get(id)).body['payoutConfigured'], false);
  assert.equal((await api.payout(id)).body['readyToCollect'], true);
  assert.deepEqual(await api.events(), [
    'created',
    'kyb_approved',
    'ready_to_collect',
    // The seller has a destination of before.
    'payout_changed',
    'kyb_rejected',
    'kyb_approved',
    'payout_changed',
  ]);
});

test('a PIX key that the partner does not take is refused, and not repeated', async () => {
  const id = await api.approvedSeller();
  const pixKey = 'ana@example.com';
  const registering = async ({ pixKey: given }: { readonly pixKey: string }) =>
    ({ outcome: 'refused', code: 'bad', message: `the key ${given} is not known` }) as const;
  await withPartner(site.world, { registerPixDestination: registering }, async () => {
    const refused = await api.payout(id, { ...payoutConfig, pixKey });
    assert.equal(refusalOf(refused), '400 ValidationError');
    assert.ok(!refused.text.includes(pixKey));
  });
  assert.equal((await api.get(id)).body['payoutConfigured'], false);
});

// What people sent to other PIX integrations: flutterbootcamp/brasil_fields#82, peanut-ui#2240.
const sameKeys: readonly (readonly string[])[] = [
  ['ana@example.com', 'ANA@Example.com', ' ana@example.com '],
  ['52998224725', '529.982.247-25', '529 982 247 25', '５２９９８２２４７２５'],
  ['12ABC34501DE35', '12.abc.345/01de-35'],
  ['+5511987654321', '(11) 9 8765-4321', '011 98765-4321', '0055 11 98765-4321', '11987654321'],
  ['123e4567-e89b-12d3-a456-426655440000', '123E4567-E89B-12D3-A456-426655440000'],
];

test('a PIX key in another writing is the same destination: sent once, no change', async () => {
  const sent: string[] = [];
  const { registerPixDestination } = site.world.partner;
  const noted: SettlementPartner['registerPixDestination'] = (input) => {
    sent.push(input.pixKey);
    return registerPixDestination(input);
  };
  await withPartner(site.world, { registerPixDestination: noted }, async () => {
    for (const writings of sameKeys) {
      const id = await api.approvedSeller();
      sent.length = 0;
      for (const pixKey of writings) {
        const accountHolderName = pixKey === writings[0] ? 'Ana Lima' : ' ANA  LIMA';
        const answer = await api.payout(id, { pixKey, accountHolderName });
        assert.equal(answer.status, 200, pixKey);
      }
      assert.deepEqual(new Set(sent), new Set([writings[0]]));
      const changes = await listAccountChanges(site.world.deps, api.tenant, id);
      assert.equal(changes.length, 1, `${writings[0]}`);
    }
  });
});

test('a text that is no PIX key is refused with its reason before the partner is asked', async () => {
  const id = await api.approvedSeller();
  const asked = async () => assert.fail('the partner was asked');
  await withPartner(site.world, { registerPixDestination: asked }, async () => {
    for (const [pixKey, reason] of [
      ['no pix key', /it is no PIX key/],
      ['529.982.247-24', /check digits/],
      ['11987650034', /pixKeyKind/],
    ] as const) {
      const answer = await api.payout(id, { ...payoutConfig, pixKey });
      assert.equal(refusalOf(answer), '400 ValidationError');
      assert.match(answer.text, reason);
      assert.ok(!answer.text.includes(pixKey));
    }
  });
  const chosen = { ...payoutConfig, pixKey: '11987650034', pixKeyKind: 'phone' };
  assert.equal((await api.payout(id, chosen)).status, 200);
  const [change] = await listAccountChanges(site.world.deps, api.tenant, id);
  assert.equal(change?.pixKeyShown, '+55…0034');
});

test('a payout whose call times out: 503, nothing recorded, repeated under its key', async () => {
  const id = await api.approvedSeller();
  const earlier = (await api.get(id)).body;
  const keys: string[] = [];
  const { registerPixDestination } = site.world.partner;
  const failures: readonly SettlementPartner['registerPixDestination'][] = [
    async () => ({ outcome: 'unknown', reason: 'time-out' }),
    async () => ({ outcome: 'later', reason: 'down' }),
    async ({ pixKey }) => Promise.reject(new Error(`reset while sending ${pixKey}`)),
    registerPixDestination,
  ];
  for (const [index, call] of failures.entries()) {
    const noted: SettlementPartner['registerPixDestination'] = (input) => {
      keys.push(input.key);
      return call(input);
    };
    await withPartner(site.world, { registerPixDestination: noted }, async () => {
      const answer = await api.payout(id);
      const isLast = index === failures.length - 1;
      assert.equal(
        isLast ? answer.status : refusalOf(answer),
        isLast ? 200 : '503 PartnerUnavailable',
      );
      if (!isLast) assert.deepEqual((await api.get(id)).body, earlier);
      if (!isLast) assert.ok(Number(answer.headers['retry-after']) >= 1);
    });
  }
  assert.equal(new Set(keys).size, 1);
  assert.match(keys[0] ?? '', /^[0-9a-f]{64}$/);
});

test('another PIX key, another account: another key at the partner', async () => {
  const keys: string[] = [];
  const { registerPixDestination } = site.world.partner;
  const noted: SettlementPartner['registerPixDestination'] = (input) => {
    keys.push(input.key);
    return registerPixDestination(input);
  };
  await withPartner(site.world, { registerPixDestination: noted }, async () => {
    const id = await api.approvedSeller();
    await api.payout(id);
    await api.payout(id, { ...payoutConfig, pixKey: 'other@example.com' });
    await api.payout(await api.approvedSeller());
  });
  assert.equal(new Set(keys).size, 3);
});

test('the raw PIX key is never stored and never logged', async () => {
  const pixKey = 'very.secret.pix@example.com';
  const answers: string[] = [];
  const written = await writtenBy(async () => {
    const id = await api.approvedSeller();
    answers.push(
      (await api.payout(id, { ...payoutConfig, pixKey })).text,
      (await api.get(id)).text,
    );
    await site.world.settle();
  });
  const { log, sent } = site.world;
  const outputs = [...written, ...answers, JSON.stringify(log), JSON.stringify(sent)];
  for (const form of ['utf8', 'hex', 'base64', 'base64url'] as const) {
    const secret = Buffer.from(pixKey).toString(form).replace(/=+$/, '');
    assert.ok(!outputs.some((text) => text.includes(secret)), form);
  }
});

test('an off-ramp wallet that comes later makes the seller ready then', async () => {
  const id = await api.approvedSeller();
  const provisionRails = async () => ({ outcome: 'unknown', reason: 'time-out' }) as const;
  await withPartner(site.world, { provisionRails }, async () => {
    const { body } = await api.payout(id);
    assert.equal(body['payoutConfigured'], true);
    assert.equal(body['readyToCollect'], false);
  });
  const body = { ...createBody(), sellerExternalId: (await api.get(id)).body['externalId'] };
  assert.equal(refusalOf(await api.pay(body)), '400 SellerNotReady');
  site.world.advanceClock(5_000);
  await site.world.settle();
  assert.equal((await api.get(id)).body['readyToCollect'], true);
  assert.equal((await api.events()).at(-1), 'ready_to_collect');
  assert.equal((await api.pay(body)).status, 201);
});

test('a wallet that the partner refuses leaves the seller not ready, and alarms', async () => {
  const id = await api.approvedSeller();
  const provisionRails = async () =>
    ({ outcome: 'refused', code: 'no_wallets', message: 'no' }) as const;
  await withPartner(site.world, { provisionRails }, async () => {
    assert.equal((await api.payout(id)).body['readyToCollect'], false);
  });
  const alert = site.world.log.findLast(({ message }) => message === 'alert');
  assert.match(String(alert?.fields['alert']), /rails/);
  // Configured again, be it the same, it is asked for again.
  assert.equal((await api.payout(id)).body['readyToCollect'], true);
});

test('live: a first payout by a key waits, and the answer says until when, on both paths', async (t) => {
  const { world, call } = site;
  const { partners } = world.deps;
  Object.assign(partners, { live: world.partner });
  t.after(() => Object.assign(partners, { live: null }));
  const orgId = await world.organization();
  const scopes = ['connected_accounts:write'] as const;
  const key = await world.key(orgId, { mode: 'live', scopes });
  for (const path of [accountsPath, '/v1/accounts']) {
    const body = { role: 'seller', entityType: 'business' };
    const { id } = (await call('POST', path, { key, body })).body;
    await call('POST', `${path}/${id}/submit`, { key, body: sellerDossier });
    const config = { ...payoutConfig, accountHolderName: 'Somebody Else' };
    const held = await call('POST', `${path}/${id}/payout-config`, { key, body: config });
    assert.deepEqual([held.status, held.body['payoutConfigured']], [200, false]);
    const atMs = Date.parse(String(held.body['payoutChangesAt']));
    assert.equal(atMs, world.deps.clock.nowMs() + 24 * HOUR_MS);
    const sent = world.mails.length;
    await world.settle();
    const mails = world.mails.slice(sent).filter(({ text }) => text.includes('/stop/'));
    assert.deepEqual(
      mails.map(({ to }) => to),
      [sellerDossier.email],
    );
  }
});
