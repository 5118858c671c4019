// The settings that owners change in the dashboard, all at once. One owner makes the rules only
// stricter: operators lower the hold of PIX destinations and end second approval.
import type { SessionBeginning } from '../../domain/access/session.js';
import { recordOf } from '../../domain/base/record-of.js';
import { modes } from '../../domain/base/tenant.js';
import { isReadableColor, readAccentColor } from '../../domain/parties/accent-color.js';
import type { ContactName } from '../../domain/parties/contact.js';
import { HOLD_HOURS_MAX } from '../../domain/parties/destination-change.js';
import { type Logo, type LogoProblem, readLogo } from '../../domain/parties/logo.js';
import { type MailSwitches, mailSwitches } from '../../domain/parties/organization.js';
import type { PaymentOrigin } from '../../domain/payments/payment.js';
import { invalid, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import {
  contactIn,
  expectOwner,
  loadOrganization,
  timeZoneIn,
  withContact,
} from './organizations.js';
import { loadProfile } from './party-kinds.js';

export interface SettingsChange extends MailSwitches {
  /** The version of the organization that was read before. */
  readonly version: number;
  readonly contact: Readonly<Record<ContactName, string>>;
  /** Empty: that of Ponte. */
  readonly accentColor: string;
  /** What a second member approves from now on. What is not named stays as it is. */
  readonly approvalOf: readonly PaymentOrigin[];
  /** Not less than before. */
  readonly payoutHoldHours: number;
  /** As `readTimeZone` reads it. */
  readonly timeZone: string;
  readonly requiresPasskey: boolean;
  readonly began: SessionBeginning;
}

/**
 * False, and nothing changes, if the organization has another version. ValidationError;
 * InsufficientScope, InvalidToken unless `changedBy` is an owner of it.
 */
export function changeSettings(
  deps: Deps,
  orgId: string,
  changedBy: string,
  settings: SettingsChange,
): Promise<boolean> {
  const { version, contact, approvalOf, payoutHoldHours } = settings;
  const { requiresPasskey, began } = settings;
  const shown = contactIn(contact);
  const accentColor = accentColorIn(settings);
  const timeZone = timeZoneIn(settings.timeZone);
  return deps.store.run(async (tx) => {
    const was = await loadOrganization(tx, orgId);
    if (was.version !== version) return false;
    await expectOwner(tx, { orgId }, changedBy);
    if (requiresPasskey !== was.requiresPasskey && began !== 'passkey') {
      const text = 'Sign in with a passkey to change whether one is required.';
      throw new PonteError('SessionNotFresh', text);
    }
    const requiresApproval = was.requiresApproval || approvalOf.includes('invoice');
    const mails = recordOf(mailSwitches, (name) => settings[name]);
    const ruled = { requiresApproval, ...mails, requiresPasskey, accentColor, timeZone };
    tx.organizations.update(Object.freeze({ ...withContact(was, shown), ...ruled }));
    for (const mode of modes) {
      const profile = await loadProfile(tx, { orgId, mode });
      const intentsNeedApproval =
        profile.intentsNeedApproval || approvalOf.includes('payment_intent');
      const hours = mode === 'live' ? payoutHoldHours : profile.payoutHoldHours;
      if (!mayHold(hours, profile.payoutHoldHours)) {
        const text = `hours: give ${profile.payoutHoldHours} to ${HOLD_HOURS_MAX}.`;
        throw invalid(`${text} An operator lowers the hold.`);
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

function accentColorIn({ accentColor }: SettingsChange): string | null {
  if (accentColor.trim() === '') return null;
  const color = readAccentColor(accentColor);
  if (color !== null && isReadableColor(color)) return color;
  throw invalid('accentColor: give a color as #0a5568 with a contrast of 4.5:1 to a light page.');
}

/**
 * Replaces the logo; null removes it. 'out_of_date', and nothing changes, if the organization has
 * another version. Why the file is not taken; InsufficientScope, InvalidToken as above.
 */
export async function changeLogo(
  deps: Deps,
  orgId: string,
  changedBy: string,
  { version, bytes }: { readonly version: number; readonly bytes: Uint8Array | null },
): Promise<'saved' | 'out_of_date' | LogoProblem> {
  const read = bytes === null ? null : readLogo(bytes);
  if (typeof read === 'string') return read;
  return deps.store.run(async (tx) => {
    const was = await loadOrganization(tx, orgId);
    if (was.version !== version) return 'out_of_date';
    await expectOwner(tx, { orgId }, changedBy);
    const before = await tx.logos.get(orgId);
    tx.organizations.update(Object.freeze({ ...was, logoHash: read?.hash ?? null }));
    if (read === null) {
      if (before !== null) tx.logos.remove(before);
      return 'saved';
    }
    const { bytes: picture, contentType, hash } = read;
    const content = Buffer.from(picture).toString('base64');
    const logo = { contentType, hash, orgId, content, version: before?.version ?? 1 };
    if (before === null) tx.logos.insert(logo);
    else tx.logos.update(logo);
    return 'saved';
  });
}

/** Null without one. */
export async function readLogoOf(
  deps: Pick<Deps, 'store'>,
  orgId: string,
): Promise<Uint8Array | null> {
  const logo = await deps.store.run((tx) => tx.logos.get(orgId));
  return logo === null ? null : Buffer.from(logo.content, 'base64');
}

/** For anybody who has its address. NotFound for an earlier logo too. */
export async function readLogoFile(
  deps: Deps,
  orgId: string,
  hash: string,
): Promise<{ readonly contentType: Logo['contentType']; readonly bytes: Uint8Array }> {
  const logo = await deps.store.run((tx) => tx.logos.get(orgId));
  if (logo === null || logo.hash !== hash) throw new PonteError('NotFound');
  return { contentType: logo.contentType, bytes: Buffer.from(logo.content, 'base64') };
}

/** Whether an owner may set this hold in place of `was`. */
export function mayHold(hours: number, was: number): boolean {
  return Number.isInteger(hours) && hours >= was && hours <= HOLD_HOURS_MAX;
}
