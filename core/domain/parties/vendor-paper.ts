// Documents that a buyer's accountants file before they pay a new vendor. Ponte keeps them and
// gives them out; it does not check what they say.
import { DAY_MS, HOUR_MS } from '../base/instant.js';
import { schedules } from '../base/schedules.js';
import type { Tenant } from '../base/tenant.js';
import type { Document } from './document.js';

/** Whose document a kind is: of who is paid (organization or seller), or of the account holder. */
export const vendorPapers = {
  w8: ['organization', 'seller'],
  engagement_letter: ['organization'],
  holder_tax_form: ['partner'],
  bank_letter: ['partner'],
  registration: ['partner'],
} as const satisfies Readonly<Record<string, readonly PaperOwner[]>>;

export type PaperKind = keyof typeof vendorPapers;
export type PaperOwner = 'organization' | 'seller' | 'partner';
const paperKinds = Object.keys(vendorPapers) as readonly PaperKind[];

/** It is marked from the first warning on. */
const PAPER_WARNING_DAYS = Math.max(...schedules.paperWarning.waitsMs) / DAY_MS;
/** The time of day in UTC: working hours in Europe and the Americas. */
const HOUR_OF_DAY_MS = 14 * HOUR_MS;

/** A document as it is kept; its kind is one of the table. */
export interface VendorPaper extends Document {
  readonly kind: PaperKind;
  readonly fileName: string;
}

export type PaperOf<O extends PaperOwner> = {
  [K in PaperKind]: O extends (typeof vendorPapers)[K][number] ? K : never;
}[PaperKind];

export function papersOwnedBy<O extends PaperOwner>(owner: O): readonly PaperOf<O>[] {
  return paperKinds.filter((kind): kind is PaperOf<O> => {
    const owners: readonly PaperOwner[] = vendorPapers[kind];
    return owners.includes(owner);
  });
}

/** What operators keep for the partner of a mode belongs to no organization. */
export function partnerPapers(mode: Tenant['mode']): Tenant & { readonly id: string } {
  return { orgId: 'service', mode, id: 'partner' };
}

export function isVendorPaper(document: Document): document is VendorPaper {
  return Object.hasOwn(vendorPapers, document.kind) && document.fileName !== null;
}

export const paperStates = ['valid', 'ends_soon', 'ended'] as const;
export type PaperState = (typeof paperStates)[number];

/** It is valid on its last day; `today` is a day of the calendar. */
export function paperStateOn(
  { expiresOn }: Pick<Document, 'expiresOn'>,
  today: string,
): PaperState {
  if (expiresOn === null) return 'valid';
  if (expiresOn < today) return 'ended';
  const days = (Date.parse(expiresOn) - Date.parse(today)) / DAY_MS;
  return days <= PAPER_WARNING_DAYS ? 'ends_soon' : 'valid';
}

/** When its owner is mailed, in order; nothing that was over when it came. */
function warningsMs({ expiresOn, createdAtMs }: VendorPaper): readonly number[] {
  if (expiresOn === null) return [];
  const lastMs = Date.parse(expiresOn) + HOUR_OF_DAY_MS;
  return schedules.paperWarning.waitsMs
    .toReversed()
    .map((waitMs) => lastMs - waitMs)
    .filter((atMs) => atMs > createdAtMs);
}

export function nextWarningAtMs(paper: VendorPaper, afterMs: number): number | null {
  return warningsMs(paper).find((atMs) => atMs > afterMs) ?? null;
}

/** The occasion of the mail that is due; null before the first, and once it has ended. */
export function warningAtMs(paper: VendorPaper, nowMs: number): number | null {
  const ended = paper.expiresOn !== null && nowMs > Date.parse(paper.expiresOn) + DAY_MS;
  return ended ? null : (warningsMs(paper).findLast((atMs) => atMs <= nowMs) ?? null);
}
