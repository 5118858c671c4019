// Who gets a page at an unknown address: browsers. Programs get the error body.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedSite } from '../checked-site.js';

const site = sharedSite();

/** Sent for an address that a person opens: MDN, "List of default Accept values". */
const browsers = {
  Chrome: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/apng,*/*;q=0.8',
  Firefox: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  Safari: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'a plain one': 'text/html',
  'a loud one': 'TEXT/HTML ; q=0.5',
} as const;

/** The default of each, from its source or manual. */
const programs = {
  'curl, requests, fetch of Node': '*/*',
  'Go net/http, Ruby Net::HTTP without it': null,
  axios: 'application/json, text/plain, */*',
  'Java HttpURLConnection': 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  'the icon of a tab': 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  'one that refuses HTML': 'application/json, text/html;q=0',
  'one with a similar type': 'text/html-sandboxed',
} as const;

function ask(path: string, accept: string, method = 'GET') {
  return fetch(`http://127.0.0.1:${site.port}${path}`, { method, headers: { accept } });
}

const unknown = ['/nope', '/docs/nope', '/docs/guides/nope', '/docs/a/b/c', '/favicon.ico', '/v2'];

for (const [name, accept] of Object.entries(browsers)) {
  test(`${name} gets a page at an address that is not there`, async () => {
    for (const path of unknown) {
      const answer = await ask(path, accept);
      assert.equal(answer.status, 404, path);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8', path);
      assert.equal(answer.headers.get('cache-control'), 'no-store', path);
      // With it, a later request could be answered with 304.
      assert.equal(answer.headers.get('etag'), null, path);
      assert.match(answer.headers.get('vary') ?? '', /\bAccept\b/, path);
      assert.match(answer.headers.get('content-security-policy') ?? '', /script-src 'self'/, path);
      assert.match(await answer.text(), /<h1>There is no such page<\/h1>/, path);
    }
  });
}

for (const [name, accept] of Object.entries(programs)) {
  test(`a program gets JSON there: ${name}`, async () => {
    for (const path of unknown) {
      const headers = { accept };
      const answer = await site.call('GET', path, { headers });
      assert.equal(`${answer.status} ${answer.body['error']}`, '404 NotFound', path);
    }
  });
}

test('the API and other methods answer in JSON to any Accept', async () => {
  for (const [method, path] of [
    ['GET', '/v1/nope'],
    ['GET', '/v1'],
    ['GET', '/.well-known/nope'],
    ['POST', '/nope'],
  ] as const) {
    const answer = await ask(path, browsers.Chrome, method);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.headers.get('content-type'), 'application/json', path);
    assert.equal(((await answer.json()) as { error: string }).error, 'NotFound', path);
  }
});
