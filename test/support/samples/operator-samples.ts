// Samples of operators: a row, and people with keys.

import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  publicKeyOf,
  type RegisteredOperator,
} from '../../../core/domain/access/registered-operator.js';
import type { OperatorSession } from '../../../core/domain/access/session.js';
import { unused } from '../../../core/domain/access/session.js';
import type { OperatorActor } from '../../../core/domain/base/actor.js';
import type { Deps } from '../../../core/ports/deps.js';
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
    series: 0,
    version: 1,
    ...fields,
  };
}

export function anOperatorSession(fields: Partial<OperatorSession> = {}): OperatorSession {
  return {
    ...unused,
    id: 'ops_1',
    kind: 'operator',
    operatorId: 'opr_1',
    signed: { text: '{}', signature: 'x' },
    linkHash: 'link',
    createdAtMs: T0,
    tokenHash: 'token',
    seenAtMs: T0,
    endsAtMs: T0,
    endedAtMs: null,
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

/** Registers people of these names. */
export async function registered(
  { store }: Pick<Deps, 'store'>,
  names: readonly string[],
): Promise<readonly Person[]> {
  const people = names.map((name) => ({ ...newKey(), actor: operatorNamed(name) }));
  await store.run(async (tx) => {
    for (const [index, { publicKey, actor }] of people.entries()) {
      tx.operators.insert(anOperator({ ...named(actor, index), publicKey }));
    }
  });
  return people;
}

/** Stores them without keys: they sign nothing. */
export async function registerOperators(
  store: Deps['store'],
  operators: readonly OperatorActor[],
): Promise<void> {
  await store.run(async (tx) => {
    for (const [index, actor] of operators.entries()) {
      tx.operators.insert(anOperator({ ...named(actor, index), publicKey: actor.id }));
    }
  });
}

function named({ id, name }: OperatorActor, index: number): Partial<RegisteredOperator> {
  return { id, name, number: index + 1 };
}

export function operatorNamed(name: string): OperatorActor {
  return { kind: 'operator', id: `opr_${name}`, name };
}
