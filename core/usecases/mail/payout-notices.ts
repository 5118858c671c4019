// Mails about a changed PIX destination, for the people who can undo it: the change may be a
// mistake or made with a stolen key. They are staged in the batch of the change.
import { scopesOf } from '../../domain/access/member.js';
import { type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { newMail } from '../../domain/mail/mail.js';
import { emailKey } from '../../domain/parties/buyer-kyc.js';
import type { ConnectedAccount } from '../../domain/parties/connected-account.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { mailNumber } from './mails.js';

/**
 * One mail to each member who can revoke keys, and to the seller; `account` is null for the
 * destination of the organization. Each account has a separate limit.
 */
export async function stagePayoutNotices(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  account: ConnectedAccount | null,
  nowMs: number,
): Promise<void> {
  const members = await tx.members.list(tenant.orgId);
  const guards = members.filter(
    ({ role, removedAtMs }) => removedAtMs === null && scopesOf(role).includes('api_keys:write'),
  );
  const seller = account?.email ?? null;
  const recipients = [...guards.map(({ email }) => email), ...(seller === null ? [] : [seller])];
  const byKey = new Map(recipients.map((to) => [emailKey(to), to.trim()]));
  const purpose = 'payout_changed' as const;
  const accountId = account?.id ?? null;
  const none = { cause: null, tokenHash: null, tokenSealed: null, codeHash: null };
  const subject = { kind: 'account', accountId } as const;
  const fields = { ...tenantOf(tenant), ...none, purpose, subject, browserHash: null };
  // All reads come before the first staged mail.
  const numbered = await Promise.all(
    [...byKey].map(async ([toKey, to]) => {
      const about = { ...tenantOf(tenant), purpose, accountId, address: to };
      return { toKey, to, ...(await mailNumber(tx, about, nowMs)) };
    }),
  );
  for (const { toKey, to, nth, waitMs } of numbered) {
    if (waitMs > 0) continue;
    const id = deps.ids.next('mail', nowMs);
    tx.mails.insert(newMail({ ...fields, id, to, toKey, nth, locale: 'en' }, nowMs));
  }
}

/** To be called after the batch is stored; `accountId` is null for the organization. */
export function announceRedirect(
  deps: Deps,
  { orgId, mode }: Tenant,
  accountId: string | null,
  isStopped = false,
): void {
  deps.wake('mails');
  const whose = accountId === null ? 'an organization' : 'a seller';
  deps.log.error('alert', {
    alert: `the PIX destination of ${whose} was changed${isStopped ? ', and it was stopped' : ''}`,
    orgId,
    mode,
    ...(accountId === null ? {} : { accountId }),
  });
}
