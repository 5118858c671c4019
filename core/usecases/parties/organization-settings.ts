// The settings that owners change in the dashboard, all at once. One owner makes the rules only
// stricter: operators lower the hold of PIX destinations and end second approval.
import { modes } from '../../domain/base/tenant.js';
import { HOLD_HOURS_MAX } from '../../domain/parties/destination-change.js';
import type { LegalLinks, SupportContact } from '../../domain/parties/organization.js';
import type { PaymentOrigin } from '../../domain/payments/payment.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { contactIn, expectOwner, loadOrganization, withContact } from './organizations.js';
import { loadProfile } from './party-kinds.js';

export interface SettingsChange {
  /** The version of the organization that was read before. */
  readonly version: number;
  readonly contact: Readonly<Record<keyof (SupportContact & LegalLinks), string>>;
  /** What a second member approves from now on. What is not named stays as it is. */
  readonly approvalOf: readonly PaymentOrigin[];
  /** Not less than before. */
  readonly payoutHoldHours: number;
  readonly sendsReminders: boolean;
}

/**
 * False, and nothing changes, if the organization has another version. ValidationError;
 * InsufficientScope, InvalidToken unless `changedBy` is an owner of it.
 */
export function changeSettings(
  deps: Deps,
  orgId: string,
  changedBy: string,
  { version, contact, approvalOf, payoutHoldHours, sendsReminders }: SettingsChange,
): Promise<boolean> {
  const shown = contactIn(contact);
  return deps.store.run(async (tx) => {
    const was = await loadOrganization(tx, orgId);
    if (was.version !== version) return false;
    await expectOwner(tx, { orgId }, changedBy);
    const requiresApproval = was.requiresApproval || approvalOf.includes('invoice');
    const ruled = { ...withContact(was, shown), requiresApproval, sendsReminders };
    tx.organizations.update(Object.freeze(ruled));
    for (const mode of modes) {
      const profile = await loadProfile(tx, { orgId, mode });
      const intentsNeedApproval =
        profile.intentsNeedApproval || approvalOf.includes('payment_intent');
      const hours = mode === 'live' ? payoutHoldHours : profile.payoutHoldHours;
      if (!mayHold(hours, profile.payoutHoldHours)) {
        const text = `hours: give ${profile.payoutHoldHours} to ${HOLD_HOURS_MAX}.`;
        throw new PonteError('ValidationError', `${text} An operator lowers the hold.`);
      }
      if (
        intentsNeedApproval === profile.intentsNeedApproval &&
        hours === profile.payoutHoldHours
      ) {
        continue;
      }
      const next = { ...profile, intentsNeedApproval, payoutHoldHours: hours };
      tx.organizations.updateProfile(Object.freeze(next));
    }
    return true;
  });
}

/** Whether an owner may set this hold in place of `was`. */
export function mayHold(hours: number, was: number): boolean {
  return Number.isInteger(hours) && hours >= was && hours <= HOLD_HOURS_MAX;
}
