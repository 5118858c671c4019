// The event feed, newest first, and one event with its webhooks.
import type { VNode } from 'preact';
import { eventTypes, type NumberedEvent } from '../../../../core/domain/payments/event.js';
import type { Subscription } from '../../../../core/domain/webhooks/subscription.js';
import type { WebhookDelivery } from '../../../../core/domain/webhooks/webhook-delivery.js';
import { listOfEvent } from '../../../../core/usecases/webhooks/deliveries.js';
import { readEvent, SEARCHED_MAX, searchEvents } from '../../../../core/usecases/webhooks/feed.js';
import { listSubscriptions } from '../../../../core/usecases/webhooks/subscriptions.js';
import { Copy, Scroll } from '../../kit/components.js';
import { memberRow, type PageAnswer, type PageContext } from '../../kit/page-route.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf } from '../dashboard-scene.js';
import { listPath, NoRows, Pager } from '../list-parts.js';
import { type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { Body } from './delivery-pages.js';
import {
  Breakable,
  DeliveryState,
  deliveryPath,
  Facts,
  shownUrl,
  subjectPath,
} from './developer-parts.js';

const PAGE = 25;

const path = `${TENANT_ROOT}/events`;
const read = { scope: 'webhooks:read', proof: 'session', method: 'GET', form: 'none' } as const;

export const eventPages = [
  memberRow({ ...read, path, handler: showList }),
  memberRow({ ...read, path: `${path}/{eventId}`, handler: showEvent }),
];

/** The texts of the query; empty if they are not given. */
interface Filters {
  readonly type: string;
  readonly subject: string;
  /** The sequence behind which the page begins. */
  readonly before: string;
}

interface Listed {
  readonly filters: Filters;
  readonly events: readonly NumberedEvent[];
  readonly next: number | null;
}

async function showList(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const filters = filtersIn(call.query);
  const { type, subject, before } = filters;
  const found = await searchEvents(context.deps, tenantOfCall(call), {
    type: type === '' ? null : type,
    subjectId: subject === '' ? null : subject,
    beforeSequence: before === '' ? null : Number.parseInt(before, 10),
    limit: PAGE,
  });
  return dashboardPage(viewOf(context, call), (scene) => listScreen(scene, { ...found, filters }));
}

/** What is not a filter is left out. */
function filtersIn(query: URLSearchParams): Filters {
  const before = query.get('before') ?? '';
  return {
    type: eventTypes.find((known) => known === query.get('type')) ?? '',
    subject: (query.get('subject') ?? '').trim().slice(0, 100),
    before: /^[1-9]\d{0,14}$/.test(before) ? before : '',
  };
}

function listScreen({ texts, view }: DashboardScene, listed: Listed): DashboardContent {
  const { filters, events, next } = listed;
  const words = texts.events;
  const pageOf = (filter: Partial<Filters>) => listPath(`${view.path}/events`, filter);
  const hasFilters = filters.type !== '' || filters.subject !== '';
  return {
    title: texts.places.events,
    lede: words.lede,
    place: 'events',
    body: (
      <div class="stack">
        <FilterForm filters={filters} />
        {hasFilters ? (
          <p class="small">
            <a href={pageOf({})}>{words.clear}</a>
          </p>
        ) : null}
        {events.length === 0 ? (
          <Nothing listed={listed} older={next === null ? null : pageOf(olderOf(listed))} />
        ) : (
          <EventTable events={events} />
        )}
        <Pager
          newest={filters.before === '' ? null : pageOf({ ...filters, before: '' })}
          older={next === null || events.length === 0 ? null : pageOf(olderOf(listed))}
        >
          {texts.payments.keep}
        </Pager>
      </div>
    ),
  };
}

function olderOf({ filters, next }: Listed): Filters {
  return { ...filters, before: next === null ? '' : `${next}` };
}

function Nothing({
  listed: { filters, next },
  older,
}: {
  readonly listed: Listed;
  readonly older: string | null;
}): VNode {
  const { texts, format } = useDashboard();
  const words = texts.events;
  if (older !== null && next !== null) {
    const onward = { path: older, words: words.goOn };
    const text = words.notSoFar(format.count(SEARCHED_MAX));
    return <NoRows heading={words.noMatch} text={text} onward={onward} />;
  }
  const hasFilters = filters.type !== '' || filters.subject !== '';
  return (
    <NoRows
      heading={hasFilters ? words.noMatch : words.empty}
      text={hasFilters ? words.noMatchText : words.emptyText}
    />
  );
}

function FilterForm({ filters }: { readonly filters: Filters }): VNode {
  const { texts, view } = useDashboard();
  const words = texts.events;
  return (
    <form
      class="filters two"
      method="get"
      action={`${view.path}/events`}
      aria-label={words.filters}
    >
      <div>
        <label for="subject">{words.subject}</label>
        <input
          id="subject"
          name="subject"
          type="search"
          value={filters.subject}
          maxLength={100}
          autocomplete="off"
          placeholder={words.subjectHint}
        />
      </div>
      <div>
        <label for="type">{words.type}</label>
        <select id="type" name="type">
          <option value="">{words.any}</option>
          {eventTypes.toSorted().map((type) => (
            <option value={type} selected={type === filters.type}>
              {type}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="btn">
        {words.filter}
      </button>
    </form>
  );
}

function EventTable({ events }: { readonly events: readonly NumberedEvent[] }): VNode {
  const { texts, view, format } = useDashboard();
  const words = texts.events;
  return (
    <Scroll label={texts.places.events}>
      <table>
        <caption class="vh">{texts.places.events}</caption>
        <thead>
          <tr>
            <th scope="col" class="only-l">
              {words.created}
            </th>
            <th scope="col">{words.type}</th>
            <th scope="col" class="only-l">
              {words.subject}
            </th>
            <th scope="col" class="num wide">
              {words.number}
            </th>
          </tr>
        </thead>
        <tbody>
          {events.map(({ id, type, subjectId, sequence, createdAtMs }) => (
            <tr>
              <td class="only-l when">{format.exact(createdAtMs)}</td>
              <th scope="row" class="code">
                <a href={`${view.path}/events/${id}`}>
                  <Breakable text={type} />
                </a>
                <span class="sub only-s">{subjectId}</span>
                <span class="sub only-s">{format.exact(createdAtMs)}</span>
              </th>
              <td class="only-l">
                <Subject subjectId={subjectId} />
              </td>
              <td class="num wide quiet">{format.count(sequence)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Subject({ subjectId }: { readonly subjectId: string }): VNode {
  const { view } = useDashboard();
  const href = subjectPath(view.path, subjectId);
  if (href === null) return <span class="code">{subjectId}</span>;
  return (
    <a class="code" href={href}>
      {subjectId}
    </a>
  );
}

interface Shown {
  readonly event: NumberedEvent;
  readonly deliveries: readonly WebhookDelivery[];
  readonly subscriptions: readonly Subscription[];
}

async function showEvent(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const event = await readEvent(deps, tenant, call.params['eventId'] ?? '');
  const [deliveries, subscriptions] = await Promise.all([
    listOfEvent(deps, tenant, event.id),
    listSubscriptions(deps, tenant),
  ]);
  const shown = { event, deliveries, subscriptions };
  return dashboardPage(viewOf(context, call), (scene) => eventScreen(scene, shown));
}

function eventScreen({ texts, view, format }: DashboardScene, shown: Shown): DashboardContent {
  const { event } = shown;
  const words = texts.events;
  return {
    title: event.type,
    heading: <Breakable text={event.type} />,
    place: 'events',
    crumbs: (
      <>
        <a href={`${view.path}/events`}>{texts.places.events}</a> /{' '}
        <span class="code">{event.id}</span>
      </>
    ),
    body: (
      <div class="cols second-wide">
        <section class="card">
          <h2>{texts.deliveryPage.details}</h2>
          <Facts
            facts={[
              { label: words.subject, value: <Subject subjectId={event.subjectId} /> },
              { label: words.created, value: format.exact(event.createdAtMs) },
              { label: words.number, value: format.count(event.sequence) },
              {
                label: words.id,
                value: (
                  <>
                    <span class="code">{event.id}</span>{' '}
                    <Copy value={event.id} label={words.copyId} />
                  </>
                ),
              },
            ]}
          />
        </section>
        <div class="stack">
          <Body event={event} />
          <Webhooks shown={shown} />
        </div>
      </div>
    ),
  };
}

function Webhooks({ shown: { deliveries, subscriptions } }: { readonly shown: Shown }): VNode {
  const { texts, view } = useDashboard();
  const words = texts.events;
  const urlOf = (id: string) => subscriptions.find((one) => one.id === id)?.url ?? id;
  return (
    <section class="stack" aria-labelledby="webhooks">
      <h2 id="webhooks">{words.deliveries}</h2>
      {deliveries.length === 0 ? (
        <p class="quiet">{words.noDeliveries}</p>
      ) : (
        <Scroll label={words.deliveries}>
          <table>
            <thead>
              <tr>
                <th scope="col">{texts.webhooks.url}</th>
                <th scope="col">{texts.webhooks.state}</th>
              </tr>
            </thead>
            <tbody>
              {deliveries.map((delivery) => (
                <tr>
                  <th scope="row">
                    <a href={deliveryPath(view.path, delivery)}>
                      {shownUrl(urlOf(delivery.subscriptionId))}
                    </a>
                  </th>
                  <td>
                    <DeliveryState delivery={delivery} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
