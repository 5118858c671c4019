// Copying the bytes that rows of documents name into another storage, while documents come and go.
// A name is given once, so bytes that were copied stay right; what is deleted before it was copied
// is found missing, and its row tells whether that is as it should be.
import { type Document, isReadable } from '../domain/document.js';
import type { DocumentStorage } from '../ports/outside.js';
import type { DocumentFilter, Store } from '../ports/storage.js';

const PAGE = 500;

/** The upload of a document that counts. */
export interface DocumentFile {
  readonly documentId: string;
  readonly name: string;
}

/** What the rows name, of documents that were not purged. */
export async function namedFiles(store: Pick<Store, 'run'>): Promise<readonly DocumentFile[]> {
  const files: DocumentFile[] = [];
  for (let beforeId: string | null = null; ; ) {
    const filter: DocumentFilter = { kept: true, beforeId, limit: PAGE };
    const page: readonly Document[] = await store.run((tx) => tx.documents.list(filter));
    for (const document of page) {
      const { id: documentId, contentName: name } = document;
      if (name !== null && isReadable(document)) files.push({ documentId, name });
    }
    beforeId = page.at(-1)?.id ?? null;
    if (beforeId === null) return files;
  }
}

/** Copies each file that `copied` lacks, and adds it there; returns those that are not there. */
export async function copyFiles(
  files: readonly DocumentFile[],
  { from, to }: { readonly from: DocumentStorage | null; readonly to: DocumentStorage },
  copied: Set<string>,
): Promise<readonly DocumentFile[]> {
  const missing: DocumentFile[] = [];
  for (const file of files) {
    const { documentId, name } = file;
    if (copied.has(pathOf(file))) continue;
    const bytes = (await from?.get(documentId, name)) ?? null;
    if (bytes === null) {
      missing.push(file);
      continue;
    }
    await to.put(documentId, name, bytes);
    copied.add(pathOf(file));
  }
  return missing;
}

/** Whether any row names another file by now, or none: then it was deleted and not lost. */
export async function anyDeleted(
  store: Pick<Store, 'run'>,
  files: readonly DocumentFile[],
): Promise<boolean> {
  for (const { documentId, name } of files) {
    const document = await store.run((tx) => tx.documents.find(documentId));
    if (document === null || !isReadable(document) || document.contentName !== name) return true;
  }
  return false;
}

/** Deletes from the copies what these files do not include. */
export async function keepOnly(files: readonly DocumentFile[], to: DocumentStorage): Promise<void> {
  const names = new Map(files.map(({ documentId, name }) => [documentId, name]));
  for (let afterId: string | null = null; ; ) {
    const page: readonly string[] = await to.list({ afterId, limit: PAGE });
    for (const id of page) await to.purge(id, names.get(id) ?? null);
    afterId = page.at(-1) ?? null;
    if (afterId === null) return;
  }
}

/** Names it below the folder of all documents. */
export function pathOf({ documentId, name }: DocumentFile): string {
  return `${documentId}/${name}`;
}
