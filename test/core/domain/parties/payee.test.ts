// Where the partner pays an organization or a seller: destination and rails of one party.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partyStatuses } from '../../../../core/domain/parties/party.js';
import {
  hadDestination,
  isRedirected,
  needsRails,
  noPayout,
  railsProvisioned,
  railsRefused,
  withDestination,
  withOwnPayout,
  withoutEndedHold,
  withoutHeld,
} from '../../../../core/domain/parties/payee.js';
import { anAccount } from '../../../support/samples/domain-samples.js';

/** As in test mode. */
const unheld = { nowMs: 0, holdMs: 0, holdsFirst: true } as const;
const approved = anAccount({
  status: 'approved',
  partnerRef: 're_1',
  ...noPayout,
  readyAtMs: null,
});
const payable = withDestination(approved, 'pix_1', unheld);
const requested = { ...payable, railsCommandId: 'cmd_rails' };
const ready = railsProvisioned(requested, 'cmd_rails', 'wallet_1');

test('rails are requested once, when approval and destination are both there', () => {
  assert.deepEqual([approved, payable, requested, ready].map(needsRails), [
    false,
    true,
    false,
    false,
  ]);
  for (const status of partyStatuses) {
    assert.equal(needsRails({ ...payable, status }), status === 'approved', status);
  }
});

test('rails that another command asked for are not taken, nor other ones', () => {
  assert.equal(railsProvisioned(requested, 'cmd_old', 'wallet_1'), requested);
  assert.equal(railsProvisioned(ready, 'cmd_rails', 'wallet_2'), ready);
});

test('rails that were refused are needed again', () => {
  assert.equal(needsRails(railsRefused(requested)), true);
});

test('the same destination again changes nothing', () => {
  assert.equal(withDestination(payable, 'pix_1', unheld), payable);
});

test('a first destination is held only if its author is not trusted with one', () => {
  const held = { nowMs: 5, holdMs: 7, holdsFirst: true } as const;
  const { destinationRef, heldRef, heldUntilMs } = withDestination(approved, 'pix_1', held);
  assert.deepEqual([destinationRef, heldRef, heldUntilMs], [null, 'pix_1', 12]);
  const trusted = withDestination(approved, 'pix_1', { ...held, holdsFirst: false });
  assert.deepEqual([trusted.destinationRef, trusted.heldUntilMs], ['pix_1', null]);
  const changed = withDestination(payable, 'pix_2', { ...held, holdsFirst: false });
  assert.deepEqual([changed.destinationRef, changed.heldRef], ['pix_1', 'pix_2']);
});

test('a hold that has ended puts what was held in its place, once', () => {
  const first = withDestination(approved, 'pix_1', { nowMs: 0, holdMs: 9, holdsFirst: true });
  assert.equal(withoutEndedHold(first, 8), first);
  const settled = withoutEndedHold(first, 9);
  assert.deepEqual(settled, { ...approved, destinationRef: 'pix_1' });
  assert.equal(withoutEndedHold(settled, 10), settled);
  assert.equal(isRedirected(first, settled), false);
});

test('a held first destination is a redirection, and so is its stop', () => {
  const first = withDestination(approved, 'pix_1', { nowMs: 0, holdMs: 9, holdsFirst: true });
  assert.equal(isRedirected(approved, first), true);
  assert.equal(isRedirected(first, withoutHeld(first)), true);
  assert.equal(isRedirected(first, { ...first, ...noPayout, partnerRef: 're_2' }), false);
});

test('another party of the partner has neither a destination nor rails', () => {
  for (const partnerRef of ['re_2', null]) {
    const other = { ...ready, partnerRef };
    assert.deepEqual(withOwnPayout(ready, other), { ...other, ...noPayout });
  }
  const unnamed = { ...ready, partnerRef: null };
  assert.equal(withOwnPayout(unnamed, ready), ready, 'the first id changes no party');
});

test('a destination that replaces one is a redirection, even one of an earlier party', () => {
  assert.equal(isRedirected(approved, payable), false);
  assert.equal(isRedirected(payable, payable), false);
  assert.equal(isRedirected(payable, withDestination(payable, 'pix_2', unheld)), true);
  assert.equal(isRedirected({ ...approved, readyAtMs: 1 }, payable), true);
  const known = [approved, payable, { ...approved, readyAtMs: 1 }];
  assert.deepEqual(known.map(hadDestination), [false, true, true]);
});
