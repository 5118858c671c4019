// Hashes of facts about a buyer, with the service's key that no rotation changes.
import { hmacSha256 } from '../../domain/base/hmac.js';
import type { FactHash } from '../../domain/parties/identity-facts.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { currentKeyIn } from '../service/service-keys.js';

export async function factHash(deps: Deps, tx: Tx, buyerId: string): Promise<FactHash> {
  const { bytes } = await currentKeyIn(deps, tx, 'partner');
  return (fact, text) =>
    hmacSha256(bytes)
      .update(JSON.stringify(['buyer-fact', buyerId, fact, text]))
      .digest('hex');
}
