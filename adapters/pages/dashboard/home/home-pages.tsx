// Home: what needs the reader, what others work on, two plots of the last days, and the newest
// payments. The first steps come first until there is a payment.
import { dayOf } from '../../../../core/domain/base/time-zone.js';
import { lacksToCollect } from '../../../../core/domain/parties/organization.js';
import type { ShownView } from '../../../../core/domain/payments/change.js';
import { situationOf } from '../../../../core/domain/payments/situation.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import { listAttention, readFigures } from '../../../../core/usecases/payments/payment-figures.js';
import {
  allPayments,
  dueFilter,
  listPayments,
} from '../../../../core/usecases/payments/payment-lists.js';
import { listDead } from '../../../../core/usecases/webhooks/deliveries.js';
import { listFailing } from '../../../../core/usecases/webhooks/subscription-health.js';
import { memberRow, type PageAnswer, type PageContext } from '../../kit/page-route.js';
import { Card } from '../../kit/pages/card.js';
import { Empty, Table } from '../../kit/pages/table.js';
import { liveOf } from '../change-pages.js';
import { type DashboardContent, organizationPage } from '../dashboard-layout.js';
import { type DashboardScene, may, useDashboard, viewOf } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-pages.js';
import { statusesOf } from '../payment-groups.js';
import { columnsOf, linesOf, NewInvoice } from '../payment-parts.js';
import { readStart, START_PATH, startLines } from '../setup/getting-started-pages.js';
import { ByState, COUNTED_MAX, type Figures, PaidOut, Summary } from './home-figures.js';
import { ATTENTION_MAX, type Needing, Needs, needsOf } from './home-needs.js';

const LATEST = 10;

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

interface Home extends Needing, Figures {
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
  const [standing, attention, way, approvals, overdue, dead, failing, figures, latest, start] =
    await Promise.all([
      readStanding(deps, tenant),
      listAttention(deps, tenant, ATTENTION_MAX),
      listPayments(deps, tenant, { ...counted, statuses: statusesOf('way') }),
      listPayments(deps, tenant, { ...counted, statuses: statusesOf('you') }),
      listPayments(deps, tenant, { ...counted, origins: ['invoice'], ...due }),
      listDead(deps, tenant, COUNTED_MAX),
      listFailing(deps, tenant),
      readFigures(deps, tenant, timeZone),
      listPayments(deps, tenant, { ...allPayments, limit: LATEST }),
      readStart(context, call),
    ]);
  const lacks = lacksToCollect(standing.organization, standing.profile);
  const short = way.filter((view) => situationOf(view) === 'money_missing');
  const live = await liveOf(context, call, null);
  const home = {
    lacks,
    attention,
    short,
    way,
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
    body: [
      isNew ? <FirstSteps steps={steps} /> : <Summary of={home} />,
      <Needs needs={needsOf(scene, home)} isQuiet={isNew} />,
      isNew ? null : <FirstSteps steps={steps} />,
      isNew ? null : (
        <div class="cols even">
          <PaidOut figures={figures} />
          <ByState figures={figures} />
        </div>
      ),
      isNew ? (
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
      ),
    ],
  };
}

/** What is left of getting started; nothing once all is done. */
function FirstSteps({ steps }: Pick<Home, 'steps'>) {
  const { texts, view } = useDashboard();
  const words = texts.setup.start;
  const numbered = steps.map((step, at) => ({ ...step, number: at + 1 }));
  const left = numbered.filter(({ state }) => state !== 'done');
  if (left.length === 0) return null;
  return (
    <Card
      id="first-steps"
      heading={texts.home.firstSteps}
      aside={<a href={`${view.path}${START_PATH}`}>{texts.home.allSteps}</a>}
      isStack
    >
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
    </Card>
  );
}
