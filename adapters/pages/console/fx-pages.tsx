// The extract of a month for the central bank, as `ponte report fx`.
import { z } from 'zod';
import { chosenMonth, isMonth, periodOf } from '../../../core/domain/accounting/accounting.js';
import { money } from '../../../core/domain/base/money.js';
import { type Mode, modes } from '../../../core/domain/base/tenant.js';
import { DEFAULT_TIME_ZONE, dayOf } from '../../../core/domain/base/time-zone.js';
import {
  type FxSummary,
  fxSummary,
  fxPages as pagesOf,
} from '../../../core/usecases/accounting/fx-reports.js';
import { Button, Form, Note } from '../kit/components.js';
import { csvFile } from '../kit/csv-line.js';
import { SelectField } from '../kit/fields.js';
import { fxCsv, fxLines } from '../kit/files/fx-file.js';
import { Table } from '../kit/pages/table.js';
import { format, operatorPages } from './console-layout.js';

/** Months to choose from. */
const MONTHS_SHOWN = 13;

export const fxPages = [
  operatorPages.view({
    path: '/fx',
    access: null,
    async load({ deps }, { query }) {
      // The last month that is over, unless another one is asked for.
      const today = dayOf(DEFAULT_TIME_ZONE, deps.clock.nowMs());
      const choice = { count: MONTHS_SHOWN, usual: 1 };
      const { month, months } = chosenMonth(query.get('month') ?? '', today, choice);
      const mode = modes.find((one) => one === query.get('mode')) ?? 'live';
      const summary = await fxSummary(pagesOf(() => deps, mode, periodOf(month)));
      return { months, month, mode, summary };
    },
    show: ({ view }, { months, month, mode, summary }) => ({
      title: 'Extract for the central bank',
      lede: 'Every PIX to a seller in a month of Brasília. Its sum is that of the ledger.',
      place: 'fx',
      body: (
        <div class="stack-l">
          <form method="get" action={`${view.path}/fx`} class="filters one">
            <SelectField
              name="month"
              label="Month"
              choices={months.map((value) => ({ value, label: value }))}
              value={month}
            />
            <SelectField
              name="mode"
              label="Mode"
              choices={modes.map((value) => ({ value, label: value }))}
              value={mode}
            />
            <Button>Show</Button>
          </form>
          <Extract path={view.path} month={month} mode={mode} summary={summary} />
        </div>
      ),
    }),
  }),
  operatorPages.export({
    path: '/fx/file',
    access: null,
    form: z.object({ month: z.string().refine(isMonth), mode: z.enum(modes) }),
    async run(_, { form: { month, mode }, freshDeps }) {
      const lines = fxLines(pagesOf(freshDeps, mode, periodOf(month)));
      return {
        of: { orgId: null, mode },
        filter: `fx=${month}`,
        rows: null,
        file: (count) => csvFile(`fx-${mode}-${month}`, fxCsv(count(lines))),
      };
    },
  }),
];

function Extract({
  path,
  month,
  mode,
  summary: { count, sumMinor, openCount, open },
}: Readonly<{ path: string; month: string; mode: Mode; summary: FxSummary }>) {
  return [
    <p>
      <b>
        {format.count(count)} PIX, {format.money(money(sumMinor, 'BRL'))}
      </b>
    </p>,
    <Form to="fx/file" download>
      <input type="hidden" name="month" value={month} />
      <input type="hidden" name="mode" value={mode} />
      <Button look="primary">Download CSV</Button>
    </Form>,
    openCount === 0
      ? null
      : [
          <Note look="warn" text={`${format.count(openCount)} of them lack facts.`} />,
          <Table
            label="What is missing"
            rows={open}
            columns={({ column, named }) => [
              named('Payment', ({ facts: { paymentId } }) => (
                <a href={`${path}/payments/${paymentId}`}>{paymentId}</a>
              )),
              column('Movement', ({ facts }) => facts.movement),
              column('Missing', ({ missing }) => missing.join(', ')),
            ]}
          />,
          open.length === openCount ? null : (
            <p class="quiet">
              The first {format.count(open.length)} are listed. The file has all, with what each
              lacks.
            </p>
          ),
        ],
    <p class="quiet">
      Payers are named as the settlement partner verified them, buyers as the organization gave
      them. This is no advice: ask who files for you what it needs. The audit log has each download.
    </p>,
  ];
}
