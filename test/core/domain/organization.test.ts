// What an organization may become in a mode, and what it may do there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type KybMove,
  type KybStatus,
  kybDecided,
  kybMoves,
  kybReported,
  kybStatuses,
  kybSubmitted,
  mayCollect,
  needsOnboarding,
  nextKybStatus,
  type Organization,
  type OrganizationProfile,
  readPhone,
  readWebsite,
  termsAccepted,
} from '../../../core/domain/organization.js';
import { nothingDue } from '../../../core/domain/party-due.js';
import type { Mode } from '../../../core/domain/tenant.js';

const NOW_MS = 1_790_000_000_000;
const statuses: readonly (KybStatus | null)[] = [null, ...kybStatuses];

const organization: Organization = {
  id: 'org_1',
  name: 'Exporter',
  productionGrantedAtMs: null,
  requiresApproval: false,
  ...{ supportEmail: null, supportPhone: null, website: null },
  createdAtMs: NOW_MS,
  version: 1,
};

const profile: OrganizationProfile = {
  orgId: 'org_1',
  mode: 'test',
  kybStatus: 'approved',
  receiverId: 'rcv_1',
  kybCommandId: 'cmd_1',
  partnerRef: 'partner_1',
  virtualAccountRef: 'account_1',
  destinationRef: 'pix_1',
  tosId: null,
  tosAcceptedAtMs: null,
  ...nothingDue,
  version: 1,
};

test('the KYB moves as the table says and in no other way', () => {
  const table: Readonly<Record<KybMove, Readonly<Record<string, KybStatus>>>> = {
    submit: { null: 'verifying', rejected: 'verifying' },
    approve: { verifying: 'approved' },
    reject: { verifying: 'rejected', approved: 'rejected' },
    overrule: { verifying: 'approved', rejected: 'approved' },
    pause: { approved: 'verifying' },
  };
  for (const status of statuses) {
    for (const [move, row] of Object.entries(table)) {
      const next = nextKybStatus(status, move as KybMove);
      assert.equal(next, row[String(status)] ?? null, `${status} ${move}`);
    }
  }
  assert.deepEqual(kybStatuses, ['verifying', 'approved', 'rejected']);
  assert.deepEqual(Object.keys(kybMoves), ['none', ...kybStatuses]);
});

test('payments need KYB approved and a virtual account; PIX is another matter', () => {
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
    const bare = { ...profile, destinationRef: null, kybStatus, virtualAccountRef };
    assert.equal(mayCollect(bare), expected, name);
  }
});

test('test mode is activated by its KYB, live mode by its KYB and production access', () => {
  const table: readonly (readonly [Mode, KybStatus | null, number | null, boolean])[] = [
    ['test', null, null, true],
    ['test', 'verifying', null, true],
    ['test', 'rejected', NOW_MS, true],
    ['test', 'approved', null, false],
    ['live', 'approved', null, true],
    ['live', 'verifying', NOW_MS, true],
    ['live', null, NOW_MS, true],
    ['live', 'approved', NOW_MS, false],
  ];
  for (const [mode, kybStatus, productionGrantedAtMs, needs] of table) {
    const granted = { ...organization, productionGrantedAtMs };
    const at = { ...profile, mode, kybStatus };
    assert.equal(needsOnboarding(granted, at), needs, `${mode} ${kybStatus}`);
  }
});

describe('a submission', () => {
  const fresh = { receiverId: 'rcv_2', kybCommandId: 'cmd_2' };

  test('is a fresh party, which has nothing of the one before', () => {
    for (const kybStatus of [null, 'rejected'] as const) {
      assert.deepEqual(kybSubmitted({ ...profile, kybStatus }, fresh), {
        ...profile,
        ...fresh,
        kybStatus: 'verifying',
        partnerRef: null,
        virtualAccountRef: null,
        destinationRef: null,
      });
    }
  });

  test('that is verified or being verified is not made again', () => {
    for (const kybStatus of ['verifying', 'approved'] as const) {
      const was = { ...profile, kybStatus };
      assert.equal(kybSubmitted(was, fresh), was);
    }
  });
});

test('a report sets the party’s id once and decides where a decision fits', () => {
  const verifying = { ...profile, kybStatus: 'verifying', partnerRef: null } as const;
  const known = { ...verifying, partnerRef: 'partner_9' };
  assert.deepEqual(kybReported(verifying, 'partner_9', 'verifying'), known);
  assert.equal(kybReported(known, 'partner_8', 'verifying'), known);
  assert.deepEqual(kybReported(known, null, 'approved'), { ...known, kybStatus: 'approved' });
  assert.deepEqual(kybReported(known, null, 'rejected'), { ...known, kybStatus: 'rejected' });
  assert.equal(kybReported(profile, null, 'verifying'), profile, 'an approval stays');
  assert.equal(kybReported(profile, null, 'rejected').kybStatus, 'rejected', 'taken back');
  const rejected = { ...profile, kybStatus: 'rejected' } as const;
  assert.equal(kybReported(rejected, null, 'approved'), rejected);
  assert.equal(kybDecided(rejected, 'overrule').kybStatus, 'approved', 'an operator may');
});

test('terms are accepted once; their id may follow and then stays', () => {
  const accepted = termsAccepted(profile, null, NOW_MS);
  assert.deepEqual(accepted, { ...profile, tosAcceptedAtMs: NOW_MS });
  assert.equal(termsAccepted(accepted, null, NOW_MS + 1), accepted);
  const named = termsAccepted(accepted, 'tos_1', NOW_MS + 1);
  assert.deepEqual(named, { ...accepted, tosId: 'tos_1' });
  for (const again of ['tos_1', null]) assert.equal(termsAccepted(named, again, NOW_MS + 2), named);
  assert.throws(() => termsAccepted(named, 'tos_2', NOW_MS), { code: 'TosIdMismatch' });
});

test('a phone number has at least five digits, and only what numbers are written with', () => {
  for (const phone of ['12345', '+55 11 5555-0100', '(11) 5555.0100', '11/5555-0100']) {
    assert.equal(readPhone(` ${phone} `), phone);
  }
  for (const wrong of [
    '',
    '+',
    '1234',
    '1 2 3 4',
    '12345a',
    '+1+23456',
    '1'.repeat(41),
    '12345\n6',
  ]) {
    assert.equal(readPhone(wrong), null, wrong);
  }
});

test('a website is an http or https URL without a password, normalized', () => {
  assert.equal(readWebsite(' HTTPS://Acme.example '), 'https://acme.example/');
  assert.equal(readWebsite('http://ação.example/é'), 'http://xn--ao-siap.example/%C3%A9');
  for (const wrong of [
    ...['', 'acme.example', 'ftp://acme.example', 'https://', 'https:///a', 'javascript:alert(1)'],
    ...['https://a@acme.example', 'https://acme.example:443@evil.example', 'https://a b.example'],
    `https://acme.example/${'a'.repeat(200)}`,
  ]) {
    assert.equal(readWebsite(wrong), null, wrong);
  }
});
