// What a refusal of a buyer's dossier leads to: the partner's answer to the call, not a decision on
// the buyer. The buyer who filled it in on the hosted page is asked to correct the field that the
// code names. A dossier of the API is rejected, and the integrator starts again.
import { fieldNamed } from '../domain/kyc-fields.js';
import type { PartyCommand } from '../domain/partner-command.js';
import { tenantOf } from '../domain/tenant.js';
import { assert } from '../errors.js';
import type { Deps } from '../ports/deps.js';
import type { ReceiverReport } from '../ports/partner.js';
import type { Batch } from './batch.js';
import { readDraft } from './kyc-drafts.js';
import { stageAnswerRefused } from './party-reports.js';

export async function refusedDossier(
  { deps, tx }: Pick<Batch, 'deps' | 'tx'>,
  { subject, ...of }: PartyCommand,
  code: string,
): Promise<ReceiverReport> {
  const submission = await tx.buyers.submissionById(tenantOf(of), subject.id);
  assert(submission !== null, 'a submission stays');
  if (!readDraft(deps, submission).isHosted) return { status: 'rejected', reason: code };
  return { status: 'verifying', reason: code, corrections: [{ field: code, reason: '' }] };
}

/** True if the refused order was an answer: the submission waits for another one. */
export async function submissionAnswerRefused(
  batch: Pick<Batch, 'tx' | 'nowMs'>,
  command: PartyCommand,
): Promise<boolean> {
  const was = await batch.tx.buyers.submissionById(tenantOf(command), command.subject.id);
  assert(was !== null, 'a submission stays');
  if (was.submitCommandId !== command.id) return false;
  const before = await stageAnswerRefused(batch, command, was.partnerRef);
  if (before === null) return false;
  batch.tx.buyers.updateSubmission({ ...was, submitCommandId: before });
  return true;
}

/** A code that names no field of the form needs a person: the buyer cannot correct it. */
export function alertUnplaced({ log }: Pick<Deps, 'log'>, code: string, commandId: string): void {
  if (fieldNamed(code) !== null) return;
  const alert = 'the partner refuses a dossier with a code that names no field of the form';
  log.error('alert', { alert, code, commandId });
}
