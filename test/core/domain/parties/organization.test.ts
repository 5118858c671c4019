// What an organization may become in a mode, and what it may do there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mode } from '../../../../core/domain/base/tenant.js';
import {
  changedProfile,
  lacksToCollect,
  mayCollect,
  needsOnboarding,
  newOrganization,
  type Organization,
  type OrganizationProfile,
  organizationTermsAccepted,
  payableOrganization,
} from '../../../../core/domain/parties/organization.js';
import {
  decided,
  newParty,
  type PartyStatus,
  submitted,
} from '../../../../core/domain/parties/party.js';
import { noPayout } from '../../../../core/domain/parties/payee.js';
import { valuesOf } from '../../../support/values-of.js';

const NOW_MS = 1_790_000_000_000;

const organization = newOrganization('org_1', 'Exporter', NOW_MS);

const profile: OrganizationProfile = {
  orgId: 'org_1',
  mode: 'test',
  ...newParty,
  status: 'approved',
  commandId: 'cmd_1',
  partnerRef: 'partner_1',
  destinationRef: 'pix_1',
  heldRef: null,
  heldUntilMs: null,
  railsCommandId: 'cmd_rails',
  railsRef: 'account_1',
  tosAcceptedAtMs: null,
  intentsNeedApproval: false,
  payoutHoldHours: 24,
  version: 1,
};

test('payments need KYB approved and rails; PIX is another matter', () => {
  const table: readonly (readonly [PartyStatus | null, string | null, boolean])[] = [
    ['approved', 'account_1', true],
    ['approved', null, false],
    ['verifying', 'account_1', false],
    ['rejected', 'account_1', false],
    [null, 'account_1', false],
    [null, null, false],
  ];
  for (const [status, railsRef, expected] of table) {
    const name = `${status} ${railsRef}`;
    const bare = { ...profile, destinationRef: null, status, railsRef };
    assert.equal(mayCollect(bare), expected, name);
  }
});

test('test mode is activated by its KYB, live mode by its KYB and production access', () => {
  const table: readonly (readonly [Mode, PartyStatus | null, number | null, boolean])[] = [
    ['test', null, null, true],
    ['test', 'verifying', null, true],
    ['test', 'rejected', NOW_MS, true],
    ['test', 'approved', null, false],
    ['live', 'approved', null, true],
    ['live', 'verifying', NOW_MS, true],
    ['live', null, NOW_MS, true],
    ['live', 'approved', NOW_MS, false],
  ];
  for (const [mode, status, productionGrantedAtMs, needs] of table) {
    const granted = { ...organization, productionGrantedAtMs };
    const at = { ...profile, mode, status };
    assert.equal(needsOnboarding(granted, at), needs, `${mode} ${status}`);
  }
});

test('a mode lacks, in order, what it needs to collect', () => {
  const supported = { ...organization, supportEmail: 'help@acme.example' };
  const granted = { ...supported, productionGrantedAtMs: NOW_MS };
  const bare = { ...profile, status: null, destinationRef: null, railsRef: null };
  const payout = ['no PIX destination', 'no virtual account'];
  const table: readonly (readonly [Organization, OrganizationProfile, readonly string[]])[] = [
    [organization, profile, []],
    [granted, { ...profile, mode: 'live' }, []],
    [organization, bare, ['KYB not started', ...payout]],
    [organization, { ...bare, status: 'rejected' }, ['KYB rejected', ...payout]],
    [organization, { ...profile, railsRef: null }, ['no virtual account']],
    [
      organization,
      { ...bare, mode: 'live' },
      ['KYB not started', 'no support contact', 'no production access', ...payout],
    ],
    [supported, { ...profile, mode: 'live' }, ['no production access']],
  ];
  for (const [of, at, expected] of table) {
    assert.deepEqual(valuesOf(lacksToCollect(of, at), 'message'), expected);
  }
});

test('a new party has neither the payout nor the used terms of the one before', () => {
  const accepted = { ...profile, tosId: 'tos_1', tosAcceptedAtMs: NOW_MS };
  const rejected = changedProfile(accepted, decided(accepted, 'reject', null, NOW_MS));
  assert.deepEqual([rejected.tosId, rejected.tosAcceptedAtMs], [null, null]);
  assert.equal(rejected.railsRef, 'account_1');
  const again = changedProfile(rejected, submitted(rejected, 'cmd_2'));
  assert.partialDeepStrictEqual(again, { ...noPayout, status: 'verifying', partnerRef: null });
});

test('only an approved organization is paid, and only the party that was meant', () => {
  assert.equal(payableOrganization(profile), 'partner_1');
  for (const status of [null, 'verifying', 'rejected'] as const) {
    assert.throws(() => payableOrganization({ ...profile, status }), { code: 'KybNotApproved' });
  }
  assert.throws(() => payableOrganization(profile, 'partner_2'), { code: 'KybNotApproved' });
});

test('terms are accepted once; their id may follow and then stays', () => {
  const accepted = organizationTermsAccepted(profile, null, NOW_MS);
  assert.deepEqual(accepted, { ...profile, tosAcceptedAtMs: NOW_MS });
  assert.equal(organizationTermsAccepted(accepted, null, NOW_MS + 1), accepted);
  const named = organizationTermsAccepted(accepted, 'tos_1', NOW_MS + 1);
  assert.deepEqual(named, { ...accepted, tosId: 'tos_1' });
  for (const again of ['tos_1', null])
    assert.equal(organizationTermsAccepted(named, again, NOW_MS + 2), named);
  assert.throws(() => organizationTermsAccepted(named, 'tos_2', NOW_MS), { code: 'TosIdMismatch' });
});
