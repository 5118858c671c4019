// Session tokens: JWTs signed with EdDSA (Ed25519). The signing keys are derived from secret bytes,
// so hosts with the same bytes accept each other's tokens. The core decides lifetime and rights.
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { SECOND_MS } from '../../core/domain/instant.js';
import { modes } from '../../core/domain/tenant.js';
import { assert } from '../../core/errors.js';
import type { TokenSigner } from '../../core/ports/outside.js';
import type { SecretKey } from './secret-box.js';

const ALGORITHM = 'EdDSA';
/** Any other token signed with these keys must have another audience. */
const ISSUER = 'ponte';
const AUDIENCE = 'session';
const SEED_BYTES = 32;
/** The prefix of the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

const payload = z.object({
  sub: z.string().min(1),
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
    algorithms: [ALGORITHM],
    issuer: ISSUER,
    audience: AUDIENCE,
    requiredClaims: ['exp'],
  };
  const keyOf = async ({ kid }: { readonly kid?: string | undefined }): Promise<KeyObject> => {
    const key = (await keys.accepted()).find(({ id }) => id === kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return createPublicKey(derive(key));
  };
  return {
    async sign({ memberId, orgId, mode, expiresAtMs }) {
      const key = await keys.signing();
      return new SignJWT({ orgId, mode })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: key.id })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(memberId)
        .setExpirationTime(Math.floor(expiresAtMs / SECOND_MS))
        .sign(derive(key));
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
        const { sub: memberId, orgId, mode, exp } = read.data;
        return { memberId, orgId, mode, expiresAtMs: exp * SECOND_MS };
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

function derive(key: SecretKey): KeyObject {
  const seed = new Uint8Array(hkdfSync('sha256', key.bytes, '', 'ponte session', SEED_BYTES));
  const der = Buffer.concat([pkcs8Head, seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
