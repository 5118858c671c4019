// The browsable description on the wire. The nightly run opens it in a real browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf, sharedSite } from '../checked-site.js';

const site = sharedSite();

test('the policy allows no other origin, no inline script, no frame', async () => {
  const { headers, text } = await site.call('GET', '/docs');
  const policy = headers['content-security-policy'] ?? '';
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.doesNotMatch(text, /<script>|<style|https?:\/\//);
});

test('the page is asked for again each time, its files only once', async () => {
  const page = await site.call('GET', '/docs');
  assert.equal(page.headers['cache-control'], 'no-cache');
  const etag = page.headers['etag'] ?? '';
  assert.equal(
    (await site.call('GET', '/docs', { headers: { 'if-none-match': etag } })).status,
    304,
  );
  const files = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)];
  assert.equal(files.length, 3);
  for (const [, file] of files) {
    const { status, headers, text } = await site.call('GET', `/${file}`);
    assert.equal(status, 200);
    assert.ok(text.length > 100);
    assert.match(headers['cache-control'] ?? '', /max-age=31536000, immutable/);
    assert.match(headers['content-type'] ?? '', /^text\/(css|javascript); charset=utf-8$/);
  }
});

test('other files and other versions are not found', async () => {
  const { text } = await site.call('GET', '/docs');
  const [, version = ''] = /docs\/(\w+)\//.exec(text) ?? [];
  for (const path of [`${version}/package.json`, `${version}/toString`, '0/start.js']) {
    assert.equal(refusalOf(await site.call('GET', `/docs/${path}`)), '404 NotFound');
  }
  const outside = `/docs/${version}/..%2Fswagger-ui.css`;
  assert.equal(refusalOf(await site.call('GET', outside)), '404 NotFound');
});
