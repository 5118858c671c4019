// The monthly extract for the regulator: every PIX of a mode to a seller, over all organizations or
// of one. Its lines are made of the postings of the ledger, so its sum is that of the ledger.
import { brlOf, type FxLine, fxLineOf } from '../../domain/accounting/fx-line.js';
import type { Mode } from '../../domain/base/tenant.js';
import { DEFAULT_TIME_ZONE, rangeOf } from '../../domain/base/time-zone.js';
import { paymentOrigins } from '../../domain/payments/payment.js';
import type { Deps } from '../../ports/deps.js';
import { loadView } from '../payments/payment-store.js';
import { allPostings } from './settlement-entries.js';

const PAYMENTS_PER_READ = 200;

export interface FxReport {
  readonly lines: readonly FxLine[];
  /** BRL to sellers less what came back, in centavos. */
  readonly sumMinor: bigint;
}

interface Month {
  readonly year: number;
  readonly month: number;
}

/** A month of Brasília, without the last minute of one that is not over. */
export async function fxReport(deps: Deps, mode: Mode, month: Month): Promise<FxReport> {
  const organizations = await deps.store.run((tx) => tx.organizations.list());
  const reports: FxReport[] = [];
  for (const { id, name } of organizations) {
    reports.push(await ownFxReport(deps, { id, name, mode }, month));
  }
  return {
    lines: reports.flatMap(({ lines }) => lines),
    sumMinor: reports.reduce((sum, one) => sum + one.sumMinor, 0n),
  };
}

/** The same of one organization. */
export async function ownFxReport(
  deps: Deps,
  {
    id: orgId,
    name: organization,
    mode,
  }: { readonly id: string; readonly name: string; readonly mode: Mode },
  month: Month,
): Promise<FxReport> {
  const tenant = { orgId, mode };
  const moments = { ...rangeOf(DEFAULT_TIME_ZONE, month), origins: paymentOrigins };
  const all = await allPostings(deps, tenant, moments);
  const paid = all.filter((posting) => brlOf(posting) !== 0n);
  const lines: FxLine[] = [];
  for (let at = 0; at < paid.length; at += PAYMENTS_PER_READ) {
    const some = paid.slice(at, at + PAYMENTS_PER_READ);
    const read = await deps.store.run((tx) =>
      Promise.all(
        some.map(async (posting) => {
          const view = await loadView(tx, tenant, posting.subjectId);
          return fxLineOf({ posting, view, organization });
        }),
      ),
    );
    lines.push(...read);
  }
  return { lines, sumMinor: paid.reduce((sum, posting) => sum + brlOf(posting), 0n) };
}
