// When a session of a member is over, and when its proof of the mailbox is fresh.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberRoles } from '../../../../core/domain/access/member.js';
import {
  FRESH_MS,
  isFresh,
  isSessionOpen,
  newSession,
  SESSION_IDLE_MS,
  sessionBeginnings,
  sessionRules,
  unused,
} from '../../../../core/domain/access/session.js';
import { missingProof } from '../../../../core/domain/access/session-proof.js';
import { T0 } from '../../../support/samples/domain-samples.js';

const of = { ...unused, id: 'ses_1', kind: 'member', personId: 'per_1' } as const;

test('a session with a cookie ends by idleness, one without by its age alone', () => {
  const withCookie = newSession(of, 'token', T0);
  const bare = newSession({ ...of, kind: 'token', orgId: 'org_1' }, null, T0);
  assert.equal(isSessionOpen(withCookie, T0 + SESSION_IDLE_MS - 1), true);
  assert.equal(isSessionOpen(withCookie, T0 + SESSION_IDLE_MS), false);
  assert.equal(isSessionOpen(bare, T0 + SESSION_IDLE_MS), true);
  assert.equal(isSessionOpen(bare, T0 + sessionRules.token.lifeMs), false);
});

test('pages do not extend a session beyond its age', () => {
  const seenAtMs = T0 + sessionRules.token.lifeMs - 1;
  const session = { ...newSession(of, 'token', T0), seenAtMs };
  assert.equal(isSessionOpen(session, seenAtMs), true);
  assert.equal(isSessionOpen(session, T0 + sessionRules.token.lifeMs), false);
});

test('a proof is fresh for some minutes, and no page extends it', () => {
  const session = { ...newSession(of, 'token', T0), seenAtMs: T0 + FRESH_MS };
  assert.equal(isFresh(session, T0 + FRESH_MS - 1), true);
  assert.equal(isFresh(session, T0 + FRESH_MS), false);
});

// What a session must prove, for each rule, mode, role, beginning and age.

test('a passkey counts where it is required; a young session where the row says so', () => {
  let asked = 0;
  for (const rule of ['session', 'fresh', 'fresh_live'] as const) {
    for (const mode of ['test', 'live', null] as const) {
      for (const role of [...memberRoles, null]) {
        for (const began of sessionBeginnings) {
          for (const requiresPasskey of [true, false]) {
            const row = { rule, mode, role, requiresPasskey };
            const at = (nowMs: number) => missingProof({ createdAtMs: 0, began }, row, nowMs);
            const isFresh = rule === 'fresh' || (rule === 'fresh_live' && mode === 'live');
            const isManager = role === 'owner' || role === 'admin';
            const isGuarded = isFresh || (mode === 'live' && isManager);
            const needsPasskey = requiresPasskey && isGuarded && began !== 'passkey';
            const what = JSON.stringify({ ...row, began });
            const late = needsPasskey ? 'passkey' : isFresh ? 'fresh' : null;
            const isYoung = !(began === 'press' && mode === 'live') && !needsPasskey;
            assert.equal(at(FRESH_MS - 1), isYoung ? null : late, what);
            assert.equal(at(FRESH_MS), late, what);
            asked += needsPasskey ? 1 : 0;
          }
        }
      }
    }
  }
  assert.ok(asked > 0);
});
