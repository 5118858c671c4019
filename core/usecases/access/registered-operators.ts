// Registers operators, and admits the signed command of one. The first one is registered without
// another operator, once; each further one by a registered operator.
import type { KeyObject } from 'node:crypto';
import {
  type CommandToSign,
  checkedOperatorName,
  checkedPublicKey,
  type DatabaseName,
  isActiveOperator,
  mayChangeAt,
  nextSignature,
  operatorActor,
  publicKeyOf,
  type RegisteredOperator,
  type SignedCommand,
  signedWith,
  verifyCommand,
} from '../../domain/access/registered-operator.js';
import { isSessionOpen, type OperatorSession } from '../../domain/access/session.js';
import { developmentOperator, type OperatorActor } from '../../domain/base/actor.js';
import type { AuditAuthor } from '../../domain/service/audit-record.js';
import { invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Store, Tx } from '../../ports/storage.js';
import { audited } from '../service/audit-log.js';

type OperatorContext = Pick<Deps, 'store' | 'clock' | 'ids'>;

/** A command that an operator gives. */
export type GivenCommand = Pick<CommandToSign, 'command' | 'arguments'>;

/** In the order in which they were registered, removed ones too. */
export function listOperators({
  store,
}: Pick<Deps, 'store'>): Promise<readonly RegisteredOperator[]> {
  return store.run((tx) => tx.operators.list());
}

/** Signs the command with a key, for the operator of the key. Null if it is not registered. */
export async function signCommand(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  given: GivenCommand,
  key: KeyObject,
): Promise<SignedCommand | null> {
  const { operator, database } = await store.run(async (tx) => ({
    operator: await tx.operators.byKey(publicKeyOf(key)),
    database: await databaseNameIn(tx),
  }));
  if (operator === null) return null;
  const { command, arguments: words } = given;
  const by = nextSignature(operator, clock.nowMs());
  return signedWith({ command, arguments: words, database, ...by }, key);
}

/**
 * Who signed the command. With `records` the signature is used up; without, it proves who reads.
 * OperatorNotAllowed.
 */
export async function admitOperator(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { command, arguments: words }: GivenCommand,
  { signed, publicKey }: { readonly signed: SignedCommand | null; readonly publicKey: string },
  { records }: { readonly records: boolean },
): Promise<OperatorActor> {
  return store.run(
    async (tx) => {
      const operator = await tx.operators.byKey(publicKey);
      if (operator === null) throw new PonteError('OperatorNotAllowed', notRegistered(publicKey));
      const expected = { command, arguments: words, database: await databaseNameIn(tx) };
      const next = verifyCommand(signed, expected, operator, clock.nowMs());
      if (records) tx.operators.update(next);
      return operatorActor(operator);
    },
    { inQuarantine: true },
  );
}

/** The first two operators are added without another one's word. */
export async function isAddedAlone(deps: Pick<Deps, 'store'>): Promise<boolean> {
  return (await listOperators(deps)).filter(isActiveOperator).length < OPERATORS_LEFT_MIN;
}

export interface NewOperator {
  readonly name: string;
  readonly publicKey: string;
}

/**
 * The first operator, who needs nobody, and the second one. ValidationError, if the name or the key
 * is registered; DecisionNotAllowed once there are two, who must both agree (`stageOperator`).
 */
export async function addOperator(
  deps: OperatorContext,
  given: NewOperator,
  by: OperatorActor,
): Promise<RegisteredOperator> {
  return deps.store.run(
    async (tx) => {
      const known = await tx.operators.list();
      if (known.filter(isActiveOperator).length >= OPERATORS_LEFT_MIN) {
        throw new PonteError('DecisionNotAllowed', 'Another operator must confirm it.');
      }
      if (known.length > 0) await expectActive(tx, by);
      return stageOperator(deps, tx, given, by);
    },
    { inQuarantine: true },
  );
}

/** ValidationError. */
export async function stageOperator(
  { clock, ids }: Pick<OperatorContext, 'clock' | 'ids'>,
  tx: Tx,
  given: NewOperator,
  by: Pick<OperatorActor, 'id'>,
): Promise<RegisteredOperator> {
  const name = checkedOperatorName(given.name);
  const publicKey = checkedPublicKey(given.publicKey);
  const known = await tx.operators.list();
  refuseKnown(known, { name, publicKey });
  const nowMs = clock.nowMs();
  const operator: RegisteredOperator = Object.freeze({
    id: ids.next('opr', nowMs),
    name,
    publicKey,
    number: known.length + 1,
    createdBy: known.length === 0 ? null : by.id,
    createdAtMs: nowMs,
    removedBy: null,
    removedAtMs: null,
    signedAtMs: 0,
    series: 0,
    version: 1,
  });
  tx.operators.insert(operator);
  return operator;
}

/** ValidationError. */
export async function expectNewOperator(tx: Tx, { name, publicKey }: NewOperator): Promise<void> {
  const checked = { name: checkedOperatorName(name), publicKey: checkedPublicKey(publicKey) };
  refuseKnown(await tx.operators.list(), checked);
}

/**
 * Refuses all commands of an operator from now on. DecisionNotAllowed if fewer than two were left:
 * the rule of two would end, or nobody could add another operator.
 */
export async function removeOperator(
  { store, clock }: OperatorContext,
  name: string,
  by: OperatorActor,
): Promise<RegisteredOperator> {
  return store.run(
    async (tx) => {
      const active = (await tx.operators.list()).filter(isActiveOperator);
      const was = active.find((one) => one.name === name);
      if (was === undefined) {
        const message = `There is no operator ${name}. Run ponte operator list.`;
        throw new PonteError('NotFound', message);
      }
      const left = active.filter((one) => one !== was);
      if (left.length < OPERATORS_LEFT_MIN) {
        const message = `${left.length} would be left. Add another operator first.`;
        throw new PonteError('DecisionNotAllowed', message);
      }
      if (was.id !== by.id) await expectActive(tx, by);
      // Two removals at once must not leave fewer.
      for (const one of left) if (one.id !== by.id) tx.operators.expect(one);
      const now = { removedBy: by.id, removedAtMs: clock.nowMs() };
      const removed = Object.freeze({ ...was, ...now });
      tx.operators.update(removed);
      return removed;
    },
    { inQuarantine: true },
  );
}

/** So that each decision can be confirmed by another operator. */
const OPERATORS_LEFT_MIN = 2;

/** Guards the batch: the operator was not removed. OperatorNotAllowed. */
export async function expectActive(tx: Tx, { id, name }: OperatorActor): Promise<void> {
  const operator = await tx.operators.get(id);
  if (operator === null || !isActiveOperator(operator)) {
    throw new PonteError('OperatorNotAllowed', `${name} is not a registered operator.`);
  }
  tx.operators.expect(operator);
}

/** The same; the development operator needs a database without operators. */
export async function expectOperator(tx: Tx, operator: OperatorActor): Promise<void> {
  if (operator.id !== developmentOperator.id) await expectActive(tx, operator);
  else if ((await tx.operators.first()) !== null) {
    throw new PonteError('OperatorNotAllowed', 'The database has operators: run ponte login.');
  }
}

/** `signed` is null while nobody is registered. */
export interface CommandIdentity {
  readonly actor: OperatorActor;
  readonly signed: SignedCommand | null;
  /** The session in the console; absent for a command of the CLI. */
  readonly session?: OperatorSession;
}

/**
 * Dependencies of a command that was admitted, or of a session in the console: each batch that
 * changes something guards its operator and the session, is within COMMAND_LIFE_MS of the
 * signature, and has a record in the audit log with it.
 */
export function depsOfCommand(
  deps: Deps,
  identity: CommandIdentity,
  by: Pick<AuditAuthor, 'action' | 'address'> & Partial<AuditAuthor>,
): Deps {
  const store = storeOfCommand(deps, identity);
  const { signed } = identity;
  const { kind, id } = identity.actor;
  return audited({ ...deps, store }, { ...by, actor: { kind, id }, signed });
}

/** A batch that changes operators, or the session, guards them itself. */
function storeOfCommand(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { actor, signed, session }: CommandIdentity,
): Store {
  return {
    kept: store.kept,
    claims: store.claims,
    migrate: () => store.migrate(),
    health: () => store.health(),
    close: () => store.close(),
    run: (work, options) =>
      store.run(async (tx) => {
        // Before the work: a table is not read after a write to it.
        const own = session && (await tx.sessions.get(['operator'], session.id));
        const value = await work(tx);
        const changed = new Set(tx.changes().map(({ table }) => table));
        if (changed.size === 0) return value;
        if (signed !== null && !mayChangeAt(signed, clock.nowMs())) {
          throw new PonteError(
            'OperatorNotAllowed',
            'The command was signed too long ago. Repeat it.',
          );
        }
        if (own !== undefined) expectOpen(tx, own, clock.nowMs());
        if (!changed.has('operators')) await expectOperator(tx, actor);
        return value;
      }, options),
  };
}

/** Guards the batch: a form that arrives after the sign-out changes nothing. */
function expectOpen(tx: Tx, session: OperatorSession | null, nowMs: number): void {
  if (session === null || !isSessionOpen(session, nowMs)) {
    throw new PonteError('OperatorNotAllowed', 'The session has ended. Open another link.');
  }
  tx.sessions.expect(session);
}

function notRegistered(publicKey: string): string {
  const command = `ponte operator add <name> --public-key ${publicKey}`;
  return `The key of this machine is not registered. Ask an operator to run:\n  ${command}`;
}

function refuseKnown(known: readonly RegisteredOperator[], { name, publicKey }: NewOperator): void {
  const namesake = known.find((one) => one.name === name && isActiveOperator(one));
  if (namesake !== undefined) throw invalid(`name: ${name} is registered.`);
  const holder = known.find((one) => one.publicKey === publicKey);
  if (holder === undefined) return;
  throw invalid(`public-key: it is the key of ${holder.name}. A key never gets another operator.`);
}

export async function databaseNameIn(tx: Tx): Promise<DatabaseName> {
  const [first, epoch] = await Promise.all([tx.operators.first(), tx.epochs.current()]);
  return { firstOperator: first?.id ?? '', epoch: epoch.number };
}
