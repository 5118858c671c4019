// Where to report a vulnerability, as RFC 9116 has it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedSite, refusalOf } from '../checked-site.js';

const path = '/.well-known/security.txt';

test('security.txt has the contact of the operator and the date until which it counts', async (t) => {
  const securityContact = 'https://example.com/security';
  const site = await checkedSite(t, { securityContact });
  const { status, headers, text } = await site.call('GET', path);
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(text, `Contact: ${securityContact}\nExpires: 2030-06-30T00:00:00.000Z\n`);
  site.world.advanceClock(86_399_999);
  assert.equal((await site.call('GET', path)).text, text, 'the same all day');
  site.world.advanceClock(1);
  assert.match((await site.call('GET', path)).text, /Expires: 2030-07-01T00:00:00\.000Z\n$/);
});

test('without a contact there is no security.txt', async (t) => {
  const site = await checkedSite(t, { securityContact: null });
  assert.equal(refusalOf(await site.call('GET', path)), '404 NotFound');
});
