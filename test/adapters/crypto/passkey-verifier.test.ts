// What the verifier of passkeys accepts, and that each difference from it is refused.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { createPasskeyVerifier } from '../../../adapters/crypto/passkey-verifier.js';
import { CHALLENGE_MS } from '../../../core/domain/access/passkey.js';
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
  type Told,
} from '../../support/scenes/software-authenticator.js';
import { projectRoot } from '../../support/source-tree.js';

const site = 'https://pay.example.com/ponte';
const origin = 'https://pay.example.com';
const challenge = 'frm_1.1893456300000.mac';
const refused = { code: 'InvalidPasskey' };
const verifier = createPasskeyVerifier();
const asked = { challenge, personId: 'mem_1', email: 'ana@acme.example', known: ['AAAA'] };

const creation = (authenticator: SoftwareAuthenticator, told: Told = {}) =>
  authenticator.create(verifier.creationOptions(site, asked), told);
const assertion = (authenticator: SoftwareAuthenticator, told: Told = {}) =>
  authenticator.get(verifier.requestOptions(site, { challenge, known: [] }), told);

test('a browser is asked for a verified person, a passkey it can find, and no attestation', () => {
  const { rp, user, authenticatorSelection, excludeCredentials, attestation, timeout } =
    verifier.creationOptions(site, asked) as Record<string, Record<string, unknown>>;
  assert.deepEqual(rp, { id: 'pay.example.com', name: 'Ponte' });
  assert.equal(user?.['name'], 'ana@acme.example');
  assert.equal(authenticatorSelection?.['residentKey'], 'required');
  assert.equal(authenticatorSelection?.['userVerification'], 'required');
  assert.deepEqual(excludeCredentials, [{ type: 'public-key', id: 'AAAA' }]);
  assert.deepEqual([attestation, timeout], ['none', CHALLENGE_MS]);
  const request = verifier.requestOptions(site, { challenge, known: ['AAAA'] });
  assert.deepEqual(request, {
    challenge: Buffer.from(challenge).toString('base64url'),
    rpId: 'pay.example.com',
    allowCredentials: [{ type: 'public-key', id: 'AAAA' }],
    userVerification: 'required',
    timeout: CHALLENGE_MS,
  });
});

test('a new passkey is known by its id, and its signature is right', async () => {
  const authenticator = softwareAuthenticator(origin);
  const made = await verifier.verifyCreation(
    site,
    creation(authenticator, { count: 3 }),
    challenge,
  );
  assert.deepEqual([made.credentialId, made.signCount], [authenticator.credentialId, 3]);
  const answer = assertion(authenticator, { count: 4 });
  assert.deepEqual(await verifier.read(answer), {
    credentialId: authenticator.credentialId,
    challenge,
    personId: 'mem_1',
  });
  assert.equal(await verifier.verifyAssertion(site, answer, challenge, made), 4);
});

test('an authenticator may sign for itself, but not bring certificates', async () => {
  const statement = (entries: readonly string[]) => Buffer.from(entries.join(''), 'hex');
  const certificates = statement(['a1', '6378', '3563', '81', '40']);
  const bring = creation(softwareAuthenticator(origin), { attestation: ['packed', certificates] });
  await assert.rejects(verifier.verifyCreation(site, bring, challenge), {
    ...refused,
    message: /it has a certificate/,
  });
  const alone = creation(softwareAuthenticator(origin), {
    attestation: ['packed', statement(['a0'])],
  });
  // Refused later: it has no signature.
  await assert.rejects(verifier.verifyCreation(site, alone, challenge), /No attestation signature/);
});

describe('refused is', () => {
  const other = softwareAuthenticator(origin);
  const differences: Readonly<Record<string, Told>> = {
    'another origin': { origin: 'https://evil.example' },
    'a port of the same host': { origin: `${origin}:8443` },
    'another host': { host: 'example.com' },
    'a page in a frame of another site': { clientData: { crossOrigin: true } },
    'a page in a frame of a named site': {
      clientData: { crossOrigin: true, topOrigin: 'https://evil.example' },
    },
    'a person who was not verified': { flags: 0x41 },
    'a person who is not there': { flags: 0x44 },
    'another challenge': { clientData: { challenge: 'AAAA' } },
    'another ceremony': { clientData: { type: 'payment.get' } },
    'another id': { id: other.credentialId },
  };
  for (const [name, told] of Object.entries(differences)) {
    test(name, async () => {
      const authenticator = softwareAuthenticator(origin);
      const bad = creation(authenticator, told);
      await assert.rejects(verifier.verifyCreation(site, bad, challenge), refused);
      const answer = creation(authenticator);
      const made = await verifier.verifyCreation(site, answer, challenge);
      const wrong = assertion(authenticator, told);
      await assert.rejects(verifier.verifyAssertion(site, wrong, challenge, made), refused);
      await verifier.verifyAssertion(site, assertion(authenticator), challenge, made);
    });
  }

  test('the signature of another key', async () => {
    const authenticator = softwareAuthenticator(origin);
    const made = await verifier.verifyCreation(site, creation(authenticator), challenge);
    const forged = assertion(other, { id: authenticator.credentialId });
    await assert.rejects(verifier.verifyAssertion(site, forged, challenge, made), {
      ...refused,
      message: /its signature is wrong/,
    });
  });

  test('what is no answer', async () => {
    const passkey = { credentialId: 'AAAA', publicKey: 'AAAA' };
    for (const text of ['', 'null', '{}', '[]', '{"id":"AAAA","response":{}}', 'x'.repeat(99)]) {
      await assert.rejects(verifier.read(text), refused, text);
      await assert.rejects(verifier.verifyCreation(site, text, challenge), refused, text);
      const asserted = verifier.verifyAssertion(site, text, challenge, passkey);
      await assert.rejects(asserted, refused, text);
    }
  });
});

test('a verification prints nothing', () => {
  const program = [
    "import { createPasskeyVerifier } from './adapters/crypto/passkey-verifier.ts';",
    "import { softwareAuthenticator } from './test/support/scenes/software-authenticator.ts';",
    `const [site, challenge] = ['${site}', 'c'];`,
    'const verifier = createPasskeyVerifier();',
    `const authenticator = softwareAuthenticator('${origin}');`,
    "const asked = { challenge, personId: 'm', email: 'e', known: [] };",
    'const made = authenticator.create(verifier.creationOptions(site, asked));',
    'await verifier.verifyCreation(site, made, challenge);',
  ].join('\n');
  const args = ['--import', 'tsx', '--input-type=module', '-e', `${program} console.log('done');`];
  const printed = execFileSync('sh', ['-c', '"$0" "$@" 2>&1', process.execPath, ...args], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  assert.equal(printed, 'done\n');
});
