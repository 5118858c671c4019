// Which credential authenticates: every kind of row with every pair of headers.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { authenticate } from '../../../../adapters/http/protocol/authentication.js';
import type { Auth, Route } from '../../../../adapters/http/protocol/route-row.js';
import { routes } from '../../../../adapters/http/routes.js';
import { PonteError } from '../../../../core/errors.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const KEYS = ['none', 'empty', 'malformed', 'unknown', 'good'] as const;
const TOKENS = ['none', 'other scheme', 'forged', 'good'] as const;

const made = await world(suiteEnd());
const orgId = await made.organization();
const own = { key: await made.key(orgId), session: await made.session(orgId) };
const unknown = 'pk_test_key_0.secret';
const keys = { none: undefined, empty: '', malformed: 'key', unknown, good: own.key };
const tokens = {
  none: undefined,
  'other scheme': 'Basic YTpi',
  forged: 'Bearer a.b.c',
  good: `Bearer ${own.session}`,
};

function rowOf(access: Partial<Route['access']>, errors: Route['errors'] = []): Route {
  const [first] = routes;
  assert.ok(first !== undefined);
  return { ...first, access: { ...first.access, modes: 'both', ...access }, errors };
}

/** The authenticated actor, or the code of the refusal. */
async function outcome(route: Route, key: string | undefined, authorization: string | undefined) {
  const headers = { 'x-api-key': key, authorization };
  try {
    const request = { headers } as unknown as IncomingMessage;
    const actor = await authenticate(made.deps, route, request, () => null);
    if (actor === null) return 'nobody';
    return 'keyId' in actor ? 'the key' : 'the member';
  } catch (error) {
    assert.ok(error instanceof PonteError);
    return error.code;
  }
}

/** By the row's kind: what a key decides, and where it does not (null), what the session does. */
const byKey = {
  none: null,
  empty: null,
  malformed: 'InvalidApiKeyFormat',
  unknown: 'InvalidApiKey',
  good: 'the key',
} as const;
const bySession = {
  none: 'Unauthorized',
  'other scheme': 'Unauthorized',
  forged: 'InvalidToken',
  good: 'the member',
} as const;

test('a key counts on key rows, a session on session rows, on either the key first', async () => {
  const expected: Readonly<
    Record<Auth, (key: (typeof KEYS)[number], token: (typeof TOKENS)[number]) => string>
  > = {
    key: (key) => byKey[key] ?? 'InvalidApiKey',
    session: (_, token) => bySession[token],
    either: (key, token) => byKey[key] ?? bySession[token],
    keyElseSession: (key, token) =>
      byKey[key] ?? bySession[token].replace('Unauthorized', 'InvalidApiKey'),
    partner: () => 'nobody',
    signature: () => 'nobody',
    none: () => 'nobody',
  };
  for (const [auth, decide] of Object.entries(expected)) {
    const route = rowOf({ auth: auth as Auth });
    for (const key of KEYS) {
      for (const token of TOKENS) {
        const came = await outcome(route, keys[key], tokens[token]);
        assert.equal(came, decide(key, token), `${auth}: key ${key}, token ${token}`);
      }
    }
  }
});

test('a row that refuses keys by name does so when no session comes with the key', async () => {
  const route = rowOf({ auth: 'session' }, ['ModeSwitchNotAllowed']);
  for (const key of KEYS) {
    for (const token of TOKENS) {
      const keyAlone = byKey[key] !== null && bySession[token] === 'Unauthorized';
      const expected = keyAlone ? 'ModeSwitchNotAllowed' : bySession[token];
      assert.equal(await outcome(route, keys[key], tokens[token]), expected, `${key} ${token}`);
    }
  }
});

test('a row for test mode does not exist for a live key, nor for a live session', async () => {
  const orgId = await made.organization();
  const key = await made.key(orgId, { mode: 'live' });
  const session = await made.session(orgId, { mode: 'live' });
  const route = rowOf({ auth: 'either', modes: 'test' });
  assert.equal(await outcome(route, key, undefined), 'NotFound');
  assert.equal(await outcome(route, undefined, `Bearer ${session}`), 'NotFound');
  assert.equal(await outcome(route, own.key, undefined), 'the key');
  assert.equal(await outcome(route, undefined, `Bearer ${own.session}`), 'the member');
});

test('a 401 without the right kind of credential says which kind the route takes', async () => {
  const refusalOf = async (auth: Auth, headers: Readonly<Record<string, string>>) => {
    const request = { headers } as unknown as IncomingMessage;
    const route = rowOf({ auth });
    const asked = async () => authenticate(made.deps, route, request, () => null);
    const refused: unknown = await asked().catch((error) => error);
    assert.ok(refused instanceof PonteError);
    return refused;
  };
  const session = { authorization: `Bearer ${own.session}` };
  const key = { 'x-api-key': own.key };
  for (const [auth, headers, code, words] of [
    ['key', {}, 'InvalidApiKey', /takes an API key\. Send it as X-API-Key/],
    ['key', session, 'InvalidApiKey', /takes an API key\. Send it as X-API-Key/],
    ['session', {}, 'Unauthorized', /takes a session\. Send Authorization: Bearer/],
    ['session', key, 'Unauthorized', /takes a session\. Send Authorization: Bearer/],
    ['keyElseSession', {}, 'InvalidApiKey', /takes an API key or a session/],
    ['either', {}, 'Unauthorized', /takes an API key or a session/],
  ] as const) {
    const refused = await refusalOf(auth, headers);
    assert.equal(refused.code, code);
    assert.match(refused.message, words, `${auth} ${Object.keys(headers)}`);
  }
});
