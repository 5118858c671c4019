// Who waits for a group waits a bounded time from when it came, in a queue of bounded length.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MicroBatcher, type Waiter } from '../../../../adapters/storage/postgres/micro-batcher.js';

const refusal = { code: 'StoreUnavailable', retryAfterSeconds: 2, message: /Nothing was changed/ };

interface Item extends Waiter {
  readonly resolve: (value: string) => void;
}

function asked(gathering: MicroBatcher<Item>): Promise<string> {
  return new Promise((resolve, reject) => gathering.add({ resolve, reject }));
}

test('each waits its own time, however many groups before it fail', async () => {
  const waitMaxMs = 200;
  let groups = 0;
  // A group is worked on for as long as anybody may wait, and then is lost.
  const gathering = new MicroBatcher<Item>({
    concurrency: 1,
    groupMax: 1,
    waitMaxMs,
    work: async (waiting) => {
      const group = waiting.next();
      groups += 1;
      await new Promise((resolve) => setTimeout(resolve, 2 * waitMaxMs));
      for (const { reject } of group) reject(new Error('lost'));
    },
  });
  const ends = await Promise.allSettled(Array.from({ length: 9 }, () => asked(gathering)));
  const [first, ...others] = ends.map((end) => (end.status === 'rejected' ? end.reason : null));
  assert.match(String(first), /lost/);
  for (const error of others) await assert.rejects(Promise.reject(error), refusal);
  await gathering.idle();
  assert.equal(groups, 1, 'nobody waits for the group after');
});

test('a full queue refuses immediately', async () => {
  const gate = Promise.withResolvers<void>();
  const gathering = new MicroBatcher<Item>({
    concurrency: 1,
    groupMax: 5,
    waitingMax: 5,
    work: async (waiting) => {
      await gate.promise;
      for (const { resolve } of waiting.next()) resolve('done');
    },
  });
  const waiting = Array.from({ length: 5 }, () => asked(gathering));
  await assert.rejects(asked(gathering), refusal);
  gate.resolve();
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['done']));
});

test('what is given back goes first with the next group, and waits no longer than it may', async () => {
  let tries = 0;
  const seen: number[] = [];
  const gathering = new MicroBatcher<Item>({
    concurrency: 1,
    groupMax: 2,
    waitMaxMs: 60_000,
    work: async (waiting) => {
      const group = waiting.next();
      tries += 1;
      if (tries === 1) waiting.requeue(group);
      else for (const { resolve } of group) resolve(`try ${tries}`);
      seen.push(group.length);
    },
  });
  const all = await Promise.all([asked(gathering), asked(gathering), asked(gathering)]);
  assert.deepEqual(all, ['try 2', 'try 2', 'try 3']);
  const lost = new MicroBatcher<Item>({
    concurrency: 1,
    groupMax: 2,
    waitMaxMs: 50,
    work: async (waiting) => {
      waiting.requeue(waiting.next());
    },
  });
  await assert.rejects(asked(lost), refusal);
});

test('what is given back after its time is refused, and no timer is set in the past', async (t) => {
  const { mock } = t.mock.method(globalThis, 'setTimeout');
  const late = new MicroBatcher<Item>({
    concurrency: 1,
    groupMax: 1,
    waitMaxMs: 20,
    work: async (waiting) => {
      const group = waiting.next();
      await new Promise((resolve) => setTimeout(resolve, 40));
      waiting.requeue(group);
    },
  });
  await assert.rejects(asked(late), refusal);
  const delaysMs = mock.calls.map(({ arguments: [, delayMs] }) => delayMs ?? 0);
  assert.ok(delaysMs.includes(40), 'the timers are seen');
  assert.deepEqual(
    delaysMs.filter((delayMs) => delayMs < 0),
    [],
  );
});
