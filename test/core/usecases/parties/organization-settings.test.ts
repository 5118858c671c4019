// The settings that owners change in the dashboard.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberRole } from '../../../../core/domain/access/member.js';
import { recordOf } from '../../../../core/domain/base/record-of.js';
import { contactNames } from '../../../../core/domain/parties/contact.js';
import { mailSwitches } from '../../../../core/domain/parties/organization.js';
import { removeMember } from '../../../../core/usecases/access/members.js';
import {
  changeLogo,
  changeSettings,
  readLogoFile,
  type SettingsChange,
} from '../../../../core/usecases/parties/organization-settings.js';
import { readOrganization } from '../../../../core/usecases/parties/organizations.js';
import { jpegOf, pngOf } from '../../../support/samples/pictures.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const made = await world(suiteEnd());

const noContact = recordOf(contactNames, () => '');

/** By an owner, unless another member is given. */
async function change(
  orgId: string,
  given: Partial<SettingsChange>,
  changedBy?: string,
): Promise<boolean> {
  const { organization, profiles } = await readOrganization(made.deps, orgId);
  const email = `owner.${orgId}@acme.example`;
  const owner = changedBy ?? (await addActiveMember(made.deps, { orgId, email, role: 'owner' })).id;
  return changeSettings(made.deps, orgId, owner, {
    version: organization.version,
    contact: noContact,
    accentColor: '',
    approvalOf: [],
    payoutHoldHours: profiles.live.payoutHoldHours,
    ...recordOf(mailSwitches, (name) => organization[name]),
    timeZone: organization.timeZone,
    requiresPasskey: organization.requiresPasskey,
    began: 'mail',
    ...given,
  });
}

test('an owner raises the hold, and never lowers it', async () => {
  const orgId = await made.organization();
  assert.equal(await change(orgId, { payoutHoldHours: 48 }), true);
  for (const payoutHoldHours of [47, 0, 73, 48.5, Number.NaN]) {
    await assert.rejects(change(orgId, { payoutHoldHours }), { code: 'ValidationError' });
  }
  const { profiles } = await readOrganization(made.deps, orgId);
  assert.equal(profiles.live.payoutHoldHours, 48);
});

test('an owner switches second approval on; what is not named stays on', async () => {
  const orgId = await made.organization();
  for (const approvalOf of [['invoice'], ['payment_intent'], []] as const) {
    await change(orgId, { approvalOf });
  }
  const { organization, profiles } = await readOrganization(made.deps, orgId);
  const { test: inTest, live } = profiles;
  assert.deepEqual(
    [organization.requiresApproval, inTest.intentsNeedApproval, live.intentsNeedApproval],
    [true, true, true],
  );
});

test('an owner switches mails to buyers and payees on, and off again', async () => {
  const orgId = await made.organization();
  for (const name of mailSwitches) {
    for (const isOn of [true, false]) {
      await change(orgId, { [name]: isOn });
      const { organization } = await readOrganization(made.deps, orgId);
      assert.equal(organization[name], isOn, name);
    }
  }
});

test('a form that another owner has overtaken changes nothing', async () => {
  const orgId = await made.organization();
  const { organization } = await readOrganization(made.deps, orgId);
  const { version } = organization;
  const website = 'https://acme.example/';
  assert.equal(await change(orgId, { version, contact: { ...noContact, website } }), true);
  assert.equal(await change(orgId, { version, payoutHoldHours: 72 }), false);
  const now = await readOrganization(made.deps, orgId);
  assert.deepEqual([now.organization.website, now.profiles.live.payoutHoldHours], [website, 24]);
});

test('a member who was removed, or is no owner any more, changes nothing', async () => {
  const orgId = await made.organization();
  const email = `former.${orgId}@acme.example`;
  const website = 'https://other.example/';
  const contact = { ...noContact, website };
  const { id } = await addActiveMember(made.deps, { orgId, email, role: 'admin' });
  await assert.rejects(change(orgId, { contact }, id), { code: 'InsufficientScope' });
  await removeMember(made.deps, orgId, email);
  await assert.rejects(change(orgId, { contact }, id), { code: 'InvalidToken' });
  const { organization } = await readOrganization(made.deps, orgId);
  assert.equal(organization.website, null);
});

test('an accent color is kept in lower case, and one that is too faint is refused', async () => {
  const orgId = await made.organization();
  await change(orgId, { accentColor: ' #8A1C4A ' });
  assert.equal((await readOrganization(made.deps, orgId)).organization.accentColor, '#8a1c4a');
  for (const accentColor of ['#ffd400', 'red', '#fff']) {
    await assert.rejects(change(orgId, { accentColor }), { code: 'ValidationError' });
  }
  await change(orgId, { accentColor: '' });
  assert.equal((await readOrganization(made.deps, orgId)).organization.accentColor, null);
});

async function logoChange(orgId: string, bytes: Uint8Array | null, role: MemberRole = 'owner') {
  const { organization } = await readOrganization(made.deps, orgId);
  const email = `${role}.${made.deps.ids.next('mem', 0)}@acme.example`;
  const { id } = await addActiveMember(made.deps, { orgId, email, role });
  return changeLogo(made.deps, orgId, id, { version: organization.version, bytes });
}

async function logoHashOf(orgId: string): Promise<string> {
  const { organization } = await readOrganization(made.deps, orgId);
  return organization.logoHash ?? assert.fail('it has a logo');
}

test('a logo is read under its hash until another one replaces it, and removed', async () => {
  const orgId = await made.organization();
  assert.equal(await logoChange(orgId, pngOf(28, 28)), 'saved');
  const hash = await logoHashOf(orgId);
  const { contentType, bytes } = await readLogoFile(made.deps, orgId, hash);
  assert.equal(contentType, 'image/png');
  assert.deepEqual(new Uint8Array(bytes), pngOf(28, 28));
  assert.equal(await logoChange(orgId, jpegOf(28, 28)), 'saved');
  await assert.rejects(readLogoFile(made.deps, orgId, hash), { code: 'NotFound' });
  const next = await logoHashOf(orgId);
  assert.equal((await readLogoFile(made.deps, orgId, next)).contentType, 'image/jpeg');
  const other = await made.organization();
  await assert.rejects(readLogoFile(made.deps, other, next), { code: 'NotFound' });
  assert.equal(await logoChange(orgId, null), 'saved');
  assert.equal((await readOrganization(made.deps, orgId)).organization.logoHash, null);
  await assert.rejects(readLogoFile(made.deps, orgId, next), { code: 'NotFound' });
});

test('a file that is no logo changes nothing, nor does a member who is no owner', async () => {
  const orgId = await made.organization();
  assert.equal(await logoChange(orgId, Buffer.from('<svg/>')), 'not_a_picture');
  const byAdmin = logoChange(orgId, pngOf(28, 28), 'admin');
  await assert.rejects(byAdmin, { code: 'InsufficientScope' });
  const late = { version: 0, bytes: pngOf(28, 28) };
  assert.equal(await changeLogo(made.deps, orgId, 'development', late), 'out_of_date');
  assert.equal((await readOrganization(made.deps, orgId)).organization.logoHash, null);
});
