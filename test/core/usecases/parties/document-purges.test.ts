// A decision on a party deletes all its documents, despite failures in between; unused documents
// expire.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schedules } from '../../../../core/domain/base/schedules.js';
import {
  UNUSED_RETENTION_MS,
  UPLOAD_TIME_MAX_MS,
  UPLOAD_URL_LIFE_MS,
} from '../../../../core/domain/parties/document.js';
import {
  listDocuments,
  runPurges,
  type Upload,
} from '../../../../core/usecases/parties/documents.js';
import { allOf, chunks } from '../../../contract/document-storage.js';
import { dying } from '../../../support/racing-store.js';
import { contentOf, grantOf, scene } from '../../../support/scenes/document-scene.js';

test('a decision purges all documents of its party and of no other', async (t) => {
  const made = await scene(t);
  const uploads = [await made.upload(), await made.upload(), await made.upload()];
  const other = await made.upload({ owner: { party: 'buyer', id: 'byr_2' } });
  const [first, second, unused] = uploads;
  assert.ok(first && second && unused);
  for (const one of [first, second, other]) await made.send(one);
  await made.submit({ selfieFile: first.publicUrl });
  await made.decide();
  await assert.rejects(contentOf(made, first), { code: 'NotFound' }, 'from the decision on');
  assert.equal(await made.purges(), 3);
  assert.deepEqual(await allOf(made.storage), [grantOf(other.uploadUrl).documentId]);
  for (const one of uploads) {
    assert.equal(await made.documentStatusOf(one), 'purged');
    await assert.rejects(made.send(one), { code: 'UploadUrlExpired' });
  }
  assert.equal(await contentOf(made, other), 'a card');
  const resubmitted = made.submit({ selfieFile: first.publicUrl });
  await assert.rejects(resubmitted, {
    code: 'ValidationError',
    message: /purged: upload it again/,
  });
});

test('a deletion that fails is tried again until nothing is left', async (t) => {
  let failures = 3;
  const made = await scene(t, (inner) => ({
    ...inner,
    purge: async (id, keptName) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the disk is read-only');
      await inner.purge(id, keptName);
    },
  }));
  const upload = await made.upload();
  await made.send(upload);
  await made.decide();
  for (let tries = 0; tries < 3; tries += 1) {
    assert.equal(await made.purges(), 0);
    assert.equal(await made.purges(), 0, 'not before a wait');
    assert.equal(await made.documentStatusOf(upload), 'purging');
    assert.deepEqual(await allOf(made.storage), [grantOf(upload.uploadUrl).documentId]);
    made.advanceClock(60_000);
  }
  assert.deepEqual([await made.purges(), await made.documentStatusOf(upload)], [1, 'purged']);
  assert.deepEqual(await allOf(made.storage), []);
  await made.close();
});

test('a crash between the deletion and its record is healed by deleting again', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  await made.send(upload);
  await made.decide();
  assert.equal(await runPurges(dying(made.deps, 2), made.deps.clock.nowMs(), 100), 0);
  assert.equal(await made.documentStatusOf(upload), 'purging');
  assert.deepEqual(await allOf(made.storage), []);
  made.advanceClock(schedules.call.waitsMs[0]);
  assert.deepEqual([await made.purges(), await made.documentStatusOf(upload)], [1, 'purged']);
});

test('bytes under way at the decision are deleted when they have come', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  const late = async function* () {
    yield Buffer.from('late');
    await made.decide();
    assert.equal(await made.purges(), 1);
  };
  await assert.rejects(made.send(upload, { bytes: late() }), { code: 'UploadUrlExpired' });
  assert.deepEqual(await allOf(made.storage), []);
});

test('bytes whose host died at the decision are deleted a little later', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  await made.decide();
  assert.equal(await made.purges(), 1);
  // They were written, and nobody lived to look whether they still count.
  const { documentId } = grantOf(upload.uploadUrl);
  await made.storage.put(documentId, 'ff', chunks('orphan'));
  const listed = await listDocuments(made.deps, { kept: true, beforeId: null, limit: 9 });
  assert.deepEqual(
    listed.map(({ id, kept, row }) => [id, kept, row?.status]),
    [[documentId, true, 'purged']],
  );
  made.advanceClock(UPLOAD_URL_LIFE_MS + UPLOAD_TIME_MAX_MS);
  assert.equal(await made.purges(), 1);
  assert.deepEqual(await allOf(made.storage), []);
  assert.equal(await made.purges(), 0, 'then it is done');
});

test('a document that is never uploaded or submitted expires', async (t) => {
  const made = await scene(t);
  const [unsent, unused, submitted] = [
    await made.upload(),
    await made.upload(),
    await made.upload(),
  ];
  for (const one of [unused, submitted]) await made.send(one);
  await made.submit({ selfieFile: submitted.publicUrl });
  made.advanceClock(UPLOAD_URL_LIFE_MS + UPLOAD_TIME_MAX_MS);
  await made.purges();
  assert.equal(await made.documentStatusOf(unsent), 'purged');
  made.advanceClock(UNUSED_RETENTION_MS - UPLOAD_TIME_MAX_MS - 1);
  await made.purges();
  assert.equal(await made.documentStatusOf(unused), 'stored');
  made.advanceClock(1);
  await made.purges();
  assert.equal(await made.documentStatusOf(unused), 'purged');
  assert.equal(await made.documentStatusOf(submitted), 'submitted', 'it waits for the decision');
});

test('operators see what is kept, and bytes that nothing accounts for', async (t) => {
  const made = await scene(t);
  const [gone, kept] = [await made.upload(), await made.upload()];
  await made.send(gone);
  await made.decide();
  await made.purges();
  const later = await made.upload();
  await made.send(later);
  await made.storage.put('doc_zz', '01', chunks('?'));
  const list = async (onlyKept: boolean) =>
    (await listDocuments(made.deps, { kept: onlyKept, beforeId: null, limit: 9 })).map(
      (one) => [one.id, one.row?.status ?? null, one.kept] as const,
    );
  const idOf = (upload: Upload) => grantOf(upload.uploadUrl).documentId;
  const stranger = ['doc_zz', null, true] as const;
  assert.deepEqual(await list(true), [stranger, [idOf(later), 'stored', true]]);
  assert.deepEqual(
    new Set((await list(false)).map(([id]) => id)),
    new Set(['doc_zz', idOf(gone), idOf(kept), idOf(later)]),
  );
});
