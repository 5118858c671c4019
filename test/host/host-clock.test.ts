// The clock of a process: whose time counts, when it is wrong, and what it does then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../core/ports/outside.js';
import { type ClockStep, clockStep, newHostClock, whileAccurate } from '../../host/host-clock.js';

const T0 = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

/** A machine and a database whose clocks a test sets; an answer takes `answerMs`. */
function scene({ hasDatabase = true, skewMs = 0 } = {}) {
  const time = { trueMs: 0, machineMs: T0 + skewMs, databaseMs: T0, answerMs: 0 };
  const pass = (durationMs: number) => {
    time.trueMs += durationMs;
  };
  const databaseMs = async () => {
    pass(time.answerMs / 2);
    const toldMs = time.databaseMs + time.trueMs;
    pass(time.answerMs / 2);
    return toldMs;
  };
  const clock = newHostClock({
    machineMs: () => time.machineMs + time.trueMs,
    steadyMs: () => time.trueMs,
    databaseMs: hasDatabase ? databaseMs : null,
  });
  return { time, pass, clock };
}

test('hosts whose machines are an hour apart say the same time', async () => {
  for (const skewMs of [HOUR_MS, -HOUR_MS]) {
    const { clock, pass } = scene({ skewMs });
    await clock.measure();
    pass(5_000);
    assert.equal(clock.nowMs(), T0 + 5_000);
    assert.equal(clock.skewMs(), skewMs);
    assert.equal(clock.isAccurate(), false);
  }
});

test('a jump of the machine’s clock does not move the time and is reported immediately', async () => {
  const { clock, time } = scene();
  await clock.measure();
  assert.equal(clock.isAccurate(), true);
  time.machineMs += HOUR_MS;
  assert.deepEqual([clock.nowMs(), clock.isAccurate()], [T0, false]);
  time.machineMs -= HOUR_MS;
  assert.deepEqual([clock.nowMs(), clock.isAccurate()], [T0, true]);
});

test('ten seconds are the error that a clock may have', async () => {
  for (const [skewMs, isAccurate] of [
    [10_000, true],
    [10_001, false],
    [-10_000, true],
    [-10_001, false],
  ] as const) {
    const { clock } = scene({ skewMs });
    await clock.measure();
    assert.equal(clock.isAccurate(), isAccurate, `${skewMs}`);
  }
});

test('a slow answer moves the time no further than it proves it wrong', async () => {
  const { clock, time } = scene();
  await clock.measure();
  time.answerMs = 4_000;
  time.databaseMs += 1_000;
  await clock.measure();
  assert.equal(clock.nowMs(), T0 + 4_000, 'the second may be in the way of the answer');
  time.databaseMs += 9_000;
  await clock.measure();
  assert.equal(clock.nowMs(), T0 + 8_000 + 8_000, 'no less than the answer leaves open');
});

test('a correction of less than a second stops the time, and does not set it back', async () => {
  for (const [databaseMs, expectedMs] of [
    [-300, T0 + 1_000],
    [-1_000, T0],
  ] as const) {
    const { clock, time, pass } = scene();
    await clock.measure();
    pass(1_000);
    assert.equal(clock.nowMs(), T0 + 1_000);
    time.databaseMs = T0 + databaseMs;
    await clock.measure();
    assert.equal(clock.nowMs(), expectedMs);
    pass(1_000);
    assert.equal(clock.nowMs(), T0 + 2_000 + databaseMs, 'right after that');
  }
});

test('a machine that was suspended has the right time again after one measurement', async () => {
  const { clock, time } = scene();
  await clock.measure();
  time.machineMs += HOUR_MS;
  time.databaseMs += HOUR_MS;
  assert.equal(clock.isAccurate(), false);
  await clock.measure();
  assert.deepEqual([clock.nowMs(), clock.isAccurate()], [T0 + HOUR_MS, true]);
});

test('on SQLite each step back of the clock is reported once; a failed report is repeated', async () => {
  const { clock, time, pass } = scene({ hasDatabase: false });
  const steps: ClockStep[] = [];
  const note = async (step: ClockStep) => {
    steps.push(step);
  };
  time.machineMs += HOUR_MS;
  pass(1_000);
  await clock.afterStepBack(note);
  assert.deepEqual(steps, [], 'ahead nothing waits for longer');
  time.machineMs -= HOUR_MS;
  pass(1_000);
  await assert.rejects(clock.afterStepBack(() => Promise.reject(new Error('no'))));
  await clock.afterStepBack(note);
  await clock.afterStepBack(note);
  assert.deepEqual(steps, [{ fromMs: T0 + HOUR_MS + 2_000, toMs: T0 + 2_000 }]);
  assert.deepEqual([clock.nowMs(), clock.isAccurate()], [T0 + 2_000, true]);
});

test('a wrong clock is logged once, and that it is right again', async () => {
  const { clock, time } = scene();
  const logged: string[] = [];
  const note = (message: string) => logged.push(message);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const step = clockStep({ clock, log, shiftDueTimes: async () => undefined });
  for (const skewMs of [0, HOUR_MS, HOUR_MS, 0, 0]) {
    time.machineMs = T0 + skewMs;
    await step.run(0, 100);
  }
  assert.deepEqual(logged, [
    'the clocks of this machine and the database differ: no work is claimed',
    'the clock of this machine is right again',
  ]);
});

test('with a wrong clock nothing is taken and the lead goes to another host', async () => {
  const { clock, time } = scene();
  await clock.measure();
  let [runs, resigned] = [0, 0];
  const run = async () => {
    runs += 1;
    return 1;
  };
  const resign = async () => {
    resigned += 1;
  };
  const step = whileAccurate({ name: 'a', wokenBy: [], pollMs: 1, run }, clock, { resign });
  assert.equal(await step.run(0, 1), 1);
  time.machineMs += HOUR_MS;
  assert.equal(await step.run(0, 1), 0);
  assert.deepEqual([runs, resigned], [1, 1]);
});
