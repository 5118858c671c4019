// Reads the partner's books: receipts that are due, and all new pay-ins, as a backstop for messages
// that are lost. The leader runs both.
import { type Mode, modes } from '../../domain/base/tenant.js';
import { readLater } from '../../domain/deposits/receipt.js';
import {
  firstScan,
  isScanLate,
  pageScanned,
  type StatementScan,
  scanFailed,
} from '../../domain/deposits/statement-scan.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerEntry, PartnerStatement } from '../../ports/partner.js';
import { pollSoon } from '../payments/command-changes.js';
import { eachDue } from '../service/due-work.js';
import { currentEpoch } from '../service/epochs.js';
import { readReceipt } from './receipts.js';

/** Each is a call to the partner. */
const READS_AT_ONCE = 8;
/** Pages of one run: others wait for the leader. */
const PAGES_PER_RUN = 5;

/** Reads receipts that are due; returns how many. */
export async function runReceipts(deps: Deps, nowMs: number, limit: number): Promise<number> {
  if (await isQuarantined(deps)) return 0;
  const few = { nowMs, limit: Math.min(limit, READS_AT_ONCE) };
  return eachDue(deps, 'receipts', few, {
    read: (page) => deps.store.run((tx) => tx.receipts.due(page)),
    cursorOf: ({ id, dueAtMs }) => ({ id, dueAtMs: dueAtMs ?? nowMs }),
    async work({ id, mode, partner, partnerRef }) {
      const isServed = deps.partners[mode]?.name === partner;
      const outcome = isServed ? await readReceipt(deps, mode, partnerRef) : 'no answer';
      if (outcome === 'receipt') return;
      await deps.store.run(async (tx) => {
        const receipt = await tx.receipts.get(id);
        if (receipt === null) return;
        tx.receipts.update(readLater(receipt, `the books gave: ${outcome}`, deps.clock.nowMs()));
      });
    },
  });
}

/** Reads new pages of the pay-ins of each mode; returns how many. */
export async function runStatementScans(deps: Deps): Promise<number> {
  if (await isQuarantined(deps)) return 0;
  let pages = 0;
  for (const mode of modes) {
    const partner = deps.partners[mode];
    if (partner?.statement === undefined) continue;
    const { name, statement } = partner;
    const known = await deps.store.run((tx) => tx.scans.get(name, mode));
    const isNew = known === null;
    pages += await scan(deps, statement, known ?? firstScan(name, mode, deps.clock.nowMs()), isNew);
  }
  return pages;
}

async function scan(
  deps: Deps,
  statement: PartnerStatement,
  first: StatementScan,
  isNew: boolean,
): Promise<number> {
  let [current, isStored] = [first, !isNew];
  for (let pages = 0; ; pages += 1) {
    const nowMs = deps.clock.nowMs();
    if (current.dueAtMs > nowMs || pages === PAGES_PER_RUN) return pages;
    const next = await scanPage(deps, statement, current);
    await deps.store.run(async (tx) => {
      if (isStored) tx.scans.update(next);
      else tx.scans.insert(next);
    });
    current = isStored ? { ...next, version: next.version + 1 } : next;
    isStored = true;
  }
}

async function scanPage(
  deps: Deps,
  statement: PartnerStatement,
  current: StatementScan,
): Promise<StatementScan> {
  const { sinceMs, cursor, mode, partner } = current;
  const page = await statement.page('payin', { sinceMs, cursor });
  const nowMs = deps.clock.nowMs();
  if (page.outcome !== 'done') {
    const startsOver = page.outcome === 'refused';
    const reason = page.outcome === 'refused' ? page.code : page.reason;
    deps.log.warn('the pay-ins of the partner cannot be read', { mode, reason });
    if (isScanLate(current, nowMs)) {
      const alert = 'pay-ins were not scanned for two hours: deposits may be missed';
      deps.log.error('alert', { alert, mode, reason });
    }
    return scanFailed(current, { reason, startsOver }, nowMs);
  }
  const { entries, nextCursor } = page.value;
  const { unknown, endedOtherwise } = await compared(deps, partner, mode, entries);
  for (const partnerRef of unknown) {
    // A command in flight, or no answer: the entry is in the next scans too.
    await readReceipt(deps, mode, partnerRef);
  }
  for (const commandId of endedOtherwise) await pollSoon(deps, commandId);
  return pageScanned(current, nextCursor, deps.clock.nowMs());
}

interface Compared {
  /** Entries that neither a command nor a receipt knows as they are. */
  readonly unknown: readonly string[];
  /** Commands that the books show with another end, as after a recall whose message was lost. */
  readonly endedOtherwise: readonly string[];
}

async function compared(
  deps: Deps,
  partner: string,
  mode: Mode,
  entries: readonly PartnerEntry[],
): Promise<Compared> {
  const [unknown, endedOtherwise]: [string[], string[]] = [[], []];
  await deps.store.run(async (tx) => {
    for (const { partnerRef, status } of entries) {
      const command = await tx.commands.byPartnerRef(mode, 'payin', partnerRef);
      const isEnded = command !== null && command.end !== 'open' && status !== 'open';
      if (isEnded && command.end !== status) endedOtherwise.push(command.id);
      if (command !== null) continue;
      const receipt = await tx.receipts.byPartnerRef(partner, mode, partnerRef);
      if (receipt?.end !== status) unknown.push(partnerRef);
    }
  });
  return { unknown, endedOtherwise };
}

async function isQuarantined(deps: Deps): Promise<boolean> {
  return (await currentEpoch(deps)).state === 'quarantine';
}
