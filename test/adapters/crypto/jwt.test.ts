// Session tokens: what is signed is read back, and nothing else is taken for one.
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SignJWT, UnsecuredJWT } from 'jose';
import { createTokenSigner, fixedKeys } from '../../../adapters/crypto/jwt.js';
import type { SecretKey } from '../../../adapters/crypto/secret-box.js';
import type { SessionClaims } from '../../../core/ports/outside.js';

const NOW_MS = 1_893_456_000_000;
const [first, second] = [key('k1', 1), key('k2', 2)];
const signer = createTokenSigner(fixedKeys([first]));
const claims: SessionClaims = {
  memberId: 'mem_1',
  sessionId: 'ses_1',
  orgId: 'org_1',
  mode: 'live',
  expiresAtMs: NOW_MS + 1_000,
};

function key(id: string, fill: number): SecretKey {
  return { id, bytes: Buffer.alloc(32, fill) };
}

function parts(token: string): readonly [header: string, payload: string, signature: string] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  return [header, payload, signature];
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

test('what was signed is read back, the moment to the second', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  const mode = fc.constantFrom('test' as const, 'live' as const);
  const seconds = fc.integer({ min: 1, max: 100_000 });
  await fc.assert(
    fc.asyncProperty(text, text, mode, seconds, async (memberId, orgId, inMode, after) => {
      const said = { memberId, sessionId: 'ses_1', orgId, mode: inMode };
      const made = { ...said, expiresAtMs: NOW_MS + after * 1_000 };
      assert.deepEqual(await signer.verify(await signer.sign(made), NOW_MS), made);
      const later = { ...made, expiresAtMs: made.expiresAtMs + 999 };
      assert.deepEqual(await signer.verify(await signer.sign(later), NOW_MS), made);
    }),
  );
});

test('a token counts up to its last second and not beyond', async () => {
  const token = await signer.sign(claims);
  assert.notEqual(await signer.verify(token, claims.expiresAtMs - 1), null);
  assert.equal(await signer.verify(token, claims.expiresAtMs), null);
});

test('it is a JWT by EdDSA that says member, session, organization, mode and end, and no more', async () => {
  const [header, payload] = parts(await signer.sign(claims));
  assert.deepEqual(decoded(header), { alg: 'EdDSA', typ: 'JWT', kid: 'k1' });
  const exp = claims.expiresAtMs / 1_000;
  const said = { sub: 'mem_1', sid: 'ses_1', orgId: 'org_1', mode: 'live', exp };
  assert.deepEqual(decoded(payload), { ...said, iss: 'ponte', aud: 'session' });
});

test('the first key signs, all of them verify, a dropped one does not', async () => {
  const old = await signer.sign(claims);
  const both = createTokenSigner(fixedKeys([second, first]));
  const renewed = await both.sign(claims);
  assert.equal(decoded(parts(renewed)[0])['kid'], 'k2');
  assert.deepEqual(await both.verify(old, NOW_MS), claims);
  assert.deepEqual(await both.verify(renewed, NOW_MS), claims);
  assert.equal(await createTokenSigner(fixedKeys([second])).verify(old, NOW_MS), null);
  assert.equal(await signer.verify(renewed, NOW_MS), null);
});

test('hosts with the same keys take the tokens of each other', async () => {
  const token = await signer.sign(claims);
  assert.deepEqual(
    await createTokenSigner(fixedKeys([key('k1', 1)])).verify(token, NOW_MS),
    claims,
  );
});

test('a token of which any character is changed, cut or added is refused', async () => {
  const token = await signer.sign(claims);
  for (let at = 0; at < token.length; at += 1) {
    for (let bit = 0; bit < 7; bit += 1) {
      const changed = String.fromCharCode(token.charCodeAt(at) ^ (1 << bit));
      const tampered = token.slice(0, at) + changed + token.slice(at + 1);
      assert.equal(await signer.verify(tampered, NOW_MS), null, tampered);
    }
    assert.equal(await signer.verify(token.slice(0, at), NOW_MS), null);
  }
  for (const more of ['A', '=', '.', ' ', '\n', '.AAAA']) {
    assert.equal(await signer.verify(token + more, NOW_MS), null);
  }
});

describe('a forged token is refused', () => {
  const said = {
    sub: 'mem_1',
    sid: 'ses_1',
    orgId: 'org_1',
    mode: 'live',
    iss: 'ponte',
    aud: 'session',
    exp: claims.expiresAtMs / 1_000,
  };
  const eddsa = { alg: 'EdDSA', typ: 'JWT', kid: 'k1' };
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const signed = (header: { alg: string; kid?: string }, by: KeyObject | Uint8Array) =>
    new SignJWT(said).setProtectedHeader(header).sign(by);
  /** The signature of a genuine token over another header or payload. */
  const resigned = async (header: unknown, payload: unknown) => {
    const [, , signature] = parts(await signer.sign(claims));
    return `${encoded(header)}.${encoded(payload)}.${signature}`;
  };
  const cases: Readonly<Record<string, () => Promise<string>>> = {
    'alg none, without a signature': async () => new UnsecuredJWT(said).encode(),
    'alg none, with the kid': async () => `${encoded({ ...eddsa, alg: 'none' })}.${encoded(said)}.`,
    'alg none, with a genuine signature': () => resigned({ ...eddsa, alg: 'none' }, said),
    'another Ed25519 key': () => signed(eddsa, stranger),
    'a key of ours under the name of another': async () => {
      const token = await createTokenSigner(fixedKeys([key('k1', 2)])).sign(claims);
      return token;
    },
    'a name of no key': () => signed({ ...eddsa, kid: 'k9' }, stranger),
    'no name of a key': () => signed({ alg: 'EdDSA' }, stranger),
    'HMAC under the bytes of the secret key': () => signed({ ...eddsa, alg: 'HS256' }, first.bytes),
    'HMAC over an empty key': async () => {
      const text = `${encoded({ ...eddsa, alg: 'HS256' })}.${encoded(said)}`;
      return `${text}.${createHmac('sha256', '').update(text).digest('base64url')}`;
    },
    ES256: () => signed({ ...eddsa, alg: 'ES256' }, ec),
    RS256: () => signed({ ...eddsa, alg: 'RS256' }, rsa),
    'another organization': () => resigned(eddsa, { ...said, orgId: 'org_2' }),
    'another member': () => resigned(eddsa, { ...said, sub: 'mem_2' }),
    'the other mode': () => resigned(eddsa, { ...said, mode: 'test' }),
    'a later end': () => resigned(eddsa, { ...said, exp: said.exp + 1 }),
    'a header that must be understood': () => resigned({ ...eddsa, crit: ['x'], x: 1 }, said),
    'no JWT at all': async () => 'session',
    'an empty text': async () => '',
    'three points': async () => '...',
    'an encrypted token': async () => 'a.b.c.d.e',
  };
  for (const [name, make] of Object.entries(cases)) {
    test(name, async () => {
      assert.equal(await signer.verify(await make(), NOW_MS), null);
    });
  }
});
