// The request log: what was refused or failed in the last days, by request id. Requests only note
// it in memory and a worker stores it: a refusal waits for no write, and a crash may lose the last
// ones.
import { DAY_MS } from '../../domain/base/instant.js';
import type { AuditRecord } from '../../domain/service/audit-record.js';
import { fieldOf, type RefusedRequest } from '../../domain/service/refused-request.js';
import type { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { RefusalFilter } from '../../ports/storage.js';
import { newestAuditRecords } from './audit-log.js';

const RETENTION_MS = 7 * DAY_MS;
const PAGE = 500;
/** A client may use one request id for every request. */
const FOUND_MAX = 100;

/** Notes a refusal, unless too many were noted in this minute. */
export function noteRefusal(
  { refusals, ids, clock }: Pick<Deps, 'refusals' | 'ids' | 'clock'>,
  { code, status, message }: Pick<PonteError, 'code' | 'status' | 'message'>,
  about: Pick<RefusedRequest, 'requestId' | 'operation' | 'orgId' | 'mode' | 'credentialId'>,
): void {
  const atMs = clock.nowMs();
  const { requestId, operation, orgId, mode, credentialId } = about;
  refusals.note({
    id: ids.next('req', atMs),
    requestId,
    atMs,
    operation,
    status,
    code,
    field: fieldOf(message),
    orgId,
    mode,
    credentialId,
    version: 1,
  });
}

/** Stores refusals that were noted. */
export async function flushRefusals(deps: Deps, _nowMs: number, limit: number): Promise<number> {
  const waiting = deps.refusals.oldest(limit);
  if (waiting.length === 0) return 0;
  await deps.store.run(
    async (tx) => {
      for (const refused of waiting) tx.refusedRequests.insert(refused);
    },
    { inQuarantine: true },
  );
  deps.refusals.stored(waiting.length);
  return waiting.length;
}

/** Removes refusals of more than a week ago. */
export async function runRefusalDeletion(
  deps: Deps,
  nowMs: number,
  limit: number,
): Promise<number> {
  return deps.store.run(async (tx) => {
    const oldest = await tx.refusedRequests.oldest(limit);
    const old = oldest.filter(({ atMs }) => atMs < nowMs - RETENTION_MS);
    for (const refused of old) tx.refusedRequests.remove(refused);
    return old.length;
  });
}

/** Refusals, newest first; `orgId` null: of all organizations, and those without a credential. */
export function listRefusals(
  { store }: Pick<Deps, 'store'>,
  filter: RefusalFilter,
): Promise<readonly RefusedRequest[]> {
  return store.run((tx) => tx.refusedRequests.list(filter));
}

/**
 * Looks for a request by its id. No index has the ids of the audit log, so its records are read
 * back to `sinceMs`. Returns what is known of it, its records newest first.
 */
export async function findRequest(
  deps: Pick<Deps, 'store' | 'secretBox'>,
  requestId: string,
  sinceMs: number,
) {
  const refused = await deps.store.run((tx) =>
    tx.refusedRequests.byRequestId(requestId, FOUND_MAX),
  );
  const records: AuditRecord[] = [];
  for (let beforeSequence: number | null = null; ; ) {
    const page: readonly AuditRecord[] = await newestAuditRecords(deps, null, {
      beforeSequence,
      limit: PAGE,
    });
    records.push(
      ...page.filter((record) => record.requestId === requestId && record.atMs >= sinceMs),
    );
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined || last.atMs < sinceMs) break;
    beforeSequence = last.sequence;
  }
  return { refused, records };
}
