// Copies the bytes of documents to another storage while the service runs. A name is used once, so
// copied bytes stay valid. Bytes that are deleted before they are copied are missing; the row shows
// whether that is right.
import { type Document, isReadableDocument } from '../../domain/parties/document.js';
import type { DocumentStorage } from '../../ports/outside.js';
import type { DocumentFilter, Store } from '../../ports/storage.js';

const PAGE = 500;

/** The current upload of a document. */
export interface DocumentFile {
  readonly documentId: string;
  readonly name: string;
}

/** The files of all documents that are not purged. */
export async function namedFiles(store: Pick<Store, 'run'>): Promise<readonly DocumentFile[]> {
  const files: DocumentFile[] = [];
  for (let beforeId: string | null = null; ; ) {
    const filter: DocumentFilter = { kept: true, beforeId, limit: PAGE };
    const page: readonly Document[] = await store.run((tx) => tx.documents.list(filter));
    for (const document of page) {
      const { id: documentId, contentName: name } = document;
      if (name !== null && isReadableDocument(document)) files.push({ documentId, name });
    }
    beforeId = page.at(-1)?.id ?? null;
    if (beforeId === null) return files;
  }
}

/** Copies each file that is not in `copied`, and adds it there; returns missing files. */
export async function copyFiles(
  files: readonly DocumentFile[],
  { from, to }: { readonly from: DocumentStorage | null; readonly to: DocumentStorage },
  copied: Set<string>,
): Promise<readonly DocumentFile[]> {
  const missing: DocumentFile[] = [];
  for (const file of files) {
    const { documentId, name } = file;
    if (copied.has(copyPath(file))) continue;
    const bytes = (await from?.get(documentId, name)) ?? null;
    if (bytes === null) {
      missing.push(file);
      continue;
    }
    await to.put(documentId, name, bytes);
    copied.add(copyPath(file));
  }
  return missing;
}

/** Whether a row names another file now, or none: then the file was deleted, not lost. */
export async function anyDeleted(
  store: Pick<Store, 'run'>,
  files: readonly DocumentFile[],
): Promise<boolean> {
  for (const { documentId, name } of files) {
    const document = await store.run((tx) => tx.documents.find(documentId));
    if (document === null || !isReadableDocument(document) || document.contentName !== name)
      return true;
  }
  return false;
}

/** Deletes all other copies. */
export async function keepOnly(files: readonly DocumentFile[], to: DocumentStorage): Promise<void> {
  const names = new Map(files.map(({ documentId, name }) => [documentId, name]));
  for (let afterId: string | null = null; ; ) {
    const page: readonly string[] = await to.list({ afterId, limit: PAGE });
    for (const id of page) await to.purge(id, names.get(id) ?? null);
    afterId = page.at(-1) ?? null;
    if (afterId === null) return;
  }
}

/** Relative to the folder of all documents. */
export function copyPath({ documentId, name }: DocumentFile): string {
  return `${documentId}/${name}`;
}
