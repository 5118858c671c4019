// Invitations of members: a mail with a link that signs in to the dashboard once.
import type { Member } from '../../domain/access/member.js';
import type { Locale } from '../../domain/base/locale.js';
import { pathOf } from '../../domain/hosted/hosted-page.js';
import type { Deps } from '../../ports/deps.js';
import { mailNumber, memberMail, stageLink } from '../mail/mails.js';
import { rateLimited } from '../service/rate-limits.js';

/** Mails a link and returns it. It signs in once, for a day. RateLimitExceeded. */
export async function mailInvitation(deps: Deps, member: Member, locale: Locale): Promise<string> {
  const token = await deps.store.run(async (tx) => {
    const nowMs = deps.clock.nowMs();
    const subject = { kind: 'member', memberId: member.id } as const;
    const to = { ...memberMail(member), purpose: 'invitation', address: member.email } as const;
    const { nth, waitMs } = await mailNumber(tx, to, nowMs);
    if (waitMs > 0) throw rateLimited(waitMs);
    return stageLink(deps, tx, { ...to, subject, nth, locale, browserHash: null }, nowMs);
  });
  deps.wake('mails');
  return `${deps.settings.payUrl}${pathOf({ kind: 'dashboard', address: null })}?token=${token}`;
}
