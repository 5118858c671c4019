// Creates that are repeated with another body: the answer is what is stored, and names the fields
// in which the body differs from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '../../../adapters/http/docs/openapi.js';
import { routes } from '../../../adapters/http/routes.js';
import { fakeNotes } from '../../../adapters/partner/fake.js';
import type { Tenant } from '../../../core/domain/base/tenant.js';
import { storeAttachment } from '../../../core/usecases/parties/attachments.js';
import { chunks } from '../../contract/document-storage.js';
import { sharedSite } from './checked-site.js';
import { createBody } from './docs/example-calls.js';
import { readySeller } from './resources/account-calls.js';

let tenant: Tenant;
let key: string;
let seller: string;

const site = sharedSite(async () => {
  tenant = { orgId: await site.world.organization(), mode: 'test' };
  key = await site.world.key(tenant.orgId);
  seller = `${(await readySeller(site.world, tenant)).externalId}`;
});

const creates = ['/v1/payment-intents', '/v1/payments', '/v1/invoices'] as const;

async function create(path: string, body: unknown, idempotencyKey: string | null = null) {
  const headers = { 'idempotency-key': idempotencyKey };
  const answer = await site.call('POST', path, { key, body, headers });
  return { ...answer, mismatch: answer.headers['idempotent-mismatch'] };
}

/** Every field that all creates take. */
function wholeBody() {
  return {
    ...createBody(),
    currency: 'EUR',
    buyer: { email: 'ana@example.com', name: 'Ana', country: 'PT', phone: '+351 1' },
    returnUrl: 'https://shop.example/done',
    display: { title: 'Command' },
    metadata: { order: 1 },
    expiresAt: '2031-01-31T12:00:00Z',
    purpose: 'goods',
    purchaseOrder: 'PO-4711',
    buyerReference: 'KST 300',
    payerRelation: 'unrelated',
    fiscalDocument: { kind: 'other', number: '7', issuedOn: '2030-12-31' },
    bookedRate: '5.4321',
    sellerExternalId: seller,
  };
}

const other = {
  externalId: 'another',
  amount: '99',
  currency: 'GBP',
  buyer: { email: 'bea@example.com', name: 'Bea', country: 'DE', phone: '+49 1' },
  returnUrl: 'https://shop.example/other',
  display: { title: 'Other' },
  metadata: { order: 2 },
  expiresAt: '2032-01-31T12:00:00Z',
  purpose: 'royalties',
  purchaseOrder: 'PO-4712',
  buyerReference: 'KST 301',
  payerRelation: 'subsidiary',
  fiscalDocument: { kind: 'other', number: '8', issuedOn: '2030-12-31' },
  bookedRate: '5.4322',
  sellerExternalId: 'other',
} as const;

test('the same body again has no mismatch, however it is spelled', async () => {
  for (const path of creates) {
    const body = wholeBody();
    const first = await create(path, body, `same ${path}`);
    assert.deepEqual([first.status, first.mismatch], [201, undefined]);
    const respelled = {
      ...body,
      amount: '01250.0',
      buyer: { ...body.buyer, email: 'ANA@example.com' },
      expiresAt: '2031-01-31T09:00:00-03:00',
    };
    for (const again of [body, respelled]) {
      for (const by of [`same ${path}`, `new ${path}`, null]) {
        const answer = await create(path, again, by);
        assert.deepEqual([answer.status, answer.mismatch], [200, undefined]);
        assert.deepEqual(answer.body, first.body);
      }
    }
  }
});

test('a repeat by key names each field that differs, and each alone', async () => {
  for (const path of creates) {
    const body = wholeBody();
    const first = await create(path, body, `by key ${path}`);
    for (const [name, value] of Object.entries(other)) {
      const answer = await create(path, { ...body, [name]: value }, `by key ${path}`);
      const parts = Object.keys(name === 'buyer' ? other.buyer : {}).map((part) => `buyer.${part}`);
      assert.equal(answer.mismatch, parts.length === 0 ? name : parts.join(', '), path);
      assert.deepEqual([answer.status, answer.body], [200, first.body]);
    }
  }
});

test('fields are named in the order of the description; a default and a field left out count', async () => {
  const path = '/v1/invoices';
  const attachmentDocumentId = await newAttachment();
  const numbered = { number: 'A-1', dueDate: '2031-01-31', attachmentDocumentId };
  const whole = { ...wholeBody(), ...numbered };
  assert.equal((await create(path, whole, 'order')).status, 201);
  const bare = { amount: '20', buyer: { email: 'bea@example.com' } };
  const { components } = openApiDocument(routes, fakeNotes) as {
    readonly components: {
      readonly schemas: Readonly<Record<string, { readonly properties: object }>>;
    };
  };
  const described = Object.keys(components.schemas['CreateInvoice']?.properties ?? {});
  const named = Object.keys({ ...other, ...numbered });
  assert.deepEqual(described.toSorted(), named.toSorted());
  const expected = described.flatMap((name) =>
    name === 'buyer' ? Object.keys(other.buyer).map((part) => `buyer.${part}`) : [name],
  );
  assert.equal((await create(path, bare, 'order')).mismatch, expected.join(', '));
});

async function newAttachment(): Promise<string> {
  const { deps } = site.world;
  const file = { memberId: 'mem_1', fileName: 'a.pdf', bytes: chunks('%PDF-1.7 an invoice') };
  const stored = await storeAttachment(deps, tenant, file);
  return typeof stored === 'string' ? assert.fail(stored) : stored.documentId;
}

test('a repeat by externalId names what differs, and both are logged as a warning', async () => {
  const body = createBody();
  const first = await create('/v1/payment-intents', body);
  const before = site.world.log.length;
  const answer = await create('/v1/payment-intents', { ...body, amount: '20', metadata: { a: 1 } });
  assert.equal(answer.mismatch, 'amount, metadata');
  const warned = site.world.log.slice(before).filter(({ level }) => level === 'warn');
  const fields = { paymentId: first.body['id'], fields: ['amount', 'metadata'] };
  assert.deepEqual(warned, [{ level: 'warn', message: 'a repeated create differs', fields }]);
});

test('a repeated create of a connected account names the fields that differ', async () => {
  const path = '/v1/connected-accounts';
  const body = {
    role: 'seller',
    entityType: 'business',
    externalId: 'again',
    email: 'shop@example.com',
    legalName: 'Loja Ltda',
    displayName: 'Loja',
    country: 'BR',
    taxId: '11222333000181',
  };
  assert.equal((await create(path, body)).status, 201);
  assert.equal((await create(path, body)).mismatch, undefined);
  const { role, entityType, externalId, ...rest } = body;
  assert.equal((await create(path, { role, entityType, externalId })).mismatch, undefined);
  const names = Object.keys({ role, entityType, ...rest });
  const changed = Object.fromEntries(Object.keys(rest).map((name) => [name, 'ZZ']));
  const before = site.world.log.length;
  const differing = { ...body, ...changed, email: 'b@example.com' };
  const answer = await create(path, { ...differing, role: 'buyer', entityType: 'individual' });
  assert.equal(answer.mismatch, names.join(', '));
  const [warned] = site.world.log.slice(before).filter(({ level }) => level === 'warn');
  assert.ok(!JSON.stringify(warned).includes('ZZ'), 'names, not values');
});
