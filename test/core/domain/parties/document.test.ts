import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs, schedules } from '../../../../core/domain/base/schedules.js';
import {
  acceptsType,
  type ContentType,
  cleanupCompleted,
  cleanupStarted,
  contentTypes,
  type Document,
  type DocumentKind,
  type DocumentMove,
  type DocumentStatus,
  documentKinds,
  documentMoves,
  documentStatuses,
  hashUrlToken,
  isGranted,
  isReadableDocument,
  newDocument,
  nextDocumentStatus,
  purgeRequested,
  submittedDocument,
  UNUSED_RETENTION_MS,
  UPLOAD_TIME_MAX_MS,
  UPLOAD_URL_LIFE_MS,
  UPLOADS_MAX,
  uploaded,
  uploadStarted,
} from '../../../../core/domain/parties/document.js';
import { AssertionFailure } from '../../../../core/errors.js';
import { START_MS, sampleTenant } from '../../../support/samples/sample-rows.js';

const awaiting = newDocument(
  {
    ...sampleTenant,
    id: 'doc_1',
    owner: { party: 'buyer', id: 'byr_1' },
    kind: 'selfie',
    ownerIndex: null,
    contentType: 'image/png',
    fileName: null,
    expiresOn: null,
    tokenHashes: { upload: hashUrlToken('u'), read: hashUrlToken('r') },
    slot: 1,
  },
  START_MS,
);
const content = { name: 'ab', sizeBytes: 7 };
const stored = uploaded(awaiting, content, START_MS + 1) as Document;
const ordered = purgeRequested(stored, START_MS + 2);
const inStatus: Readonly<Record<DocumentStatus, Document>> = {
  awaiting,
  stored,
  submitted: submittedDocument(stored),
  purging: ordered,
  purged: cleanupCompleted(ordered, START_MS + 3),
};
const lastCleanupMs = awaiting.uploadUntilMs + UPLOAD_TIME_MAX_MS;

const matrix: Record<DocumentStatus, Record<DocumentMove, DocumentStatus | null>> = {
  awaiting: { store: 'stored', submit: null, purge: 'purging', purged: null },
  stored: { store: 'stored', submit: 'submitted', purge: 'purging', purged: null },
  submitted: { store: null, submit: 'submitted', purge: 'purging', purged: null },
  purging: { store: null, submit: null, purge: null, purged: 'purged' },
  purged: { store: null, submit: null, purge: null, purged: null },
};

test('every document status and move is as the table says, and no other move is made', () => {
  assert.deepEqual(documentStatuses, Object.keys(matrix));
  for (const status of documentStatuses) {
    for (const [move, expected] of Object.entries(matrix[status])) {
      assert.equal(nextDocumentStatus(status, move as DocumentMove), expected, `${status} ${move}`);
    }
    for (const move of Object.keys(documentMoves[status])) assert.ok(move in matrix[status]);
  }
});

test('a selfie is a photograph; every other kind may be a PDF too', () => {
  const photograph: readonly ContentType[] = ['image/jpeg', 'image/png'];
  const any: readonly ContentType[] = [...photograph, 'application/pdf'];
  const accepted: Record<DocumentKind, readonly ContentType[]> = {
    selfie: photograph,
    id_doc_front: any,
    id_doc_back: any,
    proof_of_address: any,
    incorporation_doc: any,
    proof_of_ownership_doc: any,
    attachment: any,
    w8: any,
    engagement_letter: any,
    holder_tax_form: any,
    bank_letter: any,
    registration: any,
  };
  assert.deepEqual(documentKinds, accepted);
  for (const kind of Object.keys(accepted) as readonly DocumentKind[]) {
    for (const type of contentTypes) {
      assert.equal(acceptsType(kind, type), accepted[kind].includes(type), `${kind} ${type}`);
    }
  }
});

test('bytes are taken until the upload URL ends or the document is submitted', () => {
  const last = awaiting.uploadUntilMs - 1;
  assert.equal(awaiting.uploadUntilMs, START_MS + UPLOAD_URL_LIFE_MS);
  const expired = { code: 'UploadUrlExpired' };
  for (const [status, document] of Object.entries(inStatus)) {
    const takes = status === 'awaiting' || status === 'stored';
    if (takes) assert.equal(uploadStarted(document, last).uploads, document.uploads + 1, status);
    else assert.throws(() => uploadStarted(document, last), expired, status);
    assert.throws(() => uploadStarted(document, last + 1), expired, status);
    assert.equal(uploaded(document, content, last) !== null, takes, status);
  }
});

test('an upload that ends when documents are looked at counts no more', () => {
  for (const document of [awaiting, stored]) {
    assert.ok(uploaded(document, content, lastCleanupMs - 1) !== null);
    assert.equal(uploaded(document, content, lastCleanupMs), null);
  }
});

test('an upload URL takes so many uploads, those that fail counted', () => {
  let document = stored;
  for (let uploads = 1; uploads <= UPLOADS_MAX; uploads += 1) {
    document = uploadStarted(document, START_MS);
    assert.equal(document.uploads, uploads);
  }
  assert.throws(() => uploadStarted(document, START_MS), {
    code: 'UploadUrlExpired',
    message: /used 10 times/,
  });
});

test('a document can be read from its upload until its purge', () => {
  const readable = documentStatuses.filter((status) => isReadableDocument(inStatus[status]));
  assert.deepEqual(readable, ['stored', 'submitted']);
});

test('each URL of a document opens by its own token alone', () => {
  const tokens = ['u', 'r', 'U', '', hashUrlToken('u'), hashUrlToken('r')];
  for (const token of tokens) {
    const granted = (['upload', 'read'] as const).map((use) => isGranted(awaiting, use, token));
    assert.deepEqual(granted, [token === 'u', token === 'r'], token);
  }
  const without = { ...awaiting, tokenHashes: { upload: '', read: '' } };
  assert.equal(isGranted(without, 'read', ''), false);
});

test('an upload takes the place of the one before', () => {
  const again = uploaded(stored, { name: 'cd', sizeBytes: 9 }, START_MS + 5);
  assert.deepEqual(again, { ...stored, contentName: 'cd', sizeBytes: 9 });
  assert.ok(Object.isFrozen(again));
});

test('every document is looked at when no upload can be under way; a submitted one too', () => {
  for (const document of [awaiting, stored, inStatus.submitted]) {
    assert.equal(document.dueAtMs, lastCleanupMs, document.status);
    assert.equal(cleanupStarted(document, lastCleanupMs - 1), null);
  }
  assert.equal(ordered.dueAtMs, START_MS + 2);
});

test('a purge deletes unused documents and replaced uploads', () => {
  const expiresMs = awaiting.uploadUntilMs + UNUSED_RETENTION_MS;
  const begun = cleanupStarted(awaiting, lastCleanupMs) as Document;
  assert.equal(begun.status, 'purging', 'nothing was uploaded');
  assert.equal(cleanupCompleted(begun, lastCleanupMs).dueAtMs, null);

  const swept = cleanupCompleted(cleanupStarted(stored, lastCleanupMs) as Document, lastCleanupMs);
  assert.deepEqual(swept, { ...stored, dueAtMs: expiresMs });
  assert.equal(cleanupStarted(swept, expiresMs - 1), null);
  assert.equal(cleanupStarted(swept, expiresMs)?.status, 'purging');
  assert.equal(submittedDocument(swept).dueAtMs, null, 'nothing is left to look for');

  const checked = cleanupStarted(inStatus.submitted, lastCleanupMs) as Document;
  const kept = cleanupCompleted(checked, lastCleanupMs);
  assert.deepEqual(kept, { ...inStatus.submitted, dueAtMs: null });
});

test('a purged document is checked once more when no upload can be in flight', () => {
  const { purged: early } = inStatus;
  assert.partialDeepStrictEqual(early, { dueAtMs: lastCleanupMs, purgedAtMs: START_MS + 3 });
  assert.partialDeepStrictEqual(early, { contentName: null });
  const done = cleanupCompleted(cleanupStarted(early, lastCleanupMs) as Document, lastCleanupMs);
  assert.deepEqual(done, { ...early, dueAtMs: null });
  assert.equal(cleanupCompleted(ordered, lastCleanupMs).dueAtMs, null);
});

test('an unfinished purge is repeated, later each time', () => {
  for (const [first, status] of [
    [{ ...stored, dueAtMs: lastCleanupMs }, 'stored'],
    [{ ...ordered, dueAtMs: lastCleanupMs }, 'purging'],
  ] as const) {
    let document: Document = first;
    let nowMs = lastCleanupMs;
    const lastMs = backoffMs('call', 1_000);
    for (const waitMs of [...schedules.call.waitsMs, lastMs]) {
      document = cleanupStarted(document, nowMs) as Document;
      assert.deepEqual([document.status, document.dueAtMs], [status, nowMs + waitMs]);
      assert.equal(cleanupStarted(document, nowMs + waitMs - 1), null);
      nowMs += waitMs;
    }
    assert.equal(document.tries, schedules.call.waitsMs.length + 1);
    assert.equal(cleanupCompleted(document, nowMs).tries, 0);
  }
  const unended = cleanupStarted(stored, lastCleanupMs) as Document;
  assert.equal(submittedDocument(unended).dueAtMs, unended.dueAtMs, 'it is begun again then too');
});

test('what the table has no cell for is a programmer’s error', () => {
  assert.throws(() => submittedDocument(awaiting), AssertionFailure);
  assert.throws(() => purgeRequested(ordered, START_MS), AssertionFailure);
});
