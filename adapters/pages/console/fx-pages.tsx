// The extract of a month for the central bank, as `ponte report fx`.
import { chosenMonth, periodOf } from '../../../core/domain/accounting/accounting.js';
import { money } from '../../../core/domain/base/money.js';
import { type Mode, modes } from '../../../core/domain/base/tenant.js';
import { DEFAULT_TIME_ZONE, dayOf } from '../../../core/domain/base/time-zone.js';
import { type FxReport, fxReport } from '../../../core/usecases/accounting/fx-reports.js';
import { Button, ButtonLink, Note } from '../kit/components.js';
import { csvFile } from '../kit/csv-line.js';
import { SelectField } from '../kit/fields.js';
import { fxCsv } from '../kit/files/fx-file.js';
import type { PageContext } from '../kit/page-route.js';
import { Table } from '../kit/pages/table.js';
import { type ConsoleCall, format, operatorPages } from './console-layout.js';

/** Months to choose from. */
const MONTHS_SHOWN = 13;

interface Found {
  readonly months: readonly string[];
  readonly month: string;
  readonly mode: Mode;
  readonly report: FxReport;
}

export const fxPages = [
  operatorPages.view({
    path: '/fx',
    access: null,
    load: ({ deps }, call) => found(deps, call),
    show: ({ view }, { months, month, mode, report: { lines, sumMinor } }) => {
      const open = lines.filter(({ missing }) => missing.length > 0);
      return {
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
            <p>
              <b>
                {format.count(lines.length)} PIX, {format.money(money(sumMinor, 'BRL'))}
              </b>
            </p>
            <div class="actions">
              <ButtonLink
                look="primary"
                href={`${view.path}/fx/file?month=${month}&mode=${mode}`}
                icon="download"
              >
                Download CSV
              </ButtonLink>
            </div>
            {open.length === 0 ? null : (
              <>
                <Note look="warn" text={`${format.count(open.length)} of them lack facts.`} />
                <Table
                  label="What is missing"
                  rows={open}
                  columns={({ column, named }) => [
                    named('Payment', ({ facts: { paymentId } }) => (
                      <a href={`${view.path}/payments/${paymentId}`}>{paymentId}</a>
                    )),
                    column('Movement', ({ facts }) => facts.movement),
                    column('Missing', ({ missing }) => missing.join(', ')),
                  ]}
                />
              </>
            )}
            <p class="quiet">
              Names and countries of buyers are those that the organization gave. This is no advice:
              ask who files for you what it needs.
            </p>
          </div>
        ),
      };
    },
  }),
  operatorPages.file({ path: '/fx/file', access: null }, async ({ deps }, call) => {
    const { month, mode, report } = await found(deps, call);
    return csvFile(`fx-${mode}-${month}`, fxCsv(report));
  }),
];

/** The last month that is over, unless another one is asked for. */
async function found(deps: PageContext['deps'], call: ConsoleCall): Promise<Found> {
  const today = dayOf(DEFAULT_TIME_ZONE, deps.clock.nowMs());
  const asked = call.query.get('month') ?? '';
  const { month, months } = chosenMonth(asked, today, { count: MONTHS_SHOWN, usual: 1 });
  const mode = modes.find((one) => one === call.query.get('mode')) ?? 'live';
  const report = await fxReport(deps, mode, periodOf(month));
  return { months, month, mode, report };
}
