// Documents for the files of buyers: kept like the attachments of invoices, one of each kind and
// owner. A new one replaces the one before. One that has expired is not offered to buyers.
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { dayOf } from '../../domain/base/time-zone.js';
import {
  type ContentType,
  type Document,
  type DocumentOwner,
  fileNameOf,
  isOfOwner,
  purgeRequested,
} from '../../domain/parties/document.js';
import {
  isVendorPaper,
  type PaperKind,
  type PaperOwner,
  paperStateOn,
  papersOwnedBy,
  partnerPapers,
  type VendorPaper,
} from '../../domain/parties/vendor-paper.js';
import type { Payment } from '../../domain/payments/payment.js';
import { expectFound, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { audited, recordExport } from '../service/audit-log.js';
import { type AttachmentRefusal, storeNamedFile } from './attachments.js';
import { contentOf, createUpload, type Upload, type UploadInput } from './documents.js';
import { loadOrganization } from './organizations.js';

/** Who has papers: an organization or a seller (its id) in a tenant, or the partner of a mode. */
export interface PaperHolder extends Tenant {
  readonly kind: PaperOwner;
  readonly id: string;
}

interface NewPaper {
  readonly kind: PaperKind;
  /** YYYY-MM-DD; null: it does not expire. */
  readonly expiresOn: string | null;
  readonly fileName: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whose uploads are limited. */
  readonly uploaderId: string;
}

export function partnerHolder(mode: Tenant['mode']): PaperHolder {
  return { ...partnerPapers(mode), kind: 'partner' };
}

/** The papers that are kept, by kind. NotFound for a seller that the tenant does not have. */
export function listPapers(deps: Deps, holder: PaperHolder): Promise<readonly VendorPaper[]> {
  return deps.store.run(async (tx) => {
    await expectSeller(tx, holder);
    return papersOf(tx, holder);
  });
}

/** NotFound: an id of another kind of holder is no seller's. */
async function expectSeller(tx: Tx, holder: PaperHolder): Promise<void> {
  if (holder.kind !== 'seller' || (await tx.accounts.get(holder, holder.id)) !== null) return;
  throw new PonteError('NotFound');
}

/** Null, or why the file is not taken. ValidationError for a kind of another owner. */
export async function storePaper(
  deps: Deps,
  holder: PaperHolder,
  { kind, expiresOn, uploaderId, ...file }: NewPaper,
): Promise<AttachmentRefusal | null> {
  await expectKind(deps, holder, kind);
  const stored = await storeNamedFile(deps, tenantOf(holder), uploaderId, file, (contentType) =>
    inputOf(holder, { kind, expiresOn, contentType, fileName: file.fileName }),
  );
  return typeof stored === 'string' ? stored : null;
}

/**
 * The URL to upload a paper. ValidationError for a kind of another owner, KycStorageDisabled,
 * NotFound.
 */
export async function createPaperUpload(
  deps: Deps,
  holder: PaperHolder,
  paper: NamedPaper,
): Promise<Upload> {
  await expectKind(deps, holder, paper.kind);
  return createUpload(deps, tenantOf(holder), inputOf(holder, paper));
}

interface NamedPaper extends Pick<NewPaper, 'kind' | 'expiresOn' | 'fileName'> {
  readonly contentType: ContentType;
}

async function expectKind(deps: Deps, holder: PaperHolder, kind: PaperKind): Promise<void> {
  const kinds: readonly PaperKind[] = papersOwnedBy(holder.kind);
  if (!kinds.includes(kind)) throw invalid(`kind: send one of ${kinds.join(', ')}.`);
  await deps.store.run((tx) => expectSeller(tx, holder));
}

function inputOf(holder: PaperHolder, { fileName, ...paper }: NamedPaper): UploadInput {
  const named = fileNameOf(fileName, paper.contentType);
  return { owner: ownerOf(holder), ownerIndex: null, ...paper, fileName: named };
}

/** The paper as it was. NotFound. */
export async function removePaper(
  deps: Deps,
  holder: PaperHolder,
  id: string,
): Promise<VendorPaper> {
  const removed = await deps.store.run(async (tx) => {
    await expectSeller(tx, holder);
    const papers = await papersOf(tx, holder);
    const paper = expectFound(papers.find((one) => one.id === id));
    tx.documents.update(purgeRequested(paper, deps.clock.nowMs()));
    return paper;
  });
  deps.wake('documents');
  return removed;
}

/** What the buyer of a payment may have: of its payee, of the organization, of the partner. */
export async function offeredPapers(
  tx: Tx,
  payment: Payment,
  nowMs: number,
): Promise<readonly VendorPaper[]> {
  const tenant = tenantOf(payment);
  const { sellerExternalId: name } = payment;
  const [{ timeZone }, seller] = await Promise.all([
    loadOrganization(tx, tenant.orgId),
    name === null ? null : tx.accounts.byExternalId(tenant, name),
  ]);
  const ofSeller = seller && ({ ...tenant, kind: 'seller', id: seller.id } as const);
  const organization = { ...tenant, kind: 'organization', id: tenant.orgId } as const;
  const holders = [ofSeller, organization, partnerHolder(tenant.mode)];
  const found = await Promise.all(holders.map((holder) => (holder ? papersOf(tx, holder) : [])));
  const today = dayOf(timeZone, nowMs);
  // A seller is paid, not the organization: the buyer gets no tax form of the latter.
  const offered = found.flatMap((papers, at) =>
    papers.filter(({ kind }) => at !== 1 || ofSeller === null || kind !== 'w8'),
  );
  return offered.filter((paper) => paperStateOn(paper, today) !== 'ended');
}

/**
 * The papers of a payment, opened one after another, for one download, which the audit log has.
 * NotFound without any.
 */
export async function downloadPapers(deps: Deps, payment: Payment) {
  const nowMs = deps.clock.nowMs();
  const papers = await deps.store.run((tx) => offeredPapers(tx, payment, nowMs));
  if (papers.length === 0) throw new PonteError('NotFound');
  const filter = `vendor documents of ${payment.id}`;
  // A page that is only read has no author.
  const actor = { kind: 'buyer', id: payment.id } as const;
  const { orgId } = payment;
  const recorded = audited(deps, { actor, orgId, action: 'download vendor documents' });
  await recordExport(recorded, tenantOf(payment), { filter, rows: papers.length });
  return papers.map((paper, at) => async () => {
    const content = await contentOf(deps, paper);
    return content && { ...content, name: `${at + 1}-${paper.kind}-${paper.fileName}` };
  });
}

function ownerOf({ id }: PaperHolder): DocumentOwner {
  return { party: 'vendor', id };
}

async function papersOf(tx: Tx, holder: PaperHolder): Promise<readonly VendorPaper[]> {
  const found: readonly Document[] = await tx.documents.ofVendor(holder, holder.id);
  const kinds: readonly PaperKind[] = papersOwnedBy(holder.kind);
  return found
    .filter(isVendorPaper)
    .filter((paper) => isOfOwner(paper, holder, ownerOf(holder)))
    .toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}
