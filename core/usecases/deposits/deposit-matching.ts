// What the database knows about a pay-in in the partner's books: the command that may own it, the
// party that received it, and the payments that it may be for.

import { MINUTE_MS } from '../../domain/base/instant.js';
import { money } from '../../domain/base/money.js';
import type { Mode, Tenant } from '../../domain/base/tenant.js';
import { isPayinInFlight, isUnreadPayin } from '../../domain/commands/partner-command.js';
import type { Payer } from '../../domain/commands/payer.js';
import { type Deposit, payerPurpose } from '../../domain/deposits/deposit.js';
import {
  type MatchCandidate,
  matchOf,
  type PaymentMatch,
} from '../../domain/deposits/deposit-match.js';
import { hasName, isNearName, joinedWords, runsOf } from '../../domain/deposits/printed-name.js';
import { readCode, shortIdOf } from '../../domain/payments/bank-record.js';
import { missingOf } from '../../domain/payments/funds.js';
import { type Payment, paymentOrigins } from '../../domain/payments/payment.js';
import type { Epoch } from '../../domain/service/epoch.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerEntry } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import { commandsKnownBy, quotedPayins } from './our-rows.js';

/** With more pay-ins in flight, any of them may own an entry. */
const IN_FLIGHT_MAX = 100;
/** With more payments that wait, an operator decides. */
export const AWAITING_MAX = 200;
/** Bank details of one name. */
const ALIKE_MAX = 10;
/** Words of a payer's texts that are looked up. */
const WORDS_MAX = 60;
/** Codes in them: a text of 140 characters has so many places for one. */
const CODES_MAX = 140;
const CODE_LENGTH = 8;
/** The newest payments of the organization, in whose names a text is searched for a likeness. */
const RECENT_MAX = 200;

/** The party whose account received money. */
export interface AccountOwner extends Tenant {
  /** Null: the organization itself. */
  readonly accountId: string | null;
  readonly sellerExternalId: string | null;
}

/**
 * `owned`: a command has this entry or may have it. `again`: it is another one under the reference
 * of a command that has its own, so an operator decides what it is for.
 */
type Ownership = 'owned' | 'again' | 'nobody';

/**
 * The partner may execute a call, and send its message, before it answers. Commands in flight are
 * read before the known ids: a command that is answered between the two reads is found by its id.
 */
export async function ownershipOf(
  tx: Tx,
  mode: Mode,
  entry: PartnerEntry,
  owner: AccountOwner | null,
  nowMs: number,
): Promise<Ownership> {
  const { kind, createdAtMs } = entry;
  const mayHaveIt =
    kind === 'payout' ? nowMs - createdAtMs < CALL_MS : await isInFlightFor(tx, mode, entry, owner);
  if (mayHaveIt) return 'owned';
  const { byId, byReference } = await commandsKnownBy(tx, mode, [kind], entry);
  if (byId.length > 0) return 'owned';
  if (byReference === null) return 'nobody';
  return byReference.partnerRef === null ? 'owned' : 'again';
}

/** A payout may be of a call that has no answer yet: its command has not the partner's id. */
const CALL_MS = 10 * MINUTE_MS;

/** By the payments of its quote; without a quote, by the party. */
async function isInFlightFor(
  tx: Tx,
  mode: Mode,
  entry: PartnerEntry,
  owner: AccountOwner | null,
): Promise<boolean> {
  if (entry.partnerQuoteId !== null) {
    const quoted = await quotedPayins(tx, mode, entry);
    return quoted.some(({ payins }) =>
      payins.some((payin) => isPayinInFlight(payin) || isUnreadPayin(payin)),
    );
  }
  const inFlight = await tx.commands.payinsInFlight(mode, IN_FLIGHT_MAX);
  if (inFlight.length === 0) return false;
  if (owner === null || inFlight.length === IN_FLIGHT_MAX) return true;
  const payments = inFlight.map((command) => tx.payments.get(command, command.paymentId));
  return (await Promise.all(payments)).some((one) => one !== null && isTo(one, owner));
}

/** Null: unknown here, or of several parties. */
export async function accountOwner(
  tx: Tx,
  mode: Mode,
  partyRef: string | null,
): Promise<AccountOwner | null> {
  if (partyRef === null) return null;
  const [profiles, accounts] = await Promise.all([
    tx.organizations.profilesByPartnerRef(mode, partyRef),
    tx.accounts.byPartnerRef(mode, partyRef),
  ]);
  const found: readonly AccountOwner[] = [
    ...profiles.map(({ orgId }) => ({ orgId, mode, accountId: null, sellerExternalId: null })),
    ...accounts.flatMap(({ orgId, id, role, externalId }) =>
      role === 'seller' && externalId !== null
        ? [{ orgId, mode, accountId: id, sellerExternalId: externalId }]
        : [],
    ),
  ];
  const [first = null, second] = found;
  return second === undefined ? first : null;
}

/** Whether money in the account of this party can pay for it. */
export function isTo(
  payment: Pick<Payment, 'orgId' | 'mode' | 'sellerExternalId'>,
  owner: Omit<AccountOwner, 'accountId'>,
): boolean {
  return (
    payment.orgId === owner.orgId &&
    payment.mode === owner.mode &&
    payment.sellerExternalId === owner.sellerExternalId
  );
}

/**
 * Whether a deposit to its seller from before a restore waits for an operator: it may have paid for
 * this payment, which was there before too, so its buyer is not asked to pay again.
 */
export async function isDepositUndecided(
  tx: Tx,
  tenant: Tenant,
  paymentId: string,
): Promise<boolean> {
  const epoch = await tx.epochs.current();
  if (epoch.cause === 'initial') return false;
  const payment = await tx.payments.get(tenant, paymentId);
  if (payment === null || payment.createdAtMs >= epoch.beganAtMs) return false;
  return (await unmatchedToSellerOf(tx, payment)).some(({ enteredAtMs }) =>
    isBefore(epoch, enteredAtMs),
  );
}

/** Deposits in the account of its seller, in its currency, on which nobody has decided. */
export async function unmatchedToSellerOf(tx: Tx, payment: Payment): Promise<readonly Deposit[]> {
  const { sellerExternalId, mode, amount } = payment;
  const party =
    sellerExternalId === null
      ? await tx.organizations.profile(payment)
      : await tx.accounts.byExternalId(payment, sellerExternalId);
  const partyRef = party?.partnerRef ?? null;
  if (partyRef === null) return [];
  return tx.deposits.unmatchedTo(mode, partyRef, amount.currency);
}

/** The payment that an entry of this party is for; null: an operator decides. */
export async function findMatch(
  tx: Tx,
  entry: PartnerEntry,
  owner: AccountOwner,
): Promise<PaymentMatch | null> {
  const texts = entry.payer?.texts ?? [];
  const awaiting = await tx.payments.awaitingMoney(owner, owner.sellerExternalId, AWAITING_MAX);
  if (awaiting.length === AWAITING_MAX) return null;
  const quotes = await quotedPayins(tx, owner.mode, entry);
  const quoted = new Set(quotes.map(({ quote }) => quote.paymentId));
  const named = await namedPayments(tx, owner, texts);
  const others = [
    ...(await Promise.all([...quoted].map((id) => tx.payments.get(owner, id)))),
    ...named.payments,
    ...(await mentionedPayments(tx, owner, texts)),
  ].filter((payment) => payment !== null);
  const payments = new Map([...awaiting, ...others].map((payment) => [payment.id, payment]));
  const namesAnother =
    named.isElsewhere ||
    [...payments.values()].some((payment) => !isTo(payment, owner) && isNamedIn(texts, payment));
  const candidates = await Promise.all(
    [...payments.values()]
      .filter((payment) => isTo(payment, owner))
      .map((payment) => candidateOf(tx, payment, quoted.has(payment.id))),
  );
  const isOld = await isFromBefore(tx, entry);
  const arrival = { amount: entry.amount, texts, isFromBefore: isOld, namesAnother };
  return matchOf(arrival, [...candidates, ...togetherOf(awaiting, candidates)]);
}

/** What several payments that wait for one transfer lack together. */
function togetherOf(
  awaiting: readonly Payment[],
  candidates: readonly MatchCandidate[],
): readonly MatchCandidate[] {
  const together = new Map<string, MatchCandidate>();
  const several = new Set<string>();
  for (const { id, consolidatedReference } of awaiting) {
    const own = candidates.find(({ paymentId }) => paymentId === id);
    if (consolidatedReference === null || own === undefined) continue;
    const others = together.get(consolidatedReference);
    if (others !== undefined) several.add(consolidatedReference);
    const { currency } = own.missing;
    const sumOf = (name: 'missing' | 'asked') =>
      money(own[name].amountMinor + (others?.[name].amountMinor ?? 0n), currency);
    const sums = { missing: sumOf('missing'), asked: sumOf('asked') };
    const unnamed = { isQuoted: false, names: [], sharedName: null, externalId: null };
    together.set(consolidatedReference, { ...own, ...unnamed, consolidatedReference, ...sums });
  }
  return [...together].flatMap(([reference, one]) => (several.has(reference) ? [one] : []));
}

/** Personal data: never logged. Null if the bank says nothing. */
export function payerOf(deps: Pick<Deps, 'secretBox'>, deposit: Deposit): Payer | null {
  const { payerSealed } = deposit;
  if (payerSealed === null) return null;
  return JSON.parse(deps.secretBox.open(payerSealed, payerPurpose(deposit))) as Payer;
}

/** The consolidated payments to this seller that the payer's text names. */
export async function namedConsolidated(
  tx: Tx,
  payer: Payer | null,
  owner: Omit<AccountOwner, 'accountId'>,
): Promise<readonly ConsolidatedPayment[]> {
  const texts = payer?.texts ?? [];
  const awaiting =
    texts.length === 0
      ? []
      : await tx.payments.awaitingMoney(owner, owner.sellerExternalId, AWAITING_MAX);
  const printed = awaiting.flatMap(({ consolidatedReference: name }) =>
    name !== null && texts.some((text) => hasName(text, name)) ? [name] : [],
  );
  const codes = new Set([...codesIn(texts), ...printed]);
  const found = await Promise.all(
    [...codes].map(async (reference) => ({
      reference,
      payments: await tx.payments.consolidated(owner, reference),
    })),
  );
  return found.filter(({ payments }) => payments.some((payment) => isTo(payment, owner)));
}

/** It may have been assigned, or paid back, in what a restore lost. */
export async function isFromBefore(tx: Tx, entry: PartnerEntry): Promise<boolean> {
  return isBefore(await tx.epochs.current(), entry.createdAtMs);
}

/** The partner's clock is not ours. */
const CLOCKS_MS = MINUTE_MS;

/** Entered by the partner before this database was restored. */
function isBefore({ cause, beganAtMs }: Epoch, enteredAtMs: number): boolean {
  return cause !== 'initial' && enteredAtMs < beganAtMs + CLOCKS_MS;
}

export interface ConsolidatedPayment {
  readonly reference: string;
  readonly payments: readonly Payment[];
}

async function candidateOf(tx: Tx, payment: Payment, isQuoted: boolean): Promise<MatchCandidate> {
  const { id: paymentId, status, externalId, amount } = payment;
  return {
    paymentId,
    consolidatedReference: null,
    status,
    isQuoted,
    externalId,
    names: namesOf(payment),
    sharedName: payment.consolidatedReference,
    missing: missingOf(amount, await tx.funds.of(payment)),
    asked: amount,
  };
}

/** The reference of a consolidated payment names all of its payments. */
function namesOf({
  publicId,
  payinInstructions,
  consolidatedReference,
}: Payment): readonly string[] {
  const reference = consolidatedReference === null ? payinInstructions?.reference : null;
  return [reference, shortIdOf(publicId)].filter((name) => typeof name === 'string');
}

function isNamedIn(texts: readonly string[], payment: Payment): boolean {
  return texts.some((text) => namesOf(payment).some((name) => hasName(text, name)));
}

/** Recent payments of any status that a text names, or may name. */
async function mentionedPayments(
  tx: Tx,
  { orgId, mode }: AccountOwner,
  texts: readonly string[],
): Promise<readonly Payment[]> {
  if (texts.length === 0) return [];
  const recent = await tx.payments.list({ orgId, status: null, beforeId: null, limit: RECENT_MAX });
  return recent.filter(
    (payment) =>
      payment.mode === mode &&
      texts.some((text) => namesOf(payment).some((name) => isNearName(text, name))),
  );
}

/**
 * Payments of any status that a text may name: by short id or `externalId`. `isElsewhere`: it has
 * the short id of a payment of another organization or mode.
 */
async function namedPayments(
  tx: Tx,
  owner: AccountOwner,
  texts: readonly string[],
): Promise<{ readonly payments: readonly (Payment | null)[]; readonly isElsewhere: boolean }> {
  const shortIds = codesIn(texts);
  const words = texts.flatMap((text) => [text.trim(), ...text.split(/\s+/)]);
  const externalIds = new Set(words.filter((word) => word !== '').slice(0, WORDS_MAX));
  const [byShortId, byExternalId] = await Promise.all([
    Promise.all([...shortIds].map((code) => tx.bankDetails.byShortId(code, ALIKE_MAX))),
    Promise.all(
      [...externalIds].flatMap((externalId) =>
        paymentOrigins.map((origin) => tx.payments.byExternalId(owner, origin, externalId)),
      ),
    ),
  ]);
  const details = byShortId.flat();
  const own = details.filter(({ orgId, mode }) => orgId === owner.orgId && mode === owner.mode);
  const ids = own.map(({ paymentId }) => paymentId);
  const ofIds = await Promise.all([...new Set(ids)].map((id) => tx.payments.get(owner, id)));
  return { payments: [...ofIds, ...byExternalId], isElsewhere: own.length < details.length };
}

/** Short ids, and references of consolidated payments. */
function codesIn(texts: readonly string[]): ReadonlySet<string> {
  const words = texts.flatMap(joinedWords);
  const glued = texts.flatMap((text) => runsOf(text, CODE_LENGTH));
  const codes = [...words, ...glued].map(readCode).filter((code) => code !== null);
  return new Set([...new Set(codes)].slice(0, CODES_MAX));
}
