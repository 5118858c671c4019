// Outages of what the service depends on: a partner that does not answer, a store that fails. Tests
// put them in place of the working parts.
import type { FakePartner } from '../../../adapters/partner/fake.js';
import { type ErrorCode, PonteError } from '../../../core/errors.js';
import type { Deps } from '../../../core/ports/deps.js';
import { changedPartner } from '../../support/partners/changed-partner.js';
import type { World } from '../../support/scenes/test-world.js';

const noAnswer = async () => ({ outcome: 'unknown', reason: 'no answer' }) as const;

/** Does not answer the calls that are made within a request. */
export const silentPartner = ({ partner }: World): FakePartner =>
  changedPartner(partner, {
    startTos: noAnswer,
    party: { prepare: noAnswer },
    registerPixDestination: noAnswer,
    quote: noAnswer,
    ...(partner.sandbox === undefined ? {} : { sandbox: { ...partner.sandbox, quote: noAnswer } }),
  });

export function failingStore({ store }: Deps, code: ErrorCode): Pick<Deps, 'store'> {
  const run = async () => {
    throw new PonteError(code);
  };
  return { store: { ...store, kept: { key: () => null, view: () => null }, run } };
}

/** Replaces properties of an object. The returned function restores them. */
export function override<T extends object>(target: T, properties: Partial<T>): () => void {
  const before = { ...target };
  Object.assign(target, properties);
  return () => {
    Object.assign(target, before);
  };
}
