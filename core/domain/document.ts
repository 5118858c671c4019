// A document that a party brings for its verification: an identity card, a selfie, a deed. This
// file owns which documents there are, what each may be, how far one got between the upload and its
// purge, and when a worker must look at it. Where the bytes lie is a port's matter; which dossier
// names a document is the use case's.
import { hash } from 'node:crypto';
import { assert } from '../errors.js';
import { backoffMs } from './partner-command.js';
import type { Tenant } from './tenant.js';

export const documentMoves = {
  awaiting: { store: 'stored', purge: 'purging' },
  stored: { store: 'stored', submit: 'submitted', purge: 'purging' },
  submitted: { submit: 'submitted', purge: 'purging' },
  purging: { purged: 'purged' },
  purged: {},
} as const satisfies Record<DocumentStatus, Partial<Record<DocumentMove, DocumentStatus>>>;

export type DocumentStatus = 'awaiting' | 'stored' | 'submitted' | 'purging' | 'purged';
export type DocumentMove = 'store' | 'submit' | 'purge' | 'purged';

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
/** 256 bits: a URL cannot be guessed, and a plain hash of its token cannot be searched. */
export const URL_TOKEN_BYTES = 32;
/** How long bytes may be sent to an upload URL. */
export const UPLOAD_URL_LIFE_MS = 15 * 60_000;
/** No upload that began in time lasts longer: 10 MiB at 280 kbit/s. The host sees to it. */
export const UPLOAD_TIME_MAX_MS = 5 * 60_000;
/** How long a document may wait to be submitted. */
export const UNUSED_KEPT_MS = 7 * 86_400_000;
/** Waits before a deletion that failed is tried again; the last one repeats. */
export const PURGE_BACKOFF_MS = [1_000, 5_000, 15_000, 60_000, 300_000] as const;

/** What each URL of a document lets its holder do. */
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
  /** What is stored of the tokens in its URLs. */
  readonly tokenHashes: Readonly<Record<Grant, string>>;
  /** When its upload URL ends. */
  readonly uploadUntilMs: number;
  /** When a worker must look next; null when there is nothing to do by itself. */
  readonly dueAtMs: number | null;
  /** Deletions that failed. */
  readonly tries: number;
  readonly createdAtMs: number;
  readonly purgedAtMs: number | null;
  readonly version: number;
}

/** Every status in table order. */
export const documentStatuses = Object.keys(documentMoves) as readonly DocumentStatus[];

export function nextDocumentStatus(
  status: DocumentStatus,
  move: DocumentMove,
): DocumentStatus | null {
  const row: Partial<Record<DocumentMove, DocumentStatus>> = documentMoves[status];
  return row[move] ?? null;
}

/** Whether a document of this kind may be of this type. */
export function acceptsType(kind: DocumentKind, contentType: ContentType): boolean {
  const accepted: readonly ContentType[] = documentKinds[kind];
  return accepted.includes(contentType);
}

/** Its upload URL was not used: then it is purged when no upload can be under way any more. */
export function newDocument(
  fields: Tenant &
    Pick<Document, 'id' | 'owner' | 'kind' | 'ownerIndex' | 'contentType' | 'tokenHashes'>,
  nowMs: number,
): Document {
  const uploadUntilMs = nowMs + UPLOAD_URL_LIFE_MS;
  return Object.freeze({
    ...fields,
    status: 'awaiting',
    contentName: null,
    sizeBytes: null,
    uploadUntilMs,
    dueAtMs: uploadUntilMs + UPLOAD_TIME_MAX_MS,
    tries: 0,
    createdAtMs: nowMs,
    purgedAtMs: null,
    version: 1,
  });
}

/** What is stored of the token in a URL. */
export function hashUrlToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Whether this is the token of the document's URL for `grant`. */
export function isGranted({ tokenHashes }: Document, grant: Grant, token: string): boolean {
  return tokenHashes[grant] === hashUrlToken(token);
}

/** Its upload URL still takes bytes; new ones take the place of those before. */
export function isUploadable(document: Document, nowMs: number): boolean {
  return nextDocumentStatus(document.status, 'store') !== null && nowMs < document.uploadUntilMs;
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
  if (status === null) return null;
  const { name: contentName, sizeBytes } = content;
  return changed(document, { status, contentName, sizeBytes, dueAtMs: nowMs + UNUSED_KEPT_MS });
}

/** It is part of a dossier: it stays as it is until the decision. */
export function submitted(document: Document): Document {
  return step(document, 'submit', { dueAtMs: null });
}

/** Nobody may have it any more; the deletion itself follows. */
export function purgeOrdered(document: Document, nowMs: number): Document {
  return step(document, 'purge', { dueAtMs: nowMs, tries: 0 });
}

/** The deletion failed: it is tried again. */
export function purgeFailed(document: Document, nowMs: number): Document {
  const dueAtMs = nowMs + backoffMs(PURGE_BACKOFF_MS, document.tries);
  return changed(document, { tries: document.tries + 1, dueAtMs });
}

/**
 * Its bytes are gone. An upload that was under way may still leave some behind if its host dies
 * just then, so they are deleted once more when none can be under way.
 */
export function purged(document: Document, nowMs: number): Document {
  const lastLookMs = document.uploadUntilMs + UPLOAD_TIME_MAX_MS;
  const dueAtMs = nowMs < lastLookMs ? lastLookMs : null;
  if (document.status === 'purged') return changed(document, { dueAtMs });
  return step(document, 'purged', { dueAtMs, contentName: null, purgedAtMs: nowMs });
}

function step(document: Document, move: DocumentMove, fields: Partial<Document>): Document {
  const status = nextDocumentStatus(document.status, move);
  assert(status !== null, `a document that is ${document.status} knows no ${move}`);
  return changed(document, { ...fields, status });
}

function changed(document: Document, fields: Partial<Document>): Document {
  return Object.freeze({ ...document, ...fields });
}
