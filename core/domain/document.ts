// A document that a party brings for its verification: an identity card, a selfie, a deed. This
// file owns which documents there are, what each may be, how far one got between the upload and its
// purge, and when a worker must look at it. Where the bytes lie is a port's matter; which dossier
// names a document is the use case's.
import { hash } from 'node:crypto';
import { PonteError } from '../errors.js';
import { backoffMs } from './lease.js';
import { type MoveOf, machine } from './machine.js';
import type { Tenant } from './tenant.js';

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

/** Every kind of document, and the content types that it may have. */
export const documentKinds = {
  selfie: photos,
  id_doc_front: scans,
  id_doc_back: scans,
  proof_of_address: scans,
  incorporation_doc: scans,
  proof_of_ownership_doc: scans,
} as const satisfies Readonly<Record<string, readonly ContentType[]>>;

export const contentTypes = scans;
export type ContentType = (typeof contentTypes)[number];
export type DocumentKind = keyof typeof documentKinds;

/** Beneficial owners of a business are counted from zero. */
export const OWNER_INDEX_MAX = 20;
/** A good photograph or scan has a few MiB. */
export const DOCUMENT_BYTES_MAX = 10 * 1_024 * 1_024;
/** 256 bits: a token cannot be guessed, and its plain hash cannot be searched. */
export const URL_TOKEN_BYTES = 32;
/** Uploads to one URL at most, also those that fail: the last one counts. */
export const UPLOADS_MAX = 10;
/** Documents of one party that are not purged: a business has 6, each of its 21 owners 4. */
export const DOCUMENTS_MAX = 100;
/** How long bytes may be sent to an upload URL. */
export const UPLOAD_URL_LIFE_MS = 15 * 60_000;
/** No upload that began in time lasts longer: 10 MiB at 280 kbit/s. The host sees to it. */
export const UPLOAD_TIME_MAX_MS = 5 * 60_000;
/** How long a document may wait to be submitted, from the end of its upload URL. */
export const UNUSED_KEPT_MS = 7 * 86_400_000;
/** Waits before a look that was not ended is begun again; the last one repeats. */
export const PURGE_BACKOFF_MS = [1_000, 5_000, 15_000, 60_000, 300_000] as const;

/** What a document URL lets its holder do. */
export type Grant = 'upload' | 'read';

/** Whose verification it is for: a document serves no other party. */
export interface DocumentOwner {
  readonly party: 'account' | 'buyer';
  readonly id: string;
}

export interface Document extends Tenant {
  readonly id: string;
  readonly owner: DocumentOwner;
  readonly kind: DocumentKind;
  /** Which beneficial owner of a business it is of; null for the party itself. */
  readonly ownerIndex: number | null;
  readonly contentType: ContentType;
  readonly status: DocumentStatus;
  /** The upload that counts: each has a name of its own in the store; null before the first. */
  readonly contentName: string | null;
  readonly sizeBytes: number | null;
  /** Hashes of the tokens in its URLs. */
  readonly tokenHashes: Readonly<Record<Grant, string>>;
  /** Uploads that were begun, also those that failed. */
  readonly uploads: number;
  /** Taken until it is purged, see slot.ts; null of one that an earlier version created. */
  readonly slot: number | null;
  /** When its upload URL ends. */
  readonly uploadUntilMs: number;
  /** When a worker must look next; null when there is nothing to do by itself. */
  readonly dueAtMs: number | null;
  /** Looks that were begun since one was ended. */
  readonly tries: number;
  readonly createdAtMs: number;
  readonly purgedAtMs: number | null;
  readonly version: number;
}

/** Whether a document of this kind may be of this type. */
export function acceptsType(kind: DocumentKind, contentType: ContentType): boolean {
  const accepted: readonly ContentType[] = documentKinds[kind];
  return accepted.includes(contentType);
}

/** Its upload URL was not used: then it is purged when no upload can be under way any more. */
export function newDocument(
  fields: Tenant &
    Pick<Document, 'id' | 'owner' | 'kind' | 'ownerIndex' | 'contentType' | 'tokenHashes' | 'slot'>,
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

/** UploadUrlExpired unless its upload URL still takes bytes, instead of those before. */
export function refuseUpload({ status, uploads, uploadUntilMs }: Document, nowMs: number): void {
  if (nextDocumentStatus(status, 'store') === null || nowMs >= uploadUntilMs) {
    throw new PonteError('UploadUrlExpired');
  }
  if (uploads < UPLOADS_MAX) return;
  const message = `The upload URL was used ${UPLOADS_MAX} times, the most. Ask for another URL.`;
  throw new PonteError('UploadUrlExpired', message);
}

/** Counted before its bytes come, so that many at once pass the limit no more than one does. */
export function uploadBegun(document: Document, nowMs: number): Document {
  refuseUpload(document, nowMs);
  return changed(document, { uploads: document.uploads + 1 });
}

/** Whether there is something that may be read: uploaded and not purged. */
export function isReadable({ status, contentName }: Document): boolean {
  return contentName !== null && nextDocumentStatus(status, 'submit') !== null;
}

/** Bytes arrived whole; null when they came too late to count. */
export function uploaded(
  document: Document,
  content: { readonly name: string; readonly sizeBytes: number },
  nowMs: number,
): Document | null {
  const status = nextDocumentStatus(document.status, 'store');
  const lastLookMs = lastLookMsOf(document);
  // What a look deletes must not begin to count.
  if (status === null || nowMs >= lastLookMs) return null;
  const { name: contentName, sizeBytes } = content;
  return changed(document, { status, contentName, sizeBytes, dueAtMs: lastLookMs });
}

/** It is part of a dossier: what counts of it stays as it is until the decision. */
export function submitted(document: Document): Document {
  const { dueAtMs } = document;
  // A look that is still to come, or was not ended, stays due; the end of an unused one does not.
  return step(document, 'submit', { dueAtMs: dueAtMs === expiresAtMs(document) ? null : dueAtMs });
}

/** Nobody may have it any more; the deletion itself follows. */
export function purgeOrdered(document: Document, nowMs: number): Document {
  return step(document, 'purge', { dueAtMs: nowMs, tries: 0 });
}

/**
 * A worker looks at a document that is due, null when it is not: bytes that do not count are
 * deleted, and all of one that is purged or that nobody used. It is due again in a while, should
 * the look not be ended.
 */
export function lookBegun(document: Document, nowMs: number): Document | null {
  const { status, dueAtMs, tries } = document;
  if (dueAtMs === null || dueAtMs > nowMs) return null;
  const again = { tries: tries + 1, dueAtMs: nowMs + backoffMs(PURGE_BACKOFF_MS, tries) };
  const isOpen = nextDocumentStatus(status, 'store') !== null;
  const isUnused = isOpen && nowMs >= expiresAtMs(document);
  return isUnused ? step(document, 'purge', again) : changed(document, again);
}

/**
 * What a look deletes is gone. Of an upload that was under way something may come to be left after
 * that, if its host dies just then, so a last look follows when none can be under way.
 */
export function lookEnded(document: Document, nowMs: number): Document {
  const { status } = document;
  const lastLookMs = lastLookMsOf(document);
  const looked = { tries: 0, dueAtMs: nowMs < lastLookMs ? lastLookMs : null };
  if (status === 'purging') {
    return step(document, 'purged', { ...looked, contentName: null, purgedAtMs: nowMs });
  }
  if (nextDocumentStatus(status, 'store') === null) return changed(document, looked);
  return changed(document, { ...looked, dueAtMs: expiresAtMs(document) });
}

/** When no upload can be under way any more. */
function lastLookMsOf({ uploadUntilMs }: Document): number {
  return uploadUntilMs + UPLOAD_TIME_MAX_MS;
}

/** When it is purged, unless it is submitted. */
function expiresAtMs(document: Document): number {
  if (document.contentName === null) return lastLookMsOf(document);
  return document.uploadUntilMs + UNUSED_KEPT_MS;
}

function step(document: Document, move: DocumentMove, fields: Partial<Document>): Document {
  return changed(document, { ...fields, status: documents.step(document.status, move) });
}

function changed(document: Document, fields: Partial<Document>): Document {
  return Object.freeze({ ...document, ...fields });
}

/** A random value that is also recorded at a resource outside, to recognize it. */
export interface StorageFingerprint {
  readonly name: string;
  readonly value: string;
  readonly createdAtMs: number;
}
