// The figures of home: four numbers, what was paid out by day, and where the payments are.
import type { Money } from '../../../../core/domain/base/money.js';
import { dayOf } from '../../../../core/domain/base/time-zone.js';
import type { ShownView } from '../../../../core/domain/payments/change.js';
import { overdueDays } from '../../../../core/domain/payments/situation.js';
import {
  COUNT_MAX,
  type PaymentFigures,
} from '../../../../core/usecases/payments/payment-figures.js';
import { Facts, Sub } from '../../kit/components.js';
import { Card } from '../../kit/pages/card.js';
import { Table } from '../../kit/pages/table.js';
import { type DashboardScene, useDashboard } from '../dashboard-scene.js';
import { groupOf, type PaymentGroup } from '../payment-groups.js';
import { DayPlot, ShareBar, sumsOf, sumText, Total } from './plots.js';

/** Read up to here; then "or more", and no sum. */
export const COUNTED_MAX = 50;

/** In the order in which a payment goes on. */
const stateOrder: readonly PaymentGroup[] = ['you', 'buyer', 'way', 'paid', 'over', 'fail'];

export interface Figures {
  readonly figures: PaymentFigures;
  /** At most COUNTED_MAX, as the next. */
  readonly way: readonly ShownView[];
  /** The earliest due day first. */
  readonly overdue: readonly ShownView[];
}

function countOf(
  counts: PaymentFigures['counts'],
  group: PaymentGroup,
  name: 'count' | 'old' = 'count',
): number {
  const own = counts.filter(({ status }) => groupOf[status] === group);
  return own.reduce((sum, count) => sum + count[name], 0);
}

/** What a reader asks first: BRL, then what is on its way; each with what makes it good or bad. */
export function Summary({ of: { figures, overdue, way } }: { readonly of: Figures }) {
  const scene = useDashboard();
  const { texts, view, format } = scene;
  const words = texts.home;
  const counted = (place: string, count: number, max: number, line: string | null) => [
    <a class="total" href={`${view.path}/${place}`}>
      {count >= max ? words.orMore(format.count(count)) : format.count(count)}
    </a>,
    <Sub of={line} />,
  ];
  const sums = (views: readonly ShownView[]) =>
    views.length === 0 || views.length >= COUNTED_MAX ? null : sumText(scene, views);
  const [isAll, old] = [way.length < COUNTED_MAX, countOf(figures.counts, 'buyer', 'old')];
  const [paid = figures.paidBefore] = sumsOf(figures.paidOut);
  const [first] = overdue;
  const days = first && overdueDays(first.payment, dayOf(view.timeZone, view.nowMs));
  return (
    <section class="card figures" aria-label={words.last30}>
      <Facts
        look="facts across"
        facts={[
          [
            words.paidOut,
            [<Total of={paid} />, <Sub of={changeText(scene, paid, figures.paidBefore)} />],
          ],
          [
            texts.groups.way,
            isAll
              ? counted('payments?status=way', way.length, COUNTED_MAX, sums(way))
              : counted('payments?status=way', countOf(figures.counts, 'way'), COUNT_MAX, null),
          ],
          [
            texts.groups.buyer,
            counted(
              'payments?status=buyer',
              countOf(figures.counts, 'buyer'),
              COUNT_MAX,
              old === 0 ? null : words.old(format.count(old)),
            ),
          ],
          [
            words.overdueInvoices,
            counted(
              'invoices?status=overdue',
              overdue.length,
              COUNTED_MAX,
              days == null ? null : words.oldest(sums(overdue), days),
            ),
          ],
        ]}
      />
    </section>
  );
}

/** How much more or less it is than in as many days before; null without a number that says it. */
export function changeText(
  { texts, format }: Pick<DashboardScene, 'texts' | 'format'>,
  now: Money,
  before: Money,
): string | null {
  if (before.amountMinor <= 0n || now.amountMinor < 0n) return null;
  const percent = Number((now.amountMinor * 100n) / before.amountMinor) - 100;
  // A business that has just begun.
  if (percent > CHANGE_MAX) return null;
  return texts.home.change(percent, format.count(Math.abs(percent)));
}

/** In percent. */
const CHANGE_MAX = 999;

type FiguresProps = Readonly<{ figures: PaymentFigures }>;

export function PaidOut({ figures: { daysMs, paidOut } }: FiguresProps) {
  const scene = useDashboard();
  const { texts, format } = scene;
  const days = daysMs.flatMap((atMs, index) => {
    const paid = paidOut[index];
    return paid === undefined ? [] : [{ atMs, money: paid }];
  });
  const shown = days.filter(({ money }) => money.amountMinor !== 0n).toReversed();
  const [from, to] = [format.shortDay(daysMs[0] ?? 0), format.shortDay(daysMs.at(-1) ?? 0)];
  if (shown.length === 0) {
    return (
      <Card id="by-day" heading={texts.home.byDay} isStack>
        <p class="small quiet">{texts.home.none}</p>
      </Card>
    );
  }
  return (
    <Card id="by-day" heading={texts.home.byDay} isStack>
      <p class="small quiet">{texts.home.byDayText(from, to)}</p>
      <div class="plot">
        <DayPlot days={days} />
      </div>
      <details>
        <summary>{texts.home.asTable}</summary>
        <Table
          label={texts.home.byDay}
          rows={shown}
          columns={({ column, named }) => [
            named(texts.home.day, ({ atMs }) => format.shortDay(atMs)),
            column(texts.home.paidOut, 'num', ({ money }) => format.money(money)),
          ]}
        />
      </details>
    </Card>
  );
}

export function ByState({ figures }: FiguresProps) {
  const { texts, view, format } = useDashboard();
  const parts = stateOrder
    .map((look) => ({ look, count: countOf(figures.counts, look) }))
    .filter(({ count }) => count > 0);
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...parts.map(({ count }) => count));
  const isCapped = figures.counts.some(({ count }) => count >= COUNT_MAX);
  const all = isCapped ? texts.home.orMore(format.count(total)) : format.count(total);
  return (
    <Card id="by-state" heading={texts.home.byState(all)} isStack>
      <p class="small quiet">{texts.home.byStateText}</p>
      <table class="states">
        <caption class="vh">{texts.home.byState(all)}</caption>
        <tbody>
          {parts.map(({ look, count }) => (
            <tr>
              <th scope="row">
                <a href={`${view.path}/payments?status=${look}`}>{texts.groups[look]}</a>
              </th>
              <td>
                <ShareBar look={look} share={(100 * count) / most} />
              </td>
              <td class="num">{format.count(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
