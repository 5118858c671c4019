// What `ponte restore --check` prints while it runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingLines } from '../../cli/commands/release-commands.js';

const checked = {
  orgId: 'org_1',
  mode: 'test',
  was: 'settled',
  is: 'settled',
  adopted: [],
  differs: [],
  missed: ['no answer'],
} as const;

test('a reason of many payments is printed once, then counted', () => {
  const lines = findingLines();
  const printed = ['pi_1', 'pi_2', 'pi_3'].map((paymentId) => lines.of({ ...checked, paymentId }));
  assert.deepEqual(printed, ['pi_1 (test): settled; no answer', null, null]);
  assert.deepEqual(lines.repeated(), ['3 payments: no answer']);
});

test('a payment about which more was found is always printed', () => {
  const lines = findingLines();
  const of = (fields: object) => lines.of({ ...checked, paymentId: 'pi_1', ...fields });
  of({});
  assert.match(of({ is: 'failed' }) ?? '', /settled -> failed; no answer/);
  assert.match(of({ adopted: ['payin'] }) ?? '', /a pay-in that was unknown/);
  assert.match(of({ differs: ['too much'] }) ?? '', /held back: too much/);
  assert.match(of({ missed: [], is: 'failed' }) ?? '', /settled -> failed$/);
  assert.match(of({ missed: ['another'] }) ?? '', /another/);
  assert.deepEqual(lines.repeated(), ['4 payments: no answer']);
});
