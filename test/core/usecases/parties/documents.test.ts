// Documents on their way: who may upload what, until when, and what a dossier may name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecretBox } from '../../../../adapters/crypto/secret-box.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import {
  DOCUMENT_BYTES_MAX,
  type DocumentOwner,
  UPLOAD_URL_LIFE_MS,
} from '../../../../core/domain/parties/document.js';
import {
  createUpload,
  readDocument,
  receiveUpload,
} from '../../../../core/usecases/parties/documents.js';
import { chunks } from '../../../contract/document-storage.js';
import {
  contentOf,
  grantOf,
  input,
  owner,
  scene,
  tenant,
} from '../../../support/scenes/document-scene.js';

test('an upload URL names method, headers and end; the public URL reads the bytes', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  assert.equal(upload.uploadMethod, 'PUT');
  assert.deepEqual(upload.uploadHeaders, { 'Content-Type': 'image/png' });
  assert.equal(upload.expiresAtMs, made.deps.clock.nowMs() + UPLOAD_URL_LIFE_MS);
  await made.send(upload);
  assert.equal(await contentOf(made, upload), 'a card');
  const { documentId, signature } = grantOf(upload.publicUrl);
  const { contentType, sizeBytes } = await readDocument(made.deps, documentId, signature);
  assert.deepEqual([contentType, sizeBytes], ['image/png', 6]);
});

test('without a document store an upload URL is refused: KycStorageDisabled', async (t) => {
  const made = await scene(t);
  const deps = { ...made.deps, documents: null };
  await assert.rejects(createUpload(deps, tenant, input), { code: 'KycStorageDisabled' });
});

test('a tenant gets upload URLs for its own parties only', async (t) => {
  const made = await scene(t);
  const strangers: readonly (readonly [Tenant, DocumentOwner])[] = [
    [{ ...tenant, orgId: 'org_b' }, owner],
    [{ ...tenant, mode: 'live' }, owner],
    [tenant, { party: 'buyer', id: 'byr_unknown' }],
    [tenant, { party: 'account', id: 'byr_1' }],
  ];
  for (const [by, of] of strangers) {
    const asked = createUpload(made.deps, by, { ...input, owner: of });
    await assert.rejects(asked, { code: 'NotFound' });
  }
});

test('a kind of document takes its content types and no others', async (t) => {
  const made = await scene(t);
  const pdf = { ...input, kind: 'selfie', contentType: 'application/pdf' } as const;
  await assert.rejects(createUpload(made.deps, tenant, pdf), {
    code: 'ValidationError',
    message: /^contentType: send one of image\/jpeg, image\/png for selfie/,
  });
});

test('a signature opens what it was made for and nothing else', async (t) => {
  const made = await scene(t);
  const [one, other] = [await made.upload(), await made.upload()];
  const write = grantOf(one.uploadUrl);
  const others = [grantOf(one.publicUrl).signature, grantOf(other.uploadUrl).signature];
  const wrong = ['', write.signature.slice(1), `${write.signature}0`, ...others];
  for (const signature of wrong) {
    await assert.rejects(made.send(one, { signature }), { code: 'InvalidSignature' }, signature);
  }
  await made.send(one);
  const reading = readDocument(made.deps, write.documentId, write.signature);
  await assert.rejects(reading, { code: 'InvalidSignature' });
  const unknown = { documentId: 'doc_unknown', signature: made.deps.secretBox.mac('x', 'y') };
  await assert.rejects(made.send(one, unknown), { code: 'InvalidSignature' });
});

test('URLs outlast the secret keys, and no secret key makes one', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  const secretBox = createSecretBox([{ id: 'another', bytes: Buffer.alloc(32, 1) }]);
  const later = { ...made, deps: { ...made.deps, secretBox } };
  await receiveUpload(later.deps, {
    ...grantOf(upload.uploadUrl),
    contentType: 'image/png',
    sizeBytes: null,
    bytes: chunks('a card'),
  });
  assert.equal(await contentOf(later, upload), 'a card');
  const { documentId } = grantOf(upload.publicUrl);
  for (const purpose of ['document-read', 'read', 'document-write', 'upload']) {
    const signature = made.deps.secretBox.mac(documentId, purpose);
    const reading = readDocument(made.deps, documentId, signature);
    await assert.rejects(reading, { code: 'InvalidSignature' }, purpose);
  }
});

test('bytes of another type, too many, or none are refused and leave nothing', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  const tooMany = async function* () {
    for (let mebibyte = 0; mebibyte <= 10; mebibyte += 1) yield Buffer.alloc(1_024 * 1_024);
  };
  const cases = [
    [{ contentType: 'image/jpeg' }, 'UnsupportedMediaType'],
    [{ contentType: null }, 'UnsupportedMediaType'],
    [{ sizeBytes: DOCUMENT_BYTES_MAX + 1 }, 'PayloadTooLarge'],
    [{ bytes: chunks('<!doctype html>') }, 'UnsupportedMediaType'],
    [{ bytes: chunks('\n ', ' <sv', 'g onload=""></svg>') }, 'UnsupportedMediaType'],
    [{ bytes: chunks('%P', 'DF-1.7 a scan of a deed') }, 'UnsupportedMediaType'],
    [{ bytes: tooMany() }, 'PayloadTooLarge'],
    [{ bytes: chunks() }, 'ValidationError'],
  ] as const;
  for (const [fields, code] of cases) {
    await assert.rejects(made.send(upload, fields), { code }, code);
    assert.equal(await made.documentStatusOf(upload), 'awaiting');
    await assert.rejects(contentOf(made, upload), { code: 'NotFound' });
  }
  await made.send(upload, { contentType: 'IMAGE/PNG; x=y' });
  assert.equal(await made.documentStatusOf(upload), 'stored');
});

test('exactly 10 MiB are taken', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  const bytes = chunks('a'.repeat(DOCUMENT_BYTES_MAX));
  await made.send(upload, { bytes, sizeBytes: DOCUMENT_BYTES_MAX });
  assert.equal((await contentOf(made, upload))?.length, DOCUMENT_BYTES_MAX);
});

test('an upload may be repeated until its URL ends; the last one counts', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  await made.send(upload);
  made.advanceClock(UPLOAD_URL_LIFE_MS - 1);
  await made.send(upload, { bytes: chunks('a better one') });
  assert.equal(await contentOf(made, upload), 'a better one');
  made.advanceClock(1);
  await assert.rejects(made.send(upload), { code: 'UploadUrlExpired' });
});

test('a submitted document can be read and no longer be replaced', async (t) => {
  const made = await scene(t);
  const upload = await made.upload();
  await made.send(upload);
  await made.submit({ selfieFile: upload.publicUrl, idDocFrontFile: upload.publicUrl });
  await assert.rejects(made.send(upload, { bytes: chunks('other') }), { code: 'UploadUrlExpired' });
  assert.equal(await contentOf(made, upload), 'a card');
});

test('a file URL is https or a document of this very party', async (t) => {
  const made = await scene(t);
  const [own, empty] = [await made.upload(), await made.upload()];
  const foreign = await made.upload({ owner: { party: 'buyer', id: 'byr_2' } });
  for (const one of [own, foreign]) await made.send(one);
  await made.submit({ selfieFile: 'https://files.example/a.png', idDocFrontFile: own.publicUrl });
  assert.equal(await made.documentStatusOf(own), 'submitted');
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
    await assert.rejects(submitted, { code: 'ValidationError', message: pattern }, selfieFile);
  }
  const twice = made.submit({
    selfieFile: 'http://a.example',
    owners: [{}, { proofOfAddressDocFile: foreign.publicUrl }],
  });
  await assert.rejects(twice, {
    code: 'ValidationError',
    message: /^selfieFile: .*; owners\[1\]\.proofOfAddressDocFile: /,
  });
  const stranger = { ...tenant, orgId: 'org_b' };
  await assert.rejects(made.submit({ selfieFile: own.publicUrl }, owner, stranger), {
    code: 'ValidationError',
    message: /not made for this party/,
  });
});
