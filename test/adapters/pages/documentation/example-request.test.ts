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

test('Python has its own words for true and null, and leaves the type to json=', () => {
  const python = languages.Python(request, baseUrl);
  assert.ok(python.includes('"on": True,') && python.includes('"none": None,'));
  assert.ok(python.includes('requests.post(') && !python.includes('Content-Type'));
});

test('PHP puts no variable into a text, and keeps an empty object', () => {
  const php = languages.PHP(request, baseUrl);
  assert.ok(php.includes(`"São 'João' \\$x \\"y\\""`));
  assert.ok(php.includes('"empty" => (object) [],') && php.includes('"list" => [\n'));
  assert.ok(php.includes('"Content-Type: application/json",'));
});

test('TypeScript sends the body as it is', () => {
  const [, written = ''] =
    /JSON.stringify\(([\s\S]*?)\),\n\}\);/.exec(languages.TypeScript(request, baseUrl)) ?? [];
  assert.deepEqual(new Function(`return ${written}`)(), request.body);
});
