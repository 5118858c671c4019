// Configures where the partner pays to: registers the PIX destination of a payee and requests its
// rails, under a stored command. Existing payments keep the old destination.
import { checkedText } from '../../domain/base/checked-text.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { isOpen } from '../../domain/commands/partner-command.js';
import type { ConnectedAccount } from '../../domain/parties/connected-account.js';
import { type DestinationOrigin, isFirstHeld } from '../../domain/parties/destination-change.js';
import { plainFact } from '../../domain/parties/identity-facts.js';
import {
  hadDestination,
  isOtherDestination,
  isRedirected,
  type Payee,
  railsRefused,
  withDestination,
} from '../../domain/parties/payee.js';
import {
  type PixKey,
  type PixKeyKind,
  pixKeyProblems,
  readPixKey,
  shownPixKey,
  withoutPixKey,
} from '../../domain/parties/pix-key.js';
import { invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { announceRedirect, stagePayoutNotices } from '../mail/payout-notices.js';
import type { Batch } from '../service/batch.js';
import { callSafely, expectAccepted, requirePartner } from '../service/partner-calls.js';
import { noKey } from '../service/repeated-actions.js';
import { partnerKey } from '../service/service-keys.js';
import { stageTaken } from './party-commands.js';
import type { PartyKind } from './party-kinds.js';
import { announceParty } from './party-reports.js';
import { payoutHoldMs, stageDestinationChange } from './payout-changes.js';

const needsPayouts =
  'The seller has a PIX destination. To change it, use a key with the scope payouts:write.';

/** As typed. */
export interface PixDestination {
  /** The partner gets its canonical form, which is neither stored nor logged. */
  readonly pixKey: string;
  /** Needed if the text can be a key of several kinds. */
  readonly pixKeyKind?: PixKeyKind | null;
  readonly accountHolderName: string;
}

const HOLDER_LENGTH_MAX = 200;

/** ValidationError. */
function readDestination({ pixKey, pixKeyKind = null, accountHolderName }: PixDestination) {
  const key = readPixKey(pixKey, pixKeyKind);
  if (typeof key === 'string') throw invalid(`pixKey: ${pixKeyProblems[key]}`);
  const holder = checkedText('accountHolderName', accountHolderName, HOLDER_LENGTH_MAX);
  return { pixKey: key, accountHolderName: holder };
}

/** What two requests for the same destination have in common, however its key is written. */
export function sameDestination(destination: PixDestination) {
  const { pixKey, accountHolderName } = readDestination(destination);
  return { pixKey: pixKey.text, accountHolderName: plainFact('name', accountHolderName) };
}

/** Who configures a payout. */
export interface PayoutAuthor {
  readonly origin: DestinationOrigin;
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
  /** The tax id of an approved payee; null if it is not stored. */
  taxId(deps: Deps, payee: P): string | null;
}

/** A destination that the partner knows. */
export type RegisteredDestination = Awaited<ReturnType<typeof registerDestination>>;

/**
 * In live mode a destination is mailed to the people who can undo it. A change is held, and so is a
 * first one by `isFirstHeld`.
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
  bindKey = noKey,
): Promise<void> {
  const registered = await registerDestination(deps, tenant, id, access, destination);
  const known = { ...registered, pixKey: readDestination(destination).pixKey };
  const after = await deps.store.run(async (tx) => {
    const batch = { deps, tx, nowMs: deps.clock.nowMs() };
    // Repeated after another change, it would undo that one.
    await bindKey(tx, batch.nowMs);
    return stagePayoutOf(batch, tenant, id, access, known, author);
  });
  await after();
}

/**
 * The same destination is registered once, however often this is repeated, and however its key is
 * written. ValidationError for text that is no PIX key.
 */
export async function registerDestination<P extends Payee>(
  deps: Deps,
  tenant: Tenant,
  id: string,
  { kind, payableParty, seller }: PayeeAccess<P>,
  destination: PixDestination,
) {
  const known = await deps.store.run((tx) => kind.load(tx, tenant, id));
  const partyRef = payableParty(known);
  const { pixKey, accountHolderName } = readDestination(destination);
  const same = Object.values(sameDestination(destination));
  const bound = [tenant.orgId, tenant.mode, id, partyRef, ...same];
  const key = await partnerKey(deps, 'pix-destination', bound);
  const partner = await requirePartner(deps, tenant);
  const registration = { partyRef, pixKey: pixKey.text, accountHolderName, key };
  const answer = await callSafely(
    () => partner.registerPixDestination(registration),
    (message) => withoutPixKey(message, pixKey),
  );
  const { destinationRef } = expectAccepted(answer, seller(known) === null);
  return { partyRef, destinationRef, pixKeyShown: shownPixKey(pixKey) };
}

/**
 * Returns what is to be called after the batch is stored. `pixKey` is null if it is not known any
 * more.
 */
export async function stagePayoutOf<P extends Payee>(
  batch: Batch,
  tenant: Tenant,
  id: string,
  access: PayeeAccess<P>,
  destination: RegisteredDestination & { readonly pixKey: PixKey | null },
  { origin, changedBy, mayRedirect }: PayoutAuthor,
): Promise<() => Promise<void>> {
  const { deps, tx, nowMs } = batch;
  const { kind, payableParty, seller } = access;
  const { partyRef, destinationRef, pixKey, pixKeyShown } = destination;
  const was = await kind.load(tx, tenant, id);
  // It may have been rejected since, or submitted as another party.
  payableParty(was, partyRef);
  const holdsFirst = isFirstHeld(origin, pixKey, await verifiedTaxId(batch, access, was));
  const hold = { nowMs, holdMs: await payoutHoldMs(tx, tenant), holdsFirst };
  const next = withDestination(await withoutRefusedRails(batch, was), destinationRef, hold);
  const accountId = seller(next)?.id ?? null;
  let announce: (() => void) | null = null;
  if (isOtherDestination(was, next)) {
    // One of an earlier party counts, also if that party was never ready.
    const [before] = mayRedirect ? [] : await tx.destinationChanges.ofPayee(tenant, accountId, 1);
    const isFirst = !hadDestination(was) && before === undefined;
    if (!isFirst && !mayRedirect) throw new PonteError('InsufficientScope', needsPayouts);
    const by = { accountId, changedBy, pixKeyShown };
    const change = await stageDestinationChange(batch, tenant, [was, next], by);
    const isAlert = isRedirected(was, next);
    if (isAlert || tenant.mode === 'live') await stagePayoutNotices(batch, change, seller(next));
    const happened = hadDestination(was) ? 'was changed' : 'was set, and is held';
    announce = () => (isAlert ? announceRedirect(deps, change, happened) : deps.wake('mails'));
  }
  const open = next.railsRef === null ? await stageTaken(batch, next.railsCommandId) : null;
  const lease = deps.store.claims.newLease();
  const rails = (await kind.stage(batch, was, next, lease)) ?? open;
  return async () => {
    announceParty(deps);
    announce?.();
    if (rails !== null) await deps.runCommand(deps, rails);
  };
}

/** Null while the partner verifies an answer: it may have another tax id. */
async function verifiedTaxId<P extends Payee>(
  { deps, tx }: Batch,
  { taxId }: PayeeAccess<P>,
  payee: P,
): Promise<string | null> {
  const dossier = payee.commandId === null ? null : await tx.commands.get(payee.commandId);
  if (dossier === null) return null;
  const isAnswer = dossier.createdAtMs > (payee.approvedAtMs ?? 0);
  return isAnswer && isOpen(dossier) ? null : taxId(deps, payee);
}

async function withoutRefusedRails<P extends Payee>({ tx }: Batch, payee: P): Promise<P> {
  const { railsCommandId } = payee;
  const rails = railsCommandId === null ? null : await tx.commands.get(railsCommandId);
  return rails?.state === 'refused' ? railsRefused(payee) : payee;
}
