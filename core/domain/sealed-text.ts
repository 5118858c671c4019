// Texts that a secret key has sealed, as far as they can be told without that key, and how far such
// a key is from being taken out of use. Sealing and opening are a port's matter.

/** `retiring`: it is taken out of use, unless it seals anything meanwhile. */
export const keyStates = ['in_use', 'retiring'] as const;
export type KeyState = (typeof keyStates)[number];

/** Of the form `s1.<key id>.<body>`. */
export const SEALED_VERSION = 's1';

/** The secret key that opens it; empty where it is no sealed text. */
export function keyIdOf(sealed: string): string {
  return sealed.split('.', 2)[1] ?? '';
}

/** What every text begins with that this key has sealed. */
export function sealedPrefix(keyId: string): string {
  return `${SEALED_VERSION}.${keyId}.`;
}
