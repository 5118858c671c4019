// Home: what needs the reader, what others work on, two plots of the last days, and the newest
// payments. The first steps come first until there is a payment.
import type { VNode } from 'preact';
import type { Scope } from '../../../core/domain/access/scope.js';
import type { Money } from '../../../core/domain/base/money.js';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import { type Lack, lacksToCollect } from '../../../core/domain/parties/organization.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { situationOf } from '../../../core/domain/payments/situation.js';
import { readStanding } from '../../../core/usecases/access/sessions.js';
import {
  COUNT_MAX,
  listAttention,
  type PaymentFigures,
  readFigures,
} from '../../../core/usecases/payments/payment-figures.js';
import {
  allPayments,
  dueFilter,
  listPayments,
} from '../../../core/usecases/payments/payment-lists.js';
import { type DeadLetters, listDead } from '../../../core/usecases/webhooks/deliveries.js';
import { type Failing, listFailing } from '../../../core/usecases/webhooks/subscription-health.js';
import { Facts } from '../kit/components.js';
import { Icon } from '../kit/icons.js';
import { memberRow, type PageAnswer, type PageContext } from '../kit/page-route.js';
import { Empty, Table } from '../kit/pages/table.js';
import { liveOf } from './change-pages.js';
import { type DashboardContent, organizationPage } from './dashboard-layout.js';
import { type DashboardScene, may, useDashboard, viewOf } from './dashboard-scene.js';
import { lastAnswerText } from './developer/answer-text.js';
import { shownUrl } from './developer/developer-parts.js';
import { actorOf, anyRole, type MemberCall, TENANT_ROOT, tenantOfCall } from './member-page.js';
import { groupOf, type PaymentGroup, statusesOf } from './payment-groups.js';
import { columnsOf, linesOf, NewInvoice, referenceOf, situationIn } from './payment-parts.js';
import { DayPlot, ShareBar, sumsOf, Total } from './plots.js';
import {
  readStart,
  START_PATH,
  type StartLine,
  startLines,
} from './setup/getting-started-pages.js';

const LATEST = 10;
/** Each is named; more are the same again. */
const NAMED_MAX = 5;
/** Counted up to here, then "or more". */
const COUNTED_MAX = 50;
/** Payments that the operator works on are read one by one. */
const ATTENTION_MAX = 20;

/** In the order in which a payment goes on. */
const stateOrder: readonly PaymentGroup[] = ['you', 'buyer', 'way', 'paid', 'over', 'fail'];

export const homePages = [
  memberRow({
    method: 'GET',
    path: TENANT_ROOT,
    scope: anyRole,
    proof: 'session',
    form: 'none',
    handler: showHome,
  }),
];

interface Home {
  readonly lacks: readonly Lack[];
  readonly attention: readonly ShownView[];
  readonly short: readonly ShownView[];
  readonly approvals: readonly ShownView[];
  readonly overdue: readonly ShownView[];
  readonly dead: readonly DeadLetters[];
  readonly failing: readonly Failing[];
  readonly steps: readonly StartLine[];
  readonly figures: PaymentFigures;
  readonly latest: readonly ShownView[];
  readonly live: string;
}

async function showHome(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const { timeZone } = actorOf(call).organization;
  const overdueOn = dayOf(timeZone, deps.clock.nowMs());
  const due = dueFilter(null, { from: null, to: null, overdueOn });
  const counted = { ...allPayments, limit: COUNTED_MAX };
  const [standing, attention, awaited, approvals, overdue, dead, failing, figures, latest, start] =
    await Promise.all([
      readStanding(deps, tenant),
      listAttention(deps, tenant, ATTENTION_MAX),
      listPayments(deps, tenant, { ...counted, statuses: ['on_ramp_pending'] }),
      listPayments(deps, tenant, { ...counted, statuses: statusesOf('you') }),
      listPayments(deps, tenant, { ...counted, origins: ['invoice'], ...due }),
      listDead(deps, tenant, COUNTED_MAX),
      listFailing(deps, tenant),
      readFigures(deps, tenant, timeZone),
      listPayments(deps, tenant, { ...allPayments, limit: LATEST }),
      readStart(context, call),
    ]);
  const lacks = lacksToCollect(standing.organization, standing.profile);
  const short = awaited.filter((view) => situationOf(view) === 'money_missing');
  const live = await liveOf(context, call, null);
  const home = {
    lacks,
    attention,
    short,
    approvals,
    overdue,
    dead,
    failing,
    figures,
    latest,
    live,
  };
  return organizationPage(viewOf(context, call), (scene) =>
    homeScreen(scene, { ...home, steps: startLines(scene, start, call) }),
  );
}

function homeScreen(scene: DashboardScene, home: Home): DashboardContent {
  const { texts, view } = scene;
  const { latest, figures, steps } = home;
  const isNew = latest.length === 0;
  return {
    title: texts.places.home,
    place: 'home',
    live: home.live,
    actions: !isNew && may(view, 'invoices:write') ? <NewInvoice /> : undefined,
    body: (
      <>
        {isNew ? <FirstSteps steps={steps} /> : <Summary home={home} />}
        <Needs needs={needsOf(scene, home)} isQuiet={isNew} />
        {isNew ? null : <FirstSteps steps={steps} />}
        {isNew ? null : (
          <div class="cols even">
            <PaidOut figures={figures} />
            <ByState figures={figures} />
          </div>
        )}
        {isNew ? (
          <Empty
            heading={texts.home.empty}
            text={texts.home.emptyText}
            action={may(view, 'invoices:write') ? <NewInvoice /> : undefined}
          />
        ) : (
          <section class="stack">
            <div class="line ends">
              <h2>{texts.home.last10}</h2>
              <a href={`${view.path}/payments`}>{texts.home.allPayments}</a>
            </div>
            <Table
              label={texts.home.last10}
              rows={latest}
              columns={columnsOf(scene)}
              lines={linesOf(scene)}
            />
          </section>
        )}
      </>
    ),
  };
}

function countOf({ counts }: PaymentFigures, group: PaymentGroup): number {
  const own = counts.filter(({ status }) => groupOf[status] === group);
  return own.reduce((sum, { count }) => sum + count, 0);
}

/** What a reader asks first: BRL, then what is on its way. */
function Summary({ home: { figures, overdue } }: { readonly home: Home }): VNode {
  const { texts, view, format } = useDashboard();
  const link = (place: string, count: number, max: number) => (
    <a class="total" href={`${view.path}/${place}`}>
      {count >= max ? texts.home.orMore(format.count(count)) : format.count(count)}
    </a>
  );
  const counted = (group: PaymentGroup) =>
    link(`payments?status=${group}`, countOf(figures, group), COUNT_MAX);
  return (
    <section class="card figures" aria-label={texts.home.last30}>
      <Facts
        across
        facts={[
          [texts.home.paidOut, sumsOf(figures.paidOut).map((sum) => <Total of={sum} />)],
          [texts.groups.way, counted('way')],
          [texts.groups.buyer, counted('buyer')],
          [
            texts.home.overdueInvoices,
            link('invoices?status=overdue', overdue.length, COUNTED_MAX),
          ],
        ]}
      />
    </section>
  );
}

/** What is left of getting started; nothing once all is done. */
function FirstSteps({ steps }: Pick<Home, 'steps'>): VNode | null {
  const { texts, view } = useDashboard();
  const words = texts.setup.start;
  const numbered = steps.map((step, at) => ({ ...step, number: at + 1 }));
  const left = numbered.filter(({ state }) => state !== 'done');
  if (left.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="first-steps">
      <div class="line ends">
        <h2 id="first-steps">{texts.home.firstSteps}</h2>
        <a href={`${view.path}${START_PATH}`}>{texts.home.allSteps}</a>
      </div>
      <p class="quiet">{words.lede(steps.length - left.length, steps.length)}</p>
      <ol class="check">
        {left.map(({ heading, state, text, action, number }) => (
          <li class={state === 'open' ? undefined : state} data-step={number}>
            <div>
              <b>{heading}</b>
              <span class="vh">, {words[state]}</span>
            </div>
            <div>{action}</div>
            {action === null ? <p class="small quiet">{text}</p> : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface Need {
  /** Who can act: members with the scope, or the operator of the service. */
  readonly who: Scope | 'operator';
  readonly look?: 'bad';
  readonly heading: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}

/** What the reader can act on, then what others work on. */
function Needs({
  needs,
  isQuiet,
}: {
  readonly needs: readonly Need[];
  /** Says nothing if there is nothing. */
  readonly isQuiet: boolean;
}): VNode | null {
  const { texts, view } = useDashboard();
  const isOwn = ({ who }: Need) => who !== 'operator' && may(view, who);
  const own = needs.filter(isOwn);
  const others = needs.filter((need) => !isOwn(need));
  if (isQuiet && needs.length === 0) return null;
  return (
    <section class="card">
      <h2>{texts.home.needsYou}</h2>
      {own.length === 0 ? (
        <p class="quiet">{texts.home.nothing}</p>
      ) : (
        <ul class="attention">
          {own.map((need) => (
            <NeedItem {...need} icon={need.look === 'bad' ? 'alert' : 'warning'} />
          ))}
        </ul>
      )}
      {others.length === 0 ? null : (
        <>
          <h3>{texts.home.others}</h3>
          <ul class="attention">
            {others.map((need) => (
              <NeedItem {...need} icon="clock" />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function NeedItem({
  look,
  heading,
  text,
  link,
  icon,
}: Need & { readonly icon: 'alert' | 'warning' | 'clock' }): VNode {
  return (
    <li class={icon === 'clock' ? 'calm' : look}>
      <Icon name={icon} />
      <div>
        <b>{heading}</b>
        <p>{text}</p>
      </div>
      {link === undefined ? null : (
        <a class="btn sm" href={link.href}>
          {link.text}
          <span class="vh">: {heading}</span>
        </a>
      )}
    </li>
  );
}

function needsOf(scene: DashboardScene, home: Home): readonly Need[] {
  const { texts, view, format } = scene;
  const { lacks, attention, short, approvals, overdue, steps } = home;
  const words = texts.home;
  const ofPayment = (one: ShownView, who: Need['who']): Need => {
    const { what: heading, next: text } = situationIn(scene, one);
    const link = { href: `${view.path}/payments/${one.payment.id}`, text: words.seePayment };
    return { who, heading, text, link };
  };
  const sums = (views: readonly ShownView[]) => sumText(scene, views);
  const needs: Need[] = [];
  const isStarting = steps.some(({ state }) => state !== 'done');
  // The first steps say it already.
  if (lacks.length > 0 && !isStarting) {
    needs.push({
      who: 'org:write',
      heading: words.missing,
      text: words.missingText(lacks.map(({ need }) => words.needs[need]).join(', ')),
      link: { href: `${view.path}${START_PATH}`, text: texts.places.gettingStarted },
    });
  }
  const [oldest] = approvals.slice(-1);
  if (oldest !== undefined) {
    // Intents may wait for an approval, too.
    const isInvoices = approvals.every(({ payment }) => payment.origin === 'invoice');
    const since = format.day(oldest.payment.createdAtMs);
    needs.push({
      who: 'invoices:write',
      look: 'bad',
      heading: words.approve(approvals.length),
      text: words.approveText(since, referenceOf(oldest.payment), sums(approvals)),
      link: {
        href: `${view.path}/${isInvoices ? 'invoices' : 'payments'}?status=you`,
        text: words.seeInvoices,
      },
    });
  }
  needs.push(...short.slice(0, NAMED_MAX).map((one) => ofPayment(one, 'invoices:write')));
  const [first] = overdue;
  if (first !== undefined) {
    needs.push({
      who: 'invoices:write',
      heading: words.overdue(overdue.length),
      text: words.overdueText(
        format.shortDate(first.payment.dueDate ?? ''),
        referenceOf(first.payment),
        sums(overdue),
      ),
      link: { href: `${view.path}/invoices?status=overdue`, text: words.seeInvoices },
    });
  }
  const bySituation = Map.groupBy(attention, (one) => situationOf(one));
  const operated = [...bySituation.values()].flatMap((views) => {
    const [one] = views;
    if (one === undefined) return [];
    const need = ofPayment(one, 'operator');
    if (views.length === 1) return [need];
    const { pill } = situationIn(scene, one);
    const count = format.count(views.length);
    const shown = views.length === ATTENTION_MAX ? words.orMore(count) : count;
    const named = views.map(({ payment }) => referenceOf(payment));
    return [
      {
        who: 'operator' as const,
        heading: words.together(pill.text, shown, sums(views)),
        text: `${need.text} ${shortened(named)}`,
      },
    ];
  });
  return [...needs, ...webhookNeeds(scene, home), ...operated];
}

function shortened(names: readonly string[]): string {
  const first = names.slice(0, NAMED_MAX).join(', ');
  return names.length > NAMED_MAX ? `${first} …` : first;
}

function sumText({ format }: DashboardScene, views: readonly ShownView[]): string {
  const amounts: readonly Money[] = views.map(({ payment }) => payment.amount);
  return sumsOf(amounts)
    .map((sum) => format.money(sum))
    .join(', ');
}

/** One need for all endpoints; one that gave up counts once, although it may fail too. */
function webhookNeeds(
  { texts, view, format }: DashboardScene,
  { dead, failing }: Pick<Home, 'dead' | 'failing'>,
): readonly Need[] {
  const words = texts.home;
  const who = 'webhooks:write';
  const gaveUp = dead.flatMap(({ subscription, dead: [latest, ...others] }): readonly Need[] => {
    if (latest === undefined) return [];
    const day = format.day(latest.createdAtMs);
    return [
      {
        who,
        look: 'bad',
        heading: words.gaveUp(others.length + 1),
        text: words.gaveUpText(
          shownUrl(subscription.url),
          latest.eventType,
          day,
          lastAnswerText({ texts }, latest),
        ),
        link: {
          href: `${view.path}/webhooks/${subscription.id}?status=dead_letter`,
          text: words.seeWebhooks,
        },
      },
    ];
  });
  const lost = new Set(dead.map(({ subscription }) => subscription.id));
  const retrying = failing.filter(({ subscription }) => !lost.has(subscription.id));
  const [one, ...others] = [
    ...gaveUp,
    ...retrying.map(({ subscription, delivery }): Need => {
      const url = shownUrl(subscription.url);
      return {
        who,
        heading: words.failing(1),
        text: words.failingText(url, delivery.eventType, lastAnswerText({ texts }, delivery)),
        link: {
          href: `${view.path}/webhooks/${subscription.id}?status=pending`,
          text: words.seeWebhooks,
        },
      };
    }),
  ];
  if (one === undefined) return [];
  if (others.length === 0) return [one];
  const hosts = [...dead, ...retrying].map(({ subscription }) => new URL(subscription.url).host);
  const named = [...new Set(hosts)];
  return [
    {
      who,
      look: 'bad',
      heading: words.failing(others.length + 1),
      text: shortened(named),
      link: { href: `${view.path}/webhooks`, text: words.seeWebhooks },
    },
  ];
}

interface FiguresProps {
  readonly figures: PaymentFigures;
}

function PaidOut({ figures: { daysMs, paidOut } }: FiguresProps): VNode {
  const scene = useDashboard();
  const { texts, format } = scene;
  const days = daysMs.flatMap((atMs, index) => {
    const paid = paidOut[index];
    return paid === undefined ? [] : [{ atMs, money: paid }];
  });
  const shown = days.filter(({ money }) => money.amountMinor !== 0n).toReversed();
  const [from, to] = [format.shortDay(daysMs[0] ?? 0), format.shortDay(daysMs.at(-1) ?? 0)];
  return (
    <section class="card stack" aria-labelledby="by-day">
      <h2 id="by-day">{texts.home.byDay}</h2>
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
    </section>
  );
}

function ByState({ figures }: FiguresProps): VNode {
  const { texts, view, format } = useDashboard();
  const parts = stateOrder
    .map((look) => ({ look, count: countOf(figures, look) }))
    .filter(({ count }) => count > 0);
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...parts.map(({ count }) => count));
  const isCapped = figures.counts.some(({ count }) => count >= COUNT_MAX);
  const all = isCapped ? texts.home.orMore(format.count(total)) : format.count(total);
  return (
    <section class="card stack" aria-labelledby="by-state">
      <h2 id="by-state">{texts.home.byState(all)}</h2>
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
    </section>
  );
}
