// One delivery: its attempts, what the server answered, and what was sent.
import { allows } from '../../../../core/domain/access/scope.js';
import { MINUTE_MS, SECOND_MS } from '../../../../core/domain/base/instant.js';
import type { NumberedEvent } from '../../../../core/domain/payments/event.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { standardHeaders, webhookHeaders } from '../../../../core/domain/webhooks/signature.js';
import type { Subscription } from '../../../../core/domain/webhooks/subscription.js';
import {
  type DeliveryAttempt,
  isBeingSent,
  type WebhookDelivery,
} from '../../../../core/domain/webhooks/webhook-delivery.js';
import { readDelivery, replayDelivery } from '../../../../core/usecases/webhooks/deliveries.js';
import { Breakable, ButtonForm, ButtonLink, Code, Copy, Facts } from '../../kit/components.js';
import { Card } from '../../kit/pages/card.js';
import { idIn } from '../../kit/pages/declared-pages.js';
import { ToPlace } from '../dashboard-layout.js';
import { useDashboard } from '../dashboard-scene.js';
import { actorOf, type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';
import { Answer, DeliveryBadge, PaymentName, shownUrl } from './developer-parts.js';
import { indentedJson } from './indented-json.js';

/** Until the script reloads a page whose outcome is near. */
const REFRESH_SECONDS = 3;

const path = '/webhooks/{subscriptionId}/deliveries/{deliveryId}';

export const deliveryPages = [
  memberPages.view({
    path,
    access: { scope: 'webhooks:read', proof: 'session' },
    async load({ deps }, call) {
      const found = await readDelivery(deps, tenantOfCall(call), ...idsIn(call));
      const { delivery, subscription } = found;
      const isSent = subscription.active && !subscription.paused;
      const mayWrite = allows(actorOf(call).scopes, 'webhooks:write');
      return { ...found, mayReplay: isSent && !isBeingSent(delivery) && mayWrite };
    },
    show({ texts: { deliveryPage: words }, view }, shown) {
      const { delivery, subscription, event, payment, mayReplay } = shown;
      const own = `webhooks/${subscription.id}`;
      return {
        title: delivery.eventType,
        heading: <Breakable text={delivery.eventType} />,
        place: 'webhooks',
        crumbs: [
          <ToPlace of="webhooks" />,
          <a href={`${view.path}/${own}`}>{shownUrl(subscription.url)}</a>,
          <span class="code">{delivery.id}</span>,
        ],
        actions: [
          payment === null ? null : (
            <ButtonLink to={`payments/${payment.id}`}>{words.seePayment}</ButtonLink>
          ),
          mayReplay ? (
            <ButtonForm to={`${own}/deliveries/${delivery.id}/replay`} look="primary">
              {delivery.status === 'pending' ? words.sendNow : words.replay}
            </ButtonForm>
          ) : null,
        ],
        body: [
          <StateLine shown={shown} />,
          <div class="cols second-wide">
            <div class="stack">
              <Attempts shown={shown} />
              <LastAnswer shown={shown} />
              <Details shown={shown} />
            </div>
            <div class="stack">
              <Body event={event} />
              <Headers shown={shown} />
            </div>
          </div>,
        ],
      };
    },
  }),
  memberPages.action({
    path: `${path}/replay`,
    access: { scope: 'webhooks:write', proof: 'session' },
    async run({ deps }, call) {
      const [subscriptionId, deliveryId] = idsIn(call);
      await replayDelivery(deps, tenantOfCall(call), subscriptionId, deliveryId);
      return { to: `/webhooks/${subscriptionId}/deliveries/${deliveryId}`, done: 'replayed' };
    },
  }),
];

function idsIn(call: MemberCall): readonly [string, string] {
  return [idIn(call, 'subscriptionId'), idIn(call, 'deliveryId')];
}

interface Shown {
  readonly delivery: WebhookDelivery;
  readonly subscription: Subscription;
  readonly attempts: readonly DeliveryAttempt[];
  readonly event: NumberedEvent;
  readonly payment: Payment | null;
}

/** Its outcome comes within seconds. A page that stays open does not reload without end. */
function isSentNow({ status, nextAttemptAtMs }: WebhookDelivery, nowMs: number): boolean {
  if (status !== 'pending' || nextAttemptAtMs === null) return false;
  return nextAttemptAtMs <= nowMs && nowMs < nextAttemptAtMs + MINUTE_MS;
}

type Part = Readonly<{ shown: Shown }>;

/** Its state, and the way to a newer one. */
function StateLine({ shown: { delivery, subscription } }: Part) {
  const { texts, view } = useDashboard();
  const words = texts.deliveryPage;
  return (
    <p class="line">
      <DeliveryBadge delivery={delivery} pill />
      {delivery.status === 'pending' ? (
        <a href={`${view.path}/webhooks/${subscription.id}/deliveries/${delivery.id}`}>
          {words.refresh}
        </a>
      ) : null}
      {isSentNow(delivery, view.nowMs) ? (
        <span
          class="quiet"
          hidden
          data-countdown={REFRESH_SECONDS}
          data-left={words.refreshIn}
          data-say="||"
        />
      ) : null}
    </p>
  );
}

function Attempts({ shown: { attempts } }: Part) {
  const { texts, format } = useDashboard();
  const words = texts.deliveryPage;
  return (
    <Card heading={words.attempts}>
      {attempts.length === 0 ? (
        <p class="quiet">{words.noAttempt}</p>
      ) : (
        <table class="doc">
          <caption class="vh">{words.attempts}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.common.started}</th>
              <th scope="col">{words.answer}</th>
              <th scope="col" class="num only-l">
                {words.took}
              </th>
            </tr>
          </thead>
          <tbody>
            {attempts.map(({ responseBody, ...one }, index) => (
              <tr>
                <th scope="row" class="when">
                  {format.exact(one.startedAtMs)}
                  {one.attempt === 1 && index > 0 ? (
                    <span class="sub">{words.replayed}</span>
                  ) : null}
                </th>
                <td>
                  <Answer {...one} body={responseBody} />
                </td>
                <td class="num only-l">{format.duration(one.durationMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

function LastAnswer({ shown: { attempts } }: Part) {
  const words = useDashboard().texts.deliveryPage;
  const last = attempts.at(-1);
  if (last === undefined || last.responseStatus === null) return null;
  const body = last.responseBody ?? '';
  return (
    <Card heading={words.lastAnswer}>
      {body === '' ? (
        <p class="quiet">{words.noBody}</p>
      ) : (
        <Code text={body} label={words.lastAnswer} />
      )}
    </Card>
  );
}

function Details({ shown }: Part) {
  const { texts, view, format } = useDashboard();
  const words = texts.deliveryPage;
  const { delivery, subscription, event, payment } = shown;
  const { createdAtMs, deliveredAtMs, nextAttemptAtMs } = delivery;
  return (
    <Card heading={texts.common.details}>
      <Facts
        facts={[
          [texts.frame.payment, payment && <PaymentName payment={payment} />],
          [
            texts.common.event,
            <a class="code" href={`${view.path}/events/${event.id}`}>
              {event.id}
            </a>,
          ],
          [
            words.subscription,
            <a href={`${view.path}/webhooks/${subscription.id}`}>{shownUrl(subscription.url)}</a>,
          ],
          [texts.common.queued, format.exact(createdAtMs)],
          [words.delivered, deliveredAtMs === null ? null : format.exact(deliveredAtMs)],
          [
            texts.common.nextAttempt,
            nextAttemptAtMs === null ? null : format.exact(nextAttemptAtMs),
          ],
        ]}
      />
    </Card>
  );
}

/** The bytes that were sent are on one line. */
export function Body({ event: { body } }: { readonly event: NumberedEvent }) {
  const words = useDashboard().texts.deliveryPage;
  return (
    <section class="card">
      <div class="line ends">
        <h2>{words.body}</h2>
        <Copy value={body} label={words.copyBody} />
      </div>
      <Code text={indentedJson(body)} label={words.body} />
    </section>
  );
}

/** Without the signature: it is made with the secret for each attempt, and not kept. */
function Headers({ shown: { delivery, attempts } }: Part) {
  const words = useDashboard().texts.deliveryPage;
  const sentAtMs = attempts.at(-1)?.startedAtMs ?? delivery.createdAtMs;
  const seconds = Math.floor(sentAtMs / SECOND_MS);
  const headers = [
    'Content-Type: application/json',
    `${webhookHeaders.deliveryId}: ${delivery.id}`,
    `${webhookHeaders.eventType}: ${delivery.eventType}`,
    `${webhookHeaders.signature}: t=${seconds},v1=…`,
    `${standardHeaders.id}: ${delivery.id}`,
    `${standardHeaders.timestamp}: ${seconds}`,
    `${standardHeaders.signature}: v1,…`,
  ].join('\n');
  return (
    <Card heading={words.headers}>
      <Code text={headers} label={words.headers} />
      <p class="small quiet gap">{words.headersText}</p>
    </Card>
  );
}
