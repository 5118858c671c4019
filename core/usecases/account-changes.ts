// Changes of a connected account: read it, let the domain decide, stage it in one batch with its
// events, the order for rails and the purge of its documents. The partner's reports end here; the
// integrator's steps are in accounts.ts.
import { emailKey } from '../domain/buyer-kyc.js';
import {
  accepted,
  accountEvents,
  answerRefused,
  type ConnectedAccount,
  countsAsBuyerKyc,
  decided,
  isDecision,
  paused,
  railsProvisioned,
  railsRefused,
  railsRequested,
  replaced,
  withDue,
} from '../domain/connected-account.js';
import { accountEvent } from '../domain/event.js';
import type { PartyCommand } from '../domain/partner-command.js';
import { type Tenant, tenantOf } from '../domain/tenant.js';
import { assert, PonteError } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { Tx } from '../ports/storage.js';
import type { Batch } from './batch.js';
import { stageWaiting } from './buyer-decisions.js';
import { stagePurge } from './documents.js';
import { partyOrder } from './onboarding.js';
import {
  alertsOf,
  complete,
  dueNow,
  type PartyReport,
  type PartyStaged,
  stageAnswerRefused,
} from './party-reports.js';

/** The request of `provision_rails`, stored as sealed JSON. */
export interface RailsRequest {
  readonly receiverRef: string;
  readonly destinationRef: string;
  readonly key: string;
}

export async function loadAccount(tx: Tx, tenant: Tenant, id: string): Promise<ConnectedAccount> {
  const account = await tx.accounts.get(tenant, id);
  if (account === null) throw new PonteError('NotFound');
  return account;
}

export async function changeAccount(
  deps: Deps,
  tenant: Tenant,
  id: string,
  decide: (was: ConnectedAccount, nowMs: number) => ConnectedAccount,
): Promise<ConnectedAccount> {
  const changed = await deps.store.run(async (tx) => {
    const was = await loadAccount(tx, tenant, id);
    const next = decide(was, deps.clock.nowMs());
    stageAccount(deps, tx, was, next);
    return next;
  });
  announceAccount(deps);
  return changed;
}

/**
 * Stages the account and what follows from its change, if it has changed. Returns the order for its
 * rails, if there is one: due now, or leased to the caller.
 */
export function stageAccount(
  deps: Deps,
  tx: Tx,
  was: ConnectedAccount,
  next: ConnectedAccount,
  lease: string | null = null,
): PartyCommand | null {
  if (next === was) return null;
  tx.accounts.update(next);
  stageAccountEvents(deps, tx, was, next);
  if (isDecision(was, next)) {
    stagePurge(deps, tx, tenantOf(next), { party: 'account', id: next.id });
  }
  const id = railsRequested(was, next);
  if (id === null) return null;
  const { partnerRef, destinationRef } = next;
  assert(
    partnerRef !== null && destinationRef !== null,
    'rails lead from a party to its PIX destination',
  );
  const request: RailsRequest = { receiverRef: partnerRef, destinationRef, key: id };
  const order = { id, kind: 'provision_rails', request: JSON.stringify(request), lease } as const;
  const command = partyOrder(deps, next, { ...order, subject: { kind: 'account', id: next.id } });
  tx.commands.insert(command);
  return command;
}

export function stageAccountEvents(
  deps: Deps,
  tx: Tx,
  was: ConnectedAccount | null,
  next: ConnectedAccount,
): void {
  for (const happened of accountEvents(was, next)) {
    tx.outbox.append(accountEvent(next, happened, deps.ids.next('evt', next.updatedAtMs)));
  }
}

/** To be called after the batch is stored. */
export function announceAccount(deps: Deps): void {
  deps.wake('outbox');
  deps.wake('commands');
  deps.wake('purges');
}

/**
 * Stages a report about an account, then the payments of its buyer that wait for the decision. A
 * report about an earlier submission changes nothing.
 */
export async function accountReported(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  command: PartyCommand,
  reported: PartyReport,
): Promise<PartyStaged> {
  const tenant = tenantOf(command);
  const was = await loadAccount(tx, tenant, command.subject.id);
  if (was.submitCommandId !== command.id) return complete;
  const nowMs = deps.clock.nowMs();
  const decision = decidedBy(deps, was, reported, nowMs);
  const next = withDue(decision, dueNow(was, decision, reported, nowMs), nowMs);
  if (next !== was) {
    stageAccount(deps, tx, was, next);
    return {
      isComplete: !countsAsBuyerKyc(next),
      alerts: alertsOf(was, next, { accountId: next.id }),
    };
  }
  // Documents of an answer are not needed any more.
  const isOver = reported.report.status !== 'verifying' && was.status !== 'verifying';
  if (isOver && was.corrections === null) {
    stagePurge(deps, tx, tenant, { party: 'account', id: was.id });
  }
  if (!countsAsBuyerKyc(was) || was.email === null) return complete;
  const buyer = await tx.buyers.byEmail(tenant.mode, emailKey(was.email));
  return {
    ...complete,
    isComplete: buyer === null || (await stageWaiting(deps, tx, tenant, buyer.id)),
  };
}

function decidedBy(
  deps: Deps,
  was: ConnectedAccount,
  { partnerRef, report: { status, reason } }: PartyReport,
  nowMs: number,
): ConnectedAccount {
  const known = partnerRef === null ? was : accepted(was, partnerRef, nowMs);
  if (status === 'verifying') return known;
  if (status === 'paused') return paused(known, nowMs);
  const isOther = status === 'approved' && partnerRef !== null;
  const party = isOther ? replaced(known, partnerRef, nowMs) : known;
  const decision = status === 'approved' ? 'approve' : 'reject';
  return decided(party, { decision, reason, railsCommandId: deps.ids.next('cmd', nowMs) }, nowMs);
}

/** True if the refused order was an answer: the account stays as it is. */
export async function accountAnswerRefused(
  batch: Pick<Batch, 'deps' | 'tx' | 'nowMs'>,
  command: PartyCommand,
): Promise<boolean> {
  const was = await loadAccount(batch.tx, tenantOf(command), command.subject.id);
  if (was.submitCommandId !== command.id) return false;
  const before = await stageAnswerRefused(batch, command, was.partnerRef);
  if (before === null) return false;
  stageAccount(batch.deps, batch.tx, was, answerRefused(was, before, batch.nowMs));
  return true;
}

/** Stages that the off-ramp wallet exists, or was refused (null). */
export async function railsReported(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  command: PartyCommand,
  railsRef: string | null,
): Promise<void> {
  const was = await loadAccount(tx, tenantOf(command), command.subject.id);
  const nowMs = deps.clock.nowMs();
  const next =
    railsRef === null
      ? railsRefused(was, command.id, nowMs)
      : railsProvisioned(was, command.id, railsRef, nowMs);
  stageAccount(deps, tx, was, next);
}
