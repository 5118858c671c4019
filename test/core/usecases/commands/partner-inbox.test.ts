// The partner's reports, by message or poll: which command each is about, when it counts, and when
// a person must review it first.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import type { PayoutReport } from '../../../../core/domain/commands/report-check.js';
import type {
  AcceptedCommand,
  InboundMessage,
  PartnerAnswer,
} from '../../../../core/ports/partner.js';
import type { Store } from '../../../../core/ports/storage.js';
import { retryCommand } from '../../../../core/usecases/commands/command-retries.js';
import {
  applyPartnerUpdate,
  receivePartnerMessage,
  runInbox,
} from '../../../../core/usecases/commands/partner-inbox.js';
import { cancelPayment } from '../../../../core/usecases/payments/payments.js';
import { notedMetrics } from '../../../support/noted-metrics.js';
import { changePartner, later } from '../../../support/partners/changed-partner.js';
import { sampleInstructions } from '../../../support/samples/payin-samples.js';
import {
  type Desk,
  desk,
  open,
  paid,
  payin,
  refunded,
} from '../../../support/scenes/command-desk.js';
import { absent, fates, Scene, scene, silent } from '../../../support/scenes/command-scene.js';

/** The payout is accepted and open. */
async function payingOut(t: TestContext): Promise<Desk> {
  const made = await desk(t);
  await made.at.report('payin', payin);
  await made.at.pass(1);
  assert.deepEqual((await made.at.shown()).slice(0, 2), ['offramp_pending', 'payout_ordered']);
  return made;
}

/** The refund of all that was paid is accepted and open. */
async function refunding(t: TestContext): Promise<Desk> {
  const made = await desk(t);
  await cancelPayment(made.at.made.deps, made.at.tenant, made.at.id, 'withdrawn');
  await made.at.report('payin', payin);
  await made.at.pass(1);
  assert.match(await made.at.summary(), /^cancelled returned_to_buyer refund_ordered /);
  return made;
}

test('a pay-in that completed short is asked about until it is topped up', async (t) => {
  const { at, says } = await desk(t);
  says.payin = { ...payin, received: money(9_900n, 'USD') };
  await at.report('payin', says.payin);
  assert.deepEqual((await at.shown())[0], 'on_ramp_pending');
  await at.pass(3, HOUR_MS);
  assert.notEqual((await at.command('payin')).dueAtMs, null);
  says.payin = payin;
  await at.pass(2, HOUR_MS);
  assert.equal((await at.shown())[0], 'offramp_pending');
  assert.equal((await at.command('payin')).dueAtMs, null);
});

test('a message that contradicts the known end makes us ask, and the answer counts', async (t) => {
  for (const [status, refund, alerts] of [
    ['completed', 'refunded', 0],
    ['failed', 'needs_review', 1],
  ] as const) {
    const { at, says } = await refunding(t);
    await at.report('refund', refunded);
    says.refund = { ...refunded, status };
    await at.report('refund', { ...refunded, status: 'failed' });
    assert.equal((await at.shown())[2], 'refunded', 'a message alone changes no money');
    await at.made.settle();
    assert.deepEqual([(await at.shown())[2], at.alerts().length], [refund, alerts]);
  }
});

test('a failed refund that a message calls paid is asked about once, if the partner denies it', async (t) => {
  const { at, says } = await refunding(t);
  const failed = { ...refunded, status: 'failed', reason: 'no account' } as const;
  await at.report('refund', failed);
  says.refund = failed;
  await at.report('refund', refunded);
  await at.made.settle();
  const { state, end, dueAtMs } = await at.command('refund');
  assert.deepEqual([state, end, dueAtMs], ['refused', 'failed', null]);
});

test('an answer that a message has overtaken counts no more than an old message', async (t) => {
  const { at, says } = await payingOut(t);
  await at.report('payout', paid);
  says.payout = paid;
  const back = { ...open, status: 'returned' } as const;
  let overtaken = false;
  const payout = async (): Promise<PartnerAnswer<PayoutReport>> => {
    const value = says.payout;
    if (!overtaken) {
      overtaken = true;
      says.payout = back;
      await at.report('payout', back);
    }
    return { outcome: 'done', value };
  };
  changePartner(at.made.partner, { payout: { read: payout } });
  // Not true at the moment, but it makes us ask.
  await at.report('payout', { ...open, status: 'failed' });
  await at.made.settle();
  assert.deepEqual([overtaken, (await at.command('payout')).end], [true, 'returned']);
  await at.pass(60);
  assert.equal((await at.command('payout')).end, 'returned');
});

test('a repeated end changes nothing', async (t) => {
  const { at } = await refunding(t);
  await at.report('refund', refunded);
  const [command, shown] = [await at.command('refund'), await at.shown()];
  await at.report('refund', refunded);
  assert.deepEqual([await at.command('refund'), await at.shown()], [command, shown]);
});

test('messages use up no questions about a payout that failed', async (t) => {
  const { at } = await payingOut(t);
  const failed = { ...open, status: 'failed' } as const;
  await at.report('payout', failed);
  const { dueAtMs, tries } = await at.command('payout');
  for (let times = 0; times < 20; times += 1) await at.report('payout', failed);
  const command = await at.command('payout');
  assert.deepEqual([command.dueAtMs, command.tries], [dueAtMs, tries]);
});

test('a refund that fails after its pay-in came back leaves nothing for an operator', async (t) => {
  const { at } = await refunding(t);
  await at.answer('payin', { ...payin, status: 'returned' });
  await at.report('refund', { ...refunded, status: 'failed', reason: 'nothing is left' });
  assert.equal(await at.summary(), 'cancelled returned_to_buyer refunded 100 0 0 100 0');
  assert.equal((await at.command('refund')).state, 'void');
  const stuck = await at.made.deps.store.run((tx) => tx.commands.list({ stuck: true, limit: 9 }));
  assert.deepEqual(stuck, []);
});

test('the pay-in of a payment that ended is asked about ever more rarely, for 180 days', async (t) => {
  const { at } = await desk(t);
  const { deps } = at.made;
  await cancelPayment(deps, at.tenant, at.id, 'command withdrawn');
  const waitAfter = async (ms: number) => {
    at.made.advanceClock(ms);
    await at.made.settle();
    const { dueAtMs } = await at.command('payin');
    return dueAtMs === null ? null : dueAtMs - deps.clock.nowMs();
  };
  assert.equal(await waitAfter(HOUR_MS), HOUR_MS);
  assert.equal(await waitAfter(48 * HOUR_MS), 24 * HOUR_MS);
  assert.equal(await waitAfter(180 * 24 * HOUR_MS), null);
  await at.report('payin', payin);
  assert.equal((await at.shown())[2], 'refund_owed', 'a message still counts');
});

test('a report in review ends with a plausible one: the partner corrected it', async (t) => {
  const { at, says } = await payingOut(t);
  await at.report('payout', { ...paid, fxRate: '0.01' });
  assert.deepEqual(at.alerts(), ['the position of the money is unknown']);
  says.payout = paid;
  await at.pass(16, MINUTE_MS);
  assert.deepEqual([(await at.command('payout')).review, (await at.shown())[0]], [null, 'settled']);
});

test('a report in review can be queried again immediately', async (t) => {
  const { at, says } = await payingOut(t);
  await at.report('payout', { ...paid, fxRate: '0.01' });
  says.payout = paid;
  await retryCommand(at.made.deps, (await at.command('payout')).id);
  await at.made.settle();
  assert.equal((await at.shown())[0], 'settled');
});

test('a refused payout of which nonsense is reported is asked about by the partner’s id', async (t) => {
  const { at, says } = await desk(t);
  const refused = { outcome: 'refused', code: 'no', message: 'no' } as const;
  changePartner(at.made.partner, { payout: { start: async () => refused, find: absent } });
  await at.report('payin', payin);
  await at.pass(1);
  const command = await at.command('payout');
  const { state, reference } = command;
  assert.equal(state, 'refused');
  const report = { ...paid, fxRate: '0.01' };
  const fact = { kind: 'payout', reference, partnerRef: 'theirs', report } as const;
  await applyPartnerUpdate(at.made.deps, command, fact);
  says.payout = paid;
  await at.pass(16, MINUTE_MS);
  const { end, review, partnerRef } = await at.command('payout');
  assert.deepEqual([end, review, partnerRef], ['completed', null, 'theirs']);
});

test('only a report that waits for a person is accepted, and once', async (t) => {
  const { at } = await payingOut(t);
  const none = { code: 'CommandNotRetryable', message: /No report/ } as const;
  await assert.rejects(at.accept('payout'), none);
  await at.report('payout', { ...paid, settled: { amountMinor: 77n, currency: 'BRL' } });
  await at.accept('payout');
  const { payment } = await at.read();
  assert.equal(payment.settlement?.settled.amountMinor, 77n);
  await assert.rejects(at.accept('payout'), none);
});

test('an amount that a person accepted needs no second review', async (t) => {
  const { at, says } = await desk(t);
  says.payin = { ...payin, status: 'open', received: money(30_000n, 'USD') };
  await at.report('payin', says.payin);
  await at.accept('payin');
  assert.equal((await at.shown())[3], 300);
  await at.report('payin', says.payin);
  await at.pass(2, HOUR_MS);
  assert.equal((await at.command('payin')).review, null);
});

test('a repeated report of a paid payout changes no settlement and needs no review', async (t) => {
  const { at } = await payingOut(t);
  await at.report('payout', paid);
  const settlement = async () => (await at.read()).payment.settlement;
  const was = await settlement();
  for (const other of [
    { settled: { amountMinor: 1n, currency: 'BRL' } },
    { fees: { amountMinor: 0n, currency: 'USD' } },
    { fxRate: 'abc' },
    { settled: null },
  ]) {
    await at.report('payout', { ...paid, ...other });
    assert.deepEqual([(await at.command('payout')).review, await settlement()], [null, was]);
  }
});

/** A genuine message with this fact, as the host takes it in. */
async function received({ made }: Scene, fact: object, deps = made.deps): Promise<void> {
  const messageId = 'msg_1';
  Object.assign(made.partner, { readInbound: () => ({ messageId, facts: [fact] }) });
  const message = { partner: 'fake', mode: 'test', headers: {}, body: new Uint8Array() } as const;
  await receivePartnerMessage(deps, message);
}

test('a message finds its order by our reference, or else by the partner’s id', async (t) => {
  for (const isNamed of [true, false]) {
    const { at } = await desk(t);
    const { reference, partnerRef } = await at.command('payin');
    const named = { reference: isNamed ? reference : null, partnerRef };
    await received(at, { kind: 'payin', ...named, report: payin });
    assert.equal((await at.command('payin')).end, 'completed');
  }
});

test('a message is marked as applied in the batch of its effect', async (t) => {
  const { at } = await desk(t);
  const { deps } = at.made;
  const { reference, partnerRef } = await at.command('payin');
  const seen: unknown[] = [];
  const store: Store = {
    ...deps.store,
    run: async (work, options) => {
      const value = await deps.store.run(work, options);
      const message = await deps.store.run((tx) => tx.inbox.get('fake', 'test', 'msg_1'));
      seen.push([(await at.command('payin')).end, message === null ? 'absent' : message.dueAtMs]);
      return value;
    },
  };
  await received(at, { kind: 'payin', reference, partnerRef, report: payin }, { ...deps, store });
  assert.deepEqual(
    [...new Set(seen.map((moment) => JSON.stringify(moment)))],
    ['["open","absent"]', '["completed",null]'],
  );
  const message = await deps.store.run((tx) => tx.inbox.get('fake', 'test', 'msg_1'));
  assert.deepEqual([message?.dueAtMs, message?.tries], [null, 1]);
});

test('a message about a command without an id on record counts if a look-up finds that id', async (t) => {
  const found = (partnerRef: string | null): PartnerAnswer<AcceptedCommand | null> => ({
    outcome: 'done',
    value: partnerRef === null ? null : { partnerRef, instructions: sampleInstructions() },
  });
  const table: readonly (readonly [
    PartnerAnswer<AcceptedCommand | null>,
    end: string,
    alerts: number,
  ])[] = [
    [found('theirs'), 'completed', 0],
    [found('another'), 'open', 1],
    [found(null), 'open', 0],
    [later(), 'open', 0],
  ];
  for (const [answer, end, alerts] of table) {
    const at = await scene(t);
    fates(at, 'payin', 'executed, answer lost');
    Object.assign(at.made.partner, silent);
    changePartner(at.made.partner, { payin: { find: async () => later() } });
    while ((await at.commands('payin'))[0]?.state !== 'unknown') await at.pass(1);
    changePartner(at.made.partner, { payin: { find: async () => answer } });
    const { reference } = await at.command('payin');
    await received(at, { kind: 'payin', reference, partnerRef: 'theirs', report: payin });
    assert.deepEqual([(await at.command('payin')).end, at.alerts().length], [end, alerts]);
    const message = await at.made.deps.store.run((tx) => tx.inbox.get('fake', 'test', 'msg_1'));
    assert.equal(message?.dueAtMs === null, end === 'completed', 'else it is tried again');
  }
});

test('a message of another kind under our reference is not applied', async (t) => {
  const { at } = await desk(t);
  const { reference, partnerRef } = await at.command('payin');
  await received(at, { kind: 'refund', reference, partnerRef, report: refunded });
  assert.equal((await at.command('payin')).end, 'open');
});

test('a message is applied once, however often it comes', async (t) => {
  const { at } = await desk(t);
  const { reference, partnerRef } = await at.command('payin');
  for (const amountMinor of [4_000n, 6_000n]) {
    const report = { ...payin, received: money(amountMinor, 'USD') };
    await received(at, { kind: 'payin', reference, partnerRef, report });
  }
  assert.equal((await at.command('payin')).receivedMinor, 4_000n);
});

/** When a message without a report is due again; null once it was applied. */
async function noticed(at: Scene, notice: object): Promise<number | null | undefined> {
  await received(at, { reference: null, ...notice, report: null });
  return (await at.made.deps.store.run((tx) => tx.inbox.get('fake', 'test', 'msg_1')))?.dueAtMs;
}

test('a message without a report has its command read, and what is read counts', async (t) => {
  const { at, says } = await desk(t);
  says.payin = payin;
  const { partnerRef } = await at.command('payin');
  assert.equal(await noticed(at, { kind: 'payin', partnerRef }), null);
  assert.equal((await at.command('payin')).end, 'open');
  await at.made.settle();
  assert.equal((await at.command('payin')).end, 'completed');
});

test('a message without a report reads a command again whose end was final', async (t) => {
  const { at, says } = await payingOut(t);
  await at.report('payout', paid);
  await at.pass(1, HOUR_MS);
  const { dueAtMs, partnerRef } = await at.command('payout');
  assert.equal(dueAtMs, null);
  says.payout = { ...open, status: 'returned' };
  assert.equal(await noticed(at, { kind: 'payout', partnerRef }), null);
  await at.made.settle();
  assert.equal((await at.command('payout')).end, 'returned');
});

test('a message without a report waits while its command is not accepted', async (t) => {
  const { at } = await desk(t);
  changePartner(at.made.partner, { payin: { start: async () => later() } });
  const waiting = new Scene(at.made, at.tenant, await at.another());
  await at.made.play(at.tenant, waiting.id, 'on_ramp_pending');
  const { reference } = await waiting.command('payin');
  const dueAtMs = await noticed(at, { kind: 'payin', partnerRef: 'pi_1', reference });
  assert.notEqual(dueAtMs ?? null, null);
});

const unknown = { kind: 'payin', reference: null, partnerRef: 'pi_x', report: null } as const;

/** Messages are counted by their result, under names that no message chooses. */
const counted: Readonly<
  Record<string, readonly [facts: InboundMessage['facts'] | null, recorded: readonly string[]]>
> = {
  'of an unknown event is acknowledged and counted, a repeat is not': [[], ['without_effect']],
  'that is not genuine is refused and counted': [null, ['not_genuine', 'not_genuine']],
  'about a command that is not known is counted when it comes and when it is given up': [
    [unknown],
    ['unmatched', 'given_up'],
  ],
};

for (const [what, [facts, recorded]] of Object.entries(counted)) {
  test(`a message ${what}`, async (t) => {
    const { at } = await desk(t);
    const metrics = notedMetrics();
    const deps = { ...at.made.deps, metrics };
    const readInbound = () => (facts === null ? null : { messageId: 'msg_1', facts });
    Object.assign(at.made.partner, { readInbound });
    const message = { partner: 'fake', mode: 'test', headers: {}, body: new Uint8Array() } as const;
    for (let count = 0; count < 2; count += 1) {
      const come = receivePartnerMessage(deps, message);
      if (facts === null) await assert.rejects(come, { code: 'InvalidSignature' });
      else await come;
    }
    for (let tries = 0; tries < 20; tries += 1) {
      at.made.advanceClock(DAY_MS);
      await runInbox(deps, deps.clock.nowMs(), 10);
    }
    assert.deepEqual(
      metrics.recorded,
      recorded.map((result) => `fake test ${result}`),
    );
  });
}

test('a message is applied and counted', async (t) => {
  const { at } = await desk(t);
  const metrics = notedMetrics();
  const { partnerRef } = await at.command('payin');
  const fact = { kind: 'payin', reference: null, partnerRef, report: null };
  await received(at, fact, { ...at.made.deps, metrics });
  assert.deepEqual(metrics.recorded, ['fake test applied']);
});
