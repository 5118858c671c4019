// Limits of an upload URL and of a party: bytes that do not count are deleted, despite failures and
// races.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import {
  DOCUMENTS_MAX,
  UPLOAD_TIME_MAX_MS,
  UPLOAD_URL_LIFE_MS,
  UPLOADS_MAX,
} from '../../../../core/domain/parties/document.js';
import { PonteError } from '../../../../core/errors.js';
import type { Deps } from '../../../../core/ports/deps.js';
import type { DocumentStorage } from '../../../../core/ports/outside.js';
import { receiveUpload, type Upload } from '../../../../core/usecases/parties/documents.js';
import { allOf, chunks } from '../../../contract/document-storage.js';
import { lawRuns } from '../../../support/law-runs.js';
import { dying, interrupted } from '../../../support/racing-store.js';
import { contentOf, grantOf, type Scene, scene } from '../../../support/scenes/document-scene.js';

const LAST_LOOK_MS = UPLOAD_URL_LIFE_MS + UPLOAD_TIME_MAX_MS;
const other = { party: 'buyer', id: 'byr_2' } as const;

interface Watched extends Scene {
  /** Names of uploads whose bytes came whole. */
  readonly put: readonly string[];
  /** Of them, those whose bytes are still there. */
  left(upload: Upload): Promise<readonly string[]>;
  /** Whether removing fails from now on. */
  readonly disk: { isReadOnly: boolean };
}

async function watched(
  t: TestContext,
  wrap: (inner: DocumentStorage) => Partial<DocumentStorage> = () => ({}),
) {
  const put: string[] = [];
  const disk = { isReadOnly: false };
  const made = await scene(t, (inner) => ({
    ...inner,
    put: async (id, name, bytes) => {
      await inner.put(id, name, bytes);
      put.push(name);
    },
    remove: async (id, name) => {
      if (disk.isReadOnly) throw new Error('the disk is read-only');
      await inner.remove(id, name);
    },
    ...wrap(inner),
  }));
  const left = async (upload: Upload) => {
    const { documentId } = grantOf(upload.uploadUrl);
    const kept = await Promise.all(put.map((name) => made.storage.get(documentId, name)));
    return put.filter((_, index) => kept[index] !== null);
  };
  const result: Watched = { ...made, put, disk, left };
  return result;
}

/** A process that dies when its bytes are stored, before or after the row says so. */
function dyingIn({ deps }: Scene, runsMax: number): Deps {
  const documents = deps.documents ?? assert.fail();
  const remove = () => Promise.reject(new Error('the process ends'));
  return { ...dying(deps, runsMax), documents: { ...documents, remove } };
}

/** What is read to begin, the quota, the count, and the row that names the new bytes. */
const RUNS_BEFORE_NAMING = 3;
const RUNS_OF_AN_UPLOAD = 4;

function sendBy(deps: Deps, upload: Upload, text: string): Promise<void> {
  const { documentId, signature } = grantOf(upload.uploadUrl);
  const bytes = chunks(text);
  const sent = { documentId, signature, contentType: 'image/png', sizeBytes: null, bytes };
  return receiveUpload(deps, sent);
}

async function* broken() {
  yield Buffer.from('half');
  throw new Error('the line broke');
}

test('a replaced upload is deleted immediately, and a URL takes ten uploads', async (t) => {
  const made = await watched(t);
  const upload = await made.upload();
  for (let nth = 1; nth <= UPLOADS_MAX; nth += 1) {
    await made.send(upload, { bytes: chunks(`take ${nth}`) });
    assert.deepEqual(await made.left(upload), made.put.slice(-1));
  }
  const tooMany = made.send(upload);
  const expired = { code: 'UploadUrlExpired', message: /used 10 times.*another URL/ };
  await assert.rejects(tooMany, expired);
  assert.equal(await contentOf(made, upload), `take ${UPLOADS_MAX}`);
  assert.equal(made.put.length, UPLOADS_MAX);
});

test('concurrent and failing uploads do not pass the limit', async (t) => {
  const made = await watched(t);
  const upload = await made.upload();
  for (let failed = 0; failed < 3; failed += 1) {
    await assert.rejects(made.send(upload, { bytes: broken() }), /the line broke/);
  }
  await Promise.allSettled(Array.from({ length: 40 }, () => made.send(upload)));
  // Some lose every race and are refused as transient; the loop uses up the rest of the limit.
  while ((await Promise.allSettled([made.send(upload)]))[0]?.status === 'fulfilled');
  assert.deepEqual([made.put.length, (await made.left(upload)).length], [UPLOADS_MAX - 3, 1]);
});

test('the bytes of an upload that lost every race are deleted immediately', async (t) => {
  const made = await watched(t);
  const upload = await made.upload();
  await made.send(upload);
  const losing = interrupted(made.deps, (nth) => {
    if (nth >= RUNS_OF_AN_UPLOAD) throw new PonteError('StoreContention');
  });
  const lost = sendBy(losing, upload, 'lost');
  await assert.rejects(lost, { code: 'StoreContention' });
  assert.deepEqual(await made.left(upload), made.put.slice(0, 1));
  assert.equal(made.put.length, 2);
});

test('refused before its bytes are read, an upload is not counted', async (t) => {
  const made = await watched(t);
  const upload = await made.upload();
  for (let times = 0; times <= UPLOADS_MAX; times += 1) {
    const wrong = made.send(upload, { contentType: 'text/html' });
    await assert.rejects(wrong, { code: 'UnsupportedMediaType' });
  }
  await made.send(upload);
});

test('bytes that come after the submission are deleted, the submitted ones stay', async (t) => {
  const made = await watched(t);
  const upload = await made.upload();
  await made.send(upload);
  const late = async function* () {
    yield Buffer.from('late');
    await made.submit({ selfieFile: upload.publicUrl });
  };
  await assert.rejects(made.send(upload, { bytes: late() }), { code: 'UploadUrlExpired' });
  assert.deepEqual(await made.left(upload), made.put.slice(0, 1));
  made.advanceClock(LAST_LOOK_MS);
  assert.equal(await made.purges(), 1);
  assert.equal(await contentOf(made, upload), 'a card', 'until the decision');
  await made.decide();
  assert.equal(await made.purges(), 1);
  assert.deepEqual(await allOf(made.storage), []);
});

for (const [when, runs, counts] of [
  ['before its row names them', RUNS_BEFORE_NAMING, 'a card'],
  ['before it deleted what they replace', RUNS_OF_AN_UPLOAD, 'another'],
] as const) {
  test(`bytes of a process that died ${when} are deleted a little later`, async (t) => {
    const made = await watched(t);
    const [stored, submitted] = [await made.upload(), await made.upload()];
    for (const one of [stored, submitted]) {
      await made.send(one);
      await sendBy(dyingIn(made, runs), one, 'another').catch(() => undefined);
      assert.equal((await made.left(one)).length, 2);
    }
    await made.submit({ selfieFile: submitted.publicUrl });
    made.advanceClock(LAST_LOOK_MS - 1);
    assert.equal(await made.purges(), 0, 'an upload may be under way');
    made.advanceClock(1);
    assert.equal(await made.purges(), 2);
    for (const one of [stored, submitted]) {
      assert.equal((await made.left(one)).length, 1);
      assert.equal(await contentOf(made, one), counts);
    }
    assert.equal(await made.purges(), 0);
  });
}

test('an upload counts although what it replaces cannot be deleted; that follows', async (t) => {
  const made = await watched(t);
  const upload = await made.upload();
  await made.send(upload);
  made.disk.isReadOnly = true;
  await made.send(upload, { bytes: chunks('another') });
  assert.equal(await contentOf(made, upload), 'another');
  assert.equal((await made.left(upload)).length, 2);
  assert.match(made.log.at(-1)?.message ?? '', /could not be deleted yet/);
  made.advanceClock(LAST_LOOK_MS);
  assert.equal(await made.purges(), 1);
  assert.deepEqual(await made.left(upload), made.put.slice(-1));
});

test('a read during a replacement returns one of the two documents', async (t) => {
  let replace = async (): Promise<void> => undefined;
  const made = await watched(t, (inner) => ({
    get: async (id, name) => {
      await replace();
      return inner.get(id, name);
    },
  }));
  const upload = await made.upload();
  await made.send(upload);
  replace = async () => {
    replace = async () => undefined;
    await made.send(upload, { bytes: chunks('another') });
  };
  assert.equal(await contentOf(made, upload), 'another');
  await made.storage.purge(grantOf(upload.uploadUrl).documentId, null);
  await assert.rejects(contentOf(made, upload), { code: 'NotFound' }, 'bytes that are lost');
  await made.close();
});

test('a party has so many documents that are not purged; another one has its own', async (t) => {
  const made = await watched(t);
  const uploads: Upload[] = [];
  while (uploads.length < DOCUMENTS_MAX - 20) uploads.push(await made.upload());
  const racing = await Promise.allSettled(Array.from({ length: 40 }, () => made.upload()));
  assert.ok(racing.filter(({ status }) => status === 'fulfilled').length <= 20);
  while ((await Promise.allSettled([made.upload()]))[0]?.status === 'fulfilled');
  const tooMany = { code: 'ValidationError', message: /100 documents, the most/ };
  await assert.rejects(made.upload(), tooMany);
  const filter = { kept: false, beforeId: null, limit: 1_000 };
  const all = await made.deps.store.run((tx) => tx.documents.list(filter));
  assert.equal(all.length, DOCUMENTS_MAX);
  await made.upload({ owner: other });
  await made.decide();
  await assert.rejects(made.upload(), tooMany, 'their bytes are still there');
  assert.equal(await made.purges(), DOCUMENTS_MAX);
  await made.upload();
});

const everyStep = ['send', 'race', 'break', 'die', 'dieLater', 'readOnly', 'submit'] as const;
type Step = (typeof everyStep)[number];

test('law: however uploads race, fail and die, only what counts is left', async (t) => {
  const history = fc.array(fc.constantFrom(...everyStep), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), async (steps, isDecided) => {
      const made = await watched(t);
      const upload = await made.upload();
      const { documentId } = grantOf(upload.uploadUrl);
      const row = () => made.deps.store.run((tx) => tx.documents.find(documentId));
      const acts: Readonly<Record<Step, () => Promise<unknown>>> = {
        send: () => made.send(upload),
        race: () => Promise.allSettled([1, 2, 3].map(() => made.send(upload))),
        break: () => made.send(upload, { bytes: broken() }),
        die: () => sendBy(dyingIn(made, RUNS_BEFORE_NAMING), upload, 'x'),
        dieLater: () => sendBy(dyingIn(made, RUNS_OF_AN_UPLOAD), upload, 'x'),
        readOnly: async () => {
          made.disk.isReadOnly = !made.disk.isReadOnly;
        },
        submit: () => made.submit({ selfieFile: upload.publicUrl }),
      };
      let submitted: string | null = null;
      for (const act of steps) {
        await acts[act]().catch(() => undefined);
        const now = await row();
        if (now?.status === 'submitted') submitted ??= now.contentName;
        if (submitted !== null) assert.equal(now?.contentName, submitted, 'it stays');
        const counted = now?.contentName ?? null;
        if (counted !== null) assert.ok((await made.left(upload)).includes(counted), 'is there');
      }
      made.advanceClock(LAST_LOOK_MS);
      if (isDecided) await made.decide();
      while ((await made.purges()) > 0);
      const now = await row();
      const counted = now?.status === 'purged' ? null : (now?.contentName ?? null);
      assert.deepEqual(await made.left(upload), counted === null ? [] : [counted]);
      assert.ok(made.put.length <= UPLOADS_MAX);
    }),
    { numRuns: lawRuns(60) },
  );
});
