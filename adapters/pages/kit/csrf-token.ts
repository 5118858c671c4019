// The token that a form carries to show that a page of its session made it.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Deps } from '../../../core/ports/deps.js';

export function csrfToken(
  { secretBox }: Pick<Deps, 'secretBox'>,
  { id }: { readonly id: string },
): string {
  return secretBox.mac(id, 'page csrf');
}

/** In constant time; false without a session. */
export function isCsrfToken(sent: string, expected: string | null): boolean {
  if (expected === null) return false;
  return timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', expected, 'buffer'));
}
