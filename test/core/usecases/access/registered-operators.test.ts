// Operators: who is registered by whom, and which signed commands are admitted.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import {
  COMMAND_LIFE_MS,
  type CommandToSign,
  isActiveOperator,
  SIGNATURE_AGE_MAX_MS,
  type SignedCommand,
  signedWith,
} from '../../../../core/domain/access/registered-operator.js';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import {
  addOperator,
  admitOperator,
  depsOfCommand,
  listOperators,
  removeOperator,
  signCommand,
} from '../../../../core/usecases/access/registered-operators.js';
import {
  createOrganization,
  listOrganizations,
} from '../../../../core/usecases/parties/organizations.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { newKey, type Person, registered } from '../../../support/samples/operator-samples.js';
import { type World, world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

const given = { command: 'org support', arguments: { ids: ['org_1'], email: 'a@b.example' } };
const notAllowed = { code: 'OperatorNotAllowed' };

async function scene(t: TestContext) {
  const made = await world(t);
  const [ana, bia, eva] = await registered(made.deps, ['ana', 'bia', 'eva']);
  assert.ok(ana !== undefined && bia !== undefined && eva !== undefined);
  return { made, ana, bia, eva };
}

async function signedBy({ deps }: World, { key }: Pick<Person, 'key'>): Promise<SignedCommand> {
  const signed = (await signCommand(deps, given, key)) ?? assert.fail();
  return signed;
}

/** What this person would sign now. */
async function commandOf({ deps }: World, { actor }: Person): Promise<CommandToSign> {
  const { number: epoch } = await deps.store.run((tx) => tx.epochs.current());
  const [first] = await listOperators(deps);
  const database = { firstOperator: first?.id ?? '', epoch };
  return { ...given, database, operator: actor.id, series: 0, atMs: deps.clock.nowMs() };
}

/** Admits it as a command of this person. */
function admit(
  { deps }: World,
  { publicKey }: Pick<Person, 'publicKey'>,
  signed: SignedCommand | null,
  command: typeof given = given,
  records = true,
) {
  return admitOperator(deps, command, { signed, publicKey }, { records });
}

describe('a command', () => {
  test('is admitted with the signature of its operator, who is stored with it', async (t) => {
    const { made, ana } = await scene(t);
    assert.deepEqual(await admit(made, ana, await signedBy(made, ana)), ana.actor);
  });

  test('is refused without a signature', async (t) => {
    const { made, ana } = await scene(t);
    await assert.rejects(admit(made, ana, null), notAllowed);
  });

  test('is refused with the signature of another key', async (t) => {
    const { made, ana, bia } = await scene(t);
    const toSign = await commandOf(made, ana);
    await admit(made, ana, signedWith(toSign, ana.key));
    made.advanceClock(1);
    const later = { ...toSign, atMs: made.deps.clock.nowMs() };
    await assert.rejects(admit(made, ana, signedWith(later, bia.key)), notAllowed);
  });

  test('is refused with a key that is not registered', async (t) => {
    const { made, ana } = await scene(t);
    const stranger = newKey();
    assert.equal(await signCommand(made.deps, given, stranger.key), null);
    await assert.rejects(admit(made, stranger, await signedBy(made, ana)), notAllowed);
  });

  test('is refused once its operator is removed, also with a signature of before', async (t) => {
    const { made, ana, eva } = await scene(t);
    const signed = await signedBy(made, eva);
    await removeOperator(made.deps, 'eva', ana.actor);
    await assert.rejects(admit(made, eva, signed), notAllowed);
    await assert.rejects(admit(made, eva, await signedBy(made, eva)), notAllowed);
  });

  test('is admitted once: a replayed command is refused, and so is an older one', async (t) => {
    const { made, ana } = await scene(t);
    const older = await signedBy(made, ana);
    made.advanceClock(1);
    const signed = await signedBy(made, ana);
    await admit(made, ana, signed);
    await assert.rejects(admit(made, ana, signed), notAllowed);
    await assert.rejects(admit(made, ana, older), notAllowed);
  });

  test('is admitted once of two that are sent at the same time', async (t) => {
    const { made, ana } = await scene(t);
    const signed = await signedBy(made, ana);
    const ends = await Promise.allSettled([admit(made, ana, signed), admit(made, ana, signed)]);
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  test('that only reads leaves its signature unused', async (t) => {
    const { made, ana } = await scene(t);
    const signed = await signedBy(made, ana);
    await admit(made, ana, signed, given, false);
    assert.deepEqual(await admit(made, ana, signed), ana.actor);
  });

  test('is refused with tampered arguments or under another name', async (t) => {
    const { made, ana } = await scene(t);
    const signed = await signedBy(made, ana);
    const other = { ids: ['org_1'], email: 'thief@b.example' };
    await assert.rejects(admit(made, ana, signed, { ...given, arguments: other }), notAllowed);
    const grant = { ...given, command: 'org grant-production' };
    await assert.rejects(admit(made, ana, signed, grant), notAllowed);
  });

  test('is refused if its time is no number', async (t) => {
    const { made, ana } = await scene(t);
    const toSign = await commandOf(made, ana);
    for (const atMs of ['x', '', null, {}, [], true, `${toSign.atMs}`, toSign.atMs + 0.5]) {
      const signed = signedWith({ ...toSign, atMs: atMs as number }, ana.key);
      await assert.rejects(admit(made, ana, signed), notAllowed, JSON.stringify(atMs));
    }
  });

  test('of another database is refused, although its operator has the same id', async (t) => {
    const { made, ana } = await scene(t);
    const toSign = await commandOf(made, ana);
    const database = { ...toSign.database, firstOperator: 'opr_elsewhere' };
    const foreign = signedWith({ ...toSign, database }, ana.key);
    await assert.rejects(admit(made, ana, foreign), notAllowed);
    await admit(made, ana, signedWith(toSign, ana.key));
  });

  test('of before a restore is refused after it; a new one is admitted in quarantine', async (t) => {
    const { made, ana } = await scene(t);
    const signed = await signedBy(made, ana);
    await quarantineRestored(made.deps);
    await assert.rejects(admit(made, ana, signed), notAllowed);
    assert.deepEqual(await admit(made, ana, await signedBy(made, ana)), ana.actor);
  });

  test('changes nothing more a day after its signature', async (t) => {
    const { made, ana } = await scene(t);
    const { deps } = made;
    const signed = await signedBy(made, ana);
    const author = { action: given.command, address: null };
    const command = depsOfCommand(deps, { actor: ana.actor, signed }, author);
    const change = () => createOrganization(command, { name: 'Acme', sandboxKyb: false });
    made.advanceClock(COMMAND_LIFE_MS);
    await change();
    made.advanceClock(1);
    await assert.rejects(change(), notAllowed);
    assert.equal((await listOrganizations(deps)).length, 1);
  });

  test('is admitted once a clock that was ahead is right, and one of before never', async (t) => {
    const { made, ana } = await scene(t);
    const aheadMs = 8 * DAY_MS;
    made.advanceClock(aheadMs);
    const used = await signedBy(made, ana);
    await admit(made, ana, used);
    const unused = await signedBy(made, ana);
    made.advanceClock(-aheadMs);
    const first = await signedBy(made, ana);
    assert.deepEqual(await admit(made, ana, first), ana.actor);
    assert.deepEqual(await admit(made, ana, await signedBy(made, ana)), ana.actor);
    made.advanceClock(1);
    await assert.rejects(admit(made, ana, first), notAllowed, 'it was used');
    for (const passedMs of [0, aheadMs]) {
      made.advanceClock(passedMs);
      for (const ahead of [used, unused]) await assert.rejects(admit(made, ana, ahead), notAllowed);
    }
    assert.deepEqual(await admit(made, ana, await signedBy(made, ana)), ana.actor);
  });

  test('that was signed long ago, or is of a clock far ahead, is refused', async (t) => {
    for (const aside of [-1, 1]) {
      const { made, ana } = await scene(t);
      const signed = await signedBy(made, ana);
      made.advanceClock(aside * (SIGNATURE_AGE_MAX_MS + 1));
      await assert.rejects(admit(made, ana, signed), notAllowed);
    }
  });
});

describe('operators', () => {
  test('the first one needs nobody, once: of two at the same time one is the first', async (t) => {
    const { deps } = await world(t);
    const nobody = { kind: 'operator', id: 'nobody', name: 'nobody' } as const;
    const ends = await Promise.allSettled(
      ['ana', 'bia'].map((name) =>
        addOperator(deps, { name, publicKey: newKey().publicKey }, nobody),
      ),
    );
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.deepEqual(valuesOf(await listOperators(deps), 'createdBy'), [null]);
  });

  test('the second one is added by the first', async (t) => {
    const { deps } = await world(t);
    const [ana = assert.fail()] = await registered(deps, ['ana']);
    const bia = { name: 'bia', publicKey: newKey().publicKey };
    const nobody = { ...ana.actor, id: 'opr_nobody' };
    await assert.rejects(addOperator(deps, bia, nobody), notAllowed);
    const added = await addOperator(deps, bia, ana.actor);
    assert.deepEqual([added.createdBy, added.number], [ana.actor.id, 2]);
  });

  test('nobody adds another one alone once there are two', async (t) => {
    const { made, ana } = await scene(t);
    const noa = { name: 'noa', publicKey: newKey().publicKey };
    const add = addOperator(made.deps, noa, ana.actor);
    await assert.rejects(add, { code: 'DecisionNotAllowed' });
  });

  test('names look different from each other, and keys are Ed25519 keys', async (t) => {
    const made = await world(t);
    const [ana = assert.fail()] = await registered(made.deps, ['ana']);
    const { publicKey } = newKey();
    const invalid = { code: 'ValidationError' };
    for (const name of ['', 'Ana', 'ana ', 'ana\u200b', 'anä', 'ana', 'development', '-x']) {
      const add = addOperator(made.deps, { name, publicKey }, ana.actor);
      await assert.rejects(add, invalid, JSON.stringify(name));
    }
    for (const key of ['', 'x', `${publicKey}x`, ana.publicKey]) {
      const add = addOperator(made.deps, { name: 'noa', publicKey: key }, ana.actor);
      await assert.rejects(add, invalid, key);
    }
  });

  test('the last one cannot be removed', async (t) => {
    const { deps } = await world(t);
    const [ana = assert.fail()] = await registered(deps, ['ana']);
    const removal = removeOperator(deps, 'ana', ana.actor);
    await assert.rejects(removal, { code: 'DecisionNotAllowed' });
  });

  test('one whom a restore brought back is removed again in quarantine', async (t) => {
    const { made, ana, eva } = await scene(t);
    await quarantineRestored(made.deps);
    await removeOperator(made.deps, 'eva', ana.actor);
    await assert.rejects(admit(made, eva, await signedBy(made, eva)), notAllowed);
  });

  test('two are left by each removal, also by two removals at the same time', async (t) => {
    const { made, ana } = await scene(t);
    const ends = await Promise.allSettled([
      removeOperator(made.deps, 'bia', ana.actor),
      removeOperator(made.deps, 'eva', ana.actor),
    ]);
    assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const left = (await listOperators(made.deps)).filter(isActiveOperator);
    assert.equal(left.length, 2);
    for (const { name } of left) {
      const removal = removeOperator(made.deps, name, ana.actor);
      await assert.rejects(removal, { code: 'DecisionNotAllowed' });
    }
    await assert.rejects(removeOperator(made.deps, 'nobody', ana.actor), { code: 'NotFound' });
  });
});
