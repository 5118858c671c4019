import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type ApiKeyFacts,
  accountableCreator,
  formatApiKey,
  hashSecret,
  isIntact,
  issueApiKey,
  KEY_REPORT_MS,
  keyPrefix,
  mayUse,
  parseApiKey,
  type StoredKey,
  unneeded,
} from '../../../../core/domain/access/api-key.js';
import { scopes as scopeTable, sessionScopes } from '../../../../core/domain/access/scope.js';
import { modes } from '../../../../core/domain/base/tenant.js';
import { AssertionFailure } from '../../../../core/errors.js';
import { aKey } from '../../../support/samples/domain-samples.js';

const NOW_MS = 1_900_000_000_000;

const mode = fc.constantFrom(...modes);
const keyId = fc.stringMatching(/^key_[0-9a-zA-Z_-]{1,30}$/);
const secretBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const saltBytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
const issued = fc.record({ mode, keyId, secretBytes, saltBytes });

function factsOf(input: Parameters<typeof issueApiKey>[0]): {
  readonly text: string;
  readonly facts: ApiKeyFacts;
} {
  const { text, salt, secretHash } = issueApiKey(input);
  const ends = { revokedAtMs: null, expiresAtMs: null };
  return { text, facts: { mode: input.mode, salt, secretHash, ...ends } };
}

function present(text: string): NonNullable<ReturnType<typeof parseApiKey>> {
  const key = parseApiKey(text);
  assert.ok(key !== null, text);
  return key;
}

const example = factsOf({
  mode: 'test',
  keyId: 'key_01',
  secretBytes: new Uint8Array(32).fill(7),
  saltBytes: new Uint8Array(16).fill(9),
});

test('a key is pk_<mode>_<id>.<secret>', () => {
  const parts = { mode: 'test', keyId: 'key_01', secret: 'abc' };
  assert.deepEqual(parseApiKey('pk_test_key_01.abc'), parts);
  assert.deepEqual(parseApiKey('pk_live_k.a.b'), { mode: 'live', keyId: 'k', secret: 'a.b' });
});

test('any other form is refused', () => {
  for (const text of [
    '',
    'pk_test_',
    'pk_test_key_01',
    'pk_test_key_01.',
    'pk_test_.secret',
    'pk_prod_key_01.secret',
    'PK_test_key_01.secret',
    'sk_test_key_01.secret',
    ' pk_test_key_01.secret',
    'pk_test_key_01.secret ',
    'pk_test_key_01.sec ret',
    'pk_test_key 01.secret',
    'pk_test_key_01.secret\n',
    'Bearer pk_test_key_01.secret',
  ]) {
    assert.equal(parseApiKey(text), null, JSON.stringify(text));
  }
});

test('law: the form matches the documented expression for any text', () => {
  const pieces = fc.constantFrom('pk_', 'test', 'live', '_', '.', 'a', ' ', '\n', 'key');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      assert.equal(parseApiKey(text) !== null, /^pk_(test|live)_[^.\s]+\.\S+$/.test(text));
    }),
  );
});

test('law: an issued key parses back to its parts and may be used', () => {
  fc.assert(
    fc.property(issued, (input) => {
      const { text, facts } = factsOf(input);
      const key = present(text);
      assert.deepEqual([key.mode, key.keyId], [input.mode, input.keyId]);
      assert.equal(formatApiKey(key), text);
      assert.equal(text.startsWith(`${keyPrefix(input.mode, input.keyId)}.`), true);
      assert.equal(isIntact(key), true);
      assert.equal(mayUse(facts, key, NOW_MS), 'ok');
    }),
  );
});

test('law: a mistyped key is not intact', () => {
  const letter = fc.constantFrom(...'ABCxyz019-_');
  fc.assert(
    fc.property(issued, fc.nat(200), letter, (input, at, other) => {
      const { text } = factsOf(input);
      const index = at % text.length;
      const typed = `${text.slice(0, index)}${other}${text.slice(index + 1)}`;
      const key = parseApiKey(typed);
      fc.pre(typed !== text && key !== null);
      assert.equal(isIntact(key), false, typed);
    }),
  );
});

test('a scanner recognizes a key by the documented pattern and checksum', () => {
  const { text } = example;
  assert.match(text, /^pk_(test|live)_key_[0-9a-z]+\.[A-Za-z0-9_-]{49}$/);
  const digest = createHash('sha256').update(text.slice(0, -6)).digest('base64url');
  assert.equal(text.slice(-6), digest.slice(0, 6));
});

test('a key ends when it expires; a revoked key has ended at any time', () => {
  const { facts, text } = example;
  const key = present(text);
  const ending = { ...facts, expiresAtMs: NOW_MS };
  assert.equal(mayUse(ending, key, NOW_MS - 1), 'ok');
  assert.equal(mayUse(ending, key, NOW_MS), 'ended');
  assert.equal(mayUse({ ...facts, revokedAtMs: NOW_MS }, key, NOW_MS - 1), 'ended');
});

test('a report names an old key that is not used, else the scopes that were never used', () => {
  const createdAtMs = NOW_MS - KEY_REPORT_MS;
  const scopes = ['webhooks:read', 'invoices:write'] as const;
  const used = { createdAtMs, scopes, lastUsedAtMs: NOW_MS - 1, usedScopes: [scopes[0]] };
  const cases: readonly (readonly [Partial<StoredKey>, boolean, readonly string[]])[] = [
    [used, false, ['invoices:write']],
    [{ ...used, usedScopes: scopes }, false, []],
    [{ ...used, lastUsedAtMs: createdAtMs }, true, []],
    [{ ...used, lastUsedAtMs: null }, true, []],
    [{ ...used, createdAtMs: createdAtMs + 1, lastUsedAtMs: null }, false, []],
  ];
  for (const [fields, isIdle, unused] of cases) {
    assert.deepEqual(unneeded(aKey(fields), NOW_MS), { isIdle, scopes: unused });
  }
  const all = unneeded(aKey({ ...used, scopes: [] }), NOW_MS).scopes;
  assert.equal(all.length, Object.keys(scopeTable).length - 1 - sessionScopes.length);
});

test('the secret is 256 bits in base64url and only its salted hash is to be stored', () => {
  const bytes = new Uint8Array(32).map((_, index) => 255 - index);
  const result = issueApiKey({
    mode: 'live',
    keyId: 'key_9',
    secretBytes: bytes,
    saltBytes: new Uint8Array(16),
  });
  const secret = Buffer.from(bytes).toString('base64url');
  assert.equal(result.text.slice(0, -6), `pk_live_key_9.${secret}`);
  assert.equal(result.keyPrefix, 'pk_live_key_9');
  const { text: _, ...stored } = result;
  assert.equal(JSON.stringify(stored).includes(secret), false);
});

test('the hash is SHA-256 over the salt and then the secret', () => {
  const salt = '00ff10';
  const expected = createHash('sha256')
    .update(Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from('sëcret')]))
    .digest('hex');
  assert.equal(hashSecret(salt, 'sëcret'), expected);
});

test('law: a secret with anything changed is refused', () => {
  const position = fc.nat(42);
  const letter = fc.constantFrom(...'ABCxyz019-_');
  fc.assert(
    fc.property(issued, position, letter, (input, at, other) => {
      const { text, facts } = factsOf(input);
      const key = present(text);
      fc.pre(key.secret[at] !== other);
      const secret = `${key.secret.slice(0, at)}${other}${key.secret.slice(at + 1)}`;
      assert.equal(mayUse(facts, { ...key, secret }, NOW_MS), 'InvalidApiKey');
    }),
  );
});

test('unknown, wrong secret and prefix of the other mode are InvalidApiKey, revoked is ended', () => {
  const { facts, text } = example;
  const key = present(text);
  const answers = [mayUse(facts, key, NOW_MS), mayUse(null, key, NOW_MS)];
  assert.deepEqual(answers, ['ok', 'InvalidApiKey']);
  for (const wrong of [
    { secret: 'wrong' },
    { secret: `${key.secret}x` },
    { mode: 'live' },
  ] as const) {
    assert.equal(mayUse(facts, { ...key, ...wrong }, NOW_MS), 'InvalidApiKey');
  }
  assert.equal(mayUse({ ...facts, revokedAtMs: 0 }, key, NOW_MS), 'ended');
});

test('random bits of the wrong size, and ids that break the form, are programmer errors', () => {
  const right = {
    mode: 'test',
    keyId: 'key_1',
    secretBytes: new Uint8Array(32),
    saltBytes: new Uint8Array(16),
  } as const;
  const wrongBytes = [{ secretBytes: new Uint8Array(31) }, { saltBytes: new Uint8Array(0) }];
  for (const wrong of [...wrongBytes, { keyId: '' }, { keyId: 'key.1' }, { keyId: 'key 1' }]) {
    assert.throws(() => issueApiKey({ ...right, ...wrong }), AssertionFailure);
  }
  assert.throws(() => hashSecret('not hex', 'secret'), AssertionFailure);
});

test('a member answers for what it creates itself, in live mode only', () => {
  assert.equal(accountableCreator('live', 'mem_1'), 'mem_1');
  assert.equal(accountableCreator('test', 'mem_1'), null, 'there one person may do both');
});
