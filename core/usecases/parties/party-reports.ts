// What the partner reports about a party: its decision, what is due, a refused answer, the rails of
// a payee. The kinds of parties differ in party-kinds.ts alone.
import type { Tenant } from '../../domain/base/tenant.js';
import { pollNow, reopenCommand } from '../../domain/commands/command-report.js';
import { isPolled, type PartyCommand } from '../../domain/commands/partner-command.js';
import { fieldNamed } from '../../domain/hosted/kyc-fields.js';
import { type Party, reported as withReport } from '../../domain/parties/party.js';
import {
  alertedIfLate,
  correctionsOf,
  dueReported,
  isSameDue,
  type PartyDue,
  TERMS,
} from '../../domain/parties/party-due.js';
import { railsProvisioned } from '../../domain/parties/payee.js';
import { assert } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartyReport } from '../../ports/partner.js';
import type { Tx } from '../../ports/storage.js';
import type { Batch } from '../service/batch.js';
import { type IncomingPartyReport, type PartyKind, partyKinds, payeeKinds } from './party-kinds.js';

export interface PartyStaged {
  /** False while more payments wait for the decision: stage it again. */
  readonly isComplete: boolean;
  /** For operators, once the batch is stored. */
  readonly alerts: readonly PartyAlert[];
}

interface PartyAlert {
  readonly alert: string;
  readonly [name: string]: string;
}

const complete: PartyStaged = { isComplete: true, alerts: [] };

/**
 * Stages a report: first its effect on the party, then in further batches the payments that wait
 * for a decision. A report about an earlier dossier changes nothing.
 */
export async function partyReported(
  batch: Batch,
  { id, subject, ...tenant }: Pick<PartyCommand, 'id' | 'subject'> & Tenant,
  reported: IncomingPartyReport,
): Promise<PartyStaged> {
  const kind = partyKinds[subject.kind];
  const was = await kind.load(batch.tx, tenant, subject.id);
  if (was.commandId !== null && was.commandId !== id) return complete;
  const next = await afterReport(batch, kind, was, reported);
  const isComplete = isInProgress(reported);
  if (next === was) return isComplete ? complete : kind.followUp(batch, was, reported);
  await kind.stage(batch, was, next);
  const isOperators = kind.needsOperator(batch.deps, was, next, reported);
  const asked = { ...kind.about(next), alert: operatorsOnly, due: dueText(next) };
  return {
    isComplete,
    alerts: [...(isOperators ? [asked] : []), ...lateAlerts(was, next, kind.about(next))],
  };
}

async function afterReport<P extends Party>(
  batch: Batch,
  kind: PartyKind<P>,
  was: P,
  reported: IncomingPartyReport,
): Promise<P> {
  const { partnerRef, report } = reported;
  const { status, reason } = report;
  const atMs = await kind.decidedAtMs(batch, was, report);
  const next = withReport(was, { partnerRef, status, reason }, atMs);
  const due = dueAfter(was, next, wanted(kind, reported), batch.nowMs);
  return isSameDue(next, due) ? next : Object.freeze({ ...next, ...due });
}

function wanted(
  { needsTerms }: Pick<PartyKind, 'needsTerms'>,
  reported: IncomingPartyReport,
): IncomingPartyReport {
  const { report } = reported;
  if (needsTerms || report.status !== 'approved') return reported;
  const corrections = report.corrections?.filter(({ field }) => field !== TERMS) ?? [];
  return { ...reported, report: { ...report, corrections } };
}

/** What is due of a party that the report changed to `next`. A stale message clears nothing. */
function dueAfter(was: Party, next: Party, reported: IncomingPartyReport, nowMs: number): PartyDue {
  if (next.status === 'rejected') return next;
  const { report, isCurrent } = reported;
  const isSilent = (report.corrections ?? []).length === 0;
  // A message that names the party first says nothing about what is due.
  const isStale = isSilent && !isCurrent && (isInProgress(reported) || next === was);
  return alertedIfLate(isStale ? next : dueReported(next, report), nowMs);
}

function isInProgress({ report: { status } }: IncomingPartyReport): boolean {
  return status === 'verifying' || status === 'paused';
}

const late = 'the partner stops waiting for the answer of a party within a week';
const operatorsOnly = 'the partner requests information that only an operator can provide';

function lateAlerts(
  was: PartyDue,
  next: PartyDue,
  about: Readonly<Record<string, string>>,
): readonly PartyAlert[] {
  const { answerAlertedAtMs } = next;
  if (answerAlertedAtMs === null || answerAlertedAtMs === was.answerAlertedAtMs) return [];
  return [{ ...about, alert: late, due: dueText(next) }];
}

/** The fields, without the words of the partner. */
function dueText(due: PartyDue): string {
  return correctionsOf(due)
    .map(({ field }) => field)
    .join(', ');
}

/**
 * The partner refused a command that was an answer: stages that the command before counts again and
 * is read, which restores what is due. False if the command was no answer.
 */
export async function answerRefused(batch: Batch, command: PartyCommand): Promise<boolean> {
  const { tx, nowMs } = batch;
  const { subject } = command;
  const kind = partyKinds[subject.kind];
  const was = await kind.load(tx, command, subject.id);
  const { commandId, partnerRef } = was;
  if (commandId !== command.id || partnerRef === null) return false;
  const before = await tx.commands.byPartnerRef(command.mode, command.kind, partnerRef);
  const isOwn = before !== null && before.orgId === command.orgId && 'subject' in before;
  if (!isOwn || before.id === command.id || before.subject.id !== subject.id) return false;
  tx.commands.update(pollNow(reopenCommand(before, nowMs), nowMs));
  await kind.stage(batch, was, Object.freeze({ ...was, commandId: before.id }));
  return true;
}

/** What the refusal of a new party by the partner means for it. */
export async function refusalReport(
  { deps, tx }: Batch,
  { subject, ...tenant }: PartyCommand,
  code: string,
): Promise<PartyReport> {
  const kind = partyKinds[subject.kind];
  return kind.refusal(deps, await kind.load(tx, tenant, subject.id), code);
}

/** A code that names no field of the form needs a person: the buyer cannot correct it. */
export function alertUnplaced({ log }: Pick<Deps, 'log'>, code: string, commandId: string): void {
  if (fieldNamed(code) !== null) return;
  const alert = 'the partner refuses a dossier with a code that names no field of the form';
  log.error('alert', { alert, code, commandId });
}

/** Stages that the rails of a payee exist. */
export async function railsReported(
  batch: Batch,
  { id, subject, ...tenant }: PartyCommand,
  railsRef: string,
): Promise<void> {
  assert(subject.kind !== 'submission', 'nobody is paid to a buyer');
  const kind = payeeKinds[subject.kind];
  const was = await kind.load(batch.tx, tenant, subject.id);
  await kind.stage(batch, was, railsProvisioned(was, id, railsRef));
}

/** To be called after the batch is stored. */
export function announceParty(deps: Pick<Deps, 'wake'>): void {
  deps.wake('commands');
  deps.wake('documents');
}

/** Stages that an accepted command about a party is read next. */
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
      return stagePartyRead(tx, profile?.commandId ?? null, nowMs);
    }
    const account = await tx.accounts.byExternalId(tenant, sellerExternalId);
    return stagePartyRead(tx, account?.commandId ?? null, nowMs);
  });
  deps.wake('commands');
}
