// Passkeys by @simplewebauthn/server, which checks types, origin, host and signature. What it
// leaves out is checked here: that the answer is of the stored credential, and that no other site
// frames the page. The person must be verified, by a fingerprint or a PIN.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { CHALLENGE_MS } from '../../core/domain/access/passkey.js';
import { PonteError } from '../../core/errors.js';
import type { PasskeyVerifier } from '../../core/ports/webauthn.js';

/** Ed25519, ES256 and RS256 in COSE, in our order of preference. */
const algorithms = [-8, -7, -257];

export function createPasskeyVerifier(): PasskeyVerifier {
  return {
    creationOptions: (site, { challenge, personId, email, known }) => ({
      challenge: encoded(challenge),
      rp: { id: hostOf(site), name: 'Ponte' },
      user: { id: encoded(personId), name: email, displayName: email },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: known.map((id) => ({ type: 'public-key', id })),
      // Discoverable: it signs in without an address.
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
      timeout: CHALLENGE_MS,
    }),
    requestOptions: (site, { challenge, known }) => ({
      challenge: encoded(challenge),
      rpId: hostOf(site),
      allowCredentials: known.map((id) => ({ type: 'public-key', id })),
      userVerification: 'required',
      timeout: CHALLENGE_MS,
    }),
    read: (answer) =>
      refusing(async ({ decodeClientDataJSON }) => {
        const { id, response } = JSON.parse(answer) as AuthenticationResponseJSON;
        const { challenge } = decodeClientDataJSON(response.clientDataJSON);
        const { userHandle = null } = response;
        expect(typeof id === 'string', 'it has no id');
        const personId = userHandle === null ? null : decoded(userHandle);
        return { credentialId: id, challenge: decoded(challenge), personId };
      }),
    verifyCreation: (site, answer, challenge) =>
      refusing(async (library) => {
        const response = JSON.parse(answer) as RegistrationResponseJSON;
        expectUnframed(library, response.response);
        expectBareAttestation(library, response);
        const { registrationInfo } = await library.verifyRegistrationResponse({
          ...expected(site, challenge),
          response,
          supportedAlgorithmIDs: algorithms,
        });
        expect(registrationInfo !== undefined, 'its attestation is wrong');
        const { id: credentialId, publicKey, counter: signCount } = registrationInfo.credential;
        expect(response.id === credentialId, 'it names another credential');
        return { credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), signCount };
      }),
    verifyAssertion: (site, answer, challenge, { credentialId, publicKey }) =>
      refusing(async (library) => {
        const response = JSON.parse(answer) as AuthenticationResponseJSON;
        expectUnframed(library, response.response);
        expect(response.id === credentialId, 'it names another credential');
        const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
          ...expected(site, challenge),
          response,
          // Of counts the use case decides, in the batch that stores them.
          credential: { id: credentialId, publicKey: bytesOf(publicKey), counter: 0 },
        });
        expect(verified, 'its signature is wrong');
        return authenticationInfo.newCounter;
      }),
  };
}

/** Loaded on first use: it costs 100 ms and 20 MB, and few processes verify a passkey. */
async function load() {
  const [server, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  return { ...server, ...helpers };
}

type Library = Awaited<ReturnType<typeof load>>;

function expected(site: string, challenge: string) {
  return {
    expectedChallenge: encoded(challenge),
    expectedOrigin: new URL(site).origin,
    expectedRPID: hostOf(site),
    requireUserVerification: true,
  };
}

function hostOf(site: string): string {
  return new URL(site).hostname;
}

function expectUnframed(
  { decodeClientDataJSON }: Library,
  response: { readonly clientDataJSON: string },
): void {
  const { crossOrigin = false, topOrigin } = decodeClientDataJSON(response.clientDataJSON);
  expect(!crossOrigin && topOrigin === undefined, 'another site framed the page');
}

/**
 * A statement with certificates was not asked for, and the library would load what they name:
 * addresses that a stranger chose.
 */
function expectBareAttestation(
  { decodeAttestationObject }: Library,
  { response }: RegistrationResponseJSON,
): void {
  const attestation = decodeAttestationObject(bytesOf(response.attestationObject));
  const isSelfSigned =
    attestation.get('fmt') === 'packed' && !attestation.get('attStmt').get('x5c');
  expect(attestation.get('fmt') === 'none' || isSelfSigned, 'it has a certificate');
}

/** Any failure is due to the answer, which anybody can send. */
async function refusing<T>(work: (library: Library) => Promise<T>): Promise<T> {
  const library = await load();
  try {
    return await work(library);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PonteError('InvalidPasskey', `The passkey is not accepted: ${reason}`);
  }
}

function expect(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
