// The form of sealed texts, `s1.<key id>.<body>`, and the states of a secret key. The secret box
// port seals and opens.

/** A `retiring` key is removed once no text needs it; sealing with it makes it `in_use` again. */
export const keyStates = ['in_use', 'retiring'] as const;
export type KeyState = (typeof keyStates)[number];

export const SEALED_VERSION = 's1';

/** Empty if this is not a sealed text. */
export function keyIdOf(sealed: string): string {
  return sealed.split('.', 2)[1] ?? '';
}

/** The beginning of every text sealed under this key. */
export function sealedPrefix(keyId: string): string {
  return `${SEALED_VERSION}.${keyId}.`;
}

/** A known text sealed under a secret key. Its presence makes every start require the key. */
export interface KeyCheckValue {
  readonly keyId: string;
  readonly sealed: string;
  readonly state: KeyState;
  readonly createdAtMs: number;
  readonly version: number;
}
