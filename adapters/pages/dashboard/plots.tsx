// Two plots as SVG without a script: places are in per cent and the drawing has no viewBox, so that
// texts keep their size at any width. The table behind each says the same.
import type { ComponentChildren, VNode } from 'preact';
import { formatAmount, type Money } from '../../../core/domain/base/money.js';
import { useDashboard } from './dashboard-scene.js';

/** Where the axis and the highest value are, in per cent from above. */
const BASE = 84;
const HIGHEST = 16;
/** Width of a bar, of the width of its day. */
const BAR = 0.7;
/** Every so many days one is named. */
const NAMED_DAYS = 7;

export interface DayBar {
  readonly atMs: number;
  readonly amountMinor: bigint;
}

interface DayPlotProps {
  readonly currency: string;
  readonly days: readonly DayBar[];
}

/** Bars by day. More went back than came on a day below zero; it has no bar, and a row. */
export function DayPlot({ currency, days }: DayPlotProps): VNode {
  const { texts, format } = useDashboard();
  const amount = (amountMinor: bigint) => format.digits({ amountMinor, currency });
  const most = days.reduce((top, day) => (day.amountMinor > top.amountMinor ? day : top));
  const topMinor = scaleOf(most.amountMinor);
  const span = 100 / days.length;
  const at = (index: number) => span * index;
  const heightOf = (amountMinor: bigint) =>
    amountMinor <= 0n ? 0 : ((BASE - HIGHEST) * Number((amountMinor * 1_000n) / topMinor)) / 1_000;
  const [from, to] = [format.shortDay(days[0]?.atMs ?? 0), format.shortDay(days.at(-1)?.atMs ?? 0)];
  const mostText =
    most.amountMinor <= 0n
      ? texts.home.none
      : texts.home.most(format.shortDay(most.atMs), amount(most.amountMinor));
  const steps = most.amountMinor <= 0n ? [] : [1n, 2n];
  return (
    <svg class="bars" role="img" aria-label={texts.home.byDayLabel(currency, from, to, mostText)}>
      {steps.map((step) => {
        const y = percent(BASE - ((BASE - HIGHEST) * Number(step)) / 2);
        return (
          <>
            <line class="grid" x1="0" x2="100%" y1={y} y2={y} />
            <text x="0" y={y} dy="-4">
              {amount((topMinor * step) / 2n)}
            </text>
          </>
        );
      })}
      {days.map(({ atMs, amountMinor }, index) => {
        const height = heightOf(amountMinor);
        if (height === 0) return null;
        const isToday = index === days.length - 1;
        const label = `${format.shortDay(atMs)}: ${currency} ${amount(amountMinor)}`;
        return (
          <rect
            class={isToday ? 'open' : undefined}
            x={percent(at(index) + (span * (1 - BAR)) / 2)}
            width={percent(span * BAR)}
            y={percent(BASE - height)}
            height={percent(height)}
          >
            <title>{isToday ? texts.home.soFar(label) : label}</title>
          </rect>
        );
      })}
      {most.amountMinor <= 0n ? null : (
        <MostText
          middle={at(days.indexOf(most)) + span / 2}
          y={BASE - heightOf(most.amountMinor)}
          text={amount(most.amountMinor)}
        />
      )}
      <line class="base" x1="0" x2="100%" y1={percent(BASE)} y2={percent(BASE)} />
      {days.map(({ atMs }, index) => {
        const isLast = index === days.length - 1;
        if (!isLast && (index % NAMED_DAYS !== 0 || index > days.length - NAMED_DAYS)) return null;
        return (
          <text
            class={index % (2 * NAMED_DAYS) === 0 || isLast ? undefined : 'only-l'}
            x={percent(isLast ? 100 : at(index))}
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

interface MostTextProps {
  readonly middle: number;
  readonly y: number;
  readonly text: string;
}

/** The highest value, above its bar and within the plot. */
function MostText({ middle, y, text }: MostTextProps): VNode {
  const anchor = middle < 20 ? 'start' : middle > 80 ? 'end' : 'middle';
  return (
    <text class="strong" x={percent(middle)} y={percent(y)} dy="-6" text-anchor={anchor}>
      {text}
    </text>
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

export interface StatePart {
  readonly name: string;
  readonly look: string;
  readonly count: number;
}

/** Lines below the bar, each with its label. */
const BAR_HEIGHT = 30;
const LINE_HEIGHT = 23;

/** One bar in parts, each with its label below it. */
export function StatePlot({ parts }: { readonly parts: readonly StatePart[] }): VNode {
  const { texts, format } = useDashboard();
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const label = parts.map(({ name, count }) => `${format.count(count)} ${name}`).join(', ');
  let start = 0;
  const placed = parts.map((part) => {
    const width = (100 * part.count) / total;
    const place = { ...part, x: start, width, middle: start + width / 2 };
    start += width;
    return place;
  });
  return (
    <svg class="stacked" role="img" aria-label={texts.home.byStateLabel(label)}>
      {placed.map(({ name, look, count, x, width, middle }, index) => {
        const y = BAR_HEIGHT + LINE_HEIGHT * (index + 1);
        const isLeft = middle < 50;
        return (
          <>
            <rect class={look} x={percent(x)} width={percent(width)} height={BAR_HEIGHT}>
              <title>{`${name}: ${format.count(count)}`}</title>
            </rect>
            <line
              class="lead"
              x1={percent(middle)}
              x2={percent(middle)}
              y1={BAR_HEIGHT + 3}
              y2={y + 1}
            />
            <text
              x={percent(middle)}
              y={y}
              dx={isLeft ? 7 : -7}
              text-anchor={isLeft ? 'start' : 'end'}
            >
              <tspan class="strong">{format.count(count)}</tspan> {name}
            </text>
          </>
        );
      })}
    </svg>
  );
}

/** The same in a table. */
export function Behind({ children }: { readonly children: ComponentChildren }): VNode {
  const { texts } = useDashboard();
  return (
    <details>
      <summary>{texts.home.asTable}</summary>
      {children}
    </details>
  );
}

/** With the currency apart and smaller. */
export function Total({ money }: { readonly money: Money }): VNode {
  const { format } = useDashboard();
  return (
    <b class="total" title={`${money.currency} ${formatAmount(money.amountMinor)}`}>
      <span class="iso">{money.currency}</span> {format.digits(money)}
    </b>
  );
}

function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}
