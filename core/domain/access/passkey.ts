// A passkey of a person: a key pair whose private half stays with an authenticator, such as a
// phone. A signature by it proves that the person is there, as a mailed code does.
import { MINUTE_MS } from '../base/instant.js';

/** Passkeys of one person. */
export const PASSKEYS_MAX = 10;
export const PASSKEY_NAME_LENGTH_MAX = 100;
/** How long a person has to answer a challenge. */
export const CHALLENGE_MS = 5 * MINUTE_MS;

/** What an authenticator says about a new key pair. */
export interface PasskeyCredential {
  /** The authenticator's name of the key pair, in base64url. No other passkey has it. */
  readonly credentialId: string;
  /** A COSE key, in base64url. */
  readonly publicKey: string;
  /** Signatures so far; 0 from authenticators that do not count. */
  readonly signCount: number;
}

export interface Passkey extends PasskeyCredential {
  readonly id: string;
  readonly personId: string;
  /** As the person calls it. */
  readonly name: string;
  readonly createdAtMs: number;
  readonly usedAtMs: number | null;
  /** Final: the authenticator makes another key pair for the next passkey. */
  readonly removedAtMs: number | null;
  readonly version: number;
}

export function newPasskey(
  of: Pick<Passkey, 'id' | 'personId' | 'name'>,
  { credentialId, publicKey, signCount }: PasskeyCredential,
  nowMs: number,
): Passkey {
  const { id, personId, name } = of;
  return Object.freeze({
    id,
    personId,
    credentialId,
    publicKey,
    signCount,
    name,
    createdAtMs: nowMs,
    usedAtMs: null,
    removedAtMs: null,
    version: 1,
  });
}

/** Whether an authenticator that counts has counted on: a copy of it lags behind. */
export function hasCountedOn({ signCount }: Pick<Passkey, 'signCount'>, next: number): boolean {
  return (signCount === 0 && next === 0) || next > signCount;
}
