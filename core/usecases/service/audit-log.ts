// Writes the audit log, in the batch of the change that it records, and verifies it.
import type { Tenant } from '../../domain/base/tenant.js';
import type { FeedHead, NumberedEvent } from '../../domain/payments/event.js';
import {
  type AuditAuthor,
  type AuditEntry,
  auditEntry,
  auditEvent,
  auditedOf,
  auditFeed,
  auditSubject,
  defectOf,
} from '../../domain/service/audit-entry.js';
import type { Deps } from '../../ports/deps.js';
import type { RunOptions, Store, Tx } from '../../ports/storage.js';

const PAGE = 500;
const DEFECTS_MAX = 100;

/**
 * Dependencies for the work of one author: each batch that changes an object gets an entry. Within
 * such work it names another author of the same request.
 */
export function audited(
  deps: Deps,
  author: Pick<AuditAuthor, 'actor' | 'action'> & Partial<AuditAuthor>,
): Deps {
  const outer = deps.store instanceof AuditedStore ? deps.store : null;
  const needs = { ...deps, store: outer?.unaudited ?? deps.store };
  const whole = { orgId: null, address: null, requestId: null, ...outer?.author, ...author };
  return { ...deps, store: new AuditedStore(needs, whole) };
}

class AuditedStore implements Store {
  readonly author: AuditAuthor;
  readonly #needs: Pick<Deps, 'store' | 'ids' | 'clock'>;

  constructor(needs: Pick<Deps, 'store' | 'ids' | 'clock'>, author: AuditAuthor) {
    this.#needs = needs;
    this.author = author;
  }

  get unaudited(): Store {
    return this.#needs.store;
  }

  get claims(): Store['claims'] {
    return this.#needs.store.claims;
  }

  run<T>(work: (tx: Tx) => Promise<T>, options?: RunOptions): Promise<T> {
    const recorded = async (tx: Tx) => {
      const value = await work(tx);
      this.#record(tx);
      return value;
    };
    return this.#needs.store.run(recorded, options);
  }

  migrate(): ReturnType<Store['migrate']> {
    return this.#needs.store.migrate();
  }

  health(): ReturnType<Store['health']> {
    return this.#needs.store.health();
  }

  close(): Promise<void> {
    return this.#needs.store.close();
  }

  #record(tx: Tx): void {
    const { ids, clock } = this.#needs;
    for (const changed of auditedOf(tx.changes(), this.author.orgId)) {
      const atMs = clock.nowMs();
      const place = { id: ids.next('aud', atMs), atMs };
      // No subscription has events of this feed.
      tx.feed.append(auditEvent(this.author, changed, place));
    }
  }
}

/** Entries about an organization in one mode or in both, newest first. */
export async function listAuditEntries(
  { store }: Pick<Deps, 'store'>,
  { orgId, mode }: Tenant,
  page: { readonly beforeSequence: number | null; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  const { beforeSequence, limit } = page;
  const subjects = [auditSubject({ orgId, mode }), auditSubject({ orgId, mode: null })];
  const found = await store.run((tx) =>
    Promise.all(
      subjects.map((id) => tx.feed.newestOfSubject(auditFeed, id, beforeSequence, limit)),
    ),
  );
  const newest = found.flat().toSorted((one, other) => other.sequence - one.sequence);
  return newest.slice(0, limit).map(auditEntry);
}

/** All entries, in order. */
export async function* allEntries({ store }: Pick<Deps, 'store'>): AsyncGenerator<NumberedEvent> {
  for (let after = 0; ; ) {
    const page = await store.run((tx) => tx.feed.after(auditFeed, after, PAGE));
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.sequence ?? after;
  }
}

/** Null before the first entry. */
export function auditHead({ store }: Pick<Deps, 'store'>): Promise<FeedHead | null> {
  return store.run((tx) => tx.feed.head(auditFeed));
}

export interface AuditDefect {
  readonly sequence: number;
  readonly problem: string;
}

export interface AuditCheck {
  readonly head: FeedHead | null;
  readonly entries: number;
  readonly defects: readonly AuditDefect[];
}

/**
 * Reads the whole log and compares it with its head and with heads that somebody kept outside the
 * database (`anchors`).
 */
export async function verifyAudit(
  deps: Pick<Deps, 'store'>,
  anchors: readonly FeedHead[] = [],
): Promise<AuditCheck> {
  // Read first: entries that are added during the check come after it.
  const head = await auditHead(deps);
  const end = head?.sequence ?? 0;
  const expected = Map.groupBy(anchors, ({ sequence }) => sequence);
  const defects: AuditDefect[] = [];
  const note = (sequence: number, problem: string) => {
    if (defects.length < DEFECTS_MAX) defects.push({ sequence, problem });
  };
  let last: FeedHead | null = null;
  let entries = 0;
  for await (const entry of allEntries(deps)) {
    const { sequence, chainHash } = entry;
    const defect = defectOf(entry, last);
    if (defect !== null) note(sequence, defect);
    const kept = expected.get(sequence) ?? [];
    if (kept.some((anchor) => anchor.chainHash !== chainHash)) {
      note(sequence, 'the entry differs from an anchor');
    }
    if (sequence === end && chainHash !== head?.chainHash) {
      note(sequence, 'the entry differs from the head');
    }
    entries += 1;
    last = { sequence, chainHash };
  }
  const found = last?.sequence ?? 0;
  if (found < end) note(end, `the log ends at ${found}, its head is ${end}`);
  for (const { sequence } of anchors) {
    if (sequence > found) note(sequence, `the log ends at ${found}, before an anchor`);
  }
  return { head, entries, defects };
}
