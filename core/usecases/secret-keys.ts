// Whether the secret keys of this process are those of its database. A known text lies there sealed
// under each key under which anything may be sealed: it opens, or the rest would not. The store
// applies a batch that seals only beside the known text of its key, and reseal.ts takes one away
// when nothing is left under its key; so no key is forgotten while something needs it.
import type { Deps } from '../ports.js';

const PURPOSE = 'key-canary';
const KNOWN_TEXT = 'These are the secret keys of this database.';

type Needs = Pick<Deps, 'store' | 'secretBox' | 'clock'>;

/** Which keys are wrong or not configured, in words; null when everything opens. */
export async function secretKeysProblem({ store, secretBox }: Needs): Promise<string | null> {
  const canaries = await store.run((tx) => tx.keyCanaries.list());
  const closed = canaries.filter(({ sealed }) => {
    try {
      return secretBox.open(sealed, PURPOSE) !== KNOWN_TEXT;
    } catch {
      return true;
    }
  });
  if (closed.length === 0) return null;
  const names = closed.map(({ keyId }) => JSON.stringify(keyId)).join(', ');
  return (
    `what this database keeps sealed under the key ${names} does not open. ` +
    'Give the very keys that it was served with; a new one goes before them'
  );
}

/**
 * From now on nothing is served without the key that seals now. False where that is as it was, or
 * there was no key before.
 */
export async function plantCanary({ store, secretBox, clock }: Needs): Promise<boolean> {
  const { keyId } = secretBox;
  return store.run(async (tx) => {
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
  });
}
