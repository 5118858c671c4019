// Operators: columns and SQL. Their rows are never removed: what they did names them.
import type { RegisteredOperator } from '../../../core/domain/access/registered-operator.js';
import { fixed, integer, key, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

const operators = defineTable<RegisteredOperator>('operators', {
  id: key(text('id')),
  name: fixed(text('name')),
  publicKey: fixed(text('public_key')),
  number: fixed(integer('number')),
  createdBy: fixed(text.null('created_by')),
  createdAtMs: fixed(time('created_at')),
  removedBy: text.null('removed_by'),
  removedAtMs: time.null('removed_at'),
  signedAtMs: time('signed_at'),
  version,
});

export const operatorsPart: TxPart<'operators'> = {
  ...writes(operators),
  get: (unit, id) => unit.byKey(operators, [id]),
  byKey: (unit, publicKey) => unit.first(operators, 'where public_key = $1', [publicKey]),
  first: (unit) => unit.first(operators, 'where number = $1', [1]),
  list: (unit) => unit.all(operators, 'order by number', []),
};
