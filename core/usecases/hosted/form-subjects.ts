// Whose hosted form it is: a buyer's KYC, the onboarding of a seller, or the KYB of an
// organization. The form itself (kyc-forms.ts) is the same for all; this file reads what it begins
// with, stores its draft and submits it.
//
// Each page saves its values in the newest draft, so people who fill in different parts do not
// overwrite each other. An owner of a business may add their own part by a mailed link; from then
// on only the owner's session sees it. Owners have numbers that are never used again, so a link
// cannot show another person. The submitted dossier stays sealed until the decision; if the partner
// asks for corrections, it becomes the draft again.
import type { PageSession } from '../../domain/access/session.js';
import { readEmail } from '../../domain/base/email-address.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { emptyDraft, type KycDraft, withHint } from '../../domain/hosted/kyc-draft.js';
import { type KycState, type KycSubmission, kycStateOf } from '../../domain/parties/buyer-kyc.js';
import type { EntityType, Role } from '../../domain/parties/connected-account.js';
import type { DocumentOwner } from '../../domain/parties/document.js';
import type { Dossier } from '../../domain/parties/dossier.js';
import { sandboxKyb } from '../../domain/parties/organization.js';
import { isSubmitted, type Party } from '../../domain/parties/party.js';
import { type Correction, correctionsOf, isDue, TERMS } from '../../domain/parties/party-due.js';
import { readCnpj } from '../../domain/parties/tax-id.js';
import { isTerminal } from '../../domain/payments/payment.js';
import { assert, expectFound, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { openTaxId, submitAccountForm } from '../parties/accounts.js';
import { type KycStart, type SubmitResult, stageForm, submitDossier } from '../parties/kyc.js';
import {
  type FormSent,
  openPartyDraft,
  readDraft,
  stagePartyDraft,
} from '../parties/kyc-drafts.js';
import { loadOrganization, submitKybForm } from '../parties/organizations.js';
import { loadAccount, loadProfile } from '../parties/party-kinds.js';

/** A session on the hosted pages: of a buyer, an owner, a phone or a seller. */
export type VisitorSession = Tenant &
  Pick<PageSession, 'kind' | 'paymentId' | 'submissionId' | 'accountId' | 'ownerIndex'>;

/** A member who fills in the form of the organization. */
export interface OrganizationSession extends Tenant {
  readonly kind: 'organization';
  readonly paymentId: null;
  readonly submissionId: null;
  readonly accountId: null;
  readonly ownerIndex: null;
  /** The address of the member: the partner writes to it. */
  readonly email: string;
}

/** Who has a form open, and which one. */
export type KycSession = VisitorSession | OrganizationSession;

export interface FormSubject {
  /** Whose documents the form takes. */
  readonly party: DocumentOwner;
  readonly role: Role;
  /** Null: the form asks for it. */
  readonly email: string | null;
  readonly state: KycState;
  /** Whether the form takes changes. */
  readonly isOpen: boolean;
  readonly draft: KycDraft;
  /** What the partner wants, or did not take. */
  readonly corrections: readonly Correction[];
  /** The partner knows the party: only what is due is asked and sent. */
  readonly isAnswer: boolean;
  /** What the form of a buyer is part of; null for others, and before the first change. */
  readonly submission: KycSubmission | null;
  /** Raised by each change; 0 before the first. */
  readonly version: number;
  /** Stages the changed draft. PaymentStateConflict if the form was closed. */
  stage(change: () => KycDraft): Promise<KycSubmission | null>;
  /** Submits the part of the draft that is asked, if the form is still this version. */
  submit(draft: KycDraft, dossier: Dossier): Promise<FormSubmitted>;
}

/** `changed`: the form is not that version any more. */
export type FormSubmitted = SubmitResult | FormSent;

/** NotFound. */
export function readSubject(deps: Deps, tx: Tx, session: KycSession): Promise<FormSubject> {
  if (session.kind === 'organization') return organizationSubject(deps, tx, session);
  const { accountId } = session;
  return accountId === null
    ? buyerSubject(deps, tx, session)
    : accountSubject(deps, tx, tenantOf(session), accountId);
}

async function buyerSubject(deps: Deps, tx: Tx, session: VisitorSession): Promise<FormSubject> {
  const { payment, submission, buyerId, email } = await buyerOf(tx, session);
  const tenant = tenantOf(session);
  const current = submission === null || submission.status === 'rejected' ? null : submission;
  const state = kycStateOf(submission?.status ?? 'not_started', submission);
  const isOver = payment !== null && isTerminal(payment.status);
  const isNew = state === 'rejected' && payment !== null;
  const start: KycStart = {
    email,
    name: null,
    entityType: null,
    paymentId: payment?.id ?? null,
    dossier: {},
  };
  const stored = current === null ? emptyDraft : readDraft(deps, current);
  const version = submission?.version ?? 0;
  const hinted = payment === null ? stored : withHint(stored, payment.buyer);
  return {
    party: { party: 'buyer', id: buyerId },
    role: 'buyer',
    email,
    state,
    isOpen: !isOver && (state === 'form' || state === 'corrections' || isNew),
    draft: withTerms(hinted, current),
    corrections: current === null ? [] : correctionsOf(current),
    isAnswer: false,
    submission,
    version,
    async stage(change) {
      const staged = await stageForm(deps, tx, tenant, start, (_, was) => {
        const { submissionId } = session;
        if (submissionId !== null && was.id !== submissionId) throw new PonteError('NotFound');
        return change();
      });
      // Decided since the state was read.
      if (staged.draftSealed === null) throw new PonteError('PaymentStateConflict');
      return staged;
    },
    async submit(draft, dossier) {
      const { entityType } = draft;
      assert(entityType !== null, 'a complete form has a type');
      return submitDossier(deps, tenant, { ...start, entityType, dossier }, { draft, version });
    },
  };
}

async function buyerOf(tx: Tx, session: VisitorSession) {
  const tenant = tenantOf(session);
  const { paymentId, submissionId } = session;
  const [payment, named] = await Promise.all([
    paymentId === null ? null : tx.payments.get(tenant, paymentId),
    submissionId === null ? null : tx.buyers.submissionById(tenant, submissionId),
  ]);
  const buyerId = expectFound(named?.buyerId ?? payment?.buyerId ?? null);
  const submission = named ?? (await tx.buyers.submission(tenant, buyerId));
  const buyer = await tx.buyers.get(tenant.mode, buyerId);
  assert(buyer !== null, 'a buyer stays');
  return { payment, submission, buyerId, email: payment?.buyer.email ?? buyer.email };
}

async function accountSubject(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  id: string,
): Promise<FormSubject> {
  const account = await loadAccount(tx, tenant, id);
  const { email, entityType, legalName, country } = account;
  if (account.role !== 'seller') throw new PonteError('NotFound');
  const taxId = openTaxId(deps, account);
  const cnpj = entityType === 'business' && taxId !== null ? readCnpj(taxId) : null;
  const subject = await partySubject(deps, tx, tenant, {
    party: { party: 'account', id },
    known: account,
    entityType,
    hints: { legalName, country, cnpj },
    expect: () => tx.accounts.expect(account),
  });
  return {
    ...subject,
    email: email === null || readEmail(email) === null ? null : email,
    submit: (_, { tosId: __, ...dossier }) =>
      submitAccountForm(deps, tenant, id, dossier, subject.version),
  };
}

async function organizationSubject(
  deps: Deps,
  tx: Tx,
  session: OrganizationSession,
): Promise<FormSubject> {
  const { orgId, mode, email } = session;
  const tenant = { orgId, mode };
  const [organization, profile] = await Promise.all([
    loadOrganization(tx, orgId),
    loadProfile(tx, tenant),
  ]);
  const { email: _, ...sandbox } = sandboxKyb(organization);
  const subject = await partySubject(deps, tx, tenant, {
    party: { party: 'organization', id: orgId },
    known: profile,
    entityType: 'business',
    hints: { country: 'BR', ...(mode === 'test' ? sandbox : {}) },
    expect: () => tx.organizations.expectProfile(profile),
  });
  return {
    ...subject,
    email,
    submit(__, { tosId: ___, ...dossier }) {
      const whole = subject.isAnswer ? dossier : { ...dossier, email };
      return submitKybForm(deps, tenant, whole, subject.version);
    },
  };
}

interface KnownParty {
  readonly party: DocumentOwner;
  readonly known: Party;
  readonly entityType: EntityType;
  /** What the fields begin with. */
  readonly hints: Dossier;
  /** Guards the party, as it was read. */
  readonly expect: () => void;
}

/** A seller or an organization: its draft is a row beside it. */
async function partySubject(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  { party, known, entityType, hints, expect }: KnownParty,
): Promise<Omit<FormSubject, 'email' | 'submit'>> {
  const row = await tx.partyDrafts.get(tenant, party.id);
  const stored = row === null ? emptyDraft : openPartyDraft(deps, row);
  const given = Object.entries(hints).filter(([field, value]) => {
    return value !== null && !(field in stored.dossier);
  });
  const dossier = { ...stored.dossier, ...Object.fromEntries(given) };
  const draft = withTerms({ ...stored, entityType, dossier }, known);
  const isAnswer = isSubmitted(known.status);
  const corrections = isAnswer ? correctionsOf(known) : refusedOf(known);
  const state = partyStateOf(known, draft);
  return {
    party,
    role: 'seller',
    state,
    isOpen: state === 'form' || state === 'corrections',
    draft,
    corrections,
    isAnswer,
    submission: null,
    version: row?.version ?? 0,
    async stage(change) {
      stagePartyDraft(deps, tx, { ...tenant, id: party.id }, row, change());
      expect();
      return null;
    },
  };
}

/** A rejected party is submitted again. Accepted terms are due until a read shows them. */
function partyStateOf(known: Party, { corrected }: KycDraft): KycState {
  if (!isSubmitted(known.status)) return 'form';
  const isOpen = correctionsOf(known).some(
    ({ field }) => field !== TERMS || !corrected.some((place) => place.field === TERMS),
  );
  if (isOpen) return 'corrections';
  return known.status === 'approved' ? 'approved' : 'verifying';
}

/** The reason of a rejection may name a field of the form. */
function refusedOf({ status, reason }: Party): readonly Correction[] {
  return status === 'rejected' ? [{ field: reason ?? '', reason: '' }] : [];
}

/** With the terms that are recorded. Those that the partner refused are asked again. */
function withTerms(draft: KycDraft, known: Party | null): KycDraft {
  const tosId = known === null || isDue(known, TERMS) ? null : known.tosId;
  return tosId === null ? draft : { ...draft, dossier: { ...draft.dossier, tosId } };
}
