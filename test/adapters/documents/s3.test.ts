// Documents in an S3-compatible service: the contract of all storages, the faults of a network
// service, and what is signed and shown of the credentials.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createS3Documents, type S3Limits } from '../../../adapters/documents/s3.js';
import { DOCUMENT_BYTES_MAX } from '../../../core/domain/parties/document.js';
import { AssertionFailure, PonteError } from '../../../core/errors.js';
import { allOf, chunks, documentStorageContract, textOf } from '../../contract/document-storage.js';
import { type S3Fault, s3Credentials, startS3 } from '../../support/servers/s3-double.js';
import { suiteEnd } from '../../support/suite-end.js';

const suite = suiteEnd();
const s3 = await startS3();
suite.after(() => s3.close());

const patient: S3Limits = { answerMs: 30_000, idleMs: 20_000, retryDelaysMs: [1, 1] };
/** For a service that stops within an answer. */
const quick: S3Limits = { ...patient, idleMs: 200 };

/** The time of a request is over once the service has read it and is silent, on any machine. */
function endSilentRequests(t: TestContext): void {
  const { setTimeout: usual } = globalThis;
  const noted = (run: () => void, ms: number, ...rest: never[]) => {
    if (ms === patient.answerMs) s3.onSilent = run;
    return usual(run, ms, ...rest);
  };
  t.mock.method(globalThis, 'setTimeout', noted as typeof usual);
}

function fresh(limits: S3Limits = patient) {
  s3.objects.clear();
  s3.requests.length = 0;
  s3.faults.length = 0;
  s3.pageMax = 1_000;
  return opened({}, limits);
}

function opened(fields: Partial<Parameters<typeof createS3Documents>[0]>, limits = patient) {
  return createS3Documents({ ...s3Credentials, url: s3.url, region: s3.region, ...fields }, limits);
}

documentStorageContract('an S3 service', () => fresh());

test('an upload is one request; its object has the bytes and the name of the upload', async () => {
  await fresh().put('doc_a', '01', chunks('one ', 'two'));
  assert.deepEqual(s3.requests, ['PUT doc_a/01']);
  assert.deepEqual([...s3.objects], [['doc_a/01', Buffer.from('one two')]]);
});

test('lists and purges go through all pages', async () => {
  const storage = fresh();
  s3.pageMax = 2;
  const ids = ['doc_a', 'doc_a0', 'doc_b', 'doc_c', 'doc_d'];
  for (const id of ids) await storage.put(id, '01', chunks(id));
  for (const name of ['02', '03', '04', '05']) await storage.put('doc_b', name, chunks(name));
  assert.deepEqual(await allOf(storage), ids);
  assert.deepEqual(await storage.list({ afterId: 'doc_a', limit: 3 }), [
    'doc_a0',
    'doc_b',
    'doc_c',
  ]);
  await storage.purge('doc_b', '03');
  const left = [...s3.objects.keys()].filter((key) => key.startsWith('doc_b'));
  assert.deepEqual(left, ['doc_b/03']);
});

test('other objects of the bucket are neither listed nor deleted', async () => {
  const storage = fresh();
  for (const key of ['doc_a', 'doc_A/01', 'notes/doc_a/01', 'database-ff']) {
    s3.objects.set(key, Buffer.from('x'));
  }
  assert.deepEqual(await allOf(storage), []);
  await storage.put('doc_b', '01', chunks('b'));
  assert.deepEqual(await storage.list({ afterId: null, limit: 1 }), ['doc_b']);
  await storage.purge('doc_a', null);
  assert.equal(s3.objects.size, 5);
});

const faults: Readonly<Record<'passes' | 'breaks a read', readonly S3Fault[]>> = {
  passes: ['500', '503', 'dropped', 'answer dropped', 'silent'],
  'breaks a read': ['broken body', 'stalled body'],
};

for (const fault of faults.passes) {
  test(`a request that meets "${fault}" is repeated`, async (t) => {
    endSilentRequests(t);
    const storage = fresh();
    s3.faults.push(fault, fault);
    await storage.put('doc_a', '01', chunks('a'));
    s3.faults.push(fault);
    assert.equal(await textOf(await storage.get('doc_a', '01')), 'a');
    s3.faults.push(fault);
    assert.deepEqual(await allOf(storage), ['doc_a']);
    s3.faults.push(fault);
    await storage.remove('doc_a', '01');
    assert.equal(s3.objects.size, 0);
  });

  test(`three times "${fault}" is StoreUnavailable, and a later request succeeds`, async (t) => {
    endSilentRequests(t);
    const storage = fresh();
    for (const request of [
      () => storage.put('doc_a', '01', chunks('a')),
      () => storage.get('doc_a', '01'),
      () => storage.remove('doc_a', '01'),
      () => storage.purge('doc_a', null),
      () => allOf(storage),
      () => storage.hasFingerprint('database-a'),
    ]) {
      s3.faults.push(fault, fault, fault);
      await assert.rejects(request, { code: 'StoreUnavailable' });
    }
    await storage.put('doc_a', '02', chunks('b'));
    assert.equal(await textOf(await storage.get('doc_a', '02')), 'b');
  });
}

for (const fault of faults['breaks a read']) {
  test(`a document that meets "${fault}" is not taken for whole`, async () => {
    const storage = fresh(quick);
    await storage.put('doc_a', '01', chunks('x'.repeat(200_000)));
    s3.faults.push(fault);
    await assert.rejects(textOf(await storage.get('doc_a', '01')), { code: 'StoreUnavailable' });
  });
}

test('wrong credentials, bucket or region are faults that name no secret', async () => {
  fresh();
  const cases = [
    [{ secretAccessKey: 'wrong' }, '403 (SignatureDoesNotMatch)'],
    [{ accessKeyId: 'other' }, '403 (InvalidAccessKeyId)'],
    [{ region: 'us-east-1' }, '400 (AuthorizationHeaderMalformed)'],
    [{ url: s3.url.replace('papers', 'others') }, '404 (NoSuchBucket)'],
  ] as const;
  for (const [fields, expected] of cases) {
    const storage = opened(fields);
    for (const request of [
      () => storage.put('doc_a', '01', chunks('a')),
      () => storage.get('doc_a', '01'),
      () => storage.remove('doc_a', '01'),
      () => allOf(storage),
    ]) {
      await assert.rejects(request, (error: unknown) => {
        assert.ok(error instanceof Error && !(error instanceof PonteError));
        assert.ok(error.message.includes(expected), error.message);
        assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /AKDOUBLE|not\/so|wrong/);
        return true;
      });
    }
  }
  assert.equal(s3.objects.size, 0);
});

test('the service refuses a body that was changed on the way', async () => {
  const storage = fresh();
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    if (!(input instanceof Request) || input.method !== 'PUT') return fetch(input, init);
    return fetch(input.url, { method: 'PUT', headers: input.headers, body: 'b', ...init });
  };
  try {
    const put = storage.put('doc_a', '01', chunks('a'));
    await assert.rejects(put, /400 \(XAmzContentSHA256Mismatch\)/);
  } finally {
    globalThis.fetch = fetch;
  }
  assert.equal(s3.objects.size, 0);
});

test('more bytes than a document may have are not sent', async () => {
  const storage = fresh();
  const half = 'x'.repeat(DOCUMENT_BYTES_MAX / 2);
  await assert.rejects(storage.put('doc_a', '01', chunks(half, half, 'x')), AssertionFailure);
  assert.deepEqual(s3.requests, []);
  await storage.put('doc_a', '01', chunks(half, half));
  assert.equal(s3.objects.get('doc_a/01')?.length, DOCUMENT_BYTES_MAX);
});

test('nothing is named that could lead to another key', async () => {
  const storage = fresh();
  for (const id of ['../doc_a', 'doc_', 'doc_a/..', 'doc_A', '', 'doc_a?x']) {
    await assert.rejects(storage.purge(id, null), AssertionFailure, id);
    await assert.rejects(storage.get(id, '01'), AssertionFailure, id);
  }
  for (const name of ['..', '01.part', '', 'x']) {
    await assert.rejects(storage.get('doc_a', name), AssertionFailure, name);
  }
  assert.deepEqual(s3.requests, []);
});
