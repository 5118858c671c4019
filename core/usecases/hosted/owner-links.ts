// Mailed links to a part of a KYC form: for a beneficial owner, or for the person who fills in the
// whole form instead of the buyer. They open that part for one address at a time.
import { emailKey } from '../../domain/base/email-address.js';
import type { Locale } from '../../domain/base/locale.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { FORM_MAILS_A_DAY_MAX, linkEnded, ownerLinkWaitMs } from '../../domain/mail/mail.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { mailNumber, stageLink } from '../mail/mails.js';
import { rateLimited } from '../service/rate-limits.js';
import { endAll } from '../service/tokens.js';

/** `ownerIndex` is null for the whole form. */
export interface FormPart extends Tenant {
  readonly submissionId: string;
  readonly ownerIndex: number | null;
}

/** How long until `stageOwnerLink` may mail a link to the part; 0 for now. */
export async function ownerLinkWait(
  deps: Deps,
  tx: Tx,
  { address, ...part }: FormPart & { readonly address: string },
): Promise<{ readonly nth: number; readonly waitMs: number }> {
  const nowMs = deps.clock.nowMs();
  const { orgId, mode, submissionId } = part;
  const [{ nth, waitMs }, ofForm] = await Promise.all([
    mailNumber(tx, { orgId, mode, purpose: 'owner_link', address }, nowMs),
    tx.mails.newestOwnerLinks(part, submissionId, FORM_MAILS_A_DAY_MAX),
  ]);
  return { nth, waitMs: Math.max(waitMs, ownerLinkWaitMs(ofForm, subjectOf(part), nowMs)) };
}

/**
 * Stages a mail with a link to the part. If it goes to another address than the last one, access by
 * the last one ends. RateLimitExceeded.
 */
export async function stageOwnerLink(
  deps: Deps,
  tx: Tx,
  { address, locale, ...part }: FormPart & { readonly address: string; readonly locale: Locale },
): Promise<void> {
  const { orgId, mode } = part;
  const nowMs = deps.clock.nowMs();
  const to = { orgId, mode, purpose: 'owner_link', address } as const;
  const [{ nth, waitMs }, endOthers] = await Promise.all([
    ownerLinkWait(deps, tx, { ...part, address }),
    accessOf(deps, tx, part, (toKey) => toKey !== emailKey(address)),
  ]);
  if (waitMs > 0) throw rateLimited(waitMs);
  endOthers();
  const subject = subjectOf(part);
  stageLink(deps, tx, { ...to, subject, nth, locale, browserHash: null }, nowMs);
}

/** Links and sessions of this owner end; links to the whole form, and not the buyer's sessions. */
export async function endOwnerAccess(deps: Deps, tx: Tx, part: FormPart): Promise<void> {
  const end = await accessOf(deps, tx, part, () => true);
  end();
}

/**
 * The link to the whole form ends, and the sessions that came from it. Without a payment the
 * buyer's own sessions look the same: they end too, except the one that is kept.
 */
export async function endFormAccess(
  deps: Deps,
  tx: Tx,
  part: Tenant & { readonly submissionId: string },
  keptSessionId: string,
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const subject = subjectOf({ ...part, ownerIndex: null });
  const [links, sessions] = await Promise.all([
    tx.mails.openLinks(part, subject, nowMs),
    tx.sessions.open(part, ['buyer', 'upload'], { submissionId: part.submissionId }),
  ]);
  for (const link of links) {
    if (link.purpose === 'owner_link') tx.mails.update(linkEnded(link, nowMs));
  }
  const ended = sessions.filter((one) => one.paymentId === null && one.id !== keptSessionId);
  endAll(tx, ended, nowMs);
}

/** Reads the access to a part by these addresses; the result stages its end. */
async function accessOf(
  deps: Deps,
  tx: Tx,
  part: FormPart,
  isEnded: (toKey: string) => boolean,
): Promise<() => void> {
  const nowMs = deps.clock.nowMs();
  const { submissionId, ownerIndex } = part;
  const [links, last, sessions] = await Promise.all([
    tx.mails.openLinks(part, subjectOf(part), nowMs),
    ownerIndex === null ? null : tx.mails.newestOwnerLink(part, submissionId, ownerIndex),
    ownerIndex === null ? [] : tx.sessions.open(part, ['owner'], { submissionId, ownerIndex }),
  ]);
  const ended = links.filter(({ purpose, toKey }) => {
    return (ownerIndex !== null || purpose === 'owner_link') && isEnded(toKey);
  });
  return () => {
    for (const link of ended) tx.mails.update(linkEnded(link, nowMs));
    if (last === null || !isEnded(last.toKey)) return;
    endAll(tx, sessions, nowMs);
  };
}

function subjectOf({ submissionId, ownerIndex }: FormPart) {
  return { kind: 'submission', submissionId, ownerIndex } as const;
}
