// Which members are mailed what happened to their organization, and how often.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import type { Mode } from '../../../../core/domain/base/tenant.js';
import { createKey, rollKey, unlimitedKey } from '../../../../core/usecases/access/keys.js';
import { removeMember } from '../../../../core/usecases/access/members.js';
import {
  createSubscription,
  deleteSubscription,
  testSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { type World, world } from '../../../support/scenes/test-world.js';

const url = 'https://api.acme.example/hook';

/** An organization with a member of each role. */
async function team(made: World): Promise<string> {
  const orgId = await made.organization();
  for (const role of ['owner', 'admin', 'finance', 'viewer'] as const)
    await addActiveMember(made.deps, { orgId, email: `${role}@acme.example`, role });
  await made.settle();
  return orgId;
}

/** To whom mails with these words in one paragraph went, in alphabetical order. */
async function mailed(made: World, words: string): Promise<readonly string[]> {
  await made.settle();
  const found = made.mails.filter(({ text }) => text.replaceAll(/\s+/g, ' ').includes(words));
  return found.map(({ to }) => to).toSorted();
}

const guards = ['admin@acme.example', 'owner@acme.example'];

/** A subscription whose server refuses everything, and the members of its organization. */
async function scene(made: World, mode: Mode) {
  const tenant = { orgId: await team(made), mode } as const;
  const hook = { url, eventTypes: ['webhook.test'] };
  const { subscription } = await createSubscription(made.deps, tenant, hook);
  made.answer = () => ({ responseStatus: 500 });
  /** Sends an event, and tries it until it is given up; four days have passed then. */
  const giveUp = async () => {
    await testSubscription(made.deps, tenant, subscription.id);
    await made.pass(8, DAY_MS / 2);
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
  assert.deepEqual(await mailed(made, 'given up'), guards);
  await giveUp();
  assert.deepEqual(await mailed(made, 'given up'), [...guards, ...guards].toSorted());
});

test('nobody is mailed in test mode, nor about a subscription that was deleted', async (t) => {
  const made = await world(t);
  await (await scene(made, 'test')).giveUp();
  assert.deepEqual(await mailed(made, 'given up'), []);
  const { giveUp, tenant, subscription } = await scene(made, 'live');
  made.answer = async () => {
    // It is deleted while its last attempt runs.
    await deleteSubscription(made.deps, tenant, subscription.id);
    return { responseStatus: 500 };
  };
  await giveUp();
  assert.deepEqual(await mailed(made, 'given up'), []);
});

test('owners and admins are mailed of each live API key that is created or rolled', async (t) => {
  const made = await world(t);
  const orgId = await team(made);
  const input = { ...unlimitedKey, orgId, mode: 'live', createdBy: 'opr_1', name: 'ERP' } as const;
  const { key } = await createKey(made.deps, input);
  const rolled = await rollKey(made.deps, orgId, key.id, { createdBy: 'opr_1', overlapHours: 1 });
  assert.deepEqual(await mailed(made, key.id), guards);
  assert.deepEqual(await mailed(made, rolled.key.id), guards);
});

test('a key of test mode is mailed to nobody', async (t) => {
  const made = await world(t);
  const orgId = await team(made);
  const input = { ...unlimitedKey, orgId, mode: 'test', createdBy: 'opr_1', name: 'ERP' } as const;
  const { key } = await createKey(made.deps, input);
  assert.deepEqual(await mailed(made, key.id), []);
});

test('owners and admins are mailed who was added, got another role or was removed', async (t) => {
  const made = await world(t);
  const orgId = await team(made);
  const email = 'new@acme.example';
  const role = (name: string) => `${email} is a member with the role “${name}” now.`;
  await addActiveMember(made.deps, { orgId, email, role: 'viewer' });
  assert.deepEqual(await mailed(made, role('Viewer')), guards);
  await addActiveMember(made.deps, { orgId, email, role: 'finance' });
  assert.deepEqual(await mailed(made, role('Finance')), guards);
  await addActiveMember(made.deps, { orgId, email, role: 'viewer' });
  assert.deepEqual(await mailed(made, role('Viewer')), [...guards, ...guards].toSorted());
  await removeMember(made.deps, orgId, email);
  assert.deepEqual(await mailed(made, `${email} is no longer a member.`), guards);
});

test('a member who gets the role that it has changes nothing, and nobody is mailed', async (t) => {
  const made = await world(t);
  const orgId = await team(made);
  const email = 'viewer@acme.example';
  const before = await mailed(made, email);
  await addActiveMember(made.deps, { orgId, email, role: 'viewer' });
  assert.deepEqual(await mailed(made, email), before);
});
