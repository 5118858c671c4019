// Documents that come through the hosted form: what is stored, what is refused and how much.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pageSessionKinds } from '../../../../core/domain/access/session.js';
import { DAY_MS, HOUR_MS } from '../../../../core/domain/base/instant.js';
import {
  UNUSED_RETENTION_MS,
  UPLOAD_URL_LIFE_MS,
} from '../../../../core/domain/parties/document.js';
import { fileTypeOf } from '../../../../core/domain/parties/file-type.js';
import { readSession } from '../../../../core/usecases/access/open-sessions.js';
import {
  documentLimits,
  redeemPhoneUpload,
  removePageDocument,
  startPhoneUpload,
  storePageDocument,
} from '../../../../core/usecases/hosted/page-documents.js';
import { readDraft } from '../../../../core/usecases/parties/kyc-drafts.js';
import { textOf } from '../../../contract/document-storage.js';
import { lawRuns } from '../../../support/law-runs.js';
import { formScene, inChunks, jpeg, pdf, personFiles } from '../../../support/scenes/form-scene.js';
import { valuesOf } from '../../../support/values-of.js';

type Made = Awaited<ReturnType<typeof formScene>>;

const MEBIBYTE = 1_024 * 1_024;
const heic = Buffer.from('\0\0\0\x18ftypheic and so on', 'latin1');

async function aPerson(t: Parameters<typeof formScene>[0], options = {}): Promise<Made> {
  const made = await formScene(t, options);
  await made.type('type', { entityType: 'individual' });
  return made;
}

function kept({ deps }: Made) {
  return deps.store.run((tx) => tx.documents.list({ kept: true, beforeId: null, limit: 99 }));
}

async function* large(mebibytes: number): AsyncIterable<Uint8Array> {
  yield jpeg;
  for (let at = 0; at < mebibytes; at += 1)
    yield Buffer.alloc(MEBIBYTE - (at === 0 ? jpeg.length : 0));
}

test('a file is stored whole under its real type, and the form names it', async (t) => {
  const made = await aPerson(t);
  const declaredType = 'image/png';
  const upload = {
    kind: 'id_doc_front',
    owner: null,
    declaredType,
    bytes: inChunks(jpeg, 1),
  } as const;
  assert.equal(await storePageDocument(made.deps, made.visitor, upload), null);
  const [document] = await kept(made);
  assert.partialDeepStrictEqual(document, { contentType: 'image/jpeg', status: 'stored' });
  assert.equal(document?.sizeBytes, jpeg.length);
  const bytes = await made.deps.documents?.get(document?.id ?? '', document?.contentName ?? '');
  assert.equal(await textOf(bytes ?? assert.fail('no bytes')), jpeg.toString());
  const { idDocFrontFile } = readDraft(made.deps, await made.submission()).dossier;
  assert.ok(idDocFrontFile?.startsWith(`https://api.example.com/v1/documents/${document?.id}/`));
});

test('a file that is replaced or taken out is deleted', async (t) => {
  const made = await aPerson(t);
  await made.upload('selfie');
  await made.upload('selfie');
  await made.settle();
  assert.equal((await kept(made)).length, 1);
  await removePageDocument(made.deps, made.visitor, { kind: 'selfie', owner: null });
  await made.settle();
  assert.equal((await kept(made)).length, 0);
  const missing = (await made.open()).steps.flatMap((step) => step.missing);
  assert.ok(missing.some(({ field }) => field === 'selfieFile'));
});

test('a file is refused with a reason, and nothing is stored', async (t) => {
  const made = await aPerson(t, {
    partner: { documentLimits: () => ({ bytesMax: 100, contentTypes: ['image/jpeg'] }) },
  });
  for (const [kind, declaredType, bytes, reason] of [
    ['id_doc_front', '', Buffer.alloc(0), 'empty'],
    ['id_doc_front', 'image/jpeg', heic, 'heic'],
    ['id_doc_front', 'image/jpeg', Buffer.from('<svg onload=alert(1)>'), 'unknown_type'],
    ['id_doc_front', 'application/pdf', jpeg, 'not_as_declared'],
    ['selfie', 'application/pdf', pdf, 'photo_only'],
    ['id_doc_front', '', pdf, 'photo_only'],
    ['selfie', '', Buffer.concat([jpeg, Buffer.alloc(100)]), 'too_large'],
  ] as const) {
    const upload = { kind, owner: null, declaredType, bytes: inChunks(bytes) };
    assert.equal(await storePageDocument(made.deps, made.visitor, upload), reason);
  }
  made.advanceClock(2 * UPLOAD_URL_LIFE_MS);
  await made.settle();
  assert.equal((await kept(made)).length, 0);
  assert.equal(documentLimits(made.deps, made.visitor, 'selfie').bytesMax, 100);
});

test('law: any bytes are stored under the type that they have, or are refused', async (t) => {
  const made = await aPerson(t);
  const heads = fc.constantFrom(jpeg, pdf, heic, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  const bytes = fc.tuple(heads, fc.uint8Array({ maxLength: 40 })).map((of) => Buffer.concat(of));
  await fc.assert(
    fc.asyncProperty(fc.oneof(bytes, fc.uint8Array()), fc.nat(20), async (given, size) => {
      made.advanceClock(HOUR_MS);
      const upload = { kind: 'id_doc_front', owner: null, declaredType: '' } as const;
      const source = inChunks(given, size + 1);
      const refusal = await storePageDocument(made.deps, made.visitor, {
        ...upload,
        bytes: source,
      });
      const type = fileTypeOf(given);
      if (given.length === 0) assert.equal(refusal, 'empty');
      else if (type === null) assert.equal(refusal, 'unknown_type');
      else if (type === 'heic') assert.equal(refusal, 'heic');
      else {
        assert.equal(refusal, null);
        const newest = (await kept(made)).find(({ status }) => status === 'stored');
        assert.deepEqual([newest?.contentType, newest?.sizeBytes], [type, given.length]);
      }
    }),
    { numRuns: lawRuns(60) },
  );
});

test('60 uploads an hour are taken, refused ones included', async (t) => {
  const made = await aPerson(t);
  for (let count = 0; count < 60; count += 1) {
    assert.equal(await made.upload('selfie', null, made.visitor, heic), 'heic');
  }
  assert.equal(await made.upload('selfie'), 'too_many');
  made.advanceClock(HOUR_MS / 60);
  assert.equal(await made.upload('selfie'), null);
});

test('200 MiB a day are taken of a person, over all uploads at a time', async (t) => {
  const made = await aPerson(t);
  // The limits of the organization are lower in test mode.
  const none = { rowsADay: 0, mebibytesADay: 0, documentMebibytes: 0 };
  const storage = { test: none, live: none };
  const deps = { ...made.deps, settings: { ...made.deps.settings, storage } };
  const put = () =>
    storePageDocument(deps, made.visitor, {
      kind: 'selfie',
      owner: null,
      declaredType: '',
      bytes: large(10),
    });
  for (let round = 0; round < 5; round += 1) {
    assert.deepEqual(await Promise.all([put(), put(), put(), put()]), [null, null, null, null]);
  }
  assert.deepEqual(await Promise.all([put(), put()]), ['too_many', 'too_many']);
  made.advanceClock(DAY_MS);
  assert.equal(await put(), null);
});

test('a file that the form does not ask for is not taken', async (t) => {
  const made = await aPerson(t);
  await assert.rejects(made.upload('incorporation_doc'), { code: 'NotFound' });
  await assert.rejects(made.upload('selfie', 3), { code: 'NotFound' });
});

test('a phone may upload to the form and do nothing else', async (t) => {
  const made = await aPerson(t);
  const link = await startPhoneUpload(made.deps, made.visitor);
  const { endsAtMs } =
    (await readSession(made.deps, pageSessionKinds, link)) ?? assert.fail('no link');
  assert.equal(endsAtMs - made.deps.clock.nowMs(), 10 * 60_000);
  const redeemed = await redeemPhoneUpload(made.deps, link);
  assert.equal(await redeemPhoneUpload(made.deps, link), null);
  assert.equal(await readSession(made.deps, pageSessionKinds, link), null);
  const phone =
    (await readSession(made.deps, pageSessionKinds, redeemed?.token ?? '')) ??
    assert.fail('no session');
  assert.equal(phone.submissionId, (await made.submission()).id);
  for (const kind of personFiles) assert.equal(await made.upload(kind, null, phone), null);
  await assert.rejects(made.type('person', {}, null, phone), { code: 'NotFound' });
  const again = startPhoneUpload(made.deps, phone);
  await assert.rejects(again, { code: 'NotFound' });
});

test('an upload that expired before it was sent is missing again', async (t) => {
  const made = await formScene(t);
  await made.fillPerson();
  made.advanceClock(UPLOAD_URL_LIFE_MS + UNUSED_RETENTION_MS);
  await made.settle();
  const missing = (await made.open()).steps.flatMap((step) => step.missing);
  assert.deepEqual(valuesOf(missing, 'field'), ['selfieFile', 'idDocFrontFile']);
  assert.deepEqual(await made.send(), { outcome: 'incomplete' });
});
