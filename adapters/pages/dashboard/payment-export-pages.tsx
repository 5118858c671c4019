// The export of a list of payments as CSV: exactly what its filters leave. Long files have a row in
// the page table apart from short ones: only they require a fresh proof of the mailbox.
import { z } from 'zod';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import type { AuditedExport } from '../../../core/domain/service/audit-entry.js';
import type { Deps } from '../../../core/ports/deps.js';
import { recordExport } from '../../../core/usecases/service/audit-log.js';
import { Button, ButtonLink, Form } from '../kit/components.js';
import { BYTE_ORDER_MARK, plainCsv, spreadsheetCsv } from '../kit/csv-line.js';
import { CheckField } from '../kit/fields.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import { type DashboardContent, dashboardPage } from './dashboard-layout.js';
import { type DashboardScene, localeOfCall, useDashboard, viewOf } from './dashboard-scene.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from './member-page.js';
import { csvHeader, csvRow } from './payment-csv.js';
import { type Filters, filtersIn, listAddress, queryOf, readPage } from './payment-filters.js';
import { filterWords } from './payment-list-pages.js';

/** More rows need a fresh proof of the mailbox. */
export const UNPROVEN_ROWS_MAX = 1_000;
/** Read at once: other requests are answered between two pages. */
const ROWS_PER_PAGE = 200;

const scope = 'payments:export';
const path = `${TENANT_ROOT}/payments/export`;
const exportForm = z.object({ bom: z.string().max(3).optional() });
type ExportCall = MemberCall<z.infer<typeof exportForm>>;

export const paymentExportPages = [
  memberRow({
    method: 'GET',
    path,
    scope,
    proof: 'session',
    form: 'none',
    handler: (context, call) => showExport(context, call, 'few'),
  }),
  memberRow({
    method: 'POST',
    path,
    scope,
    proof: 'session',
    limit: 'export',
    form: exportForm,
    handler: exportFew,
  }),
  memberRow({
    method: 'GET',
    path: `${path}/all`,
    scope,
    proof: 'fresh',
    form: 'none',
    handler: (context, call) => showExport(context, call, 'all'),
  }),
  memberRow({
    method: 'POST',
    path: `${path}/all`,
    scope,
    proof: 'fresh',
    limit: 'export',
    form: exportForm,
    handler: exportAll,
  }),
];

async function showExport(
  context: PageContext,
  call: MemberCall,
  extent: 'few' | 'all',
): Promise<PageAnswer> {
  const filters = filtersIn(call.query);
  return dashboardPage(viewOf(context, call), (scene) => exportScreen(scene, filters, extent));
}

async function exportFew(context: PageContext, call: ExportCall): Promise<PageAnswer> {
  const filters = filtersIn(call.query);
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const limit = UNPROVEN_ROWS_MAX + 1;
  const rows = await readPage(deps, actorOf(call), filters, { limit });
  if (rows.length < limit) {
    await recordExport(deps, tenant, exportOf(filters, rows.length));
    return fileOf(context, call, filters, textOf([rows], call));
  }
  return seeOther(`${viewOf(context, call).path}/payments/export/all${queryOf(filters)}`);
}

async function exportAll(context: PageContext, call: ExportCall): Promise<PageAnswer> {
  const filters = filtersIn(call.query);
  const { deps } = context;
  await recordExport(deps, tenantOfCall(call), exportOf(filters, null));
  return fileOf(context, call, filters, countedText(deps, call, filters));
}

function exportOf(filters: Filters, rows: number | null): AuditedExport {
  return { filter: queryOf(filters).slice(1), rows };
}

/** Ends early, with an error, if the reader is gone: then the file is not complete. */
async function* pagesOf(call: ExportCall, filters: Filters): AsyncGenerator<readonly ShownView[]> {
  for (let beforeId: string | null = null; ; ) {
    call.gone.throwIfAborted();
    const page: readonly ShownView[] = await readPage(call.freshDeps(), actorOf(call), filters, {
      beforeId,
      limit: ROWS_PER_PAGE,
    });
    yield page;
    if (page.length < ROWS_PER_PAGE) return;
    beforeId = page.at(-1)?.payment.id ?? null;
  }
}

type Pages = Iterable<readonly ShownView[]> | AsyncIterable<readonly ShownView[]>;

function fileOf(
  { deps }: PageContext,
  call: ExportCall,
  filters: Filters,
  body: PageAnswer['body'],
): PageAnswer {
  const day = dayOf(actorOf(call).organization.timeZone, deps.clock.nowMs());
  const name = filters.origin === 'invoice' ? 'invoices' : 'payments';
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}-${tenantOfCall(call).mode}-${day}.csv"`,
    },
    cookies: [],
    body,
  };
}

/** At its end, also an early one, a second entry in the audit log says how much was sent. */
async function* countedText(
  deps: Deps,
  call: ExportCall,
  filters: Filters,
): AsyncGenerator<string> {
  let rows = 0;
  async function* counted() {
    for await (const page of pagesOf(call, filters)) {
      rows += page.length;
      yield page;
    }
  }
  try {
    yield* textOf(counted(), call);
  } finally {
    await recordExport(deps, tenantOfCall(call), exportOf(filters, rows));
  }
}

/** A file for Excel is that of the language. */
async function* textOf(pages: Pages, call: ExportCall): AsyncGenerator<string> {
  const { timeZone } = actorOf(call).organization;
  const { hasDecimalPoint } = call;
  const isForExcel = call.form.bom === 'yes';
  const form = isForExcel
    ? spreadsheetCsv({ locale: localeOfCall(call), hasDecimalPoint, timeZone })
    : plainCsv;
  yield `${isForExcel ? BYTE_ORDER_MARK : ''}${csvHeader(form)}`;
  for await (const page of pages) for (const view of page) yield csvRow(view, form, timeZone);
}

function exportScreen(
  { texts, view }: DashboardScene,
  filters: Filters,
  extent: 'few' | 'all',
): DashboardContent {
  const isInvoices = filters.origin === 'invoice';
  const place = isInvoices ? 'invoices' : 'payments';
  const list = listAddress(view.path, filters);
  const words = texts.export;
  return {
    title: words.heading,
    place,
    crumbs: (
      <>
        <a href={list}>{texts.places[place]}</a> / {words.crumb}
      </>
    ),
    body: (
      <section class="card stack narrow">
        <ExportedWords filters={filters} />
        <p>{words.text}</p>
        <Form
          to={`payments/export${extent === 'all' ? '/all' : ''}${queryOf(filters)}`}
          class="stack"
        >
          <CheckField name="bom" label={words.bom} hint={words.bomHint} />
          <div class="actions">
            <Button look="primary">{words.download}</Button>
            <ButtonLink href={list}>{words.back}</ButtonLink>
          </div>
        </Form>
        <p class="small quiet">{extent === 'all' ? words.proven : words.proof}</p>
      </section>
    ),
  };
}

function ExportedWords({ filters }: { readonly filters: Filters }) {
  const { texts } = useDashboard();
  const found = filterWords(filters).map(({ text }) => text);
  const isInvoices = filters.origin === 'invoice';
  const all = isInvoices ? texts.export.allInvoices : texts.export.allPayments;
  return (
    <p>
      <b>{found.length === 0 ? all : found.join(', ')}</b>
    </p>
  );
}
