// The event feed, newest first, and one event with its webhooks.
import { eventTypes, type NumberedEvent } from '../../../../core/domain/payments/event.js';
import type { WebhookDelivery } from '../../../../core/domain/webhooks/webhook-delivery.js';
import { listOfEvent } from '../../../../core/usecases/webhooks/deliveries.js';
import { readEvent, SEARCHED_MAX, searchEvents } from '../../../../core/usecases/webhooks/feed.js';
import { listSubscriptions } from '../../../../core/usecases/webhooks/subscriptions.js';
import { Breakable, Facts, OwnId } from '../../kit/components.js';
import { Card } from '../../kit/pages/card.js';
import { idIn, PAGE_SIZE } from '../../kit/pages/declared-pages.js';
import { search, select, sequenceCursor } from '../../kit/pages/list-page.js';
import { Table } from '../../kit/pages/table.js';
import { ToPlace } from '../dashboard-layout.js';
import { may, useDashboard } from '../dashboard-scene.js';
import { memberPages, tenantOfCall } from '../member-pages.js';
import { NewInvoice } from '../payment-parts.js';
import { Body } from './delivery-pages.js';
import { DeliveryState, deliveryPath, shownUrl, subjectPath } from './developer-parts.js';

const access = { scope: 'webhooks:read', proof: 'session' } as const;

export const eventPages = [
  memberPages.list({
    path: '/events',
    access,
    filters: { subject: search(100), type: select(eventTypes.toSorted()) },
    cursor: sequenceCursor,
    async read({ deps }, call, { given: { subject, type }, before }) {
      const asked = { type, subjectId: subject, beforeSequence: before, limit: PAGE_SIZE };
      const { events, next } = await searchEvents(deps, tenantOfCall(call), asked);
      return { rows: events, next };
    },
    show: ({ texts: { events: words, ...texts }, view, format }) => ({
      title: texts.places.events,
      lede: words.lede,
      place: 'events',
      label: texts.places.events,
      words,
      labels: words,
      hint: words.subjectHint,
      start: may(view, 'invoices:write') ? <NewInvoice /> : null,
      note: texts.payments.keep,
      onward: { text: words.notSoFar(format.count(SEARCHED_MAX)), words: words.goOn },
      columns: ({ column, named }) => [
        column(texts.common.created, 'only-l when', ({ createdAtMs }) => format.exact(createdAtMs)),
        named(words.type, 'code', ({ id, type, subjectId, createdAtMs }) => [
          <a href={`${view.path}/events/${id}`}>
            <Breakable text={type} />
          </a>,
          <span class="sub only-s">{subjectId}</span>,
          <span class="sub only-s">{format.exact(createdAtMs)}</span>,
        ]),
        column(words.subject, 'only-l', (event) => <Subject of={event} />),
        column(words.number, 'num wide quiet', ({ sequence }) => format.count(sequence)),
      ],
    }),
  }),
  memberPages.view({
    path: '/events/{eventId}',
    access,
    async load({ deps }, call) {
      const tenant = tenantOfCall(call);
      const event = await readEvent(deps, tenant, idIn(call, 'eventId'));
      const [deliveries, subscriptions] = await Promise.all([
        listOfEvent(deps, tenant, event.id),
        listSubscriptions(deps, tenant),
      ]);
      const urls = new Map(subscriptions.map(({ id, url }) => [id, url]));
      return { event, deliveries, urls };
    },
    show: ({ texts, format }, { event, ...sent }) => ({
      title: event.type,
      heading: <Breakable text={event.type} />,
      place: 'events',
      crumbs: [<ToPlace of="events" />, <span class="code">{event.id}</span>],
      body: (
        <div class="cols second-wide">
          <Card heading={texts.common.details}>
            <Facts
              facts={[
                [texts.events.subject, <Subject of={event} />],
                [texts.common.created, format.exact(event.createdAtMs)],
                [texts.events.number, format.count(event.sequence)],
                [texts.events.id, <OwnId id={event.id} label={texts.common.copyId} />],
              ]}
            />
          </Card>
          <div class="stack">
            <Body event={event} />
            <Webhooks {...sent} />
          </div>
        </div>
      ),
    }),
  }),
];

function Subject({ of: { subjectId } }: { readonly of: NumberedEvent }) {
  const { view } = useDashboard();
  const href = subjectPath(view.path, subjectId);
  if (href === null) return <span class="code">{subjectId}</span>;
  return (
    <a class="code" href={href}>
      {subjectId}
    </a>
  );
}

function Webhooks({
  deliveries,
  urls,
}: Readonly<{ deliveries: readonly WebhookDelivery[]; urls: ReadonlyMap<string, string> }>) {
  const { texts, view } = useDashboard();
  const words = texts.events;
  return (
    <section class="stack" aria-labelledby="webhooks">
      <h2 id="webhooks">{words.deliveries}</h2>
      {deliveries.length === 0 ? (
        <p class="quiet">{words.noDeliveries}</p>
      ) : (
        <Table
          label={words.deliveries}
          rows={deliveries}
          columns={({ column, named }) => [
            named(texts.webhooks.url, (delivery) => (
              <a href={deliveryPath(view.path, delivery)}>
                {shownUrl(urls.get(delivery.subscriptionId) ?? delivery.subscriptionId)}
              </a>
            )),
            column(texts.frame.state, (delivery) => <DeliveryState delivery={delivery} />),
          ]}
        />
      )}
    </section>
  );
}
