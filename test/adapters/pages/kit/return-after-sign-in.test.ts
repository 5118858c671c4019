// Which page a browser comes back to after sign-in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnPath } from '../../../../adapters/pages/kit/access-pages.js';
import { pageMatcher } from '../../../../adapters/pages/kit/page-match.js';
import { confirmFirst, signedOut } from '../../../../adapters/pages/kit/return-after-sign-in.js';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';

const base = '/pay/r/x';
const match = pageMatcher(pageRoutes);

function placeOf(method: string, page: string): string | undefined {
  const path = `/r/x${page}`;
  const { cookies } = signedOut({
    match,
    method,
    path,
    base,
    prefix: '/pay',
    cookies: new Map(),
  });
  return cookies.find(({ name }) => name === 'back')?.value;
}

test('it is the page that was opened, or the one whose form was sent', () => {
  for (const [method, page, expected] of [
    ['GET', '/instructions', 'instructions'],
    ['POST', '/kyc/company', 'kyc/company'],
    ['POST', '/kyc/owners/add', 'kyc/owners'],
    ['POST', '/kyc/owners/3/ask', 'kyc/owners/3'],
    ['POST', '/kyc/owners/3/file/selfie', 'kyc/owners/3'],
    ['POST', '/confirm', undefined],
    ['POST', '/simulate', undefined],
  ] as const) {
    assert.equal(placeOf(method, page), expected, page);
  }
});

test('nothing but a page below leads back', () => {
  for (const place of ['', '/evil.example', '//evil.example', '..', '../y', 'kyc/..;', 'a?b']) {
    assert.equal(returnPath(base, new Map([['back', place]])), base, place);
  }
  assert.equal(returnPath(base, new Map([['back', 'kyc/person']])), `${base}/kyc/person`);
});

test('a page that needs a fresh proof is come back to after it', () => {
  const path = '/dashboard/org_1/test/payments/pi_1/cancel';
  const dashboard = '/pay/dashboard';
  const refused = { match, path, base: dashboard, prefix: '/pay' };
  const { headers, cookies } = confirmFirst({ ...refused, method: 'GET' });
  assert.equal(headers['location'], `${dashboard}/confirm`);
  const late = confirmFirst({ ...refused, method: 'POST' });
  assert.equal(late.headers['location'], `${dashboard}/confirm?late`);
  const value = 'org_1/test/payments/pi_1';
  assert.deepEqual(cookies, [{ name: 'back', value, path: dashboard }]);
  assert.equal(returnPath(dashboard, new Map([['back', value]])), `${dashboard}/${value}`);
});
