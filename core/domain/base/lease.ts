// What the queued rows (commands, deliveries, mails) have in common: a worker claims a due row by a
// lease, and only the holder of the lease records an outcome.

export interface Leased {
  /** When a worker must look: the next try or the lease's end; null if there is nothing to do. */
  readonly dueAtMs: number | null;
  readonly leaseToken: string | null;
  readonly lastError: string | null;
}

/** Whether the lease under which `claimed` was claimed still holds. */
export function holdsLease(current: Leased, claimed: Leased): boolean {
  return current.leaseToken === claimed.leaseToken;
}
