// Connected accounts over HTTP: create, list, terms, and required fields.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { SettlementPartner } from '../../../../core/ports/partner.js';
import type { Json } from '../../../support/servers/json-call.js';
import { refusalOf, sharedSite } from '../checked-site.js';
import { payoutConfig, sellerDossier } from './account-calls.js';
import {
  type AccountClient,
  accountsPath,
  newAccountClient,
  personDossier,
  withPartner,
} from './account-client.js';

const person = { ...personDossier, email: 'bo@example.com' } as const;

const site = sharedSite();
let api: AccountClient;

beforeEach(async () => {
  api = await newAccountClient(site);
});

test('a new account says all that is known of it, but of its tax id the end', async () => {
  const answer = await api.create({
    role: 'seller',
    entityType: 'business',
    externalId: 'seller 1/ü',
    email: 'Ana@Example.com',
    legalName: 'Lima Ltda',
    displayName: 'Lima',
    country: 'BR',
    taxId: '11.222.333/0001-81',
  });
  assert.equal(answer.status, 201);
  assert.match(String(answer.body['id']), /^acct_[0-9a-z]{26}$/);
  assert.deepEqual(answer.body, {
    id: answer.body['id'],
    externalId: 'seller 1/ü',
    role: 'seller',
    entityType: 'business',
    status: 'created',
    receiverId: null,
    email: 'Ana@Example.com',
    legalName: 'Lima Ltda',
    displayName: 'Lima',
    country: 'BR',
    locale: null,
    taxIdLast4: '0181',
    tosAccepted: false,
    payoutConfigured: false,
    payoutChangesAt: null,
    readyToCollect: false,
    requirements: { due: [], dueBy: null },
    approvedAt: null,
    rejectedAt: null,
    createdAt: answer.body['createdAt'],
    updatedAt: answer.body['createdAt'],
  });
  assert.deepEqual((await api.get(answer.body['id'])).body, answer.body);
  assert.deepEqual((await api.get(answer.body['id'], '/v1/accounts')).body, answer.body);
});

test('an externalId seen before answers with the account there is, on both paths', async () => {
  const first = await api.create({ role: 'seller', entityType: 'business', externalId: 'e' });
  assert.equal(first.headers['idempotent-replayed'], undefined);
  for (const path of [accountsPath, '/v1/accounts']) {
    const again = await api.create(
      { role: 'buyer', entityType: 'individual', externalId: 'e' },
      path,
    );
    assert.equal(again.status, 200);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.deepEqual(again.body, first.body);
  }
  assert.deepEqual(await api.events(), ['created']);
});

test('ext_ and the externalId name an account in every path of one', async () => {
  const externalId = 'NF-2026/0200';
  const { id } = (await api.create({ role: 'seller', entityType: 'business', externalId })).body;
  const named = `ext_${encodeURIComponent(externalId)}`;
  const call = (method: 'GET' | 'POST', step: string, body?: unknown) =>
    site.call(method, `${accountsPath}/${named}${step}`, { key: api.key, body });
  assert.equal((await call('GET', '')).body['id'], id);
  assert.equal((await call('GET', '/payout-changes')).status, 200);
  const upload = { kind: 'selfie', contentType: 'image/png' };
  const sent = [
    ['/onboarding-link', {}],
    ['/tos-session', { redirectUrl: 'https://erp.example/terms' }],
    ['/tos-accepted', { tosId: 'tos_1' }],
    ['/submit', sellerDossier],
    ['/payout-config', payoutConfig],
    ['/upload-url', upload],
  ] as const;
  for (const [step, body] of sent) {
    const { status, body: answer } = await call('POST', step, body);
    assert.equal(status, 200, `${step}: ${JSON.stringify(answer)}`);
  }
  assert.equal((await api.get('ext_another')).status, 404);
});

test('without an externalId every create is a new account', async () => {
  const ids = new Set<unknown>();
  for (let count = 0; count < 3; count += 1) {
    ids.add((await api.create({ role: 'seller', entityType: 'business' })).body['id']);
  }
  assert.equal(ids.size, 3);
});

test('creates that race on an externalId make one account, one 201, one event', async () => {
  const body = { role: 'seller', entityType: 'business', externalId: 'race' };
  const answers = await Promise.all(Array.from({ length: 30 }, () => api.create(body)));
  const statuses = answers.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [...Array.from({ length: 29 }, () => 200), 201]);
  assert.equal(new Set(answers.map(({ body: { id } }) => id)).size, 1);
  assert.deepEqual(await api.events(), ['created']);
});

test('terms: a session of this account first, then one tosId, which stays', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const early = await api.on(id, 'tos-accepted', { tosId: 'tos_1' });
  assert.equal(refusalOf(early), '400 TosSessionRequired');
  assert.equal(
    refusalOf(await api.submit(id, { ...sellerDossier, tosId: 'tos_1' })),
    '400 TosSessionRequired',
  );
  const redirectUrl = 'https://shop.example/terms?a=b';
  const session = await api.on(id, 'tos-session', { redirectUrl });
  assert.equal(session.status, 200);
  assert.deepEqual(Object.keys(session.body), ['url', 'idempotencyKey']);
  assert.match(String(session.body['idempotencyKey']), /^[0-9a-f]{32}$/);
  const back = new URL(String(session.body['url']));
  const tosId = back.searchParams.get('tos_id');
  assert.ok(tosId !== null && back.searchParams.get('a') === 'b');

  const accepted = await api.on(id, 'tos-accepted', { tosId });
  assert.equal(accepted.body['tosAccepted'], true);
  assert.deepEqual((await api.get(id)).body, accepted.body);
  assert.deepEqual((await api.on(id, 'tos-accepted', { tosId })).body, accepted.body);
  assert.equal(
    refusalOf(await api.on(id, 'tos-accepted', { tosId: 'tos_2' })),
    '400 TosIdMismatch',
  );
  const other = await api.submit(id, { ...sellerDossier, tosId: 'tos_2' });
  assert.equal(refusalOf(other), '400 TosIdMismatch');
  assert.equal((await api.submit(id, { ...sellerDossier, tosId })).body['status'], 'approved');
});

test('a tosId may come with the submit, after a session', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  await api.on(id, 'tos-session', { redirectUrl: 'https://shop.example' });
  const { body } = await api.submit(id, { ...sellerDossier, tosId: 'any' });
  assert.equal(body['status'], 'approved');
  assert.equal(body['tosAccepted'], true);
});

test('without terms a submit is taken if the partner allows it, else tosId lacks', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  await withPartner(site.world, { requirements: () => ['tosId', 'phone'] }, async () => {
    const refused = await api.submit(id, sellerDossier);
    assert.equal(refusalOf(refused), '400 ConnectedAccountMissingFields');
    assert.match(String(refused.body['message']), /: tosId, phone\./);
  });
  assert.equal((await api.submit(id, sellerDossier)).body['status'], 'approved');
  assert.equal((await api.get(id)).body['tosAccepted'], false);
});

test('a partner that cannot be asked for terms: 503, and nothing is recorded', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const failures: readonly SettlementPartner['startTos'][] = [
    async () => ({ outcome: 'unknown', reason: 'time-out' }),
    async () => ({ outcome: 'later', reason: 'down' }),
    async () => Promise.reject(new Error('broken')),
  ];
  for (const startTos of failures) {
    await withPartner(site.world, { startTos }, async () => {
      const answer = await api.on(id, 'tos-session', { redirectUrl: 'https://shop.example' });
      assert.equal(refusalOf(answer), '503 PartnerUnavailable');
    });
  }
  const early = await api.on(id, 'tos-accepted', { tosId: 'tos_1' });
  assert.equal(refusalOf(early), '400 TosSessionRequired');
});

test('a submit names every path that is missing, those of owners too', async () => {
  const { id } = (await api.create({ role: 'buyer', entityType: 'business', country: 'US' })).body;
  const owner = { ...person, role: 'beneficial_owner', city: 'Austin' };
  const answer = await api.submit(id, { legalName: 'Ek Inc.', owners: [owner] });
  assert.equal(refusalOf(answer), '400 ConnectedAccountMissingFields');
  const paths = /: ([^:]*)\. Send/.exec(String(answer.body['message']))?.[1]?.split(', ');
  assert.deepEqual(paths, [
    'formationDate',
    'taxId',
    'website',
    'addressLine1',
    'city',
    'stateProvinceRegion',
    'postalCode',
    'incorporationDocFile',
    'proofOfOwnershipDocFile',
    'owners[0].taxId',
    'owners[0].addressLine1',
    'owners[0].stateProvinceRegion',
    'owners[0].postalCode',
    'owners[0].country',
    'owners[0].proofOfAddressDocType',
    'owners[0].proofOfAddressDocFile',
  ]);
  assert.equal((await api.get(id)).body['status'], 'created');
});

test('fields of the create need not be repeated; the last value counts', async () => {
  const fields = { email: 'ana@example.com', legalName: 'Lima Ltda', country: 'BR' };
  const account = { role: 'seller', entityType: 'business', ...fields };
  const { id } = (await api.create(account)).body;
  const { body } = await api.submit(id, {
    cnpj: sellerDossier.cnpj,
    legalName: 'Lima e Filhos Ltda',
  });
  const { email, legalName, country, taxIdLast4, status } = body;
  assert.deepEqual(
    { email, legalName, country, taxIdLast4, status },
    { ...fields, legalName: 'Lima e Filhos Ltda', taxIdLast4: '0181', status: 'approved' },
  );
});

test('malformed fields are refused with their path, for every role', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const wrong: readonly (readonly [Json, RegExp])[] = [
    [{ cnpj: '11.222.333/0001-82' }, /^cnpj: /],
    [{ cnpj: '1122233300018' }, /^cnpj: /],
    [{ email: 'ana' }, /^email: /],
    [{ dateOfBirth: '1990-02-30' }, /^dateOfBirth: /],
    [{ dateOfBirth: '28/02/1990' }, /^dateOfBirth: /],
    [{ country: 'BRA' }, /^country: /],
    [{ idDocType: 'passport' }, /^idDocType: /],
    [{ selfieFile: 'ftp://files.example/a' }, /^selfieFile: /],
    [{ selfieFile: 'http://files.example/a' }, /^selfieFile: /],
    [{ owners: [] }, /^owners: /],
    [{ owners: Array.from({ length: 11 }, () => ({})) }, /^owners: /],
    [{ owners: [{ selfieFile: 'http://files.example/a' }] }, /^owners\[0\]\.selfieFile: /],
    [{ owners: [{ taxType: 'EIN' }] }, /^owners\[0\]\.taxType: /],
    [{ kycTier: 'enhanced' }, /^kycTier: /],
    [{ kycTier: 'none' }, /^kycTier: /],
  ];
  for (const [fields, message] of wrong) {
    const answer = await api.submit(id, { ...sellerDossier, ...fields });
    assert.equal(refusalOf(answer), '400 ValidationError', JSON.stringify(fields));
    assert.match(String(answer.body['message']), message);
  }
  assert.equal((await api.get(id)).body['status'], 'created');
});

test('the alphanumeric company number of 2026 is taken', async () => {
  const { id } = (await api.create({ role: 'seller', entityType: 'business' })).body;
  const { body } = await api.submit(id, { ...sellerDossier, cnpj: '12.ABC.345/01DE-35' });
  assert.equal(body['status'], 'approved');
});
