import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { createMemoryDocuments } from '../../../../adapters/documents/memory.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { DocumentStorage } from '../../../../core/ports/outside.js';
import {
  documentStorageProblem,
  fingerprintDocuments,
} from '../../../../core/usecases/service/fingerprints.js';
import { type World, world } from '../../../support/scenes/test-world.js';

let made: World;
beforeEach(async (t) => {
  made = await world(t as TestContext);
});

/** A host on the database, with its documents there. */
const hostAt = (documents: DocumentStorage | null): Deps => ({ ...made.deps, documents });
const isRight = async (documents: DocumentStorage | null) =>
  (await documentStorageProblem(hostAt(documents))) === null;

test('a database keeps the place where it was first served, and takes no other', async () => {
  const [first, other] = [createMemoryDocuments(), createMemoryDocuments()];
  assert.equal(await isRight(first), true, 'nothing was kept yet');
  await fingerprintDocuments(hostAt(first));
  await fingerprintDocuments(hostAt(other));
  assert.deepEqual([await isRight(first), await isRight(other)], [true, false]);
  assert.equal(await isRight(null), true, 'no documents, no wrong place');
});

test('a host that keeps no documents leaves the place to the first that does', async () => {
  await fingerprintDocuments(hostAt(null));
  const first = createMemoryDocuments();
  await fingerprintDocuments(hostAt(first));
  assert.deepEqual([await isRight(first), await isRight(createMemoryDocuments())], [true, false]);
});

test('two databases in one place do not disturb each other', async (t) => {
  const shared = createMemoryDocuments();
  await fingerprintDocuments(hostAt(shared));
  const another = await world(t as TestContext);
  await fingerprintDocuments({ ...another.deps, documents: shared });
  assert.equal(await documentStorageProblem({ ...another.deps, documents: shared }), null);
  assert.equal(await isRight(shared), true);
});

test('the problem says how to make this the place after all', async () => {
  const lost = createMemoryDocuments();
  await fingerprintDocuments(hostAt(createMemoryDocuments()));
  const problem = (await documentStorageProblem(hostAt(lost))) ?? '';
  const [mark = ''] = /database-[0-9a-f]{32}/.exec(problem) ?? [];
  await lost.recordFingerprint(mark);
  assert.equal(await isRight(lost), true);
});

/** A place at which `between` happens when a mark was left there and no database knows it yet. */
function interrupted(documents: DocumentStorage, between: () => Promise<void>): DocumentStorage {
  return {
    ...documents,
    async recordFingerprint(mark) {
      await documents.recordFingerprint(mark);
      await between();
    },
  };
}

test('of two hosts that start first together, the one with another folder is wrong', async () => {
  const [own, others] = [createMemoryDocuments(), createMemoryDocuments()];
  await fingerprintDocuments(hostAt(interrupted(own, () => fingerprintDocuments(hostAt(others)))));
  assert.deepEqual([await isRight(own), await isRight(others)], [false, true]);
});

test('two hosts that start first together with one folder are both right', async () => {
  const shared = createMemoryDocuments();
  await fingerprintDocuments(
    hostAt(interrupted(shared, () => fingerprintDocuments(hostAt(shared)))),
  );
  assert.equal(await isRight(shared), true);
});

test('a start that was killed halfway stops no other one', async () => {
  const documents = createMemoryDocuments();
  const killed = async () => {
    throw new Error('killed');
  };
  await assert.rejects(fingerprintDocuments(hostAt(interrupted(documents, killed))), /killed/);
  await fingerprintDocuments(hostAt(documents));
  assert.equal(await isRight(documents), true);
});
