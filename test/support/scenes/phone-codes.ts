// Reads the codes that the pages show for phones: a code whose link is known has the same drawing.
import assert from 'node:assert/strict';
import { encode } from 'uqr';
import { linkText } from '../../../core/domain/base/link-text.js';
import type { Deps } from '../../../core/ports/deps.js';
import { TOKEN_BYTES } from '../../../core/usecases/service/tokens.js';

export interface PhoneCodes {
  /** The link of the code on this page, whose token was drawn since. */
  linkIn(page: string): string;
}

/** Notes every token that the service draws from now on. */
export function phoneCodes({ ids, settings }: Pick<Deps, 'ids' | 'settings'>): PhoneCodes {
  const tokens: string[] = [];
  const { randomBytes } = ids;
  Object.assign(ids, {
    randomBytes(count: number) {
      const bytes = randomBytes(count);
      if (count === TOKEN_BYTES) tokens.push(linkText(bytes));
      return bytes;
    },
  });
  return {
    linkIn(page) {
      const path = /action="([^"]+\/kyc\/phone)"/.exec(page)?.[1] ?? '';
      return (
        tokens
          .map((token) => `${settings.payUrl}${path}/enter?token=${token}`)
          .find((link) => page.includes(`d="${drawingOf(link)}"`)) ??
        assert.fail('the page has the code of a link')
      );
    },
  };
}

function drawingOf(text: string): string {
  const { data } = encode(text, { border: 4, ecc: 'M' });
  return data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
}
