// The worker of partner commands: a call that hangs takes one place and delays nobody else.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import {
  COMMAND_LEASE_MS,
  requestPurpose,
} from '../../../../core/domain/commands/partner-command.js';
import type { WorkKind } from '../../../../core/ports/deps.js';
import type { PartnerAnswer, PartyReport } from '../../../../core/ports/partner.js';
import type { Store } from '../../../../core/ports/storage.js';
import { commandRunner, runCommand } from '../../../../core/usecases/commands/command-runner.js';
import { confirmQuote } from '../../../../core/usecases/hosted/buyer-steps.js';
import { readPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import type { Runner } from '../../../../core/usecases/service/concurrency-limiter.js';
import { quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { changedPartner, changePartner } from '../../../support/partners/changed-partner.js';
import { aPartyCommand } from '../../../support/samples/domain-samples.js';
import { settler, world } from '../../../support/scenes/test-world.js';
import { until } from '../../../support/wait.js';

type Answer = PartnerAnswer<PartyReport>;

const notNow: Answer = { outcome: 'later', reason: 'busy' };
const polled = { state: 'done', tries: 0, request: null } as const;

/** Commands that the partner is asked about; those of `hangs` it answers when the test says so. */
async function desk(t: TestContext, ids: readonly string[], hangs: readonly string[]) {
  const made = await world(t);
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const asked: string[] = [];
  const woken: WorkKind[] = [];
  const read = async (partnerRef: string) => {
    asked.push(partnerRef);
    return hangs.includes(partnerRef) ? promise : notNow;
  };
  const deps = {
    ...made.deps,
    partners: { test: changedPartner(made.partner, { party: { read } }), live: null },
    wake: (work: WorkKind) => woken.push(work),
  };
  const dueAtMs = deps.clock.nowMs();
  await deps.store.run(async (tx) => {
    for (const id of ids) {
      tx.commands.insert(aPartyCommand({ ...polled, id, partnerRef: id, dueAtMs }));
    }
  });
  return {
    deps,
    asked,
    woken,
    release: () => resolve(notNow),
    runAll: async (runner: Runner) => {
      while ((await runner.runOnce(deps.clock.nowMs(), 100)) > 0);
    },
    triesOf: async (id: string) => (await deps.store.run((tx) => tx.commands.get(id)))?.tries,
  };
}

test('a call that hangs holds up no other command', async (t) => {
  const at = await desk(t, ['cmd_a', 'cmd_b', 'cmd_c'], ['cmd_a']);
  const runner = commandRunner(at.deps);
  await at.runAll(runner);
  await until(() => runner.inFlight() === 1);
  assert.deepEqual([await at.triesOf('cmd_b'), await at.triesOf('cmd_c')], [1, 1]);
  assert.equal(await at.triesOf('cmd_a'), 0);
  at.release();
  await runner.idle();
  assert.deepEqual([runner.inFlight(), await at.triesOf('cmd_a')], [0, 1]);
});

test('no more commands are in flight than there are slots, and a free slot wakes the worker', async (t) => {
  const at = await desk(t, ['cmd_a', 'cmd_b', 'cmd_c'], ['cmd_a', 'cmd_b']);
  const runner = commandRunner(at.deps, 2);
  await at.runAll(runner);
  assert.equal(runner.inFlight(), 2);
  assert.deepEqual(at.asked, ['cmd_a', 'cmd_b']);
  assert.deepEqual(at.woken, []);
  at.release();
  await runner.idle();
  assert.deepEqual(at.woken, ['commands']);
  await at.runAll(runner);
  await runner.idle();
  assert.deepEqual(at.asked, ['cmd_a', 'cmd_b', 'cmd_c']);
});

test('a worker held up for longer than its lease does not call; the next one looks first', async (t) => {
  const made = await world(t);
  const { store, clock, secretBox } = made.deps;
  const command = aPartyCommand({
    partnerRef: null,
    state: 'pending',
    tries: 0,
    lastSentAtMs: null,
    dueAtMs: clock.nowMs(),
  });
  const request = secretBox.seal('the command', requestPurpose(command));
  await store.run(async (tx) => tx.commands.insert({ ...command, request }));
  const stored = () => store.run((tx) => tx.commands.get(command.id));
  const calls: string[] = [];
  const start = async (text: string) => {
    calls.push(`submit ${text}`);
    return notNow;
  };
  const find = async (text: string) => {
    calls.push(`find ${text}`);
    return { outcome: 'done', value: null } as const;
  };
  // As a process that is paused right after it has stored that it will call.
  let paused = false;
  const held: Store = {
    ...store,
    run: async (work) => {
      const value = await store.run(work);
      if (!paused && (await stored())?.state === 'sent') {
        paused = true;
        made.advanceClock(COMMAND_LEASE_MS);
      }
      return value;
    },
  };
  const partners = {
    test: changedPartner(made.partner, { party: { start, find } }),
    live: null,
  };
  const runner = commandRunner({ ...made.deps, store: held, partners });
  const work = async () => {
    await runner.runOnce(clock.nowMs(), 1);
    await runner.idle();
    return (await stored())?.state;
  };
  assert.deepEqual([await work(), paused, calls], ['sent', true, []]);
  assert.deepEqual([await work(), calls], ['pending', ['find the command', 'submit the command']]);
  assert.equal((await stored())?.tries, 2);
});

test('no call starts once a quarantine has begun, also of a worker that is under way', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant);
  await made.play(tenant, id, 'fx_quoted');
  const { payment } = await readPayment(made.deps, tenant, id);
  await confirmQuote(made.deps, tenant, id, payment.quoteId ?? '');
  const usual = made.partner.payin;
  const calls: string[] = [];
  const payin = {
    // Another process finds that commits are lost.
    prepare: async (input: Parameters<typeof usual.prepare>[0]) => {
      await quarantineRestored(made.deps);
      return usual.prepare(input);
    },
    start: async (request: string) => {
      calls.push(request);
      return usual.start(request);
    },
  };
  const partners = { test: changedPartner(made.partner, { payin }), live: null };
  const runner = commandRunner({ ...made.deps, partners });
  await runner.runOnce(made.deps.clock.nowMs(), 10);
  await runner.idle();
  assert.deepEqual(calls, []);
  const [command] = await made.deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  assert.deepEqual([command?.state, command?.lastSentAtMs], ['pending', null]);
});

test('a command of another instance is not sent, not looked up and not polled', async (t) => {
  const made = await world(t);
  const { deps } = made;
  const asked: string[] = [];
  const note = (name: string) => async () => {
    asked.push(name);
    return { outcome: 'done', value: null } as never;
  };
  const party = { start: note('start'), find: note('find'), read: note('read') };
  const partner = changedPartner(made.partner, { party });
  const here = { ...deps, partners: { test: partner, live: null } };
  const dueAtMs = deps.clock.nowMs();
  const known = { tries: 0, dueAtMs, lastSentAtMs: dueAtMs - DAY_MS, partnerRef: null };
  const states = ['pending', 'sent', 'unknown', 'denied', 'done'] as const;
  const commandOf = (state: (typeof states)[number], instance: string | null) => {
    const id = `cmd_${state}_${instance}`;
    const request = deps.secretBox.seal('{}', requestPurpose({ id }));
    const partnerRef = state === 'done' ? id : null;
    return aPartyCommand({ id, reference: id, state, request, ...known, partnerRef, instance });
  };
  await deps.store.run(async (tx) => {
    for (const state of states) tx.commands.insert(commandOf(state, 'elsewhere'));
  });
  const runner = commandRunner(here);
  const runAll = async () => {
    while ((await runner.runOnce(deps.clock.nowMs(), 100)) > 0) await runner.idle();
  };
  await runAll();
  assert.deepEqual(asked, []);
  const left = await Promise.all(
    states.map((state) => deps.store.run((tx) => tx.commands.get(`cmd_${state}_elsewhere`))),
  );
  assert.deepEqual(
    left.map((command) => [command?.state, command?.instance]),
    [
      ['pending', 'elsewhere'],
      ['unknown', 'elsewhere'],
      ['unknown', 'elsewhere'],
      ['denied', 'elsewhere'],
      ['done', 'elsewhere'],
    ],
  );
  await deps.store.run(async (tx) => {
    for (const state of states) tx.commands.insert(commandOf(state, partner.instance));
  });
  await runAll();
  assert.deepEqual([...new Set(asked)].sort(), ['find', 'read', 'start']);
});

test('a command without an end alerts once: without answers, in doubt, and over restarts', async (t) => {
  const made = await world(t);
  const party = { read: async () => notNow, find: async () => notNow };
  const partners = { test: changedPartner(made.partner, { party }), live: null };
  const deps = { ...made.deps, partners };
  const nowMs = deps.clock.nowMs();
  const fresh = { tries: 0, heldSinceMs: null, lateAtMs: null, createdAtMs: nowMs, dueAtMs: nowMs };
  const request = deps.secretBox.seal('{}', requestPurpose({ id: 'cmd_doubt' }));
  await deps.store.run(async (tx) => {
    for (const command of [
      aPartyCommand({ id: 'cmd_polled', ...polled, ...fresh }),
      aPartyCommand({ id: 'cmd_doubt', state: 'unknown', partnerRef: null, request, ...fresh }),
    ]) {
      tx.commands.insert(command);
    }
  });
  const alerts = () => made.log.filter(({ message }) => message === 'alert');
  for (let day = 0; day < 12; day += 1) {
    const runner = commandRunner(deps);
    await runner.runOnce(deps.clock.nowMs(), 100);
    await runner.idle();
    assert.equal(alerts().length, day < 7 ? 0 : 2, `day ${day}`);
    made.advanceClock(DAY_MS);
  }
  const ids = alerts().map(({ fields }) => fields['commandId']);
  assert.deepEqual(ids.toSorted(), ['cmd_doubt', 'cmd_polled']);
  const [{ fields } = assert.fail()] = alerts();
  const words = 'a command has had no end for 5 business days: submit_organization, open';
  assert.equal(fields['alert'], words);
});

test('a run that stood still while another one ended its command prepares nothing', async (t) => {
  const made = await world(t);
  const tenant = await made.newTenant();
  const paymentId = await made.newPayment(tenant);
  await made.play(tenant, paymentId, 'fx_quoted');
  const calls: string[] = [];
  const start = async () => {
    calls.push('start');
    return { outcome: 'refused', code: 'quote_expired', message: 'too late' } as const;
  };
  const find = async () => ({ outcome: 'done', value: null }) as const;
  changePartner(made.partner, { payin: { start, find } });
  const { deps } = made;
  const { payment } = await readPayment(deps, tenant, paymentId);
  await confirmQuote(deps, tenant, paymentId, payment.quoteId ?? '');
  const [stale] = await deps.store.run((tx) => tx.commands.ofPayment(tenant, paymentId));
  assert.ok(stale !== undefined);
  await made.settle();
  assert.equal((await readPayment(deps, tenant, paymentId)).payment.quoteId, null);
  assert.deepEqual(calls, ['start']);
  await runCommand(deps, { ...stale, leaseToken: 'of the run that stood still' });
  assert.deepEqual(calls, ['start']);
});

test('the payment that a run hands to its next step is the stored one', async (t) => {
  const made = await world(t);
  const { store } = made.deps;
  const kinds: string[] = [];
  const checked: Store = {
    ...store,
    run: async (work, options) => {
      const known = options?.known ?? null;
      if (known !== null) {
        const { payment } = known.was;
        const stored = await store.run(async (tx) => ({
          was: await tx.payments.withFunds(payment, payment.id),
          commands: await tx.commands.ofPayment(payment, payment.id),
        }));
        assert.deepEqual({ was: known.was, commands: known.commands }, stored);
        kinds.push(known.commands.map(({ kind, state }) => `${kind} ${state}`).join());
      }
      return store.run(work, options);
    },
  };
  const deps = { ...made.deps, store: checked };
  const tenant = await made.newTenant();
  const paymentId = await made.newPayment(tenant);
  await made.play(tenant, paymentId, 'fx_quoted');
  const { payment } = await readPayment(deps, tenant, paymentId);
  await confirmQuote(deps, tenant, paymentId, payment.quoteId ?? '');
  const settle = settler(deps, made.partner);
  await settle();
  await advancePayment(deps, tenant, paymentId, 'settled');
  for (let turn = 0; turn < 9; turn += 1) {
    await settle();
    made.advanceClock(1_000);
  }
  assert.equal((await readPayment(deps, tenant, paymentId)).payment.status, 'settled');
  const ofPayout = ['payin done,payout pending', 'payin done,payout sent'];
  assert.deepEqual(kinds, ['payin pending', 'payin sent', ...ofPayout]);
});
