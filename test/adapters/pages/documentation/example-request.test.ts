// One request, written in four languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  languages,
  parseRequest,
} from '../../../../adapters/pages/documentation/example-request.js';

const text = `POST /v1/things?a=b
Idempotency-Key: order-7

{ "name": "São 'João' $x \\"y\\"", "on": true, "none": null, "list": [1], "empty": {} }`;
const baseUrl = 'https://api.example.com';
const request = parseRequest(text);

test('a fenced request is its method, path, headers and body', () => {
  assert.deepEqual(request, {
    method: 'POST',
    path: '/v1/things?a=b',
    headers: { 'Idempotency-Key': 'order-7' },
    body: { name: 'São \'João\' $x "y"', on: true, none: null, list: [1], empty: {} },
  });
  assert.equal(parseRequest('GET /v1/me').body, undefined);
  assert.throws(() => parseRequest('fetch it'), /not a request/);
});

test('curl quotes for a shell, and names the method only where it is not implied', () => {
  const curl = languages.curl(request, baseUrl);
  assert.ok(curl.startsWith("curl 'https://api.example.com/v1/things?a=b' \\\n  -H 'X-API-Key: "));
  assert.ok(curl.includes(`"São '\\''João'\\'' $x \\"y\\""`));
  assert.ok(languages.curl(parseRequest('DELETE /v1/a'), baseUrl).startsWith('curl -X DELETE '));
});

test('Python has its own words for true and null, and uses the client', () => {
  const python = languages.Python(request, baseUrl, null);
  assert.ok(python.includes('"on": True,') && python.includes('"none": None,'));
  assert.ok(python.startsWith('from ponte import Ponte\n'));
  assert.ok(python.includes('Ponte("https://api.example.com", api_key="pk_test_…")'));
  assert.ok(python.includes('idempotency_key="order-7",\n)') && !python.includes('Content-Type'));
});

test('PHP puts no variable into a text, and keeps an empty object', () => {
  const php = languages.PHP(request, baseUrl, null);
  assert.ok(php.includes(`"São 'João' \\$x \\"y\\""`));
  assert.ok(php.includes('"empty" => (object) [],') && php.includes('"list" => [\n'));
  assert.ok(php.includes('new Ponte\\Client("https://api.example.com", apiKey: "pk_test_…")'));
  assert.ok(php.includes('idempotencyKey: "order-7",'));
  assert.ok(languages.PHP(parseRequest('POST /v1/a\n\n{}'), baseUrl, null).includes('body: [],'));
});

test('a session token is the other credential of the clients', () => {
  const session = parseRequest('GET /v1/audit\nAuthorization: Bearer ey.1');
  assert.ok(languages.Python(session, baseUrl, null).includes('token="ey.1")'));
  assert.ok(languages.PHP(session, baseUrl, null).includes('token: "ey.1")'));
});

test('TypeScript sends the body as it is', () => {
  const [, written = ''] =
    /JSON.stringify\(([\s\S]*?)\),\n\}\);/.exec(languages.TypeScript(request, baseUrl)) ?? [];
  assert.deepEqual(new Function(`return ${written}`)(), request.body);
});

test('a request of the API is a method of the clients, with its values by name', () => {
  const paid = parseRequest('POST /v1/payments/ext_o-$1/cancel\n\n{ "reason": "late" }');
  const cancel = { id: 'cancelPayment', params: ['ext_o-$1'], query: [], hasBody: true };
  const php = languages.PHP(paid, baseUrl, cancel);
  assert.ok(php.includes('$ponte->cancelPayment(\n    "ext_o-\\$1",\n    body: [\n'), php);
  const python = languages.Python(paid, baseUrl, cancel);
  assert.ok(python.includes('ponte.cancel_payment(\n    "ext_o-$1",\n    body={\n'), python);
  const listed = { id: 'listPayments', params: [], query: [['limit', 1]], hasBody: false } as const;
  const list = parseRequest('GET /v1/payments?limit=1');
  assert.ok(languages.PHP(list, baseUrl, listed).includes('$ponte->listPayments(limit: 1);'));
  assert.ok(languages.Python(list, baseUrl, listed).includes('ponte.list_payments(limit=1)'));
});
