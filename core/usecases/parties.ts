// What the partner says of a party, in its answer or by message: which record it decides on, an
// organization's KYB, a buyer's submission or a connected account, and what follows from that. Both
// ways come here.

import { emailKey } from '../domain/buyer-kyc.js';
import { countsAsBuyerKyc } from '../domain/connected-account.js';
import type { PartnerCommand } from '../domain/partner-command.js';
import { tenantOf } from '../domain/tenant.js';
import type { AcceptedOrder, Deps, PartnerAnswer, ReceiverReport } from '../ports.js';
import { accountReported, railsReported } from './account-changes.js';
import { decideKyc, moveWaiting, submissionAccepted, withdrawAdopted } from './buyers.js';
import { organizationReported } from './organization-changes.js';

/** The answer to a call, applied to what the command serves; refusing a party is a decision too. */
export async function partyAnswered(
  deps: Deps,
  command: PartnerCommand,
  answer: PartnerAnswer<AcceptedOrder>,
): Promise<void> {
  if (command.kind === 'provision_rails') {
    if (answer.outcome === 'done') await railsReported(deps, command, answer.value.partnerRef);
    if (answer.outcome === 'refused') {
      await railsReported(deps, command, null);
      const { accountId, id: commandId } = command;
      const alert = 'the partner refuses the rails of a seller: it cannot collect';
      deps.log.error('alert', { alert, accountId, commandId, code: answer.code });
    }
    return;
  }
  if (answer.outcome === 'refused') {
    await partyReported(deps, command, null, { status: 'rejected', reason: answer.code });
  }
  if (answer.outcome === 'done') {
    const { partnerRef, report = { status: 'verifying', reason: null } } = answer.value;
    await partyReported(deps, command, partnerRef, report);
  }
}

/**
 * How a party stands, applied to the record that its command serves and to the payments that wait
 * for it. Doing it again is harmless: a crash in between is healed that way.
 */
export async function partyReported(
  deps: Deps,
  command: PartnerCommand,
  partnerRef: string | null,
  report: ReceiverReport,
): Promise<void> {
  const tenant = tenantOf(command);
  if (command.kind === 'submit_organization') {
    await organizationReported(deps, command, partnerRef, report);
  }
  if (command.submissionId !== null) {
    if (partnerRef !== null) {
      await submissionAccepted(deps, tenant, command.submissionId, partnerRef, report);
    }
    await decideKyc(deps, tenant, command.submissionId, report);
    if (partnerRef !== null && report.status === 'rejected') {
      await withdrawAdopted(deps, tenant.mode, partnerRef);
    }
  }
  if (command.accountId !== null) {
    const account = await accountReported(deps, command, partnerRef, report);
    if (!countsAsBuyerKyc(account) || account.email === null) return;
    const key = emailKey(account.email);
    const buyer = await deps.store.run((tx) => tx.buyers.byEmail(tenant.mode, key));
    if (buyer !== null) await moveWaiting(deps, tenant, buyer.id);
  }
}
