// The description: complete, consistent in itself, and served once built.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRoutes, openApiDocument } from '../../../../adapters/http/docs/openapi.js';
import { routes } from '../../../../adapters/http/routes.js';
import { fakeNotes } from '../../../../adapters/partner/fake.js';
import { eventTypes } from '../../../../core/domain/payments/event.js';
import { catalogue } from '../../../../core/errors.js';
import type { Json } from '../../../support/servers/json-call.js';
import { valuesOf } from '../../../support/values-of.js';
import { checkedSite } from '../checked-site.js';

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security: readonly Json[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: Json;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly description?: string };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const document = openApiDocument(routes, fakeNotes) as {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

test('it is OpenAPI 3.1 and reports itself as version 1.0.0', () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.info.version, '1.0.0');
});

test('every operation of the table is in it, under a unique id', () => {
  const rows = routes.flatMap((route) =>
    Object.entries(route.operations).map(([id, path]) => `${id} ${route.method} ${path}`),
  );
  const described = operations.map(
    ({ path, method, operation }) => `${operation.operationId} ${method.toUpperCase()} ${path}`,
  );
  assert.deepEqual(described.toSorted(), rows.toSorted());
  const webhooks = Object.values(document.webhooks).map(({ post }) => post.operationId);
  const ids = [...operations.map(({ operation }) => operation.operationId), ...webhooks];
  assert.equal(new Set(ids).size, ids.length);
});

test('each parameter says what it is, and none may be null', () => {
  for (const { operation } of operations) {
    for (const { name, description = '', schema } of operation.parameters) {
      const label = `${operation.operationId} ${name}`;
      assert.notEqual(description, '', label);
      assert.doesNotMatch(JSON.stringify(schema), /"type":"null"/, label);
    }
  }
});

test('every path parameter is described, and every reference leads somewhere', () => {
  for (const { path, operation } of operations) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = operation.parameters.filter((parameter) => parameter.in === 'path');
    assert.deepEqual(valuesOf(described, 'name'), named, path);
  }
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)];
  assert.ok(references.length > 100);
  for (const [, reference = ''] of references) {
    const steps = reference.split('/');
    assert.equal(steps.shift(), '#');
    let at: unknown = document;
    for (const step of steps) at = (at as Json)[step];
    assert.ok(at !== undefined, reference);
  }
});

test('a JSON body is required, because its content type is; an empty one says what to send', () => {
  for (const { path, method, operation } of operations) {
    assert.equal(operation.requestBody?.required ?? false, /post|put|patch/.test(method), path);
  }
  const { requestBody } = document.paths['/v1/invoices/{id}/approve']?.['post'] ?? {};
  assert.match(requestBody?.description ?? '', /`Content-Type: application\/json`/);
});

test('each refusal of a row is under its status, with 403 if it needs a scope', () => {
  for (const { path, operation } of operations) {
    for (const [status, { description }] of Object.entries(operation.responses)) {
      for (const [, code = ''] of description.matchAll(/^`(\w+)`: /gm)) {
        assert.equal(`${catalogue[code as keyof typeof catalogue].status}`, status, path);
      }
    }
    const scoped = /Scope: `/.test(operation.description ?? '');
    assert.equal(Object.hasOwn(operation.responses, '403'), scoped, path);
  }
});

test('an operation says which scopes it takes, and for which payments', () => {
  const texts = new Map(operations.map(({ operation }) => [operation.operationId, operation]));
  const described = (id: string) => texts.get(id)?.description;
  assert.equal(described('listInvoices'), 'Scope: `invoices:read`.');
  assert.equal(
    described('cancelPayment'),
    'Scope: `payment_intents:write` for a payment intent, `invoices:write` for an invoice.',
  );
  assert.equal(
    described('startBuyerKyc'),
    'Scope: `connected_accounts:write` or `payment_intents:write`.',
  );
  assert.equal(described('switchMode'), undefined);
});

test('the signature header and the test values are those of the partner', () => {
  const other = openApiDocument(routes, {
    signatureHeader: 'x-other-signature',
    testValues: [{ where: 'an amount of', value: '7.00', means: 'the pay-in fails' }],
  });
  const text = JSON.stringify(other);
  assert.ok(text.includes('"name":"x-other-signature"'));
  assert.ok(text.includes('| an amount of `7.00` | the pay-in fails |'));
  assert.ok(!/svix-signature|`\.55`/.test(text));
});

test('every event type has its webhook', () => {
  assert.deepEqual(Object.keys(document.webhooks), eventTypes.toSorted());
});

test('answers may gain properties; only what the interface closes is closed', () => {
  const closed = Object.entries(document.components.schemas)
    .filter(([, schema]) => JSON.stringify(schema).includes('"additionalProperties":false'))
    .map(([id]) => id);
  assert.deepEqual(closed.toSorted(), ['BuyerBeneficialOwner', 'BuyerKyc', 'StartBuyerKyc']);
});

test('it is the same text each time, served with a tag that saves sending it again', async (t) => {
  assert.deepEqual(describeRoutes(routes, fakeNotes), describeRoutes(routes, fakeNotes));
  const site = await checkedSite(t);
  const first = await site.call('GET', '/docs-json');
  const { baseUrl } = site.world.deps.settings;
  assert.deepEqual(first.body, JSON.parse(describeRoutes(routes, fakeNotes, baseUrl).body.text));
  // Clients that are made from the description take it as their base.
  assert.match(baseUrl, /^https?:/);
  assert.deepEqual(first.body['servers'], [{ url: baseUrl }]);
  const headers = { 'if-none-match': first.headers['etag'] ?? '' };
  const again = await site.call('GET', '/docs-json', { headers });
  assert.equal(again.status, 304);
  assert.equal(again.text, '');
  assert.equal(again.headers['etag'], first.headers['etag']);
  const other = await site.call('GET', '/docs-json', { headers: { 'if-none-match': '"x"' } });
  assert.equal(other.status, 200);
});

test('files of the documentation are packed for clients that read gzip only', async (t) => {
  const site = await checkedSite(t);
  const origin = `http://127.0.0.1:${site.port}`;
  const page = await (await fetch(`${origin}/docs`)).text();
  const links = [...page.matchAll(/(?:href|src)="([^"]*assets\/[^"]+)"/g)];
  const paths = new Set(links.map(([, link = '']) => new URL(link, `${origin}/docs`).pathname));
  assert.ok(paths.size > 2, page.slice(0, 2_000));
  for (const path of paths) {
    const read = async (accepted: string) => {
      const answer = await fetch(`${origin}${path}`, { headers: { 'accept-encoding': accepted } });
      assert.equal(answer.headers.get('vary'), 'Accept-Encoding', path);
      return { coding: answer.headers.get('content-encoding'), text: await answer.text() };
    };
    const packed = await read('gzip');
    assert.equal(packed.coding, 'gzip');
    for (const accepted of ['identity', 'gzip;q=0', 'br', '*;q=0']) {
      assert.deepEqual(await read(accepted), { coding: null, text: packed.text }, path);
    }
  }
});

test('it is packed for clients that read gzip, and says that it depends on that', async (t) => {
  const site = await checkedSite(t);
  const sizeFor = async (encoding: string) => {
    const sent = { headers: { 'accept-encoding': encoding } };
    const { headers } = await fetch(`http://127.0.0.1:${site.port}/docs-json`, sent);
    assert.equal(headers.get('vary'), 'Accept-Encoding', encoding);
    const isPacked = headers.get('content-encoding') === 'gzip';
    return { isPacked, bytes: Number(headers.get('content-length')) };
  };
  const plain = await sizeFor('identity');
  assert.equal(plain.isPacked, false);
  for (const encoding of ['gzip', 'br, gzip;q=0.5', '*', 'GZIP']) {
    const { isPacked, bytes } = await sizeFor(encoding);
    assert.ok(isPacked && bytes < plain.bytes / 4, `${encoding}: ${bytes}`);
  }
  for (const encoding of ['br', 'gzip;q=0', '*, gzip; q=0.000', 'x-gzip', '']) {
    assert.equal((await sizeFor(encoding)).isPacked, false, encoding);
  }
});
