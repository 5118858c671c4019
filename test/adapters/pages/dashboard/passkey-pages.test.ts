// Passkeys on the pages: added in a young session, used to sign in and to confirm, renamed and
// removed. The authenticator answers as the script of the page would send it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '../../../../core/domain/base/instant.js';
import {
  type SoftwareAuthenticator,
  softwareAuthenticator,
} from '../../../support/scenes/software-authenticator.js';
import { formsOf, type PageSite, pageSite, type Visitor } from '../visitor.js';
import { rootOf, signedInAs } from './dashboard-site.js';

const newAuthenticator = ({ world }: PageSite) => softwareAuthenticator(world.deps.settings.payUrl);

async function optionsFor(visitor: Visitor, path: string): Promise<object> {
  const response = await visitor.request('GET', path);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  return (await response.json()) as object;
}

/** Adds a passkey in the session of the visitor. */
async function add(visitor: Visitor, authenticator: SoftwareAuthenticator, name = 'phone') {
  await visitor.open('/dashboard/passkeys/add');
  const answer = authenticator.create(await optionsFor(visitor, '/dashboard/passkeys/options'));
  return visitor.send('/passkeys/add', { answer, name });
}

/** Uses it on the open page. */
async function enter(visitor: Visitor, authenticator: SoftwareAuthenticator) {
  const answer = authenticator.get(await optionsFor(visitor, '/dashboard/passkey/options'));
  return visitor.send('/dashboard/passkey', { answer });
}

test('a passkey signs in where the person wanted to go, and the log names it', async (t) => {
  const site = await pageSite(t);
  const authenticator = newAuthenticator(site);
  const added = await add(await signedInAs(site, 'owner'), authenticator);
  assert.equal(added.path, '/dashboard/sessions?done=passkey_added');
  assert.match(added.text, />phone</);
  const visitor = site.visitor();
  await visitor.open(`${rootOf(site)}/payments`);
  assert.equal((await enter(visitor, authenticator)).path, `${rootOf(site)}/payments`);
  const entries = await site.world.audit();
  const ofPasskeys = entries.filter(({ objects }) => objects.some((one) => one.type === 'passkey'));
  assert.deepEqual(
    ofPasskeys.map(({ action, actor: { kind } }) => [action, kind]),
    [
      ['/dashboard/passkey', 'link'],
      ['/dashboard/passkeys/add', 'person'],
    ],
  );
});

test('a passkey confirms an older session, which is then over', async (t) => {
  const site = await pageSite(t);
  const authenticator = newAuthenticator(site);
  const visitor = await signedInAs(site, 'owner');
  const place = `${rootOf(site)}/settings/change`;
  await visitor.open('/dashboard/confirm');
  const has = () =>
    formsOf(visitor.shown?.text ?? '').some(({ action }) => /passkey$/.test(action));
  assert.equal(has(), false, 'a person without a passkey is not asked for one');
  await add(visitor, authenticator);
  // The cookie is the visitor's own from here on.
  const own = site.visitor();
  await own.open('/dashboard');
  await enter(own, authenticator);
  const former = own.copy();
  site.world.advanceClock(30 * MINUTE_MS);
  assert.equal((await own.open(place)).path, '/dashboard/confirm');
  assert.equal((await enter(own, authenticator)).path, place);
  assert.equal((await former.open(rootOf(site))).path, '/dashboard?notice=signed_out');
});

test('the passkey of somebody else, or none, confirms nothing and says so', async (t) => {
  const site = await pageSite(t);
  const [ofOwner, ofAdmin] = [newAuthenticator(site), newAuthenticator(site)];
  const owner = await signedInAs(site, 'owner');
  await add(owner, ofOwner);
  await add(await signedInAs(site, 'admin'), ofAdmin);
  site.world.advanceClock(30 * MINUTE_MS);
  await owner.open('/dashboard/confirm');
  const refused = await enter(owner, ofAdmin);
  assert.equal(refused.path, '/dashboard/confirm?refused');
  assert.match(refused.text, /The passkey was not accepted/);
  assert.equal((await owner.open(`${rootOf(site)}/settings/change`)).path, '/dashboard/confirm');
  const stranger = site.visitor();
  await stranger.open('/dashboard');
  const { path } = await stranger.send('/dashboard/passkey', { answer: '{}' });
  assert.equal(path, '/dashboard?refused');
  assert.equal(stranger.hasCookie('ponte-member'), false);
});

test('a form of another site does not use a passkey', async (t) => {
  const site = await pageSite(t);
  const authenticator = newAuthenticator(site);
  await add(await signedInAs(site, 'owner'), authenticator);
  const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  for (const header of Object.entries(foreign)) {
    const visitor = site.visitor();
    const options = await optionsFor(visitor, '/dashboard/passkey/options');
    await visitor.post(
      '/dashboard/passkey',
      { answer: authenticator.get(options) },
      Object.fromEntries([header]),
    );
    assert.equal(visitor.hasCookie('ponte-member'), false);
  }
});

test('a member renames and removes a passkey, and nobody else does', async (t) => {
  const site = await pageSite(t);
  const authenticator = newAuthenticator(site);
  const owner = await signedInAs(site, 'owner');
  const { text } = await add(owner, authenticator, ' ');
  const [, id = ''] = /\/passkeys\/(psk_\w+)"/.exec(text) ?? [];
  assert.match(text, />Passkey</, 'without a name it has the usual one');
  const path = `/dashboard/passkeys/${id}`;
  const admin = await signedInAs(site, 'admin');
  assert.equal((await admin.open(path)).status, 404);
  await admin.open('/dashboard/sessions');
  const [{ hidden = {} } = {}] = formsOf(admin.shown?.text ?? '');
  assert.equal((await admin.post(path, { ...hidden, name: 'mine' })).status, 404);
  assert.equal((await admin.post(`${path}/remove`, hidden)).status, 404);
  await owner.open(path);
  assert.match((await owner.send(id, { name: 'laptop' })).text, />laptop</);
  await owner.open(path);
  const removed = await owner.send('/remove');
  assert.match(removed.text, /The passkey is removed/);
  assert.doesNotMatch(removed.text, /laptop/);
  const visitor = site.visitor();
  await visitor.open('/dashboard');
  assert.equal((await enter(visitor, authenticator)).path, '/dashboard?refused');
});
