// What the reports of the partner about a party have in common: what is due, alerts, answers that
// the partner refuses, and the party of a seller that the partner blocks.
import { pollNow, reopenOrder } from '../domain/order-report.js';
import { isPolled, type PartyCommand } from '../domain/partner-command.js';
import {
  alertedIfLate,
  correctionsOf,
  dueReported,
  isAsked,
  type PartyDue,
} from '../domain/party-due.js';
import type { Tenant } from '../domain/tenant.js';
import type { Deps } from '../ports/deps.js';
import type { ReceiverReport } from '../ports/partner.js';
import type { Tx } from '../ports/storage.js';
import type { Batch } from './batch.js';

export interface PartyReport {
  readonly partnerRef: string | null;
  readonly report: ReceiverReport;
  /** The answer to a call: not older than what is known. */
  readonly isCurrent: boolean;
}

export interface PartyStaged {
  /** False while more payments wait for the decision: stage it again. */
  readonly isComplete: boolean;
  /** For operators, once the batch is stored. */
  readonly alerts: readonly PartyAlert[];
}

export interface PartyAlert {
  readonly alert: string;
  readonly [name: string]: string;
}

export const complete: PartyStaged = { isComplete: true, alerts: [] };

/**
 * What is due after a report, of a party that it changed to `next`. A late message does not say
 * that nothing is due any more.
 */
export function dueNow<P extends PartyDue>(
  was: P,
  next: P,
  { report, isCurrent }: PartyReport,
  nowMs: number,
): PartyDue {
  if (report.status === 'rejected') return next;
  const isSilent = (report.corrections ?? []).length === 0;
  const isLate = isSilent && !isCurrent && next === was;
  return alertedIfLate(isLate ? next : dueReported(next, report), nowMs);
}

const late = 'the partner stops waiting for the answer of a party within a week';

export function alertsOf(
  was: PartyDue,
  next: PartyDue,
  about: Readonly<Record<string, string>>,
): readonly PartyAlert[] {
  const { answerAlertedAtMs } = next;
  if (answerAlertedAtMs === null || answerAlertedAtMs === was.answerAlertedAtMs) return [];
  return [{ ...about, alert: late, due: dueText(next) }];
}

/** The fields, without the words of the partner. */
export function dueText(due: PartyDue): string {
  return correctionsOf(due)
    .map(({ field }) => field)
    .join(', ');
}

/** Something new is wanted that neither a page nor the API asks: an operator must see to it. */
export function askedAlert(
  was: PartyDue,
  next: PartyDue,
  about: Readonly<Record<string, string>>,
): readonly PartyAlert[] {
  if (!isAsked(was, next)) return [];
  const alert = 'the partner wants something of a party that only an operator can see to';
  return [{ ...about, alert, due: dueText(next) }];
}

/**
 * The partner refused an answer about the party `partnerRef`: stages that the order before is read
 * again, which restores what is due. Returns that order's id; null if this was no answer.
 */
export async function stageAnswerRefused(
  { tx, nowMs }: Pick<Batch, 'tx' | 'nowMs'>,
  command: PartyCommand,
  partnerRef: string | null,
): Promise<string | null> {
  if (partnerRef === null) return null;
  const before = await tx.commands.byPartnerRef(command.mode, command.kind, partnerRef);
  const isOwn = before !== null && before.orgId === command.orgId && 'subject' in before;
  if (!isOwn || before.id === command.id || before.subject.id !== command.subject.id) return null;
  tx.commands.update(pollNow(reopenOrder(before, nowMs), nowMs));
  return before.id;
}

/** Stages that an accepted order about a party is read next. */
export async function stagePartyRead(
  tx: Tx,
  commandId: string | null,
  nowMs: number,
): Promise<void> {
  const command = commandId === null ? null : await tx.commands.get(commandId);
  if (command === null || !isPolled(command)) return;
  tx.commands.update(pollNow(command, nowMs));
}

/** The party that payments of this seller, or without one, are paid to is read next. */
export async function readPayee(
  deps: Deps,
  tenant: Tenant,
  sellerExternalId: string | null,
): Promise<void> {
  await deps.store.run(async (tx) => {
    const nowMs = deps.clock.nowMs();
    if (sellerExternalId === null) {
      const profile = await tx.organizations.profile(tenant);
      return stagePartyRead(tx, profile?.kybCommandId ?? null, nowMs);
    }
    const account = await tx.accounts.byExternalId(tenant, sellerExternalId);
    return stagePartyRead(tx, account?.submitCommandId ?? null, nowMs);
  });
  deps.wake('commands');
}
