// A document for the verification of a party (an identity card, a selfie, a deed), or the
// attachment of an invoice. Its kinds and content types, its states from upload to purge, and when
// a worker must process it.
import { hash } from 'node:crypto';
import { PonteError } from '../../errors.js';
import { DAY_MS, MINUTE_MS } from '../base/instant.js';
import { type MoveOf, machine } from '../base/machine.js';
import { backoffMs } from '../base/schedules.js';
import { sameTenant, type Tenant } from '../base/tenant.js';

export const documentMoves = {
  awaiting: { store: 'stored', purge: 'purging' },
  stored: { store: 'stored', submit: 'submitted', purge: 'purging' },
  submitted: { submit: 'submitted', purge: 'purging' },
  purging: { purged: 'purged' },
  purged: {},
} as const;

export type DocumentStatus = keyof typeof documentMoves;
export type DocumentMove = MoveOf<typeof documentMoves>;
const documents = machine(documentMoves);
export const { states: documentStatuses, next: nextDocumentStatus } = documents;

const photos = ['image/jpeg', 'image/png'] as const;
const scans = [...photos, 'application/pdf'] as const;

export const verificationKinds = {
  selfie: photos,
  id_doc_front: scans,
  id_doc_back: scans,
  proof_of_address: scans,
  incorporation_doc: scans,
  proof_of_ownership_doc: scans,
} as const satisfies Readonly<Record<string, readonly ContentType[]>>;

export const documentKinds = {
  ...verificationKinds,
  attachment: scans,
  // Of vendor-paper.ts.
  w8: scans,
  engagement_letter: scans,
  holder_tax_form: scans,
  bank_letter: scans,
  registration: scans,
} as const;

export const contentTypes = scans;
export type ContentType = (typeof contentTypes)[number];
export type VerificationKind = keyof typeof verificationKinds;
export type DocumentKind = keyof typeof documentKinds;

export const OWNER_INDEX_MAX = 20;
/** A photograph or scan has a few MiB. */
export const DOCUMENT_BYTES_MAX = 10 * 1_024 * 1_024;
/** 256 bits: its plain hash cannot be searched. */
export const URL_TOKEN_BYTES = 32;
/** Uploads to one URL, including failed ones. */
export const UPLOADS_MAX = 10;
/**
 * Limits the documents of one party that are not purged. A business needs 6, each of its 21 owners
 * 4.
 */
export const DOCUMENTS_MAX = 100;
/** Maximum length of the name of an attachment, in characters. */
export const FILE_NAME_MAX = 120;
/** What is read of a name that a browser sends: some systems allow 255 characters. */
const GIVEN_NAME_MAX = 1_024;
export const UPLOAD_URL_LIFE_MS = 15 * MINUTE_MS;
/** The host ends longer uploads: 10 MiB at 280 kbit/s. */
export const UPLOAD_TIME_MAX_MS = 5 * MINUTE_MS;
/** How long a document that is not submitted is kept after the end of its upload URL. */
export const UNUSED_RETENTION_MS = 7 * DAY_MS;

export type Grant = 'upload' | 'read';

/**
 * The party that it verifies, and no other. An attachment belongs to the organization until a
 * payment names it, then to that payment. `vendor`: whose paper it is, by vendor-paper.ts; no
 * decision on a party purges it.
 */
export interface DocumentOwner {
  readonly party: 'account' | 'buyer' | 'organization' | 'payment' | 'vendor';
  readonly id: string;
}

export interface Document extends Tenant {
  readonly id: string;
  readonly owner: DocumentOwner;
  readonly kind: DocumentKind;
  /** The beneficial owner of a business, from 0; null for the party itself. */
  readonly ownerIndex: number | null;
  readonly contentType: ContentType;
  /** The name under which an attachment or a paper is downloaded; null for other kinds. */
  readonly fileName: string | null;
  /** The last day of a paper, as YYYY-MM-DD; null: it has none. */
  readonly expiresOn: string | null;
  readonly status: DocumentStatus;
  /** The current upload; each has a unique name in the storage. Null before the first. */
  readonly contentName: string | null;
  readonly sizeBytes: number | null;
  /** Hashes of the tokens in its URLs. */
  readonly tokenHashes: Readonly<Record<Grant, string>>;
  /** Uploads that were started, including failed ones. */
  readonly uploads: number;
  /** Occupied until the document is purged (slot.ts); null: it counts for no limit. */
  readonly slot: number | null;
  readonly uploadUntilMs: number;
  /** When the next cleanup is due; null if none is. */
  readonly dueAtMs: number | null;
  /** Cleanups started since the last one that completed. */
  readonly tries: number;
  readonly createdAtMs: number;
  readonly purgedAtMs: number | null;
  readonly version: number;
}

export function acceptsType(kind: DocumentKind, contentType: ContentType): boolean {
  const accepted: readonly ContentType[] = documentKinds[kind];
  return accepted.includes(contentType);
}

/** If its upload URL is not used, it is purged once no upload can be in progress. */
export function newDocument(
  fields: Tenant &
    Pick<
      Document,
      | 'id'
      | 'owner'
      | 'kind'
      | 'ownerIndex'
      | 'contentType'
      | 'fileName'
      | 'expiresOn'
      | 'tokenHashes'
      | 'slot'
    >,
  nowMs: number,
): Document {
  const uploadUntilMs = nowMs + UPLOAD_URL_LIFE_MS;
  return Object.freeze({
    ...fields,
    status: 'awaiting',
    contentName: null,
    sizeBytes: null,
    uploads: 0,
    uploadUntilMs,
    dueAtMs: uploadUntilMs + UPLOAD_TIME_MAX_MS,
    tries: 0,
    createdAtMs: nowMs,
    purgedAtMs: null,
    version: 1,
  });
}

export function hashUrlToken(token: string): string {
  return hash('sha256', token, 'hex');
}

export function isGranted({ tokenHashes }: Document, grant: Grant, token: string): boolean {
  return tokenHashes[grant] === hashUrlToken(token);
}

/** UploadUrlExpired unless its upload URL still accepts bytes, which replace earlier ones. */
export function refuseUpload({ status, uploads, uploadUntilMs }: Document, nowMs: number): void {
  if (nextDocumentStatus(status, 'store') === null || nowMs >= uploadUntilMs) {
    throw new PonteError('UploadUrlExpired');
  }
  if (uploads < UPLOADS_MAX) return;
  const message = `The upload URL was used ${UPLOADS_MAX} times, the most. Request another URL.`;
  throw new PonteError('UploadUrlExpired', message);
}

/** Counted before the bytes arrive, so that concurrent uploads do not exceed the limit. */
export function uploadStarted(document: Document, nowMs: number): Document {
  refuseUpload(document, nowMs);
  return changed(document, { uploads: document.uploads + 1 });
}

export function isReadableDocument({ status, contentName }: Document): boolean {
  return contentName !== null && nextDocumentStatus(status, 'submit') !== null;
}

/** All bytes arrived; null if they came too late to count. */
export function uploaded(
  document: Document,
  content: { readonly name: string; readonly sizeBytes: number },
  nowMs: number,
): Document | null {
  const status = nextDocumentStatus(document.status, 'store');
  const lastCleanupMs = lastCleanupMsOf(document);
  // A cleanup may be deleting them.
  if (status === null || nowMs >= lastCleanupMs) return null;
  const { name: contentName, sizeBytes } = content;
  return changed(document, { status, contentName, sizeBytes, dueAtMs: lastCleanupMs });
}

/** It is part of a dossier: its content stays until the decision. */
export function submittedDocument(document: Document): Document {
  const { dueAtMs } = document;
  // A cleanup that is still due stays due; the expiry of an unused document does not.
  return step(document, 'submit', { dueAtMs: dueAtMs === expiresAtMs(document) ? null : dueAtMs });
}

/** An uploaded attachment of this tenant that no payment has. */
export function isAttachable(document: Document, tenant: Tenant): boolean {
  const { kind, owner } = document;
  const isUnused = kind === 'attachment' && owner.party === 'organization';
  return isUnused && sameTenant(document, tenant) && isReadableDocument(document);
}

/** A payment has it, and it is kept as long as the payment. */
export function attached(document: Document, paymentId: string): Document {
  const owner = Object.freeze({ party: 'payment', id: paymentId } as const);
  return changed(submittedDocument(document), { owner, slot: null });
}

const fileEndings: Readonly<Record<ContentType, readonly string[]>> = {
  'application/pdf': ['.pdf'],
  'image/png': ['.png'],
  'image/jpeg': ['.jpg', '.jpeg'],
};

/** As any system takes it, with an ending of the type: a program must not open it as another. */
export function fileNameOf(given: string, contentType: ContentType): string {
  const [first = '', ...others] = fileEndings[contentType];
  const plain = given
    .slice(0, GIVEN_NAME_MAX)
    .normalize('NFC')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[\\/:*?"<>|]/g, '-')
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, '');
  const ending = [first, ...others].find((one) => plain.toLowerCase().endsWith(one)) ?? '';
  const stem = plain.slice(0, plain.length - ending.length);
  const short = [...stem].slice(0, FILE_NAME_MAX - first.length - 1).join('');
  return `${short === '' ? 'invoice' : short}${ending === '' ? first : ending}`;
}

/** It can no longer be read; the deletion follows. */
export function purgeRequested(document: Document, nowMs: number): Document {
  return step(document, 'purge', { dueAtMs: nowMs, tries: 0 });
}

/**
 * A worker starts the cleanup of a due document; null if it is not due. The cleanup deletes
 * replaced uploads, and everything of a document that is purged or was not used. It is due again
 * after a wait, in case it is interrupted.
 */
export function cleanupStarted(document: Document, nowMs: number): Document | null {
  const { status, dueAtMs, tries } = document;
  if (dueAtMs === null || dueAtMs > nowMs) return null;
  const again = { tries: tries + 1, dueAtMs: nowMs + backoffMs('call', tries) };
  const isOpen = nextDocumentStatus(status, 'store') !== null;
  const isUnused = isOpen && nowMs >= expiresAtMs(document);
  return isUnused ? step(document, 'purge', again) : changed(document, again);
}

/**
 * The cleanup is complete. If a host dies during an upload, it may leave bytes later, so a last
 * cleanup follows when no upload can be in progress. `nextMs`: when something else of it is due.
 */
export function cleanupCompleted(
  document: Document,
  nowMs: number,
  nextMs: number | null = null,
): Document {
  const { status } = document;
  const lastCleanupMs = lastCleanupMsOf(document);
  const looked = { tries: 0, dueAtMs: nowMs < lastCleanupMs ? lastCleanupMs : nextMs };
  if (status === 'purging') {
    return step(document, 'purged', { ...looked, contentName: null, purgedAtMs: nowMs });
  }
  if (nextDocumentStatus(status, 'store') === null) return changed(document, looked);
  return changed(document, { ...looked, dueAtMs: expiresAtMs(document) });
}

/** When no upload can be in progress any more. */
function lastCleanupMsOf({ uploadUntilMs }: Document): number {
  return uploadUntilMs + UPLOAD_TIME_MAX_MS;
}

/** When it is purged unless it is submitted. */
function expiresAtMs(document: Document): number {
  if (document.contentName === null) return lastCleanupMsOf(document);
  return document.uploadUntilMs + UNUSED_RETENTION_MS;
}

function step(document: Document, move: DocumentMove, fields: Partial<Document>): Document {
  return changed(document, { ...fields, status: documents.step(document.status, move) });
}

function changed(document: Document, fields: Partial<Document>): Document {
  return Object.freeze({ ...document, ...fields });
}

/**
 * What a database is bound to outside, by its name: the storage of documents, which has the same
 * random value, or the partner's instance of a mode, which says its own.
 */
export interface Fingerprint {
  readonly name: string;
  readonly value: string;
  readonly createdAtMs: number;
}

export function isOfOwner(document: Document, tenant: Tenant, owner: DocumentOwner): boolean {
  const { party, id } = document.owner;
  return sameTenant(document, tenant) && party === owner.party && id === owner.id;
}
