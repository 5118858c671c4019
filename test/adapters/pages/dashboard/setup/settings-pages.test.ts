// The settings of the organization in the dashboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireApproval } from '../../../../../core/usecases/parties/organizations.js';
import { pageSite } from '../../visitor.js';
import { rootOf, signedInAs } from '../dashboard-site.js';

test('the form offers no way to lower the hold or to end second approval', async (t) => {
  const site = await pageSite(t);
  const { deps } = site.world;
  await requireApproval(deps, site.tenant.orgId, true);
  const owner = await signedInAs(site, 'owner');
  const form = `${rootOf(site)}/settings/change`;
  const { text } = await owner.open(form);
  assert.doesNotMatch(text, /name="approval"/);
  assert.match(text, /name="intentApproval"/);
  assert.match(text, /24 to 72\./);
  const lower = await owner.send('/settings/change', { hold: '0' });
  assert.equal(lower.status, 422);
  assert.match(lower.text, /Give a whole number from 24 to 72/);
});

test('a form that another owner has overtaken shows the current settings', async (t) => {
  const site = await pageSite(t);
  const owner = await signedInAs(site, 'owner');
  const form = `${rootOf(site)}/settings/change`;
  await owner.open(form);
  await requireApproval(site.world.deps, site.tenant.orgId, true);
  const typed = { website: 'https://acme.example', hold: '24' };
  const late = await owner.send('/settings/change', typed);
  assert.equal(late.path, `${form}?notice=out_of_date`);
  await owner.open(form);
  const saved = await owner.send('/settings/change', typed);
  assert.equal(saved.path, `${rootOf(site)}/settings?done=settings_saved`);
});
