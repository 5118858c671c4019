// Anchors in a file: a line when the log has grown. A place that cannot be reached stops nothing.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addMember } from '../../core/usecases/access/members.js';
import { audited } from '../../core/usecases/service/audit-log.js';
import { anchorStep } from '../../host/anchor-place.js';
import { world } from '../support/scenes/test-world.js';
import { suiteEnd } from '../support/suite-end.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();
const made = await world(suiteEnd());

async function grow(email: string): Promise<void> {
  const actor = { kind: 'operator', id: 'alice' } as const;
  const deps = audited(made.deps, { actor, action: 'member add' });
  await addMember(deps, { orgId: await made.organization(), email, role: 'owner' });
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');

test('the leader appends a line when the log has grown, and not before', async () => {
  const file = join(folder, 'anchors.jsonl');
  let isLeader = false;
  const { run } = anchorStep(made.deps, file, async () => isLeader);
  await grow('one@acme.example');
  await run(0, 1);
  assert.throws(() => statSync(file), { code: 'ENOENT' });
  isLeader = true;
  await run(0, 1);
  await run(0, 1);
  assert.equal(linesOf(file).length, 1);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await grow('two@acme.example');
  await run(0, 1);
  const sequences = linesOf(file).map((line) => JSON.parse(line).sequence);
  assert.deepEqual(sequences, [1, 2]);
});

test('a place that cannot be written is an alert, and the next run tries again', async () => {
  const file = join(folder, 'absent', 'anchors.jsonl');
  const { run } = anchorStep(made.deps, file);
  const alerts = () => made.log.filter(({ message }) => message === 'alert').length;
  const were = alerts();
  assert.equal(await run(0, 1), 0);
  assert.equal(await run(0, 1), 0);
  assert.equal(alerts(), were + 2);
});
