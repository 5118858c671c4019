// Samples of operators: a row, and people with keys.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  type OperatorActor,
  publicKeyOf,
  type RegisteredOperator,
} from '../../../core/domain/access/registered-operator.js';
import type { Deps } from '../../../core/ports/deps.js';
import { addOperator } from '../../../core/usecases/access/registered-operators.js';
import { T0 } from './domain-samples.js';

export function anOperator(fields: Partial<RegisteredOperator> = {}): RegisteredOperator {
  return {
    id: 'opr_1',
    name: 'ana',
    publicKey: 'x'.repeat(43),
    number: 1,
    createdBy: null,
    createdAtMs: T0,
    removedBy: null,
    removedAtMs: null,
    signedAtMs: 0,
    version: 1,
    ...fields,
  };
}

export interface Person {
  readonly key: KeyObject;
  readonly publicKey: string;
  readonly actor: OperatorActor;
}

export function newKey(): Omit<Person, 'actor'> {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  return { key, publicKey: publicKeyOf(key) };
}

/** Registers people of these names, in this order, each by the one before. */
export async function registered(deps: Deps, names: readonly string[]): Promise<readonly Person[]> {
  const people: Person[] = [];
  for (const name of names) {
    const made = newKey();
    const by = people.at(-1)?.actor ?? { kind: 'operator', id: 'nobody', name: 'nobody' };
    const { id } = await addOperator(deps, { name, publicKey: made.publicKey }, by);
    people.push({ ...made, actor: { kind: 'operator', id, name } });
  }
  return people;
}
