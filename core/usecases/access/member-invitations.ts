// Invitations of members: a mail with a link that signs in to the dashboard once.
import type { Member, MemberRole } from '../../domain/access/member.js';
import type { Locale } from '../../domain/base/locale.js';
import { pathOf } from '../../domain/hosted/hosted-page.js';
import type { Deps } from '../../ports/deps.js';
import { mailNumber, memberMail, stageLink } from '../mail/mails.js';
import { rateLimited } from '../service/rate-limits.js';
import { addMember } from './members.js';

export interface Invitation {
  readonly member: Member;
  /** The link of the mail. It signs in once, for a day. */
  readonly url: string;
}

/** Adds the member, or changes its role, and mails a link. ValidationError, RateLimitExceeded. */
export async function inviteMember(
  deps: Deps,
  input: {
    readonly orgId: string;
    readonly email: string;
    readonly role: MemberRole;
    readonly locale: Locale;
  },
): Promise<Invitation> {
  const { locale } = input;
  const member = await addMember(deps, input);
  const token = await deps.store.run(async (tx) => {
    const nowMs = deps.clock.nowMs();
    const subject = { kind: 'member', memberId: member.id } as const;
    const to = { ...memberMail(member), purpose: 'invitation', address: member.email } as const;
    const { nth, waitMs } = await mailNumber(tx, to, nowMs);
    if (waitMs > 0) throw rateLimited(waitMs);
    return stageLink(deps, tx, { ...to, subject, nth, locale, browserHash: null }, nowMs);
  });
  deps.wake('mails');
  const page = pathOf({ kind: 'dashboard', address: null });
  return { member, url: `${deps.settings.payUrl}${page}?token=${token}` };
}
