// Configures where the partner pays to: registers the PIX destination of a payee and requests its
// rails, under a stored command. Existing payments keep the old destination.
import { checkedText } from '../../domain/base/checked-text.js';
import type { Tenant } from '../../domain/base/tenant.js';
import type { ConnectedAccount } from '../../domain/parties/connected-account.js';
import { shownPixKey } from '../../domain/parties/destination-change.js';
import {
  isOtherDestination,
  isRedirected,
  type Payee,
  railsRefused,
  withDestination,
} from '../../domain/parties/payee.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { announceRedirect, stagePayoutNotices } from '../mail/payout-notices.js';
import type { Batch } from '../service/batch.js';
import { callSafely, expectAccepted, requirePartner } from '../service/partner-calls.js';
import { partnerKey } from '../service/service-keys.js';
import { stageTaken } from './party-commands.js';
import type { PartyKind } from './party-kinds.js';
import { announceParty } from './party-reports.js';
import { payoutHoldMs, stageDestinationChange } from './payout-changes.js';

const needsPayouts =
  'The seller has a PIX destination. To change it, use a key with the scope payouts:write.';

export interface PixDestination {
  /** Sent to the partner; neither stored nor logged. */
  readonly pixKey: string;
  readonly accountHolderName: string;
}

const PIX_KEY_LENGTH_MAX = 140;
const HOLDER_LENGTH_MAX = 200;

/** ValidationError. */
export function checkedDestination(given: PixDestination): PixDestination {
  return {
    pixKey: checkedText('pixKey', given.pixKey, PIX_KEY_LENGTH_MAX),
    accountHolderName: checkedText('accountHolderName', given.accountHolderName, HOLDER_LENGTH_MAX),
  };
}

/** Who configures a payout. */
export interface PayoutAuthor {
  /** The id of an API key, a member, an operator, or of the seller itself. */
  readonly changedBy: string;
  /** Whether a destination that is there may be changed: the scope `payouts:write`. */
  readonly mayRedirect: boolean;
}

export interface PayeeAccess<P extends Payee> {
  readonly kind: PartyKind<P>;
  /** The partner's id of an approved payee; refuses any other, also one that is not `known`. */
  payableParty(payee: P, known?: string): string;
  /** Null for an organization. */
  seller(payee: P): ConnectedAccount | null;
}

/** A destination that the partner knows. */
export interface RegisteredDestination {
  readonly partyRef: string;
  readonly destinationRef: string;
  /** `shownPixKey`. */
  readonly pixKeyShown: string;
}

/**
 * A change of the destination is mailed to the people who can undo it, and held in live mode.
 * Without an answer to the registration nothing is stored: the client repeats it under the same
 * key. Rails that the partner has refused are requested again.
 */
export async function configurePayoutOf<P extends Payee>(
  deps: Deps,
  tenant: Tenant,
  id: string,
  access: PayeeAccess<P>,
  destination: PixDestination,
  author: PayoutAuthor,
): Promise<void> {
  const registered = await registerDestination(deps, tenant, id, access, destination);
  const after = await deps.store.run((tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    return stagePayoutOf(batch, tenant, id, access, registered, author);
  });
  await after();
}

/** The same destination is registered once, however often this is repeated. */
export async function registerDestination<P extends Payee>(
  deps: Deps,
  tenant: Tenant,
  id: string,
  { kind, payableParty, seller }: PayeeAccess<P>,
  { pixKey, accountHolderName }: PixDestination,
): Promise<RegisteredDestination> {
  const known = await deps.store.run((tx) => kind.load(tx, tenant, id));
  const partyRef = payableParty(known);
  const bound = [tenant.orgId, tenant.mode, id, partyRef, pixKey, accountHolderName];
  const key = await partnerKey(deps, 'pix-destination', bound);
  const partner = await requirePartner(deps, tenant);
  const registration = { partyRef, pixKey, accountHolderName, key };
  const answer = await callSafely(() => partner.registerPixDestination(registration), pixKey);
  const { destinationRef } = expectAccepted(answer, seller(known) === null);
  return { partyRef, destinationRef, pixKeyShown: shownPixKey(pixKey) };
}

/** Returns what is to be called after the batch is stored. */
export async function stagePayoutOf<P extends Payee>(
  batch: Batch,
  tenant: Tenant,
  id: string,
  { kind, payableParty, seller }: PayeeAccess<P>,
  { partyRef, destinationRef, pixKeyShown }: RegisteredDestination,
  { changedBy, mayRedirect }: PayoutAuthor,
): Promise<() => Promise<void>> {
  const { deps, tx, nowMs } = batch;
  const was = await kind.load(tx, tenant, id);
  // It may have been rejected since, or submitted as another party.
  payableParty(was, partyRef);
  const hold = { nowMs, holdMs: await payoutHoldMs(tx, tenant) };
  const next = withDestination(await withoutRefusedRails(batch, was), destinationRef, hold);
  const redirected = isRedirected(was, next) ? next : null;
  const accountId = seller(next)?.id ?? null;
  if (isOtherDestination(was, next)) {
    // One of an earlier party counts, also if that party was never ready.
    const [before] = mayRedirect ? [] : await tx.destinationChanges.ofPayee(tenant, accountId, 1);
    const isFirst = redirected === null && before === undefined;
    if (!isFirst && !mayRedirect) throw new PonteError('InsufficientScope', needsPayouts);
    const by = { accountId, changedBy, pixKeyShown };
    const change = await stageDestinationChange(batch, tenant, [was, next], by);
    if (redirected !== null) await stagePayoutNotices(batch, change, seller(redirected));
  }
  const open = next.railsRef === null ? await stageTaken(batch, next.railsCommandId) : null;
  const lease = deps.store.claims.newLease();
  const rails = (await kind.stage(batch, was, next, lease)) ?? open;
  return async () => {
    announceParty(deps);
    if (redirected !== null) announceRedirect(deps, tenant, seller(redirected)?.id ?? null);
    if (rails !== null) await deps.runCommand(deps, rails);
  };
}

async function withoutRefusedRails<P extends Payee>({ tx }: Batch, payee: P): Promise<P> {
  const { railsCommandId } = payee;
  const rails = railsCommandId === null ? null : await tx.commands.get(railsCommandId);
  return rails?.state === 'refused' ? railsRefused(payee) : payee;
}
