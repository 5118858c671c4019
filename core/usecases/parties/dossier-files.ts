// The files that a dossier names, for an adapter that passes them on to its partner.
import type { ContentType } from '../../domain/parties/document.js';
import type { Deps } from '../../ports/deps.js';
import { readDocument, readUrl } from './documents.js';

/** The whole file; null for a URL that is not one of ours. NotFound, InvalidSignature. */
export async function readDossierFile(
  deps: Deps,
  url: string,
): Promise<{ readonly type: ContentType; readonly bytes: Uint8Array } | null> {
  const { documentId, token } = readUrl(deps, url);
  if (documentId === '') return null;
  const { contentType: type, bytes } = await readDocument(deps, documentId, token);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return { type, bytes: Buffer.concat(chunks) };
}
