// What a session must prove, for each rule, mode, role, beginning and age.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberRoles } from '../../../../core/domain/access/member.js';
import { FRESH_MS, sessionBeginnings } from '../../../../core/domain/access/session.js';
import { missingProof } from '../../../../core/domain/access/session-proof.js';

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
