// The export of a list of payments as CSV: exactly what its filters leave. Long files have a row in
// the page table apart from short ones: only they require a fresh proof of the mailbox.
import { z } from 'zod';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { ButtonLink, Form, Submit } from '../kit/components.js';
import { csvFile } from '../kit/csv-line.js';
import { type PageAnswer, type PageContext, seeOther } from '../kit/page-route.js';
import { givenIn, listPath } from '../kit/pages/list-page.js';
import { CsvChoice, chosenStyle, csvField } from './csv-choice.js';
import { viewOf } from './dashboard-scene.js';
import { actorOf, type MemberCall, memberPages, tenantOfCall } from './member-pages.js';
import { csvHeader, csvRow } from './payment-csv.js';
import { chipsOf, exportFilters, readPage } from './payment-filters.js';

/** More rows need a fresh proof of the mailbox. */
export const UNPROVEN_ROWS_MAX = 1_000;
/** Read at once: other requests are answered between two pages. */
const ROWS_PER_PAGE = 200;

const scope = 'payments:export';
const exportForm = z.object(csvField);
type ExportCall = MemberCall<z.infer<typeof exportForm>>;
const filtersOf = ({ query }: Pick<MemberCall, 'query'>) => givenIn(exportFilters, query);

export const paymentExportPages = [
  ...exportOf('/payments/export', 'session', async (context, call) => {
    const { deps } = context;
    const filters = filtersOf(call);
    const limit = UNPROVEN_ROWS_MAX + 1;
    const rows = await readPage(deps, actorOf(call), filters, { limit });
    if (rows.length === limit) {
      return seeOther(listPath(`${viewOf(context, call).path}/payments/export/all`, filters));
    }
    const file = () => fileOf(context, call, textOf([rows], call));
    return { ...exportIn(call, rows.length), file };
  }),
  ...exportOf('/payments/export/all', 'export_payments', async (context, call) => ({
    ...exportIn(call, null),
    file: (count) => fileOf(context, call, textOf(count(pagesOf(call)), call)),
  })),
];

type ExportPage = Parameters<typeof memberPages.export<z.infer<typeof exportForm>>>[0];

/** The page of a file, and the file. */
function exportOf(path: string, proof: 'session' | 'export_payments', run: ExportPage['run']) {
  return [
    memberPages.view({
      path,
      access: { scope, proof },
      load: async (_, call) => filtersOf(call),
      show(scene, filters) {
        const { origin, ...given } = filters;
        const { texts, view } = scene;
        const words = texts.export;
        const place = origin === null ? 'payments' : 'invoices';
        const list = listPath(`${view.path}/${place}`, given);
        const found = chipsOf(scene, given).map(({ text }) => text);
        return {
          title: words.heading,
          place,
          crumbs: [<a href={list}>{texts.places[place]}</a>, words.crumb],
          body: (
            <section class="card stack narrow">
              <p>
                <b>{found.join(', ') || words.all[place]}</b>
              </p>
              <p>{words.text}</p>
              <Form to={listPath(path.slice(1), filters)} class="stack" download>
                <CsvChoice />
                <Submit beside={<ButtonLink href={list}>{words.back}</ButtonLink>}>
                  {texts.frame.download}
                </Submit>
              </Form>
              <p class="small quiet">{proof === 'session' ? words.proof : words.proven}</p>
            </section>
          ),
        };
      },
    }),
    memberPages.export({ path, access: { scope, proof }, form: exportForm, run }),
  ];
}

const exportIn = (call: ExportCall, rows: number | null) => ({
  of: tenantOfCall(call),
  filter: listPath('', filtersOf(call)).slice(1),
  rows,
});

/** Ends early, with an error, if the reader is gone: then the file is not complete. */
async function* pagesOf(call: ExportCall): AsyncGenerator<readonly ShownView[]> {
  for (let beforeId: string | null = null; ; ) {
    call.gone.throwIfAborted();
    const asked = { beforeId, limit: ROWS_PER_PAGE };
    const page: readonly ShownView[] = await readPage(
      call.freshDeps(),
      actorOf(call),
      filtersOf(call),
      asked,
    );
    yield page;
    if (page.length < ROWS_PER_PAGE) return;
    beforeId = page.at(-1)?.payment.id ?? null;
  }
}

type Pages = Iterable<readonly ShownView[]> | AsyncIterable<readonly ShownView[]>;

function fileOf({ deps }: PageContext, call: ExportCall, body: PageAnswer['body']): PageAnswer {
  const { organization, mode } = actorOf(call);
  const day = dayOf(organization.timeZone, deps.clock.nowMs());
  const name = filtersOf(call).origin === null ? 'payments' : 'invoices';
  return csvFile(`${name}-${mode}-${day}`, body);
}

async function* textOf(pages: Pages, call: ExportCall): AsyncGenerator<string> {
  const { timeZone } = actorOf(call).organization;
  const { begin, form } = chosenStyle(call);
  yield `${begin}${csvHeader(form)}`;
  for await (const page of pages) for (const view of page) yield csvRow(view, form, timeZone);
}
