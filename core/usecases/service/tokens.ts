// Tokens of sessions and links. A cookie or an address has the token, the store its hash alone.
// What the token is for is part of the hashed text.
import { linkText } from '../../domain/base/link-text.js';
import type { Deps } from '../../ports/deps.js';

/** 256 bits: a plain hash of it cannot be searched. */
export const TOKEN_BYTES = 32;

export function newToken({ ids }: Pick<Deps, 'ids'>): string {
  return linkText(ids.randomBytes(TOKEN_BYTES));
}
