// Invariants of parties, judged by the partner's own books: who passes as verified, whom a
// rejection touches, when a seller can collect, and where its money goes.
import type { Mode } from '../../../core/domain/base/tenant.js';
import type { PartnerCommand } from '../../../core/domain/commands/partner-command.js';
import type { ConnectedAccount } from '../../../core/domain/parties/connected-account.js';
import type { Payment } from '../../../core/domain/payments/payment.js';
import type { Party } from '../partner/partner-parties.js';
import { GIVEN_UP } from '../world/actors.js';
import { eachPayment, type ObservedState } from './observed-state.js';

/** By any submission of the mode, or by a connected account of this tenant. */
export function noApprovalIsUsedThatWasTakenBack(observed: ObservedState): string | null {
  for (const { payment } of observed.freshlyVerified) {
    if (isApproved(observed, payment)) continue;
    return `${payment.id} passed KYC without an approval that stands`;
  }
  return null;
}

export function noPayoutForARejectedBuyer(observed: ObservedState): string | null {
  for (const { group, method, args } of observed.freshBatches.flatMap(({ writes }) => writes)) {
    if (group !== 'commands' || method !== 'update') continue;
    const command = args[0] as PartnerCommand;
    if (command.kind !== 'payout' || command.state !== 'sent') continue;
    const found = observed.payments.get(command.paymentId);
    if (found === undefined || isApproved(observed, found.payment)) continue;
    return `${command.paymentId} was paid out without an approval that stands`;
  }
  return null;
}

/** The partner has not taken the approval back, as far as a message was applied before. */
function isApproved(observed: ObservedState, { orgId, mode, buyer }: Payment): boolean {
  return buyerParties(observed, mode, buyer.email).some((party) => {
    if (!party.everApproved || observed.reportedWithdrawnBefore.has(party.ref)) return false;
    const command = observed.partyCommands.get(party.reference);
    if (command === undefined) return false;
    return command.subject.kind !== 'account' || command.orgId === orgId;
  });
}

export function aKycRejectionFailsOnlyItsOwnTenantsPayments(
  observed: ObservedState,
): string | null {
  const turnedAway = new Set(observed.outside.turnedAway());
  return eachPayment(observed, ({ payment, statuses }) => {
    const byKyc = statuses.at(-1) === 'failed' && statuses.at(-2) === 'buyer_kyc_pending';
    if (!byKyc || payment.failureReason === GIVEN_UP) return null;
    const parties = buyerParties(observed, payment.mode, payment.buyer.email);
    const rejected = parties.filter(({ status }) => status === 'rejected');
    const causes = [...rejected.map(({ reference }) => reference), ...turnedAway];
    const own = causes.some((reference) => {
      const command = observed.partyCommands.get(reference);
      return command?.kind === 'submit_buyer' && command.orgId === payment.orgId;
    });
    return own ? null : 'failed by KYC, and its tenant has no rejection';
  });
}

/** An account's events are its status changes, and `ready_to_collect` once, when it first is. */
export function sellersAreReadyOnceAndOnlyWhenTheyAre(observed: ObservedState): string | null {
  const emitted = accountEvents(observed);
  for (const [id, history] of observed.parties.accountHistories) {
    const expected = expectedEvents(history);
    const sent = (emitted.get(id) ?? []).join(' ');
    if (sent !== expected.join(' ')) return `${id} sent: ${sent}; happened: ${expected.join(' ')}`;
    const first = history.find(({ readyAtMs }) => readyAtMs !== null);
    const wrong = first === undefined ? null : notReadyBecause(observed, first);
    if (wrong !== null) return `${id} is ready ${wrong}`;
  }
  return null;
}

/** A named seller's money goes where that seller of that tenant is paid, and nobody else's does. */
export function sellersArePaidAtTheirOwnDestination(observed: ObservedState): string | null {
  return eachPayment(observed, (found) => {
    const { orgId, mode, sellerExternalId, destination } = found.payment;
    // One that came back may be paid again to another destination, by another payout. The partner
    // may complete the first one after all.
    const payouts = found.commands.filter(({ kind }) => kind === 'payout');
    const inOrder = payouts.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const earlier = inOrder.slice(0, -1).map(({ partnerRef }) => partnerRef);
    const strayed = observed.transactionsOf(found).find(({ kind, ref, request }) => {
      const isOfNow = kind === 'payout' && !earlier.includes(ref);
      return isOfNow && JSON.parse(request).destination !== destination;
    });
    if (strayed !== undefined) return `its payout ${strayed.ref} goes elsewhere`;
    if (sellerExternalId === null) {
      return destination === observed.outside.destinationOf(found.payment)
        ? null
        : `is paid to ${destination}`;
    }
    const receiver = observed.outside.destinations().find(({ ref }) => ref === destination);
    const party = partyOf(observed, receiver?.partyRef ?? null);
    const command = observed.partyCommands.get(party?.reference ?? '');
    const seller = observed.parties.accounts.get(command?.subject.id ?? '');
    const isOwn = seller?.orgId === orgId && seller.mode === mode && seller.role === 'seller';
    if (!isOwn || seller.externalId !== sellerExternalId) return `is paid to ${destination}`;
    return party?.everApproved ? null : `is paid to ${destination}, of somebody unknown`;
  });
}

/** By role, because a seller's verification says nothing of a buyer. */
function buyerParties(observed: ObservedState, mode: Mode, email: string): readonly Party[] {
  const key = email.trim().toLowerCase();
  return observed.outside
    .parties()
    .filter((party) => party.role === 'buyer' && party.mode === mode && party.email === key);
}

function partyOf(observed: ObservedState, ref: string | null): Party | null {
  return observed.outside.parties().find((party) => party.ref === ref) ?? null;
}

function accountEvents(observed: ObservedState): ReadonlyMap<string, readonly string[]> {
  const emitted = new Map<string, string[]>();
  const fed = [...observed.tenants.values()].flatMap(({ feed }) => feed);
  for (const { type, subjectId } of fed) {
    const [namespace, name] = type.split('.');
    if (namespace !== 'connected_account' || name === undefined) continue;
    emitted.set(subjectId, [...(emitted.get(subjectId) ?? []), name]);
  }
  return emitted;
}

function expectedEvents(history: readonly ConnectedAccount[]): readonly string[] {
  let ready = false;
  return history.flatMap((account, at) => {
    const before = history[at - 1];
    if (before === undefined) return ['created'];
    const events: string[] = [];
    const { status } = account;
    const moved = status !== before.status;
    if (moved && (status === 'approved' || status === 'rejected')) {
      events.push(status === 'approved' ? 'kyb_approved' : 'kyb_rejected');
    }
    if (!ready && canCollect(account)) {
      ready = true;
      events.push('ready_to_collect');
    }
    const had = before.destinationRef !== null || before.readyAtMs !== null;
    const isOther = account.destinationRef !== before.destinationRef;
    if (had && isOther && account.destinationRef !== null) events.push('payout_changed');
    return events;
  });
}

/** Said here once more, so that a broken rule does not excuse itself. */
function canCollect({ role, status, railsRef, destinationRef }: ConnectedAccount): boolean {
  const approved = role === 'seller' && status === 'approved';
  return approved && railsRef !== null && destinationRef !== null;
}

/** What the partner's books lack for a seller that became ready. */
function notReadyBecause(observed: ObservedState, seller: ConnectedAccount): string | null {
  const { partnerRef: partyRef, destinationRef, railsRef } = seller;
  const { outside } = observed;
  const party = partyOf(observed, partyRef);
  if (!party?.everApproved) return 'without an approval';
  const isWithout = party.tosId === null && outside.abilities.requiresTerms;
  if (isWithout || party.tosId !== seller.tosId) return 'without its terms';
  const isOwn = (row: { readonly partyRef: string }) => row.partyRef === partyRef;
  const pix = outside.destinations().find(({ ref }) => ref === destinationRef);
  if (pix === undefined || !isOwn(pix)) return 'without its own PIX destination';
  const rails = outside.rails().find(({ ref }) => ref === railsRef);
  if (rails === undefined || !isOwn(rails)) return 'without its own wallet';
  return null;
}
