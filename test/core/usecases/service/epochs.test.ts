// Epochs of a database: what begins one, how it is numbered, and what ends its quarantine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  currentEpoch,
  endQuarantine,
  quarantineLostCommits,
  quarantineRestored,
} from '../../../../core/usecases/service/epochs.js';
import { world } from '../../../support/scenes/test-world.js';
import { valuesOf } from '../../../support/values-of.js';

const release = { by: 'ana', forcedBecause: null };

test('a database that was never restored has epoch 1 and no quarantine', async (t) => {
  const { deps } = await world(t);
  const epoch = await currentEpoch(deps);
  assert.equal(epoch.number, 1);
  assert.deepEqual([epoch.cause, epoch.state], ['initial', 'open']);
});

test('a restore begins an epoch in quarantine, and ends the one before', async (t) => {
  const { deps } = await world(t);
  const epoch = await quarantineRestored(deps);
  assert.deepEqual([epoch.cause, epoch.state], ['restored', 'quarantine']);
  assert.deepEqual(await currentEpoch(deps), epoch);
  const all = await deps.store.run((tx) => tx.epochs.list());
  assert.deepEqual(valuesOf(all, 'state'), ['over', 'quarantine']);
});

test('two restores of one backup have different numbers', async (t) => {
  const numbers: number[] = [];
  for (const laterMs of [0, 1_000]) {
    const { deps } = await world(t);
    const clock = { nowMs: () => 1_800_000_000_000 + laterMs };
    numbers.push((await quarantineRestored({ ...deps, clock })).number);
  }
  assert.deepEqual(numbers, [1_800_000_000, 1_800_000_001]);
});

test('epochs that begin in one second, or by a clock that is behind, are numbered on', async (t) => {
  const { deps } = await world(t);
  const numbers: number[] = [];
  for (const nowMs of [1_800_000_000_000, 1_800_000_000_001, 1_700_000_000_000]) {
    const clock = { nowMs: () => nowMs };
    numbers.push((await quarantineRestored({ ...deps, clock })).number);
  }
  assert.deepEqual(numbers, [1_800_000_000, 1_800_000_001, 1_800_000_002]);
});

test('hosts that notice lost commits together begin one quarantine', async (t) => {
  const { deps } = await world(t);
  const begun = await Promise.all([1, 2, 3].map(() => quarantineLostCommits(deps, 2)));
  assert.equal(new Set(begun.map(({ number }) => number)).size, 1);
  const all = await deps.store.run((tx) => tx.epochs.list());
  assert.deepEqual(valuesOf(all, 'state'), ['over', 'quarantine']);
});

test('a host that notices lost commits late begins no second quarantine for them', async (t) => {
  const { deps, log } = await world(t);
  await quarantineLostCommits(deps, 2);
  const released = await endQuarantine(deps, { by: 'ana', forcedBecause: 'a drill' });
  const { number, state } = await quarantineLostCommits(deps, 2);
  assert.deepEqual([number, state], [released.number, 'open']);
  const said = log.filter(({ message }) => message === 'the database is in quarantine');
  assert.equal(said.length, 1);
  const next = await quarantineLostCommits(deps, 3);
  assert.deepEqual([next.state, next.timeline], ['quarantine', 3]);
});

test('a quarantine ends after a complete check, or by force with a reason', async (t) => {
  const { deps } = await world(t);
  await assert.rejects(endQuarantine(deps, release), { code: 'NotQuarantined' });
  await quarantineRestored(deps);
  await assert.rejects(endQuarantine(deps, release), { code: 'CheckIncomplete' });
  const forced = await endQuarantine(deps, { by: 'ana', forcedBecause: 'the partner is gone' });
  assert.deepEqual([forced.state, forced.releasedBy], ['open', 'ana']);
  assert.equal(forced.forcedBecause, 'the partner is gone');
  await assert.rejects(endQuarantine(deps, release), { code: 'NotQuarantined' });
});
