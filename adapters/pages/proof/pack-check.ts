// Runs the script that verify.html has, outside a browser: there is one check of packs.
import type { PackKind } from '../../../core/domain/law/pack.js';
import type { PublicJwk } from '../../../core/domain/service/service-key.js';
import { assetText } from '../kit/assets.js';

export interface CheckedPack {
  readonly manifest: {
    readonly kind: PackKind;
    readonly subject: string;
    readonly issuer: string;
    /** Where the service publishes its keys. */
    readonly keys: string;
  };
  /** What signed it. */
  readonly key: Pick<PublicJwk, 'kid' | 'x'>;
  readonly payments: number;
}

interface PackCheck {
  verifyPack(bytes: Uint8Array, keys: readonly PublicJwk[] | null): Promise<CheckedPack>;
  verifyEd25519(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

let loaded: Promise<PackCheck> | null = null;

export function packCheck(): Promise<PackCheck> {
  const source = () => Buffer.from(assetText('verify-pack.js')).toString('base64');
  loaded ??= import(`data:text/javascript;base64,${source()}`);
  return loaded;
}
