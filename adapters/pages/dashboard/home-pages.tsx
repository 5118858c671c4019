// Home: what needs somebody, two plots of the last days, and the newest payments.
import type { VNode } from 'preact';
import { money } from '../../../core/domain/base/money.js';
import { type Lack, lacksToCollect } from '../../../core/domain/parties/organization.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { situationOf } from '../../../core/domain/payments/situation.js';
import type { WebhookDelivery } from '../../../core/domain/webhooks/webhook-delivery.js';
import { readStanding } from '../../../core/usecases/access/sessions.js';
import {
  COUNT_MAX,
  listAttention,
  type PaymentFigures,
  readFigures,
} from '../../../core/usecases/payments/payment-figures.js';
import { allPayments, listPayments } from '../../../core/usecases/payments/payment-lists.js';
import { type DeadLetters, listDead } from '../../../core/usecases/webhooks/deliveries.js';
import { type Failing, listFailing } from '../../../core/usecases/webhooks/subscription-health.js';
import { Icon } from '../kit/icons.js';
import { memberRow, type PageAnswer, type PageContext } from '../kit/page-route.js';
import { Table } from '../kit/pages/table.js';
import { liveOf } from './change-pages.js';
import { type DashboardContent, dashboardPage } from './dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf } from './dashboard-scene.js';
import { shownUrl } from './developer/developer-parts.js';
import { actorOf, anyRole, type MemberCall, TENANT_ROOT, tenantOfCall } from './member-page.js';
import { groupOf, type PaymentGroup, statusesOf } from './payment-groups.js';
import { columnsOf, linesOf, referenceOf, situationIn } from './payment-parts.js';
import { Behind, DayPlot, StatePlot, Total } from './plots.js';
import {
  readStart,
  START_PATH,
  type StartLine,
  startLines,
} from './setup/getting-started-pages.js';

const LATEST = 10;
/** The list names each; more are the same again. */
const ATTENTION_MAX = 5;
/** Counted up to here, then "or more". */
const APPROVALS_MAX = 50;
/** The newest payments that wait for money, among which those with a part of it are named. */
const AWAITED_MAX = 50;
const DEAD_MAX = 50;

/** In the order of the bar. */
const barOrder: readonly PaymentGroup[] = ['paid', 'buyer', 'way', 'over', 'you', 'fail'];

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
  readonly approvals: readonly ShownView[];
  readonly dead: readonly DeadLetters[];
  readonly failing: readonly Failing[];
  readonly steps: readonly StartLine[];
  readonly figures: PaymentFigures;
  readonly latest: readonly ShownView[];
  readonly live: string;
  /** The currency of the plot that was asked for. */
  readonly currency: string | null;
}

async function showHome(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const live = await liveOf(context, call, null);
  const [standing, review, awaited, approvals, dead, failing, figures, latest, start] =
    await Promise.all([
      readStanding(deps, tenant),
      listAttention(deps, tenant, ATTENTION_MAX),
      listPayments(deps, tenant, {
        ...allPayments,
        statuses: ['on_ramp_pending'],
        limit: AWAITED_MAX,
      }),
      listPayments(deps, tenant, {
        ...allPayments,
        statuses: statusesOf('you'),
        limit: APPROVALS_MAX,
      }),
      listDead(deps, tenant, DEAD_MAX),
      listFailing(deps, tenant),
      readFigures(deps, tenant, actorOf(call).organization.timeZone),
      listPayments(deps, tenant, { ...allPayments, limit: LATEST }),
      readStart(context, call),
    ]);
  const lacks = lacksToCollect(standing.organization, standing.profile);
  const currency = call.query.get('currency');
  const short = awaited.filter((view) => situationOf(view) === 'money_missing');
  const attention = [...review, ...short.slice(0, ATTENTION_MAX)];
  const home = { lacks, attention, approvals, dead, failing, figures, latest, live, currency };
  return dashboardPage(viewOf(context, call), (scene) =>
    homeScreen(scene, { ...home, steps: startLines(scene, start, call) }),
  );
}

function homeScreen(scene: DashboardScene, home: Home): DashboardContent {
  const { texts, view } = scene;
  return {
    title: texts.places.home,
    place: 'home',
    live: home.live,
    body: (
      <>
        <NeedsYou home={home} />
        <FirstSteps steps={home.steps} />
        {home.latest.length === 0 ? null : (
          <section class="stack" aria-labelledby="last30">
            <h2 id="last30">{texts.home.last30}</h2>
            <div class="cols even">
              <Collected figures={home.figures} asked={home.currency} />
              <ByState figures={home.figures} />
            </div>
          </section>
        )}
        <section class="stack">
          <div class="line ends">
            <h2>{texts.home.last10}</h2>
            <a href={`${view.path}/payments`}>{texts.home.allPayments}</a>
          </div>
          {home.latest.length === 0 ? (
            <div class="card empty">
              <h3>{texts.home.empty}</h3>
              <p>{texts.home.emptyText}</p>
            </div>
          ) : (
            <Table
              label={texts.home.last10}
              rows={home.latest}
              columns={columnsOf(scene)}
              lines={linesOf(scene)}
            />
          )}
        </section>
      </>
    ),
  };
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
        {left.map(({ heading, state, action, number }) => (
          <li class={state === 'open' ? undefined : state} data-step={number}>
            <div>
              <b>{heading}</b>
              <span class="vh">, {words[state]}</span>
            </div>
            <div>{action}</div>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface Need {
  readonly look: 'bad' | 'warn';
  readonly heading: string;
  readonly text: string;
  readonly link?: { readonly href: string; readonly text: string };
}

function NeedsYou({ home }: { readonly home: Home }): VNode {
  const { texts } = useDashboard();
  const needs = useNeeds(home);
  return (
    <section class="card">
      <h2>{texts.home.needsYou}</h2>
      {needs.length === 0 ? (
        <p class="quiet">{texts.home.nothing}</p>
      ) : (
        <ul class="attention">
          {needs.map(({ look, heading, text, link }) => (
            <li class={look}>
              <Icon name={look === 'bad' ? 'alert' : 'warning'} />
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
          ))}
        </ul>
      )}
    </section>
  );
}

function useNeeds(home: Home): readonly Need[] {
  const { lacks, attention, approvals, steps } = home;
  const scene = useDashboard();
  const { texts, view, format } = scene;
  const webhooks = useWebhookNeeds(home);
  const seePayment = (id: string) => ({
    href: `${view.path}/payments/${id}`,
    text: texts.home.seePayment,
  });
  const ofPayments = attention.map((one): Need => {
    const { situation, what, next } = situationIn(scene, one);
    return {
      look: situation === 'with_operator' ? 'bad' : 'warn',
      heading: what,
      text: next,
      link: seePayment(one.payment.id),
    };
  });
  const oldest = approvals.at(-1);
  const isInvoices = approvals.every(({ payment }) => payment.origin === 'invoice');
  return [
    // The first steps say it already.
    ...(lacks.length === 0 || isStarting(steps)
      ? []
      : [
          {
            look: 'warn' as const,
            heading: texts.home.missing,
            text: texts.home.missingText(
              lacks.map(({ need }) => texts.home.needs[need]).join(', '),
            ),
            link: { href: `${view.path}/getting-started`, text: texts.places.gettingStarted },
          },
        ]),
    ...ofPayments,
    ...webhooks,
    ...(oldest === undefined
      ? []
      : [
          {
            look: 'warn' as const,
            heading: texts.home.approve(approvals.length),
            text: texts.home.approveText(
              format.day(oldest.payment.createdAtMs),
              referenceOf(oldest.payment),
              format.money(oldest.payment.amount),
            ),
            link: {
              // Intents may wait for an approval, too.
              href: `${view.path}/${isInvoices ? 'invoices' : 'payments'}?status=you`,
              text: texts.home.seeInvoices,
            },
          },
        ]),
  ];
}

/** A subscription that gave up is named once, although it may fail too. */
function useWebhookNeeds({ dead, failing }: Pick<Home, 'dead' | 'failing'>): readonly Need[] {
  const { texts, view, format } = useDashboard();
  return [
    ...dead.flatMap(({ subscription, dead: [latest, ...others] }) =>
      latest === undefined
        ? []
        : [
            {
              look: 'bad' as const,
              heading: texts.home.gaveUp(others.length + 1),
              text: texts.home.gaveUpText(
                shownUrl(subscription.url),
                latest.eventType,
                format.day(latest.createdAtMs),
                lastAnswer(latest),
              ),
              link: {
                href: `${view.path}/webhooks/${subscription.id}?status=dead_letter`,
                text: texts.home.seeWebhooks,
              },
            },
          ],
    ),
    ...failing
      .filter(({ subscription: { id } }) =>
        dead.every(({ subscription }) => subscription.id !== id),
      )
      .map(
        ({ subscription, delivery }): Need => ({
          look: 'warn',
          heading: texts.home.failing,
          text: texts.home.failingText(
            shownUrl(subscription.url),
            delivery.eventType,
            lastAnswer(delivery),
          ),
          link: {
            href: `${view.path}/webhooks/${subscription.id}?status=pending`,
            text: texts.home.seeWebhooks,
          },
        }),
      ),
  ];
}

function isStarting(steps: Home['steps']): boolean {
  return steps.some(({ state }) => state !== 'done');
}

function lastAnswer({ responseStatus, lastError }: WebhookDelivery): string {
  return responseStatus === null ? (lastError ?? '') : `${responseStatus}`;
}

interface FiguresProps {
  readonly figures: PaymentFigures;
}

function Collected({
  figures: { daysMs, collected },
  asked,
}: FiguresProps & { readonly asked: string | null }): VNode {
  const { texts, view, format } = useDashboard();
  const known = [...new Set(collected.flat().map(({ currency }) => currency))].toSorted();
  const currency = known.find((one) => one === asked) ?? known[0] ?? 'USD';
  const days = daysMs.map((atMs, index) => ({
    atMs,
    amountMinor: collected[index]?.find((one) => one.currency === currency)?.amountMinor ?? 0n,
  }));
  const total = days.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const [from, to] = [format.shortDay(daysMs[0] ?? 0), format.shortDay(daysMs.at(-1) ?? 0)];
  const shown = days.filter(({ amountMinor }) => amountMinor !== 0n).toReversed();
  return (
    <section class="card" aria-labelledby="by-day">
      <div class="line ends">
        <h3 id="by-day">{texts.home.byDay}</h3>
        {known.length < 2 ? null : (
          <nav aria-label={texts.home.currency}>
            <ul class="tabs">
              {known.map((one) => (
                <li>
                  <a
                    href={`${view.path}?currency=${one}`}
                    aria-current={one === currency ? 'true' : undefined}
                  >
                    {one}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
      </div>
      <figure class="plot">
        <figcaption>
          <Total money={money(total, currency)} />{' '}
          <span class="small quiet">{texts.home.byDayText(from, to)}</span>
        </figcaption>
        <DayPlot currency={currency} days={days} />
        <p class="small quiet">{texts.home.byDayNote}</p>
      </figure>
      <Behind>
        <table class="doc">
          <caption class="vh">{texts.home.byDay}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.home.day}</th>
              <th scope="col" class="num">
                {currency}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ atMs, amountMinor }) => (
              <tr>
                <th scope="row">{format.shortDay(atMs)}</th>
                <td class="num">{format.digits(money(amountMinor, currency))}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{texts.home.days(days.length)}</th>
              <td class="num">{format.digits(money(total, currency))}</td>
            </tr>
          </tfoot>
        </table>
      </Behind>
    </section>
  );
}

function ByState({ figures: { counts, daysMs } }: FiguresProps): VNode {
  const { texts, view, format } = useDashboard();
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const isCapped = counts.some(({ count }) => count >= COUNT_MAX);
  const all = isCapped ? texts.home.orMore(format.count(total)) : format.count(total);
  const parts = barOrder
    .map((look) => {
      const own = counts.filter(({ status, count }) => groupOf[status] === look && count > 0);
      const count = own.reduce((sum, one) => sum + one.count, 0);
      return { look, name: texts.groups[look], count, own };
    })
    .filter(({ count }) => count > 0);
  const [from, to] = [format.shortDay(daysMs[0] ?? 0), format.shortDay(daysMs.at(-1) ?? 0)];
  return (
    <section class="card" aria-labelledby="by-state">
      <h3 id="by-state">{texts.home.byState}</h3>
      <figure class="plot">
        <figcaption>
          <b class="total">{all}</b>{' '}
          <span class="small quiet">{texts.home.byStateText(from, to)}</span>
        </figcaption>
        {total === 0 ? null : <StatePlot parts={parts} />}
      </figure>
      <Behind>
        <table class="doc">
          <caption class="vh">{texts.home.byState}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.home.state}</th>
              <th scope="col" class="num">
                {texts.home.payments}
              </th>
              <th scope="col" class="num">
                {texts.home.share}
              </th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ look, name, count, own }) => (
              <tr>
                <th scope="row">
                  <a href={`${view.path}/payments?status=${look}`}>{name}</a>
                  <span class="sub">
                    {own.map(({ status }) => texts.status[status]).join(', ')}
                  </span>
                </th>
                <td class="num">{format.count(count)}</td>
                <td class="num">{Math.round((100 * count) / total)} %</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{texts.home.all}</th>
              <td class="num">{all}</td>
              <td class="num">100 %</td>
            </tr>
          </tfoot>
        </table>
      </Behind>
    </section>
  );
}
