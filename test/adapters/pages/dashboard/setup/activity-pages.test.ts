// Who changed what, as owners and admins of an organization read it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMember } from '../../../../../core/usecases/access/members.js';
import { advancePayment } from '../../../../../core/usecases/sandbox/sandbox.js';
import { audited } from '../../../../../core/usecases/service/audit-log.js';
import { textOf } from '../../visitor.js';
import { siteWithOwner } from '../dashboard-site.js';

test('an entry shows who did it by name, from where, and what was changed', async (t) => {
  const { root, owner } = await siteWithOwner(t);
  await owner.open(`${root}/team`);
  await owner.send('/invite', { email: 'marina@rotanorte.example', role: 'finance' });
  assert.match(owner.shown?.text ?? '', /\/activity"/, 'a link leads there');
  const shown = (await owner.open(`${root}/activity`)).words;
  assert.match(shown, /owner@rotanorte\.example invited marina@rotanorte\.example \(now finance\)/);
  assert.match(shown, /\(now finance\) Member, owner, from \S+ 1 Jan, 00:00:00/);
  assert.doesNotMatch(shown, /\{\w+\}|ses_|\/team/, 'no pattern of a route, no id of a session');
});

test('what a person did to itself, and to a test payment, is said in words', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const { world, tenant } = site;
  const id = await world.newPayment(tenant, { externalId: 'order-88' });
  await owner.open(`${root}/name`);
  await owner.send('/name', { name: 'Ana Lima' });
  const key = { ...tenant, actor: { kind: 'key', id: 'key_1' }, action: 'advance' } as const;
  await advancePayment(audited(world.deps, key), tenant, id, null);
  const shown = (await owner.open(`${root}/activity`)).words;
  assert.match(shown, /Ana Lima \(owner@rotanorte\.example\) changed their own membership/);
  assert.match(shown, /advanced the test payment order-88/);
  assert.doesNotMatch(shown, /org_|pi_/);
});

test('entries of one kind of actor, or of one actor, are listed alone', async (t) => {
  const { deps, orgId, root, owner } = await siteWithOwner(t);
  for (const id of ['key_one', 'key_two']) {
    const author = audited(deps, { orgId, actor: { kind: 'key', id }, action: `by ${id}` });
    await addMember(author, { orgId, email: `${id}@x.example`, role: 'viewer' });
  }
  const actionsOf = async (query: string) => {
    const { text } = await owner.open(`${root}/activity${query}`);
    return ['by key_one', 'by key_two'].filter((action) => textOf(text).includes(action));
  };
  assert.deepEqual(await actionsOf(''), ['by key_one', 'by key_two']);
  assert.deepEqual(await actionsOf('?kind=key'), ['by key_one', 'by key_two']);
  assert.deepEqual(await actionsOf('?who=key_two'), ['by key_two']);
  assert.deepEqual(await actionsOf('?kind=seller'), []);
  assert.match(owner.shown?.text ?? '', /No entry matches/);
});

test('people come first; what machines did is listed by the filter', async (t) => {
  const { deps, orgId, root, owner } = await siteWithOwner(t);
  const partner = { orgId, actor: { kind: 'partner', id: 'fake' }, action: 'payin' } as const;
  await addMember(audited(deps, partner), { orgId, email: 'eva@x.example', role: 'viewer' });
  const invited = async (query: string) =>
    /invited eva@x\.example/.test((await owner.open(`${root}/activity${query}`)).words);
  assert.equal(await invited(''), false);
  assert.equal(await invited('?kind=partner'), true);
  assert.equal(await invited('?kind=all'), true);
  assert.equal(await invited('?who=fake'), true);
});
