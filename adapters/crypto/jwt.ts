// Session tokens: JWTs signed with EdDSA (Ed25519). The signing keys are derived from secret bytes,
// so hosts with the same bytes accept each other's tokens. The core decides lifetime and rights.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { SECOND_MS } from '../../core/domain/base/instant.js';
import { modes } from '../../core/domain/base/tenant.js';
import { ed25519Key, SIGNATURE_ALGORITHM } from '../../core/domain/service/service-key.js';
import { assert } from '../../core/errors.js';
import type { TokenSigner } from '../../core/ports/outside.js';
import type { SecretKey } from './secret-box.js';

/** Any other token signed with these keys must have another audience. */
const ISSUER = 'ponte';
const AUDIENCE = 'session';
const KEY_LABEL = 'ponte session';

const payload = z.object({
  sub: z.string().min(1),
  sid: z.string().min(1),
  orgId: z.string().min(1),
  mode: z.enum(modes),
  exp: z.int(),
});

/** Called for each token, so that a rotation takes effect immediately. */
export interface TokenKeys {
  signing(): Promise<SecretKey>;
  accepted(): Promise<readonly SecretKey[]>;
}

/**
 * The first key signs, all keys verify. To replace a key, add the new one at the end on every host,
 * move it to the front on every host, and remove the old one when its tokens have expired.
 */
export function fixedKeys(keys: readonly SecretKey[]): TokenKeys {
  const first = keys[0];
  assert(first !== undefined, 'a token signer needs at least one key');
  return { signing: async () => first, accepted: async () => keys };
}

export function createTokenSigner(keys: TokenKeys): TokenSigner {
  const options = {
    algorithms: [SIGNATURE_ALGORITHM],
    issuer: ISSUER,
    audience: AUDIENCE,
    requiredClaims: ['exp'],
  };
  const keyOf = async ({ kid }: { readonly kid?: string | undefined }): Promise<KeyObject> => {
    const key = (await keys.accepted()).find(({ id }) => id === kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return createPublicKey(ed25519Key(key, KEY_LABEL));
  };
  return {
    async sign({ memberId, sessionId, orgId, mode, expiresAtMs }) {
      const key = await keys.signing();
      return new SignJWT({ sid: sessionId, orgId, mode })
        .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ: 'JWT', kid: key.id })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(memberId)
        .setExpirationTime(Math.floor(expiresAtMs / SECOND_MS))
        .sign(ed25519Key(key, KEY_LABEL));
    },
    async verify(token, nowMs) {
      if (!isCanonical(token)) return null;
      try {
        const verified = await jwtVerify(token, keyOf, {
          ...options,
          currentDate: new Date(nowMs),
        });
        const read = payload.safeParse(verified.payload);
        if (!read.success) return null;
        const { sub: memberId, sid: sessionId, orgId, mode, exp } = read.data;
        return { memberId, sessionId, orgId, mode, expiresAtMs: exp * SECOND_MS };
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}

/** Several last characters of a signature decode to the same bytes; only one is accepted. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
