// Sign-in to the dashboard by a mailed link or code, its sessions, and their end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../core/domain/base/instant.js';
import { addMember, removeMember } from '../../../../core/usecases/access/members.js';
import { type PageSite, pageSite, textOf, type Visitor } from '../visitor.js';
import { rootOf, signedInAs } from './dashboard-site.js';

const email = 'joana@rotanorte.example';

async function siteWithMember(t: Parameters<typeof pageSite>[0]): Promise<PageSite> {
  const site = await pageSite(t);
  const { orgId } = site.tenant;
  await addMember(site.world.deps, { orgId, email, role: 'admin' });
  return site;
}

async function askFor(site: PageSite, address: string): Promise<Visitor> {
  const visitor = site.visitor();
  await visitor.open('/dashboard');
  await visitor.send('/link', { address });
  return visitor;
}

test('a mailed link signs a member in, once, in the browser that opens it', async (t) => {
  const site = await siteWithMember(t);
  await askFor(site, ' Joana@RotaNorte.example ');
  const link = await site.newestLink();
  const visitor = site.visitor();
  const opened = await visitor.open(link);
  assert.equal(opened.path, '/dashboard/enter');
  assert.equal(opened.heading, `Continue as ${email}`);
  assert.equal(visitor.hasCookie('ponte-member'), false, 'opening a link changes nothing');
  const home = await visitor.send('/enter');
  assert.equal(home.path, rootOf(site));
  assert.equal(home.heading, 'Home');
  const again = site.visitor();
  await again.open(link);
  assert.equal(again.shown?.heading, 'Continue as j•••@rotanorte.example');
  const pressed = await again.send('/enter');
  assert.deepEqual([pressed.path, again.hasCookie('ponte-member')], ['/dashboard/enter', false]);
  assert.ok(!again.shown?.text.includes('joana'), 'a used link does not show whose it is');
});

test('a member who is in comes back by a link that is over, and another person does not', async (t) => {
  const site = await siteWithMember(t);
  const visitor = await askFor(site, email);
  const link = await site.newestLink();
  await visitor.send('/code', { code: await site.newestCode() });
  assert.equal((await visitor.open(link)).heading, 'Home');
  const { orgId } = site.tenant;
  const another = 'rui@rotanorte.example';
  await addMember(site.world.deps, { orgId, email: another, role: 'viewer' });
  const other = await askFor(site, another);
  await other.send('/code', { code: await site.newestCode() });
  assert.equal((await other.open(link)).heading, 'This link no longer works');
});

test('a code signs in the browser that asked for it', async (t) => {
  const site = await siteWithMember(t);
  const visitor = await askFor(site, email);
  const code = await site.newestCode();
  const other = await askFor(site, 'nobody@rotanorte.example');
  assert.match((await other.send('/code', { code })).text, /This code does not work/);
  assert.equal((await visitor.send('/code', { code })).heading, 'Home');
});

test('no answer shows whether an address belongs to a member', async (t) => {
  const site = await siteWithMember(t);
  const seen = async (address: string) => {
    const visitor = await askFor(site, address);
    const shown = [visitor.shown, await visitor.send('/code', { code: '000000' })];
    for (let more = 0; more < 6; more += 1) {
      shown.push(await visitor.send('/code', { code: '000000' }));
    }
    await visitor.open('/dashboard');
    shown.push(await visitor.send('/link', { address }));
    return shown.map((one) => `${one?.path} ${textOf(one?.text ?? '').replaceAll(address, '')}`);
  };
  assert.deepEqual(await seen(email), await seen('nobody@rotanorte.example'));
});

test('a session ends by sign-out, by idleness, and with its member', async (t) => {
  const site = await siteWithMember(t);
  const { deps } = site.world;
  const root = rootOf(site);
  const visitor = await signedInAs(site, 'owner');
  await visitor.open(root);
  assert.equal((await visitor.send('/sign-out')).path, '/dashboard');
  assert.equal((await visitor.open(root)).path, '/dashboard?notice=signed_out');

  const idle = await signedInAs(site, 'finance');
  assert.equal((await idle.open(root)).heading, 'Home');
  site.world.advanceClock(HOUR_MS - MINUTE_MS);
  assert.equal((await idle.open(root)).heading, 'Home');
  site.world.advanceClock(HOUR_MS - MINUTE_MS);
  assert.equal((await idle.open(root)).heading, 'Home');
  site.world.advanceClock(HOUR_MS);
  assert.equal((await idle.open(root)).path, '/dashboard?notice=signed_out');

  const removed = await signedInAs(site, 'viewer');
  assert.equal((await removed.open(root)).heading, 'Home');
  await removeMember(deps, site.tenant.orgId, 'viewer@rotanorte.example');
  assert.equal((await removed.open(root)).path, '/dashboard?notice=signed_out');
});

test('after a session ended, sign-in leads back to the page', async (t) => {
  const site = await siteWithMember(t);
  const visitor = site.visitor();
  await visitor.open(`${rootOf(site)}/payments`);
  assert.equal(visitor.shown?.path, '/dashboard');
  await visitor.send('/link', { address: email });
  await visitor.open(await site.newestLink());
  assert.equal((await visitor.send('/enter')).path, `${rootOf(site)}/payments`);
});

test('a member lists sessions of the same person and ends one, or all of them', async (t) => {
  const site = await siteWithMember(t);
  const first = await signedInAs(site, 'owner');
  const second = await signedInAs(site, 'owner');
  const others = await signedInAs(site, 'finance');
  await first.open('/dashboard/sessions');
  const [, secondId = ''] = /name="session" value="(ses_\w+)"/.exec(first.shown?.text ?? '') ?? [];
  await others.open('/dashboard/sessions');
  const stolen = await others.send('/sessions', { session: secondId });
  assert.equal(stolen.status, 404, 'the session of somebody else');
  assert.match((await first.send('/sessions', { session: secondId })).text, /session is ended/);
  assert.equal((await second.open(rootOf(site))).path, '/dashboard?notice=signed_out');
  await first.send('/sessions', { session: 'all' });
  assert.equal((await first.open(rootOf(site))).path, '/dashboard?notice=signed_out');
  assert.equal((await others.open(rootOf(site))).heading, 'Home');
});

test('who proves the mailbox again gets another session, and the former one is over', async (t) => {
  const site = await siteWithMember(t);
  const visitor = await askFor(site, email);
  await visitor.open(await site.newestLink());
  await visitor.send('/enter');
  const former = visitor.copy();
  site.world.advanceClock(30 * MINUTE_MS);
  await visitor.open('/dashboard/confirm');
  assert.match(visitor.shown?.text ?? '', /We email a link and a code to joana@/);
  const sent = await visitor.send('/link');
  assert.match(sent.words, /an email with a link and a code to joana@.* shows that it is you/i);
  assert.doesNotMatch(sent.words, /sign in|belongs to a member|whether you were added/i);
  const code = await site.newestCode();
  assert.equal((await visitor.send('/code', { code })).heading, 'Home');
  assert.equal((await former.open(rootOf(site))).path, '/dashboard?notice=signed_out');
});

test('who is not signed in chooses nothing that a mail names', async (t) => {
  const site = await siteWithMember(t);
  const back = `create_key:${site.tenant.orgId}/live/keys/new`;
  const visitor = site.visitor({ headers: { cookie: `ponte-back=${back}` } });
  await visitor.open('/dashboard');
  await visitor.send('/link', { address: email });
  const mail = await site.newestMail();
  assert.match(mail, /Your sign-in link/);
  assert.doesNotMatch(mail, /You are about to/);
});

test('one session is of all organizations of the address, and of no other one', async (t) => {
  const site = await siteWithMember(t);
  const { deps } = site.world;
  const second = await site.world.organization();
  await addMember(deps, { orgId: second, email: 'owner@rotanorte.example', role: 'viewer' });
  const foreign = await site.world.organization();
  const visitor = await signedInAs(site, 'owner');
  const { text } = await visitor.open('/dashboard');
  assert.match(text, new RegExp(`href="/dashboard/${site.tenant.orgId}/test"`));
  assert.match(text, new RegExp(`href="/dashboard/${second}/test"`));
  assert.match((await visitor.open(`/dashboard/${second}/test`)).text, /<small>viewer</);
  assert.equal((await visitor.open(`/dashboard/${foreign}/test`)).status, 404);
  assert.equal((await visitor.open(`/dashboard/${second}/sandbox`)).status, 404);
});

test('the cookie of a member is for the whole host, and no script reads it', async (t) => {
  const site = await siteWithMember(t);
  const visitor = await askFor(site, email);
  await visitor.open(await site.newestLink());
  const response = await visitor.request('POST', '/dashboard/enter', '');
  const cookie = response.headers.getSetCookie().find((one) => one.startsWith('ponte-member='));
  assert.match(cookie ?? '', /; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
});

test('what a person does outside an organization is in the audit log by the person', async (t) => {
  const site = await siteWithMember(t);
  const visitor = await signedInAs(site, 'owner');
  await visitor.open(rootOf(site));
  await visitor.send('/sign-out');
  const [entry] = await site.world.audit();
  assert.equal(entry?.actor.kind, 'person');
  assert.match(entry?.actor.id ?? '', /^per_/);
  assert.equal(entry?.action, '/dashboard/sign-out');
});
