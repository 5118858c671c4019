import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machine } from '../../../../core/domain/base/machine.js';
import { AssertionFailure } from '../../../../core/errors.js';

const doors = machine({
  open: { close: 'closed' },
  closed: { open: 'open', close: 'closed', weld: 'welded' },
  welded: {},
} as const);

test('a cell gives the next state, an absent cell refuses', () => {
  assert.deepEqual([doors.next('open', 'close'), doors.next('open', 'weld')], ['closed', null]);
  assert.equal(doors.step('closed', 'weld'), 'welded');
  assert.throws(() => doors.step('welded', 'open'), AssertionFailure);
});

test('an empty row is terminal, and states are in table order', () => {
  assert.deepEqual(doors.states, ['open', 'closed', 'welded']);
  assert.deepEqual(doors.states.filter(doors.isTerminal), ['welded']);
});

test('a next state without a row does not compile', () => {
  // @ts-expect-error `lost` has no row.
  assert.ok(machine({ open: { lose: 'lost' } } as const));
});
