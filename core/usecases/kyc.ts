// Starting a buyer's KYC, by the integrator or on the hosted page: the buyer is found or made by
// its address, a dossier goes to the partner under a stored order and inside the request, and
// without one a hosted form waits for the buyer. What the partner decides ends in buyers.ts.
import {
  awaitsDossier,
  type Buyer,
  draftPurpose,
  emailKey,
  isInFlightOrApproved,
  type KycSubmission,
  nextKycStatus,
} from '../domain/buyer-kyc.js';
import type { EntityType } from '../domain/connected-account.js';
import { type Dossier, missingFields } from '../domain/dossier.js';
import type { PartnerCommand } from '../domain/partner-command.js';
import type { Tenant } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { SettlementPartner } from '../ports/partner.js';
import type { Tx } from '../ports/storage.js';
import { newSubmission } from './buyers.js';
import { runInline } from './command-runner.js';
import { stageSubmitted } from './documents.js';
import { partyOrder, refuseTier } from './onboarding.js';
import { expectDone, partnerOf } from './partner-calls.js';
import { loadPayment } from './payment-store.js';
import { newBuyer } from './payments.js';

/** Bytes of a hosted form's id: 144 bits, at least 128 are asked for. */
const FLOW_ID_BYTES = 18;

/** How the API names what the dossier names otherwise. */
const apiNames: Readonly<Record<string, string>> = {
  email: 'buyerEmail',
  country: 'buyerCountry',
};

export interface KycStart {
  readonly email: string;
  /** As the integrator knows the buyer: it pre-fills the hosted form and proves nothing. */
  readonly name: string | null;
  /** Null: the buyer tells the rest on the hosted form. */
  readonly entityType: EntityType | null;
  /** A payment of the tenant, for which this is done; null for none. */
  readonly paymentId: string | null;
  readonly dossier: Dossier;
}

/** What a buyer says of itself on the hosted form. */
export interface BuyerDossier extends Dossier {
  readonly entityType: EntityType;
}

/** What the hosted form begins with. */
export interface KycDraft {
  readonly name: string | null;
  readonly dossier: Dossier;
}

/**
 * Starts the buyer's KYC with this tenant. One that is in flight or approved is answered as it is;
 * one that awaits its dossier is joined; after a rejection there is a fresh one.
 * Refuses with ValidationError (what the dossier may not say), NotFound (the payment),
 * TosIdMismatch (other terms than those recorded, or fields that are missing), PartnerUnavailable.
 */
export async function startBuyerKyc(
  deps: Deps,
  tenant: Tenant,
  start: KycStart,
): Promise<KycSubmission> {
  const { entityType, dossier } = start;
  if (entityType === null) return startHosted(deps, tenant, start);
  refuseTier(entityType, dossier);
  const { standing, tosId } = await deps.store.run((tx) => checkStart(tx, tenant, start));
  if (standing !== null) return standing;
  const partner = await partnerOf(deps, tenant);
  const kycTier = dossier.kycTier ?? 'standard';
  const whole = { ...dossier, email: start.email, tosId, kycTier };
  refuseIncomplete(partner, entityType, whole);
  const reference = deps.ids.next('cmd', deps.clock.nowMs());
  const order = { ...whole, reference, role: 'buyer', entityType } as const;
  const request = expectDone(await partner.receiver.prepare(order));
  const handedIn = await handIn(deps, tenant, start, { id: reference, request });
  if (handedIn.command !== null) await runInline(deps, handedIn.command);
  return readSubmission(deps, tenant, handedIn.submissionId);
}

/** The buyer of a payment hands its dossier in: the same way as by the API. */
export async function submitBuyerKyc(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  { entityType, ...dossier }: BuyerDossier,
): Promise<KycSubmission> {
  const { payment } = await deps.store.run((tx) => loadPayment(tx, tenant, paymentId));
  const { email, name } = payment.buyer;
  return startBuyerKyc(deps, tenant, { email, name, entityType, paymentId, dossier });
}

/** What was said of the buyer before the form is filled in. */
export function readDraft(deps: Deps, { id, draftSealed }: KycSubmission): KycDraft {
  if (draftSealed === null) return { name: null, dossier: {} };
  return JSON.parse(deps.secretBox.open(draftSealed, draftPurpose({ id }))) as KycDraft;
}

async function startHosted(deps: Deps, tenant: Tenant, start: KycStart): Promise<KycSubmission> {
  const submissionId = await deps.store.run(async (tx) => {
    const { buyer, known, standing, tosId } = await checkStart(tx, tenant, start);
    if (standing !== null) return standing.id;
    const was = waiting(known);
    const fresh = was ?? newSubmissionOf(deps, tx, tenant, start, { buyer, known });
    const random = Buffer.from(deps.ids.randomBytes(FLOW_ID_BYTES)).toString('base64url');
    const draftSealed = sealedDraft(deps, fresh, start);
    const status = submittedStatus(fresh);
    const next = { ...fresh, status, tosId, draftSealed, flowId: fresh.flowId ?? random };
    if (was === null) tx.buyers.insertSubmission(next);
    else tx.buyers.updateSubmission(next);
    return next.id;
  });
  return readSubmission(deps, tenant, submissionId);
}

/** The order to the partner, and the submission it serves; no order when there is one standing. */
async function handIn(
  deps: Deps,
  tenant: Tenant,
  start: KycStart,
  order: { readonly id: string; readonly request: string },
): Promise<{ readonly submissionId: string; readonly command: PartnerCommand | null }> {
  const lease = deps.store.claims.newLease();
  return deps.store.run(async (tx) => {
    const { buyer, known, standing, tosId } = await checkStart(tx, tenant, start);
    if (standing !== null) return { submissionId: standing.id, command: null };
    const was = waiting(known);
    const fresh = was ?? newSubmissionOf(deps, tx, tenant, start, { buyer, known });
    const { id: submissionId, buyerId } = fresh;
    await stageSubmitted(deps, tx, tenant, { party: 'buyer', id: buyerId }, start.dossier);
    const nowMs = deps.clock.nowMs();
    const status = submittedStatus(fresh);
    const next = { ...fresh, status, tosId, draftSealed: null, submittedAtMs: nowMs };
    if (was === null) tx.buyers.insertSubmission(next);
    else tx.buyers.updateSubmission(next);
    const subject = { kind: 'submission', id: submissionId } as const;
    const command = partyOrder(deps, tenant, { ...order, kind: 'submit_buyer', subject, lease });
    tx.commands.insert(command);
    return { submissionId, command };
  });
}

interface CheckedStart {
  readonly buyer: Buyer | null;
  readonly known: KycSubmission | null;
  /** The submission to answer with: in flight or approved. */
  readonly standing: KycSubmission | null;
  /** The first terms that were sent. */
  readonly tosId: string | null;
}

/** The refusals of a start, or the submission that makes it needless. Records the first terms. */
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

/** The submission that waits for its dossier, if this is one. */
function waiting(known: KycSubmission | null): KycSubmission | null {
  return known !== null && awaitsDossier(known) ? known : null;
}

function submittedStatus({ status }: KycSubmission): KycSubmission['status'] {
  const next = nextKycStatus(status, 'submit');
  assert(next !== null, 'what waits for its dossier can be submitted');
  return next;
}

/** For this buyer, who is made with it when nobody knows the address. */
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

/** What was said before stays where it is not said anew. */
function sealedDraft(deps: Deps, submission: KycSubmission, { name, dossier }: KycStart): string {
  const before = readDraft(deps, submission);
  const told = Object.entries(dossier).filter(([, value]) => value !== null);
  const draft: KycDraft = {
    name: name ?? before.name,
    dossier: { ...before.dossier, ...Object.fromEntries(told) },
  };
  return deps.secretBox.seal(JSON.stringify(draft), draftPurpose(submission));
}

async function readSubmission(deps: Deps, tenant: Tenant, id: string): Promise<KycSubmission> {
  const submission = await deps.store.run((tx) => tx.buyers.submissionById(tenant, id));
  assert(submission !== null, 'a submission stays');
  return submission;
}
