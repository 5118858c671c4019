// What accounting needs of a month: its entries with their files, its closing, the names of
// accounts, and the extract of what the tax office asks for.
import { z } from 'zod';
import {
  ACCOUNT_NAME_LENGTH_MAX,
  type BookAccounts,
  bookAccounts,
  entryAccounts,
  isAccountName,
} from '../../../../core/domain/accounting/account-name.js';
import {
  type Accounting,
  accountsOf,
  type BookedEntry,
  chosenMonth,
  daysOfMonth,
  isMonth,
  periodOf,
} from '../../../../core/domain/accounting/accounting.js';
import {
  entryColumns,
  entryFiles,
  entryForms,
  entryRows,
  entryText,
} from '../../../../core/domain/accounting/entry-file.js';
import { absolute, money } from '../../../../core/domain/base/money.js';
import { dayOf } from '../../../../core/domain/base/time-zone.js';
import {
  closeMonth,
  readAccounting,
  setAccounts,
} from '../../../../core/usecases/accounting/accounting-settings.js';
import {
  type FxSummary,
  fxSummary,
  ownFxPages,
} from '../../../../core/usecases/accounting/fx-reports.js';
import {
  allOfThem,
  readEntries,
  readEntryFile,
  readEntryPayments,
} from '../../../../core/usecases/accounting/settlement-entries.js';
import {
  Button,
  ButtonForm,
  ButtonLink,
  Foreign,
  Form,
  Note,
  Submit,
} from '../../kit/components.js';
import { type CsvKind, type CsvStyle, csvFile, csvLine } from '../../kit/csv-line.js';
import { SelectField } from '../../kit/fields.js';
import { fxCsv, fxLines } from '../../kit/files/fx-file.js';
import { download, type PageContext } from '../../kit/page-route.js';
import { Card } from '../../kit/pages/card.js';
import { textAs } from '../../kit/pages/form-page.js';
import { Table } from '../../kit/pages/table.js';
import { lawTexts } from '../../proof/law-texts.js';
import { proofTexts } from '../../proof/proof-texts.js';
import { CsvChoice, chosenStyle, csvField } from '../csv-choice.js';
import { ToPlace } from '../dashboard-layout.js';
import { may, useDashboard } from '../dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';
import { referenceOf } from '../payment-parts.js';
import { accountingTexts } from './accounting-texts.js';
import { accountingGuides, GUIDE_PATH } from './guide-pages.js';
import { LAW_PATH, PROOFS_PATH } from './proof-month-pages.js';

const PATH = '/accounting';
const EXTRACT = `${PATH}/extract`;
/** Entries that the page shows; its file has all. */
const ENTRIES_SHOWN = 10;
/** Months to choose from. */
const MONTHS_SHOWN = 24;

const read = { scope: anyRole, proof: 'session' } as const;
const writes = { scope: 'accounting:write', proof: 'session' } as const;
const exportsData = { scope: 'payments:export', proof: 'session' } as const;
const exportsNames = { scope: 'payments:export', proof: 'export_payments' } as const;
const month = z.string().max(7).refine(isMonth);

interface Shown {
  readonly month: string;
  /** The newest first. */
  readonly months: readonly string[];
  readonly entries: readonly BookedEntry[];
  readonly isCut: boolean;
  /** What the entries are about, by id. */
  readonly payments: Awaited<ReturnType<typeof readEntryPayments>>;
  readonly accounting: Accounting;
}

export const accountingPages = [
  memberPages.view({
    path: PATH,
    access: read,
    async load({ deps }, call): Promise<Shown> {
      const tenant = tenantOfCall(call);
      const { months, month: chosen } = monthsOf(deps, call);
      const range = { ...allOfThem, ...daysOfMonth(chosen) };
      const found = (await readEntries(deps, tenant, range, ENTRIES_SHOWN + 1)).entries;
      const entries = found.slice(0, ENTRIES_SHOWN);
      return {
        month: chosen,
        months,
        entries,
        isCut: found.length > ENTRIES_SHOWN,
        payments: await readEntryPayments(deps, tenant, entries),
        accounting: await readAccounting(deps, tenant),
      };
    },
    show: ({ texts, view }, shown) => ({
      title: texts.places.accounting,
      lede: accountingTexts[view.locale].lede,
      place: 'accounting',
      actions: [
        <ButtonLink href={`${view.path}${GUIDE_PATH}`}>
          {accountingGuides[view.locale].title}
        </ButtonLink>,
        <ButtonLink href={`${view.path}${LAW_PATH}`}>{lawTexts[view.locale].title}</ButtonLink>,
      ],
      body: <Month shown={shown} />,
    }),
  }),
  memberPages.export({
    path: `${PATH}/entries`,
    access: exportsData,
    form: z.object({ month, form: z.enum(entryForms), ...csvField }),
    async run({ deps }, call) {
      const { month: of, form } = call.form;
      const tenant = tenantOfCall(call);
      const read = await readEntryFile(deps, tenant, form, daysOfMonth(of));
      const { extension, contentType } = entryFiles[form];
      const name = `entries-${tenant.mode}-${of}.${extension}`;
      return {
        of: tenant,
        filter: `entries=${of}&form=${form}`,
        rows: read.entries.length,
        file: () => {
          const isForExcel = form === 'csv' && call.form.bom === 'yes';
          const text = isForExcel ? sheetOf(read, chosenStyle(call)) : entryText(form, read);
          return download(name, `${contentType}; charset=utf-8`, text);
        },
      };
    },
  }),
  memberPages.action({
    path: `${PATH}/close`,
    access: writes,
    form: z.object({ month }),
    async run({ deps }, call) {
      await closeMonth(deps, tenantOfCall(call), call.form.month);
      return { to: `${PATH}?month=${call.form.month}`, done: 'month_closed' };
    },
  }),
  memberPages.view({
    path: EXTRACT,
    access: exportsNames,
    load: async ({ deps }, call) => {
      const { month: of, months } = monthsOf(deps, call);
      return { month: of, months, summary: await fxSummary(pagesOf(call, () => deps, of)) };
    },
    show: ({ view }, found) => ({
      title: accountingTexts[view.locale].extract,
      place: 'accounting',
      crumbs: [<ToPlace of="accounting" />],
      body: <Extract found={found} />,
    }),
  }),
  memberPages.export({
    path: `${EXTRACT}/file`,
    access: exportsNames,
    form: z.object({ month, ...csvField }),
    async run(_, call) {
      const { month: of } = call.form;
      const tenant = tenantOfCall(call);
      const pages = pagesOf(call, call.freshDeps, of);
      return {
        of: tenant,
        filter: `extract=${of}`,
        rows: null,
        file: (count) => {
          const text = fxCsv(count(fxLines(pages)), chosenStyle(call));
          return csvFile(`extract-${tenant.mode}-${of}`, text);
        },
      };
    },
  }),
  ...memberPages.form({
    path: `${PATH}/accounts`,
    access: writes,
    back: () => PATH,
    load: async ({ deps }, call) => readAccounting(deps, tenantOfCall(call)),
    typed: ({ accounts }) => ({ ...accounts }),
    fields({ view }) {
      const words = accountingTexts[view.locale];
      const fields = entryAccounts.map((account) => {
        const field = textAs<string>({
          label: words.accounts[account],
          hint: bookAccounts[account],
          max: ACCOUNT_NAME_LENGTH_MAX,
          spellcheck: false,
          problem: words.notAName,
          read: (text) => (text === '' || isAccountName(text) ? text : null),
        });
        return [account, field] as const;
      });
      return Object.fromEntries(fields) as Record<keyof BookAccounts, (typeof fields)[number][1]>;
    },
    show: ({ view }) => ({
      title: accountingTexts[view.locale].names,
      lede: accountingTexts[view.locale].namesText,
      place: 'accounting',
      crumbs: [<ToPlace of="accounting" />],
      submit: accountingTexts[view.locale].save,
    }),
    async save({ deps }, call, { values }) {
      await setAccounts(deps, tenantOfCall(call), values);
      return { to: PATH, done: 'settings_saved' };
    },
  }),
];

const kinds = entryColumns.map(
  (column): CsvKind => (column === 'day' ? 'day' : column === 'amount' ? 'number' : 'text'),
);

function sheetOf(file: Parameters<typeof entryRows>[0], { begin, form }: CsvStyle): string {
  const rows = entryRows(file).map((row) =>
    csvLine(
      entryColumns.map((column) => row[column]),
      form,
      kinds,
    ),
  );
  return `${begin}${csvLine(entryColumns, form)}${rows.join('')}`;
}

/** The month of the query, or the current one, and those to choose from. */
function monthsOf({ clock }: PageContext['deps'], call: MemberCall) {
  const { timeZone } = actorOf(call).organization;
  const today = dayOf(timeZone, clock.nowMs());
  return chosenMonth(call.query.get('month') ?? '', today, { count: MONTHS_SHOWN, usual: 0 });
}

function pagesOf(call: MemberCall, fresh: () => PageContext['deps'], of: string) {
  const { organization, mode } = actorOf(call);
  return ownFxPages(fresh, { ...organization, mode }, periodOf(of));
}

function MonthChoice({ to, of, months }: { to: string; of: string; months: readonly string[] }) {
  const { view, format } = useDashboard();
  const words = accountingTexts[view.locale];
  const choices = months.map((value) => ({
    value,
    label: format.month(Date.parse(`${value}-15T12:00:00Z`)),
  }));
  return (
    <form method="get" action={`${view.path}${to}`} class="filters one">
      <SelectField name="month" label={words.month} choices={choices} value={of} />
      <Button>{words.show}</Button>
    </form>
  );
}

function Month({ shown }: { readonly shown: Shown }) {
  const { view, format } = useDashboard();
  const words = accountingTexts[view.locale];
  const { month: of, months, entries, isCut } = shown;
  return (
    <div class="stack-l">
      <MonthChoice to={PATH} of={of} months={months} />
      <div class="cols">
        {may(view, 'payments:export') ? <Download of={of} /> : null}
        <Closing shown={shown} />
      </div>
      <section class="stack">
        {entries.length === 0 ? <p class="quiet">{words.empty}</p> : <Entries shown={shown} />}
        {isCut ? <p class="quiet">{words.more(format.count(ENTRIES_SHOWN))}</p> : null}
      </section>
    </div>
  );
}

function Download({ of }: { readonly of: string }) {
  const { view, texts } = useDashboard();
  const words = accountingTexts[view.locale];
  const choices = entryForms.map((value) => ({ value, label: entryFiles[value].label }));
  return (
    <Card heading={words.file} id="file" isStack>
      <Form to="accounting/entries" class="stack" download>
        <input type="hidden" name="month" value={of} />
        <SelectField name="form" label={words.format} choices={choices} value="csv" />
        <CsvChoice />
        <div class="actions">
          <Button look="primary">{texts.frame.download}</Button>
          <ButtonLink href={`${view.path}${EXTRACT}?month=${of}`}>{words.extract}</ButtonLink>
          <ButtonLink href={`${view.path}${PROOFS_PATH}?month=${of}`}>
            {proofTexts[view.locale].proofs}
          </ButtonLink>
        </div>
      </Form>
      <p class="small quiet">{words.fileText}</p>
    </Card>
  );
}

function Closing({ shown }: { readonly shown: Shown }) {
  const { view, texts, format } = useDashboard();
  const words = accountingTexts[view.locale];
  const { month: of, months, accounting } = shown;
  const closed = accounting.closed.find((one) => one.month >= of);
  const isOver = of !== months[0];
  const mayWrite = may(view, 'accounting:write');
  const names = accountsOf(accounting);
  const own = entryAccounts.filter((account) => names[account] !== bookAccounts[account]);
  return (
    <Card heading={words.close} id="closing" isStack>
      {closed === undefined ? (
        <p class="small quiet">{words.closeText}</p>
      ) : (
        <Note look="ok" text={words.closedOn(format.day(closed.closedAtMs))} />
      )}
      {closed === undefined && mayWrite && isOver ? (
        <ButtonForm to="accounting/close" values={{ month: of }} text={words.close} />
      ) : null}
      <p>
        {words.names}: {own.map((account) => names[account]).join(', ') || '–'}{' '}
        {mayWrite ? <a href={`${view.path}${PATH}/accounts`}>{texts.frame.change}</a> : null}
      </p>
    </Card>
  );
}

function Entries({ shown: { entries, payments } }: { readonly shown: Shown }) {
  const { view, texts, format } = useDashboard();
  const words = accountingTexts[view.locale];
  const rows = entries.flatMap((entry) => entry.lines.map((line) => ({ entry, line })));
  const amount = ({ line: { money: of } }: (typeof rows)[number]) =>
    format.money(money(absolute(of.amountMinor), of.currency));
  const linkTo = (id: string) => {
    const payment = payments.get(id);
    return (
      <a href={`${view.path}/payments/${id}`} title={id}>
        <Foreign text={payment === undefined ? id : referenceOf(payment)} />
      </a>
    );
  };
  const isDebit = ({ line }: (typeof rows)[number]) => line.money.amountMinor > 0n;
  return (
    <Table
      label={texts.places.accounting}
      rows={rows}
      columns={({ column, named }) => [
        column(words.day, 'when only-l', ({ entry }) => format.shortDate(entry.day)),
        named(words.account, ({ entry, line }) => [
          words.accounts[line.account],
          <span class="sub code">{entry.accounts[line.account]}</span>,
          <span class="sub only-s">{format.shortDate(entry.day)}</span>,
          <span class="sub only-s">{linkTo(entry.subjectId)}</span>,
        ]),
        column(texts.frame.payment, 'only-l', ({ entry }) => linkTo(entry.subjectId)),
        column(words.debit, 'num only-l', (row) => (isDebit(row) ? amount(row) : '')),
        column(words.credit, 'num only-l', (row) => (isDebit(row) ? '' : amount(row))),
        column(`${words.debit} / ${words.credit}`, 'num only-s', (row) => [
          amount(row),
          <span class="sub">{isDebit(row) ? words.debit : words.credit}</span>,
        ]),
      ]}
    />
  );
}

type FoundExtract = Readonly<{ month: string; months: readonly string[]; summary: FxSummary }>;

function Extract({ found: { month: of, months, summary } }: Readonly<{ found: FoundExtract }>) {
  const { view, texts, format } = useDashboard();
  const words = accountingTexts[view.locale];
  const { count, openCount, sumMinor } = summary;
  const sum = format.money(money(sumMinor, 'BRL'));
  return (
    <div class="stack-l narrow">
      <MonthChoice to={EXTRACT} of={of} months={months} />
      <section class="card stack">
        <p>{words.extractText}</p>
        <p>
          <b>{words.extractCount(format.count(count), sum)}</b>
        </p>
        {openCount === 0 ? null : (
          <Note look="warn" text={words.incomplete(format.count(openCount))} />
        )}
        <Form to="accounting/extract/file" class="stack" download>
          <input type="hidden" name="month" value={of} />
          <CsvChoice />
          <Submit>{texts.frame.download}</Submit>
        </Form>
      </section>
    </div>
  );
}
