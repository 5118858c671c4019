// Operators and their sessions in the console: columns and SQL. Rows of operators are never
// removed: what they did names them.

import type {
  RegisteredOperator,
  SignedCommand,
} from '../../../core/domain/access/registered-operator.js';
import type { OperatorSession } from '../../../core/domain/access/session.js';
import { assert } from '../../../core/errors.js';
import { encoded, integer, text, time, version } from '../columns.js';
import { timeParam } from '../database.js';
import { defineTable, merge } from '../table.js';
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

const operatorSessions = defineTable<OperatorSession>('operator_sessions', {
  id: text('id').key(),
  operatorId: text('operator_id').fixed(),
  signed: encoded<SignedCommand>('signed', JSON.stringify, (stored) =>
    Object.freeze(JSON.parse(stored)),
  )
    .null()
    .fixed(),
  linkHash: text('link_hash').fixed(),
  linkEndsAtMs: time('link_ends_at').fixed(),
  createdAtMs: time('created_at').fixed(),
  tokenHash: text.null('token_hash'),
  openedAtMs: time.null('opened_at'),
  seenAtMs: time.null('seen_at'),
  endsAtMs: time('ends_at'),
  endedAtMs: time.null('ended_at'),
  version,
});

const touchSql = 'update operator_sessions set seen_at = $2 where id = $1 and seen_at < $2';

export const operatorSessionsPart: TxPart<'operatorSessions'> = {
  ...writes(operatorSessions),
  byLinkHash: (unit, linkHash) => unit.first(operatorSessions, 'where link_hash = $1', [linkHash]),
  byTokenHash: (unit, tokenHash) =>
    unit.first(operatorSessions, 'where token_hash = $1', [tokenHash]),
  ofOperator: (unit, operatorId) =>
    unit.all(operatorSessions, 'where operator_id = $1 and ended_at is null', [operatorId]),
  touch(unit, { id, seenAtMs }) {
    assert(seenAtMs !== null, 'a session that is open is seen');
    unit.stage(merge('operator_sessions', null, touchSql, [id, timeParam(seenAtMs)]));
  },
  createdBefore: (unit, beforeMs, limit) =>
    unit.all(operatorSessions, 'where created_at < $1 order by created_at limit $2', [
      timeParam(beforeMs),
      limit,
    ]),
};
