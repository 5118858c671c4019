// Comparisons that run by themselves: when, what is kept of them, and how they end.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../../core/domain/base/instant.js';
import { money } from '../../../../core/domain/base/money.js';
import { reconciliationRunner } from '../../../../core/usecases/money-desk/book-comparisons.js';
import { changePartner } from '../../../support/partners/changed-partner.js';
import { memoryOnly } from '../../../support/partners/memory-only.js';
import { type World, world } from '../../../support/scenes/test-world.js';

/** A settled payment with a partner that has books. */
async function scene(t: TestContext) {
  const made = await world(t, { memory: memoryOnly() });
  const tenant = await made.newTenant();
  const id = await made.newPayment(tenant, { amount: money(10_000n, 'USD') });
  await made.play(tenant, id, 'settled');
  await made.settle();
  const waits: number[] = [];
  const runner = reconciliationRunner(made.deps, async (ms) => void waits.push(ms));
  const kept = () => made.deps.store.run((tx) => tx.reconciliations.get('fake', 'test'));
  const runDue = async () => {
    await runner.startDue(made.deps.clock.nowMs());
    await runner.idle();
    return kept();
  };
  return { made, tenant, id, runner, waits, runDue, kept };
}

function unreadable(made: World, page: () => Promise<never>) {
  const statement = made.partner.statement ?? assert.fail();
  changePartner(made.partner, { statement: { ...statement, page } });
}

const alerts = ({ log }: World) =>
  log.filter(({ fields }) => fields['alert'] === 'the books of the partner differ');

test('the books are compared an hour after the partner was met, then once a day', async (t) => {
  const { made, runDue } = await scene(t);
  const metAtMs = made.deps.clock.nowMs();
  assert.deepEqual(await runDue(), {
    partner: 'fake',
    mode: 'test',
    last: null,
    version: 1,
    dueAtMs: metAtMs + HOUR_MS,
  });
  made.advanceClock(HOUR_MS - 1);
  assert.equal((await runDue())?.last, null);
  made.advanceClock(1);
  const endedAtMs = made.deps.clock.nowMs();
  const first = await runDue();
  const { entries = 0, commands = 0, ...rest } = first?.last ?? {};
  assert.ok(entries >= 2 && commands >= 2, 'pay-in and payout, on both sides');
  const clean = { sinceMs: endedAtMs - 7 * DAY_MS, endedAtMs, differences: 0, unread: 0 };
  assert.deepEqual(rest, clean);
  assert.equal(first?.dueAtMs, endedAtMs + DAY_MS);
  assert.deepEqual(await runDue(), first, 'nothing is due');
  assert.deepEqual(alerts(made), []);
});

test('a difference is kept and is an alert', async (t) => {
  const { made, runDue, tenant, id } = await scene(t);
  await runDue();
  made.advanceClock(HOUR_MS);
  const commands = await made.deps.store.run((tx) => tx.commands.ofPayment(tenant, id));
  const lost = commands.find(({ kind }) => kind === 'payin') ?? assert.fail();
  const statement = made.partner.statement ?? assert.fail();
  const read = async () => ({ outcome: 'refused', code: 'not_found', message: 'no' }) as const;
  const page = async (...asked: Parameters<typeof statement.page>) => {
    const answer = await statement.page(...asked);
    if (answer.outcome !== 'done') return answer;
    const entries = answer.value.entries.filter(({ partnerRef }) => partnerRef !== lost.partnerRef);
    return { outcome: 'done', value: { ...answer.value, entries } } as const;
  };
  changePartner(made.partner, { statement: { ...statement, page, read } });
  assert.equal((await runDue())?.last?.differences, 1);
  assert.equal(alerts(made).length, 1);
});

test('what could not be read is read again within hours', async (t) => {
  const { made, runDue, waits } = await scene(t);
  await runDue();
  made.advanceClock(HOUR_MS);
  unreadable(made, async () => ({ outcome: 'later', reason: 'busy' }) as never);
  const found = await runDue();
  assert.equal(found?.last?.unread, 2, 'both lists');
  assert.equal(found?.dueAtMs, made.deps.clock.nowMs() + HOUR_MS);
  assert.ok(waits.length > 0, 'it waited for the partner');
});

test('a comparison that fails keeps the last result, and is tried again', async (t) => {
  const { made, runDue } = await scene(t);
  await runDue();
  made.advanceClock(HOUR_MS);
  const first = await runDue();
  made.advanceClock(DAY_MS);
  unreadable(made, () => Promise.reject(new Error('a defect of the adapter')));
  const again = await runDue();
  assert.deepEqual(again?.last, first?.last);
  assert.equal(again?.dueAtMs, made.deps.clock.nowMs() + HOUR_MS);
});

test('a host that stops ends its wait for the partner, and leaves the comparison due', async (t) => {
  const { made, runDue, kept } = await scene(t);
  await runDue();
  made.advanceClock(HOUR_MS);
  const due = await kept();
  const { promise: waiting, resolve: waits } = Promise.withResolvers<void>();
  const runner = reconciliationRunner(made.deps, (_, signal) => {
    waits();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  unreadable(made, async () => ({ outcome: 'later', reason: 'busy' }) as never);
  await runner.startDue(made.deps.clock.nowMs());
  await waiting;
  await runner.stop();
  assert.deepEqual(await kept(), due);
  await runner.startDue(made.deps.clock.nowMs());
  await runner.idle();
  assert.deepEqual(await kept(), due, 'a stopped one starts nothing');
});

test('a partner without books has no row', async (t) => {
  const { made, runDue } = await scene(t);
  changePartner(made.partner, { statement: undefined });
  assert.equal(await runDue(), null);
});
