// The monthly extract for the regulator: every PIX of a mode to a seller, over all organizations or
// of one. Its lines are made of the postings of the ledger, so its sum is that of the ledger.
import { brlOf, type FxLine, fxLineOf } from '../../domain/accounting/fx-line.js';
import type { Mode } from '../../domain/base/tenant.js';
import { DEFAULT_TIME_ZONE, rangeOf } from '../../domain/base/time-zone.js';
import { paymentOrigins } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import { loadView } from '../payments/payment-store.js';
import { postingPages } from './settlement-entries.js';

export interface FxReport {
  readonly lines: readonly FxLine[];
  /** BRL to sellers less what came back, in centavos. */
  readonly sumMinor: bigint;
}

interface Month {
  readonly year: number;
  readonly month: number;
}

/** What is known of a month before its lines are read one by one. */
export type FxSummary = Awaited<ReturnType<typeof fxSummary>>;

const OPEN_SHOWN = 100;

/**
 * A month of Brasília, without the last minute of one that is not over. Each page is read with
 * fresh dependencies, because a long file takes longer than a request.
 */
export async function* fxPages(
  fresh: () => Deps,
  mode: Mode,
  month: Month,
): AsyncGenerator<FxReport> {
  const organizations = await fresh().store.run((tx) => tx.organizations.list());
  for (const { id, name } of organizations) yield* ownFxPages(fresh, { id, name, mode }, month);
}

/** The same of one organization. */
export async function* ownFxPages(
  fresh: () => Deps,
  {
    id: orgId,
    name: organization,
    mode,
  }: { readonly id: string; readonly name: string; readonly mode: Mode },
  month: Month,
): AsyncGenerator<FxReport> {
  const tenant = { orgId, mode };
  const moments = { ...rangeOf(DEFAULT_TIME_ZONE, month), origins: paymentOrigins };
  for await (const page of postingPages(fresh, tenant, moments)) {
    const paid = page.filter((posting) => brlOf(posting) !== 0n);
    const lines = await fresh().store.run((tx) =>
      Promise.all(
        paid.map(async (posting) => {
          const view = await loadView(tx, tenant, posting.subjectId);
          return fxLineOf({ posting, view, organization });
        }),
      ),
    );
    yield { lines, sumMinor: paid.reduce((sum, posting) => sum + brlOf(posting), 0n) };
  }
}

export async function fxReport(deps: Deps, mode: Mode, month: Month): Promise<FxReport> {
  const lines: FxLine[] = [];
  let sumMinor = 0n;
  for await (const page of fxPages(() => deps, mode, month)) {
    lines.push(...page.lines);
    sumMinor += page.sumMinor;
  }
  return { lines, sumMinor };
}

/** With the count of lines that lack facts, and the first of them. */
export async function fxSummary(pages: AsyncIterable<FxReport>) {
  const open: FxLine[] = [];
  let [count, openCount, sumMinor] = [0, 0, 0n];
  for await (const page of pages) {
    const lacking = page.lines.filter(({ missing }) => missing.length > 0);
    open.push(...lacking.slice(0, OPEN_SHOWN - open.length));
    openCount += lacking.length;
    count += page.lines.length;
    sumMinor += page.sumMinor;
  }
  return { count, sumMinor, openCount, open };
}
