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
import { stopPolling } from '../domain/order-report.js';
import { isOpen, isPolled, type PartnerCommand } from '../domain/partner-command.js';
import type { Tenant } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { PartnerAnswer, SettlementPartner } from '../ports/partner.js';
import type { Tx } from '../ports/storage.js';
import { newSubmission } from './buyers.js';
import { runInline } from './command-runner.js';
import { stageSubmitted } from './documents.js';
import { readDraft, sealDossier, sealDraft } from './kyc-drafts.js';
import { partyOrder, refuseTier } from './onboarding.js';
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
  const { standing, tosId } = await deps.store.run((tx) => checkStart(tx, tenant, start));
  if (standing !== null) return { outcome: 'submitted', submission: standing };
  const partner = await partnerOf(deps, tenant);
  const kycTier = dossier.kycTier ?? 'standard';
  const whole = { ...dossier, email: start.email, tosId, kycTier };
  refuseIncomplete(partner, entityType, whole);
  const reference = deps.ids.next('cmd', deps.clock.nowMs());
  const order = { ...whole, reference, role: 'buyer', entityType } as const;
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
    await stageReplaced(deps, tx, opened.was);
    const { id, buyerId } = opened.stage((was) => ({
      ...{ draftSealed: null, corrections: null, submitCommandId: order.id, submittedAtMs },
      dossierSealed: sealDossier(deps, was, submittedDraft(readDraft(deps, was), start, form)),
    }));
    await stageSubmitted(deps, tx, tenant, { party: 'buyer', id: buyerId }, start.dossier);
    const subject = { kind: 'submission', id } as const;
    const command = partyOrder(deps, tenant, { ...order, kind: 'submit_buyer', subject, lease });
    tx.commands.insert(command);
    return { submissionId: id, command };
  });
}

/** The order of the dossier before has ended for us: its reports do not count any more. */
async function stageReplaced(deps: Deps, tx: Tx, was: KycSubmission | null): Promise<void> {
  const orderId = was?.submitCommandId ?? null;
  const order = orderId === null ? null : await tx.commands.get(orderId);
  if (order === null || !isPolled(order) || !isOpen(order)) return;
  tx.commands.update(stopPolling(order, deps.clock.nowMs()));
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
  const was = known !== null && awaitsDossier(known) ? known : null;
  const stage = (changes: (was: KycSubmission) => Partial<KycSubmission>) => {
    const fresh = was ?? newSubmissionOf(deps, tx, tenant, start, { buyer, known });
    const status = nextKycStatus(fresh.status, 'submit');
    assert(status !== null, 'a submission that awaits its dossier can be submitted');
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

/** The refusals of a start, or the standing submission. Stores the first terms. */
async function checkStart(
  tx: Tx,
  tenant: Tenant,
  { email, paymentId, dossier }: KycStart,
): Promise<CheckedStart> {
  const [payment, buyer] = await Promise.all([
    paymentId === null ? null : tx.payments.get(tenant, paymentId),
    tx.buyers.byEmail(tenant.mode, emailKey(email)),
  ]);
  if (paymentId !== null && payment === null) throw new PonteError('NotFound');
  const known = buyer === null ? null : await tx.buyers.submission(tenant, buyer.id);
  const sent = dossier.tosId ?? null;
  const tosId = known?.tosId ?? sent;
  if (sent !== null && sent !== tosId) throw new PonteError('TosIdMismatch');
  if (known === null || !isInFlightOrApproved(known)) {
    return { buyer, known, standing: null, tosId };
  }
  const standing = { ...known, tosId };
  if (known.tosId !== tosId) tx.buyers.updateSubmission(standing);
  return { buyer, known, standing, tosId };
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

function refuseIncomplete(
  partner: SettlementPartner,
  entityType: EntityType,
  dossier: Dossier,
): void {
  const extra = partner.requirements('buyer', entityType);
  const missing = missingFields('buyer', entityType, dossier, extra);
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

async function readSubmission(deps: Deps, tenant: Tenant, id: string): Promise<KycSubmission> {
  const submission = await deps.store.run((tx) => tx.buyers.submissionById(tenant, id));
  assert(submission !== null, 'a submission stays');
  return submission;
}
