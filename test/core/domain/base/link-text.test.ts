import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { linkPath, linkText, linkTokenIn } from '../../../../core/domain/base/link-text.js';

test('random parts of links have letters and digits only, as many for as many bytes', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(fc.property(bytes, (random) => /^[a-z0-9]{50}$/.test(linkText(random))));
  assert.equal(linkText(new Uint8Array(18)).length, 28);
  assert.equal(linkText(new Uint8Array(18).fill(255)).length, 28);
  assert.equal(linkText(new Uint8Array(32)).length, 50);
});

test('different bytes are different texts', () => {
  const bytes = fc.uint8Array({ minLength: 4, maxLength: 4 });
  const same = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      return same(one, other) === (linkText(one) === linkText(other));
    }),
  );
});

test('a token is read out of any parameters, and of nothing else', () => {
  const token = linkText(randomBytes(32));
  const read = (query: string) => linkTokenIn(new URLSearchParams(query));
  for (const query of [`token=${token}`, `a=1&token=${token}&b=2`, `a=1&amp;token=${token}`]) {
    assert.equal(read(query), token);
  }
  const rows = { '': null, 'a=1': null, mytoken: null, 'mytoken=a': null, 'token=': '' } as const;
  for (const [query, right] of Object.entries(rows)) assert.equal(read(query), right, query);
  assert.equal(read('token=%00'), '');
  assert.equal(read('token=-_'), '');
});

test('signs of a text behind a path are no part of it, and signs within it are', () => {
  const rows = {
    '/': '/',
    '//': '/',
    '/r/abc': '/r/abc',
    '/r/abc/': '/r/abc',
    '/r/abc.': '/r/abc',
    '/r/abc).': '/r/abc',
    '/r/abc%3E%E2%80%9D': '/r/abc',
    '/stop/chg_1.ab': '/stop/chg_1.ab',
    '/r/a%20b': '/r/a%20b',
  } as const;
  for (const [path, right] of Object.entries(rows)) assert.equal(linkPath(path), right);
});
