// The hosted KYC form: opening it, saving it page by page, and sending it to the partner. It is
// part of the buyer's submission, sealed; each change reads the newest row, so that the buyer and
// the owners who fill in their own parts do not overwrite each other.
import type { PageSession } from '../../domain/access/page-session.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  emptyDraft,
  filesIn,
  isCorrected,
  type KycDraft,
  partOf,
  shownDraft,
  withAskerValues,
  withCorrected,
  withHint,
  withValues,
} from '../../domain/hosted/kyc-draft.js';
import type { FieldProblem, FormField, Typed } from '../../domain/hosted/kyc-fields.js';
import {
  type Author,
  checkPage,
  chosenType,
  type FormFacts,
  type KycPage,
  type PlacedCorrection,
  placeCorrections,
  type StepView,
  sentDossier,
  stepViews,
} from '../../domain/hosted/kyc-form.js';
import { type KycState, type KycSubmission, kycStateOf } from '../../domain/parties/buyer-kyc.js';
import type { Dossier } from '../../domain/parties/dossier.js';
import { correctionsOf, isDue, TERMS } from '../../domain/parties/party-due.js';
import { isTerminal, type Payment } from '../../domain/payments/payment.js';
import { assert, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { SettlementPartner } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { fileProblems } from '../parties/documents.js';
import { type KycStart, stageForm, submitDossier } from '../parties/kyc.js';
import { readDraft, stageUnused } from '../parties/kyc-drafts.js';
import { alertUnplaced } from '../parties/party-reports.js';
import { callSafely, expectAccepted, requirePartner } from '../service/partner-calls.js';

/** What a session may reach: the form of a payment's buyer, or of a submission. */
export type KycSession = Tenant &
  Pick<PageSession, 'kind' | 'paymentId' | 'submissionId' | 'ownerIndex'>;

export interface KycForm extends FormFacts {
  readonly state: KycState;
  /** Who the session is. */
  readonly author: Author;
  /** As the session may see it, and what it must not: tax ids are masked. */
  readonly draft: KycDraft;
  readonly steps: readonly StepView[];
  readonly buyerId: string;
  /** Null before the first change. */
  readonly submissionId: string | null;
  /** The version of the submission; 0 before the first change. */
  readonly version: number;
}

export async function openKycForm(deps: Deps, session: KycSession): Promise<KycForm> {
  const read = await deps.store.run((tx) => readForm(deps, tx, session));
  return shownForm(read, session);
}

function shownForm(read: ReadForm, session: KycSession): KycForm {
  const { facts, state, buyerId, submission } = read;
  return {
    ...facts,
    state,
    author: authorOf(session),
    draft: shownDraft(facts.draft, session.kind === 'owner' ? session.ownerIndex : null),
    steps: stepViews(facts),
    buyerId,
    submissionId: submission?.id ?? null,
    version: submission?.version ?? 0,
  };
}

/** Null: nothing is wrong. */
export type PageProblems = Readonly<Partial<Record<FormField | 'entityType', FieldProblem>>> | null;

/**
 * Saves what was typed on a page; values without a problem are saved even if others have one.
 * NotFound (the page is not this session's), PaymentStateConflict (the form is closed).
 */
export async function saveKycPage(
  deps: Deps,
  session: KycSession,
  {
    page,
    owner = null,
    typed,
  }: {
    readonly page: KycPage;
    readonly owner?: number | null;
    readonly typed: Typed;
  },
): Promise<PageProblems> {
  refuseScope(session, { page, owner });
  let found: PageProblems = null;
  await changeKycForm(deps, session, ({ draft, extra }) => {
    if (page === 'type') {
      const entityType = chosenType(typed);
      found = entityType === null ? { entityType: 'missing' } : null;
      return entityType === null ? draft : { ...draft, entityType };
    }
    const rules = { draft, extra };
    const nowMs = deps.clock.nowMs();
    if (partOf(draft, owner) === null) throw new PonteError('NotFound');
    const about = { page, owner, author: authorOf(session) };
    const { values, problems } = checkPage(rules, about, typed, nowMs);
    found = Object.keys(problems).length === 0 ? null : problems;
    const fields = Object.keys(values) as FormField[];
    const places = fields.map((field) => ({ field, owner }));
    const save = session.kind === 'owner' ? withValues : withAskerValues;
    return withCorrected(save(draft, owner, values), places);
  });
  return found;
}

function authorOf({ kind }: KycSession): Author {
  return kind === 'owner' ? 'owner' : 'buyer';
}

/** An owner's session reaches its own page and documents; an upload session documents only. */
export function refuseScope(
  session: KycSession,
  { page, owner }: { readonly page: KycPage; readonly owner: number | null },
): void {
  const { kind, ownerIndex } = session;
  const isOwn = page === 'owner' || page === 'documents';
  if (kind === 'buyer') return;
  if (kind === 'owner' && isOwn && owner === ownerIndex) return;
  if (kind === 'upload' && page === 'documents') return;
  throw new PonteError('NotFound');
}

/** Applies `change` to the newest draft and stores it. Files that it names no more are deleted. */
export async function changeKycForm(
  deps: Deps,
  session: KycSession,
  change: (facts: FormFacts) => KycDraft,
  alsoStage: (tx: Tx, submission: KycSubmission) => Promise<void> = async () => undefined,
): Promise<KycSubmission> {
  return deps.store.run(async (tx) => {
    const { facts, start } = await readOpenForm(deps, tx, session);
    const savedAtMs = deps.clock.nowMs();
    let next = facts.draft;
    const stored = await stageForm(deps, tx, tenantOf(session), start, (_, was) => {
      const { submissionId } = session;
      if (submissionId !== null && was.id !== submissionId) throw new PonteError('NotFound');
      next = { ...change(facts), savedAtMs };
      return next;
    });
    // Decided since the state was read.
    if (stored.draftSealed === null) throw new PonteError('PaymentStateConflict');
    const kept = new Set(filesIn(next).map(({ url }) => url));
    const dropped = filesIn(facts.draft).filter(({ url }) => !kept.has(url));
    await stageUnused(deps, tx, new Set(dropped.map(({ url }) => url)));
    await alsoStage(tx, stored);
    return stored;
  });
}

/** The form, if it takes changes. NotFound, PaymentStateConflict. */
export async function readOpenForm(deps: Deps, tx: Tx, session: KycSession): Promise<ReadForm> {
  const read = await readForm(deps, tx, session);
  const { state, payment } = read;
  const isOver = payment !== null && isTerminal(payment.status);
  const isNew = state === 'rejected' && payment !== null;
  if (isOver || !(state === 'form' || state === 'corrections' || isNew)) {
    throw new PonteError('PaymentStateConflict');
  }
  return read;
}

/** `incomplete`: something is missing or not corrected. `changed`: it is not the version shown. */
export type Sent =
  | { readonly outcome: 'submitted'; readonly submission: KycSubmission }
  | { readonly outcome: 'incomplete' | 'changed' }
  | { readonly outcome: 'refused'; readonly corrections: readonly PlacedCorrection[] };

/** Sends the version of the form that the review page showed. PartnerUnavailable. */
export async function submitKycForm(
  deps: Deps,
  session: KycSession,
  version: number,
): Promise<Sent> {
  refuseScope(session, { page: 'review', owner: null });
  const tenant = tenantOf(session);
  const { facts, state, submission, start } = await deps.store.run((tx) =>
    readForm(deps, tx, session),
  );
  if (state !== 'form' && state !== 'corrections') {
    if (submission === null || state === 'rejected') throw new PonteError('PaymentStateConflict');
    return { outcome: 'submitted', submission };
  }
  const { draft } = facts;
  const { entityType } = draft;
  const isComplete = stepViews(facts).every(
    ({ step, state: of }) => step === 'review' || of === 'done',
  );
  if (entityType === null || !isComplete) return { outcome: 'incomplete' };
  if (submission?.version !== version) return { outcome: 'changed' };
  const sent = { ...start, entityType, dossier: sentDossier(facts) };
  const result = await submitDossier(deps, tenant, sent, { draft, version });
  if (result.outcome !== 'refused') return result;
  alertUnplaced(deps, result.code, submission.id);
  const corrections = placeCorrections(draft, [{ field: result.code, reason: '' }]);
  return { outcome: 'refused', corrections };
}

/** Where the buyer accepts the partner's terms; it comes back to `redirectUrl` with a `tos_id`. */
export async function kycTermsUrl(
  deps: Deps,
  session: KycSession,
  redirectUrl: string,
): Promise<string> {
  refuseScope(session, { page: 'terms', owner: null });
  const partner = await requirePartner(deps, session);
  const { buyerId, submission } = await deps.store.run((tx) => readForm(deps, tx, session));
  const key = `terms-${session.orgId}-${buyerId}`;
  const partyRef = submission?.status === 'rejected' ? null : (submission?.partnerRef ?? null);
  const input = { redirectUrl, key, partyRef };
  return expectAccepted(await callSafely(() => partner.startTos(input))).url;
}

/** Stores the terms that the buyer accepted. TosIdMismatch if others are recorded. */
export async function acceptKycTerms(
  deps: Deps,
  session: KycSession,
  tosId: string,
): Promise<void> {
  refuseScope(session, { page: 'terms', owner: null });
  await changeKycForm(deps, session, ({ draft, corrections }) => {
    const isRefused = corrections.some(({ place }) => place?.field === TERMS);
    const recorded = isRefused ? tosId : (draft.dossier.tosId ?? tosId);
    if (recorded !== tosId) throw new PonteError('TosIdMismatch');
    return withCorrected(withValues(draft, null, { tosId }), [{ field: 'tosId', owner: null }]);
  });
}

interface ReadForm {
  readonly facts: FormFacts;
  readonly state: KycState;
  readonly payment: Payment | null;
  readonly buyerId: string;
  readonly submission: KycSubmission | null;
  /** Starts or continues the submission that the form is part of. */
  readonly start: KycStart;
}

/** NotFound if the session's owner or submission is not there any more. */
async function readForm(deps: Deps, tx: Tx, session: KycSession): Promise<ReadForm> {
  const { payment, submission, buyerId, email } = await subjectOf(tx, session);
  const tenant = tenantOf(session);
  const current = submission === null || submission.status === 'rejected' ? null : submission;
  const stored = current === null ? null : readDraft(deps, current);
  // Terms that the partner refused stay recorded until others are sent.
  const isRefused = current !== null && isDue(current, TERMS);
  const tosId = isRefused ? null : (current?.tosId ?? null);
  const known = hinted(stored, payment);
  const agreed = tosId === null ? known : withValues(known, null, { tosId });
  const draft = await withoutLostFiles(deps, tx, tenant, buyerId, agreed);
  const state = kycStateOf(submission?.status ?? 'not_started', submission);
  const isOpen = state === 'form' || state === 'corrections';
  if (session.kind === 'owner' && isOpen && !isAskedFor(draft, session.ownerIndex)) {
    throw new PonteError('NotFound');
  }
  const asked = current === null ? [] : placeCorrections(draft, correctionsOf(current));
  const corrections = asked.filter(({ place }) => place === null || !isCorrected(draft, place));
  const extra = requiredBy(deps.partners[session.mode], draft);
  const start = {
    email,
    name: null,
    entityType: null,
    paymentId: payment?.id ?? null,
    dossier: {},
  };
  return {
    facts: { draft, extra, email, corrections },
    state,
    payment,
    buyerId,
    submission,
    start,
  };
}

async function subjectOf(tx: Tx, session: KycSession) {
  const tenant = tenantOf(session);
  const { paymentId, submissionId } = session;
  const [payment, named] = await Promise.all([
    paymentId === null ? null : tx.payments.get(tenant, paymentId),
    submissionId === null ? null : tx.buyers.submissionById(tenant, submissionId),
  ]);
  const buyerId = named?.buyerId ?? payment?.buyerId ?? null;
  if (buyerId === null) throw new PonteError('NotFound');
  const submission = named ?? (await tx.buyers.submission(tenant, buyerId));
  const buyer = await tx.buyers.get(tenant.mode, buyerId);
  assert(buyer !== null, 'a buyer stays');
  return { payment, submission, buyerId, email: payment?.buyer.email ?? buyer.email };
}

function isAskedFor(draft: KycDraft, owner: number | null): boolean {
  return draft.asked.some((asked) => asked.owner !== null && asked.owner === owner);
}

function hinted(stored: KycDraft | null, payment: Payment | null): KycDraft {
  const draft = stored ?? emptyDraft;
  return payment === null ? draft : withHint(draft, payment.buyer);
}

function requiredBy(
  partner: SettlementPartner | null,
  { entityType }: KycDraft,
): readonly (keyof Dossier)[] {
  if (partner === null || entityType === null) return [];
  return partner.requirements('buyer', entityType);
}

/** An upload that was not submitted expires: the form asks for it again. */
async function withoutLostFiles(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  buyerId: string,
  draft: KycDraft,
): Promise<KycDraft> {
  const party = { party: 'buyer', id: buyerId } as const;
  const lost = await fileProblems(deps, tx, tenant, party, draft.dossier);
  const urls = new Set(lost.map(({ url }) => url));
  return filesIn(draft)
    .filter(({ url }) => urls.has(url))
    .reduce((next, { owner, field }) => withValues(next, owner, { [field]: null }), draft);
}
