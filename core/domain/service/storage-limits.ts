// What a tenant may store, so that none costs the others the disk. Rows and bytes come back over a
// day; documents count while they are kept. Test mode is free, so it has much less.
import type { Mode } from '../base/tenant.js';
import type { ChangedRow } from './audit-record.js';

/** 0: no limit. */
export interface StorageLimits {
  readonly rowsADay: number;
  readonly mebibytesADay: number;
  /** All documents of a tenant that are kept. */
  readonly documentMebibytes: number;
}

export const defaultStorageLimits = {
  test: { rowsADay: 1_500, mebibytesADay: 100, documentMebibytes: 100 },
  live: { rowsADay: 200_000, mebibytesADay: 20_480, documentMebibytes: 102_400 },
} as const satisfies Readonly<Record<Mode, StorageLimits>>;

/**
 * Each part of a tenant's requests has the limits once, so that none stops another: a key does not
 * keep members from revoking it, nor a stranger or a large document a payment.
 */
export type BudgetPart = 'creates' | 'keys' | 'members' | 'visitors' | 'uploads';

export interface Stored {
  readonly rows: number;
  readonly bytes: number;
}

/** Rows that requests add without end. Others replace one, or follow from a payment or a party. */
const counted: ReadonlySet<string> = new Set([
  'api_keys',
  'connected_accounts',
  'documents',
  'kyc_submissions',
  'members',
  'party_drafts',
  'passkeys',
  'payments',
  'production_requests',
  'sessions',
  'subscriptions',
]);

/** What a batch adds. */
export function storedBy(changes: readonly ChangedRow[]): Stored {
  const added = changes.filter(({ table, kind }) => kind === 'insert' && counted.has(table));
  return {
    rows: added.length,
    bytes: changes.reduce((sum, { sizeBytes }) => sum + sizeBytes(), 0),
  };
}
