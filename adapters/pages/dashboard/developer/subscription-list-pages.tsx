// The webhook subscriptions of a mode, how their deliveries do, and a new one.
import type { VNode } from 'preact';
import type { z } from 'zod';
import { allows } from '../../../../core/domain/access/scope.js';
import {
  SUBSCRIPTIONS_MAX,
  type Subscription,
} from '../../../../core/domain/webhooks/subscription.js';
import { isCode } from '../../../../core/errors.js';
import {
  HEALTH_COUNT_MAX,
  listHealth,
  type SubscriptionHealth,
} from '../../../../core/usecases/webhooks/subscription-health.js';
import {
  createSubscription,
  listSubscriptions,
  overlapping,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { ButtonLink, Note, Scroll } from '../../kit/components.js';
import { formKey, newFormKey, newIdOf } from '../../kit/form-key.js';
import {
  memberRow,
  type PageAnswer,
  type PageContext,
  seeOther,
  withNotice,
} from '../../kit/page-route.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf } from '../dashboard-scene.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { Badge } from '../payment-parts.js';
import { Answer, Breakable, Secret, shownUrl } from './developer-parts.js';
import {
  errorsOf,
  refusalOf,
  SubscriptionForm,
  type SubscriptionRefusal,
  subscriptionForm,
  type TypedSubscription,
  typedIn,
  urlRefused,
} from './subscription-form.js';

/** More would hide the URL; the page of the subscription has all. */
const TYPES_SHOWN = 3;

const path = `${TENANT_ROOT}/webhooks`;
/** All that happens would be sent to a new address. */
const write = { scope: 'webhooks:write', proof: 'fresh_live' } as const;
const newSubscriptionForm = subscriptionForm.extend({ key: formKey });

export const subscriptionListPages = [
  memberRow({
    method: 'GET',
    path,
    scope: 'webhooks:read',
    proof: 'session',
    form: 'none',
    handler: showList,
  }),
  memberRow({
    ...write,
    method: 'GET',
    path: `${path}/new`,
    form: 'none',
    handler: async (context, call) => showNew(context, call, newForm(context), null),
  }),
  memberRow({
    ...write,
    method: 'POST',
    path: `${path}/new`,
    form: newSubscriptionForm,
    handler: create,
  }),
];

async function showList(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const [health, all] = await Promise.all([
    listHealth(deps, tenant),
    listSubscriptions(deps, tenant),
  ]);
  const deleted = all.filter(({ active }) => !active);
  const mayWrite = allows(actorOf(call).scopes, 'webhooks:write');
  return dashboardPage(viewOf(context, call), ({ texts, view }) => {
    const words = texts.webhooks;
    const add = mayWrite ? (
      <ButtonLink href={`${view.path}/webhooks/new`} look="primary" icon="plus">
        {words.add}
      </ButtonLink>
    ) : null;
    return {
      title: texts.places.webhooks,
      lede: words.lede,
      place: 'webhooks',
      actions: health.length === 0 ? undefined : add,
      body: (
        <>
          {health.length === 0 ? (
            <div class="card empty">
              <h2>{words.empty}</h2>
              <p>{words.emptyText}</p>
              <p class="actions gap centred">{add}</p>
            </div>
          ) : (
            <ActiveTable found={health} />
          )}
          {deleted.length === 0 ? null : <DeletedTable found={deleted} />}
        </>
      ),
    };
  });
}

function ActiveTable({ found }: { readonly found: readonly SubscriptionHealth[] }): VNode {
  const scene = useDashboard();
  const { texts, view, format } = scene;
  const words = texts.webhooks;
  return (
    <Scroll label={words.caption}>
      <table>
        <caption class="vh">{words.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{words.url}</th>
            <th scope="col">{words.state}</th>
            <th scope="col" class="num only-l">
              {words.lastDay}
            </th>
            <th scope="col" class="only-l">
              {words.lastError}
            </th>
            <th scope="col" class="wide">
              {words.oldest}
            </th>
          </tr>
        </thead>
        <tbody>
          {found.map((health) => (
            <tr>
              <th scope="row">
                <a href={`${view.path}/webhooks/${health.subscription.id}`}>
                  <Breakable text={shownUrl(health.subscription.url)} />
                </a>
                <span class="sub code">{typesText(health.subscription)}</span>
              </th>
              <td>
                <HealthBadge health={health} />
              </td>
              <td class="num only-l">{lastDayText(scene, health)}</td>
              <td class="only-l">
                <LastError health={health} />
              </td>
              <td class="wide when">
                {health.oldestPendingAtMs === null ? '–' : format.short(health.oldestPendingAtMs)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The first types, and how many more there are. */
function typesText({ eventTypes }: Subscription): string {
  const more = eventTypes.length - TYPES_SHOWN;
  const shown = eventTypes.slice(0, TYPES_SHOWN).join(', ');
  return more > 0 ? `${shown} + ${more}` : shown;
}

/** What is worst about it, in one word. */
function HealthBadge({ health }: { readonly health: SubscriptionHealth }): VNode {
  const scene = useDashboard();
  const words = scene.texts.webhooks;
  const { subscription, dead, pending, recent, lastFailure } = health;
  if (subscription.paused) return <Badge look="expired" text={words.paused} />;
  if (dead > 0) {
    return <Badge look="dead_letter" text={words.gaveUp(countText(scene, dead))} />;
  }
  if (pending > 0) return <Badge look="pending" text={words.waiting(countText(scene, pending))} />;
  if (recent === 0 && lastFailure === null) return <span class="quiet">{words.nothingSent}</span>;
  return <Badge look="delivered" text={words.allDelivered} />;
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
export function LastError({ health }: { readonly health: SubscriptionHealth }): VNode {
  const { texts, format } = useDashboard();
  const { lastFailure } = health;
  if (lastFailure === null) return <span class="quiet">{texts.webhooks.none}</span>;
  const { delivery, atMs } = lastFailure;
  return (
    <>
      <Answer responseStatus={delivery.responseStatus} error={delivery.lastError} />
      {atMs === null ? null : <span class="sub">{format.short(atMs)}</span>}
    </>
  );
}

function DeletedTable({ found }: { readonly found: readonly Subscription[] }): VNode {
  const { texts, view, format } = useDashboard();
  const words = texts.webhooks;
  return (
    <details>
      <summary>{words.deleted}</summary>
      <Scroll label={words.deleted}>
        <table>
          <caption class="vh">{words.deleted}</caption>
          <thead>
            <tr>
              <th scope="col">{words.url}</th>
              <th scope="col">{words.deletedAt}</th>
            </tr>
          </thead>
          <tbody>
            {found.map(({ id, url, updatedAtMs }) => (
              <tr>
                <th scope="row">
                  <a href={`${view.path}/webhooks/${id}`}>{shownUrl(url)}</a>
                </th>
                <td class="when">{format.short(updatedAtMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}

interface NewSubscription extends TypedSubscription {
  readonly key: string;
}

function newForm({ deps }: PageContext): NewSubscription {
  return { key: newFormKey(deps), url: '', eventTypes: ['payment_intent.*'] };
}

function showNew(
  context: PageContext,
  call: MemberCall,
  typed: NewSubscription,
  refusal: SubscriptionRefusal | null,
): PageAnswer {
  const show = (scene: DashboardScene): DashboardContent => {
    const { texts, view } = scene;
    const errors = errorsOf(scene, refusal);
    return {
      title: texts.webhooks.newHeading,
      place: 'webhooks',
      crumbs: <a href={`${view.path}/webhooks`}>{texts.places.webhooks}</a>,
      errors,
      body: (
        <SubscriptionForm
          to="webhooks/new"
          formKey={typed.key}
          typed={typed}
          errors={errors}
          submit={texts.webhooks.create}
        />
      ),
    };
  };
  return dashboardPage(viewOf(context, call), show, refusal === null ? 200 : 422);
}

async function create(
  context: PageContext,
  call: MemberCall<z.infer<typeof newSubscriptionForm>>,
): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const { key } = call.form;
  const typed = { key, ...typedIn(call.form) };
  const wrong = refusalOf(typed);
  if (wrong !== null) return showNew(context, call, typed, wrong);
  const active = (await listSubscriptions(deps, tenant)).filter((one) => one.active);
  if (active.length >= SUBSCRIPTIONS_MAX) return showNew(context, call, typed, 'full');
  let made: Awaited<ReturnType<typeof createSubscription>>;
  try {
    made = await createSubscription(deps, tenant, typed, newIdOf(deps, 'whs', tenant, key));
  } catch (error) {
    if (isCode(error, 'IdempotencyKeyConflict')) {
      return seeOther(withNotice(`${viewOf(context, call).path}/webhooks`, 'out_of_date'));
    }
    return showNew(context, call, typed, urlRefused(error));
  }
  const overlaps = await overlapping(deps, made.subscription);
  return dashboardPage(viewOf(context, call), (scene) =>
    secretScreen(scene, { ...made, heading: scene.texts.webhooks.madeHeading, overlaps }),
  );
}

/** The only page that has the secret. A reload sends the form again, which changes nothing. */
export function secretScreen(
  { texts, view }: DashboardScene,
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
  const words = texts.webhooks;
  return {
    title: heading,
    place: 'webhooks',
    lede: shownUrl(subscription.url),
    crumbs: <a href={`${view.path}/webhooks`}>{texts.places.webhooks}</a>,
    body: (
      <>
        <section class="card stack">
          <p>
            <b>{words.secretNow}</b> {words.verify}
          </p>
          <Secret text={secret} label={words.copySecret} />
          <div class="actions">
            <ButtonLink href={`${view.path}/webhooks/${subscription.id}`}>
              {words.stored}
            </ButtonLink>
          </div>
        </section>
        {overlaps.length === 0 ? null : (
          <Note look="warn">
            <p>{words.overlaps}</p>
          </Note>
        )}
      </>
    ),
  };
}
