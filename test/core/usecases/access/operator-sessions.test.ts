// Sessions of operators in the console: links, who is signed in, and for how long.
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import {
  COMMAND_LIFE_MS,
  CONSOLE_COMMAND,
} from '../../../../core/domain/access/registered-operator.js';
import {
  CONSOLE_LINK_MS,
  SESSION_IDLE_MS,
  SESSION_RETENTION_MS,
  sessionRules,
} from '../../../../core/domain/access/session.js';
import { developmentOperator } from '../../../../core/domain/base/actor.js';
import { endSession, runSessionDeletion } from '../../../../core/usecases/access/open-sessions.js';
import {
  makeConsoleLink,
  openConsoleLink,
  readConsoleLink,
  readOperatorSession,
  type SignedInOperator,
} from '../../../../core/usecases/access/operator-sessions.js';
import {
  depsOfCommand,
  removeOperator,
  signCommand,
} from '../../../../core/usecases/access/registered-operators.js';
import { createOrganization } from '../../../../core/usecases/parties/organizations.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { type Person, registered } from '../../../support/samples/operator-samples.js';
import { world } from '../../../support/scenes/test-world.js';

const invalid = { code: 'InvalidSignInLink' };

async function scene(t: TestContext) {
  const made = await world(t);
  const { deps } = made;
  const [ana, bia] = await registered(deps, ['ana', 'bia', 'eva']);
  assert.ok(ana !== undefined && bia !== undefined);
  const link = async ({ actor, key }: Person) => {
    const signed = await signCommand(deps, { command: CONSOLE_COMMAND, arguments: {} }, key);
    return (await makeConsoleLink(deps, { actor, signed })).token;
  };
  const session = async (person: Person) => openConsoleLink(deps, await link(person));
  return { made, deps, ana, bia, link, session };
}

describe('a link', () => {
  test('opens one session', async (t) => {
    const { deps, ana, link } = await scene(t);
    const token = await link(ana);
    const both = await Promise.allSettled([
      openConsoleLink(deps, token),
      openConsoleLink(deps, token),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await readConsoleLink(deps, token))?.state, 'used');
    await assert.rejects(openConsoleLink(deps, token), invalid);
  });

  test('that is over, or that a later one ended, opens nothing', async (t) => {
    const { made, deps, ana, link } = await scene(t);
    const former = await link(ana);
    const late = await link(ana);
    await assert.rejects(openConsoleLink(deps, former), invalid);
    made.advanceClock(CONSOLE_LINK_MS);
    await assert.rejects(openConsoleLink(deps, late), invalid);
    await assert.rejects(openConsoleLink(deps, 'unknown'), invalid);
  });

  test('is the only valid one of those that were made at once', async (t) => {
    const { deps, ana, link } = await scene(t);
    const signed = await signCommand(deps, { command: CONSOLE_COMMAND, arguments: {} }, ana.key);
    const made = [1, 2, 3].map(() => makeConsoleLink(deps, { actor: ana.actor, signed }));
    const states = (await Promise.all(made)).map(({ token }) => readConsoleLink(deps, token));
    const valid = (await Promise.all(states)).filter((one) => one?.state === 'valid');
    assert.equal(valid.length, 1);
    assert.equal((await readConsoleLink(deps, await link(ana)))?.state, 'valid');
  });

  test('of an operator who was removed opens nothing', async (t) => {
    const { deps, ana, bia, link } = await scene(t);
    const token = await link(bia);
    await removeOperator(deps, 'bia', ana.actor);
    assert.equal(await readConsoleLink(deps, token), null);
    await assert.rejects(openConsoleLink(deps, token), invalid);
  });
});

describe('a session', () => {
  test('is that of its operator, until a sign-out or a later link', async (t) => {
    const { deps, ana, bia, link, session } = await scene(t);
    const [one, other] = [await session(ana), await session(bia)];
    const signedIn = await readOperatorSession(deps, one.token);
    assert.deepEqual(signedIn?.actor, ana.actor);
    await endSession(deps, one.session);
    assert.equal(await readOperatorSession(deps, one.token), null);
    await link(bia);
    assert.equal(await readOperatorSession(deps, other.token), null);
  });

  test('ends by idleness and by age, before its signature does', async (t) => {
    const { made, deps, ana, session } = await scene(t);
    const idle = await session(ana);
    made.advanceClock(SESSION_IDLE_MS);
    assert.equal(await readOperatorSession(deps, idle.token), null);
    const { token } = await session(ana);
    for (let atMs = 0; atMs < sessionRules.operator.lifeMs; atMs += SESSION_IDLE_MS / 2) {
      assert.ok((await readOperatorSession(deps, token)) !== null, `${atMs}`);
      made.advanceClock(SESSION_IDLE_MS / 2);
    }
    assert.equal(await readOperatorSession(deps, token), null);
    assert.ok(sessionRules.operator.lifeMs < COMMAND_LIFE_MS);
  });

  test('a removal ends the session, and a change that runs', async (t) => {
    const { deps, ana, bia, session } = await scene(t);
    const { token, actor, session: of } = await session(bia);
    const by = { action: '/operator/money', address: null };
    const running = depsOfCommand(deps, { actor, signed: of.signed }, by);
    await removeOperator(deps, 'bia', ana.actor);
    assert.equal(await readOperatorSession(deps, token), null);
    await assert.rejects(createOrganization(running, { name: 'Acme', sandboxKyb: false }), {
      code: 'OperatorNotAllowed',
    });
  });

  test('a form that arrives after the sign-out, or a later link, changes nothing', async (t) => {
    const { deps, ana, link, session } = await scene(t);
    const by = { action: '/operator/money', address: null };
    const ends = [
      async ({ session }: SignedInOperator) => endSession(deps, session),
      async () => link(ana),
    ];
    for (const end of ends) {
      const signedIn = await session(ana);
      const running = depsOfCommand(deps, { ...signedIn, signed: signedIn.session.signed }, by);
      await createOrganization(running, { name: 'Before', sandboxKyb: false });
      await end(signedIn);
      await assert.rejects(createOrganization(running, { name: 'Late', sandboxKyb: false }), {
        code: 'OperatorNotAllowed',
      });
    }
  });

  test('from before a restore is over', async (t) => {
    const { deps, ana, link, session } = await scene(t);
    const { token } = await session(ana);
    await quarantineRestored(deps);
    assert.equal(await readOperatorSession(deps, token), null);
    const again = await openConsoleLink(deps, await link(ana));
    assert.ok((await readOperatorSession(deps, again.token)) !== null, 'also in quarantine');
  });

  test('of the development operator ends with the first registered one', async (t) => {
    const { deps } = await world(t);
    const by = { actor: developmentOperator, signed: null };
    const { token } = await openConsoleLink(deps, (await makeConsoleLink(deps, by)).token);
    assert.deepEqual((await readOperatorSession(deps, token))?.actor, developmentOperator);
    await registered(deps, ['ana']);
    assert.equal(await readOperatorSession(deps, token), null);
  });

  test('is deleted with other old sessions', async (t) => {
    const { made, deps, ana, session } = await scene(t);
    await session(ana);
    made.advanceClock(SESSION_RETENTION_MS + 1);
    assert.equal(await runSessionDeletion(deps, deps.clock.nowMs(), 10), 1);
  });
});
