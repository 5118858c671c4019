// The port of WebAuthn: what a page asks of the browser, and whether the answer of an authenticator
// is right. Both are JSON, as browsers read and write it. `site` is the address of the pages: a
// passkey belongs to its host, and signs its origin.
import type { Passkey, PasskeyCredential } from '../domain/access/passkey.js';

export interface PasskeyAnswer {
  readonly credentialId: string;
  readonly challenge: string;
  /** The person for whom the passkey was made; null if the authenticator did not say. */
  readonly personId: string | null;
}

export interface PasskeyVerifier {
  /** What `navigator.credentials.create` takes. `known`: credentials of authenticators to skip. */
  creationOptions(
    site: string,
    request: {
      readonly challenge: string;
      readonly personId: string;
      readonly email: string;
      readonly known: readonly string[];
    },
  ): object;
  /** What `navigator.credentials.get` takes. `known`: one of these credentials; empty: any. */
  requestOptions(
    site: string,
    request: { readonly challenge: string; readonly known: readonly string[] },
  ): object;
  /** What an answer says before it is verified. InvalidPasskey. */
  read(answer: string): Promise<PasskeyAnswer>;
  /** InvalidPasskey unless a new key pair answers this challenge on this site. */
  verifyCreation(site: string, answer: string, challenge: string): Promise<PasskeyCredential>;
  /**
   * Returns the count of signatures. InvalidPasskey unless the passkey answers this challenge on
   * this site.
   */
  verifyAssertion(
    site: string,
    answer: string,
    challenge: string,
    passkey: Pick<Passkey, 'credentialId' | 'publicKey'>,
  ): Promise<number>;
}
