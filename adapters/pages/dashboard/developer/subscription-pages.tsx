// One webhook subscription: its health, its deliveries, and what can be done about it.
import { z } from 'zod';
import { allows } from '../../../../core/domain/access/scope.js';
import type { Subscription } from '../../../../core/domain/webhooks/subscription.js';
import {
  ATTEMPTS_MAX,
  type WebhookDelivery,
} from '../../../../core/domain/webhooks/webhook-delivery.js';
import { PonteError } from '../../../../core/errors.js';
import { backfillNext } from '../../../../core/usecases/webhooks/backfill.js';
import {
  listNamedDeliveries,
  replayDeadLetters,
} from '../../../../core/usecases/webhooks/deliveries.js';
import {
  healthStateOf,
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
import {
  Breakable,
  Button,
  ButtonForm,
  ButtonLink,
  type Fact,
  Facts,
  Form,
  Note,
} from '../../kit/components.js';
import type { PageContext } from '../../kit/page-route.js';
import { idIn, PAGE_SIZE } from '../../kit/pages/declared-pages.js';
import { version } from '../../kit/pages/form-page.js';
import {
  givenIn,
  idCursor,
  listPath,
  Pager,
  pageOf,
  Tabs,
  tabs,
} from '../../kit/pages/list-page.js';
import { Table } from '../../kit/pages/table.js';
import { type DashboardContent, ToPlace } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard } from '../dashboard-scene.js';
import { actorOf, type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';
import { DeliveryState, deliveryPath, PaymentName, shownUrl } from './developer-parts.js';
import { subscriptionFields, tickedBoxes } from './subscription-form.js';
import {
  countText,
  LastError,
  lastDayText,
  secretScreen,
  urlProblem,
  urlRefused,
} from './subscription-list-pages.js';

const path = '/webhooks/{subscriptionId}';
const write = { scope: 'webhooks:write', proof: 'session' } as const;
/** States that somebody looks for. */
const states = ['dead_letter', 'pending'] as const;
const filters = { status: tabs(states) };
const cursor = idCursor('whd');
const back = ({ id }: Subscription) => `/webhooks/${id}`;
/** The pages above one of a subscription. */
const crumbsOf = (id: string) => [<ToPlace of="webhooks" />, <ToSubscription id={id} />];
const whsIn = (call: MemberCall) => idIn(call, 'subscriptionId');

export const subscriptionPages = [
  memberPages.view({
    path,
    access: { scope: 'webhooks:read', proof: 'session' },
    load: readOne,
    show: oneScreen,
  }),
  memberPages.action({
    path: `${path}/test`,
    access: write,
    async run({ deps }, call) {
      const { subscriptionId, id } = await testSubscription(deps, tenantOfCall(call), whsIn(call));
      return { to: `/webhooks/${subscriptionId}/deliveries/${id}`, done: 'test_sent' };
    },
  }),
  memberPages.action({
    path: `${path}/pause`,
    access: write,
    form: z.object({ paused: z.stringbool() }),
    async run({ deps }, call) {
      const { paused } = call.form;
      const found = await changeSubscription(deps, tenantOfCall(call), whsIn(call), { paused });
      return { to: back(found), done: paused ? 'subscription_paused' : 'subscription_resumed' };
    },
  }),
  memberPages.action({
    path: `${path}/replay-dead-letters`,
    access: write,
    async run({ deps }, call) {
      const id = whsIn(call);
      const { hasMore } = await replayDeadLetters(deps, tenantOfCall(call), id);
      return { to: `/webhooks/${id}`, done: hasMore ? 'dead_replayed_part' : 'dead_replayed' };
    },
  }),
  ...memberPages.form({
    path: `${path}/backfill`,
    access: write,
    back,
    load: activeOne,
    fields: () => ({}),
    show: (scene, subject) => doubtful(scene, subject, 'backfill'),
    async save({ deps }, call, { subject }) {
      const { queued, hasMore } = await backfillNext(deps, tenantOfCall(call), subject.id);
      const sent = hasMore ? 'backfilled_part' : 'backfilled';
      return { to: back(subject), done: queued === 0 ? 'nothing_earlier' : sent };
    },
  }),
  ...memberPages.form({
    path: `${path}/edit`,
    access: { ...write, proof: 'change_webhook' },
    back,
    load: activeOne,
    typed: ({ url, eventTypes }) => ({ url, ...tickedBoxes(eventTypes) }),
    fields: subscriptionFields,
    show: ({ texts }, { id }) => ({
      title: texts.webhooks.editHeading,
      place: 'webhooks',
      crumbs: crumbsOf(id),
      actions: (
        <ButtonLink to={`webhooks/${id}/delete`} look="danger" text={texts.webhooks.delete} />
      ),
      submit: texts.common.save,
    }),
    async save({ deps }, call, { scene, subject: { id }, values: { url, events: eventTypes } }) {
      const change = { url, eventTypes };
      const saved = await changeSubscription(deps, tenantOfCall(call), id, change).catch(
        urlRefused,
      );
      return saved === null ? urlProblem(scene) : { to: back(saved), done: 'subscription_saved' };
    },
  }),
  ...memberPages.form({
    path: `${path}/rotate`,
    access: { ...write, proof: 'rotate_webhook_secret' },
    back,
    load: activeOne,
    typed: (subscription) => ({ version: `${subscription.version}` }),
    // A reload of the answer, which has the secret, does not replace it again.
    fields: () => ({ version }),
    show: (scene, subject) => doubtful(scene, subject, 'rotate'),
    async save({ deps }, call, { scene, subject, values }) {
      const { id } = subject;
      const made = await rotateSecret(deps, tenantOfCall(call), id, values.version);
      if (made === null) return { to: back(subject), notice: 'out_of_date' };
      const { rotatedHeading: heading } = scene.texts.webhooks;
      return { show: (shown) => secretScreen(shown, { ...made, heading, overlaps: [] }) };
    },
  }),
  ...memberPages.form({
    path: `${path}/delete`,
    access: write,
    back,
    load: activeOne,
    fields: () => ({}),
    show: (scene, subject) => doubtful(scene, subject, 'delete'),
    async save({ deps }, call, { subject }) {
      await deleteSubscription(deps, tenantOfCall(call), subject.id);
      return { to: back(subject), done: 'subscription_deleted' };
    },
  }),
];

/** A form that says what it does before it does it. */
function doubtful(
  { texts: { webhooks: words, common } }: DashboardScene,
  { id, url }: Subscription,
  act: 'backfill' | 'rotate' | 'delete',
) {
  return {
    title: words[`${act}Heading`],
    lede: shownUrl(url),
    place: 'webhooks',
    crumbs: crumbsOf(id),
    warning: words[`${act}Text`],
    submit: words[`${act}Now`],
    ...(act === 'backfill' ? {} : { keep: common.keep }),
  } as const;
}

/** NotFound for a deleted one, too: nothing of it can be changed. */
async function activeOne({ deps }: PageContext, call: MemberCall): Promise<Subscription> {
  const found = await readSubscription(deps, tenantOfCall(call), whsIn(call));
  if (!found.active) throw new PonteError('NotFound');
  return found;
}

type Shown = Awaited<ReturnType<typeof readOne>>;

async function readOne({ deps }: PageContext, call: MemberCall) {
  const tenant = tenantOfCall(call);
  const given = givenIn(filters, call.query);
  const beforeId = cursor(call.query.get('before') ?? '');
  const subscription = await readSubscription(deps, tenant, whsIn(call));
  const asked = { ...given, subscriptionId: subscription.id, beforeId, limit: PAGE_SIZE + 1 };
  const [health, found] = await Promise.all([
    // A deleted one has none.
    subscription.active ? readHealth(deps, subscription) : null,
    listNamedDeliveries(deps, tenant, asked),
  ]);
  const mayWrite = subscription.active && allows(actorOf(call).scopes, 'webhooks:write');
  const page = pageOf(found, PAGE_SIZE, ({ delivery: { id } }) => id);
  return { subscription, health, ...page, given, isFirst: beforeId === null, mayWrite };
}

function oneScreen({ texts, view }: DashboardScene, shown: Shown): DashboardContent {
  const { subscription, health, mayWrite } = shown;
  const words = texts.webhooks;
  const own = `${view.path}/webhooks/${subscription.id}`;
  return {
    title: shownUrl(subscription.url),
    heading: <Breakable text={shownUrl(subscription.url)} />,
    place: 'webhooks',
    crumbs: [<ToPlace of="webhooks" />, <span class="code">{subscription.id}</span>],
    actions: mayWrite
      ? [
          subscription.paused
            ? null
            : [
                <ButtonForm to={`webhooks/${subscription.id}/test`}>{words.test}</ButtonForm>,
                <ButtonLink href={`${own}/backfill`}>{words.backfill}</ButtonLink>,
              ],
          <Form to={`webhooks/${subscription.id}/pause`}>
            <input type="hidden" name="paused" value={`${!subscription.paused}`} />
            <Button>{subscription.paused ? words.resume : words.pause}</Button>
          </Form>,
          <ButtonLink href={`${own}/edit`}>{words.edit}</ButtonLink>,
        ]
      : undefined,
    body: [
      health === null ? (
        <Note text={words.deletedText} />
      ) : (
        <Problem health={health} mayWrite={mayWrite} />
      ),
      subscription.active && subscription.paused ? (
        <Note look="warn" text={words.pausedText} />
      ) : null,
      <Details shown={shown} />,
      <Deliveries shown={shown} />,
    ],
  };
}

/** What is given up or waits, and the way to send it. */
function Problem({
  health,
  mayWrite,
}: Readonly<{ health: SubscriptionHealth; mayWrite: boolean }>) {
  const scene = useDashboard();
  const words = scene.texts.webhooks;
  const { subscription, dead, pending, lastFailure } = health;
  const isFailing = healthStateOf(health) === 'failing';
  if (dead === 0 && pending === 0 && !isFailing) return null;
  const [gaveUp, waiting] = [countText(scene, dead), countText(scene, pending)];
  const heading = [
    isFailing ? words.failingOf(lastDayText(scene, health)) : null,
    dead === 0 ? null : words.gaveUp(gaveUp),
    pending === 0 ? null : words.waiting(waiting),
  ];
  return (
    <Note look={dead === 0 && !isFailing ? 'warn' : 'bad'}>
      <p>
        <b>{heading.filter((part) => part !== null).join(', ')}.</b>{' '}
        {dead === 0 ? words.waitingText(ATTEMPTS_MAX) : words.problemText}
      </p>
      {lastFailure === null ? null : (
        <p>
          {words.lastError}: <LastError health={health} />
        </p>
      )}
      {dead === 0 || subscription.paused || !mayWrite ? null : (
        <ButtonForm
          to={`webhooks/${subscription.id}/replay-dead-letters`}
          class="actions gap"
          look="sm"
        >
          {words.replayDead(gaveUp)}
        </ButtonForm>
      )}
    </Note>
  );
}

function Details({ shown }: { readonly shown: Shown }) {
  const scene = useDashboard();
  const { texts, view, format } = scene;
  const { subscription, health, mayWrite } = shown;
  const { id, eventTypes } = subscription;
  const words = texts.webhooks;
  const own = `${view.path}/webhooks/${id}`;
  const oldest = health?.oldestPendingAtMs ?? null;
  const ofHealth: readonly Fact[] =
    health === null
      ? []
      : [
          [words.lastDay, <span class="num">{lastDayText(scene, health)}</span>],
          [words.oldest, oldest === null ? words.none : format.short(oldest)],
          [words.lastError, health.lastFailure === null ? words.none : null],
        ];
  return (
    <section class="card">
      <h2 class="vh">{texts.common.details}</h2>
      <Facts
        look="facts across"
        facts={[
          ...ofHealth,
          [texts.places.events, <span class="code">{eventTypes.join(', ')}</span>],
          [
            words.secret,
            mayWrite ? <a href={`${own}/rotate`}>{words.rotate}</a> : words.secretText,
          ],
        ]}
      />
    </section>
  );
}

function Deliveries({ shown }: { readonly shown: Shown }) {
  const { texts, view, format } = useDashboard();
  const { subscription, rows, next, given, isFirst, mayWrite } = shown;
  const words = texts.webhooks;
  const own = `${view.path}/webhooks/${subscription.id}`;
  return (
    <section class="stack" aria-labelledby="deliveries">
      <div class="line ends">
        <h2 id="deliveries">{words.deliveries}</h2>
        <Tabs
          label={words.filter}
          tabs={[null, ...states].map((status) => ({
            href: listPath(own, { status }),
            text: status === null ? words.all : texts.delivery[status],
            isHere: status === given.status,
          }))}
        />
      </div>
      {rows.length === 0 ? (
        <div class="card empty">
          <h3>{given.status === null ? words.noDeliveries : words.noMatch}</h3>
          {given.status === null && mayWrite ? <p>{words.noDeliveriesText}</p> : null}
        </div>
      ) : (
        <Table
          label={words.deliveries}
          rows={rows}
          columns={({ column, named }) => [
            named(texts.common.event, 'code', ({ delivery }) => [
              <a href={deliveryPath(view.path, delivery)}>
                <Breakable text={delivery.eventType} />
              </a>,
              <span class="sub only-s">{format.exact(delivery.createdAtMs)}</span>,
            ]),
            column(texts.frame.payment, 'only-l', ({ payment }) => (
              <PaymentName payment={payment} isShort />
            )),
            column(texts.frame.state, ({ delivery }) => <DeliveryState delivery={delivery} />),
            column(words.attempt, 'num wide', ({ delivery }) => attemptText(words, delivery)),
            column(texts.common.nextAttempt, 'only-l when', ({ delivery: { nextAttemptAtMs } }) =>
              nextAttemptAtMs === null ? '–' : format.short(nextAttemptAtMs),
            ),
            column(texts.common.queued, 'only-l when', ({ delivery: { createdAtMs } }) =>
              format.exact(createdAtMs),
            ),
          ]}
        />
      )}
      <Pager
        newest={isFirst ? null : listPath(own, given)}
        older={next === null ? null : listPath(own, { ...given, before: next })}
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

function ToSubscription({ id }: { readonly id: string }) {
  const { view } = useDashboard();
  return (
    <a class="code" href={`${view.path}/webhooks/${id}`}>
      {id}
    </a>
  );
}
