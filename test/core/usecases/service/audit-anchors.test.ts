// Anchors of the audit log: signed heads, kept outside the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditAnchor } from '../../../../core/domain/service/audit-anchor.js';
import { readAnchors, takeAnchor } from '../../../../core/usecases/service/audit-anchors.js';
import { audited, auditHead, verifyAudit } from '../../../../core/usecases/service/audit-log.js';
import { addActiveMember } from '../../../support/scenes/active-member.js';
import { world } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const suite = suiteEnd();
const made = await world(suite);

async function anotherAnchor(): Promise<AuditAnchor> {
  const orgId = await made.organization();
  const actor = { kind: 'member', id: 'mem_alice' } as const;
  const deps = audited(made.deps, { actor, action: 'member add' });
  await addActiveMember(deps, { orgId, email: 'ana@acme.example', role: 'owner' });
  const anchor = (await takeAnchor(made.deps)) ?? assert.fail();
  return anchor;
}

test('an empty log has no anchor', async () => {
  const fresh = await world(suite);
  assert.equal(await takeAnchor(fresh.deps), null);
});

test('an anchor is the head, with its time and epoch, and is read back', async () => {
  const anchor = await anotherAnchor();
  const { signature, ...rest } = anchor;
  assert.deepEqual(rest, {
    takenAt: '2030-01-01T00:00:00.000Z',
    epoch: 1,
    ...(await auditHead(made.deps)),
  });
  const text = `${JSON.stringify(anchor)}\n`;
  const expected = { anchors: [anchor], foreignLines: [] };
  assert.deepEqual(await readAnchors(made.deps, text), expected);
  assert.deepEqual((await verifyAudit(made.deps, [anchor])).defects, []);
});

test('a line that this service has not signed is no anchor', async () => {
  const anchor = await anotherAnchor();
  const stranger = await world(suite);
  const actor = { kind: 'member', id: 'mem_bob' } as const;
  const orgId = await stranger.organization();
  const deps = audited(stranger.deps, { actor, action: 'member add' });
  await addActiveMember(deps, { orgId, email: 'bob@acme.example', role: 'owner' });
  const lines = [
    anchor,
    { ...anchor, sequence: anchor.sequence + 1 },
    { ...anchor, epoch: 2 },
    { ...anchor, signature: '' },
    { ...(await takeAnchor(stranger.deps)), signature: anchor.signature },
    null,
    7,
  ];
  const text = [...lines.map((line) => JSON.stringify(line)), 'not JSON', ''].join('\n');
  const { anchors, foreignLines } = await readAnchors(made.deps, text);
  assert.deepEqual(anchors, [anchor]);
  assert.deepEqual(foreignLines, [2, 3, 4, 5, 6, 7, 8]);
});
