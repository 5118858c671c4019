// Who is mailed when a subscription gives up a delivery, and how often.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import type { Mode } from '../../../../core/domain/base/tenant.js';
import { addMember } from '../../../../core/usecases/access/members.js';
import {
  createSubscription,
  deleteSubscription,
  testSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { type World, world } from '../../../support/scenes/test-world.js';

const url = 'https://api.acme.example/hook';

/** A subscription whose server refuses everything, and the members of its organization. */
async function scene(made: World, mode: Mode) {
  const tenant = { orgId: await made.organization(), mode } as const;
  for (const role of ['owner', 'admin', 'finance', 'viewer'] as const)
    await addMember(made.deps, { orgId: tenant.orgId, email: `${role}@acme.example`, role });
  const hook = { url, eventTypes: ['webhook.test'] };
  const { subscription } = await createSubscription(made.deps, tenant, hook);
  made.answer = () => ({ responseStatus: 500 });
  /** Sends an event, and tries it until it is given up; four days have passed then. */
  const giveUp = async () => {
    await testSubscription(made.deps, tenant, subscription.id);
    for (let half = 0; half < 8; half += 1) {
      await made.settle();
      made.advanceClock(DAY_MS / 2);
    }
    await made.settle();
  };
  return { tenant, subscription, giveUp };
}

test('owners and admins are mailed that webhooks of live mode were given up', async (t) => {
  const made = await world(t);
  const { giveUp } = await scene(made, 'live');
  await giveUp();
  const mails = made.mails.filter(({ subject }) => subject.includes('were not delivered'));
  assert.deepEqual(mails.map(({ to }) => to).toSorted(), [
    'admin@acme.example',
    'owner@acme.example',
  ]);
  assert.ok(
    mails.every(
      ({ text }) => text.includes('api.acme.example/hook') && text.includes('/dashboard'),
    ),
  );
});

test('of many deliveries that one subscription gives up on a day, one mail is sent to each', async (t) => {
  const made = await world(t);
  const { giveUp, tenant, subscription } = await scene(made, 'live');
  const others = [1, 2, 3].map(() => testSubscription(made.deps, tenant, subscription.id));
  await Promise.all(others);
  await giveUp();
  assert.equal(made.mails.filter(({ to }) => to === 'owner@acme.example').length, 1);
  await giveUp();
  assert.equal(made.mails.filter(({ to }) => to === 'owner@acme.example').length, 2);
});

test('nobody is mailed in test mode, nor about a subscription that was deleted', async (t) => {
  const made = await world(t);
  await (await scene(made, 'test')).giveUp();
  assert.deepEqual(made.mails, []);
  const { giveUp, tenant, subscription } = await scene(made, 'live');
  made.answer = async () => {
    // It is deleted while its last attempt runs.
    await deleteSubscription(made.deps, tenant, subscription.id);
    return { responseStatus: 500 };
  };
  await giveUp();
  assert.deepEqual(made.mails, []);
});
