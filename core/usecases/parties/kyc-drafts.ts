// The sealed data of a party's form: the draft, or the dossier that a buyer submitted.
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
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
import { isDecision, type Party } from '../../domain/parties/party.js';
import { type PartyDraft, partyDraftPurpose } from '../../domain/parties/party-draft.js';
import { isAsked } from '../../domain/parties/party-due.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { expectDone } from '../service/partner-calls.js';
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

export function openPartyDraft({ secretBox }: Sealer, row: PartyDraft): KycDraft {
  const { orgId, mode, id } = row;
  const purpose = partyDraftPurpose({ key: [orgId, mode, id] });
  return readDraftText(secretBox.open(row.draftSealed, purpose));
}

/** The draft of a seller or an organization, in place of `was`. */
export function stagePartyDraft(
  { secretBox, clock }: Pick<Deps, 'secretBox' | 'clock'>,
  tx: Tx,
  { orgId, mode, id }: Tenant & Pick<PartyDraft, 'id'>,
  was: PartyDraft | null,
  draft: KycDraft,
): void {
  const draftSealed = secretBox.seal(
    writeDraft(draft),
    partyDraftPurpose({ key: [orgId, mode, id] }),
  );
  const saved = { draftSealed, savedAtMs: clock.nowMs() };
  if (was !== null) tx.partyDrafts.update(Object.freeze({ ...was, ...saved }));
  else tx.partyDrafts.insert(Object.freeze({ orgId, mode, id, ...saved, version: 1 }));
}

/** `changed`: the draft has another version, or the party was submitted since. */
export type FormSent =
  | { readonly outcome: 'submitted'; readonly submission: null }
  | { readonly outcome: 'changed' }
  | Extract<PartnerAnswer<string>, { readonly outcome: 'refused' }>;

export function formSent(answer: PartnerAnswer<{ readonly id: string } | null>): FormSent {
  if (answer.outcome === 'refused') return answer;
  const done = expectDone(answer);
  return done === null ? { outcome: 'changed' } : { outcome: 'submitted', submission: null };
}

/** Guards the draft that is submitted; true for a dossier without a form. */
export async function isFormVersion(
  tx: Tx,
  tenant: Tenant,
  id: string,
  version: number | null,
): Promise<boolean> {
  if (version === null) return true;
  const row = await tx.partyDrafts.get(tenantOf(tenant), id);
  if ((row?.version ?? 0) !== version) return false;
  if (row !== null) tx.partyDrafts.expect(row);
  return true;
}

/**
 * What a report does to the draft of a seller or an organization: a decision deletes it, unless the
 * partner did not take the data, and corrections are open when they are asked.
 */
export async function stageReportedDraft(
  deps: Pick<Deps, 'secretBox' | 'clock'>,
  tx: Tx,
  id: string,
  was: Party,
  next: Party & Tenant,
): Promise<void> {
  const isDecided = isDecision(was, next);
  if (!isDecided && !isAsked(was, next)) return;
  const row = await tx.partyDrafts.get(tenantOf(next), id);
  if (row === null) return;
  if (isDecided && (next.status === 'approved' || next.partnerRef !== null)) {
    tx.partyDrafts.remove(row);
  } else {
    stagePartyDraft(deps, tx, row, row, { ...openPartyDraft(deps, row), corrected: [] });
  }
}

/** The partner has taken the answer: nothing of the form is needed any more. */
export async function stageAnsweredDraft(tx: Tx, tenant: Tenant, id: string): Promise<void> {
  const row = await tx.partyDrafts.get(tenantOf(tenant), id);
  if (row !== null) tx.partyDrafts.remove(row);
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
