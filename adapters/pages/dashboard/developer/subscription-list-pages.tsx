// The webhook subscriptions of a mode, the health of each, and a new one.
import { allows } from '../../../../core/domain/access/scope.js';
import {
  SUBSCRIPTIONS_MAX,
  type Subscription,
} from '../../../../core/domain/webhooks/subscription.js';
import { isCode } from '../../../../core/errors.js';
import {
  HEALTH_COUNT_MAX,
  healthStateOf,
  listHealth,
  type SubscriptionHealth,
} from '../../../../core/usecases/webhooks/subscription-health.js';
import {
  createSubscription,
  listSubscriptions,
  overlapping,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { Badge, Breakable, ButtonLink, Note, Secret } from '../../kit/components.js';
import { newIdOf } from '../../kit/pages/form-key.js';
import { Empty, FoldedTable, type RowColumns, Table } from '../../kit/pages/table.js';
import { type DashboardContent, ToPlace } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard } from '../dashboard-scene.js';
import { actorOf, memberPages, tenantOfCall } from '../member-pages.js';
import { Answer, shownUrl } from './developer-parts.js';
import { subscriptionFields } from './subscription-form.js';

/** More would hide the URL; the page of the subscription has all. */
const TYPES_SHOWN = 3;

export const subscriptionListPages = [
  memberPages.view({
    path: '/webhooks',
    access: { scope: 'webhooks:read', proof: 'session' },
    async load({ deps }, call) {
      const tenant = tenantOfCall(call);
      const [health, all] = await Promise.all([
        listHealth(deps, tenant),
        listSubscriptions(deps, tenant),
      ]);
      const mayWrite = allows(actorOf(call).scopes, 'webhooks:write');
      return { health, deleted: all.filter(({ active }) => !active), mayWrite };
    },
    show(scene, { health, deleted, mayWrite }) {
      const { texts, view, format } = scene;
      const words = texts.webhooks;
      const add = mayWrite ? (
        <ButtonLink to="webhooks/new" look="primary" icon="plus" text={words.newHeading} />
      ) : null;
      return {
        title: texts.places.webhooks,
        lede: words.lede,
        place: 'webhooks',
        actions: health.length === 0 ? undefined : add,
        body: [
          health.length === 0 ? (
            <Empty heading={words.empty} text={words.emptyText} action={add} />
          ) : (
            <Table label={words.caption} rows={health} columns={columnsOf(scene)} />
          ),
          <FoldedTable
            label={words.deleted}
            rows={deleted}
            columns={({ column, named }) => [
              named(words.url, ({ id, url }) => (
                <a href={`${view.path}/webhooks/${id}`}>{shownUrl(url)}</a>
              )),
              column(words.deletedAt, 'when', ({ updatedAtMs }) => format.short(updatedAtMs)),
            ]}
          />,
        ],
      };
    },
  }),
  ...memberPages.form({
    path: '/webhooks/new',
    // All that happens would be sent to a new address.
    access: { scope: 'webhooks:write', proof: 'add_webhook' },
    back: () => '/webhooks',
    isOnce: true,
    load: async () => null,
    typed: () => ({ 'payment_intent.*': 'yes' }),
    fields: subscriptionFields,
    show: ({ texts }) => ({
      title: texts.webhooks.newHeading,
      place: 'webhooks',
      crumbs: [<ToPlace of="webhooks" />],
      submit: texts.webhooks.create,
    }),
    async save({ deps }, call, { scene, values: { url, events: eventTypes }, key }) {
      const tenant = tenantOfCall(call);
      const { full } = scene.texts.webhooks;
      const active = (await listSubscriptions(deps, tenant)).filter((one) => one.active);
      if (active.length >= SUBSCRIPTIONS_MAX) return { problem: { field: 'url', text: full } };
      const id = newIdOf(deps, 'whs', tenant, key);
      const made = await createSubscription(deps, tenant, { url, eventTypes }, id).catch(
        urlRefused,
      );
      if (made === null) return urlProblem(scene);
      const overlaps = await overlapping(deps, made.subscription);
      const { madeHeading: heading } = scene.texts.webhooks;
      return { show: (shown) => secretScreen(shown, { ...made, heading, overlaps }) };
    },
  }),
];

/** The other parts of the form were checked before. */
export function urlRefused(error: unknown): null {
  if (isCode(error, 'ValidationError')) return null;
  throw error;
}

export function urlProblem({ texts }: DashboardScene) {
  return { problem: { field: 'url', text: texts.webhooks.urlRefused } };
}

function columnsOf(scene: DashboardScene): RowColumns<SubscriptionHealth> {
  const { texts, view, format } = scene;
  const words = texts.webhooks;
  return ({ column, named }) => [
    named(words.url, ({ subscription }) => [
      <a href={`${view.path}/webhooks/${subscription.id}`}>
        <Breakable text={shownUrl(subscription.url)} />
      </a>,
      <span class="sub code">
        <Breakable text={typesText(subscription)} />
      </span>,
    ]),
    column(texts.frame.state, (health) => <HealthBadge health={health} />),
    column(words.lastDay, 'num only-l', (health) => lastDayText(scene, health)),
    column(words.lastError, 'only-l', (health) => <LastError health={health} />),
    column(words.oldest, 'wide when', ({ oldestPendingAtMs }) =>
      oldestPendingAtMs === null ? '–' : format.short(oldestPendingAtMs),
    ),
  ];
}

/** The first types, and how many more there are. */
function typesText({ eventTypes }: Subscription): string {
  const more = eventTypes.length - TYPES_SHOWN;
  const shown = eventTypes.slice(0, TYPES_SHOWN).join(', ');
  return more > 0 ? `${shown} + ${more}` : shown;
}

/** What is worst about it, in a few words. */
export function HealthBadge({ health }: { readonly health: SubscriptionHealth }) {
  const scene = useDashboard();
  const words = scene.texts.webhooks;
  switch (healthStateOf(health)) {
    case 'paused':
      return <Badge look="expired" text={words.paused} />;
    case 'failing':
      return <Badge look="dead_letter" text={words.failing} />;
    case 'gave_up':
      return <Badge look="dead_letter" text={words.gaveUp(countText(scene, health.dead))} />;
    case 'retrying':
      return <Badge look="pending" text={words.waiting(countText(scene, health.pending))} />;
    case 'unused':
      return <span class="quiet">{words.nothingSent}</span>;
    case 'delivered':
      return <Badge look="delivered" text={words.allDelivered} />;
  }
}

export function countText({ texts, format }: DashboardScene, count: number): string {
  const shown = format.count(count);
  return count >= HEALTH_COUNT_MAX ? texts.home.orMore(shown) : shown;
}

export function lastDayText(
  { texts, format }: DashboardScene,
  { recent, delivered }: SubscriptionHealth,
): string {
  if (recent === 0) return '–';
  const [some, all] = [format.count(delivered), format.count(recent)];
  return recent >= HEALTH_COUNT_MAX
    ? texts.webhooks.ofLatest(some, all)
    : texts.webhooks.of(some, all);
}

/** The failed attempt that is not made good; a success removes it. */
export function LastError({ health }: { readonly health: SubscriptionHealth }) {
  const { texts, format } = useDashboard();
  const { lastFailure } = health;
  if (lastFailure === null) return <span class="quiet">{texts.webhooks.none}</span>;
  const { delivery, atMs, body } = lastFailure;
  return [
    <Answer responseStatus={delivery.responseStatus} error={delivery.lastError} body={body} />,
    atMs === null ? null : <span class="sub">{format.short(atMs)}</span>,
  ];
}

/** The only page that has the secret. A reload sends the form again, which changes nothing. */
export function secretScreen(
  { texts: { webhooks: words } }: DashboardScene,
  {
    heading,
    subscription,
    secret,
    overlaps,
  }: {
    readonly heading: string;
    readonly subscription: Subscription;
    readonly secret: string;
    readonly overlaps: readonly string[];
  },
): DashboardContent {
  return {
    title: heading,
    place: 'webhooks',
    lede: shownUrl(subscription.url),
    crumbs: [<ToPlace of="webhooks" />],
    body: [
      <section class="card stack">
        <p>
          <b>{words.secretNow}</b> {words.verify}
        </p>
        <Secret text={secret} label={words.copySecret} />
        <ButtonLink row to={`webhooks/${subscription.id}`}>
          {words.stored}
        </ButtonLink>
      </section>,
      overlaps.length === 0 ? null : <Note look="warn" text={words.overlaps} />,
    ],
  };
}
