// The list of payments, newest first. Filters are in the address, so that a bookmark, a second tab
// and the back button keep them.
import type { VNode } from 'preact';
import { DAY_MS } from '../../../core/domain/base/instant.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import {
  EXTERNAL_PREFIX,
  originsNamed,
  type PaymentStatus,
  paymentOrigins,
  paymentStatuses,
} from '../../../core/domain/payments/payment.js';
import { isCode } from '../../../core/errors.js';
import { listPayments } from '../../../core/usecases/payments/payment-lists.js';
import { readPayment } from '../../../core/usecases/payments/payments.js';
import { dayMs } from '../kit/format.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import { type DashboardContent, dashboardPage } from './dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf } from './dashboard-scene.js';
import { listPath, Pager } from './list-parts.js';
import { type MemberCall, TENANT_ROOT, tenantOfCall } from './member-page.js';
import { PaymentTable } from './payment-parts.js';

const PAGE = 25;
/** Tabs of one state each; the filter has the others. */
const tabs = ['awaiting_buyer', 'on_ramp_pending', 'settled', 'failed'] as const;

export const paymentListPages = [
  memberRow({
    method: 'GET',
    path: `${TENANT_ROOT}/payments`,
    scope: { anyOf: ['payment_intents:read', 'invoices:read'] },
    proof: 'session',
    form: 'none',
    handler: showList,
  }),
];

/** The texts of the query; empty if they are not given. */
interface Filters {
  readonly q: string;
  readonly status: PaymentStatus | null;
  readonly from: string;
  readonly to: string;
  /** The last id of the page before. */
  readonly before: string;
}

async function showList(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const tenant = tenantOfCall(call);
  const filters = filtersIn(call.query);
  const view = viewOf(context, call);
  if (originsNamed(filters.q, paymentOrigins).length === 1 && filters.q.includes('_')) {
    const id = filters.q;
    const known = await readPayment(context.deps, tenant, id).catch(nullIfUnknown);
    if (known !== null) return seeOther(`${view.path}/payments/${id}`);
  }
  const found = await listPayments(context.deps, tenant, {
    origins: paymentOrigins,
    externalId: filters.q === '' ? null : filters.q,
    sellerExternalId: null,
    status: filters.status,
    createdFromMs: filters.from === '' ? null : dayMs(filters.from),
    createdToMs: filters.to === '' ? null : dayMs(filters.to) + DAY_MS,
    beforeId: filters.before === '' ? null : filters.before,
    // One more shows whether there is a next page.
    limit: PAGE + 1,
  });
  const rows = found.slice(0, PAGE);
  const last = found.length > PAGE ? (rows.at(-1)?.payment.id ?? null) : null;
  return dashboardPage(view, (scene) => listScreen(scene, filters, rows, last));
}

function nullIfUnknown(error: unknown): null {
  if (isCode(error, 'NotFound')) return null;
  throw error;
}

/** What is not a filter is left out. */
function filtersIn(query: URLSearchParams): Filters {
  const q = (query.get('q') ?? '').trim().slice(0, 200);
  const day = (name: string) => {
    const text = query.get(name) ?? '';
    return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(dayMs(text)) ? text : '';
  };
  const before = query.get('before') ?? '';
  return {
    q: q.startsWith(EXTERNAL_PREFIX) ? q.slice(EXTERNAL_PREFIX.length) : q,
    status: paymentStatuses.find((known) => known === query.get('status')) ?? null,
    from: day('from'),
    to: day('to'),
    before: /^(pi|inv)_[0-9a-z]{1,64}$/.test(before) ? before : '',
  };
}

function addressOf(root: string, filters: Partial<Filters>): string {
  return listPath(`${root}/payments`, { ...filters });
}

function listScreen(
  { texts, view }: DashboardScene,
  filters: Filters,
  rows: readonly ShownView[],
  last: string | null,
): DashboardContent {
  const hasFilters = addressOf('', { ...filters, before: '' }) !== addressOf('', {});
  return {
    title: texts.payments.heading,
    place: 'payments',
    body: (
      <div class="stack">
        <Tabs filters={filters} />
        <FilterForm filters={filters} />
        {hasFilters ? (
          <p class="small">
            <a href={addressOf(view.path, {})}>{texts.payments.clear}</a>
          </p>
        ) : null}
        {rows.length === 0 ? (
          <div class="card empty">
            <h2>{hasFilters ? texts.payments.noMatch : texts.home.empty}</h2>
            <p>{hasFilters ? texts.payments.noMatchText : texts.home.emptyText}</p>
          </div>
        ) : (
          <PaymentTable rows={rows} caption={texts.payments.heading} />
        )}
        <Pager
          newest={filters.before === '' ? null : addressOf(view.path, { ...filters, before: '' })}
          older={last === null ? null : addressOf(view.path, { ...filters, before: last })}
        >
          {texts.payments.keep}
        </Pager>
      </div>
    ),
  };
}

function Tabs({ filters }: { readonly filters: Filters }): VNode {
  const { texts, view } = useDashboard();
  const entry = (status: PaymentStatus | null, text: string) => (
    <li>
      <a
        href={addressOf(view.path, { ...filters, status, before: '' })}
        aria-current={filters.status === status ? 'true' : undefined}
      >
        {text}
      </a>
    </li>
  );
  return (
    <nav aria-label={texts.payments.status}>
      <ul class="tabs">
        {entry(null, texts.payments.all)}
        {tabs.map((status) => entry(status, texts.status[status]))}
      </ul>
    </nav>
  );
}

function FilterForm({ filters }: { readonly filters: Filters }): VNode {
  const { texts, view } = useDashboard();
  return (
    <form
      class="filters"
      method="get"
      action={`${view.path}/payments`}
      aria-label={texts.payments.filters}
    >
      <div>
        <label for="q">{texts.payments.search}</label>
        <input id="q" name="q" type="search" value={filters.q} maxLength={200} autocomplete="off" />
      </div>
      <div>
        <label for="status">{texts.payments.status}</label>
        <select id="status" name="status">
          <option value="">{texts.payments.any}</option>
          {paymentStatuses.map((status) => (
            <option value={status} selected={status === filters.status}>
              {texts.status[status]}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="from">{texts.payments.from}</label>
        <input id="from" name="from" type="date" value={filters.from} />
      </div>
      <div>
        <label for="to">{texts.payments.to}</label>
        <input id="to" name="to" type="date" value={filters.to} />
      </div>
      <button type="submit" class="btn">
        {texts.payments.filter}
      </button>
    </form>
  );
}
