// Compares the rows that give authority, or say where money goes, with the audit log. Each is as
// its newest record says, and each change begins where the one before ended. A row that was
// changed, added or removed by SQL is found, also under a log that is sound.
import type { NumberedEvent } from '../../domain/payments/event.js';
import {
  type AuditedObject,
  auditRecord,
  heldTypes,
  isHeldType,
} from '../../domain/service/audit-record.js';
import type { Deps } from '../../ports/deps.js';
import type { HeldRow } from '../../ports/storage.js';
import { type AuditDefect, auditRecordsAfter } from './audit-log.js';

const PAGE = 500;
/** A row that differs may have changed since the log was read: both are read again. */
const READS_MAX = 3;

interface NewestRecord {
  readonly sequence: number;
  /** Null: the row was removed. */
  readonly hash: string | null;
}

export interface HeldRowsCheck {
  readonly rows: number;
  readonly defects: readonly AuditDefect[];
}

export async function compareHeldRows({ store }: Pick<Deps, 'store'>): Promise<HeldRowsCheck> {
  const newest = new Map<string, NewestRecord>();
  const breaks: AuditDefect[] = [];
  let last = 0;
  for (let reads = 1; ; reads += 1) {
    const before = last;
    for await (const record of auditRecordsAfter({ store }, last)) {
      breaks.push(...noted(newest, record));
      last = record.sequence;
    }
    const { rows, defects } = await compared({ store }, newest);
    const isSettled = defects.length === 0 || (reads > 1 && last === before);
    if (isSettled || reads === READS_MAX) return { rows, defects: [...breaks, ...defects] };
  }
}

/** Notes what a record says of held rows; returns changes that do not begin where one ended. */
function noted(newest: Map<string, NewestRecord>, event: NumberedEvent): readonly AuditDefect[] {
  const { sequence, objects } = auditRecord(event);
  return objects.flatMap(({ type, id, before, after }): readonly AuditDefect[] => {
    if (!isHeldType(type) || id === null) return [];
    const name = nameOf({ type, id });
    const known = newest.get(name);
    newest.set(name, { sequence, hash: after });
    if (before === null || before === known?.hash) return [];
    return [{ sequence, problem: `${name}: was changed before this entry, without an entry` }];
  });
}

async function compared(
  { store }: Pick<Deps, 'store'>,
  newest: ReadonlyMap<string, NewestRecord>,
): Promise<HeldRowsCheck> {
  const missing = new Map([...newest].filter(([, { hash }]) => hash !== null));
  const defects: AuditDefect[] = [];
  let rows = 0;
  for (const type of heldTypes) {
    for (let after: HeldRow | null = null; ; ) {
      const start: HeldRow | null = after;
      const page: readonly HeldRow[] = await store.run((tx) => tx.held.page(type, start, PAGE));
      for (const { id, hash } of page) {
        const name = nameOf({ type, id });
        const known = newest.get(name);
        missing.delete(name);
        if (known?.hash === hash) continue;
        const problem = known === undefined ? 'no entry made it' : 'differs from its newest entry';
        defects.push({ sequence: known?.sequence ?? null, problem: `${name}: ${problem}` });
      }
      rows += page.length;
      after = page.at(-1) ?? null;
      if (page.length < PAGE) break;
    }
  }
  for (const [name, { sequence }] of missing) {
    defects.push({ sequence, problem: `${name}: was removed without an entry` });
  }
  return { rows, defects };
}

function nameOf({ type, id }: Pick<AuditedObject, 'type' | 'id'>): string {
  return `${type} ${id}`;
}
