// Reads the parts of a proof in one batch of reads, and signs the manifest of a pack.
import type { Tenant } from '../../domain/base/tenant.js';
import type { MoneyCommand } from '../../domain/commands/partner-command.js';
import { manifestText, type PackAbout, type PackedFile } from '../../domain/law/pack.js';
import {
  type ArrivedTransfer,
  type Proof,
  type ProofAudience,
  type ProofSource,
  proofOf,
} from '../../domain/law/proof.js';
import { ownEventId } from '../../domain/payments/event.js';
import { postingKinds, type StoredPosting } from '../../domain/payments/ledger.js';
import { signRecord } from '../../domain/service/service-key.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { payerOf } from '../deposits/deposit-matching.js';
import { attachmentOf } from '../parties/attachments.js';
import { loadOrganization } from '../parties/organizations.js';
import { loadView } from '../payments/payment-store.js';
import { currentKey, recordKeys } from '../service/service-keys.js';

/** NotFound; PaymentStateConflict before the settlement. */
export function readProof(
  deps: Deps,
  tenant: Tenant,
  paymentId: string,
  audience: ProofAudience,
): Promise<Proof> {
  return deps.store.run(async (tx) => {
    return proofOf(await sourceOf(deps, tx, tenant, paymentId), audience);
  });
}

async function sourceOf(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  paymentId: string,
): Promise<ProofSource> {
  const view = await loadView(tx, tenant, paymentId);
  const { payment } = view;
  if (view.settlements.length === 0) throw new PonteError('PaymentStateConflict');
  const { quoteId } = payment;
  const [organization, quote, commands, postings, events, details, attachment] = await Promise.all([
    loadOrganization(tx, tenant.orgId),
    quoteId === null ? null : tx.quotes.get(tenant, quoteId),
    tx.commands.ofPayment(tenant, paymentId),
    tx.ledger.ofSubject(tenant, paymentId),
    eventsOf(tx, tenant, paymentId),
    tx.bankDetails.ofPayment(tenant, paymentId),
    attachmentOf(tx, payment),
  ]);
  const { fileName = '', contentType = '', sizeBytes = 0 } = attachment ?? {};
  return {
    view,
    organization: organization.name,
    quote,
    transfers: await transfersOf(deps, tx, commands, postings),
    postings: postings.toSorted(compare).map((posting) => ({ ...posting, subjectId: paymentId })),
    events,
    details,
    invoice: attachment && { fileName, contentType, sizeBytes },
  };
}

/** In the order of one change. */
function compare(one: StoredPosting, other: StoredPosting): number {
  if (one.atMs !== other.atMs) return one.atMs - other.atMs;
  return postingKinds.indexOf(one.kind) - postingKinds.indexOf(other.kind);
}

/** The pay-ins that have money, oldest first. */
async function transfersOf(
  deps: Deps,
  tx: Tx,
  commands: readonly MoneyCommand[],
  postings: readonly StoredPosting[],
): Promise<readonly ArrivedTransfer[]> {
  const payins = commands
    .filter(({ kind, receivedMinor }) => kind === 'payin' && receivedMinor > 0n)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const arrivals = postings.filter(({ kind }) => kind === 'funds_received');
  return Promise.all(
    payins.map(async (payin) => {
      const { depositId, createdAtMs } = payin;
      const deposit = depositId === null ? null : await tx.deposits.get(depositId);
      const arrival = arrivals.find(({ atMs }) => atMs >= createdAtMs) ?? arrivals[0];
      const receivedAtMs = deposit?.completedAtMs ?? arrival?.atMs ?? null;
      return { payin, receivedAtMs, payer: deposit && payerOf(deps, deposit) };
    }),
  );
}

/** Those that were not pruned, each with the head of the feed before it. */
async function eventsOf(tx: Tx, tenant: Tenant, paymentId: string): Promise<ProofSource['events']> {
  const notes = await tx.feed.ofSubject(tenant, paymentId);
  // An alias has the link of its event.
  const own = notes.filter(({ id }) => ownEventId(id) === id);
  const events = await Promise.all(own.map(({ id }) => tx.feed.get(tenant, id)));
  const all = { subjectId: null, type: null, fromSequence: 1 };
  const linked = events.map(async (event) => {
    if (event === null) return [];
    const before = { beforeSequence: event.sequence, limit: 1 };
    const [previous] = await tx.feed.newest(tenant, all, before);
    // Without its predecessor, which was pruned, a link proves nothing.
    if (event.sequence > 1 && previous?.sequence !== event.sequence - 1) return [];
    return [{ ...event, previousChainHash: previous?.chainHash ?? '' }];
  });
  return (await Promise.all(linked)).flat().sort((one, other) => one.sequence - other.sequence);
}

/** What signs a pack. A rotation while the pack is written changes none of it. */
export type PackSigner = Awaited<ReturnType<typeof packSigner>>;

export async function packSigner(deps: Deps) {
  const key = await currentKey(deps, 'record');
  return { key, published: await recordKeys(deps) };
}

/** The manifest, and a detached JWS over it. */
export function signManifest(
  { settings }: Pick<Deps, 'settings'>,
  { key }: PackSigner,
  about: Omit<PackAbout, 'issuer'>,
  files: readonly PackedFile[],
) {
  const manifest = manifestText({ ...about, issuer: settings.baseUrl }, files);
  return { manifest, signature: signRecord(key, manifest) };
}
