import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type KybStatus,
  mayCollect,
  type OrganizationProfile,
} from '../../../core/domain/organization.js';

const profile: OrganizationProfile = {
  orgId: 'org_1',
  mode: 'test',
  kybStatus: 'approved',
  receiverId: 'rcv_1',
  partnerRef: 'partner_1',
  virtualAccountRef: 'account_1',
  destinationRef: null,
  version: 1,
};

test('payments need KYB approved and a virtual account; a PIX destination is another matter', () => {
  const table: readonly (readonly [KybStatus | null, string | null, boolean])[] = [
    ['approved', 'account_1', true],
    ['approved', null, false],
    ['verifying', 'account_1', false],
    ['rejected', 'account_1', false],
    [null, 'account_1', false],
    [null, null, false],
  ];
  for (const [kybStatus, virtualAccountRef, expected] of table) {
    const name = `${kybStatus} ${virtualAccountRef}`;
    assert.equal(mayCollect({ ...profile, kybStatus, virtualAccountRef }), expected, name);
  }
});
