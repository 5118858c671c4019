// People and what they hold outside the database: keys of operators, session tokens of members,
// secrets of API keys. They keep it when it has ended, or a restore has lost it.
import { createPrivateKey, hash, type KeyObject } from 'node:crypto';
import type { Member, MemberRole } from '../../../core/domain/access/member.js';
import type { Person } from '../../../core/domain/access/person.js';
import {
  publicKeyOf,
  type RegisteredOperator,
  type SignedCommand,
  signedWith,
} from '../../../core/domain/access/registered-operator.js';
import type { OperatorActor } from '../../../core/domain/base/actor.js';
import type { Mode } from '../../../core/domain/base/tenant.js';
import { anOperator, operatorNamed } from '../../support/samples/operator-samples.js';
import { membersOf, operators } from './actors.js';

/** A person with a key, registered or not. */
export interface Signer {
  readonly name: string;
  readonly key: KeyObject;
  readonly publicKey: string;
}

interface Held {
  /** The token, or the secret of the key. */
  readonly text: string;
  readonly id: string;
  readonly orgId: string;
  readonly mode: Mode;
  readonly endsAtMs: number | null;
}

export interface HeldToken extends Held {
  readonly memberId: string;
}

export class People {
  /** The first ones are registered from the beginning; others are added, or are strangers. */
  readonly signers = ['ana', 'bia', 'caio', 'duda', 'eva'].map(signerNamed);
  readonly tokens: HeldToken[] = [];
  readonly apiKeys: Held[] = [];
}

/** The bytes before an Ed25519 key in DER (RFC 8410). */
const KEY_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The same name has the same key. */
function signerNamed(name: string): Signer {
  const der = Buffer.concat([KEY_PREFIX, hash('sha256', name, 'buffer')]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { name, key, publicKey: publicKeyOf(key) };
}

/** Where people act there is one more, so that one may be removed. */
export function firstOperators(act: boolean): readonly RegisteredOperator[] {
  const first = act ? [...operators, operatorNamed('caio')] : operators;
  return first.map(({ id, name }, index) =>
    anOperator({ id, name, number: index + 1, publicKey: signerNamed(name).publicKey }),
  );
}

/** A signature for the audit log alone: nobody asks whether it is admitted. */
export function signedOffline(
  command: string,
  { id, name }: OperatorActor,
  atMs: number,
): SignedCommand {
  const database = { firstOperator: operators[0]?.id ?? '', epoch: 1 };
  const toSign = { command, arguments: {}, database, operator: id, series: 0, atMs };
  return signedWith(toSign, signerNamed(name).key);
}

export function peopleOf(members: readonly Member[]): readonly Person[] {
  return members.map(({ personId: id, email, emailKey, createdAtMs }) => ({
    id,
    email,
    emailKey,
    createdAtMs,
    version: 1,
  }));
}

export function firstMembers(orgId: string, createdAtMs: number): readonly Member[] {
  const roles: readonly MemberRole[] = ['owner', 'admin'];
  return membersOf(orgId).map((id, index) => {
    const email = `${id}@example.com`;
    const role = roles[index] ?? 'viewer';
    const personId = id.replace('mem', 'per');
    const times = {
      name: null,
      acceptedAtMs: createdAtMs,
      seenAtMs: null,
      removedAtMs: null,
      createdAtMs,
    };
    return { id, orgId, personId, email, emailKey: email, role, ...times, version: 1 };
  });
}
