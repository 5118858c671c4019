// Sessions: columns and SQL. A session of one kind is never read as another: each look-up names the
// kinds that it is for, and its SQL compares them.

import type { SignedCommand } from '../../../core/domain/access/registered-operator.js';
import {
  type AnySession,
  isOfKind,
  type SessionAbout,
  type SessionKind,
  type SessionOf,
  sessionBeginnings,
  sessionKinds,
} from '../../../core/domain/access/session.js';
import { modes, type Tenant } from '../../../core/domain/base/tenant.js';
import { integer, json, oneOf, text, time, version } from '../columns.js';
import { type Param, timeParam } from '../database.js';
import { defineTable, merge } from '../table.js';
import { type TxPart, type UnitOfWork, writes } from '../unit-of-work.js';

const sessions = defineTable<AnySession>('sessions', {
  id: text('id').key(),
  kind: oneOf('kind', sessionKinds).fixed(),
  tokenHash: text.null('token_hash'),
  orgId: text.null('org_id').fixed(),
  mode: oneOf('mode', modes).null().fixed(),
  paymentId: text.null('payment_id').fixed(),
  submissionId: text.null('submission_id').fixed(),
  accountId: text.null('account_id').fixed(),
  ownerIndex: integer.null('owner_index').fixed(),
  personId: text.null('person_id').fixed(),
  operatorId: text.null('operator_id').fixed(),
  began: oneOf('began', sessionBeginnings).null().fixed(),
  signed: json<SignedCommand>('signed').null().fixed(),
  linkHash: text.null('link_hash').fixed(),
  createdAtMs: time('created_at').fixed(),
  seenAtMs: time.null('seen_at'),
  endsAtMs: time('ends_at').fixed(),
  endedAtMs: time.null('ended_at'),
  version,
});

const touchSql = 'update sessions set seen_at = $2 where id = $1 and seen_at < $2';

/** Rows of these kinds alone; `tail` is about the parameters. */
async function all<K extends SessionKind>(
  unit: UnitOfWork,
  kinds: readonly K[],
  tail: string,
  params: readonly Param[],
): Promise<readonly SessionOf<K>[]> {
  const words = kinds.map((kind) => `'${kind}'`).join(', ');
  const are = kinds.length === 1 ? `= ${words}` : `in (${words})`;
  const found = await unit.all(sessions, `where kind ${are} and ${tail}`, params);
  return found as readonly SessionOf<K>[];
}

async function first<K extends SessionKind>(...query: Parameters<typeof all<K>>) {
  return (await all(...query))[0] ?? null;
}

const subjectColumns = {
  paymentId: 'payment_id',
  submissionId: 'submission_id',
  accountId: 'account_id',
  ownerIndex: 'owner_index',
} as const satisfies { readonly [P in keyof SessionAbout]-?: string };

/** Conditions and parameters: of the tenant, and about all of `about`. */
function named({ orgId, mode }: Tenant, about: SessionAbout) {
  const names = Object.keys(about) as (keyof SessionAbout)[];
  const conditions = names.map((name, at) => `${subjectColumns[name]} = $${at + 3}`);
  const tail = ['org_id = $1 and mode = $2', ...conditions].join(' and ');
  return [tail, [orgId, mode, ...names.map((name) => about[name] ?? null)]] as const;
}

export const sessionsPart: TxPart<'sessions'> = {
  ...writes(sessions),
  touch: (unit, { id, seenAtMs }) =>
    unit.stage(merge('sessions', null, touchSql, [id, timeParam(seenAtMs ?? 0)])),
  async get(unit, kinds, id) {
    const row = await unit.byKey(sessions, [id]);
    return row !== null && isOfKind(row, kinds) ? row : null;
  },
  byToken: (unit, kinds, hash) => first(unit, kinds, 'token_hash = $1', [hash]),
  byLink: (unit, hash) => first(unit, ['operator'], 'link_hash = $1', [hash]),
  newest(unit, tenant, about) {
    const [conditions, params] = named(tenant, about);
    return first(unit, ['buyer'], `${conditions} order by seen_at desc limit 1`, params);
  },
  open(unit, tenant, kinds, about) {
    const [conditions, params] = named(tenant, about);
    return all(unit, kinds, `${conditions} and ended_at is null`, params);
  },
  openOfPerson(unit, personId, nowMs) {
    const tail = 'person_id = $1 and ended_at is null and ends_at > $2 order by id desc';
    return all(unit, ['member', 'token'], tail, [personId, timeParam(nowMs)]);
  },
  ofOperator: (unit, id) => all(unit, ['operator'], 'operator_id = $1 and ended_at is null', [id]),
  createdBefore: (unit, beforeMs, limit) =>
    unit.all(sessions, 'where created_at < $1 order by created_at limit $2', [
      timeParam(beforeMs),
      limit,
    ]),
};
