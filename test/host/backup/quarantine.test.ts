// What the workers and operators of a deployment do in quarantine: nothing leaves, nothing is
// decided, and all of it goes on after the release without a restart.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Deps } from '../../../core/ports/deps.js';
import { retryCommand } from '../../../core/usecases/commands/command-retries.js';
import { commandRunner } from '../../../core/usecases/commands/command-runner.js';
import { runMails } from '../../../core/usecases/mail/mails.js';
import { cancelPayment } from '../../../core/usecases/payments/payments.js';
import { runAdvances } from '../../../core/usecases/sandbox/sandbox.js';
import { endQuarantine, quarantineRestored } from '../../../core/usecases/service/epochs.js';
import { replayAllDead } from '../../../core/usecases/webhooks/deliveries.js';
import { deliveryRunner } from '../../../core/usecases/webhooks/delivery-runner.js';
import { createSubscription } from '../../../core/usecases/webhooks/subscriptions.js';
import { workerSteps } from '../../../host/workers.js';
import { operatorDoes } from '../../support/operator-action.js';
import { type Scene, scene } from '../../support/scenes/command-scene.js';
import { askForLink } from '../../support/scenes/made-payments.js';
import { valuesOf } from '../../support/values-of.js';

const outward = ['startTos', 'registerPixDestination', 'provisionRails', 'quote'] as const;
const commandKinds = ['party', 'payin', 'payout', 'refund'] as const;

/** Names of what reaches the world outside from now on. */
function watched({ made }: Scene): string[] {
  const seen: string[] = [];
  const watch = (of: object, name: string, called = name) => {
    const usual = Reflect.get(of, name) as (...given: unknown[]) => unknown;
    Reflect.set(of, name, (...given: unknown[]) => {
      seen.push(called);
      return usual.apply(of, given);
    });
  };
  for (const name of outward) watch(made.partner, name);
  for (const kind of commandKinds) {
    for (const name of ['start', 'read']) watch(made.partner[kind], name, `${kind}.${name}`);
  }
  watch(made.deps.sender, 'send');
  watch(made.deps.mailer, 'send');
  return seen;
}

/** Every worker of a process runs once, as a started host runs them. */
function workers(deps: Deps) {
  const runners = { commands: commandRunner(deps), deliveries: deliveryRunner(deps) };
  const steps = workerSteps({ deps, runners });
  return async () => {
    let done = 0;
    for (const step of steps) done += await step.run(deps.clock.nowMs(), 100);
    await Promise.all([runners.commands.idle(), runners.deliveries.idle()]);
    return done;
  };
}

/** A payment whose pay-in is about to be ordered, with a subscription of which an event waits. */
async function aboutToSend(t: TestContext): Promise<Scene> {
  const at = await scene(t);
  const { deps, partner } = at.made;
  const url = 'https://receiver.example/hooks';
  await createSubscription(deps, at.tenant, { url, eventTypes: ['*'] });
  const commands = commandRunner(deps);
  for (;;) {
    await runAdvances(deps, deps.clock.nowMs(), 100);
    if ((await at.commands('payin')).length > 0) return at;
    await commands.runOnce(deps.clock.nowMs(), 100);
    await commands.idle();
    await partner.sendDueMessages(deps.clock.nowMs(), 100);
    at.made.advanceClock(1_000);
  }
}

const release = { by: 'ana', forcedBecause: 'a test' };

for (const name of ['deliveries', 'mails'] as const) {
  test(`${name} that were claimed before a quarantine began are sent after it only`, async (t) => {
    const at = await aboutToSend(t);
    const { deps } = at.made;
    const { payment } = await at.read();
    await askForLink(deps, payment);
    const sent: string[] = [];
    const of = name === 'mails' ? deps.mailer : deps.sender;
    const send = of.send.bind(of) as (given: unknown) => unknown;
    Reflect.set(of, 'send', (given: unknown) => {
      sent.push(name);
      return send(given);
    });
    // It begins between the claim and what is done with it.
    const { claims } = deps.store;
    const claim = claims[name].bind(claims) as (given: unknown) => Promise<readonly unknown[]>;
    let claimed: readonly unknown[] = [];
    Reflect.set(claims, name, async (given: unknown) => {
      const rows = await claim(given);
      if (claimed.length === 0 && rows.length > 0) {
        claimed = rows;
        await quarantineRestored(deps);
      }
      return rows;
    });
    // The deliveries of a new event are handed over without a claim: these wait for theirs.
    const deliveries = deliveryRunner(deps);
    const run = async () => {
      await deliveries.runOnce(deps.clock.nowMs(), 100);
      await deliveries.idle();
      await runMails(deps, deps.clock.nowMs(), 100);
    };
    await run();
    assert.ok(claimed.length > 0);
    at.made.advanceClock(120_000);
    await run();
    assert.deepEqual(sent, []);
    await endQuarantine(deps, release);
    await run();
    assert.ok(sent.length >= claimed.length);
  });
}

test('in quarantine no worker reaches outside or decides, and all goes on after it', async (t) => {
  const at = await aboutToSend(t);
  const { deps, partner } = at.made;
  const before = await at.shown();
  const seen = watched(at);
  const run = workers(deps);
  await quarantineRestored(deps);
  const logged = at.made.log.length;
  for (let look = 0; look < 5; look += 1) {
    assert.equal(await run(), 0);
    await partner.sendDueMessages(deps.clock.nowMs(), 100);
    at.made.advanceClock(60_000);
  }
  assert.equal(seen.join(), '');
  assert.deepEqual(await at.shown(), before);
  assert.deepEqual(at.made.log.slice(logged), [], 'nothing fails');
  await endQuarantine(deps, release);
  while ((await run()) > 0) await partner.sendDueMessages(deps.clock.nowMs(), 100);
  await at.pass(20);
  assert.equal((await at.shown())[0], 'settled');
  assert.deepEqual(
    ['send', 'payin.start', 'payout.start'].filter((name) => !seen.includes(name)),
    [],
  );
});

test('in quarantine people change no payment, command or delivery', async (t) => {
  const at = await aboutToSend(t);
  const { deps } = at.made;
  const { id } = await at.command('payin');
  await quarantineRestored(deps);
  for (const change of [
    () => cancelPayment(deps, at.tenant, at.id, 'withdrawn'),
    () => operatorDoes(deps, at.id, { verb: 'fail', reason: 'given up' }),
    () => retryCommand(deps, id),
  ]) {
    await assert.rejects(change(), { code: 'InQuarantine' });
  }
  assert.equal(await replayAllDead(deps), 0);
});

test('a message of the partner is kept in quarantine and applied after the release', async (t) => {
  const at = await aboutToSend(t);
  const { deps, partner } = at.made;
  const commands = commandRunner(deps);
  await commands.runOnce(deps.clock.nowMs(), 100);
  await commands.idle();
  await quarantineRestored(deps);
  const before = await at.shown();
  assert.ok((await partner.sendDueMessages(deps.clock.nowMs(), 100)) > 0);
  const waiting = { nowMs: deps.clock.nowMs() + 3_600_000, limit: 10, after: null };
  const kept = await deps.store.run((tx) => tx.inbox.unapplied(waiting));
  assert.deepEqual(valuesOf(kept, 'tries'), [0]);
  assert.deepEqual(await at.shown(), before);
  await endQuarantine(deps, release);
  await at.pass(20);
  assert.equal((await at.shown())[0], 'settled');
});
