// Invitations of members: a mail with a link that signs in to the dashboard once.

import type { Member } from '../../domain/access/member.js';
import type { Locale } from '../../domain/base/locale.js';
import { hostedPath } from '../../domain/hosted/hosted-page.js';
import { memberMail } from '../../domain/mail/mail.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { mailNumber, stageLink } from '../mail/mails.js';
import { rateLimited } from '../service/rate-limits.js';
import { type MemberChange, type MemberInput, stageMember, type TeamAuthor } from './members.js';

export interface Invited extends MemberChange {
  readonly url: string;
}

/**
 * Adds a member or changes its role, as `stageMember` does, and mails a link.
 * InvitationLimitExceeded before anything changes.
 */
export async function inviteMember(
  deps: Deps,
  input: MemberInput,
  author: TeamAuthor,
  locale: Locale,
): Promise<Invited> {
  const invited = await deps.store.run((tx) => stageInvited(deps, tx, input, author, locale), {
    inQuarantine: true,
  });
  deps.wake('mails');
  return invited;
}

/** The same, to be stored. */
export async function stageInvited(
  deps: Deps,
  tx: Tx,
  input: MemberInput,
  author: TeamAuthor,
  locale: Locale,
): Promise<Invited> {
  const nth = await nextInvitation(deps, tx, input);
  const change = await stageMember(deps, tx, input, author);
  return { ...change, url: stageInvitation(deps, tx, change.member, nth, locale) };
}

/** Mails a link and returns it. It signs in once, for a day. InvitationLimitExceeded. */
export async function mailInvitation(deps: Deps, member: Member, locale: Locale): Promise<string> {
  const url = await deps.store.run(async (tx) => {
    const nth = await nextInvitation(deps, tx, member);
    return stageInvitation(deps, tx, member, nth, locale);
  });
  deps.wake('mails');
  return url;
}

/** The number of the next mail to the address. InvitationLimitExceeded. */
async function nextInvitation(
  { clock }: Pick<Deps, 'clock'>,
  tx: Tx,
  { orgId, email }: Pick<Member, 'orgId' | 'email'>,
): Promise<number> {
  const to = { ...memberMail({ orgId }), purpose: 'invitation', address: email } as const;
  const { nth, waitMs } = await mailNumber(tx, to, clock.nowMs());
  if (waitMs > 0) throw rateLimited(waitMs, 'InvitationLimitExceeded');
  return nth;
}

function stageInvitation(deps: Deps, tx: Tx, member: Member, nth: number, locale: Locale): string {
  const mail = { ...memberMail(member), purpose: 'invitation', address: member.email } as const;
  const subject = { kind: 'member', memberId: member.id } as const;
  const link = { ...mail, subject, nth, locale, browserHash: null };
  const { token } = stageLink(deps, tx, link, deps.clock.nowMs());
  const path = hostedPath({ kind: 'dashboard', address: null });
  return `${deps.settings.payUrl}${path}?token=${token}`;
}
