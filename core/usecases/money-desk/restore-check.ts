// Reconciles a restored database with the partner. The partner may have commands that have no row.
// Their references follow from what is ordered (command-references.ts), so the check looks for the
// stored commands and those that the restored state would make next (restore-search.ts): in the
// partner's books (lost-entries.ts), or one by one if it lists none. It runs in quarantine, page
// by page, and resumes where it was interrupted.
import { type Mode, modes, type Tenant, tenantOf } from '../../domain/base/tenant.js';
import { PonteError } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import type { PartnerCall } from '../deposits/books.js';
import { currentEpoch } from '../service/epochs.js';
import {
  keepRest,
  type LostEntries,
  type PaidOut,
  type RestCounts,
  readLost,
} from './lost-entries.js';
import { type CheckedPayment, checkPayment } from './payment-check.js';

const PAYMENTS_PER_PAGE = 50;
/** Payments that are checked at a time. */
const PAYMENTS_AT_ONCE = 8;

interface CheckCounts {
  readonly payments: number;
  /** With a new command or status. */
  readonly learned: number;
  /** With a report under review. */
  readonly differing: number;
  /** With a failed look-up. */
  readonly missed: number;
}

export type CheckResult = CheckCounts & RestCounts;

interface Progress {
  readonly counts: CheckCounts;
  /** The last payment that was checked. */
  readonly after: (Tenant & { readonly id: string }) | null;
}

const nothing = { payments: 0, learned: 0, differing: 0, missed: 0 };

export function isCheckComplete(counts: Pick<CheckResult, 'missed' | 'unreadable'>): boolean {
  return counts.missed === 0 && counts.unreadable === 0;
}

/**
 * Returns the counts of the whole check; the next one starts over. NotQuarantined, also if another
 * epoch has started; PartnerUnavailable if the partner's books cannot be read.
 */
export async function checkRestored(
  given: Deps,
  report: (payment: CheckedPayment) => void,
  call?: PartnerCall,
): Promise<CheckResult> {
  const deps = allowedInQuarantine(given);
  const { number, state, checkProgress } = await currentEpoch(deps);
  if (state !== 'quarantine') throw new PonteError('NotQuarantined');
  const lost = { test: null, live: null } as Record<Mode, LostEntries | null>;
  for (const mode of modes) lost[mode] = await readLost(deps, mode, call);
  let progress: Progress =
    checkProgress === null ? { counts: nothing, after: null } : JSON.parse(checkProgress);
  const paidOut: PaidOut[] = [];
  for (let result: CheckResult | null = null; ; ) {
    const before = progress;
    const page = await deps.store.run((tx) => tx.payments.page(before.after, PAYMENTS_PER_PAGE));
    const last = page.at(-1);
    const checked: CheckedPayment[] = [];
    for (let at = 0; at < page.length; at += PAYMENTS_AT_ONCE) {
      const some = page.slice(at, at + PAYMENTS_AT_ONCE);
      const checks = await Promise.all(
        some.map((payment) => checkPayment(deps, lost[payment.mode], payment)),
      );
      checked.push(...checks.map(({ payment }) => payment));
      paidOut.push(...some.filter((_, index) => checks[index]?.isOrphan));
    }
    for (const payment of checked.filter(isNotable)) report(payment);
    if (last === undefined) {
      result = { ...progress.counts, ...(await keepRest(deps, lost, paidOut)) };
    } else {
      const after = { ...tenantOf(last), id: last.id };
      progress = { counts: counted(progress.counts, checked), after };
    }
    const isComplete = result !== null && isCheckComplete(result);
    const noted = result === null ? JSON.stringify(progress) : null;
    await deps.store.run(async (tx) => {
      const epoch = await tx.epochs.current();
      if (epoch.number !== number || epoch.state !== 'quarantine') {
        throw new PonteError('NotQuarantined');
      }
      const checkedAtMs = isComplete ? deps.clock.nowMs() : epoch.checkedAtMs;
      tx.epochs.update({ ...epoch, checkProgress: noted, checkedAtMs });
    });
    if (result !== null) return result;
  }
}

/** Allows the writes of other use cases in quarantine: the check sends nothing. */
function allowedInQuarantine(deps: Deps): Deps {
  const { store } = deps;
  const inQuarantine = true;
  return { ...deps, store: { ...store, run: (work) => store.run(work, { inQuarantine }) } };
}

function counted(counts: CheckCounts, checked: readonly CheckedPayment[]): CheckCounts {
  const of = (is: (payment: CheckedPayment) => boolean) => checked.filter(is).length;
  return {
    payments: counts.payments + checked.length,
    learned: counts.learned + of(({ adopted, was, is }) => adopted.length > 0 || was !== is),
    differing: counts.differing + of(({ differs }) => differs.length > 0),
    missed: counts.missed + of(({ missed }) => missed.length > 0),
  };
}

function isNotable({ was, is, adopted, differs, missed }: CheckedPayment): boolean {
  return was !== is || adopted.length + differs.length + missed.length > 0;
}
