// Plots as SVG without a script: places are in per cent and the drawing has no viewBox, so that
// texts keep their size at any width. A table beside or behind each says the same.
import { formatAmount, type Money, money } from '../../../../core/domain/base/money.js';
import type { ShownView } from '../../../../core/domain/payments/change.js';
import { type DashboardScene, useDashboard } from '../dashboard-scene.js';

/** Where the axis and the highest line are, in per cent from above. */
const BASE = 86;
const HIGHEST = 12;
/** Width of a bar, of the width of its day. */
const BAR = 0.7;
/** Every so many days one is named. */
const NAMED_DAYS = 7;
const MINOR_PER_UNIT = 100;

export type DayBar = Readonly<{ atMs: number; money: Money }>;

/** Bars by day. On a day below zero more came back than was paid; it has no bar, and a row. */
export function DayPlot({ days }: { readonly days: readonly DayBar[] }) {
  const { texts, view, format } = useDashboard();
  const compact = new Intl.NumberFormat(view.locale, { notation: 'compact' });
  const most = days.reduce((top, day) =>
    day.money.amountMinor > top.money.amountMinor ? day : top,
  );
  const isEmpty = most.money.amountMinor <= 0n;
  const topMinor = scaleOf(most.money.amountMinor);
  const span = 100 / days.length;
  const [from, to] = [format.shortDay(days[0]?.atMs ?? 0), format.shortDay(days.at(-1)?.atMs ?? 0)];
  const mostText = isEmpty
    ? texts.home.none
    : texts.home.most(format.shortDay(most.atMs), format.digits(most.money));
  const label = texts.home.byDayLabel(most.money.currency, from, to, mostText);
  return (
    <svg class="bars" role="img" aria-label={label}>
      {(isEmpty ? [] : [1, 2]).map((step) => {
        const y = percent(BASE - ((BASE - HIGHEST) * step) / 2);
        return [
          <line class="grid" x1="0" x2="100%" y1={y} y2={y} />,
          <text x="0" y={y} dy="-4">
            {compact.format((Number(topMinor) * step) / 2 / MINOR_PER_UNIT)}
          </text>,
        ];
      })}
      {days.map(({ atMs, money: paid }, index) => {
        if (paid.amountMinor <= 0n) return null;
        const height = ((BASE - HIGHEST) * Number((paid.amountMinor * 1_000n) / topMinor)) / 1_000;
        const isToday = index === days.length - 1;
        const said = `${format.shortDay(atMs)}: ${format.money(paid)}`;
        return (
          <rect
            class={isToday ? 'open' : undefined}
            x={percent(span * index + (span * (1 - BAR)) / 2)}
            width={percent(span * BAR)}
            y={percent(BASE - height)}
            height={percent(height)}
          >
            <title>{isToday ? texts.home.soFar(said) : said}</title>
          </rect>
        );
      })}
      <line class="base" x1="0" x2="100%" y1={percent(BASE)} y2={percent(BASE)} />
      {days.map(({ atMs }, index) => {
        const isLast = index === days.length - 1;
        if (!isLast && (index % NAMED_DAYS !== 0 || index > days.length - NAMED_DAYS)) return null;
        return (
          <text
            class={index % (2 * NAMED_DAYS) === 0 || isLast ? undefined : 'only-l'}
            x={percent(isLast ? 100 : span * index)}
            y="100%"
            dy="-6"
            text-anchor={isLast ? 'end' : 'start'}
          >
            {format.shortDay(atMs)}
          </text>
        );
      })}
    </svg>
  );
}

/** A round number above the highest value: 1, 2 or 5 with zeros. */
function scaleOf(mostMinor: bigint): bigint {
  for (let step = 1n; ; step *= 10n) {
    for (const factor of [1n, 2n, 5n]) {
      if (step * factor >= mostMinor) return step * factor;
    }
  }
}

/** How large a part is, beside its name and its number. */
export function ShareBar({ look, share }: { readonly look: string; readonly share: number }) {
  return (
    <svg class="share" aria-hidden="true">
      <rect class={look} width={percent(share)} height="100%" rx="2" />
    </svg>
  );
}

/** With the currency apart and smaller. */
export function Total({ of }: { readonly of: Money }) {
  const { format } = useDashboard();
  return (
    <b class="total" title={`${of.currency} ${formatAmount(of.amountMinor)}`}>
      <span class="iso">{of.currency}</span> {format.digits(of)}
    </b>
  );
}

/** By currency, in their order. */
export function sumsOf(all: readonly Money[]): readonly Money[] {
  return [...Map.groupBy(all, ({ currency }) => currency)]
    .map(([currency, own]) =>
      money(
        own.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
        currency,
      ),
    )
    .toSorted((left, right) => (left.currency < right.currency ? -1 : 1));
}

/** What payments ask for in all. */
export function sumText({ format }: DashboardScene, views: readonly ShownView[]): string {
  return sumsOf(views.map(({ payment }) => payment.amount))
    .map((sum) => format.money(sum))
    .join(', ');
}

function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}
