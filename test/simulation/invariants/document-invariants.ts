// Invariants of documents: kept while their party is undecided, gone for good afterwards.
import { type Document, UPLOAD_TIME_MAX_MS } from '../../../core/domain/parties/document.js';
import type { ObservedState } from './observed-state.js';

/** Said here once more, so that a broken table does not excuse itself. */
const readable: readonly Document['status'][] = ['stored', 'submitted'];

export function submittedDocumentsAreOfUndecidedParties({ parties }: ObservedState): string | null {
  for (const { id, owner, status, orgId, mode } of parties.documents.values()) {
    if (status !== 'submitted') continue;
    const undecided =
      owner.party === 'account'
        ? parties.accounts.get(owner.id)?.status === 'verifying'
        : [...parties.kyc.values()].some(
            (kyc) =>
              kyc.buyerId === owner.id &&
              kyc.orgId === orgId &&
              kyc.mode === mode &&
              kyc.status === 'verifying',
          );
    if (!undecided) return `${id} of ${owner.id} is kept although its party is decided on`;
  }
  return null;
}

/** After the last look at a purged document no upload of it can be under way any more. */
export function nothingIsLeftOfPurgedDocuments(observed: ObservedState): string | null {
  for (const { id, status, dueAtMs } of observed.parties.documents.values()) {
    const isOver = status === 'purged' && dueAtMs === null;
    if (isOver && observed.storedDocuments.has(id)) return `${id} is purged, its bytes are there`;
  }
  return null;
}

/** Of a document that may be read, the upload that its row names. */
export function whatCountsIsThere({ parties, storedDocuments }: ObservedState): string | null {
  for (const document of parties.documents.values()) {
    const { id, contentName } = document;
    if (!isReadable(document) || contentName === null) continue;
    const there = storedDocuments.get(id)?.includes(contentName) === true;
    if (!there) return `${id} names ${contentName}, of which there are no bytes`;
  }
  return null;
}

/** What was replaced, or came too late, is gone after the last look at its document. */
export function onlyWhatCountsIsKept({ parties, storedDocuments }: ObservedState): string | null {
  for (const document of parties.documents.values()) {
    const { id, status, contentName, dueAtMs, uploadUntilMs, tries } = document;
    const isLooked =
      status === 'submitted'
        ? dueAtMs === null
        : tries === 0 && (dueAtMs ?? 0) > uploadUntilMs + UPLOAD_TIME_MAX_MS;
    if (!isLooked || !isReadable(document)) continue;
    const others = storedDocuments.get(id)?.filter((name) => name !== contentName) ?? [];
    if (others.length > 0) return `${id} keeps ${others} besides ${contentName}`;
  }
  return null;
}

export function noDocumentIsReadAfterItsPurge({ misreads }: ObservedState): string | null {
  return misreads[0] ?? null;
}

export function noDocumentWaitsForItsPurge({ parties }: ObservedState): string | null {
  const left = [...parties.documents.values()].find(({ status }) => status === 'purging');
  return left === undefined ? null : `${left.id} was never deleted`;
}

/** Once what nobody submitted has expired too. */
export function noBytesAreKept({ storedDocuments, parties }: ObservedState): string | null {
  const [id] = storedDocuments.keys();
  if (id === undefined) return null;
  return `${id} has bytes and is ${parties.documents.get(id)?.status ?? 'unknown'}`;
}

export function isReadable(document: Document | undefined): boolean {
  return document !== undefined && readable.includes(document.status);
}
