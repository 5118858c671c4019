// Checks that the configured secret keys open what the database holds. For each key that may have
// sealed something, the database keeps a check value: a known text sealed under it. The store
// rejects a batch that seals under a key without one. Only a reseal removes them (reseal.ts).
import type { KeyCheckValue } from '../../domain/service/sealed-text.js';
import type { Deps } from '../../ports/deps.js';
import type { SecretBox } from '../../ports/outside.js';

const PURPOSE = 'key-check-value';
const KNOWN_TEXT = 'These are the secret keys of this database.';

type KeyContext = Pick<Deps, 'store' | 'secretBox' | 'clock'>;

/** A message about wrong or missing keys; null if there are none. */
export async function secretKeysProblem({ store, secretBox }: KeyContext): Promise<string | null> {
  const checkValues = await store.run((tx) => tx.keyCheckValues.list());
  const closed = closedKeys(secretBox, checkValues);
  if (closed.length === 0) return null;
  const names = closed.map((keyId) => JSON.stringify(keyId)).join(', ');
  return (
    `data that is sealed in this database under the key ${names} does not open. ` +
    'Configure the keys that it was served with; a new key goes before them'
  );
}

/** The keys whose known text the configured keys do not open. */
export function closedKeys(
  secretBox: Pick<SecretBox, 'open'>,
  checkValues: readonly Pick<KeyCheckValue, 'keyId' | 'sealed'>[],
): readonly string[] {
  const closed = checkValues.filter(({ sealed }) => {
    try {
      return secretBox.open(sealed, PURPOSE) !== KNOWN_TEXT;
    } catch {
      return true;
    }
  });
  return closed.map(({ keyId }) => keyId);
}

/**
 * Stores the check value of the first key and marks it as in use. After that, no process starts
 * without this key. Returns true if this changed anything and the database knows other keys too.
 */
export async function recordKeyCheckValue({
  store,
  secretBox,
  clock,
}: KeyContext): Promise<boolean> {
  const { keyId } = secretBox;
  return store.run(
    async (tx) => {
      const checkValues = await tx.keyCheckValues.list();
      const known = checkValues.find((checkValue) => checkValue.keyId === keyId);
      if (known?.state === 'in_use') return false;
      if (known === undefined) {
        const sealed = secretBox.seal(KNOWN_TEXT, PURPOSE);
        const createdAtMs = clock.nowMs();
        tx.keyCheckValues.insert({ keyId, sealed, state: 'in_use', createdAtMs, version: 1 });
      } else {
        tx.keyCheckValues.update({ ...known, state: 'in_use' });
      }
      return checkValues.length > 0;
    },
    { inQuarantine: true },
  );
}
