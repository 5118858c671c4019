// Uploads as a client does them: the URL of one answer is sent the bytes, the public one goes into
// a dossier, and after the decision neither leads anywhere.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFsDocuments } from '../../../../adapters/documents/fs.js';
import { formatInstant } from '../../../../core/domain/base/instant.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import {
  DOCUMENT_BYTES_MAX,
  DOCUMENTS_MAX,
  UPLOAD_URL_LIFE_MS,
  UPLOADS_MAX,
} from '../../../../core/domain/parties/document.js';
import { createUpload, runPurges } from '../../../../core/usecases/parties/documents.js';
import { allOf } from '../../../contract/document-storage.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { type Answer, checkedSite, refusalOf, sharedSite } from '../checked-site.js';
import { newSeller, sellerDossier } from './account-calls.js';
import {
  individualBody,
  newBuyer,
  newDocument,
  newUpload,
  pathOf,
  uploadBody,
} from './buyer-calls.js';

const png = { 'content-type': 'image/png' } as const;

let tenant: Tenant;
let key: string;

const site = sharedSite(async () => {
  tenant = await site.world.newTenant();
  key = await site.world.key(tenant.orgId);
});

function send(path: string, body: unknown, headers: Readonly<Record<string, string>> = png) {
  return site.call('PUT', path, { body, headers });
}

async function uploadTo(url: string, body: unknown = uploadBody): Promise<Answer> {
  return site.call('POST', url, { key, body });
}

test('an upload URL takes the bytes, of an account and of a buyer', async () => {
  const { id } = await newSeller(site.world, tenant);
  const buyer = await newBuyer(site.world, tenant);
  for (const url of [
    `/v1/connected-accounts/${id}/upload-url`,
    `/v1/accounts/${id}/upload-url`,
    `/v1/buyer-kyc/${buyer.id}/upload-url`,
  ]) {
    const { status, body } = await uploadTo(url, { ...uploadBody, ownerIndex: 20 });
    assert.equal(status, 200);
    assert.equal(body['uploadMethod'], 'PUT');
    assert.deepEqual(body['uploadHeaders'], { 'Content-Type': 'image/png' });
    const endsAtMs = site.world.deps.clock.nowMs() + UPLOAD_URL_LIFE_MS;
    assert.equal(body['expiresAt'], formatInstant(endsAtMs));
    const sent = await send(pathOf(String(body['uploadUrl'])), Buffer.from('a face'));
    assert.deepEqual([sent.status, sent.body], [200, { received: true }]);
    const read = await site.call('GET', pathOf(String(body['publicUrl'])));
    assert.deepEqual([read.status, read.text], [200, 'a face']);
    assert.equal(read.headers['content-type'], 'image/png');
    assert.equal(read.headers['content-length'], '6');
    assert.equal(read.headers['content-disposition'], 'attachment');
    const head = await site.call('HEAD', pathOf(String(body['publicUrl'])));
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', '6']);
  }
});

test('a vendor document counts once uploaded, replaces the one before, and is deleted', async () => {
  const { id } = await newSeller(site.world, tenant);
  const url = `/v1/connected-accounts/${id}/vendor-documents`;
  const list = async () => {
    const { body } = await site.call('GET', url, { key });
    return body['data'] as readonly Readonly<Record<string, unknown>>[];
  };
  const paper = { kind: 'w8', contentType: 'application/pdf', fileName: 'W-8 \u202etxt.pdf' };
  const pdf = { 'content-type': 'application/pdf' };
  for (const [expiresOn, state] of [
    ['2030-01-15', 'ends_soon'],
    ['2029-12-31', 'ended'],
    [undefined, 'valid'],
  ] as const) {
    const before = await list();
    const { status, body } = await uploadTo(`${url}/upload-url`, { ...paper, expiresOn });
    assert.deepEqual([status, await list()], [200, before], 'nothing was uploaded');
    const sent = await send(pathOf(String(body['uploadUrl'])), Buffer.from('%PDF-1.7'), pdf);
    assert.equal(sent.status, 200);
    const [found, ...others] = await list();
    assert.deepEqual(others, []);
    assert.equal(found?.['id'], body['documentId']);
    assert.equal(found?.['state'], state);
    assert.equal(found?.['fileName'], 'W-8 txt.pdf');
  }
  const [found] = await list();
  for (const [fields, named] of [
    [{ kind: 'bank_letter' }, 'kind'],
    [{ expiresOn: '2030-02-30' }, 'expiresOn'],
    [{ contentType: 'text/html' }, 'contentType'],
  ] as const) {
    const refused = await uploadTo(`${url}/upload-url`, { ...paper, ...fields });
    assert.equal(refusalOf(refused), '400 ValidationError');
    assert.match(String(refused.body['message']), new RegExp(named));
  }
  const gone = await site.call('DELETE', `${url}/${found?.['id']}`, { key });
  assert.deepEqual([gone.status, gone.body], [200, found]);
  assert.deepEqual(await list(), []);
  const again = await site.call('DELETE', `${url}/${found?.['id']}`, { key });
  assert.equal(refusalOf(again), '404 NotFound');
});

test('what may be asked for is as the interface says', async () => {
  const url = `/v1/buyer-kyc/${(await newBuyer(site.world, tenant)).id}/upload-url`;
  const kinds = [
    'selfie',
    'id_doc_front',
    'id_doc_back',
    'proof_of_address',
    'incorporation_doc',
    'proof_of_ownership_doc',
  ];
  for (const kind of kinds)
    assert.equal((await uploadTo(url, { ...uploadBody, kind })).status, 200);
  const wrong = [
    [{}, 'kind'],
    [{ kind: 'passport', contentType: 'image/png' }, 'kind'],
    [{ kind: 'selfie' }, 'contentType'],
    [{ kind: 'selfie', contentType: 'text/html' }, 'contentType'],
    [{ kind: 'selfie', contentType: 'application/pdf' }, 'contentType'],
    ...[-1, 21, 0.5, '1'].map((ownerIndex) => [{ ...uploadBody, ownerIndex }, 'ownerIndex']),
  ] as const;
  for (const [body, name] of wrong) {
    const answer = await uploadTo(url, body);
    assert.equal(refusalOf(answer), '400 ValidationError', JSON.stringify(body));
    assert.match(String(answer.body['message']), new RegExp(`\\b${name}: `));
  }
  for (const ownerIndex of [0, 20, null]) {
    assert.equal((await uploadTo(url, { ...uploadBody, ownerIndex })).status, 200);
  }
});

test('an upload URL is given in every status of an account', async () => {
  const { buyerEmail: email, entityType: _, ...person } = individualBody();
  const cases = [
    ['created', 'business', null],
    ['verifying', 'individual', { email, ...person }],
    ['approved', 'business', sellerDossier],
    ['rejected', 'business', { ...sellerDossier, legalName: 'Fail' }],
  ] as const;
  for (const [status, entityType, dossier] of cases) {
    const created = { key, body: { role: 'seller', entityType } };
    const { body: account } = await site.call('POST', '/v1/accounts', created);
    const path = `/v1/accounts/${account['id']}`;
    if (dossier !== null) await site.call('POST', `${path}/submit`, { key, body: dossier });
    assert.equal((await site.call('GET', path, { key })).body['status'], status);
    assert.equal((await uploadTo(`${path}/upload-url`)).status, 200, status);
  }
});

test('another content type than promised: 415; JSON is not asked for', async () => {
  const path = pathOf((await newUpload(site.world, tenant)).uploadUrl);
  for (const type of ['image/jpeg', 'application/json', 'multipart/form-data; boundary=x']) {
    const answer = await send(path, Buffer.from('x'), { 'content-type': type });
    assert.equal(refusalOf(answer), '415 UnsupportedMediaType', type);
    assert.match(String(answer.body['message']), /image\/png/);
  }
  const none = await site.call('PUT', path, {
    headers: { 'content-type': null },
    body: Buffer.from('x'),
  });
  assert.equal(refusalOf(none), '415 UnsupportedMediaType');
});

test('bytes of another type than promised: 415, in live mode any that are not of it', async (t) => {
  const pngBytes = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
  const own = await checkedSite(t);
  const orgId = await own.world.organization();
  for (const [mode, placeholder] of [
    ['test', '200 -'],
    ['live', '415 UnsupportedMediaType'],
  ] as const) {
    const path = pathOf((await newUpload(own.world, { orgId, mode })).uploadUrl);
    const put = async (body: unknown) =>
      refusalOf(await own.call('PUT', path, { headers: png, body }));
    assert.equal(await put('<html><script>alert(1)</script>'), '415 UnsupportedMediaType', mode);
    assert.equal(await put(Buffer.from('%PDF-1.7')), '415 UnsupportedMediaType', mode);
    assert.equal(await put('a placeholder'), placeholder, mode);
    assert.equal(await put(pngBytes), '200 -', mode);
  }
});

test('more than 10 MiB, announced or not: 413; exactly 10 MiB are taken', async () => {
  const path = pathOf((await newUpload(site.world, tenant)).uploadUrl);
  const tooLarge = Buffer.alloc(DOCUMENT_BYTES_MAX + 1);
  assert.equal(refusalOf(await send(path, tooLarge)), '413 PayloadTooLarge');
  // The types of the DOM, which JSX brings in, have no `duplex`.
  const request = { method: 'PUT', headers: png, body: new Blob([tooLarge]).stream() };
  const streamed = { ...request, duplex: 'half' };
  const unannounced = await fetch(`http://127.0.0.1:${site.port}${path}`, streamed);
  assert.equal(unannounced.status, 413);
  assert.equal((await send(path, tooLarge.subarray(1))).status, 200);
});

test('an upload URL keeps one upload on the disk, and takes ten', async (t) => {
  const folder = temporaryFolder();
  const own = await checkedSite(t);
  Object.assign(own.world.deps, { documents: createFsDocuments(folder) });
  const orgId = await own.world.organization();
  const { uploadUrl } = await newUpload(own.world, { orgId, mode: 'test' });
  const put = (body: Buffer) => own.call('PUT', pathOf(uploadUrl), { headers: png, body });
  for (let nth = 1; nth <= UPLOADS_MAX; nth += 1) {
    assert.equal((await put(Buffer.alloc(1_000 + nth))).status, 200);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
    assert.deepEqual(sizes, [1_000 + nth]);
  }
  const refused = await put(Buffer.from('x'));
  assert.equal(refusalOf(refused), '410 UploadUrlExpired');
  assert.match(String(refused.body['message']), /used 10 times/);
});

test('more documents than a party may have: 400, naming how many it may', async () => {
  const owner = await newBuyer(site.world, tenant);
  const fields = { owner, kind: 'selfie', contentType: 'image/png', ownerIndex: null } as const;
  for (let count = 0; count < DOCUMENTS_MAX; count += 1) {
    await createUpload(site.world.deps, tenant, fields);
  }
  const refused = await uploadTo(`/v1/buyer-kyc/${owner.id}/upload-url`);
  assert.equal(refusalOf(refused), '400 ValidationError');
  assert.match(String(refused.body['message']), /^This party has 100 documents, the most\. /);
});

test('no bytes: 400', async () => {
  const path = pathOf((await newUpload(site.world, tenant)).uploadUrl);
  assert.equal(refusalOf(await send(path, Buffer.alloc(0))), '400 ValidationError');
});

test('a client that goes away in the middle leaves nothing to read', async () => {
  const upload = await newUpload(site.world, tenant);
  const socket = connect(site.port, '127.0.0.1');
  await once(socket, 'connect');
  const head = `PUT ${pathOf(upload.uploadUrl)} HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\n`;
  socket.write(`${head}Content-Length: 100\r\n\r\nhalf`);
  await site.call('GET', '/healthz');
  const failures = () => site.world.log.filter(({ level }) => level === 'error');
  const before = failures().length;
  socket.destroy();
  await once(socket, 'close');
  assert.equal(refusalOf(await site.call('GET', pathOf(upload.publicUrl))), '404 NotFound');
  assert.equal((await send(pathOf(upload.uploadUrl), Buffer.from('whole'))).status, 200);
  assert.equal(failures().length, before, 'nothing of ours failed');
});

test('an upload may take longer than another request may', async (t) => {
  const slow = await checkedSite(t, undefined, { requestTimeoutMs: 600 });
  const orgId = await slow.world.organization();
  const upload = await newUpload(slow.world, { orgId, mode: 'test' });
  const [uploading, other] = [connect(slow.port, '127.0.0.1'), connect(slow.port, '127.0.0.1')];
  const head = `PUT ${pathOf(upload.uploadUrl)} HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\n`;
  uploading.write(`${head}Content-Length: 5\r\n\r\nwh`);
  other.write('POST /v1/buyer-kyc HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n');
  other.write(`X-API-Key: ${await slow.world.key(orgId)}\r\nContent-Length: 9\r\n\r\n{`);
  const [refusal] = (await once(other, 'data')) as [Buffer];
  assert.match(refusal.toString(), /^HTTP\/1\.1 408 .*RequestTimeout/s);
  uploading.write('ole');
  const [answer] = (await once(uploading, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
  uploading.destroy();
});

test('documents serve one dossier and are gone after its decision', async () => {
  const { world } = site;
  const body = individualBody();
  const hosted = await site.call('POST', '/v1/buyer-kyc', {
    key,
    body: { buyerEmail: body.buyerEmail },
  });
  const url = `/v1/buyer-kyc/${hosted.body['buyerId']}/upload-url`;
  const { body: upload } = await uploadTo(url);
  const [path, publicPath] = [upload['uploadUrl'], upload['publicUrl']].map((one) =>
    pathOf(String(one)),
  );
  assert.ok(path && publicPath);
  await send(path, Buffer.from('a face'));
  const dossier = { ...body, selfieFile: upload['publicUrl'] };
  const submitted = await site.call('POST', '/v1/buyer-kyc', { key, body: dossier });
  assert.deepEqual([submitted.status, submitted.body['status']], [201, 'verifying']);
  assert.equal(refusalOf(await send(path, Buffer.from('other'))), '410 UploadUrlExpired');
  assert.equal((await site.call('GET', publicPath)).text, 'a face', 'the partner reads it');
  await world.settle();
  await runPurges(world.deps, world.deps.clock.nowMs(), 100);
  assert.equal(refusalOf(await site.call('GET', publicPath)), '404 NotFound');
  const id = /doc_\w+/.exec(path)?.[0] ?? '';
  const { documents } = world.deps;
  assert.ok(documents !== null && !(await allOf(documents)).includes(id));
});

test('a document of another buyer is not taken into a dossier', async () => {
  const { publicUrl } = await newDocument(site.world, tenant);
  const answer = await site.call('POST', '/v1/buyer-kyc', {
    key,
    body: { ...individualBody(), selfieFile: publicUrl },
  });
  assert.equal(refusalOf(answer), '400 ValidationError');
  assert.match(String(answer.body['message']), /^selfieFile: .*not made for this party/);
});
