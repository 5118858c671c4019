// Comparisons with the partners' books that run by themselves, once a day: the result is kept, and
// a difference is an alert. Nothing waits for one: it may take minutes.
import { DAY_MS, MINUTE_MS } from '../../domain/base/instant.js';
import { backoffMs } from '../../domain/base/schedules.js';
import { type Mode, modes } from '../../domain/base/tenant.js';
import type { ScheduledReconciliation } from '../../domain/money-desk/reconciliation.js';
import { isCode } from '../../errors.js';
import type { Deps } from '../../ports/deps.js';
import { type ReconcileOptions, type Reconciliation, reconcile } from './reconcile.js';
import { compareWallets, type WalletBalance } from './wallet-balances.js';

/** How far back a comparison that runs by itself goes. */
const COMPARED_MS = 7 * DAY_MS;
/** All waits for the partner in one comparison. */
const WAIT_MAX_MS = 10 * MINUTE_MS;

export interface Comparison extends Reconciliation {
  readonly wallets: readonly WalletBalance[];
}

/** Also of the wallets. Null if the partner of this mode has no books that can be read. */
export async function compareBooks(
  deps: Deps,
  options: ReconcileOptions,
): Promise<Comparison | null> {
  const found = await reconcile(deps, options);
  return found === null ? null : { ...found, wallets: await compareWallets(deps, options.mode) };
}

export function countsOf({ differences, missed, wallets }: Comparison) {
  const unread = wallets.filter(({ balanceMinor }) => balanceMinor === null);
  return {
    differences: differences.length + wallets.filter(({ differs }) => differs).length,
    unread: missed.length + unread.length,
  };
}

/** Rejects when `signal` is aborted. */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export interface ReconciliationRunner {
  /** Starts what is due, one mode after the other, without waiting. */
  startDue(nowMs: number): Promise<void>;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Ends the waits for the partner: what runs ends without a result. */
  stop(): Promise<void>;
}

export function reconciliationRunner(deps: Deps, wait: Wait): ReconciliationRunner {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  const idle = async () => {
    await running;
  };
  return {
    async startDue(nowMs) {
      if (running !== null || stopping.signal.aborted) return;
      const due = await dueModes(deps, nowMs);
      if (due.length === 0) return;
      running = runAll(deps, due, wait, stopping.signal).finally(() => {
        running = null;
      });
    },
    idle,
    stop: () => {
      stopping.abort();
      return idle();
    },
  };
}

/** A partner that is met for the first time gets its row. */
async function dueModes(deps: Deps, nowMs: number): Promise<readonly Mode[]> {
  const named = modes.flatMap((mode) => {
    const partner = deps.partners[mode];
    return partner?.statement === undefined ? [] : [{ mode, name: partner.name }];
  });
  return deps.store.run(async (tx) => {
    const rows = await Promise.all(
      named.map(({ name, mode }) => tx.reconciliations.get(name, mode)),
    );
    for (const [at, { name, mode }] of named.entries()) {
      if (rows[at] !== null) continue;
      const dueAtMs = nowMs + backoffMs('reconciliationAgain', 0);
      tx.reconciliations.insert({ partner: name, mode, last: null, dueAtMs, version: 1 });
    }
    return named.flatMap(({ mode }, at) =>
      (rows[at]?.dueAtMs ?? Infinity) <= nowMs ? [mode] : [],
    );
  });
}

async function runAll(
  deps: Deps,
  due: readonly Mode[],
  wait: Wait,
  signal: AbortSignal,
): Promise<void> {
  for (const mode of due) {
    try {
      await run(deps, mode, (ms) => wait(ms, signal));
    } catch (error) {
      // A host that stops, or a restored database: the next host or epoch begins again.
      if (isCode(error, 'InQuarantine') || signal.aborted) return;
      deps.log.error('the books could not be compared', { mode, error });
      await put(deps, mode, { dueAtMs: deps.clock.nowMs() + backoffMs('reconciliationAgain', 0) });
    }
  }
}

async function run(deps: Deps, mode: Mode, wait: (ms: number) => Promise<void>): Promise<void> {
  const sinceMs = deps.clock.nowMs() - COMPARED_MS;
  const patience = { waitMaxMs: WAIT_MAX_MS, wait, onWait: () => undefined };
  const found = await compareBooks(deps, { mode, sinceMs, ...patience });
  if (found === null) return;
  const { entries, commands } = found;
  const counts = countsOf(found);
  const endedAtMs = deps.clock.nowMs();
  const next = counts.unread === 0 ? 'reconciliation' : 'reconciliationAgain';
  await put(deps, mode, {
    last: { sinceMs, endedAtMs, entries, commands, ...counts },
    dueAtMs: endedAtMs + backoffMs(next, 0),
  });
  if (counts.differences === 0) return;
  const todo = `ponte reconcile --mode ${mode}`;
  deps.log.error('alert', { alert: 'the books of the partner differ', mode, ...counts, todo });
}

async function put(
  deps: Deps,
  mode: Mode,
  changed: Partial<Pick<ScheduledReconciliation, 'last' | 'dueAtMs'>>,
): Promise<void> {
  const name = deps.partners[mode]?.name ?? '';
  await deps.store.run(async (tx) => {
    const row = await tx.reconciliations.get(name, mode);
    if (row !== null) tx.reconciliations.update({ ...row, ...changed });
  });
}
