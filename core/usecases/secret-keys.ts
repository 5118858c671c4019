// Whether the secret keys of this process are those of its database. A known text lies there sealed
// under each key that ever sealed: it opens, or what else is sealed under that key would not. Kept
// for each key, because nothing is sealed anew when another one becomes the first.
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

/** From now on nothing is served without the key that seals now. */
export async function plantCanary({ store, secretBox, clock }: Needs): Promise<void> {
  const { keyId } = secretBox;
  await store.run(async (tx) => {
    if ((await tx.keyCanaries.list()).some((known) => known.keyId === keyId)) return;
    const sealed = secretBox.seal(KNOWN_TEXT, PURPOSE);
    tx.keyCanaries.insert({ keyId, sealed, createdAtMs: clock.nowMs() });
  });
}
