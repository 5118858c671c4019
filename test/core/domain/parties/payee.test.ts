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
} from '../../../../core/domain/parties/payee.js';
import { anAccount } from '../../../support/samples/domain-samples.js';

/** As in test mode. */
const unheld = { nowMs: 0, holdMs: 0 } as const;
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
