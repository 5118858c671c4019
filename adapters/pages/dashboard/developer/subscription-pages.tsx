// One webhook subscription: how its deliveries do, their list, and what can be done about it.
import type { VNode } from 'preact';
import { z } from 'zod';
import { allows } from '../../../../core/domain/access/scope.js';
import type { Subscription } from '../../../../core/domain/webhooks/subscription.js';
import {
  ATTEMPTS_MAX,
  type DeliveryStatus,
  type WebhookDelivery,
} from '../../../../core/domain/webhooks/webhook-delivery.js';
import { PonteError } from '../../../../core/errors.js';
import {
  listDeliveries,
  replayDeadLetters,
} from '../../../../core/usecases/webhooks/deliveries.js';
import {
  readHealth,
  type SubscriptionHealth,
} from '../../../../core/usecases/webhooks/subscription-health.js';
import {
  changeSubscription,
  deleteSubscription,
  readSubscription,
  rotateSecret,
  testSubscription,
} from '../../../../core/usecases/webhooks/subscriptions.js';
import { Button, ButtonLink, Form, Note, Scroll } from '../../kit/components.js';
import {
  memberRow,
  type PageAnswer,
  type PageContext,
  seeOther,
  withNotice,
} from '../../kit/page-route.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf, withDone } from '../dashboard-scene.js';
import { listPath, Pager } from '../list-parts.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { Breakable, DeliveryState, deliveryPath, Facts, shownUrl } from './developer-parts.js';
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
import { countText, LastError, lastDayText, secretScreen } from './subscription-list-pages.js';

const PAGE = 25;
/** States that somebody looks for; null: all. */
const tabs = [null, 'dead_letter', 'pending'] as const;

const path = `${TENANT_ROOT}/webhooks/{subscriptionId}`;
const write = { scope: 'webhooks:write', proof: 'session' } as const;
const noForm = z.object({});
const pauseForm = z.object({ paused: z.stringbool() });
/** A reload of the answer, which has the secret, does not replace it again. */
const rotateForm = z.object({ version: z.coerce.number().int() });

export const subscriptionPages = [
  memberRow({
    method: 'GET',
    path,
    scope: 'webhooks:read',
    proof: 'session',
    form: 'none',
    handler: showOne,
  }),
  memberRow({ ...write, method: 'POST', path: `${path}/test`, form: noForm, handler: test }),
  memberRow({ ...write, method: 'POST', path: `${path}/pause`, form: pauseForm, handler: pause }),
  memberRow({
    ...write,
    method: 'POST',
    path: `${path}/replay-dead-letters`,
    form: noForm,
    handler: replayAll,
  }),
  memberRow({
    ...write,
    method: 'GET',
    path: `${path}/edit`,
    proof: 'fresh_live',
    form: 'none',
    handler: async (context, call) => showEdit(context, call, await activeOne(context, call), null),
  }),
  memberRow({
    ...write,
    method: 'POST',
    path: `${path}/edit`,
    proof: 'fresh_live',
    form: subscriptionForm,
    handler: edit,
  }),
  memberRow({
    ...write,
    method: 'GET',
    path: `${path}/rotate`,
    proof: 'fresh',
    form: 'none',
    handler: showRotate,
  }),
  memberRow({
    ...write,
    method: 'POST',
    path: `${path}/rotate`,
    proof: 'fresh',
    form: rotateForm,
    handler: rotate,
  }),
  memberRow({
    ...write,
    method: 'GET',
    path: `${path}/delete`,
    form: 'none',
    handler: showDelete,
  }),
  memberRow({ ...write, method: 'POST', path: `${path}/delete`, form: noForm, handler: remove }),
];

function idIn({ params }: MemberCall): string {
  return params['subscriptionId'] ?? '';
}

function pathOf(context: PageContext, call: MemberCall): string {
  return `${viewOf(context, call).path}/webhooks/${idIn(call)}`;
}

/** NotFound for a deleted one, too: nothing of it can be changed. */
async function activeOne({ deps }: PageContext, call: MemberCall): Promise<Subscription> {
  const found = await readSubscription(deps, tenantOfCall(call), idIn(call));
  if (!found.active) throw new PonteError('NotFound');
  return found;
}

interface Shown {
  readonly subscription: Subscription;
  /** Null for a deleted one. */
  readonly health: SubscriptionHealth | null;
  readonly deliveries: readonly WebhookDelivery[];
  readonly filters: Filters;
  /** The last id, if there is a next page. */
  readonly last: string | null;
  readonly mayWrite: boolean;
}

interface Filters {
  readonly status: DeliveryStatus | null;
  /** The last id of the page before; empty on the first one. */
  readonly before: string;
}

async function showOne(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const filters = filtersIn(call.query);
  const subscription = await readSubscription(deps, tenant, idIn(call));
  const [health, found] = await Promise.all([
    subscription.active ? readHealth(deps, subscription) : null,
    listDeliveries(deps, tenant, {
      subscriptionId: subscription.id,
      status: filters.status,
      beforeId: filters.before === '' ? null : filters.before,
      // One more shows whether there is a next page.
      limit: PAGE + 1,
    }),
  ]);
  const deliveries = found.slice(0, PAGE);
  const last = found.length > PAGE ? (deliveries.at(-1)?.id ?? null) : null;
  const mayWrite = subscription.active && allows(actorOf(call).scopes, 'webhooks:write');
  const shown = { subscription, health, deliveries, filters, last, mayWrite };
  return dashboardPage(viewOf(context, call), (scene) => oneScreen(scene, shown));
}

function filtersIn(query: URLSearchParams): Filters {
  const before = query.get('before') ?? '';
  return {
    status: tabs.find((known) => known === query.get('status')) ?? null,
    before: /^whd_[0-9a-z]{1,64}$/.test(before) ? before : '',
  };
}

function oneScreen({ texts, view }: DashboardScene, shown: Shown): DashboardContent {
  const { subscription, health, mayWrite } = shown;
  const words = texts.webhooks;
  const own = `${view.path}/webhooks/${subscription.id}`;
  return {
    title: shownUrl(subscription.url),
    heading: <Breakable text={shownUrl(subscription.url)} />,
    place: 'webhooks',
    crumbs: (
      <>
        <a href={`${view.path}/webhooks`}>{texts.places.webhooks}</a> /{' '}
        <span class="code">{subscription.id}</span>
      </>
    ),
    actions: mayWrite ? (
      <>
        {subscription.paused ? null : (
          <Form to={`webhooks/${subscription.id}/test`}>
            <Button>{words.test}</Button>
          </Form>
        )}
        <Form to={`webhooks/${subscription.id}/pause`}>
          <input type="hidden" name="paused" value={`${!subscription.paused}`} />
          <Button>{subscription.paused ? words.resume : words.pause}</Button>
        </Form>
        <ButtonLink href={`${own}/edit`}>{words.edit}</ButtonLink>
      </>
    ) : undefined,
    body: (
      <>
        {health === null ? (
          <Note>
            <p>{words.deletedText}</p>
          </Note>
        ) : (
          <Problem health={health} mayWrite={mayWrite} />
        )}
        {subscription.active && subscription.paused ? (
          <Note look="warn">
            <p>{words.pausedText}</p>
          </Note>
        ) : null}
        <Details shown={shown} />
        <Deliveries shown={shown} />
      </>
    ),
  };
}

/** What is given up or waits, and the way to send it. */
function Problem({
  health,
  mayWrite,
}: {
  readonly health: SubscriptionHealth;
  readonly mayWrite: boolean;
}): VNode | null {
  const scene = useDashboard();
  const words = scene.texts.webhooks;
  const { subscription, dead, pending } = health;
  if (dead === 0 && pending === 0) return null;
  const [gaveUp, waiting] = [countText(scene, dead), countText(scene, pending)];
  const heading = words.problem(
    dead === 0 ? '' : words.gaveUp(gaveUp),
    pending === 0 ? '' : words.waiting(waiting),
  );
  return (
    <Note look={dead === 0 ? 'warn' : 'bad'}>
      <p>
        <b>{heading}.</b> {dead === 0 ? words.waitingText(ATTEMPTS_MAX) : words.problemText}
      </p>
      {dead === 0 || subscription.paused || !mayWrite ? null : (
        <Form to={`webhooks/${subscription.id}/replay-dead-letters`} class="actions gap">
          <Button look="sm">{words.replayDead(gaveUp)}</Button>
        </Form>
      )}
    </Note>
  );
}

function Details({ shown }: { readonly shown: Shown }): VNode {
  const scene = useDashboard();
  const { texts, view, format } = scene;
  const { subscription, health, mayWrite } = shown;
  const { id, eventTypes } = subscription;
  const words = texts.webhooks;
  const own = `${view.path}/webhooks/${id}`;
  const oldest = health?.oldestPendingAtMs ?? null;
  const ofHealth =
    health === null
      ? []
      : [
          { label: words.lastDay, value: <span class="num">{lastDayText(scene, health)}</span> },
          { label: words.oldest, value: oldest === null ? words.none : format.short(oldest) },
          { label: words.lastError, value: <LastError health={health} /> },
        ];
  return (
    <section class="card">
      <h2 class="vh">{texts.payment.details}</h2>
      <Facts
        across
        facts={[
          ...ofHealth,
          { label: words.events, value: <span class="code">{eventTypes.join(', ')}</span> },
          {
            label: words.secret,
            value: mayWrite ? <a href={`${own}/rotate`}>{words.rotate}</a> : words.secretText,
          },
        ]}
      />
    </section>
  );
}

function Deliveries({ shown }: { readonly shown: Shown }): VNode {
  const { texts, view, format } = useDashboard();
  const { subscription, deliveries, filters, last, mayWrite } = shown;
  const words = texts.webhooks;
  const own = `${view.path}/webhooks/${subscription.id}`;
  const pageOf = (filter: Filters) => listPath(own, { ...filter });
  return (
    <section class="stack" aria-labelledby="deliveries">
      <div class="line ends">
        <h2 id="deliveries">{words.deliveries}</h2>
        <nav aria-label={words.filter}>
          <ul class="tabs">
            {tabs.map((status) => (
              <li>
                <a
                  href={pageOf({ status, before: '' })}
                  aria-current={status === filters.status ? 'true' : undefined}
                >
                  {status === null ? words.all : texts.delivery[status]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      {deliveries.length === 0 ? (
        <div class="card empty">
          <h3>{filters.status === null ? words.noDeliveries : words.noMatch}</h3>
          {filters.status === null && mayWrite ? <p>{words.noDeliveriesText}</p> : null}
        </div>
      ) : (
        <Scroll label={words.deliveries}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.event}</th>
                <th scope="col">{words.state}</th>
                <th scope="col" class="num only-l">
                  {words.attempt}
                </th>
                <th scope="col" class="only-l">
                  {words.created}
                </th>
              </tr>
            </thead>
            <tbody>
              {deliveries.map((delivery) => (
                <tr>
                  <th scope="row" class="code">
                    <a href={deliveryPath(view.path, delivery)}>
                      <Breakable text={delivery.eventType} />
                    </a>
                    <span class="sub only-s">{format.exact(delivery.createdAtMs)}</span>
                  </th>
                  <td>
                    <DeliveryState delivery={delivery} />
                  </td>
                  <td class="num only-l">{attemptText(words, delivery)}</td>
                  <td class="only-l when">{format.exact(delivery.createdAtMs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <Pager
        newest={filters.before === '' ? null : pageOf({ ...filters, before: '' })}
        older={last === null ? null : pageOf({ ...filters, before: last })}
      >
        {words.newestFirst}
      </Pager>
    </section>
  );
}

function attemptText(
  words: DashboardScene['texts']['webhooks'],
  { status, attempt }: WebhookDelivery,
): string {
  return status === 'delivered' ? `${attempt}` : words.attemptOf(attempt, ATTEMPTS_MAX);
}

async function test(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const delivery = await testSubscription(context.deps, tenantOfCall(call), idIn(call));
  const page = `${pathOf(context, call)}/deliveries/${delivery.id}`;
  return seeOther(withDone(page, 'test_sent'));
}

async function pause(
  context: PageContext,
  call: MemberCall<z.infer<typeof pauseForm>>,
): Promise<PageAnswer> {
  const { paused } = call.form;
  await changeSubscription(context.deps, tenantOfCall(call), idIn(call), { paused });
  const done = paused ? 'subscription_paused' : 'subscription_resumed';
  return seeOther(withDone(pathOf(context, call), done));
}

async function replayAll(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { hasMore } = await replayDeadLetters(context.deps, tenantOfCall(call), idIn(call));
  const done = hasMore ? 'dead_replayed_part' : 'dead_replayed';
  return seeOther(withDone(pathOf(context, call), done));
}

function showEdit(
  context: PageContext,
  call: MemberCall,
  typed: TypedSubscription,
  refusal: SubscriptionRefusal | null,
): PageAnswer {
  const show = (scene: DashboardScene): DashboardContent => {
    const { texts, view } = scene;
    const errors = errorsOf(scene, refusal);
    const own = `${view.path}/webhooks/${idIn(call)}`;
    return {
      title: texts.webhooks.editHeading,
      place: 'webhooks',
      crumbs: <Way id={idIn(call)} />,
      actions: (
        <ButtonLink href={`${own}/delete`} look="danger">
          {texts.webhooks.delete}
        </ButtonLink>
      ),
      errors,
      body: (
        <SubscriptionForm
          to={`webhooks/${idIn(call)}/edit`}
          typed={typed}
          errors={errors}
          submit={texts.webhooks.save}
        />
      ),
    };
  };
  return dashboardPage(viewOf(context, call), show, refusal === null ? 200 : 422);
}

/** The way to a page of a subscription. */
function Way({ id }: { readonly id: string }): VNode {
  const { texts, view } = useDashboard();
  return (
    <>
      <a href={`${view.path}/webhooks`}>{texts.places.webhooks}</a> /{' '}
      <a class="code" href={`${view.path}/webhooks/${id}`}>
        {id}
      </a>
    </>
  );
}

async function edit(
  context: PageContext,
  call: MemberCall<z.infer<typeof subscriptionForm>>,
): Promise<PageAnswer> {
  const { deps } = context;
  await activeOne(context, call);
  const typed = typedIn(call.form);
  const wrong = refusalOf(typed);
  if (wrong !== null) return showEdit(context, call, typed, wrong);
  try {
    await changeSubscription(deps, tenantOfCall(call), idIn(call), typed);
  } catch (error) {
    return showEdit(context, call, typed, urlRefused(error));
  }
  return seeOther(withDone(pathOf(context, call), 'subscription_saved'));
}

async function showRotate(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { id, url, version } = await activeOne(context, call);
  return dashboardPage(viewOf(context, call), ({ texts, view }) => ({
    title: texts.webhooks.rotateHeading,
    lede: shownUrl(url),
    place: 'webhooks',
    crumbs: <Way id={id} />,
    body: (
      <section class="card stack">
        <Note look="warn">
          <p>{texts.webhooks.rotateText}</p>
        </Note>
        <Form to={`webhooks/${id}/rotate`} class="actions">
          <input type="hidden" name="version" value={version} />
          <Button look="danger">{texts.webhooks.rotateNow}</Button>
          <a href={`${view.path}/webhooks/${id}`}>{texts.webhooks.keep}</a>
        </Form>
      </section>
    ),
  }));
}

async function rotate(
  context: PageContext,
  call: MemberCall<z.infer<typeof rotateForm>>,
): Promise<PageAnswer> {
  const { version } = call.form;
  const made = await rotateSecret(context.deps, tenantOfCall(call), idIn(call), version);
  if (made === null) return seeOther(withNotice(pathOf(context, call), 'out_of_date'));
  return dashboardPage(viewOf(context, call), (scene) =>
    secretScreen(scene, { ...made, heading: scene.texts.webhooks.rotatedHeading, overlaps: [] }),
  );
}

async function showDelete(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { id, url } = await activeOne(context, call);
  return dashboardPage(viewOf(context, call), ({ texts, view }) => ({
    title: texts.webhooks.deleteHeading,
    lede: shownUrl(url),
    place: 'webhooks',
    crumbs: <Way id={id} />,
    body: (
      <section class="card stack">
        <Note look="warn">
          <p>{texts.webhooks.deleteText}</p>
        </Note>
        <Form to={`webhooks/${id}/delete`} class="actions">
          <Button look="danger">{texts.webhooks.deleteNow}</Button>
          <a href={`${view.path}/webhooks/${id}`}>{texts.webhooks.keep}</a>
        </Form>
      </section>
    ),
  }));
}

async function remove(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  await deleteSubscription(context.deps, tenantOfCall(call), idIn(call));
  return seeOther(withDone(pathOf(context, call), 'subscription_deleted'));
}
