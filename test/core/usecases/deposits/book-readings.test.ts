// The readings of the partner's books: what a lost message would lose, they find.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { schedules } from '../../../../core/domain/base/schedules.js';
import { type EntryKind, type Span, spans } from '../../../../core/domain/deposits/book-reading.js';
import { runBookReadings } from '../../../../core/usecases/deposits/book-readings.js';
import { endQuarantine, quarantineRestored } from '../../../../core/usecases/service/epochs.js';
import { aCommand } from '../../../support/samples/domain-samples.js';
import { type DepositScene, depositScene } from '../../../support/scenes/deposit-scene.js';

const OVERLAP_MS = spans.recent.windowMs;

async function readingOf({ made }: DepositScene, span: Span = 'recent', kind: EntryKind = 'payin') {
  const all = await made.deps.store.run((tx) => tx.bookReadings.of('fake', 'test'));
  return all.find((one) => one.span === span && one.book === kind) ?? null;
}

test('a deposit whose message is lost is found by the next reading', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  scene.deposit('va_1');
  await at.pass(60);
  assert.equal(await scene.stored('va_1'), null, 'no reading is due');
  scene.made.advanceClock(schedules.recentReading.waitsMs[0]);
  await at.pass(3);
  assert.equal(await scene.shown('va_1'), 'assigned completed amount');
  assert.equal((await at.shown())[0], 'settled');
  const reads = scene.books.reads;
  scene.made.advanceClock(schedules.recentReading.waitsMs[0]);
  await at.pass(3);
  assert.equal(scene.books.reads, reads, 'what is known is not read again');
});

test('a reading resumes at the page where it stopped, and leaves nothing out', async (t) => {
  const scene = await depositScene(t);
  for (let at = 0; at < 25; at += 1) scene.deposit(`va_${at}`, { status: 'open' });
  const { deps } = scene.made;
  assert.equal(await runBookReadings(deps), 5, 'a run reads a few pages');
  const stopped = await readingOf(scene);
  assert.deepEqual([stopped?.cursor, stopped?.completedAtMs], ['10', null]);
  scene.books.problem = { outcome: 'later', reason: 'busy' };
  await runBookReadings(deps);
  assert.deepEqual((await readingOf(scene))?.lastError, 'busy');
  scene.books.problem = null;
  scene.made.advanceClock(MINUTE_MS);
  while ((await runBookReadings(deps)) > 0);
  const over = await readingOf(scene);
  assert.deepEqual([over?.cursor, over?.completedAtMs !== null], [null, true]);
  for (let at = 0; at < 25; at += 1) assert.notEqual(await scene.stored(`va_${at}`), null);
});

test('the first reading begins at the first command, as after a restore of a copy without any', async (t) => {
  const scene = await depositScene(t);
  const createdAtMs = scene.made.deps.clock.nowMs();
  const command = aCommand({ ...scene.tenant, state: 'done', end: 'completed', createdAtMs });
  await scene.made.deps.store.run(async (tx) => tx.commands.insert(command));
  scene.deposit('va_1');
  scene.made.advanceClock(5 * DAY_MS);
  assert.equal(await readingOf(scene), null);
  await runBookReadings(scene.made.deps);
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

test('a cursor that the partner refuses starts the reading over', async (t) => {
  const scene = await depositScene(t);
  for (let at = 0; at < 25; at += 1) scene.deposit(`va_${at}`, { status: 'open' });
  const { deps } = scene.made;
  await runBookReadings(deps);
  scene.books.problem = { outcome: 'refused', code: 'cursor_invalid', message: 'no' };
  await runBookReadings(deps);
  assert.equal((await readingOf(scene))?.cursor, null);
});

test('a reading covers all time since the one before, however long the service was away', async (t) => {
  const scene = await depositScene(t);
  await runBookReadings(scene.made.deps);
  const before = await readingOf(scene);
  scene.made.advanceClock(9 * DAY_MS);
  scene.deposit('va_1', { createdAtMs: (before?.beganAtMs ?? 0) - OVERLAP_MS + 1 });
  scene.deposit('va_old', { createdAtMs: (before?.beganAtMs ?? 0) - OVERLAP_MS - 1 });
  await runBookReadings(scene.made.deps);
  assert.notEqual(await scene.stored('va_1'), null);
  assert.equal(await scene.stored('va_old'), null, 'it was never watched');
});

test('a change that no message told is found while it is in the overlap', async (t) => {
  const scene = await depositScene(t);
  await scene.arrive('va_1', { amount: { amountMinor: 7n, currency: 'USD' } });
  await runBookReadings(scene.made.deps);
  scene.books.change('va_1', { status: 'returned' });
  scene.made.advanceClock(schedules.recentReading.waitsMs[0]);
  await runBookReadings(scene.made.deps);
  assert.equal(await scene.shown('va_1'), 'returned returned null');
});

test('a recall of assigned money that no message told is found by a reading', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  await scene.arrive('va_1');
  await at.pass(3);
  assert.equal((await at.shown())[0], 'settled');
  scene.books.change('va_1', { status: 'returned' });
  scene.made.advanceClock(schedules.recentReading.waitsMs[0]);
  await at.pass(3);
  assert.equal(await at.summary(), 'settled paid refunded 100 100 0 100 100');
});

test('a reading that does not end in time raises one alert', async (t) => {
  const scene = await depositScene(t);
  const { deps } = scene.made;
  while ((await runBookReadings(deps)) > 0);
  for (let at = 0; at < 100; at += 1) scene.deposit(`va_${at}`, { status: 'open' });
  const late = () => scene.alerts().filter((alert) => /not read in time/.test(`${alert}`)).length;
  scene.made.advanceClock(HOUR_MS);
  for (const count of [0, 0, 1, 1, 1]) {
    await runBookReadings(deps);
    assert.equal(late(), count);
    scene.made.advanceClock(HOUR_MS);
  }
});

test('a long book does not keep another from being read', async (t) => {
  const scene = await depositScene(t);
  const { deps } = scene.made;
  while ((await runBookReadings(deps)) > 0);
  const before = (await readingOf(scene, 'recent', 'payout'))?.completedAtMs ?? assert.fail();
  for (let at = 0; at < 100; at += 1) scene.deposit(`va_${at}`, { status: 'open' });
  scene.made.advanceClock(HOUR_MS);
  await runBookReadings(deps);
  scene.made.advanceClock(MINUTE_MS);
  await runBookReadings(deps);
  const after = await readingOf(scene, 'recent', 'payout');
  assert.ok((after?.completedAtMs ?? 0) > before);
  assert.notEqual((await readingOf(scene))?.cursor, null);
});

test('in quarantine the books are not read', async (t) => {
  const scene = await depositScene(t);
  scene.deposit('va_1');
  await quarantineRestored(scene.made.deps);
  await scene.made.settle();
  assert.deepEqual([scene.books.pagesRead, scene.books.reads], [[], 0]);
  await endQuarantine(scene.made.deps, { by: 'ana', forcedBecause: 'a test' });
  await scene.made.settle();
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

test('a partner without books is not read', async (t) => {
  const scene = await depositScene(t);
  Object.assign(scene.made.partner, { statement: undefined });
  assert.equal(await runBookReadings(scene.made.deps), 0);
  assert.equal(await readingOf(scene), null);
});

test('a command that counts as refused is taken up when the books have it', async (t) => {
  const scene = await depositScene(t);
  const at = await scene.awaiting();
  const { deps } = scene.made;
  const payin = await at.command('payin');
  await deps.store.run(async (tx) => {
    tx.commands.update({ ...payin, state: 'refused', partnerRef: null, dueAtMs: null });
  });
  scene.deposit('pa_late', { reference: payin.reference, partyRef: null });
  scene.made.advanceClock(schedules.recentReading.waitsMs[0]);
  await at.pass(3);
  const { state, partnerRef } = await at.command('payin');
  assert.deepEqual([state, partnerRef], ['done', 'pa_late']);
  assert.equal(await scene.stored('pa_late'), null);
  assert.equal((await at.shown())[0], 'settled');
});

test('a release makes the readings due, and deposits of the lost time are found at once', async (t) => {
  const scene = await depositScene(t);
  const { deps } = scene.made;
  await scene.made.settle();
  await quarantineRestored(deps);
  scene.deposit('va_1');
  scene.made.advanceClock(MINUTE_MS);
  await endQuarantine(deps, { by: 'ana', forcedBecause: 'a test' });
  await scene.made.settle();
  assert.equal(await scene.shown('va_1'), 'waiting completed null');
});

for (const fields of [
  { status: 'failed' },
  { status: 'returned' },
  { status: 'open', amount: { amountMinor: 0n, currency: 'USD' } },
] as const) {
  const what =
    fields.status === 'open' ? 'an open pay-in of no amount' : `a ${fields.status} pay-in`;
  test(`${what} without a deposit is not asked for`, async (t) => {
    const scene = await depositScene(t);
    scene.deposit('va_none', fields);
    while ((await runBookReadings(scene.made.deps)) > 0);
    assert.equal(scene.books.reads, 0);
    assert.equal(await scene.stored('va_none'), null);
  });
}

test('an entry that cannot be read raises an alert once a day, and the readings go on', async (t) => {
  const scene = await depositScene(t);
  scene.books.unreadable.payin.push({ partnerRef: 'pi_odd', reason: 'no amount' });
  for (let at = 0; at < 3; at += 1) scene.deposit(`va_${at}`, { status: 'open' });
  while ((await runBookReadings(scene.made.deps)) > 0);
  for (let at = 0; at < 3; at += 1) assert.notEqual(await scene.stored(`va_${at}`), null);
  for (const span of ['recent', 'watched', 'complete'] as const) {
    const { completedAtMs, lastError } = (await readingOf(scene, span)) ?? assert.fail(span);
    assert.deepEqual([completedAtMs !== null, lastError], [true, null]);
  }
  const alerts = scene.made.log.filter(({ message }) => message === 'alert');
  assert.equal(alerts.length, 1);
  const named = { mode: 'test', book: 'payin', partnerRef: 'pi_odd', reason: 'no amount' };
  assert.partialDeepStrictEqual(alerts[0]?.fields, named);
});

test('a payout that was not ordered here raises one alert, once no call may have it', async (t) => {
  const scene = await depositScene(t);
  scene.deposit('po_dashboard', { kind: 'payout', payer: null });
  const read = async () => {
    while ((await runBookReadings(scene.made.deps)) > 0);
    return scene.alerts().length;
  };
  assert.equal(await read(), 0);
  for (const hours of [1, 13, 25]) {
    scene.made.advanceClock(hours * HOUR_MS);
    assert.equal(await read(), 1);
  }
});
