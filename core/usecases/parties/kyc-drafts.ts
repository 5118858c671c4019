// The sealed data of a buyer's KYC: the draft of the hosted form, or the submitted dossier.
import {
  emptyDraft,
  type KycDraft,
  readDraftText,
  writeDraft,
} from '../../domain/hosted/kyc-draft.js';
import {
  dossierPurpose,
  draftPurpose,
  type KycSubmission,
} from '../../domain/parties/buyer-kyc.js';
import { isGranted, purgeRequested } from '../../domain/parties/document.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { readUrl } from './documents.js';

type Sealer = Pick<Deps, 'secretBox'>;

/** What the hosted form starts with, or what was submitted, until the decision. */
export function readDraft(
  { secretBox }: Sealer,
  { id, draftSealed, dossierSealed }: KycSubmission,
): KycDraft {
  if (draftSealed !== null) return readDraftText(secretBox.open(draftSealed, draftPurpose({ id })));
  if (dossierSealed === null) return emptyDraft;
  return readDraftText(secretBox.open(dossierSealed, dossierPurpose({ id })));
}

export function sealDraft({ secretBox }: Sealer, { id }: KycSubmission, draft: KycDraft): string {
  return secretBox.seal(writeDraft(draft), draftPurpose({ id }));
}

/** The submitted dossier, with what the form needs if the partner asks for corrections. */
export function sealDossier({ secretBox }: Sealer, { id }: KycSubmission, draft: KycDraft): string {
  return secretBox.seal(writeDraft(draft), dossierPurpose({ id }));
}

/** Stages the deletion of documents that a draft names no more; submitted ones stay. */
export async function stageUnused(deps: Deps, tx: Tx, urls: ReadonlySet<string>): Promise<void> {
  const found = await Promise.all(
    [...urls].map(async (url) => {
      const { documentId, token } = readUrl(deps, url);
      const document = documentId === '' ? null : await tx.documents.find(documentId);
      return document?.status === 'stored' && isGranted(document, 'read', token) ? [document] : [];
    }),
  );
  const nowMs = deps.clock.nowMs();
  for (const document of found.flat()) tx.documents.update(purgeRequested(document, nowMs));
}
