// The hosted form of a party: opening it, saving it page by page, and sending it to the partner.
// Its draft is stored sealed; each change reads the newest row, so that the people who fill in
// their own parts do not overwrite each other. form-subjects.ts knows whose form it is.
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import {
  filesIn,
  isCorrected,
  type KycDraft,
  partOf,
  shownDraft,
  withAskerValues,
  withCorrected,
  withValues,
} from '../../domain/hosted/kyc-draft.js';
import type { FieldProblem, FormField, Typed } from '../../domain/hosted/kyc-fields.js';
import {
  type Author,
  checkPage,
  chosenType,
  type FormFacts,
  isComplete,
  type KycPage,
  ownerPages,
  type PlacedCorrection,
  placeCorrections,
  type StepView,
  sentDossier,
  stepViews,
} from '../../domain/hosted/kyc-form.js';
import type { KycSubmission } from '../../domain/parties/buyer-kyc.js';
import type { Role } from '../../domain/parties/connected-account.js';
import type { DocumentOwner } from '../../domain/parties/document.js';
import type { Dossier } from '../../domain/parties/dossier.js';
import { TERMS } from '../../domain/parties/party-due.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { SettlementPartner } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { acceptAccountTerms, startTerms } from '../parties/accounts.js';
import { fileProblems } from '../parties/documents.js';
import { stageUnused } from '../parties/kyc-drafts.js';
import { alertUnplaced } from '../parties/party-reports.js';
import { callSafely, expectAccepted, requirePartner } from '../service/partner-calls.js';
import { type FormSubject, type KycSession, readSubject } from './form-subjects.js';

export interface KycForm extends FormFacts, Pick<FormSubject, 'state' | 'party' | 'version'> {
  readonly author: Author;
  /** As the session may see it, and what it must not: tax ids are masked. */
  readonly draft: KycDraft;
  readonly steps: readonly StepView[];
  /** The submission of a buyer; null before the first change. */
  readonly submissionId: string | null;
}

export async function openKycForm(deps: Deps, session: KycSession): Promise<KycForm> {
  const read = await deps.store.run((tx) => readForm(deps, tx, session));
  return shownForm(read, session);
}

function shownForm({ facts, subject }: ReadForm, session: KycSession): KycForm {
  const { state, party, submission, version } = subject;
  return {
    ...facts,
    state,
    author: authorOf(session),
    draft: shownDraft(facts.draft, session.kind === 'owner' ? session.ownerIndex : null),
    steps: stepViews(facts),
    party,
    submissionId: submission?.id ?? null,
    version,
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
  await changeKycForm(deps, session, (rules) => {
    const { draft } = rules;
    if (page === 'type') {
      if (rules.role !== 'buyer') throw new PonteError('NotFound');
      const entityType = chosenType(typed);
      found = entityType === null ? { entityType: 'missing' } : null;
      return entityType === null ? draft : { ...draft, entityType };
    }
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
  const isOwn = page === 'documents' || ownerPages.some((one) => one === page);
  if (kind === 'buyer' || kind === 'seller' || kind === 'organization') return;
  if (kind === 'owner' && isOwn && owner === ownerIndex) return;
  if (kind === 'upload' && page === 'documents') return;
  throw new PonteError('NotFound');
}

/**
 * Applies `change` to the newest draft and stores it. Files that it names no more are deleted.
 * `alsoStage` gets the submission of a buyer.
 */
export async function changeKycForm(
  deps: Deps,
  session: KycSession,
  change: (facts: FormFacts) => KycDraft,
  alsoStage: (tx: Tx, submission: KycSubmission | null) => Promise<void> = async () => undefined,
): Promise<KycSubmission | null> {
  return deps.store.run(async (tx) => {
    const { facts, subject } = await readOpenForm(deps, tx, session);
    const savedAtMs = deps.clock.nowMs();
    let next = facts.draft;
    const stored = await subject.stage(() => {
      next = { ...change(facts), savedAtMs };
      return next;
    });
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
  if (!read.subject.isOpen) throw new PonteError('PaymentStateConflict');
  return read;
}

/** `incomplete`: something is missing or not corrected. `changed`: it is not the version shown. */
export type Sent =
  | { readonly outcome: 'submitted'; readonly submission: KycSubmission | null }
  | { readonly outcome: 'incomplete' | 'changed' }
  | { readonly outcome: 'refused'; readonly corrections: readonly PlacedCorrection[] };

/** Sends the version of the form that the review page showed. PartnerUnavailable. */
export async function submitKycForm(
  deps: Deps,
  session: KycSession,
  version: number,
): Promise<Sent> {
  refuseScope(session, { page: 'review', owner: null });
  const { facts, subject } = await deps.store.run((tx) => readForm(deps, tx, session));
  const { state, submission } = subject;
  if (state !== 'form' && state !== 'corrections') {
    if (state === 'rejected') throw new PonteError('PaymentStateConflict');
    return { outcome: 'submitted', submission };
  }
  const { draft } = facts;
  if (draft.entityType === null || !isComplete(facts, stepViews(facts))) {
    return { outcome: 'incomplete' };
  }
  if (subject.version !== version) return { outcome: 'changed' };
  const result = await subject.submit(draft, sentDossier(facts));
  if (result.outcome !== 'refused') return result;
  alertUnplaced(deps, result.code, submission?.id ?? subject.party.id);
  const corrections = placeCorrections(draft, [{ field: result.code, reason: '' }]);
  return { outcome: 'refused', corrections };
}

/**
 * Where the party accepts the partner's terms; it comes back to `redirectUrl` with a `tos_id`.
 * NotFound for an organization, which has another page for them.
 */
export async function kycTermsUrl(
  deps: Deps,
  session: KycSession,
  redirectUrl: string,
): Promise<string> {
  refuseScope(session, { page: 'terms', owner: null });
  if (session.kind === 'organization') throw new PonteError('NotFound');
  const { accountId } = session;
  if (accountId !== null) {
    return (await startTerms(deps, tenantOf(session), accountId, redirectUrl)).url;
  }
  const partner = await requirePartner(deps, session);
  const { party, submission } = (await deps.store.run((tx) => readForm(deps, tx, session))).subject;
  const key = `terms-${session.orgId}-${party.id}`;
  const partyRef = submission?.status === 'rejected' ? null : (submission?.partnerRef ?? null);
  const input = { redirectUrl, key, partyRef };
  return expectAccepted(await callSafely(() => partner.startTos(input))).url;
}

/** Stores the terms that the party accepted. TosIdMismatch if others are recorded. */
export async function acceptKycTerms(
  deps: Deps,
  session: KycSession,
  tosId: string,
): Promise<void> {
  refuseScope(session, { page: 'terms', owner: null });
  if (session.kind === 'organization') throw new PonteError('NotFound');
  const { accountId } = session;
  if (accountId !== null) await acceptAccountTerms(deps, tenantOf(session), accountId, tosId);
  await changeKycForm(deps, session, ({ draft, corrections }) => {
    const isRefused = corrections.some(({ place }) => place?.field === TERMS);
    const recorded = isRefused ? tosId : (draft.dossier.tosId ?? tosId);
    if (recorded !== tosId) throw new PonteError('TosIdMismatch');
    return withCorrected(withValues(draft, null, { tosId }), [{ field: 'tosId', owner: null }]);
  });
}

interface ReadForm {
  readonly facts: FormFacts;
  readonly subject: FormSubject;
}

/** NotFound if the session's owner or submission is not there any more. */
async function readForm(deps: Deps, tx: Tx, session: KycSession): Promise<ReadForm> {
  const subject = await readSubject(deps, tx, session);
  const { party, role, email, state, isAnswer } = subject;
  const draft = await withoutLostFiles(deps, tx, tenantOf(session), party, subject.draft);
  const isOpen = state === 'form' || state === 'corrections';
  if (session.kind === 'owner' && isOpen && !isAskedFor(draft, session.ownerIndex)) {
    throw new PonteError('NotFound');
  }
  const asked = placeCorrections(draft, subject.corrections);
  const corrections = asked.filter(({ place }) => place === null || !isCorrected(draft, place));
  const due = isAnswer ? asked.flatMap(({ place }) => (place === null ? [] : [place])) : null;
  const extra = requiredBy(deps.partners[session.mode], role, draft);
  return { facts: { draft, role, extra, email, due, corrections }, subject };
}

function isAskedFor(draft: KycDraft, owner: number | null): boolean {
  return draft.asked.some((asked) => asked.owner !== null && asked.owner === owner);
}

function requiredBy(
  partner: SettlementPartner | null,
  role: Role,
  { entityType }: KycDraft,
): readonly (keyof Dossier)[] {
  if (partner === null || entityType === null) return [];
  return partner.requirements(role, entityType);
}

/** An upload that was not submitted expires: the form asks for it again. */
async function withoutLostFiles(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  party: DocumentOwner,
  draft: KycDraft,
): Promise<KycDraft> {
  const lost = await fileProblems(deps, tx, tenant, party, draft.dossier);
  const urls = new Set(lost.map(({ url }) => url));
  return filesIn(draft)
    .filter(({ url }) => urls.has(url))
    .reduce((next, { owner, field }) => withValues(next, owner, { [field]: null }), draft);
}
