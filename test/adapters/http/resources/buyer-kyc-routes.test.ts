// A buyer's KYC over HTTP: what a body may say, what is answered, and to whom.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { redeemLink } from '../../../../core/usecases/hosted/sign-ins.js';
import { changedPartner } from '../../../support/partners/changed-partner.js';
import { owner } from '../../../support/samples/dossiers.js';
import { refusalOf, sharedSite } from '../checked-site.js';
import { businessBody, hostedBody, individualBody } from './buyer-calls.js';

let tenant: Tenant;
let key: string;

const site = sharedSite(async () => {
  tenant = await site.world.newTenant();
  key = await site.world.key(tenant.orgId);
});

function noting<T, R>(noted: unknown[], call: (input: T) => R): (input: T) => R {
  return (input) => {
    noted.push(input);
    return call(input);
  };
}

function start(body: unknown, by = key) {
  return site.call('POST', '/v1/buyer-kyc', { key: by, body });
}

test('the answer is 201 always, and has exactly the properties of a submission', async () => {
  for (const body of [individualBody(), businessBody(), hostedBody()]) {
    for (let again = 0; again < 2; again += 1) {
      const answer = await start(body);
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(Object.keys(answer.body), [
        'id',
        'buyerId',
        'receiverId',
        'status',
        'hostedFlowUrl',
        'submittedAt',
        'approvedAt',
        'rejectedAt',
      ]);
      assert.match(String(answer.body['id']), /^kyc_/);
      assert.match(String(answer.body['buyerId']), /^byr_/);
      assert.match(String(answer.body['receiverId']), /^rcv_/);
    }
  }
});

test('a dossier is verifying, then as the partner decides, under the same submission', async () => {
  for (const [firstName, decision] of [
    ['Ana', 'approved'],
    ['Fail', 'rejected'],
  ] as const) {
    const body = { ...individualBody(), firstName };
    const first = (await start(body)).body;
    assert.deepEqual(
      [first['status'], first['hostedFlowUrl'], first['approvedAt'], first['rejectedAt']],
      ['verifying', null, null, null],
    );
    await site.world.settle();
    const again = (await start({ buyerEmail: body.buyerEmail })).body;
    const isApproved = decision === 'approved';
    assert.equal(again['id'] === first['id'], isApproved, 'a rejected one is begun afresh');
    assert.equal(again['status'], isApproved ? 'approved' : 'verifying');
    assert.equal(again['hostedFlowUrl'] === null, isApproved);
    assert.equal(again['approvedAt'] !== null, isApproved);
  }
});

test('white space around an address reaches neither the partner nor a mail', async () => {
  const { deps } = site.world;
  const inputs: unknown[] = [];
  const partner = { ...site.world.partner };
  const prepare = noting(inputs, partner.party.prepare);
  const noted = changedPartner(partner, { party: { prepare } });
  Object.assign(deps, { partners: { ...deps.partners, test: noted } });
  const seller = { role: 'seller', entityType: 'business', email: ' s@acme.example\n' };
  const account = await site.call('POST', '/v1/accounts', { key, body: seller });
  const dossier = { legalName: 'Acme', cnpj: '11.222.333/0001-81' };
  const path = `/v1/accounts/${account.body['id']}/submit`;
  const submitted = await site.call('POST', path, { key, body: dossier });
  assert.equal(submitted.body['email'], 's@acme.example');
  await start({ ...individualBody(), buyerEmail: ' Padded@b.co\r\n' });
  Object.assign(deps, { partners: { ...deps.partners, test: partner } });
  assert.deepEqual(
    inputs.map((input) => (input as { readonly email: string }).email),
    ['s@acme.example', 'Padded@b.co'],
  );
  const body = { amount: '10.00', buyer: { email: '\tpadded@b.co ' } };
  const invoice = await site.call('POST', '/v1/invoices', { key, body });
  await site.call('POST', `/v1/invoices/${invoice.body['id']}/invite-buyer`, { key, body: {} });
  await site.world.settle();
  assert.equal(site.world.mails.at(-1)?.to, 'padded@b.co');
});

test('without entityType the answer leads to the hosted form, the same each time', async () => {
  const body = hostedBody();
  const [first, again] = [await start(body), await start({ ...body, phone: '+351 1' })];
  assert.equal(first.body['status'], 'verifying');
  assert.match(
    String(first.body['hostedFlowUrl']),
    /^https:\/\/pay\.example\.com\/kyc\/[a-z0-9]{28}$/,
  );
  assert.deepEqual(again.body, first.body);
  const submitted = await start({ ...individualBody(), ...body });
  assert.deepEqual(
    [submitted.body['id'], submitted.body['status'], submitted.body['hostedFlowUrl']],
    [first.body['id'], 'verifying', null],
  );
});

test('hostedFlowUrl grants nothing without the magic link', async () => {
  const { body } = await start(hostedBody());
  const { pathname } = new URL(String(body['hostedFlowUrl']));
  const flowId = pathname.split('/').at(-1) ?? '';
  // The hosted form reveals nothing, and does not open what a mailed link opens.
  for (const method of ['GET', 'POST'] as const) {
    const [known, unknown] = await Promise.all(
      [pathname, `/kyc/${'x'.repeat(flowId.length)}`].map((path) => site.call(method, path, {})),
    );
    assert.equal(known?.status, 404);
    assert.deepEqual(known?.body, unknown?.body);
  }
  const redeemed = redeemLink(site.world.deps, { kind: 'form', flowId }, flowId, 'en');
  await assert.rejects(redeemed, { code: 'InvalidSignInLink' });
});

test('properties that the interface does not name are refused with their paths', async () => {
  const strange = { ...businessBody(), nickname: 'x', owners: [owner, { ...owner, age: 7 }] };
  const answer = await start(strange);
  assert.equal(refusalOf(answer), '400 ValidationError');
  const message = String(answer.body['message']);
  assert.match(message, /\bnickname: unknown property/);
  assert.match(message, /\bowners\[1\]\.age: unknown property/);
  // Properties of connected accounts only.
  for (const name of ['cnpj', 'email', 'country', 'metadata', 'ownerIndex']) {
    const refused = await start({ ...individualBody(), [name]: '11222333000181' });
    assert.equal(refusalOf(refused), '400 ValidationError', name);
    assert.match(String(refused.body['message']), new RegExp(`\\b${name}: unknown property`));
  }
});

const wrong: Readonly<Record<string, readonly unknown[]>> = {
  entityType: ['person', 1],
  buyerEmail: [undefined, null, '', 'ana', 'ana@', 7],
  buyerName: ['', 'a'.repeat(201)],
  buyerCountry: ['P', 'PRT', 7],
  phone: ['12', '1'.repeat(33)],
  invoiceId: [''],
  tosId: [''],
  kycTier: ['basic'],
  firstName: ['', 'a'.repeat(101)],
  lastName: ['', 'a'.repeat(101)],
  dateOfBirth: [19_900_131],
  taxId: ['', '1'.repeat(65)],
  addressLine1: ['', 'a'.repeat(201)],
  addressLine2: ['a'.repeat(201)],
  city: ['', 'a'.repeat(121)],
  stateProvinceRegion: ['', 'a'.repeat(121)],
  postalCode: ['', '1'.repeat(33)],
  idDocCountry: ['P', 'PRT'],
  idDocType: ['passport', 'VISA'],
  idDocNumber: ['', '1'.repeat(65)],
  selfieFile: ['selfie.png', 'ftp://a.example/b', 'http://a.example/b'],
  idDocFrontFile: ['x', 'http://a.example/b'],
  idDocBackFile: ['x', 'http://a.example/b'],
  legalName: ['', 'a'.repeat(201)],
  formationDate: [7],
  website: ['acme', 'acme.example', '//acme.example', 'https:', 'https://a b', 7],
  incorporationDocFile: ['x'],
  proofOfOwnershipDocFile: ['x'],
  proofOfAddressDocType: ['BILL'],
  proofOfAddressDocFile: ['x', 'http://a.example/b'],
  owners: [[], {}, [1], Array(11).fill(owner)],
};

test('each field has the form that the interface gives it', async () => {
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const answer = await start({ ...individualBody(), [name]: value });
      const request = `${name}: ${JSON.stringify(value)?.slice(0, 40)}: ${answer.text}`;
      assert.equal(refusalOf(answer), '400 ValidationError', request);
      assert.match(String(answer.body['message']), new RegExp(`\\b${name}\\b`), request);
    }
  }
});

/** Where the interface gives a field no bounds, it has none here. */
const taken: Readonly<Record<string, readonly unknown[]>> = {
  dateOfBirth: ['31 Jan 1990', '31.01.1990', '1990-13-01', '1990-01-31T00:00:00Z', 'x'.repeat(999)],
  tosId: ['t', 'x'.repeat(10_000)],
  formationDate: ['2001', 'spring of 2001', 'x'.repeat(999)],
  website: [
    'http://acme.example',
    'HTTPS://ACME.example',
    'ftp://acme.example',
    'urn:acme:1',
    'mailto:info@acme.example',
    `https://acme.example/${'x'.repeat(4_000)}`,
  ],
  selfieFile: [`https://files.example/selfie.jpg?token=${'x'.repeat(4_000)}`],
  phone: ['123', '1'.repeat(32)],
  addressLine2: ['', 'a'.repeat(200)],
  taxId: ['1'.repeat(64)],
  idDocCountry: ['PT', 'pt', '??'],
};

test('what the interface leaves open is taken, by any partner that does not refuse it', async () => {
  for (const [name, values] of Object.entries(taken)) {
    for (const value of values) {
      const answer = await start({ ...individualBody(), [name]: value });
      assert.equal(answer.status, 201, `${name}: ${String(value).slice(0, 40)}: ${answer.text}`);
    }
  }
  const long = { ...individualBody(), invoiceId: 'x'.repeat(500) };
  assert.equal(refusalOf(await start(long)), '404 NotFound');
});

test('what the partner cannot take is refused with its words, and nothing is started', async () => {
  const { deps, partner } = site.world;
  const message = 'dateOfBirth: send a date as YYYY-MM-DD';
  const prepare = async () => ({ outcome: 'refused', code: 'date', message }) as const;
  const refusing = changedPartner(partner, { party: { prepare } });
  const body = { ...individualBody(), dateOfBirth: '31 Jan 1990' };
  Object.assign(deps, { partners: { ...deps.partners, test: refusing } });
  const answer = await start(body);
  Object.assign(deps, { partners: { ...deps.partners, test: partner } });
  assert.equal(refusalOf(answer), '400 ValidationError');
  assert.equal(answer.body['message'], message);
  const again = await start({ buyerEmail: body.buyerEmail });
  assert.notEqual(again.body['hostedFlowUrl'], null, 'it still awaits a dossier');
});

test('a field that says nothing is missing', async () => {
  for (const blank of ['', ' \t']) {
    const answer = await start({ ...individualBody(), dateOfBirth: blank });
    assert.equal(refusalOf(answer), '400 TosIdMismatch');
    assert.match(String(answer.body['message']), /lacks: dateOfBirth\./);
  }
});

test('an owner has a required field for each that the interface names, in its form', async () => {
  const required = Object.keys(owner);
  assert.equal(required.length, 16);
  for (const name of required) {
    for (const value of [undefined, null]) {
      const answer = await start({ ...businessBody(), owners: [{ ...owner, [name]: value }] });
      assert.equal(refusalOf(answer), '400 ValidationError', name);
      assert.match(String(answer.body['message']), new RegExp(`\\bowners\\[0\\]\\.${name}:`));
    }
  }
  const optional = { taxType: 'SSN', phone: '+49 1', idDocNumber: 'X1', addressLine2: '' };
  const day = { dateOfBirth: '1990-02-30' };
  const all = { ...owner, ...optional, ...day, idDocBackFile: 'https://files.example/back.jpg' };
  assert.equal((await start({ ...businessBody(), owners: Array(10).fill(all) })).status, 201);
  for (const [name, value] of [
    ['role', 'owner'],
    ['taxType', 'EIN'],
    ['dateOfBirth', '90-01-31'],
    ['dateOfBirth', '31 Jan 1990'],
    ['dateOfBirth', '1990-01-31 '],
    ['country', 'Germany'],
  ]) {
    const answer = await start({ ...businessBody(), owners: [{ ...owner, [`${name}`]: value }] });
    assert.equal(refusalOf(answer), '400 ValidationError', `${name}`);
  }
});

test('what is missing for the entityType: 400 TosIdMismatch naming the paths', async () => {
  const cases = [
    [{ ...hostedBody(), entityType: 'individual' }, /firstName, lastName, dateOfBirth/],
    [{ ...businessBody(), buyerCountry: null, owners: null }, /lacks: buyerCountry, owners\./],
  ] as const;
  for (const [body, pattern] of cases) {
    const answer = await start(body);
    assert.equal(refusalOf(answer), '400 TosIdMismatch');
    assert.match(String(answer.body['message']), pattern);
  }
});

test('another tosId than the recorded one: 400 TosIdMismatch', async () => {
  const body = { ...individualBody(), tosId: 'tos_1' };
  assert.equal((await start(body)).status, 201);
  assert.equal(refusalOf(await start({ ...body, tosId: 'tos_2' })), '400 TosIdMismatch');
  assert.equal((await start(body)).status, 201);
});

test('enhanced is for individuals: 400 ValidationError for a business', async () => {
  const answer = await start({ ...businessBody(), kycTier: 'enhanced' });
  assert.equal(refusalOf(answer), '400 ValidationError');
  assert.match(String(answer.body['message']), /^kycTier: /);
  assert.equal((await start({ ...individualBody(), kycTier: 'enhanced' })).status, 201);
});

test('nothing of another tenant’s submission is shown', async () => {
  const stranger = await site.world.key(await site.world.organization());
  const body = individualBody();
  const theirs = await start({ ...body, tosId: 'tos_theirs' }, stranger);
  await site.world.settle();
  const payment = await site.call('POST', '/v1/payment-intents', {
    key,
    body: { externalId: 'shared', amount: '20.00', buyer: { email: body.buyerEmail } },
  });
  assert.equal((payment.body['buyer'] as { kycStatus: string }).kycStatus, 'not_started');
  const ours = await start({ ...body, tosId: 'tos_ours' });
  assert.equal(ours.status, 201);
  assert.equal(ours.body['status'], 'verifying');
  assert.notEqual(ours.body['id'], theirs.body['id']);
  assert.notEqual(ours.body['receiverId'], theirs.body['receiverId']);
});

test('test and live buyers are two', async () => {
  const live = await site.world.key(tenant.orgId, { mode: 'live' });
  const body = hostedBody();
  const [one, other] = [await start(body), await start(body, live)];
  assert.equal(other.status, 201);
  assert.notEqual(one.body['buyerId'], other.body['buyerId']);
});
