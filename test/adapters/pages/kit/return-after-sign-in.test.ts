// Which page a browser comes back to after sign-in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageMatcher } from '../../../../adapters/pages/kit/page-match.js';
import {
  askedProof,
  confirmFirst,
  returnPath,
  signedOut,
} from '../../../../adapters/pages/kit/return-after-sign-in.js';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';

const base = '/pay/r/x';
const match = pageMatcher(pageRoutes);

function placeOf(method: string, page: string, query = ''): string | undefined {
  const path = `/r/x${page}`;
  const { cookies } = signedOut({
    match,
    method,
    path,
    query: new URLSearchParams(query),
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
  for (const place of [
    '',
    '/evil.example',
    '//evil.example',
    '..',
    '../y',
    'kyc/..;',
    'a?',
    'a?b;c',
    'a?b c',
    'a?/b',
  ]) {
    assert.equal(returnPath(base, new Map([['back', place]])), base, place);
  }
  assert.equal(returnPath(base, new Map([['back', 'kyc/person']])), `${base}/kyc/person`);
});

test('a page that needs a fresh proof is come back to after it', () => {
  const path = '/dashboard/org_1/test/payments/pi_1/approve';
  const dashboard = '/pay/dashboard';
  const query = new URLSearchParams();
  const missing = 'fresh' as const;
  const refused = {
    match,
    path,
    query,
    base: dashboard,
    prefix: '/pay',
    missing,
    proof: 'approve_payment',
  } as const;
  const { headers, cookies } = confirmFirst({ ...refused, method: 'GET' });
  assert.equal(headers['location'], `${dashboard}/confirm`);
  const late = confirmFirst({ ...refused, method: 'POST' });
  assert.equal(late.headers['location'], `${dashboard}/confirm?late`);
  const page = 'org_1/test/payments/pi_1';
  const value = `approve_payment:${page}`;
  assert.deepEqual(cookies, [{ name: 'back', value, path: dashboard }]);
  const kept = new Map([['back', value]] as const);
  assert.equal(returnPath(dashboard, kept), `${dashboard}/${page}`);
  assert.deepEqual(askedProof(kept), { action: 'approve_payment', orgId: 'org_1' });
  assert.equal(askedProof(new Map([['back', page]])), null);
  assert.equal(askedProof(new Map([['back', `session:${page}`]])), null);
  const own = new Map([['back', 'change_passkeys:passkeys/add']] as const);
  assert.deepEqual(askedProof(own), { action: 'change_passkeys', orgId: null });
});

test('a list is come back to with its filters, without what was shown once', () => {
  const path = '/dashboard/org_1/test/payments/export/all';
  const query = new URLSearchParams('q=a b%3B&status=way&notice=x&done=y&limit=z');
  const dashboard = '/pay/dashboard';
  const about = { path, query, base: dashboard, prefix: '/pay' };
  const refused = {
    match,
    method: 'GET',
    ...about,
    missing: 'passkey',
    proof: 'export_payments',
  } as const;
  const [cookie] = confirmFirst(refused).cookies;
  assert.equal(cookie?.value, 'export_payments:org_1/test/payments/export/all?q=a+b%3B&status=way');
  const back = returnPath(dashboard, new Map([['back', cookie?.value ?? '']]));
  assert.equal(back, `${dashboard}/${cookie?.value.split(':')[1]}`);
  assert.equal(placeOf('POST', '/kyc/owners/3/ask', 'a=b'), 'kyc/owners/3', 'another page');
  assert.equal(placeOf('GET', '/instructions', `a=${'b'.repeat(900)}`), 'instructions');
});
