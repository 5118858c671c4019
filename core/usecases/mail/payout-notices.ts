// Mails about a new PIX destination, for the people who can undo it: it may be a mistake or set
// with a stolen key. They are staged in the batch of the change.
import { isActiveMember, scopesOf } from '../../domain/access/member.js';
import { emailKey } from '../../domain/base/email-address.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { newMail } from '../../domain/mail/mail.js';
import { type ConnectedAccount, payeeLocale } from '../../domain/parties/connected-account.js';
import { changeState, type DestinationChange } from '../../domain/parties/destination-change.js';
import type { Deps } from '../../ports/deps.js';
import type { Batch } from '../service/batch.js';
import { mailNumber } from './mails.js';

/**
 * One mail to each member who can revoke keys, and to the seller; `account` is null for the
 * destination of the organization. Each account has a separate limit. A held change is mailed
 * beyond it: only its mails can stop it.
 */
export async function stagePayoutNotices(
  { deps, tx, nowMs }: Batch,
  change: DestinationChange,
  account: ConnectedAccount | null,
): Promise<void> {
  const tenant = tenantOf(change);
  const isHeld = changeState(change, nowMs) === 'held';
  const members = await tx.members.list(tenant.orgId);
  const guards = members.filter(
    (member) => isActiveMember(member) && scopesOf(member.role).includes('api_keys:write'),
  );
  const seller = account?.email ?? null;
  const recipients = [...guards.map(({ email }) => email), ...(seller === null ? [] : [seller])];
  const byKey = new Map(recipients.map((to) => [emailKey(to), to.trim()]));
  const purpose = 'payout_changed' as const;
  const accountId = account?.id ?? null;
  const none = { tokenHash: null, tokenSealed: null, codeHash: null, browserHash: null };
  const subject = { kind: 'account', accountId } as const;
  const fields = { ...tenant, ...none, purpose, subject };
  // All reads come before the first staged mail.
  const numbered = await Promise.all(
    [...byKey].map(async ([toKey, to]) => {
      const about = { ...tenant, purpose, accountId, address: to };
      return { toKey, to, ...(await mailNumber(tx, about, nowMs)) };
    }),
  );
  for (const [index, { toKey, to, nth, waitMs }] of numbered.entries()) {
    if (waitMs > 0 && !isHeld) continue;
    const id = deps.ids.next('mail', nowMs);
    const cause = `${change.id}.${index}`;
    const locale = seller !== null && toKey === emailKey(seller) ? payeeLocale(account) : 'en';
    tx.mails.insert(newMail({ ...fields, id, cause, to, toKey, nth, locale }, nowMs));
  }
}

/** To be called after the batch is stored. */
export function announceRedirect(
  deps: Deps,
  { orgId, mode, accountId }: DestinationChange,
  happened: 'was set, and is held' | 'was changed' | 'was changed, and it was stopped',
): void {
  deps.wake('mails');
  const whose = accountId === null ? 'an organization' : 'a seller';
  deps.log.error('alert', {
    alert: `the PIX destination of ${whose} ${happened}`,
    orgId,
    mode,
    ...(accountId === null ? {} : { accountId }),
  });
}
