// Starts a buyer's KYC, by the integrator or on the hosted page. A dossier is submitted to the
// partner inside the request, under a stored command. Without a dossier a hosted form waits for the
// buyer. The partner's decision is applied in party-reports.ts and buyer-decisions.ts.

import { emailKey } from '../../domain/base/email-address.js';
import { linkText } from '../../domain/base/link-text.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { type KycDraft, withDossier } from '../../domain/hosted/kyc-draft.js';
import { isAnswer } from '../../domain/hosted/party-answer.js';
import {
  awaitsDossier,
  type Buyer,
  isInFlightOrApproved,
  type KycSubmission,
} from '../../domain/parties/buyer-kyc.js';
import type { EntityType } from '../../domain/parties/connected-account.js';
import type { Dossier } from '../../domain/parties/dossier.js';
import { identityFacts, noFacts } from '../../domain/parties/identity-facts.js';
import { newParty, nextPartyStatus, submitted, withTerms } from '../../domain/parties/party.js';
import { assert, expectFound } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerAnswer } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { loadPayment } from '../payments/payment-store.js';
import { newBuyer } from '../payments/payments.js';
import type { Batch } from '../service/batch.js';
import { expectDone } from '../service/partner-calls.js';
import { moveWaiting } from './buyer-decisions.js';
import { stageSubmitted } from './documents.js';
import { factHash } from './fact-hashes.js';
import { readDraft, sealDossier, sealDraft } from './kyc-drafts.js';
import { loadSubmission } from './party-kinds.js';
import { refuseTier, submitParty } from './party-submissions.js';

/** The id of a hosted form must not be guessed. */
const FLOW_ID_BYTES = 18;

export interface KycStart {
  readonly email: string;
  /** Pre-fills the hosted form. */
  readonly name: string | null;
  /** Null: the buyer completes the hosted form. */
  readonly entityType: EntityType | null;
  /** A payment of the tenant that this is for. */
  readonly paymentId: string | null;
  readonly dossier: Dossier;
}

/** The hosted form as it was read: what is submitted must still be that. */
export interface FormVersion {
  readonly draft: KycDraft;
  readonly version: number;
}

/** `refused`: the partner does not take the data. `changed`: the form is not that version. */
export type SubmitResult =
  | { readonly outcome: 'submitted'; readonly submission: KycSubmission }
  | { readonly outcome: 'changed' }
  | Extract<PartnerAnswer<string>, { readonly outcome: 'refused' }>;

/**
 * Starts the buyer's KYC with this tenant. A submission in flight or approved is returned
 * unchanged, one that awaits its dossier is completed; after a rejection a new one is made.
 * ValidationError, NotFound (the payment), TosIdMismatch (other terms or missing fields),
 * PartnerUnavailable.
 */
export async function startBuyerKyc(
  deps: Deps,
  tenant: Tenant,
  start: KycStart,
): Promise<KycSubmission> {
  const { entityType } = start;
  if (entityType === null) return startHosted(deps, tenant, start);
  const result = await submitDossier(deps, tenant, { ...start, entityType }, null);
  assert(result.outcome !== 'changed', 'without a form nothing can have changed');
  return result.outcome === 'submitted' ? result.submission : expectDone(result);
}

/** Submits a dossier; `form` if the buyer filled it in on the hosted page. */
export async function submitDossier(
  deps: Deps,
  tenant: Tenant,
  start: KycStart & { readonly entityType: EntityType },
  form: FormVersion | null,
): Promise<SubmitResult> {
  const { entityType, dossier } = start;
  refuseTier(entityType, dossier);
  const { known, existing, tosId } = await deps.store.run((tx) => checkStart(tx, tenant, start));
  if (existing !== null) {
    // A crash may have left payments waiting when the approval was adopted.
    if (existing.status === 'approved') await moveWaiting(deps, tenant, existing.buyerId);
    return { outcome: 'submitted', submission: existing };
  }
  const kycTier = dossier.kycTier ?? 'standard';
  const previousRef = known === null || known.corrections === null ? null : known.partnerRef;
  let submissionId: string | null = null;
  const submission = await submitParty(deps, tenant, {
    kind: 'submission',
    role: 'buyer',
    entityType,
    dossier: { ...dossier, email: start.email, tosId, kycTier },
    previousRef,
    // The form sends all of it, and an operator answers what it does not ask.
    due: form === null && previousRef !== null ? known : null,
    async stage(batch, commandId) {
      const opened = await openStart(batch, tenant, start);
      if (opened.existing !== null) {
        submissionId = opened.existing.id;
        return null;
      }
      if (form !== null && form.version !== opened.was?.version) return null;
      submissionId = opened.next.id;
      return stageDossier(batch, opened, { start, form, commandId });
    },
  });
  if (submission.outcome === 'refused') return submission;
  expectDone(submission);
  if (submissionId === null) return { outcome: 'changed' };
  return { outcome: 'submitted', submission: await readSubmission(deps, tenant, submissionId) };
}

/** The partner may ask for corrections: the dossier is kept until its decision. */
async function stageDossier(
  batch: Batch,
  opened: OpenedStart,
  {
    start,
    form,
    commandId,
  }: {
    readonly start: KycStart & { readonly entityType: EntityType };
    readonly form: FormVersion | null;
    readonly commandId: string;
  },
) {
  const { deps, tx, nowMs } = batch;
  const { next } = opened;
  const hash = await factHash(deps, tx, next.buyerId);
  const submittedBy = form === null ? 'integrator' : 'person';
  const before = next.status === 'approved' ? next : null;
  const facts = identityFacts(start.entityType, start.dossier, { before, submittedBy, hash });
  const dossier = submittedDraft(readDraft(deps, next), start, form);
  stageOpened(tx, opened, {
    ...submitted(next, commandId),
    ...facts,
    draftSealed: null,
    dossierSealed: next.status === 'approved' ? null : sealDossier(deps, next, dossier),
    submittedAtMs: nowMs,
  });
  const { id, buyerId } = next;
  await stageSubmitted(deps, tx, next, { party: 'buyer', id: buyerId }, start.dossier);
  return { id, replacedCommandId: opened.was?.commandId ?? null };
}

/** The buyer of a payment submits its dossier. */
export async function submitBuyerKyc(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  { entityType, ...dossier }: Dossier & { readonly entityType: EntityType },
): Promise<KycSubmission> {
  const { payment } = await deps.store.run((tx) => loadPayment(tx, tenant, paymentId));
  const { email, name } = payment.buyer;
  return startBuyerKyc(deps, tenant, { email, name, entityType, paymentId, dossier });
}

async function startHosted(deps: Deps, tenant: Tenant, start: KycStart): Promise<KycSubmission> {
  const { id } = await deps.store.run((tx) =>
    stageForm(deps, tx, tenant, start, (draft) => withStart(draft, start)),
  );
  return readSubmission(deps, tenant, id);
}

/**
 * Stages a change of the hosted form, which opens if the buyer has none. Returns a submission in
 * flight or approved instead.
 */
export async function stageForm(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  start: KycStart,
  change: (draft: KycDraft, was: KycSubmission) => KycDraft,
): Promise<KycSubmission> {
  const opened = await openStart({ deps, tx }, tenant, start);
  if (opened.existing !== null) return opened.existing;
  const { next } = opened;
  const random = linkText(deps.ids.randomBytes(FLOW_ID_BYTES));
  const draftSealed = sealDraft(deps, next, change(readDraft(deps, next), next));
  const status = nextPartyStatus(next.status, 'submit') ?? next.status;
  return stageOpened(tx, opened, { ...next, status, draftSealed, flowId: next.flowId ?? random });
}

function submittedDraft(draft: KycDraft, start: KycStart, form: FormVersion | null): KycDraft {
  const { entityType, dossier } = start;
  if (form !== null) return { ...form.draft, entityType, dossier, isHosted: true, corrected: [] };
  // Others than on the form may be in it.
  const others = { ownerNumbers: [], asked: [], corrected: [], isHosted: false };
  return withDossier(draft, { ...others, entityType, dossier });
}

interface OpenedStart {
  /** The row that awaits its dossier; null: a new one is made. */
  readonly was: KycSubmission | null;
  /** The row as it continues, with its terms. */
  readonly next: KycSubmission;
}

/** Or the submission in flight or approved. */
async function openStart(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  tenant: Tenant,
  start: KycStart,
): Promise<{ readonly existing: KycSubmission } | (OpenedStart & { readonly existing: null })> {
  const { buyer, known, existing, tosId } = await checkStart(tx, tenant, start);
  if (existing !== null) return { existing };
  const isKnown = known !== null && (awaitsDossier(known) || answers(known, start));
  const was = isKnown ? known : null;
  const next = was ?? newSubmissionOf(deps, tx, tenant, start, { buyer, known });
  return { existing, was, next: { ...next, tosId } };
}

function stageOpened(tx: Tx, { was }: OpenedStart, next: KycSubmission): KycSubmission {
  if (was === null) tx.buyers.insertSubmission(next);
  else tx.buyers.updateSubmission(next);
  return next;
}

interface CheckedStart {
  readonly buyer: Buyer | null;
  readonly known: KycSubmission | null;
  /** In flight or approved: returned instead of a start. */
  readonly existing: KycSubmission | null;
  readonly tosId: string | null;
}

/** The dossier answers what the partner wants of an approved buyer. */
function answers(known: KycSubmission, { entityType, dossier }: KycStart): boolean {
  return entityType !== null && known.status === 'approved' && isAnswer(known, dossier);
}

/** The refusals of a start, or the existing submission. Stores the first terms. */
async function checkStart(tx: Tx, tenant: Tenant, start: KycStart): Promise<CheckedStart> {
  const { email, paymentId, dossier } = start;
  const [, buyer] = await Promise.all([
    paymentId === null ? null : loadPayment(tx, tenant, paymentId),
    tx.buyers.byEmail(tenant.mode, emailKey(email)),
  ]);
  const known = buyer === null ? null : await tx.buyers.submission(tenant, buyer.id);
  const sent = dossier.tosId ?? null;
  const bound = known === null ? null : withTerms(known, sent);
  const tosId = bound === null ? sent : bound.tosId;
  if (bound === null || !isInFlightOrApproved(bound) || answers(bound, start)) {
    return { buyer, known, existing: null, tosId };
  }
  if (bound !== known) tx.buyers.updateSubmission(bound);
  return { buyer, known, existing: bound, tosId };
}

/** Also makes the buyer if the address is new. */
function newSubmissionOf(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  { email }: KycStart,
  { buyer: found, known }: Pick<CheckedStart, 'buyer' | 'known'>,
): KycSubmission {
  const buyer = found ?? newBuyer(deps, tenant, email, deps.clock.nowMs());
  if (found === null) tx.buyers.insert(buyer);
  return newSubmission(deps, tenant, buyer.id, 'verifying', known);
}

/** Newer than `before`. */
export function newSubmission(
  deps: Deps,
  tenant: Tenant,
  buyerId: string,
  status: KycSubmission['status'],
  before: KycSubmission | null,
): KycSubmission {
  // The clock of another host may be ahead.
  const nowMs = Math.max(deps.clock.nowMs(), (before?.createdAtMs ?? 0) + 1);
  return Object.freeze({
    ...tenantOf(tenant),
    id: deps.ids.next('kyc', nowMs),
    buyerId,
    flowId: null,
    receiverId: deps.ids.next('rcv', nowMs),
    status,
    ...newParty,
    ...noFacts,
    draftSealed: null,
    dossierSealed: null,
    submittedAtMs: nowMs,
    createdAtMs: nowMs,
    version: 1,
  });
}

/** Earlier values stay unless they are sent again. */
function withStart(draft: KycDraft, { name, dossier }: KycStart): KycDraft {
  const given = Object.entries(dossier).filter(([, value]) => value !== null);
  const values = { ...draft.dossier, ...Object.fromEntries(given) };
  return withDossier(draft, { name: name ?? draft.name, dossier: values });
}

/** The current submission of a buyer. NotFound before the first. */
export async function readBuyerKyc(
  deps: Deps,
  tenant: Tenant,
  buyerId: string,
): Promise<KycSubmission> {
  return expectFound(await deps.store.run((tx) => tx.buyers.submission(tenant, buyerId)));
}

function readSubmission(deps: Deps, tenant: Tenant, id: string): Promise<KycSubmission> {
  return deps.store.run((tx) => loadSubmission(tx, tenant, id));
}
