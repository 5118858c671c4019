// Documents on their way: who may upload what, until when, and that nothing is left of them once
// their party is decided on, whatever fails in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DOCUMENT_BYTES_MAX,
  type DocumentOwner,
  UNUSED_KEPT_MS,
  UPLOAD_TIME_MAX_MS,
  UPLOAD_URL_LIFE_MS,
} from '../../../core/domain/document.js';
import type { Dossier } from '../../../core/domain/dossier.js';
import type { Tenant } from '../../../core/domain/tenant.js';
import { PonteError } from '../../../core/errors.js';
import type { Deps, DocumentStorage } from '../../../core/ports.js';
import {
  createUpload,
  listDocuments,
  type ReceivedUpload,
  readDocument,
  receiveUpload,
  runPurges,
  stagePurge,
  stageSubmitted,
  type Upload,
} from '../../../core/usecases/documents.js';
import { allOf, chunks, textOf } from '../../contract/document-storage.js';
import { aSubmission } from '../../support/domain-samples.js';
import { type World, world } from '../../support/small-world.js';

const tenant: Tenant = { orgId: 'org_a', mode: 'test' };
const owner: DocumentOwner = { party: 'buyer', id: 'byr_1' };
const input = { owner, kind: 'id_doc_front', contentType: 'image/png', ownerIndex: null } as const;

interface Scene extends World {
  readonly storage: DocumentStorage;
  upload(fields?: Partial<typeof input>): Promise<Upload>;
  send(upload: Upload, fields?: Partial<ReceivedUpload>): Promise<void>;
  submit(dossier: Dossier, of?: DocumentOwner, by?: Tenant): Promise<void>;
  decide(of?: DocumentOwner): Promise<void>;
  statusOf(upload: Upload): Promise<string | undefined>;
  purges(): Promise<number>;
}

/** A world in which the tenant knows two buyers. */
async function scene(storageFor: (inner: DocumentStorage) => DocumentStorage = (it) => it) {
  const made = await world();
  const { documents: inner } = made.deps;
  assert.ok(inner !== null);
  const storage = storageFor(inner);
  const deps: Deps = { ...made.deps, documents: storage };
  await deps.store.run(async (tx) => {
    tx.buyers.insertSubmission(aSubmission({ flowId: null }));
    tx.buyers.insertSubmission(aSubmission({ flowId: null, id: 'kyc_2', buyerId: 'byr_2' }));
  });
  const result: Scene = {
    ...made,
    deps,
    storage,
    upload: (fields = {}) => createUpload(deps, tenant, { ...input, ...fields }),
    send: (upload, fields = {}) =>
      receiveUpload(deps, {
        ...grantOf(upload.uploadUrl),
        contentType: 'image/png',
        sizeBytes: null,
        bytes: chunks('a card'),
        ...fields,
      }),
    submit: (dossier, of = owner, by = tenant) =>
      deps.store.run((tx) => stageSubmitted(deps, tx, by, of, dossier)),
    decide: (of = owner) => deps.store.run(async (tx) => stagePurge(deps, tx, tenant, of)),
    statusOf: async ({ uploadUrl }) =>
      (await deps.store.run((tx) => tx.documents.find(grantOf(uploadUrl).documentId)))?.status,
    purges: () => runPurges(deps, deps.clock.nowMs(), 100),
  };
  return result;
}

function grantOf(url: string): { readonly documentId: string; readonly signature: string } {
  const form = /^https:\/\/api\.example\.com\/v1\/documents\/(\w+)\/content\?signature=(\w+)$/;
  const [, documentId = '', signature = ''] = form.exec(url) ?? [];
  assert.notEqual(documentId, '', url);
  return { documentId, signature };
}

function refuses(code: string, pattern = /./): (error: unknown) => boolean {
  return (error) =>
    error instanceof PonteError && error.code === code && pattern.test(error.message);
}

async function contentOf({ deps }: Scene, upload: Upload): Promise<string | null> {
  const { documentId, signature } = grantOf(upload.publicUrl);
  return textOf((await readDocument(deps, documentId, signature)).bytes);
}

test('an upload URL names method, headers and end; its bytes are then read by the public URL', async () => {
  const made = await scene();
  const upload = await made.upload();
  assert.equal(upload.uploadMethod, 'PUT');
  assert.deepEqual(upload.uploadHeaders, { 'Content-Type': 'image/png' });
  assert.equal(upload.expiresAtMs, made.deps.clock.nowMs() + UPLOAD_URL_LIFE_MS);
  await made.send(upload);
  assert.equal(await contentOf(made, upload), 'a card');
  const { documentId, signature } = grantOf(upload.publicUrl);
  const { contentType, sizeBytes } = await readDocument(made.deps, documentId, signature);
  assert.deepEqual([contentType, sizeBytes], ['image/png', 6]);
  await made.close();
});

test('without a document store an upload URL is refused: KycStorageDisabled', async () => {
  const made = await scene();
  const deps = { ...made.deps, documents: null };
  await assert.rejects(createUpload(deps, tenant, input), refuses('KycStorageDisabled'));
  await made.close();
});

test('a tenant gets upload URLs for its own parties only', async () => {
  const made = await scene();
  const strangers: readonly (readonly [Tenant, DocumentOwner])[] = [
    [{ ...tenant, orgId: 'org_b' }, owner],
    [{ ...tenant, mode: 'live' }, owner],
    [tenant, { party: 'buyer', id: 'byr_unknown' }],
    [tenant, { party: 'account', id: 'byr_1' }],
  ];
  for (const [by, of] of strangers) {
    const asked = createUpload(made.deps, by, { ...input, owner: of });
    await assert.rejects(asked, refuses('NotFound'));
  }
  await made.close();
});

test('a kind of document takes its content types and no others', async () => {
  const made = await scene();
  const pdf = { ...input, kind: 'selfie', contentType: 'application/pdf' } as const;
  await assert.rejects(
    createUpload(made.deps, tenant, pdf),
    refuses('ValidationError', /^contentType: send one of image\/jpeg, image\/png for selfie/),
  );
  await made.close();
});

test('a signature opens what it was made for and nothing else', async () => {
  const made = await scene();
  const [one, other] = [await made.upload(), await made.upload()];
  const write = grantOf(one.uploadUrl);
  const wrong = [
    '',
    write.signature.slice(1),
    `${write.signature}0`,
    grantOf(one.publicUrl).signature,
    grantOf(other.uploadUrl).signature,
  ];
  for (const signature of wrong) {
    await assert.rejects(made.send(one, { signature }), refuses('InvalidSignature'), signature);
  }
  await made.send(one);
  const reading = readDocument(made.deps, write.documentId, write.signature);
  await assert.rejects(reading, refuses('InvalidSignature'));
  const unknown = { documentId: 'doc_unknown', signature: made.deps.secretBox.mac('x', 'y') };
  await assert.rejects(made.send(one, unknown), refuses('InvalidSignature'));
  await made.close();
});

test('bytes of another type, too many, or none are refused and leave nothing', async () => {
  const made = await scene();
  const upload = await made.upload();
  const tooMany = async function* () {
    for (let mebibyte = 0; mebibyte <= 10; mebibyte += 1) yield Buffer.alloc(1_024 * 1_024);
  };
  const cases = [
    [{ contentType: 'image/jpeg' }, 'UnsupportedMediaType'],
    [{ contentType: null }, 'UnsupportedMediaType'],
    [{ sizeBytes: DOCUMENT_BYTES_MAX + 1 }, 'PayloadTooLarge'],
    [{ bytes: tooMany() }, 'PayloadTooLarge'],
    [{ bytes: chunks() }, 'ValidationError'],
  ] as const;
  for (const [fields, code] of cases) {
    await assert.rejects(made.send(upload, fields), refuses(code), code);
    assert.equal(await made.statusOf(upload), 'awaiting');
    await assert.rejects(contentOf(made, upload), refuses('NotFound'));
  }
  await made.send(upload, { contentType: 'IMAGE/PNG; x=y' });
  assert.equal(await made.statusOf(upload), 'stored');
  await made.close();
});

test('exactly 10 MiB are taken', async () => {
  const made = await scene();
  const upload = await made.upload();
  const bytes = chunks('a'.repeat(DOCUMENT_BYTES_MAX));
  await made.send(upload, { bytes, sizeBytes: DOCUMENT_BYTES_MAX });
  assert.equal((await contentOf(made, upload))?.length, DOCUMENT_BYTES_MAX);
  await made.close();
});

test('an upload may be repeated until its URL ends; the last one counts', async () => {
  const made = await scene();
  const upload = await made.upload();
  await made.send(upload);
  made.advanceClock(UPLOAD_URL_LIFE_MS - 1);
  await made.send(upload, { bytes: chunks('a better one') });
  assert.equal(await contentOf(made, upload), 'a better one');
  made.advanceClock(1);
  await assert.rejects(made.send(upload), refuses('UploadUrlExpired'));
  await made.close();
});

test('a submitted document can be read and no longer be replaced', async () => {
  const made = await scene();
  const upload = await made.upload();
  await made.send(upload);
  await made.submit({ selfieFile: upload.publicUrl, idDocFrontFile: upload.publicUrl });
  await assert.rejects(made.send(upload, { bytes: chunks('other') }), refuses('UploadUrlExpired'));
  assert.equal(await contentOf(made, upload), 'a card');
  await made.close();
});

test('bytes that arrive after the submission do not take the place of the submitted ones', async () => {
  const made = await scene();
  const upload = await made.upload();
  await made.send(upload);
  const late = async function* () {
    yield Buffer.from('late');
    await made.submit({ selfieFile: upload.publicUrl });
  };
  await assert.rejects(made.send(upload, { bytes: late() }), refuses('UploadUrlExpired'));
  assert.equal(await contentOf(made, upload), 'a card');
  await made.close();
});

test('a file URL is https or a document of this very party', async () => {
  const made = await scene();
  const [own, empty, foreign] = [
    await made.upload(),
    await made.upload(),
    await made.upload({ owner: { party: 'buyer', id: 'byr_2' } }),
  ];
  for (const one of [own, foreign]) await made.send(one);
  await made.submit({ selfieFile: 'https://files.example/a.png', idDocFrontFile: own.publicUrl });
  assert.equal(await made.statusOf(own), 'submitted');
  const wrong = [
    ['http://files.example/a.png', /^selfieFile: send an https URL/],
    ['https:///a.png', /^selfieFile: send an https URL/],
    ['ftp://files.example/a', /^selfieFile: send an https URL/],
    [own.uploadUrl, /not made for this party/],
    [`${own.publicUrl}0`, /not made for this party/],
    [own.publicUrl.replace(/\?.*/, ''), /not made for this party/],
    [foreign.publicUrl, /not made for this party/],
    [empty.publicUrl, /nothing was uploaded there/],
  ] as const;
  for (const [selfieFile, pattern] of wrong) {
    const submitted = made.submit({ selfieFile });
    await assert.rejects(submitted, refuses('ValidationError', pattern), selfieFile);
  }
  const twice = made.submit({
    selfieFile: 'http://a.example',
    owners: [{}, { proofOfAddressDocFile: foreign.publicUrl }],
  });
  await assert.rejects(
    twice,
    refuses('ValidationError', /^selfieFile: .*; owners\[1\]\.proofOfAddressDocFile: /),
  );
  const stranger = { ...tenant, orgId: 'org_b' };
  await assert.rejects(
    made.submit({ selfieFile: own.publicUrl }, owner, stranger),
    refuses('ValidationError', /not made for this party/),
  );
  await made.close();
});

test('a decision purges all documents of its party and of no other', async () => {
  const made = await scene();
  const uploads = [await made.upload(), await made.upload(), await made.upload()];
  const other = await made.upload({ owner: { party: 'buyer', id: 'byr_2' } });
  const [first, second, unused] = uploads;
  assert.ok(first && second && unused);
  for (const one of [first, second, other]) await made.send(one);
  await made.submit({ selfieFile: first.publicUrl });
  await made.decide();
  await assert.rejects(contentOf(made, first), refuses('NotFound'), 'from the decision on');
  assert.equal(await made.purges(), 3);
  assert.deepEqual(await allOf(made.storage), [grantOf(other.uploadUrl).documentId]);
  for (const one of uploads) {
    assert.equal(await made.statusOf(one), 'purged');
    await assert.rejects(made.send(one), refuses('UploadUrlExpired'));
  }
  assert.equal(await contentOf(made, other), 'a card');
  const resubmitted = made.submit({ selfieFile: first.publicUrl });
  await assert.rejects(resubmitted, refuses('ValidationError', /purged: upload it anew/));
  await made.close();
});

test('a deletion that fails is tried again until nothing is left', async () => {
  let failures = 3;
  const made = await scene((inner) => ({
    ...inner,
    purge: async (id) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the disk is read-only');
      await inner.purge(id);
    },
  }));
  const upload = await made.upload();
  await made.send(upload);
  await made.decide();
  for (let tries = 0; tries < 3; tries += 1) {
    assert.equal(await made.purges(), 0);
    assert.equal(await made.purges(), 0, 'not before a wait');
    assert.equal(await made.statusOf(upload), 'purging');
    assert.deepEqual(await allOf(made.storage), [grantOf(upload.uploadUrl).documentId]);
    made.advanceClock(60_000);
  }
  assert.equal(await made.purges(), 1);
  assert.equal(await made.statusOf(upload), 'purged');
  assert.deepEqual(await allOf(made.storage), []);
  await made.close();
});

test('a crash between the deletion and its record is healed by deleting again', async () => {
  const made = await scene();
  const upload = await made.upload();
  await made.send(upload);
  await made.decide();
  let batches = 0;
  const { store } = made.deps;
  const dying: Deps = {
    ...made.deps,
    store: {
      ...store,
      run: (work) => {
        batches += 1;
        if (batches > 2) return Promise.reject(new Error('the process is gone'));
        return store.run(work);
      },
    },
  };
  assert.equal(await runPurges(dying, dying.clock.nowMs(), 100), 0);
  assert.equal(await made.statusOf(upload), 'purging');
  assert.deepEqual(await allOf(made.storage), []);
  assert.equal(await made.purges(), 1);
  assert.equal(await made.statusOf(upload), 'purged');
  await made.close();
});

test('bytes under way at the decision are deleted when they have come', async () => {
  const made = await scene();
  const upload = await made.upload();
  const late = async function* () {
    yield Buffer.from('late');
    await made.decide();
    assert.equal(await made.purges(), 1);
  };
  await assert.rejects(made.send(upload, { bytes: late() }), refuses('UploadUrlExpired'));
  assert.deepEqual(await allOf(made.storage), []);
  await made.close();
});

test('bytes whose host died at the decision are deleted when no upload can be under way', async () => {
  const made = await scene();
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
  await made.close();
});

test('what nobody uploads or submits expires', async () => {
  const made = await scene();
  const [unsent, unused, submitted] = [
    await made.upload(),
    await made.upload(),
    await made.upload(),
  ];
  for (const one of [unused, submitted]) await made.send(one);
  await made.submit({ selfieFile: submitted.publicUrl });
  made.advanceClock(UPLOAD_URL_LIFE_MS + UPLOAD_TIME_MAX_MS);
  await made.purges();
  assert.equal(await made.statusOf(unsent), 'purged');
  assert.equal(await made.statusOf(unused), 'stored');
  made.advanceClock(UNUSED_KEPT_MS);
  await made.purges();
  assert.equal(await made.statusOf(unused), 'purged');
  assert.equal(await made.statusOf(submitted), 'submitted', 'it waits for the decision');
  await made.close();
});

test('operators see what is kept, purged on request, and bytes that nothing accounts for', async () => {
  const made = await scene();
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
  await made.close();
});
