// Starts a buyer's KYC, by the integrator or on the hosted page. A dossier is submitted to the
// partner inside the request, under a stored order. Without a dossier a hosted form waits for the
// buyer. The partner's decision ends in buyers.ts.
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

/** The initial values of the hosted form. */
interface KycDraft {
  readonly name: string | null;
  readonly dossier: Dossier;
}

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

export function readDraft(deps: Deps, { id, draftSealed }: KycSubmission): KycDraft {
  if (draftSealed === null) return { name: null, dossier: {} };
  return JSON.parse(deps.secretBox.open(draftSealed, draftPurpose({ id }))) as KycDraft;
}

async function startHosted(deps: Deps, tenant: Tenant, start: KycStart): Promise<KycSubmission> {
  const { id } = await deps.store.run((tx) =>
    stageStart(deps, tx, tenant, start, (was) => {
      const random = Buffer.from(deps.ids.randomBytes(FLOW_ID_BYTES)).toString('base64url');
      return { draftSealed: sealedDraft(deps, was, start), flowId: was.flowId ?? random };
    }),
  );
  return readSubmission(deps, tenant, id);
}

/** The submission and its order to the partner; no order if the submission exists. */
async function handIn(
  deps: Deps,
  tenant: Tenant,
  start: KycStart,
  order: { readonly id: string; readonly request: string },
): Promise<{ readonly submissionId: string; readonly command: PartnerCommand | null }> {
  const lease = deps.store.claims.newLease();
  return deps.store.run(async (tx) => {
    const submittedAtMs = deps.clock.nowMs();
    const changes = { draftSealed: null, submittedAtMs };
    const { id, buyerId, isStanding } = await stageStart(deps, tx, tenant, start, () => changes);
    if (isStanding) return { submissionId: id, command: null };
    await stageSubmitted(deps, tx, tenant, { party: 'buyer', id: buyerId }, start.dossier);
    const subject = { kind: 'submission', id } as const;
    const command = partyOrder(deps, tenant, { ...order, kind: 'submit_buyer', subject, lease });
    tx.commands.insert(command);
    return { submissionId: id, command };
  });
}

/** Stages a submission as started, new or waiting for its dossier, unless one is standing. */
async function stageStart(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  start: KycStart,
  changes: (was: KycSubmission) => Partial<KycSubmission>,
): Promise<Pick<KycSubmission, 'id' | 'buyerId'> & { readonly isStanding: boolean }> {
  const { buyer, known, standing, tosId } = await checkStart(tx, tenant, start);
  if (standing !== null) return { ...standing, isStanding: true };
  const was = known !== null && awaitsDossier(known) ? known : null;
  const fresh = was ?? newSubmissionOf(deps, tx, tenant, start, { buyer, known });
  const status = nextKycStatus(fresh.status, 'submit');
  assert(status !== null, 'a submission that awaits its dossier can be submitted');
  const next = { ...fresh, status, tosId, ...changes(fresh) };
  if (was === null) tx.buyers.insertSubmission(next);
  else tx.buyers.updateSubmission(next);
  return { ...next, isStanding: false };
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
function sealedDraft(deps: Deps, submission: KycSubmission, { name, dossier }: KycStart): string {
  const before = readDraft(deps, submission);
  const given = Object.entries(dossier).filter(([, value]) => value !== null);
  const draft: KycDraft = {
    name: name ?? before.name,
    dossier: { ...before.dossier, ...Object.fromEntries(given) },
  };
  return deps.secretBox.seal(JSON.stringify(draft), draftPurpose(submission));
}

async function readSubmission(deps: Deps, tenant: Tenant, id: string): Promise<KycSubmission> {
  const submission = await deps.store.run((tx) => tx.buyers.submissionById(tenant, id));
  assert(submission !== null, 'a submission stays');
  return submission;
}
