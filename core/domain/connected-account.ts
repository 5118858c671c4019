// A connected account: a client of an integrator (a seller or a known buyer), verified by the
// partner: its states, when a seller is ready to collect, and the events and orders that follow
// from a change. Required data is in dossier.ts.
import { PonteError } from '../errors.js';
import { type MoveOf, machine } from './machine.js';
import { isAsked, isDue, isSameDue, nothingDue, type PartyDue, TERMS } from './party-due.js';
import type { Tenant } from './tenant.js';

export const accountMoves = {
  created: { submit: 'verifying' },
  verifying: { approve: 'approved', reject: 'rejected' },
  approved: { reject: 'rejected', pause: 'verifying' },
  rejected: { submit: 'verifying' },
} as const;

export type AccountStatus = keyof typeof accountMoves;
export type AccountMove = MoveOf<typeof accountMoves>;
export const { states: accountStatuses, next: nextAccountStatus } = machine(accountMoves);

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
] as const;
export type AccountEventType = (typeof accountEventTypes)[number];

export interface ConnectedAccount extends Tenant, PartyDue {
  readonly id: string;
  /** The integrator's key, unique per tenant. */
  readonly externalId: string | null;
  readonly role: Role;
  readonly entityType: EntityType;
  readonly status: AccountStatus;
  /** Our id of the party at the partner; new for each submission. */
  readonly receiverId: string | null;
  /** The command of the latest submission; reports about earlier ones are ignored. */
  readonly submitCommandId: string | null;
  /** The partner's id of the party; never shown. */
  readonly partnerRef: string | null;
  readonly email: string | null;
  readonly legalName: string | null;
  readonly displayName: string | null;
  readonly country: string | null;
  /** Sealed by the secret box; never returned. */
  readonly taxIdSealed: string | null;
  readonly taxIdLast4: string | null;
  /** Our key of the latest terms session. */
  readonly tosSessionKey: string | null;
  readonly tosId: string | null;
  /** The partner's reference of the PIX destination; the PIX key itself is never stored. */
  readonly destinationRef: string | null;
  /** The command that requests the off-ramp wallet; null before it, and after a refusal. */
  readonly railsCommandId: string | null;
  /** The partner's off-ramp wallet (settlement rails). */
  readonly railsRef: string | null;
  /** When connected_account.ready_to_collect was sent; it is sent once. */
  readonly readyAtMs: number | null;
  readonly reason: string | null;
  readonly approvedAtMs: number | null;
  readonly rejectedAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly version: number;
}

/** A submit returns the account unchanged. */
export function isSubmitted(status: AccountStatus): boolean {
  return nextAccountStatus(status, 'submit') === null;
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

export function countsAsBuyerKyc(account: Pick<ConnectedAccount, 'role' | 'status'>): boolean {
  return account.role === 'buyer' && account.status === 'approved';
}

/** Submits the account to the partner as a new party. */
export function submitted(
  account: ConnectedAccount,
  submission: Pick<ConnectedAccount, 'receiverId' | 'submitCommandId'> & AccountDetails,
  nowMs: number,
): ConnectedAccount {
  const status = nextAccountStatus(account.status, 'submit');
  if (status === null) return account;
  // Destination and wallet belong to the earlier party.
  const fresh = { partnerRef: null, destinationRef: null, railsCommandId: null, railsRef: null };
  const undecided = { reason: null, approvedAtMs: null, rejectedAtMs: null };
  return changed(account, { ...submission, ...fresh, ...undecided, ...nothingDue, status }, nowMs);
}

/** Answers what the partner wants of the party that it knows. */
export function answered(
  account: ConnectedAccount,
  answer: Pick<ConnectedAccount, 'submitCommandId'> & AccountDetails,
  nowMs: number,
): ConnectedAccount {
  return changed(account, { ...answer, ...nothingDue }, nowMs);
}

/** The partner refused the answer: the order before counts again. */
export function answerRefused(
  account: ConnectedAccount,
  submitCommandId: string,
  nowMs: number,
): ConnectedAccount {
  return changed(account, { submitCommandId }, nowMs);
}

export function accepted(
  account: ConnectedAccount,
  partnerRef: string,
  nowMs: number,
): ConnectedAccount {
  return account.partnerRef === null ? changed(account, { partnerRef }, nowMs) : account;
}

/** An answer was approved as another party: what was registered belongs to the one before. */
export function replaced(
  account: ConnectedAccount,
  partnerRef: string,
  nowMs: number,
): ConnectedAccount {
  if (account.partnerRef === null || account.partnerRef === partnerRef) return account;
  const fresh = { destinationRef: null, railsCommandId: null, railsRef: null };
  return changed(account, { partnerRef, ...fresh }, nowMs);
}

/** Unchanged where the table has no such move. */
export function decided(
  account: ConnectedAccount,
  { decision, reason, railsCommandId }: Decision,
  nowMs: number,
): ConnectedAccount {
  const status = nextAccountStatus(account.status, decision);
  if (status === null) return account;
  const moment =
    decision === 'approve'
      ? { approvedAtMs: nowMs }
      : { rejectedAtMs: nowMs, ...nothingDue, ...withoutUsedTerms(account, reason) };
  return requestingRails(changed(account, { status, reason, ...moment }, nowMs), railsCommandId);
}

/** Terms serve one party of the partner; it may also have refused them. */
function withoutUsedTerms({ partnerRef }: ConnectedAccount, reason: string | null) {
  const areUsed = partnerRef !== null || reason === TERMS;
  return areUsed ? { tosId: null, tosSessionKey: null } : {};
}

/** The partner suspends its approval: the account cannot collect. */
export function paused(account: ConnectedAccount, nowMs: number): ConnectedAccount {
  const status = nextAccountStatus(account.status, 'pause');
  return status === null ? account : changed(account, { status }, nowMs);
}

export function withDue(account: ConnectedAccount, due: PartyDue, nowMs: number): ConnectedAccount {
  return isSameDue(account, due) ? account : changed(account, due, nowMs);
}

export function termsAccepted(
  account: ConnectedAccount,
  tosId: string,
  nowMs: number,
): ConnectedAccount {
  if (account.tosSessionKey === null) throw new PonteError('TosSessionRequired');
  if (account.tosId === tosId) return account;
  if (account.tosId !== null && !isDue(account, TERMS)) throw new PonteError('TosIdMismatch');
  return changed(account, { tosId }, nowMs);
}

export function termsStarted(
  account: ConnectedAccount,
  tosSessionKey: string,
  nowMs: number,
): ConnectedAccount {
  return changed(account, { tosSessionKey }, nowMs);
}

/** The partner's id of a seller that a PIX destination can be registered for. */
export function payableParty(account: ConnectedAccount): string {
  if (account.role !== 'seller') {
    throw new PonteError('ValidationError', 'role: only a seller has a payout. This is a buyer.');
  }
  if (account.status !== 'approved' || account.partnerRef === null) {
    throw new PonteError('ConnectedAccountNotApproved');
  }
  return account.partnerRef;
}

/** A repeat changes nothing, unless the wallet was refused. */
export function payoutConfigured(
  account: ConnectedAccount,
  destinationRef: string,
  railsCommandId: string,
  nowMs: number,
): ConnectedAccount {
  const same = account.destinationRef === destinationRef;
  const next = same ? account : changed(account, { destinationRef }, nowMs);
  return requestingRails(next, railsCommandId);
}

/** A new destination replaces an earlier one, even one of an earlier party. */
export function isRedirected(was: ConnectedAccount, next: ConnectedAccount): boolean {
  const before = was.destinationRef !== null || was.readyAtMs !== null;
  return before && next.destinationRef !== null && next.destinationRef !== was.destinationRef;
}

/** The off-ramp wallet exists; one of an earlier party changes nothing. */
export function railsProvisioned(
  account: ConnectedAccount,
  railsCommandId: string,
  railsRef: string,
  nowMs: number,
): ConnectedAccount {
  if (account.railsCommandId !== railsCommandId || account.railsRef !== null) return account;
  return changed(account, { railsRef }, nowMs);
}

/** The partner refused the wallet: configuring the payout requests it again. */
export function railsRefused(
  account: ConnectedAccount,
  railsCommandId: string,
  nowMs: number,
): ConnectedAccount {
  if (account.railsCommandId !== railsCommandId) return account;
  return changed(account, { railsCommandId: null }, nowMs);
}

/** The command by which this change requests the wallet; null if it does not. */
export function railsRequested(was: ConnectedAccount, next: ConnectedAccount): string | null {
  return next.railsCommandId === was.railsCommandId ? null : next.railsCommandId;
}

export function isDecision(was: ConnectedAccount, next: ConnectedAccount): boolean {
  return next.status !== was.status && (next.status === 'approved' || next.status === 'rejected');
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
  return fired;
}

/** The part of the dossier that the account shows. */
type AccountDetails = Pick<
  ConnectedAccount,
  'email' | 'legalName' | 'country' | 'taxIdSealed' | 'taxIdLast4'
>;

interface Decision {
  readonly decision: 'approve' | 'reject';
  readonly reason: string | null;
  /** For the command, if the decision leads to a request for the wallet. */
  readonly railsCommandId: string;
}

/** The partner requires approval and PIX destination before it makes the wallet. */
function requestingRails(account: ConnectedAccount, railsCommandId: string): ConnectedAccount {
  const { role, status, destinationRef } = account;
  const payable = role === 'seller' && status === 'approved' && destinationRef !== null;
  const requested = account.railsCommandId !== null || account.railsRef !== null;
  return payable && !requested ? Object.freeze({ ...account, railsCommandId }) : account;
}

function changed(
  account: ConnectedAccount,
  fields: Partial<ConnectedAccount>,
  nowMs: number,
): ConnectedAccount {
  const next = { ...account, ...fields, updatedAtMs: nowMs };
  const isFirst = next.readyAtMs === null && readyToCollect(next);
  return Object.freeze(isFirst ? { ...next, readyAtMs: nowMs } : next);
}

export function taxIdPurpose({ id }: Pick<ConnectedAccount, 'id'>): string {
  return `connected-account:${id}`;
}
