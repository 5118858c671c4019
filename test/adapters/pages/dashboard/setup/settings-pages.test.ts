// The settings of the organization in the dashboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  readOrganization,
  requireApproval,
} from '../../../../../core/usecases/parties/organizations.js';
import { jpegOf, pngOf } from '../../../../support/samples/pictures.js';
import { siteWithOwner } from '../dashboard-site.js';

test('the form offers no way to lower the hold or to end second approval', async (t) => {
  const { site, deps, root, owner } = await siteWithOwner(t);
  await requireApproval(deps, site.tenant.orgId, true);
  const form = `${root}/settings/change`;
  const { text } = await owner.open(form);
  assert.doesNotMatch(text, /name="approval"/);
  assert.match(text, /name="intentApproval"/);
  assert.match(text, /24 to 72\./);
  const lower = await owner.send('/settings/change', { hold: '0' });
  assert.equal(lower.status, 422);
  assert.match(lower.text, /Give a whole number from 24 to 72/);
});

test('a form that another owner has overtaken shows the current settings', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const form = `${root}/settings/change`;
  await owner.open(form);
  await requireApproval(site.world.deps, site.tenant.orgId, true);
  const typed = { website: 'https://acme.example', hold: '24' };
  const late = await owner.send('/settings/change', typed);
  assert.equal(late.path, `${form}?notice=out_of_date`);
  await owner.open(form);
  const saved = await owner.send('/settings/change', typed);
  assert.equal(saved.path, `${root}/settings?done=settings_saved`);
});

test('the page of the buyer has the logo and the color of its organization, and no other', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const { path } = await site.newPayment();
  const plain = await site.visitor().open(path);
  assert.doesNotMatch(plain.text, /<img|accent-/);
  const form = `${root}/settings/change`;
  await owner.open(form);
  const colored = await owner.send('/settings/change', { accentColor: '#8A1C4A', hold: '24' });
  assert.match(colored.words, /Accent color #8a1c4a/);
  await owner.open(form);
  const saved = await owner.upload('/settings/logo', pngOf(280, 56), 'image/png');
  assert.equal(saved.path, `${root}/settings?done=settings_saved`);
  assert.match(saved.text, /<img class="logo" src="\/assets\/logos\//);
  const visitor = site.visitor();
  const { text } = await visitor.open(path);
  const [, logo = '', alt] = /<img src="([^"]+)" alt="([^"]+)"/.exec(text) ?? [];
  assert.equal(alt, 'Logo of Acme Ltda');
  const picture = await visitor.request('GET', logo);
  assert.equal(picture.headers.get('content-type'), 'image/png');
  assert.equal(picture.headers.get('x-content-type-options'), 'nosniff');
  assert.match(picture.headers.get('cache-control') ?? '', /immutable/);
  assert.deepEqual(new Uint8Array(await picture.arrayBuffer()), pngOf(280, 56));
  const [style = ''] = /\/assets\/[0-9a-f]+\/accent-8a1c4a\.css/.exec(text) ?? [];
  const css = await (await visitor.request('GET', style)).text();
  assert.match(css, /^:root \{\n {2}--accent: #8a1c4a;/);
  const wrong = style.replace('8a1c4a', '8a1c4b');
  assert.equal((await visitor.request('GET', wrong)).status, 404, 'another color, another hash');
  const stranger = await site.world.newTenant();
  const theirs = await site.world.newPayment(stranger);
  const payment = await site.world.payment(theirs);
  const other = await site.visitor().open(`/r/${payment?.publicId}`);
  assert.equal(other.status, 200);
  assert.doesNotMatch(other.text, /<img|accent-/);
});

test('a color that is too faint and a file that is no logo are refused in words', async (t) => {
  const { root, owner } = await siteWithOwner(t);
  const form = `${root}/settings/change`;
  await owner.open(form);
  const faint = await owner.send('/settings/change', { accentColor: '#ffd400', hold: '24' });
  assert.equal(faint.status, 422);
  assert.match(faint.words, /the contrast of this one is 1\.3:1, and text needs 4\.5:1/);
  const none = await owner.send('/settings/change', { accentColor: 'red', hold: '24' });
  assert.match(none.words, /This is no color like #0a5568/);
  const wide = await owner.upload('/settings/logo', jpegOf(1_001, 10), 'image/jpeg');
  assert.equal(wide.status, 422);
  assert.match(wide.words, /at most 1,000 pixels on each side\./);
  await owner.open(form);
  const drawn = Buffer.from('<svg/>');
  const svg = await owner.upload('/settings/logo', drawn, 'image/png');
  assert.match(svg.words, /Choose a PNG or JPEG file/);
});

test('a logo is removed by the owner, and the page has initials again', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const { path } = await site.newPayment();
  await owner.open(`${root}/settings/change`);
  await owner.upload('/settings/logo', jpegOf(28, 28), 'image/jpeg');
  await owner.open(`${root}/settings/change`);
  await owner.send('/settings/logo/remove');
  assert.match((await site.visitor().open(path)).text, /<i aria-hidden="true">AL<\/i>/);
});

test('an owner switches mails to buyers and sellers on and off; each is off by default', async (t) => {
  const { site, root, owner } = await siteWithOwner(t);
  const form = `${root}/settings/change`;
  const names = ['sendsReminders', 'sendsSettlementNotices'] as const;
  for (const on of [[], names, ['sendsSettlementNotices'], []] as const) {
    await owner.open(form);
    const ticks = Object.fromEntries(on.map((name) => [name, 'yes']));
    await owner.send('/settings/change', { ...ticks, hold: '24' });
    const { organization } = await readOrganization(site.world.deps, site.tenant.orgId);
    assert.deepEqual(
      names.filter((name) => organization[name]),
      on,
    );
  }
});
