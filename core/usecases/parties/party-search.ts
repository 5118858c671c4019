// Finds buyers and connected accounts by the words of their names.
import { isNamed, typedWords } from '../../domain/base/search-text.js';
import type { Tenant } from '../../domain/base/tenant.js';
import { type ConnectedAccount, searchedNamesOf } from '../../domain/parties/connected-account.js';
import type { Deps } from '../../ports/deps.js';
import type { AccountFilter } from '../../ports/storage.js';
import { partiesNamed } from '../payments/payment-search.js';
import { listAccounts } from './accounts.js';

/** Accounts that are looked through then. */
const SCANNED_MAX = 2_000;

/**
 * The page of connected accounts of which the text is the id, or whose names, externalId and
 * address have words that begin like those of the text; newest first. Null: it is not searched.
 */
export async function searchAccounts(
  deps: Deps,
  tenant: Tenant,
  text: string | null,
  filter: AccountFilter,
): Promise<readonly ConnectedAccount[]> {
  if (text === null) return listAccounts(deps, tenant, filter);
  const words = typedWords(text);
  const { role, status, beforeId, limit } = filter;
  const passes = (account: ConnectedAccount | null): account is ConnectedAccount =>
    account !== null &&
    (role === null || account.role === role) &&
    (status === null || account.status === status) &&
    (beforeId === null || account.id < beforeId);
  return deps.store.run(async (tx) => {
    const named = await partiesNamed(tx, tenant, words);
    const all =
      named === null
        ? await tx.accounts.list(tenant, { ...filter, limit: SCANNED_MAX })
        : await Promise.all(
            [...new Set([text.trim(), ...named])].map((id) => tx.accounts.get(tenant, id)),
          );
    const isFound = (account: ConnectedAccount) =>
      named !== null || isNamed(words, searchedNamesOf(account));
    return all
      .filter(passes)
      .filter(isFound)
      .toSorted((left, right) => (left.id < right.id ? 1 : -1))
      .slice(0, limit);
  });
}
