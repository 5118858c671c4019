// Checks that the configured secret keys open what the database holds. The database keeps a canary,
// a known text, sealed under each key that may have sealed something. The store rejects a batch
// that seals under a key without a canary. Only a reseal removes canaries (reseal.ts).
import type { Deps, KeyCanary, SecretBox } from '../ports.js';

const PURPOSE = 'key-canary';
const KNOWN_TEXT = 'These are the secret keys of this database.';

type Needs = Pick<Deps, 'store' | 'secretBox' | 'clock'>;

/** Which keys are wrong or not configured, in words; null when everything opens. */
export async function secretKeysProblem({ store, secretBox }: Needs): Promise<string | null> {
  const canaries = await store.run((tx) => tx.keyCanaries.list());
  const closed = closedKeys(secretBox, canaries);
  if (closed.length === 0) return null;
  const names = closed.map((keyId) => JSON.stringify(keyId)).join(', ');
  return (
    `what this database keeps sealed under the key ${names} does not open. ` +
    'Give the very keys that it was served with; a new one goes before them'
  );
}

/** The keys whose known text the configured keys do not open. */
export function closedKeys(
  secretBox: Pick<SecretBox, 'open'>,
  canaries: readonly Pick<KeyCanary, 'keyId' | 'sealed'>[],
): readonly string[] {
  const closed = canaries.filter(({ sealed }) => {
    try {
      return secretBox.open(sealed, PURPOSE) !== KNOWN_TEXT;
    } catch {
      return true;
    }
  });
  return closed.map(({ keyId }) => keyId);
}

/**
 * Stores the canary of the first key and marks it as in use. After that, no process starts without
 * this key. Returns true if this changed anything and the database knows other keys too.
 */
export async function plantCanary({ store, secretBox, clock }: Needs): Promise<boolean> {
  const { keyId } = secretBox;
  return store.run(
    async (tx) => {
      const canaries = await tx.keyCanaries.list();
      const known = canaries.find((canary) => canary.keyId === keyId);
      if (known?.state === 'in_use') return false;
      if (known === undefined) {
        const sealed = secretBox.seal(KNOWN_TEXT, PURPOSE);
        const createdAtMs = clock.nowMs();
        tx.keyCanaries.insert({ keyId, sealed, state: 'in_use', createdAtMs, version: 1 });
      } else {
        tx.keyCanaries.update({ ...known, state: 'in_use' });
      }
      return canaries.length > 0;
    },
    { inQuarantine: true },
  );
}
