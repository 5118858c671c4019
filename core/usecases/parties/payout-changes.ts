// Changes of PIX destinations: their history, how long live mode holds them, and how the people who
// are mailed about a held one stop it.
import { HOUR_MS } from '../../domain/base/instant.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { codeOf, typedCode } from '../../domain/mail/mail.js';
import {
  type ChangeState,
  changeState,
  type DestinationChange,
  HOLD_HOURS_MAX,
} from '../../domain/parties/destination-change.js';
import type { OrganizationProfile } from '../../domain/parties/organization.js';
import {
  destinationAt,
  isHeld,
  type Payee,
  withoutEndedHold,
  withoutHeld,
} from '../../domain/parties/payee.js';
import { assert, invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { announceRedirect } from '../mail/payout-notices.js';
import { isStopCode } from '../mail/stop-codes.js';
import type { Batch } from '../service/batch.js';
import { eachDue } from '../service/due-work.js';
import { accountKind, loadAccount, loadProfile, organizationKind } from './party-kinds.js';
import { announceParty } from './party-reports.js';

/** A list has this many of the newest changes. */
const CHANGES_LISTED_MAX = 100;

/** Guards the setting of the organization; nothing is held in test mode. */
export async function payoutHoldMs(tx: Tx, tenant: Tenant): Promise<number> {
  if (tenant.mode === 'test') return 0;
  const profile = await loadProfile(tx, tenant);
  tx.organizations.expectProfile(profile);
  return profile.payoutHoldHours * HOUR_MS;
}

/**
 * Records the destination that `next` has or holds, in place of a held one; `accountId` is null for
 * the organization.
 */
export async function stageDestinationChange(
  { deps, tx, nowMs }: Batch,
  { orgId, mode }: Tenant,
  [was, next]: readonly [Payee, Payee],
  about: Pick<DestinationChange, 'accountId' | 'changedBy' | 'pixKeyShown'>,
): Promise<DestinationChange> {
  const changes = await tx.destinationChanges.ofPayee(
    { orgId, mode },
    about.accountId,
    CHANGES_LISTED_MAX,
  );
  const toRef = next.heldRef ?? next.destinationRef;
  assert(toRef !== null, 'a changed payee has a destination');
  const change: DestinationChange = Object.freeze({
    orgId,
    mode,
    id: deps.ids.next('dst', nowMs),
    ...about,
    fromRef: destinationAt(was, nowMs),
    toRef,
    createdAtMs: nowMs,
    effectiveAtMs: next.heldUntilMs ?? nowMs,
    stoppedAtMs: null,
    replacedAtMs: null,
    version: 1,
  });
  for (const held of heldOf(changes, nowMs)) {
    tx.destinationChanges.update(Object.freeze({ ...held, replacedAtMs: nowMs }));
  }
  tx.destinationChanges.insert(change);
  return change;
}

/** Newest first; `accountId` null: of the organization itself. NotFound. */
export async function listAccountChanges(
  deps: Deps,
  tenant: Tenant,
  accountId: string,
): Promise<readonly DestinationChange[]> {
  return deps.store.run(async (tx) => {
    await loadAccount(tx, tenant, accountId);
    return tx.destinationChanges.ofPayee(tenant, accountId, CHANGES_LISTED_MAX);
  });
}

/** Those of the organization itself, newest first. */
export function listOwnChanges(
  deps: Deps,
  tenant: Tenant,
  limit = CHANGES_LISTED_MAX,
): Promise<readonly DestinationChange[]> {
  return deps.store.run((tx) => tx.destinationChanges.ofPayee(tenant, null, limit));
}

/** Those of the organization and of all its sellers, newest first. */
export async function listChanges(
  deps: Deps,
  tenant: Tenant,
): Promise<readonly DestinationChange[]> {
  return deps.store.run((tx) => tx.destinationChanges.list(tenant, CHANGES_LISTED_MAX));
}

/** How long changes are held, from the next one on. ValidationError. */
export function stagePayoutHold(tx: Tx, was: OrganizationProfile, hours: number): void {
  expectHoldHours(hours);
  if (was.payoutHoldHours === hours) return;
  tx.organizations.updateProfile(Object.freeze({ ...was, payoutHoldHours: hours }));
}

/** ValidationError. */
export function expectHoldHours(hours: number): void {
  if (Number.isInteger(hours) && hours >= 0 && hours <= HOLD_HOURS_MAX) return;
  throw invalid(`hours: give 0 to ${HOLD_HOURS_MAX}.`);
}

/** What the code can do; NotFound for another code. */
export async function readStop(deps: Deps, code: string): Promise<ChangeState> {
  return deps.store.run(
    async (tx) => (await stopOf({ deps, tx, nowMs: deps.clock.nowMs() }, code)).state,
  );
}

/**
 * Stops what is held for the payee of the change, also a later change: who made the one may have
 * made the other. Final; one that is over stays as it is. `typed` are the six digits of the mail: a
 * gateway that presses buttons must not stop each change. NotFound for another code,
 * InvalidSignInCode.
 */
export async function stopChange(deps: Deps, code: string, typed: string): Promise<ChangeState> {
  const stopped = await deps.store.run(
    async (tx) => {
      const batch = { deps, tx, nowMs: deps.clock.nowMs() };
      const { change, state, held } = await stopOf(batch, code);
      if (state !== 'held') return { change: null, state };
      if (typedCode(typed) !== codeOf(code)) throw new PonteError('InvalidSignInCode');
      for (const one of held) {
        tx.destinationChanges.update(Object.freeze({ ...one, stoppedAtMs: batch.nowMs }));
      }
      await stageStopped(batch, change);
      return { change, state: 'stopped' as const };
    },
    { inQuarantine: true },
  );
  if (stopped.change !== null) {
    announceParty(deps);
    announceRedirect(deps, stopped.change, 'was changed, and it was stopped');
  }
  return stopped.state;
}

/** Puts destinations whose hold has ended in their place; returns how many. */
export async function runEndedHolds(deps: Deps, nowMs: number, limit: number): Promise<number> {
  return eachDue(
    deps,
    'ended holds',
    { nowMs, limit },
    {
      read: (page) => deps.store.claims.accountsToUnhold(page),
      cursorOf: ({ id, heldUntilMs }) => ({ id, dueAtMs: heldUntilMs ?? nowMs }),
      work: async (account) => {
        await deps.store.run(async (tx) => {
          const was = await loadAccount(tx, account, account.id);
          const next = withoutEndedHold(was, nowMs);
          await accountKind.stage({ deps, tx, nowMs }, was, next);
        });
        announceParty(deps);
      },
    },
  );
}

async function stageStopped(batch: Batch, { accountId, ...change }: DestinationChange) {
  if (accountId === null) {
    const was = await loadProfile(batch.tx, change);
    if (isHeld(was, batch.nowMs)) await organizationKind.stage(batch, was, withoutHeld(was));
  } else {
    const was = await loadAccount(batch.tx, change, accountId);
    if (isHeld(was, batch.nowMs)) await accountKind.stage(batch, was, withoutHeld(was));
  }
}

/**
 * The change of a code, and the state of its payee: of the held change if there is one, else of the
 * newest. A code stops nothing once its own change would be in effect.
 */
async function stopOf({ deps, tx, nowMs }: Batch, code: string) {
  const change = await tx.destinationChanges.find(code.split('.')[0] ?? '');
  if (change === null || !isStopCode(deps, change, code)) throw new PonteError('NotFound');
  const { accountId } = change;
  const tenant = tenantOf(change);
  const [payee, changes] = await Promise.all([
    accountId === null ? loadProfile(tx, tenant) : loadAccount(tx, tenant, accountId),
    tx.destinationChanges.ofPayee(tenant, accountId, CHANGES_LISTED_MAX),
  ]);
  const held = heldOf(changes, nowMs);
  if (!isHeld(payee, nowMs))
    return { change, held, state: changeState(changes[0] ?? change, nowMs) };
  const isOver = nowMs >= change.effectiveAtMs;
  return { change, held, state: isOver ? changeState(change, nowMs) : ('held' as const) };
}

function heldOf(changes: readonly DestinationChange[], nowMs: number) {
  return changes.filter((change) => changeState(change, nowMs) === 'held');
}
