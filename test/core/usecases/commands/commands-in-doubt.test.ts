// Commands whose call to the partner is in doubt or refused: only a look-up that succeeds and finds
// nothing proves that the partner has no command.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import {
  COMMAND_LEASE_MS,
  MADE_BY_ANOTHER,
} from '../../../../core/domain/commands/partner-command.js';
import type { PartnerFact } from '../../../../core/ports/partner.js';
import { retryCommand } from '../../../../core/usecases/commands/command-retries.js';
import { applyPartnerUpdate } from '../../../../core/usecases/commands/partner-inbox.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { advancePayment } from '../../../../core/usecases/sandbox/sandbox.js';
import { operatorDoes } from '../../../support/operator-action.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import {
  absent,
  couldNot,
  type Fate,
  fates,
  honestLookUp,
  Scene,
  scene,
  silent,
  type TransactionKind,
} from '../../../support/scenes/command-scene.js';

/** How everything is where all went well in the end. */
const well = {
  payin: ['settled', 'paid', 'none', 100, 100, 0, 0, 0],
  payout: ['settled', 'paid', 'none', 100, 100, 0, 0, 0],
  refund: ['cancelled', 'returned_to_buyer', 'refunded', 99.55, 0, 0, 99.55, 0],
} as const satisfies Readonly<Record<TransactionKind, readonly unknown[]>>;

/** Calls of this kind get these fates; look-ups find what was executed. A refund is due. */
async function begun(t: TestContext, kind: TransactionKind, ...script: readonly Fate[]) {
  const at = await scene(t, kind === 'refund' ? 10_055n : 10_000n);
  const seen = fates(at, kind, ...script);
  honestLookUp(at, kind, seen.executed);
  if (kind === 'refund') {
    await at.pass(20);
    await cancelPayment(at.made.deps, at.tenant, at.id, 'withdrawn');
  }
  return { at, seen };
}

const stuckOf = async ({ made }: Scene) => {
  const stuck = await made.deps.store.run((tx) => tx.commands.list({ stuck: true, limit: 5 }));
  return stuck.map(({ kind, state }) => `${kind} ${state}`);
};

for (const kind of ['payin', 'payout', 'refund'] as const) {
  test(`a ${kind} whose answer is lost is looked up, never called again`, async (t) => {
    const { at, seen } = await begun(t, kind, 'executed, answer lost', 'refused');
    await at.pass(120);
    assert.deepEqual(await at.shown(), well[kind]);
    assert.deepEqual([seen.executed.length, seen.calls], [1, 1]);
    assert.equal((await at.commands(kind)).length, 1);
  });

  test(`a ${kind} that was lost is made again once a look-up proves that there is none`, async (t) => {
    const { at, seen } = await begun(t, kind, 'lost');
    await at.pass(60);
    const lost = await at.command(kind);
    assert.deepEqual([seen.calls, lost.state], [1, 'unknown']);
    await at.pass(7, MINUTE_MS);
    assert.deepEqual([seen.calls, seen.executed.length], [2, 1]);
    const { reference, request } = await at.command(kind);
    assert.deepEqual([reference, request], [lost.reference, lost.request]);
    await at.pass(10);
    assert.deepEqual(await at.shown(), well[kind]);
  });

  test(`a refusal of a ${kind} that the partner has means nothing`, async (t) => {
    const { at } = await begun(t, kind, 'executed, refused');
    await at.pass(60);
    assert.deepEqual(await at.shown(), well[kind]);
  });

  test(`a refusal of a ${kind} counts when a look-up finds no command`, async (t) => {
    const { at, seen } = await begun(t, kind, 'refused');
    while ((await at.commands(kind))[0]?.state !== 'refused') await at.pass(1);
    const { refusal, end } = await at.command(kind);
    assert.deepEqual([refusal, end, seen.calls], ['already_used', 'open', 1]);
  });

  test(`a ${kind} that surely was not done is called again, without a look-up`, async (t) => {
    const { at, seen } = await begun(t, kind, 'busy', 'busy');
    const find = async () => assert.fail('nothing is in doubt');
    changePartner(at.made.partner, { [kind]: { find } });
    await at.pass(60);
    assert.deepEqual([await at.shown(), seen.calls], [well[kind], 3]);
  });

  for (const answer of kind === 'payout' ? couldNot : couldNot.slice(0, 1)) {
    const what = answer.outcome === 'refused' ? answer.code : answer.outcome;
    for (const [fate, state] of [
      ['executed, answer lost', 'unknown'],
      ['executed, refused', 'denied'],
    ] as const) {
      test(`a look-up that ends ${what} is none: a ${state} ${kind} stays in doubt`, async (t) => {
        const { at, seen } = await begun(t, kind, fate);
        const { find } = at.made.partner[kind];
        const { sendDueMessages } = at.made.partner;
        Object.assign(at.made.partner, silent);
        changePartner(at.made.partner, { [kind]: { find: async () => answer } });
        await at.pass(30, MINUTE_MS);
        const command = await at.command(kind);
        assert.deepEqual([command.state, seen.calls], [state, 1]);
        assert.match(command.lastError ?? '', /could not be looked up/);
        assert.equal((await retryCommand(at.made.deps, command.id)).id, command.id);
        await at.pass(2 * (HOUR_MS / MINUTE_MS), MINUTE_MS);
        assert.deepEqual(await stuckOf(at), [`${kind} ${state}`], 'operators see it');
        changePartner(at.made.partner, { [kind]: { find } });
        Object.assign(at.made.partner, { sendDueMessages });
        await at.pass(20, MINUTE_MS);
        assert.deepEqual([await at.shown(), seen.executed.length], [well[kind], 1]);
        assert.deepEqual(await stuckOf(at), []);
      });
    }
  }
}

for (const kind of ['payin', 'payout'] as const) {
  test(`a ${kind} that is answered with the id of another one counts nothing until its own is found`, async (t) => {
    const at = await scene(t);
    await at.pass(40);
    const partnerRef = (await at.command(kind)).partnerRef ?? assert.fail();
    const { start, find } = at.made.partner[kind];
    const withIt = (call: typeof find) => async (request: string) => {
      const answer = await call(request);
      const isFound = answer.outcome === 'done' && answer.value !== null;
      return isFound
        ? ({ outcome: 'done', value: { ...answer.value, partnerRef } } as const)
        : answer;
    };
    Object.assign(at.made.partner, silent);
    changePartner(at.made.partner, {
      [kind]: { start: withIt(start) as typeof start, find: withIt(find) },
    });
    const second = new Scene(at.made, at.tenant, await at.another());
    await advancePayment(at.made.deps, at.tenant, second.id, null);
    await second.pass(20, MINUTE_MS);
    const doubted = await second.command(kind);
    assert.deepEqual([doubted.state, doubted.partnerRef, doubted.end], ['unknown', null, 'open']);
    assert.ok(at.alerts().includes('the partner answers with the id of another command'));
    changePartner(at.made.partner, { [kind]: { start, find } });
    await second.pass(20, HOUR_MS);
    assert.deepEqual(await second.shown(), well[kind]);
    assert.notEqual((await second.command(kind)).partnerRef, partnerRef);
  });
}

for (const kind of ['payin', 'payout', 'refund'] as const) {
  test(`of two ${kind}s that are answered with one id at once, one stays in doubt`, async (t) => {
    const { made, tenant } = await scene(t, 10_000n, null, 'awaiting_buyer');
    const amount = money(kind === 'refund' ? 10_055n : 10_000n, 'USD');
    const newScene = async () => new Scene(made, tenant, await made.newPayment(tenant, { amount }));
    const [at, other] = [await newScene(), await newScene()];
    const both = <T>(ask: (one: Scene) => Promise<T>) => Promise.all([ask(at), ask(other)]);
    const { start, find } = made.partner[kind];
    const refs: string[] = [];
    const answered = Promise.withResolvers<void>();
    const startWithOneId = async (request: string) => {
      const answer = await start(request);
      assert.ok(answer.outcome === 'done');
      if (refs.push(answer.value.partnerRef) === 2) answered.resolve();
      await answered.promise;
      return { outcome: 'done', value: { ...answer.value, partnerRef: refs[0] } } as const;
    };
    const noLookUp = async () => ({ outcome: 'later', reason: 'down' }) as const;
    changePartner(made.partner, { [kind]: { start: startWithOneId, find: noLookUp } });
    Object.assign(made.partner, silent);
    await both(({ id }) => advancePayment(made.deps, tenant, id, null));
    await at.pass(20);
    if (kind === 'refund')
      await both(({ id }) => cancelPayment(made.deps, tenant, id, 'withdrawn'));
    await at.pass(20, MINUTE_MS);
    const states = await both(async (one) => (await one.command(kind)).state);
    assert.deepEqual([refs.length, states.toSorted()], [2, ['done', 'unknown']]);
    const alert = 'the partner answers with the id of another command';
    assert.ok(at.alerts().includes(alert));

    const [doubted = assert.fail()] = states[0] === 'unknown' ? [at] : [other];
    const { reference } = await doubted.command(kind);
    const [partnerRef = assert.fail()] = refs;
    const read = await made.partner[kind].read(partnerRef);
    assert.ok(read.outcome === 'done');
    const shown = await doubted.shown();
    const fact = { kind, reference, partnerRef, report: read.value } as PartnerFact;
    const before = at.alerts();
    await applyPartnerUpdate(made.deps, await doubted.command(kind), fact);
    assert.deepEqual(await doubted.shown(), shown, 'a message that names it moves nothing');
    assert.deepEqual(at.alerts(), [...before, alert]);

    changePartner(made.partner, { [kind]: { start, find } });
    await at.pass(20, HOUR_MS);
    assert.equal(new Set(await both(async (one) => (await one.command(kind)).partnerRef)).size, 2);
    assert.deepEqual(await both((one) => one.shown()), [well[kind], well[kind]]);
  });
}

test('a look-up that was asked too early proves nothing, however late its answer comes', async (t) => {
  const { at, seen } = await begun(t, 'payin', 'lost');
  const calls: number[] = [];
  const find = async () => {
    calls.push(seen.calls);
    // The host stands still while the answer is on its way.
    if (calls.length === 1) at.made.advanceClock(HOUR_MS);
    return absent();
  };
  changePartner(at.made.partner, { payin: { find } });
  await at.pass(20, MINUTE_MS);
  assert.deepEqual([calls, seen.calls], [[1, 1], 2], 'it is asked again before the next call');
});

test('a payout that is refused for good waits for an operator, and is sent again', async (t) => {
  const { at } = await begun(t, 'payout', 'refused');
  await at.pass(30);
  assert.equal(await at.summary(), 'offramp_pending needs_review none 100 100 0 0 0');
  const refused = await at.command('payout');
  const next = await retryCommand(at.made.deps, refused.id);
  assert.notEqual(next.id, refused.id);
  await at.pass(30);
  assert.deepEqual(await at.shown(), well.payout);
  await assert.rejects(retryCommand(at.made.deps, refused.id), { code: 'CommandNotRetryable' });
});

test('a refused payout that the partner has after all is not sent again', async (t) => {
  const { at, seen } = await begun(t, 'payout', 'executed, refused');
  const { find } = at.made.partner.payout;
  changePartner(at.made.partner, { payout: { find: absent } });
  await at.pass(10);
  const refused = await at.command('payout');
  assert.equal(refused.state, 'refused');
  changePartner(at.made.partner, { payout: { find } });
  const known = { code: 'CommandNotRetryable', message: /has this payout/ } as const;
  await assert.rejects(retryCommand(at.made.deps, refused.id), known);
  await at.pass(30);
  assert.deepEqual(await at.shown(), well.payout);
  assert.deepEqual([seen.executed.length, (await at.commands('payout')).length], [1, 1]);
});

test('a payout in doubt whose repeat is refused is neither paid twice nor given back', async (t) => {
  // The first call arrives so late that the look-up after six minutes does not find it.
  const { at, seen } = await begun(t, 'payout', 'lost', 'executed, refused');
  await at.pass(20, MINUTE_MS);
  assert.deepEqual([await at.shown(), seen.executed.length], [well.payout, 1]);
});

test('a payment that ends takes back a payout that a look-up does not find', async (t) => {
  const { at, seen } = await begun(t, 'payout', 'lost');
  while ((await at.commands('payout'))[0]?.state !== 'unknown') await at.pass(1);
  await operatorDoes(at.made.deps, at.id, { verb: 'fail', reason: 'by hand' });
  assert.deepEqual((await at.shown()).slice(0, 2), ['failed', 'payout_ordered']);
  await at.pass(10, MINUTE_MS);
  assert.deepEqual([(await at.command('payout')).state, seen.executed], ['void', []]);
  assert.equal(await at.summary(), 'failed returned_to_buyer refunded 100 0 0 100 0');
});

test('the buyer gets the instructions although a message was faster than the answer', async (t) => {
  const at = await scene(t);
  const { partner } = at.made;
  const { payin } = partner;
  const nothing = { received: money(0n, 'USD'), transactionHash: null, reason: null };
  const report = { status: 'open', ...nothing } as const;
  const start = async (request: string) => {
    const answer = await payin.start(request);
    assert.ok(answer.outcome === 'done');
    const { partnerRef } = answer.value;
    const command = await at.command('payin');
    const fact = { kind: 'payin', reference: command.reference, partnerRef, report } as const;
    await applyPartnerUpdate(at.made.deps, command, fact);
    return answer;
  };
  const read = async () => ({ outcome: 'done', value: report }) as const;
  Object.assign(partner, silent);
  changePartner(partner, { payin: { start, read } });
  await at.pass(10);
  const { payment } = await at.read();
  assert.equal(payment.status, 'on_ramp_pending');
  assert.equal(payment.payinInstructions?.rails[0]?.rail, 'ach');
  Object.assign(partner, { payin });
  await at.pass(60);
  assert.deepEqual(await at.shown(), well.payin);
});

test('a read of the object of another command is followed by a look-up, if the lease outlives it', async (t) => {
  const at = await scene(t);
  const { partner } = at.made;
  const { find } = partner.payin;
  const own = 'tr_own';
  let [reads, finds, readMs] = [0, 0, COMMAND_LEASE_MS - partner.callTimeoutMs];
  Object.assign(partner, silent);
  changePartner(partner, {
    payin: {
      read: async () => {
        reads += 1;
        at.made.advanceClock(readMs);
        return { outcome: 'later', reason: 'it is that of another', code: MADE_BY_ANOTHER };
      },
      find: async (request) => {
        finds += 1;
        const found = await find(request);
        assert.ok(found.outcome === 'done' && found.value !== null);
        return { ...found, value: { ...found.value, partnerRef: own } };
      },
    },
  });
  while (reads === 0) await at.pass(10);
  assert.equal(finds, 0);
  assert.notEqual((await at.command('payin')).partnerRef, own);
  readMs = 0;
  while ((await at.command('payin')).partnerRef !== own) await at.pass(10);
  assert.ok(finds > 0);
});

/** A refund that the partner refused although it may have it; an operator is to look. */
async function refusedRefund(t: TestContext, fate: Fate) {
  const at = await scene(t, 10_055n);
  const seen = fates(at, 'refund', fate);
  const { find } = at.made.partner.refund;
  Object.assign(at.made.partner, silent);
  changePartner(at.made.partner, { refund: { find: absent } });
  await at.pass(20);
  await cancelPayment(at.made.deps, at.tenant, at.id, 'withdrawn');
  await at.pass(10, MINUTE_MS);
  const refused = await at.command('refund');
  assert.deepEqual([refused.state, (await at.shown())[2]], ['refused', 'needs_review']);
  const truly = (finds: boolean) =>
    changePartner(at.made.partner, { refund: { find: finds ? find : absent } });
  return { at, seen, refused, truly };
}

test('a refused refund that the partner does not have is sent again', async (t) => {
  const { at, refused } = await refusedRefund(t, 'refused');
  const next = await retryCommand(at.made.deps, refused.id);
  assert.ok(next.kind === 'refund');
  assert.notEqual(next.reference, refused.reference);
  assert.deepEqual(
    [next.state, next.payinId, next.amount],
    ['pending', refused.payinId, refused.amount],
  );
  const ended = { code: 'CommandNotRetryable', message: /has ended/ } as const;
  await assert.rejects(retryCommand(at.made.deps, refused.id), ended);
  await at.pass(10);
  assert.deepEqual(await at.shown(), well.refund);
});

test('a refused refund that the partner has after all is not sent again', async (t) => {
  const { at, seen, refused, truly } = await refusedRefund(t, 'executed, refused');
  truly(true);
  const known = { code: 'CommandNotRetryable', message: /has this refund/ } as const;
  await assert.rejects(retryCommand(at.made.deps, refused.id), known);
  await at.pass(10);
  assert.deepEqual(await at.shown(), well.refund);
  assert.deepEqual([seen.executed.length, (await at.commands('refund')).length], [1, 1]);
});

test('a refused refund that failed at the partner is sent again', async (t) => {
  const { at, refused, truly } = await refusedRefund(t, 'executed, refused');
  truly(true);
  const { read } = at.made.partner.refund;
  const report = { status: 'failed', amount: refused.amount, reason: 'no account' } as const;
  const failed = { outcome: 'done', value: report } as const;
  changePartner(at.made.partner, { refund: { read: async () => failed } });
  const next = await retryCommand(at.made.deps, refused.id);
  assert.notEqual(next.id, refused.id);
  changePartner(at.made.partner, { refund: { read } });
  await at.pass(10);
  assert.deepEqual(await at.shown(), well.refund);
});

test('a refused refund is left alone while the partner cannot be asked about it', async (t) => {
  const { at, refused, truly } = await refusedRefund(t, 'executed, refused');
  const { read } = at.made.partner.refund;
  for (const answer of couldNot) {
    const before = await at.shown();
    changePartner(at.made.partner, { refund: { find: async () => answer } });
    await assert.rejects(retryCommand(at.made.deps, refused.id), { code: 'PartnerUnavailable' });
    truly(true);
    changePartner(at.made.partner, { refund: { read: async () => answer } });
    await assert.rejects(retryCommand(at.made.deps, refused.id), { code: 'PartnerUnavailable' });
    changePartner(at.made.partner, { refund: { read } });
    assert.deepEqual([await at.shown(), (await at.commands('refund')).length], [before, 1]);
  }
});

test('the same command has the same reference, whenever and wherever it is made', async (t) => {
  const [one, other] = [await scene(t), await scene(t)];
  await one.pass(20);
  await other.pass(40);
  for (const kind of ['payin', 'payout'] as const) {
    const { id, reference } = await one.command(kind);
    // Both worlds have one seed, so the same key and the same payment.
    assert.equal(one.id, other.id);
    assert.equal(reference, (await other.command(kind)).reference);
    assert.match(reference, /^[0-9a-f]{32}$/);
    assert.notEqual(reference, id);
  }
});
