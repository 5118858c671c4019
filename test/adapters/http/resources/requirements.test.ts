// What the partner wants of a party, through the API: due, answered, announced. The name More of
// test mode causes it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ana } from '../../../support/samples/dossiers.js';
import type { Json } from '../../../support/servers/json-call.js';
import { openSite } from '../checked-site.js';
import { sellerDossier } from './account-calls.js';

const site = await openSite();
after(() => site.close());
const tenant = await site.world.newTenant();
const key = await site.world.key(tenant.orgId);

async function call(method: 'GET' | 'POST', path: string, body?: Json): Promise<Json> {
  const answer = await site.call(method, path, body === undefined ? { key } : { key, body });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}

const due = [
  {
    field: 'addressLine1',
    reason: 'The address is not the registered one. Correct it.',
  },
];

test('an account shows what is due, is not ready, and is approved once it is answered', async () => {
  const made = await call('POST', '/v1/accounts', { role: 'seller', entityType: 'business' });
  const path = `/v1/accounts/${made['id']}`;
  assert.deepEqual(made['requirements'], { due: [], dueBy: null });
  const dossier = { ...sellerDossier, legalName: 'More' };
  const asked = await call('POST', `${path}/submit`, dossier);
  assert.equal(asked['status'], 'verifying');
  assert.deepEqual(asked['requirements'], { due, dueBy: '2030-01-28T00:00:00.000Z' });
  // A repeat of the dossier answers nothing.
  assert.deepEqual(await call('POST', `${path}/submit`, dossier), asked);
  const answered = await call('POST', `${path}/submit`, { addressLine1: 'Rua 1' });
  assert.deepEqual(
    [answered['status'], answered['legalName'], answered['requirements']],
    ['approved', 'More', { due: [], dueBy: null }],
  );
  await site.world.settle();
  const { data } = await call('GET', '/v1/events?limit=100');
  const events = (data as readonly Json[])
    .filter((event) => (event['data'] as Json)['connectedAccountId'] === made['id'])
    .map(({ event }) => event);
  assert.deepEqual(
    events,
    ['created', 'requirements_due', 'kyb_approved'].map((name) => `connected_account.${name}`),
  );
});

test('a buyer of the API is asked and answers; another tenant reads nothing of it', async () => {
  const start = { entityType: 'individual', buyerEmail: 'more@example.com' };
  const kyc = await call('POST', '/v1/buyer-kyc', { ...start, ...ana, firstName: 'More' });
  await site.world.settle();
  const path = `/v1/buyer-kyc/${kyc['buyerId']}/requirements`;
  const asked = await call('GET', path);
  assert.deepEqual(asked['due'], due);
  const other = await site.world.newTenant();
  const stranger = await site.call('GET', path, { key: await site.world.key(other.orgId) });
  assert.equal(stranger.status, 404);
  const incomplete = await site.call('POST', '/v1/buyer-kyc', {
    key,
    body: { ...start, city: 'X' },
  });
  assert.deepEqual([incomplete.status, incomplete.body['error']], [400, 'TosIdMismatch']);
  await call('POST', '/v1/buyer-kyc', { ...start, addressLine1: 'Rua 1' });
  await site.world.settle();
  assert.deepEqual(await call('GET', path), { due: [], dueBy: null });
  const { status } = await call('POST', '/v1/buyer-kyc', start);
  assert.equal(status, 'approved');
});

test('answers are texts under keys, and few', async () => {
  const made = await call('POST', '/v1/accounts', { role: 'seller', entityType: 'business' });
  const path = `/v1/accounts/${made['id']}/submit`;
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'x']));
  for (const answers of [{ a: 1 }, { a: '' }, [], 'x', many]) {
    const { status, body } = await site.call('POST', path, { key, body: { answers } });
    assert.deepEqual([status, body['error']], [400, 'ValidationError'], JSON.stringify(answers));
  }
});
