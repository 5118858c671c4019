// Who is mailed as a payee, and in which language.
import { isActiveMember } from '../../domain/access/member.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { type ConnectedAccount, payeeLocale } from '../../domain/parties/connected-account.js';
import type { Tx } from '../../ports/storage.js';

/** A seller by its address; null: the owners of the organization. */
export async function mailedPayee(tx: Tx, { orgId }: Tenant, seller: ConnectedAccount | null) {
  const locale = payeeLocale(seller);
  if (seller !== null) return { addresses: seller.email === null ? [] : [seller.email], locale };
  const members = await tx.members.list(orgId);
  const owners = members.filter((one) => one.role === 'owner' && isActiveMember(one));
  return { addresses: owners.map(({ email }) => email), locale };
}
