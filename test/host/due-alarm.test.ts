// The alarm of a host's workers: which looks it takes, and whom it rings when.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NextDue } from '../../adapters/storage/due-times.js';
import { dueAlarm } from '../../host/due-alarm.js';
import type { Wake } from '../../host/workers.js';

const T0 = 1_790_000_000_000;
const nothing: NextDue = {
  commands: null,
  deliveries: null,
  inbox: null,
  advances: null,
  documents: null,
  mails: null,
  expiries: null,
};

/** An alarm over queues that a test fills; `mark` is that of other processes, null if unknown. */
function scene(mark: number | null) {
  const write: () => void = () => undefined;
  const state = { due: nothing, mark, looks: 0, fails: false, write };
  const woken: Wake[] = [];
  const alarm = dueAlarm(
    {
      writeMark: () => state.mark,
      onWrite: (written) => {
        state.write = written;
      },
      async nextDue() {
        state.looks += 1;
        if (state.fails) throw new Error('no');
        return state.due;
      },
    },
    { wakeLocal: (work) => woken.push(work) },
  );
  return { state, woken, run: (nowMs = T0) => alarm.run(nowMs, 100), alarm };
}

test('what is due rings its queue, what falls due later is slept for', async () => {
  const { state, woken, run, alarm } = scene(null);
  state.due = { ...nothing, commands: T0, mails: T0 - 1, expiries: T0 + 300, inbox: T0 + 400 };
  await run();
  assert.deepEqual(woken.toSorted(), ['commands', 'mails']);
  assert.equal(alarm.nextDueAtMs?.(), T0 + 300);
  await run(T0 + 300);
  assert.deepEqual(woken.toSorted(), ['commands', 'commands', 'expiries', 'mails', 'mails']);
  assert.equal(alarm.nextDueAtMs?.(), T0 + 400);
});

test('after a look that was held up it rests for a second at most', async (t) => {
  const { state, run, alarm } = scene(null);
  let nowMs = 0;
  t.mock.method(performance, 'now', () => (nowMs += 3_000));
  state.due = { ...nothing, commands: T0 + 300 };
  await run();
  assert.equal(typeof alarm.pauseMs === 'function' ? alarm.pauseMs() : alarm.pauseMs, 1_000);
});

test('a file without writes is not polled again', async () => {
  const { state, run } = scene(1);
  for (let times = 0; times < 5; times += 1) await run();
  assert.equal(state.looks, 1);
  state.mark = 2;
  await run();
  await run();
  assert.equal(state.looks, 2, 'another process wrote');
});

test('readers of feeds look after a write of another process, not after its own', async () => {
  const { state, woken, run } = scene(1);
  await run();
  state.write();
  await run();
  assert.deepEqual(woken, ['write']);
  state.mark = 2;
  await run();
  await run();
  assert.deepEqual(woken, ['write', 'feed']);
});

test('where other hosts cannot be seen to write, each run looks', async () => {
  const { state, run } = scene(null);
  for (let times = 0; times < 5; times += 1) await run();
  assert.equal(state.looks, 5);
});

test('a write of this process rings the alarm once until it has looked again', async () => {
  const { state, woken, run } = scene(1);
  await run();
  for (let writes = 0; writes < 100; writes += 1) state.write();
  assert.deepEqual(woken, ['write']);
  await run();
  assert.equal(state.looks, 2);
});

test('a write while the alarm looks makes it look again', async () => {
  const { state, woken, run } = scene(1);
  const looking = run();
  state.write();
  await looking;
  assert.deepEqual(woken, ['write']);
  await run();
  assert.equal(state.looks, 2);
});

test('a look that failed is taken again', async () => {
  const { state, run } = scene(1);
  state.fails = true;
  await assert.rejects(run());
  state.fails = false;
  await run();
  assert.equal(state.looks, 2);
});
