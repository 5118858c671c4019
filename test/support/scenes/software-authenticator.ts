// An authenticator in this process, for tests of passkeys: makes ES256 key pairs and answers as a
// browser does with its JSON. A test may change what it says before it signs.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

interface CreationAsked {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestAsked {
  readonly challenge: string;
  readonly rpId: string;
}

/** What differs from an honest answer of a person who was verified. */
export interface Told {
  readonly origin?: string;
  readonly host?: string;
  readonly flags?: number;
  readonly count?: number;
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** The id in the answer, which nothing signs. */
  readonly id?: string;
  readonly userHandle?: string | null;
  /** Parts of the attestation, encoded: its format and its statement. */
  readonly attestation?: readonly [string, Buffer];
}

export interface SoftwareAuthenticator {
  /** In base64url. */
  readonly credentialId: string;
  create(options: object, told?: Told): string;
  get(options: object, told?: Told): string;
}

/** One key pair, for the site of this origin. */
export function softwareAuthenticator(siteOrigin: string): SoftwareAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rawId = randomBytes(16);
  const credentialId = rawId.toString('base64url');
  let userHandle = '';
  return {
    credentialId,
    create(options, change = {}) {
      const { challenge, rp, user } = options as CreationAsked;
      userHandle = user.id;
      const about = { host: rp.id, flags: USER_PRESENT | USER_VERIFIED | HAS_CREDENTIAL };
      const credential = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, rawId.length]),
        rawId,
        coseKey(publicKey),
      ]);
      const authData = Buffer.concat([authenticatorData({ ...about, ...change }), credential]);
      const [fmt, attStmt] = change.attestation ?? ['none', Buffer.from([0xa0])];
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        textItem('fmt'),
        textItem(fmt),
        textItem('attStmt'),
        attStmt,
        textItem('authData'),
        bytesItem(authData),
      ]);
      const clientDataJSON = clientData('webauthn.create', challenge, siteOrigin, change);
      return answerOf(change.id ?? credentialId, {
        clientDataJSON: clientDataJSON.toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      });
    },
    get(options, change = {}) {
      const { challenge, rpId } = options as RequestAsked;
      const about = { host: rpId, flags: USER_PRESENT | USER_VERIFIED };
      const authData = authenticatorData({ ...about, ...change });
      const clientDataJSON = clientData('webauthn.get', challenge, siteOrigin, change);
      return answerOf(change.id ?? credentialId, {
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signed(privateKey, authData, clientDataJSON),
        ...(change.userHandle === null ? {} : { userHandle: change.userHandle ?? userHandle }),
      });
    },
  };
}

function answerOf(id: string, response: object): string {
  const type = 'public-key';
  return JSON.stringify({ id, rawId: id, type, response, clientExtensionResults: {} });
}

function clientData(type: string, challenge: string, siteOrigin: string, change: Told): Buffer {
  const { origin = siteOrigin, clientData: more = {} } = change;
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...more }));
}

function authenticatorData({ host = '', flags = 0, count = 0 }: Told): Buffer {
  const counter = Buffer.alloc(4);
  counter.writeUInt32BE(count);
  return Buffer.concat([sha256(Buffer.from(host)), Buffer.from([flags]), counter]);
}

function signed(key: KeyObject, authData: Buffer, clientDataJSON: Buffer): string {
  const text = Buffer.concat([authData, sha256(clientDataJSON)]);
  return sign('sha256', text, key).toString('base64url');
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y} in CBOR. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytesItem(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    bytesItem(Buffer.from(y, 'base64url')),
  ]);
}

function textItem(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function bytesItem(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length];
  return Buffer.concat([Buffer.from(head), bytes]);
}
