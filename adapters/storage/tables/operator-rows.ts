// Operators: columns and SQL. Rows are never removed: what operators did names them.
import type { RegisteredOperator } from '../../../core/domain/access/registered-operator.js';
import { integer, text, time, version } from '../columns.js';
import { defineTable } from '../table.js';
import { type TxPart, writes } from '../unit-of-work.js';

export const operators = defineTable<RegisteredOperator>('operators', {
  id: text('id').key(),
  name: text('name').fixed(),
  publicKey: text('public_key').fixed(),
  number: integer('number').fixed(),
  createdBy: text.null('created_by').fixed(),
  createdAtMs: time('created_at').fixed(),
  removedBy: text.null('removed_by'),
  removedAtMs: time.null('removed_at'),
  signedAtMs: time('signed_at').unhashed(),
  series: integer('series').unhashed(),
  version,
});

export const operatorsPart: TxPart<'operators'> = {
  ...writes(operators),
  get: (unit, id) => unit.byKey(operators, [id]),
  byKey: (unit, publicKey) => unit.first(operators, 'where public_key = $1', [publicKey]),
  first: (unit) => unit.first(operators, 'where number = $1', [1]),
  list: (unit) => unit.all(operators, 'order by number', []),
};
