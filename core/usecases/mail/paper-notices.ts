// Mails before the last day of a vendor document, to its owner: the seller, or the owners of the
// organization for its own and for a seller without an address. They are staged in the batch that
// ends the occasion.
import { emailKey } from '../../domain/base/email-address.js';
import { tenantOf } from '../../domain/base/tenant.js';
import { partnerPapers, type VendorPaper, warningAtMs } from '../../domain/parties/vendor-paper.js';
import type { Deps } from '../../ports/deps.js';
import type { Tx } from '../../ports/storage.js';
import { mailedPayee } from './mailed-payee.js';
import { stageNotice } from './mails.js';

/** Reads who is mailed; what it returns stages the mails, one to each address for an occasion. */
export async function paperNotices(
  deps: Deps,
  tx: Tx,
  paper: VendorPaper,
  nowMs: number,
): Promise<() => void> {
  const occasionMs = warningAtMs(paper, nowMs);
  const tenant = tenantOf(paper);
  const ownerId = paper.owner.id;
  if (occasionMs === null || ownerId === partnerPapers(tenant.mode).id) return () => undefined;
  const account = ownerId === tenant.orgId ? null : await tx.accounts.get(tenant, ownerId);
  const { addresses, locale } = await mailedPayee(tx, tenant, account?.email ? account : null);
  const purpose = 'paper_ends' as const;
  const subject = { kind: 'account', accountId: account?.id ?? null } as const;
  const about = { ...tenant, purpose, subject, locale };
  return () => {
    for (const [index, to] of addresses.entries()) {
      const cause = `${paper.id}.${purpose}.${occasionMs}.${index}`;
      stageNotice(deps, tx, { ...about, cause, to: to.trim(), toKey: emailKey(to) }, nowMs);
    }
  };
}
