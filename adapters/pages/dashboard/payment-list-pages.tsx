// The lists of payments and of invoices, newest first. Filters are in the address, so that a
// bookmark, a second tab and the back button keep them.
import type { VNode } from 'preact';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { findNamed } from '../../../core/usecases/payments/payment-search.js';
import { ButtonLink, Foreign } from '../kit/components.js';
import { Icon } from '../kit/icons.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import { Pager } from '../kit/pages/list-page.js';
import { liveOf } from './change-pages.js';
import { type DashboardContent, dashboardPage } from './dashboard-layout.js';
import { type DashboardScene, may, useDashboard, viewOf } from './dashboard-scene.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from './member-page.js';
import {
  type Filters,
  filtersIn,
  firstPage,
  groupIn,
  hasFilters,
  listAddress,
  type PagePlace,
  pageIn,
  queryOf,
  readPage,
} from './payment-filters.js';
import { paymentGroups, statusesOf } from './payment-groups.js';
import { PaymentTable } from './payment-parts.js';

const PAGE = 25;

export const paymentListPages = [
  memberRow({
    method: 'GET',
    path: `${TENANT_ROOT}/payments`,
    scope: { anyOf: ['payment_intents:read', 'invoices:read'] },
    proof: 'session',
    form: 'none',
    handler: (context, call) => showList(context, call, ''),
  }),
  memberRow({
    method: 'GET',
    path: `${TENANT_ROOT}/invoices`,
    scope: 'invoices:read',
    proof: 'session',
    form: 'none',
    handler: (context, call) => showList(context, call, 'invoice'),
  }),
];

interface List {
  readonly filters: Filters;
  readonly rows: readonly ShownView[];
  readonly live?: string;
  /** The pages beside this one; null if there is none. */
  readonly newer: PagePlace | null;
  readonly older: PagePlace | null;
}

async function showList(
  context: PageContext,
  call: MemberCall,
  origin: Filters['origin'],
): Promise<PageAnswer> {
  const tenant = tenantOfCall(call);
  const filters = { ...filtersIn(call.query), origin };
  const view = viewOf(context, call);
  const named = filters.q === '' ? null : await findNamed(context.deps, tenant, filters.q);
  if (named !== null) return seeOther(`${view.path}/payments/${named}`);
  const { before, after } = pageIn(call.query);
  const live = await liveOf(context, call, null);
  const found = await readPage(context.deps, actorOf(call), filters, {
    beforeId: before === '' ? null : before,
    afterId: after === '' ? null : after,
    // One more shows whether there is a next page.
    limit: PAGE + 1,
  });
  const isBack = after !== '';
  const isCut = found.length > PAGE;
  const rows = isBack ? found.slice(-PAGE) : found.slice(0, PAGE);
  const [first, last] = [rows.at(0)?.payment.id, rows.at(-1)?.payment.id];
  const hasNewer = isBack ? isCut : before !== '';
  const hasOlder = isBack || isCut;
  const list: List = {
    // Earlier pages change little, and a reader of them looks for something.
    ...(before === '' && after === '' ? { live } : {}),
    filters,
    rows,
    newer: hasNewer ? { before: '', after: first ?? '' } : null,
    older: hasOlder && last !== undefined ? { before: last, after: '' } : null,
  };
  return dashboardPage(view, (scene) => listScreen(scene, list));
}

function listScreen({ texts, view }: DashboardScene, list: List): DashboardContent {
  const { filters, rows, newer, older } = list;
  const to = (place: PagePlace) => listAddress(view.path, filters, place);
  const isInvoices = filters.origin === 'invoice';
  const title = isInvoices ? texts.places.invoices : texts.payments.heading;
  const isFiltered = hasFilters(filters);
  const empty = isInvoices ? texts.invoice : texts.home;
  return {
    title,
    place: isInvoices ? 'invoices' : 'payments',
    ...(list.live === undefined ? {} : { live: list.live }),
    actions: (
      <>
        {may(view, 'payments:export') && rows.length > 0 ? (
          <ButtonLink href={`${view.path}/payments/export${queryOf(filters)}`} icon="download">
            {texts.payments.export}
          </ButtonLink>
        ) : null}
        {isInvoices && may(view, 'invoices:write') ? (
          <ButtonLink href={`${view.path}/invoices/import`}>{texts.invoiceImport.open}</ButtonLink>
        ) : null}
        {may(view, 'invoices:write') ? (
          <ButtonLink href={`${view.path}/invoices/new`} look="primary" icon="add">
            {texts.invoice.newHeading}
          </ButtonLink>
        ) : null}
      </>
    ),
    body: (
      <div class="stack">
        <Tabs filters={filters} />
        <FilterForm filters={filters} />
        {isFiltered ? <Chips filters={filters} /> : null}
        {rows.length === 0 ? (
          <div class="card empty">
            <h2>{isFiltered ? texts.payments.noMatch : empty.empty}</h2>
            <p>{isFiltered ? texts.payments.noMatchText : empty.emptyText}</p>
          </div>
        ) : (
          <PaymentTable rows={rows} caption={title} />
        )}
        <Pager
          newest={newer === null ? null : to(firstPage)}
          newer={newer === null ? null : to(newer)}
          older={older === null ? null : to(older)}
        >
          {texts.payments.keep}
        </Pager>
      </div>
    ),
  };
}

interface FiltersProps {
  readonly filters: Filters;
}

function Tabs({ filters }: FiltersProps): VNode {
  const { texts, view } = useDashboard();
  const here = groupIn(filters);
  return (
    <nav aria-label={texts.payments.views}>
      <ul class="tabs">
        {[null, ...paymentGroups].map((group) => (
          <li>
            <a
              href={listAddress(view.path, { ...filters, status: group ?? '' })}
              aria-current={group === here ? 'true' : undefined}
            >
              {group === null ? texts.payments.all : texts.groups[group]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function FilterForm({ filters }: FiltersProps): VNode {
  const { texts, view } = useDashboard();
  const { seller } = filters;
  return (
    <form
      class="filters"
      method="get"
      action={listAddress(view.path, { ...noFilters, origin: filters.origin })}
      aria-label={texts.payments.filters}
    >
      <div>
        <label for="q">{texts.payments.search}</label>
        <input id="q" name="q" type="search" value={filters.q} maxLength={200} autocomplete="off" />
      </div>
      <div>
        <label for="status">{texts.payments.status}</label>
        <StatusSelect filters={filters} />
      </div>
      {(['from', 'to', 'settledFrom', 'settledTo'] as const).map((name) => (
        <div>
          <label for={name}>{texts.payments[name]}</label>
          <input id={name} name={name} type="date" value={filters[name]} />
        </div>
      ))}
      {seller === '' ? null : <input type="hidden" name="seller" value={seller} />}
      <button type="submit" class="btn">
        <Icon name="search" />
        {texts.payments.filter}
      </button>
    </form>
  );
}

const noFilters: Filters = {
  origin: '',
  q: '',
  status: '',
  seller: '',
  from: '',
  to: '',
  settledFrom: '',
  settledTo: '',
};

/** Each group of several states is an option too, above its states. */
function StatusSelect({ filters: { status: chosen } }: FiltersProps): VNode {
  const { texts } = useDashboard();
  const option = (value: Filters['status'], text: string) => (
    <option value={value} selected={value === chosen}>
      {text}
    </option>
  );
  return (
    <select id="status" name="status">
      {option('', texts.payments.any)}
      {paymentGroups.map((group) => {
        const statuses = statusesOf(group);
        if (statuses.length === 1) return option(group, texts.groups[group]);
        return (
          <optgroup label={texts.groups[group]}>
            {option(group, texts.payments.anyOf(texts.groups[group]))}
            {statuses.map((status) => option(status, texts.status[status]))}
          </optgroup>
        );
      })}
    </select>
  );
}

/** Each filter, with a link that removes it. */
function Chips({ filters }: FiltersProps): VNode {
  const { texts, view } = useDashboard();
  return (
    <ul class="chips" aria-label={texts.payments.active}>
      {filterWords(filters).map(({ text, without }) => (
        <li>
          <a href={listAddress(view.path, { ...filters, ...without })}>
            <Foreign text={text} /> <span aria-hidden="true">✕</span>
            <span class="vh">, {texts.payments.remove}</span>
          </a>
        </li>
      ))}
      <li>
        <a class="plain" href={listAddress(view.path, { ...noFilters, origin: filters.origin })}>
          {texts.payments.clear}
        </a>
      </li>
    </ul>
  );
}

interface FilterWords {
  readonly text: string;
  /** The filter as it is without it. */
  readonly without: Partial<Filters>;
}

/** The filters in words; rendered inside a page. */
export function filterWords(filters: Filters): readonly FilterWords[] {
  const { q, status, seller, from, to, settledFrom, settledTo } = filters;
  const { texts, format } = useDashboard();
  const words = texts.payments;
  const names: Readonly<Record<string, string>> = { ...texts.status, ...texts.groups };
  const day = (text: string) => (text === '' ? null : format.date(text));
  const between = (
    [first, last]: readonly [string, string],
    say: (first: string | null, last: string | null) => string,
    without: Partial<Filters>,
  ) => (first === '' && last === '' ? [] : [{ text: say(day(first), day(last)), without }]);
  return [
    ...(q === '' ? [] : [{ text: `“${q}”`, without: { q: '' } }]),
    ...(status === '' ? [] : [{ text: names[status] ?? status, without: { status: '' } as const }]),
    ...(seller === '' ? [] : [{ text: words.ofSeller(seller), without: { seller: '' } }]),
    ...between([from, to], words.createdBetween, { from: '', to: '' }),
    ...between([settledFrom, settledTo], words.settledBetween, { settledFrom: '', settledTo: '' }),
  ];
}
