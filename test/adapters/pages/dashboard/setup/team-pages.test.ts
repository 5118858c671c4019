// The team in the dashboard: who sees and changes it, invitations, and the sessions of the reader.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../../core/domain/base/instant.js';
import { addMember, findMember } from '../../../../../core/usecases/access/members.js';
import { makeInvoice } from '../../../../support/scenes/made-payments.js';
import { pageSite, textOf } from '../../visitor.js';
import { rootOf, signedInAs, siteWithOwner } from '../dashboard-site.js';

const email = 'marina@rotanorte.example';

test('an owner invites a member, whose link signs in', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const team = `${root}/team`;
  await owner.open(team);
  const invited = await owner.send('/invite', { email, role: 'finance' });
  assert.equal(invited.path, `${team}?done=member_invited`);
  assert.match(invited.words, /marina@rotanorte\.example Finance invited 1 Jan, 00:00 not yet/);
  const guest = site.visitor();
  await guest.open(await site.newestLink());
  assert.equal((await guest.send('/enter')).heading, 'Home');
  const seen = await owner.open(team);
  assert.doesNotMatch(seen.words, /not yet/);
  const [entry] = await site.world
    .audit(site.tenant.orgId)
    .then((entries) => entries.filter(({ action }) => action.endsWith('/team/invite')));
  assert.equal(entry?.actor.kind, 'member');
});

test('an invitation is refused with a reason', async (t) => {
  const { root, owner } = await siteWithOwner(t);
  const refused = async (fields: Readonly<Record<string, string>>) => {
    await owner.open(`${root}/team`);
    const shown = await owner.send('/team/invite', fields);
    assert.equal(shown.status, 422);
    return shown.text;
  };
  assert.match(await refused({ email: 'nobody', role: 'viewer' }), /Enter an email address/);
  assert.match(await refused({ email: 'joão@x.example', role: 'viewer' }), /no accents/);
  const known = { email: 'OWNER@rotanorte.example', role: 'viewer' };
  assert.match(await refused(known), /This person is a member/);
});

test('an admin changes and removes members, but no owner, and nobody itself', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  const { orgId } = site.tenant;
  const { id: ownerId } = await addMember(deps, { orgId, email: 'rui@x.example', role: 'owner' });
  const { id: viewerId } = await addMember(deps, { orgId, email, role: 'viewer' });
  const admin = await signedInAs(site, 'admin');
  const team = `${rootOf(site)}/team`;
  const { text } = await admin.open(team);
  assert.match(textOf(text), /rui@x\.example .*The last owner stays/);
  assert.doesNotMatch(text, /value="owner"/, 'an admin invites no owner');
  await admin.open(`${team}/${viewerId}`);
  await admin.send(`/${viewerId}`, { role: 'finance' });
  assert.equal((await findMember(deps, orgId, email)).role, 'finance');
  const { csrf } = admin;
  const raised = await admin.post(`${team}/${viewerId}`, { csrf, role: 'owner' });
  assert.equal(raised.status, 400, 'no page offers it');
  assert.equal((await admin.post(`${team}/${ownerId}/remove`, { csrf })).status, 403);
  const { id: ownId } = await findMember(deps, orgId, 'admin@rotanorte.example');
  const own = await admin.post(`${team}/${ownId}`, { csrf, role: 'viewer' });
  assert.equal(own.path, team, 'the list says why');
  assert.equal((await findMember(deps, orgId, 'admin@rotanorte.example')).role, 'admin');
  await admin.open(`${team}/${viewerId}`);
  const removed = await admin.send('/remove', { keeper: '' });
  assert.match(removed.text, /The member is removed/);
  await assert.rejects(findMember(deps, orgId, email), { code: 'NotFound' });
});

test('an old session has no form of the team that would be lost', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  site.world.advanceClock(11 * MINUTE_MS);
  assert.doesNotMatch((await owner.open(`${root}/team`)).text, /name="role"/);
});

test('the name of a member is in the shell, the team, the activity and on payments', async (t) => {
  const { site, deps, orgId, root, owner } = await siteWithOwner(t);
  await makeInvoice(deps, site.tenant, { externalId: 'made' });
  const home = (await owner.open(root)).words;
  assert.match(home, /Colleagues see you as owner@rotanorte\.example/);
  await owner.open(`${root}/name`);
  const taken = await owner.send('/name', { name: 'owner@rotanorte.example' });
  assert.equal(taken.status, 422);
  const named = await owner.send('/name', { name: 'Joana Prado' });
  assert.match(named.words, /JP Joana Prado , owner .*Your name is saved/);
  assert.match(named.words, /Joana Prado \(you\) owner@rotanorte\.example Owner/);
  assert.doesNotMatch((await owner.open(root)).words, /Colleagues see you/);
  const { text } = await owner.open(`${root}/activity`);
  assert.match(textOf(text), /Joana Prado \(owner@rotanorte\.example\)/);
  const { id: createdByMemberId } = await findMember(deps, orgId, 'owner@rotanorte.example');
  const made = await makeInvoice(deps, site.tenant, { externalId: 'own', createdByMemberId });
  const payment = await owner.open(`${root}/payments/${made.payment.id}`);
  assert.match(payment.words, /by Joana Prado/);
});

test('a viewer sees the members and their roles, and nothing to change', async (t) => {
  const site = await pageSite(t);
  await addMember(site.world.deps, { orgId: site.tenant.orgId, email, role: 'admin' });
  const viewer = await signedInAs(site, 'viewer');
  const { text } = await viewer.open(`${rootOf(site)}/team`);
  assert.match(textOf(text), /marina@rotanorte\.example Admin/);
  assert.doesNotMatch(text, /\/team\/|Invite|Last seen|not yet/);
});

test('a member who has not signed in gets another link; one who has does not', async (t) => {
  const { site, orgId, root, owner } = await siteWithOwner(t);
  const { id } = await addMember(site.world.deps, { orgId, email, role: 'viewer' });
  await signedInAs(site, 'finance');
  await owner.open(`${root}/team`);
  assert.match((await owner.send(`/${id}/invite`)).text, /The invitation was sent/);
  assert.match(await site.newestMail(), /You are invited|Welcome/);
  const { csrf } = owner;
  const { id: seen } = await findMember(site.world.deps, orgId, 'finance@rotanorte.example');
  const again = await owner.post(`${root}/team/${seen}/invite`, { csrf });
  assert.equal(again.status, 404);
});
