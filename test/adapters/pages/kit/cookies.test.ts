import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CookieName,
  cookieLivesSeconds,
  readCookies,
  writeCookie,
} from '../../../../adapters/pages/kit/cookies.js';

const names = Object.keys(cookieLivesSeconds) as readonly CookieName[];

test('what was written is read again, over http and over https', () => {
  for (const secure of [false, true]) {
    for (const name of names) {
      const written = writeCookie({ name, value: 'a-B_9', path: '/r/x' }, secure);
      const [pair = ''] = written.split('; ');
      assert.deepEqual(readCookies(pair, secure), new Map([[name, 'a-B_9']]));
      assert.deepEqual(readCookies(`other=1; ${pair};`, secure), new Map([[name, 'a-B_9']]));
    }
  }
});

test('a cookie is out of reach of scripts, of other paths, and of http if the page is https', () => {
  const cookie = { name: 'session', value: 'token', path: '/pay/r/x' } as const;
  const kept = 'Path=/pay/r/x; Max-Age=43200; HttpOnly; SameSite=Lax';
  assert.equal(writeCookie(cookie, false), `ponte-session=token; ${kept}`);
  assert.equal(writeCookie(cookie, true), `__Secure-ponte-session=token; ${kept}; Secure`);
});

test('without a path it belongs to the whole host; without a value it is removed', () => {
  const written = writeCookie({ name: 'language', value: '', path: '' }, false);
  assert.match(written, /^ponte-language=; Path=\/; Max-Age=0; /);
});

test('a page over https takes no cookie that http could have set', () => {
  assert.equal(readCookies('ponte-session=planted', true).size, 0);
  assert.equal(readCookies('__Secure-ponte-session=token', false).size, 0);
});

test('of a repeated name the first counts: that of the longest path', () => {
  const header = 'ponte-session=own; ponte-session=other; ponte-link=link';
  assert.deepEqual(
    readCookies(header, false),
    new Map([
      ['session', 'own'],
      ['link', 'link'],
    ]),
  );
});

test('a header that is no list of cookies has none', () => {
  for (const header of [undefined, '', ';;', '=', 'ponte-session', '=ponte-session', 'x=y']) {
    assert.equal(readCookies(header, false).size, 0, header);
  }
});

test('a value may have equals signs', () => {
  assert.equal(readCookies('ponte-link=a=b==', false).get('link'), 'a=b==');
});

test('the first fifty cookies are read, as a browser sends those of this page first', () => {
  const others = (count: number) => Array.from({ length: count }, (_, nth) => `c${nth}=x`);
  const header = (count: number) => [...others(count), 'ponte-link=link'].join('; ');
  assert.equal(readCookies(header(49), false).get('link'), 'link');
  assert.equal(readCookies(header(50), false).size, 0);
});
