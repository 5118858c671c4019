// A connected account: a client of an integrator (a seller or a known buyer), verified by the
// partner: when a seller is ready to collect, and the events that follow from a change. Its states
// are those of a party (party.ts); required data is in dossier.ts.
import { invalid, PonteError } from '../../errors.js';
import { type Locale, localeIn } from '../base/locale.js';
import type { Tenant } from '../base/tenant.js';
import { areTermsUsed, isDecision, isSubmitted, partyStatuses, withTerms } from './party.js';
import { isAsked } from './party-due.js';
import { isRedirected, type Payee, withOwnPayout } from './payee.js';

/** `created` is `none` in the table of parties. */
export const accountStatuses = ['created', ...partyStatuses] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export const roles = ['seller', 'buyer'] as const;
export type Role = (typeof roles)[number];
export const entityTypes = ['business', 'individual'] as const;
export type EntityType = (typeof entityTypes)[number];

/** Each with the prefix `connected_account.`. */
export const accountEventTypes = [
  'created',
  'kyb_approved',
  'kyb_rejected',
  'ready_to_collect',
  'requirements_due',
  'payout_changed',
] as const;
export type AccountEventType = (typeof accountEventTypes)[number];

export interface ConnectedAccount extends Tenant, Payee {
  readonly id: string;
  /** The integrator's key, unique per tenant. */
  readonly externalId: string | null;
  readonly role: Role;
  readonly entityType: EntityType;
  readonly status: AccountStatus;
  /** Our id of the submitted party, shown by the API; new for each submission. */
  readonly receiverId: string | null;
  readonly email: string | null;
  readonly legalName: string | null;
  readonly displayName: string | null;
  readonly country: string | null;
  /** As chosen; null: that of its country. */
  readonly locale: Locale | null;
  /** Sealed by the secret box; never returned. */
  readonly taxIdSealed: string | null;
  readonly taxIdLast4: string | null;
  /** Our key of the latest terms session. */
  readonly tosSessionKey: string | null;
  /** When connected_account.ready_to_collect was sent; it is sent once. */
  readonly readyAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** What a payment to the seller stores as its payee. */
export function payeeNameOf({ legalName, displayName }: ConnectedAccount): string | null {
  return legalName ?? displayName;
}

/** The language of mails to a payee, and of pages that they link; null: the organization. */
export function payeeLocale(account: Pick<ConnectedAccount, 'locale' | 'country'> | null): Locale {
  return account?.locale ?? localeIn(account?.country ?? null);
}

/** A seller that payments can be made to. */
export function readyToCollect(account: ConnectedAccount): boolean {
  return (
    account.role === 'seller' &&
    account.status === 'approved' &&
    account.railsRef !== null &&
    account.destinationRef !== null
  );
}

/** What a seller needs before payments can be made to it, in this order. */
const sellerNeeds = {
  terms: ({ tosId, status }) => tosId !== null || status === 'approved',
  submission: ({ status }) => isSubmitted(status),
  answers: ({ corrections }) => corrections === null,
  approval: ({ status }) => status === 'approved',
  pix_destination: ({ destinationRef }) => destinationRef !== null,
  wallet: ({ railsRef }) => railsRef !== null,
} as const satisfies Readonly<Record<string, (account: ConnectedAccount) => boolean>>;

export type SellerNeed = keyof typeof sellerNeeds;

/** What is missing; of a seller that is ready it may be an answer that the partner waits for. */
export function sellerLacks(account: ConnectedAccount): readonly SellerNeed[] {
  const needs = Object.keys(sellerNeeds) as readonly SellerNeed[];
  return needs.filter((need) => !sellerNeeds[need](account));
}

export function countsAsBuyerKyc(account: Pick<ConnectedAccount, 'role' | 'status'>): boolean {
  return account.role === 'buyer' && account.status === 'approved';
}

/** The changed account with what follows from the change. */
export function changedAccount(
  was: ConnectedAccount,
  changed: ConnectedAccount,
  nowMs: number,
): ConnectedAccount {
  const own = { ...withOwnPayout(was, changed), updatedAtMs: nowMs };
  const next = isDecision(was, own) && areTermsUsed(own) ? { ...own, tosSessionKey: null } : own;
  const isFirst = next.readyAtMs === null && readyToCollect(next);
  return Object.freeze(isFirst ? { ...next, readyAtMs: nowMs } : next);
}

/** TosSessionRequired before a session, TosIdMismatch. */
export function accountTermsAccepted(account: ConnectedAccount, tosId: string): ConnectedAccount {
  if (account.tosSessionKey === null) throw new PonteError('TosSessionRequired');
  return withTerms(account, tosId);
}

/**
 * The partner's id of a seller that a PIX destination can be registered for. ValidationError,
 * ConnectedAccountNotApproved, also if the seller is another party than `known`.
 */
export function payableSeller(account: ConnectedAccount, known = account.partnerRef): string {
  if (account.role !== 'seller') {
    throw invalid('role: only a seller has a payout. This is a buyer.');
  }
  const { status, partnerRef } = account;
  if (status === 'approved' && partnerRef !== null && partnerRef === known) return partnerRef;
  throw new PonteError('ConnectedAccountNotApproved');
}

/** `was` is null at its creation. */
export function accountEvents(
  was: ConnectedAccount | null,
  next: ConnectedAccount,
): readonly AccountEventType[] {
  if (was === null) return ['created'];
  const fired: AccountEventType[] = [];
  if (isDecision(was, next)) {
    fired.push(next.status === 'approved' ? 'kyb_approved' : 'kyb_rejected');
  }
  if (next.readyAtMs !== null && was.readyAtMs === null) fired.push('ready_to_collect');
  if (isAsked(was, next)) fired.push('requirements_due');
  if (isRedirected(was, next)) fired.push('payout_changed');
  return fired;
}

export function taxIdPurpose({ id }: Pick<ConnectedAccount, 'id'>): string {
  return `connected-account:${id}`;
}

/** What an account is found by. */
export function searchedNamesOf({
  legalName,
  displayName,
  externalId,
  email,
}: ConnectedAccount): readonly (string | null)[] {
  return [legalName, displayName, externalId, email];
}
