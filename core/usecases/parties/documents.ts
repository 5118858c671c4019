// Documents: the upload URL, the upload, the dossier that names them, and their deletion after the
// decision on the party. A URL contains a random token and needs no other credential: the upload
// URL writes one document for a limited time, the public URL reads it until it is purged. Only
// hashes of the tokens are stored. Deletions are due rows: the batch with the decision stages them,
// and a worker repeats them until they succeed.
import { freeSlot } from '../../domain/base/slot.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  acceptsType,
  type ContentType,
  cleanupCompleted,
  cleanupStarted,
  DOCUMENTS_MAX,
  type Document,
  type DocumentOwner,
  documentKinds,
  type Grant,
  hashUrlToken,
  isGranted,
  isOfOwner,
  isReadableDocument,
  newDocument,
  purgeRequested,
  refuseUpload,
  submittedDocument,
  URL_TOKEN_BYTES,
  uploaded,
  uploadStarted,
  verificationKinds,
} from '../../domain/parties/document.js';
import { type Dossier, fileLinks } from '../../domain/parties/dossier.js';
import {
  isVendorPaper,
  nextWarningAtMs,
  partnerPapers,
} from '../../domain/parties/vendor-paper.js';
import { assert, invalid, isCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { ByteSource, DocumentStorage } from '../../ports/outside.js';
import type { DocumentFilter, Tx } from '../../ports/storage.js';
import { paperNotices } from '../mail/paper-notices.js';
import { eachDue } from '../service/due-work.js';
import { acceptedBytes, budgetedBytes, refuseTooLarge } from './upload-bytes.js';

/** The random name of an upload. */
const CONTENT_NAME_BYTES = 16;
const LIST_PAGE = 1_000;

/** A dossier names the document by `publicUrl`. */
export interface Upload {
  readonly documentId: string;
  readonly uploadUrl: string;
  readonly publicUrl: string;
  readonly uploadHeaders: Readonly<Record<string, string>>;
  readonly uploadMethod: 'PUT';
  readonly expiresAtMs: number;
}

/** An attachment has a `fileName`. */
export type UploadInput = Pick<Document, 'owner' | 'kind' | 'contentType' | 'ownerIndex'> &
  Partial<Pick<Document, 'fileName' | 'expiresOn'>>;

/**
 * Creates a document with an upload URL. KycStorageDisabled without a storage; NotFound if the
 * tenant has no such party; ValidationError for a wrong content type or too many documents.
 */
export async function createUpload(
  deps: Deps,
  tenant: Tenant,
  input: UploadInput,
): Promise<Upload> {
  storageOf(deps);
  const { owner, kind, contentType, ownerIndex, fileName = null, expiresOn = null } = input;
  if (!acceptsType(kind, contentType)) {
    const types = documentKinds[kind].join(', ');
    throw invalid(`contentType: send one of ${types} for ${kind}.`);
  }
  const nowMs = deps.clock.nowMs();
  const [uploadToken, readToken] = [newToken(deps), newToken(deps)];
  const tokenHashes = { upload: hashUrlToken(uploadToken), read: hashUrlToken(readToken) };
  const id = deps.ids.next('doc', nowMs);
  const fields = { ...tenantOf(tenant), id, owner: Object.freeze({ ...owner }), kind, tokenHashes };
  const document = await deps.store.run(async (tx) => {
    if (!(await isKnown(tx, tenant, owner))) throw new PonteError('NotFound');
    const taken = await tx.documents.slots(tenant, owner);
    const full = `This party has ${DOCUMENTS_MAX} documents, the most. Submit it, or wait: `;
    const random = deps.ids.randomBytes(1);
    const slot = freeSlot(taken, DOCUMENTS_MAX, random, `${full}unused documents expire.`);
    const made = newDocument(
      { ...fields, contentType, fileName, expiresOn, ownerIndex, slot },
      nowMs,
    );
    tx.documents.insert(made);
    return made;
  });
  return {
    documentId: document.id,
    uploadUrl: contentUrl(deps, document.id, uploadToken),
    publicUrl: contentUrl(deps, document.id, readToken),
    uploadHeaders: { 'Content-Type': contentType },
    uploadMethod: 'PUT',
    expiresAtMs: document.uploadUntilMs,
  };
}

export interface ReceivedUpload {
  readonly documentId: string;
  readonly signature: string;
  readonly contentType: string | null;
  /** As announced; null if it was not. */
  readonly sizeBytes: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Stores the bytes; those before are deleted. InvalidSignature, UploadUrlExpired (also once the
 * document is submitted, or uploaded too often), UnsupportedMediaType, PayloadTooLarge,
 * StorageLimitExceeded, UploadsPaused, ValidationError (no bytes), in this order.
 */
export async function receiveUpload(deps: Deps, upload: ReceivedUpload): Promise<void> {
  const { documentId } = upload;
  const storage = storageOf(deps);
  const document = await grantedDocument(deps, documentId, upload.signature, 'upload');
  refuseUpload(document, deps.clock.nowMs());
  if (!isSameType(upload.contentType, document.contentType)) {
    const message = `Send the bytes with Content-Type: ${document.contentType}.`;
    throw new PonteError('UnsupportedMediaType', message);
  }
  if (upload.sizeBytes !== null) refuseTooLarge(upload.sizeBytes);
  await refuseFull(deps, document);
  await changeDocument(deps, documentId, (current) => uploadStarted(current, deps.clock.nowMs()));
  const name = Buffer.from(deps.ids.randomBytes(CONTENT_NAME_BYTES)).toString('hex');
  const count = { sizeBytes: 0 };
  const bytes = budgetedBytes(deps, document, upload.bytes);
  await storage.put(documentId, name, acceptedBytes(document, bytes, count));
  const named = deps.store.run(async (tx) => {
    const current = await tx.documents.find(documentId);
    assert(current !== null, 'a document stays');
    const next = uploaded(current, { name, ...count }, deps.clock.nowMs());
    if (next !== null) await stageUploaded(tx, next, deps.clock.nowMs());
    return { was: current, isLate: next === null };
  });
  const { was, isLate } = await named.catch(async (error: unknown) => {
    // Only after this error is it certain that no row names the bytes.
    if (isCode(error, 'StoreContention')) await drop(deps, documentId, name);
    throw error;
  });
  deps.wake('documents');
  if (!isLate) {
    if (was.contentName !== null) await drop(deps, documentId, was.contentName);
    return;
  }
  // The party is decided; the content of a submitted document stays.
  if (isReadableDocument(was)) await drop(deps, documentId, name);
  else await storage.purge(documentId, null);
  throw new PonteError('UploadUrlExpired');
}

/** A vendor paper counts once its bytes are here, in place of the one of its kind before. */
async function stageUploaded(tx: Tx, document: Document, nowMs: number): Promise<void> {
  const { owner, kind } = document;
  if (owner.party !== 'vendor') return tx.documents.update(document);
  const known = await tx.documents.ofVendor(document, owner.id);
  for (const old of known) {
    if (old.kind === kind) tx.documents.update(purgeRequested(old, nowMs));
  }
  tx.documents.update(submittedDocument(document));
}

/** StorageLimitExceeded once the documents of the tenant fill its quota. */
async function refuseFull({ store, settings }: Deps, tenant: Tenant): Promise<void> {
  const { documentMebibytes } = settings.storage[tenant.mode];
  if (documentMebibytes === 0) return;
  const keptBytes = await store.run((tx) => tx.documents.keptBytes(tenant));
  if (keptBytes >= documentMebibytes * 1_024 * 1_024) throw new PonteError('StorageLimitExceeded');
}

/** Creates a document of bytes that are here already; the errors of both. */
export async function storeUpload(
  deps: Deps,
  tenant: Tenant,
  input: UploadInput,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Upload> {
  const upload = await createUpload(deps, tenant, input);
  const { documentId, token: signature } = readUrl(deps, upload.uploadUrl);
  const { contentType } = input;
  await receiveUpload(deps, { documentId, signature, contentType, sizeBytes: null, bytes });
  return upload;
}

/** Deletes a replaced or late upload; if that fails, the next cleanup does it. */
async function drop(deps: Deps, documentId: string, name: string): Promise<void> {
  try {
    await storageOf(deps).remove(documentId, name);
  } catch (err) {
    deps.log.warn('an upload could not be deleted yet', { documentId, err });
  }
}

export interface DocumentContent {
  readonly contentType: ContentType;
  readonly sizeBytes: number;
  readonly bytes: ByteSource;
}

/**
 * The content, by the public URL; NotFound before the upload and after the purge. The caller closes
 * `bytes` unless it reads them to their end.
 */
export async function readDocument(
  deps: Deps,
  documentId: string,
  signature: string,
): Promise<DocumentContent> {
  for (let before: string | null = null; ; ) {
    const document = await grantedDocument(deps, documentId, signature, 'read');
    // Only the pages of a payment give out attachments and papers.
    if (!Object.hasOwn(verificationKinds, document.kind)) break;
    if (document.contentName === before) break;
    const content = await contentOf(deps, document);
    if (content !== null) return content;
    // Another upload may have replaced it.
    before = document.contentName;
  }
  throw new PonteError('NotFound');
}

/** Null before the upload and after the purge. The caller closes `bytes` as above. */
export async function contentOf(deps: Deps, document: Document): Promise<DocumentContent | null> {
  const { id, contentName, sizeBytes, contentType } = document;
  const storage = storageOf(deps);
  if (!isReadableDocument(document) || contentName === null || sizeBytes === null) return null;
  const bytes = await storage.get(id, contentName);
  return bytes === null ? null : { contentType, sizeBytes, bytes };
}

/**
 * Stages the documents that a dossier names as submitted. ValidationError for URLs that are not
 * https, and for documents of ours that were not uploaded for this party.
 */
export async function stageSubmitted(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  owner: DocumentOwner,
  dossier: Dossier,
): Promise<void> {
  const named = new Map<string, Document>();
  const found = await fileProblems(deps, tx, tenant, owner, dossier, named);
  const problems = found.map(({ path, problem }) => `${path}: ${problem}`);
  if (problems.length > 0) throw invalid(`${problems.join('; ')}.`);
  for (const document of named.values()) tx.documents.update(submittedDocument(document));
}

/** The files of a dossier that the partner could not read; adds documents of ours to `named`. */
export async function fileProblems(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  owner: DocumentOwner,
  dossier: Dossier,
  named = new Map<string, Document>(),
) {
  const problems: { readonly path: string; readonly url: string; readonly problem: string }[] = [];
  for (const link of fileLinks(dossier)) {
    const problem = await fileProblem(deps, tx, tenant, owner, link.url, named);
    if (problem !== null) problems.push({ ...link, problem });
  }
  return problems;
}

/** Stages the deletion of all documents of this party. */
export function stagePurge(deps: Deps, tx: Tx, tenant: Tenant, owner: DocumentOwner): void {
  tx.documents.requestPurge(tenant, owner, deps.clock.nowMs());
}

/** Runs due cleanups (`cleanupStarted`); returns how many. */
export async function runPurges(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return eachDue(
    deps,
    'purges',
    { nowMs, limit },
    {
      read: (page) => deps.store.run((tx) => tx.documents.due(page)),
      cursorOf: ({ id, dueAtMs }) => ({ id, dueAtMs: dueAtMs ?? nowMs }),
      work: (document) => cleanUp(deps, document.id),
    },
  );
}

/** For operators; `row` is null for bytes without a document. */
export interface ListedDocument {
  readonly id: string;
  readonly row: Document | null;
  /** Whether the storage has bytes of it. */
  readonly kept: boolean;
}

/**
 * Compares the storage with the database, newest first. With `kept`, purged documents are left out
 * unless bytes of them remain.
 */
export async function listDocuments(
  deps: Deps,
  filter: DocumentFilter,
): Promise<readonly ListedDocument[]> {
  const rows = await deps.store.run((tx) => tx.documents.list(filter));
  const stored = await storedIds(deps.documents);
  const unaccounted: ListedDocument[] = [];
  if (filter.beforeId === null) {
    const listed = new Set(rows.map(({ id }) => id));
    for (const id of [...stored].filter((one) => !listed.has(one)).reverse()) {
      const row = await deps.store.run((tx) => tx.documents.find(id));
      if (row === null || row.status === 'purged') unaccounted.push({ id, row, kept: true });
    }
  }
  return [...unaccounted, ...rows.map((row) => ({ id: row.id, row, kept: stored.has(row.id) }))];
}

async function cleanUp(deps: Deps, documentId: string): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const due = await changeDocument(deps, documentId, (document) => cleanupStarted(document, nowMs));
  if (due === null) return;
  // Throws without a storage: bytes of an earlier configuration stay due.
  await storageOf(deps).purge(documentId, isReadableDocument(due) ? due.contentName : null);
  await deps.store.run(async (tx) => {
    const document = await tx.documents.find(documentId);
    // A concurrent change of the status sets another due time.
    if (document === null || document.status !== due.status) return;
    const paper = document.status === 'submitted' && isVendorPaper(document) ? document : null;
    const stage = paper === null ? () => undefined : await paperNotices(deps, tx, paper, nowMs);
    const nextMs = paper && nextWarningAtMs(paper, nowMs);
    tx.documents.update(cleanupCompleted(document, nowMs, nextMs));
    stage();
  });
  deps.wake('mails');
}

/** Null if `decide` changes nothing. */
async function changeDocument(
  deps: Deps,
  documentId: string,
  decide: (document: Document) => Document | null,
): Promise<Document | null> {
  return deps.store.run(async (tx) => {
    const document = await tx.documents.find(documentId);
    assert(document !== null, 'a document stays');
    const next = decide(document);
    if (next !== null) tx.documents.update(next);
    return next;
  });
}

async function isKnown(tx: Tx, tenant: Tenant, { party, id }: DocumentOwner): Promise<boolean> {
  if (party === 'account') return (await tx.accounts.get(tenant, id)) !== null;
  if (party === 'organization') return id === tenant.orgId;
  if (party === 'vendor') return isVendor(tx, tenant, id);
  // An attachment is uploaded before its payment exists.
  if (party === 'payment') return false;
  // Buyers are shared by all tenants: this tenant must have a submission or a payment of it.
  const [submission, payment] = await Promise.all([
    tx.buyers.submission(tenant, id),
    tx.payments.anyOfBuyer(tenant, id),
  ]);
  return submission !== null || payment !== null;
}

/** The organization, the service for its partner, or a seller. */
async function isVendor(tx: Tx, tenant: Tenant, id: string): Promise<boolean> {
  const isOwn = id === tenant.orgId || id === partnerPapers(tenant.mode).id;
  return isOwn || (await tx.accounts.get(tenant, id)) !== null;
}

/** Null if the partner can read it; adds a document of ours to `named`. */
async function fileProblem(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  owner: DocumentOwner,
  url: string,
  named: Map<string, Document>,
): Promise<string | null> {
  if (!url.startsWith(documentUrl(deps, ''))) {
    return /^https:\/\/[^/]/i.test(url) ? null : 'send an https URL';
  }
  const { documentId, token } = readUrl(deps, url);
  const document = named.get(documentId) ?? (await tx.documents.find(documentId));
  const isGenuine = document !== null && isGranted(document, 'read', token);
  if (!isGenuine || !isOfOwner(document, tenant, owner)) {
    return 'this document was not made for this party';
  }
  if (!isReadableDocument(document))
    return 'nothing was uploaded there, or it was purged: upload it again';
  named.set(document.id, document);
  return null;
}

async function grantedDocument(
  deps: Deps,
  documentId: string,
  token: string,
  grant: Grant,
): Promise<Document> {
  const document = await deps.store.run((tx) => tx.documents.find(documentId));
  if (document !== null && isGranted(document, grant, token)) return document;
  throw new PonteError('InvalidSignature', 'This URL is not one of ours. Use it exactly as given.');
}

function newToken(deps: Deps): string {
  return Buffer.from(deps.ids.randomBytes(URL_TOKEN_BYTES)).toString('hex');
}

function contentUrl(deps: Deps, documentId: string, token: string): string {
  return `${documentUrl(deps, documentId)}/content?signature=${token}`;
}

function documentUrl(deps: Deps, documentId: string): string {
  return `${deps.settings.baseUrl}/v1/documents/${documentId}`;
}

/** Parses a URL of `contentUrl`; empty texts for other URLs. */
export function readUrl(deps: Deps, url: string) {
  if (!url.startsWith(documentUrl(deps, ''))) return { documentId: '', token: '' };
  const rest = url.slice(documentUrl(deps, '').length);
  const [, documentId = '', token = ''] = /^(\w+)\/content\?signature=(\w+)$/.exec(rest) ?? [];
  return { documentId, token };
}

function isSameType(given: string | null, expected: ContentType): boolean {
  return given?.split(';')[0]?.trim().toLowerCase() === expected;
}

/** Throws at the limit. */
async function storedIds(storage: DocumentStorage | null): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  if (storage === null) return ids;
  for (let afterId: string | null = null; ; ) {
    const page: readonly string[] = await storage.list({ afterId, limit: LIST_PAGE });
    for (const id of page) ids.add(id);
    afterId = page.at(-1) ?? null;
    if (page.length < LIST_PAGE) return ids;
  }
}

function storageOf(deps: Deps): DocumentStorage {
  if (deps.documents === null) throw new PonteError('KycStorageDisabled');
  return deps.documents;
}
