// Starts a buyer's KYC, by the integrator or on the hosted page. A dossier is submitted to the
// partner inside the request, under a stored order. Without a dossier a hosted form waits for the
// buyer. The partner's decision ends in buyers.ts.
import {
  awaitsDossier,
  type Buyer,
  emailKey,
  isInFlightOrApproved,
  type KycSubmission,
  nextKycStatus,
} from '../domain/buyer-kyc.js';
import type { EntityType } from '../domain/connected-account.js';
import { type Dossier, missingFields } from '../domain/dossier.js';
import { type KycDraft, withDossier } from '../domain/kyc-draft.js';
import type { PartnerCommand } from '../domain/partner-command.js';
import { isAnswer, unanswered } from '../domain/party-answer.js';
import { isDue, nothingDue, type PartyDue, TERMS } from '../domain/party-due.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { PartnerAnswer, SettlementPartner } from '../ports/partner.js';
import type { Tx } from '../ports/storage.js';
import { runInline } from './command-runner.js';
import { stageSubmitted } from './documents.js';
import { readDraft, sealDossier, sealDraft } from './kyc-drafts.js';
import { partyOrder, refuseTier, stageReplaced } from './onboarding.js';
import { expectDone, partnerOf } from './partner-calls.js';
import { loadPayment } from './payment-store.js';
import { newBuyer } from './payments.js';

/** The id of a hosted form must not be guessed. */
const FLOW_ID_BYTES = 18;

/** API names of dossier fields with another name. */
const apiNames: Readonly<Record<string, string>> = {
  email: 'buyerEmail',
  country: 'buyerCountry',
};

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
export type Handover =
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
  const handed = await handOver(deps, tenant, { ...start, entityType }, null);
  assert(handed.outcome !== 'changed', 'without a form nothing can have changed');
  return handed.outcome === 'submitted' ? handed.submission : expectDone(handed);
}

/** Submits a dossier; `form` if the buyer filled it in on the hosted page. */
export async function handOver(
  deps: Deps,
  tenant: Tenant,
  start: KycStart & { readonly entityType: EntityType },
  form: FormVersion | null,
): Promise<Handover> {
  const { entityType, dossier } = start;
  refuseTier(entityType, dossier);
  const { known, standing, tosId } = await deps.store.run((tx) => checkStart(tx, tenant, start));
  if (standing !== null) return { outcome: 'submitted', submission: standing };
  const partner = await partnerOf(deps, tenant);
  const kycTier = dossier.kycTier ?? 'standard';
  const whole = { ...dossier, email: start.email, tosId, kycTier };
  const previousRef = known === null || known.corrections === null ? null : known.partnerRef;
  // The form sends all of it, and an operator answers what it does not ask.
  const due = form === null && previousRef !== null ? known : null;
  refuseIncomplete(partner, entityType, whole, due);
  const reference = deps.ids.next('cmd', deps.clock.nowMs());
  const order = { ...whole, reference, role: 'buyer', entityType, previousRef } as const;
  const prepared = await partner.receiver.prepare(order);
  if (prepared.outcome === 'refused') return prepared;
  const request = expectDone(prepared);
  const handedIn = await handIn(deps, tenant, start, { id: reference, request }, form);
  if (handedIn === null) return { outcome: 'changed' };
  if (handedIn.command !== null) await runInline(deps, handedIn.command);
  const submission = await readSubmission(deps, tenant, handedIn.submissionId);
  return { outcome: 'submitted', submission };
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
  const opened = await openStart(deps, tx, tenant, start);
  if (opened.standing !== null) return opened.standing;
  return opened.stage((was) => {
    const random = Buffer.from(deps.ids.randomBytes(FLOW_ID_BYTES)).toString('base64url');
    const draft = change(readDraft(deps, was), was);
    return { draftSealed: sealDraft(deps, was, draft), flowId: was.flowId ?? random };
  });
}

/**
 * The submission and its order to the partner; no order if the submission exists. Null if the form
 * has another version.
 */
async function handIn(
  deps: Deps,
  tenant: Tenant,
  start: KycStart,
  order: { readonly id: string; readonly request: string },
  form: FormVersion | null,
): Promise<{ readonly submissionId: string; readonly command: PartnerCommand | null } | null> {
  const lease = deps.store.claims.newLease();
  const submittedAtMs = deps.clock.nowMs();
  return deps.store.run(async (tx) => {
    const opened = await openStart(deps, tx, tenant, start);
    if (opened.standing !== null) return { submissionId: opened.standing.id, command: null };
    if (form !== null && form.version !== opened.was?.version) return null;
    await stageReplaced(deps, tx, opened.was?.submitCommandId ?? null);
    const { id, buyerId } = opened.stage((was) => ({
      ...{ draftSealed: null, ...nothingDue, submitCommandId: order.id, submittedAtMs },
      // An approval was the decision: nothing is kept for a later one.
      dossierSealed:
        was.status === 'approved'
          ? null
          : sealDossier(deps, was, submittedDraft(readDraft(deps, was), start, form)),
    }));
    await stageSubmitted(deps, tx, tenant, { party: 'buyer', id: buyerId }, start.dossier);
    const subject = { kind: 'submission', id } as const;
    const command = partyOrder(deps, tenant, { ...order, kind: 'submit_buyer', subject, lease });
    tx.commands.insert(command);
    return { submissionId: id, command };
  });
}

function submittedDraft(draft: KycDraft, start: KycStart, form: FormVersion | null): KycDraft {
  const { entityType, dossier } = start;
  if (form !== null) return { ...form.draft, entityType, dossier, isHosted: true, corrected: [] };
  // Others than on the form may be in it.
  const others = { ownerNumbers: [], asked: [], corrected: [], isHosted: false };
  return withDossier(draft, { ...others, entityType, dossier });
}

type OpenedStart =
  /** In flight or approved. */
  | { readonly standing: KycSubmission }
  | {
      readonly standing: null;
      /** The row that awaits its dossier; null: a new one is made. */
      readonly was: KycSubmission | null;
      /** Stages it as started. */
      readonly stage: (changes: (was: KycSubmission) => Partial<KycSubmission>) => KycSubmission;
    };

async function openStart(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  start: KycStart,
): Promise<OpenedStart> {
  const { buyer, known, standing, tosId } = await checkStart(tx, tenant, start);
  if (standing !== null) return { standing };
  const isKnown = known !== null && (awaitsDossier(known) || answers(known, start));
  const was = isKnown ? known : null;
  const stage = (changes: (was: KycSubmission) => Partial<KycSubmission>) => {
    const fresh = was ?? newSubmissionOf(deps, tx, tenant, start, { buyer, known });
    // An answer about a buyer that is approved leaves it so.
    const status = nextKycStatus(fresh.status, 'submit') ?? fresh.status;
    const next = { ...fresh, status, tosId, ...changes(fresh) };
    if (was === null) tx.buyers.insertSubmission(next);
    else tx.buyers.updateSubmission(next);
    return next;
  };
  return { standing: null, was, stage };
}

interface CheckedStart {
  readonly buyer: Buyer | null;
  readonly known: KycSubmission | null;
  /** In flight or approved: returned instead of a start. */
  readonly standing: KycSubmission | null;
  readonly tosId: string | null;
}

/** The dossier answers what the partner wants of an approved buyer. */
function answers(known: KycSubmission, { entityType, dossier }: KycStart): boolean {
  return entityType !== null && known.status === 'approved' && isAnswer(known, dossier);
}

/** The refusals of a start, or the standing submission. Stores the first terms. */
async function checkStart(tx: Tx, tenant: Tenant, start: KycStart): Promise<CheckedStart> {
  const { email, paymentId, dossier } = start;
  const [payment, buyer] = await Promise.all([
    paymentId === null ? null : tx.payments.get(tenant, paymentId),
    tx.buyers.byEmail(tenant.mode, emailKey(email)),
  ]);
  if (paymentId !== null && payment === null) throw new PonteError('NotFound');
  const known = buyer === null ? null : await tx.buyers.submission(tenant, buyer.id);
  const sent = dossier.tosId ?? null;
  const tosId = boundTerms(known, sent);
  if (sent !== null && sent !== tosId) throw new PonteError('TosIdMismatch');
  if (known === null || !isInFlightOrApproved(known) || answers(known, start)) {
    return { buyer, known, standing: null, tosId };
  }
  const standing = { ...known, tosId };
  if (known.tosId !== tosId) tx.buyers.updateSubmission(standing);
  return { buyer, known, standing, tosId };
}

/** The first terms stay, unless they served a rejected party or the partner asks for others. */
function boundTerms(known: KycSubmission | null, sent: string | null): string | null {
  if (known === null) return sent;
  const { status, partnerRef, reason, tosId } = known;
  if (status === 'rejected' && (partnerRef !== null || reason === TERMS)) return sent;
  return isDue(known, TERMS) ? (sent ?? tosId) : (tosId ?? sent);
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
    partnerRef: null,
    reason: null,
    tosId: null,
    draftSealed: null,
    dossierSealed: null,
    ...nothingDue,
    submitCommandId: null,
    submittedAtMs: nowMs,
    approvedAtMs: null,
    rejectedAtMs: null,
    createdAtMs: nowMs,
    version: 1,
  });
}

function refuseIncomplete(
  partner: SettlementPartner,
  entityType: EntityType,
  dossier: Dossier,
  due: PartyDue | null,
): void {
  const extra = partner.requirements('buyer', entityType);
  const missing =
    due === null
      ? missingFields('buyer', entityType, dossier, extra)
      : // The partner knows the rest.
        unanswered(due, dossier);
  if (missing.length === 0) return;
  const paths = missing.map((path) => apiNames[path] ?? path).join(', ');
  const text = `The dossier of a buyer ${entityType} lacks: ${paths}. Send these fields too.`;
  throw new PonteError('TosIdMismatch', text);
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
  const submission = await deps.store.run((tx) => tx.buyers.submission(tenant, buyerId));
  if (submission === null) throw new PonteError('NotFound');
  return submission;
}

async function readSubmission(deps: Deps, tenant: Tenant, id: string): Promise<KycSubmission> {
  const submission = await deps.store.run((tx) => tx.buyers.submissionById(tenant, id));
  assert(submission !== null, 'a submission stays');
  return submission;
}
