// Cursors lead on in the list they were made for, and nowhere else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSecretBox } from '../../../../adapters/crypto/secret-box.js';
import {
  type ListName,
  readCursor,
  writeCursor,
} from '../../../../adapters/http/protocol/cursor.js';
import { PonteError } from '../../../../core/errors.js';
import { anyText } from '../../../support/samples/any-text.js';

const box = createSecretBox([{ id: 'a', bytes: Buffer.alloc(32, 1) }]);
const list: ListName = {
  operation: 'deliveries',
  tenant: { orgId: 'org_1', mode: 'test' },
  parentId: 'whs_1',
};

test('a cursor comes back as the id it was made from; none is the first page', () => {
  assert.equal(readCursor(box, list, writeCursor(box, list, 'whd_7')), 'whd_7');
  assert.equal(readCursor(box, list, null), null);
});

test('a cursor of another list, tenant, mode, parent or secret is refused', () => {
  const cursor = writeCursor(box, list, 'whd_7');
  const others: readonly ListName[] = [
    { ...list, operation: 'events' },
    { ...list, tenant: { orgId: 'org_2', mode: 'test' } },
    { ...list, tenant: { orgId: 'org_1', mode: 'live' } },
    { ...list, parentId: 'whs_2' },
  ];
  for (const other of others) assert.throws(() => readCursor(box, other, cursor), refusal);
  const otherBox = createSecretBox([{ id: 'a', bytes: Buffer.alloc(32, 2) }]);
  assert.throws(() => readCursor(otherBox, list, cursor), refusal);
});

test('a cursor counts as long as its key is configured, the first one or not', () => {
  const cursor = writeCursor(box, list, 'whd_7');
  const [old, fresh] = [
    { id: 'a', bytes: Buffer.alloc(32, 1) },
    { id: 'b', bytes: Buffer.alloc(32, 2) },
  ];
  const both = createSecretBox([fresh, old]);
  assert.equal(readCursor(both, list, cursor), 'whd_7');
  assert.equal(readCursor(both, list, writeCursor(both, list, 'whd_7')), 'whd_7');
  assert.throws(() => readCursor(createSecretBox([fresh]), list, cursor), refusal);
});

test('a cursor changed in any character is refused', () => {
  const cursor = writeCursor(box, list, 'whd_7');
  const characters = [...'ABCabc019-_+/= .\n'];
  fc.assert(
    fc.property(
      fc.nat(cursor.length),
      fc.constantFrom(...characters),
      fc.constantFrom('replace', 'insert', 'cut'),
      (at, character, change) => {
        const kept = change === 'insert' ? at : at + 1;
        const put = change === 'cut' ? '' : character;
        const tampered = cursor.slice(0, at) + put + cursor.slice(kept);
        if (tampered === cursor) return;
        assert.throws(() => readCursor(box, list, tampered), refusal, tampered);
      },
    ),
  );
});

test('any other text is refused', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.throws(() => readCursor(box, list, text), refusal);
    }),
  );
});

function refusal(error: unknown): boolean {
  return error instanceof PonteError && error.code === 'ValidationError';
}
