// Documents that come through the hosted form: from the computer, or from a phone that opened a
// link for it. The type of a file is what its bytes say.
import { hashSessionToken, isSessionOpen, newPageSession } from '../../domain/access/session.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { askedFor, partOf, withCorrected, withValues } from '../../domain/hosted/kyc-draft.js';
import { fileFieldOf } from '../../domain/hosted/kyc-fields.js';
import { askedFiles, type FormRules } from '../../domain/hosted/kyc-form.js';
import {
  acceptsType,
  type ContentType,
  DOCUMENT_BYTES_MAX,
  OWNER_INDEX_MAX,
  type VerificationKind,
  verificationKinds,
} from '../../domain/parties/document.js';
import { fileTypeOf, fitsDeclared } from '../../domain/parties/file-type.js';
import { isCode, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { makeSession, type NewSession } from '../access/open-sessions.js';
import { storeUpload } from '../parties/documents.js';
import { isUploadLimit, limitedBytes, peeked } from '../parties/upload-bytes.js';
import { takeUploadSlot } from '../service/rate-limits.js';
import { endAll, newToken } from '../service/tokens.js';
import type { KycSession } from './form-subjects.js';
import { changeKycForm, type KycForm, openKycForm, refuseScope } from './kyc-forms.js';

/** Why a file is not taken; the pages have the words. */
export type UploadRefusal =
  | 'empty'
  | 'heic'
  | 'unknown_type'
  | 'not_as_declared'
  | 'photo_only'
  | 'too_large'
  | 'too_many';

export interface PageUpload {
  readonly kind: VerificationKind;
  /** The number of an owner; null: of the party itself. */
  readonly owner: number | null;
  /** The type that the browser gave the file; may be empty. */
  readonly declaredType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** What may be uploaded of a kind: by document.ts and by the partner. */
export function documentLimits(
  deps: Deps,
  { mode }: Pick<KycSession, 'mode'>,
  kind: VerificationKind,
) {
  const limits = deps.partners[mode]?.documentLimits?.(kind);
  const types: readonly ContentType[] = limits?.contentTypes ?? verificationKinds[kind];
  return {
    bytesMax: Math.min(DOCUMENT_BYTES_MAX, limits?.bytesMax ?? DOCUMENT_BYTES_MAX),
    contentTypes: verificationKinds[kind].filter((type) => types.includes(type)),
  };
}

/**
 * Stores a document of the form in place of the one before; null, or why it is refused. NotFound
 * (not asked of this session), PaymentStateConflict (the form is closed), KycStorageDisabled.
 */
export async function storePageDocument(
  deps: Deps,
  session: KycSession,
  upload: PageUpload,
): Promise<UploadRefusal | null> {
  const { kind, owner } = upload;
  const form = await openKycForm(deps, session);
  const { party } = form;
  refuseFile(session, form, upload);
  try {
    await takeUploadSlot(deps, party.id);
    const { head, bytes } = await peeked(upload.bytes);
    const { bytesMax, contentTypes } = documentLimits(deps, session, kind);
    const type = fileTypeOf(head);
    if (head.length === 0) return 'empty';
    if (type === 'heic') return 'heic';
    if (type === null) return 'unknown_type';
    if (!fitsDeclared(type, upload.declaredType)) return 'not_as_declared';
    if (!contentTypes.includes(type) || !acceptsType(kind, type)) return 'photo_only';
    const ownerIndex = owner !== null && owner <= OWNER_INDEX_MAX ? owner : null;
    const input = { owner: party, kind, contentType: type, ownerIndex };
    const sent = limitedBytes(deps, party.id, bytes, bytesMax);
    const { publicUrl } = await storeUpload(deps, tenantOf(session), input, sent);
    await changeFile(deps, session, upload, publicUrl);
    return null;
  } catch (error) {
    if (isCode(error, 'PayloadTooLarge')) return 'too_large';
    if (isUploadLimit(error)) return 'too_many';
    throw error;
  }
}

/** Takes a document out of the form and deletes it, unless it was submitted. */
export async function removePageDocument(
  deps: Deps,
  session: KycSession,
  file: Pick<PageUpload, 'kind' | 'owner'>,
): Promise<void> {
  refuseFile(session, await openKycForm(deps, session), file);
  await changeFile(deps, session, file, null);
}

/**
 * The token of a link that a phone opens; a seller has one link or phone at a time, so that few
 * rows are to be ended with its session. An owner's phone can open the mailed link.
 */
export async function startPhoneUpload(deps: Deps, session: KycSession): Promise<string> {
  if (session.kind !== 'buyer' && session.kind !== 'seller') throw new PonteError('NotFound');
  const { paymentId, accountId } = session;
  const token = newToken(deps);
  const unchanged = ({ draft }: FormRules) => draft;
  await changeKycForm(deps, session, unchanged, async (tx, stored) => {
    const nowMs = deps.clock.nowMs();
    const open =
      accountId === null ? [] : await tx.sessions.open(session, ['upload'], { accountId });
    endAll(tx, open, nowMs);
    const of = { paymentId, submissionId: stored?.id ?? null, accountId, ownerIndex: null };
    const subject = { ...tenantOf(session), kind: 'upload', ...of } as const;
    tx.sessions.insert(newPageSession(subject, token, nowMs));
  });
  return token;
}

/** The session of the phone, in place of the token in its link: a link is used once. */
export async function redeemPhoneUpload(deps: Deps, token: string): Promise<NewSession | null> {
  const hash = hashSessionToken(token);
  return deps.store.run(async (tx) => {
    const link = await tx.sessions.byToken(['upload'], hash);
    const nowMs = deps.clock.nowMs();
    if (link === null || !isSessionOpen(link, nowMs)) return null;
    const made = makeSession(deps, link);
    endAll(tx, [link], nowMs);
    tx.sessions.insert(made.session);
    return made;
  });
}

/** NotFound unless the form asks for this file, and this session may see it. */
function refuseFile(
  session: KycSession,
  form: KycForm,
  { kind, owner }: Pick<PageUpload, 'kind' | 'owner'>,
): void {
  refuseScope(session, { page: 'documents', owner });
  const field = fileFieldOf(kind);
  const isAsked = askedFiles(form).some((file) => file.field === field && file.owner === owner);
  const isOthers = session.kind !== 'owner' && owner !== null && isDelegated(form, owner);
  if (!isAsked || isOthers) throw new PonteError('NotFound');
}

function isDelegated({ draft }: FormRules, owner: number): boolean {
  return askedFor(draft, owner) !== null;
}

async function changeFile(
  deps: Deps,
  session: KycSession,
  { kind, owner }: Pick<PageUpload, 'kind' | 'owner'>,
  url: string | null,
): Promise<void> {
  const field = fileFieldOf(kind);
  await changeKycForm(deps, session, ({ draft }) => {
    if (partOf(draft, owner) === null) throw new PonteError('NotFound');
    const next = withValues(draft, owner, { [field]: url });
    return url === null ? next : withCorrected(next, [{ field, owner }]);
  });
}
