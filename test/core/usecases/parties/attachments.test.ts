// Attachments of invoices: who may name which document, and how long it is kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../../core/domain/base/instant.js';
import {
  type ContentType,
  DOCUMENTS_MAX,
  FILE_NAME_MAX,
  fileNameOf,
} from '../../../../core/domain/parties/document.js';
import {
  createAttachmentUpload,
  readAttachment,
  storeAttachment,
} from '../../../../core/usecases/parties/attachments.js';
import {
  createUpload,
  readDocument,
  runPurges,
  stagePurge,
} from '../../../../core/usecases/parties/documents.js';
import { textOf } from '../../../contract/document-storage.js';
import { makeInvoice } from '../../../support/scenes/made-payments.js';
import { openWorld } from '../../../support/scenes/test-world.js';
import { suiteEnd } from '../../../support/suite-end.js';

const suite = suiteEnd();
const world = await openWorld();
suite.after(() => world.close());
const tenant = await world.newTenant();

async function stored(by = tenant, text = '%PDF-1.7 an invoice', fileName = 'RN 431.pdf') {
  const file = { memberId: by.orgId, fileName, bytes: latin1(text) };
  const made = await storeAttachment(world.deps, by, file);
  return typeof made === 'string' ? assert.fail(made) : made;
}

async function contentOf(invoiceId: string) {
  const payment = await world.deps.store.run((tx) => tx.payments.get(tenant, invoiceId));
  assert.ok(payment !== null);
  return readAttachment(world.deps, payment);
}

test('an invoice keeps its attachment after the decision on its organization', async () => {
  const { documentId } = await stored();
  const { payment } = await makeInvoice(world.deps, tenant, { attachmentDocumentId: documentId });
  assert.equal(payment.attachmentDocumentId, documentId);
  const owner = { party: 'organization', id: tenant.orgId } as const;
  await world.deps.store.run(async (tx) => stagePurge(world.deps, tx, tenant, owner));
  world.advanceClock(30 * DAY_MS);
  await runPurges(world.deps, world.deps.clock.nowMs(), 100);
  const { fileName, contentType, sizeBytes, bytes } = await contentOf(payment.id);
  assert.deepEqual([fileName, contentType, sizeBytes], ['RN 431.pdf', 'application/pdf', 19]);
  assert.equal(await textOf(bytes), '%PDF-1.7 an invoice');
});

test('a document that no invoice names is purged after seven days', async () => {
  const { documentId } = await stored();
  world.advanceClock(8 * DAY_MS);
  await runPurges(world.deps, world.deps.clock.nowMs(), 100);
  const late = makeInvoice(world.deps, tenant, { attachmentDocumentId: documentId });
  await assert.rejects(late, { code: 'ValidationError', message: /^attachmentDocumentId: / });
});

test('an invoice names an uploaded attachment of its tenant that no other has', async () => {
  const { deps } = world;
  const other = await world.newTenant();
  const pdf = { contentType: 'application/pdf', fileName: 'a.pdf' } as const;
  const used = await stored();
  await makeInvoice(deps, tenant, { attachmentDocumentId: used.documentId });
  const card = await createUpload(deps, tenant, {
    owner: { party: 'organization', id: tenant.orgId },
    kind: 'id_doc_front',
    contentType: 'application/pdf',
    ownerIndex: null,
  });
  for (const [why, documentId] of [
    ['unknown', 'doc_unknown'],
    ['of another organization', (await stored(other)).documentId],
    ['of another mode', (await stored({ ...tenant, mode: 'live' })).documentId],
    ['not uploaded', (await createAttachmentUpload(deps, tenant, pdf)).documentId],
    ['of a verification', card.documentId],
    ['of another invoice', used.documentId],
  ] as const) {
    const made = makeInvoice(deps, tenant, { attachmentDocumentId: documentId });
    await assert.rejects(made, { code: 'ValidationError' }, why);
  }
});

test('attachments of invoices take no place among the documents of the organization', async () => {
  const by = await world.newTenant();
  for (let count = 0; count <= DOCUMENTS_MAX; count += 1) {
    const pdf = { contentType: 'application/pdf', fileName: 'a.pdf' } as const;
    const { documentId } = await createAttachmentUpload(world.deps, by, pdf);
    await world.deps.store.run(async (tx) => {
      const document = (await tx.documents.find(documentId)) ?? assert.fail();
      tx.documents.update({ ...document, owner: { party: 'payment', id: 'inv_1' }, slot: null });
    });
  }
});

test('of two invoices that name one document at the same time, one is made', async () => {
  const { documentId } = await stored();
  const made = await Promise.allSettled(
    [1, 2].map(() => makeInvoice(world.deps, tenant, { attachmentDocumentId: documentId })),
  );
  assert.deepEqual(made.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('the type of a file is that of its bytes, in test mode too', async () => {
  const png = await stored(tenant, '\x89PNG\r\n\x1a\n and more', 'photo.pdf');
  assert.deepEqual([png.contentType, png.fileName], ['image/png', 'photo.pdf.png']);
  for (const [text, refusal] of [
    ['', 'empty'],
    ['a placeholder', 'unknown_type'],
    ['<svg onload="x">', 'unknown_type'],
    ['\0\0\0\x18ftypheic\0\0\0\0', 'unknown_type'],
    [`%PDF-${'x'.repeat(10 * 1_024 * 1_024)}`, 'too_large'],
  ] as const) {
    const bytes = { memberId: 'mem_1', fileName: 'a.pdf', bytes: latin1(text) };
    assert.equal(await storeAttachment(world.deps, tenant, bytes), refusal);
  }
});

test('nobody reads an attachment by a URL', async () => {
  const pdf = { contentType: 'application/pdf', fileName: 'a.pdf' } as const;
  const { documentId, publicUrl } = await createAttachmentUpload(world.deps, tenant, pdf);
  const signature = new URL(publicUrl).searchParams.get('signature') ?? '';
  await assert.rejects(readDocument(world.deps, documentId, signature), { code: 'NotFound' });
});

test('the name of a file is one that any system takes, with an ending of its type', () => {
  const names: readonly (readonly [string, ContentType, string])[] = [
    ['invoice.pdf', 'application/pdf', 'invoice.pdf'],
    ['Fatura São João.PDF', 'application/pdf', 'Fatura São João.pdf'],
    ['scan.jpeg', 'image/jpeg', 'scan.jpeg'],
    ['setup.exe', 'application/pdf', 'setup.exe.pdf'],
    ['../../etc/passwd', 'image/png', '-..-etc-passwd.png'],
    ['a\u202efdp.exe', 'application/pdf', 'afdp.exe.pdf'],
    ['a"\r\nb.pdf', 'application/pdf', 'a-b.pdf'],
    ['', 'image/jpeg', 'invoice.jpg'],
    ['.pdf', 'application/pdf', 'pdf.pdf'],
  ];
  for (const [given, type, name] of names) assert.equal(fileNameOf(given, type), name);
  const long = fileNameOf(`${'x'.repeat(500)}.pdf`, 'application/pdf');
  assert.ok(long.length <= FILE_NAME_MAX && long.endsWith('x.pdf'));
});

async function* latin1(text: string): AsyncIterable<Uint8Array> {
  if (text !== '') yield Buffer.from(text, 'latin1');
}
