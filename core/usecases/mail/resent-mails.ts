// Operators send mails again: one, or all that failed. A notice is the same row once more, with the
// text of today. The token of a link that was mailed is gone, so a link is another mail. Sign-ins
// are asked for on their page. Whether a mail is still needed is decided before it is sent.
import { tenantOf } from '../../domain/base/tenant.js';
import {
  hasFailed,
  type LinkPurpose,
  type Mail,
  mailResent,
  mailRules,
} from '../../domain/mail/mail.js';
import { expectFound, PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { stageLink } from './mails.js';

const PAGE = 100;

/** NotFound; ValidationError for a link that was used, and for a sign-in. */
export async function resendMail(deps: Deps, mailId: string): Promise<Mail> {
  const resent = await deps.store.run(async (tx) => {
    const mail = expectFound(await tx.mails.find(mailId));
    return stageResent(deps, tx, mail);
  });
  deps.wake('mails');
  return resent;
}

/** All mails since then that failed and can be sent again, newest first. */
export async function resendFailed(deps: Deps, sinceMs: number): Promise<readonly Mail[]> {
  const resent: Mail[] = [];
  // What this adds has a higher id than the first page.
  let beforeId: string | null = null;
  for (;;) {
    const filter = { status: null, beforeId, limit: PAGE };
    const page: readonly Mail[] = await deps.store.run((tx) => tx.mails.list(filter));
    const recent = page.filter(({ createdAtMs }) => createdAtMs >= sinceMs);
    for (const { id } of recent.filter((mail) => hasFailed(mail) && isResendable(mail))) {
      resent.push(await resendMail(deps, id));
    }
    const last = page.at(-1);
    if (last === undefined || recent.length < page.length || page.length < PAGE) return resent;
    beforeId = last.id;
  }
}

function isResendable({ purpose, linkUsedAtMs }: Mail): boolean {
  return !mailRules[purpose].isAsked && linkUsedAtMs === null;
}

async function stageResent(deps: Deps, tx: Tx, mail: Mail): Promise<Mail> {
  const nowMs = deps.clock.nowMs();
  // It is being sent now.
  if (mail.leaseToken !== null) return mail;
  if (!isResendable(mail)) {
    throw new PonteError(
      'ValidationError',
      mail.linkUsedAtMs === null
        ? 'A sign-in is asked for on its page. Send the person the address of the page.'
        : 'The link of this mail was used. It is not sent again.',
    );
  }
  if (mail.tokenHash === null || mail.status === 'pending') {
    const resent = mailResent(mail, nowMs);
    tx.mails.update(resent);
    return resent;
  }
  const { subject, locale, to: address, browserHash, toKey } = mail;
  const purpose = mail.purpose as LinkPurpose;
  const whom = { ...tenantOf(mail), purpose };
  const [newest] = await tx.mails.newestNumbered({ ...whom, toKey }, 1);
  const nth = (newest?.nth ?? 0) + 1;
  const made = stageLink(deps, tx, { ...whom, subject, nth, locale, address, browserHash }, nowMs);
  return made.mail;
}
