// Invoices from a CSV file or pasted lines. Every button sends all of the text; what the page says
// about a line is what the create of it would answer. All lines are created, or none: while one has
// a fault, the file is corrected and sent again. A line is created once, however often the same
// text is sent, from whichever tab.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { accountableCreator } from '../../../../core/domain/access/api-key.js';
import { money, parseTypedAmount } from '../../../../core/domain/base/money.js';
import { isCode, type PonteError } from '../../../../core/errors.js';
import {
  type CreateCheck,
  checkInvoices,
  createPayment,
} from '../../../../core/usecases/payments/payments.js';
import {
  Button,
  ButtonLink,
  Day,
  Foreign,
  Form,
  foreign,
  Note,
  Submit,
} from '../../kit/components.js';
import { BYTE_ORDER_MARK, csvFile } from '../../kit/csv-line.js';
import { type FieldError, FileField, SelectField, TextArea } from '../../kit/fields.js';
import { bytesOf, readFile } from '../../kit/files/uploaded-file.js';
import { type PageAnswer, type PageContext, seeOther } from '../../kit/page-route.js';
import { Card } from '../../kit/pages/card.js';
import { withDone } from '../../kit/pages/declared-pages.js';
import { Table } from '../../kit/pages/table.js';
import { type DashboardContent, organizationPage, ToPlace } from '../dashboard-layout.js';
import { type DashboardScene, localeOfCall, useDashboard, viewOf } from '../dashboard-scene.js';
import { dashboardTexts } from '../dashboard-texts.js';
import { actorOf, type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';
import type { DashboardTexts } from '../texts/dashboard-en.js';
import { invitationPath } from './invitation-pages.js';
import {
  columnOf,
  IMPORT_TEXT_MAX,
  type ImportColumn,
  type ImportedLine,
  importColumns,
  importTemplate,
  type LineFault,
  neededColumns,
  plainCsv,
  readInvoices,
  textOfFile,
  type Writing,
  writings,
} from './invoice-csv.js';
import { hasLostZeros } from './spreadsheet-losses.js';
import { invoiceOf, refusals, type TypedInvoice } from './typed-invoice.js';

const path = '/invoices/import';
const writingNames = Object.keys(writings) as readonly Writing[];
/** A character outside ASCII takes up to nine in a form; few are. */
const FORM_BYTES_MAX = 4 * IMPORT_TEXT_MAX;

const importForm = z.object({
  text: z.string().default(''),
  writing: z.string().max(20).default(''),
  action: z.string().max(20).default(''),
});
type ImportCall = MemberCall<z.infer<typeof importForm>>;

const access = { scope: 'invoices:write', proof: 'session' } as const;

export const invoiceImportPages = [
  // A link of the answer to the file, as that of a language, leads back to the form.
  ...[path, `${path}/file`].map((own) =>
    memberPages.view({ path: own, access, load: async () => noImport, show: importScreen }),
  ),
  memberPages.action({
    path,
    access,
    limit: 'import',
    form: importForm,
    formBytesMax: FORM_BYTES_MAX,
    run: sendText,
  }),
  memberPages.action({
    path: `${path}/file`,
    access,
    limit: 'import',
    form: 'multipart',
    run: sendFile,
  }),
  memberPages.file({ path: `${path}/template`, access }, async (_, call) =>
    csvFile('invoices-template', `${BYTE_ORDER_MARK}${importTemplate(localeOfCall(call))}`),
  ),
];

/** A line, and what its create would do. */
interface CheckedLine extends ImportedLine {
  readonly existingId: string | null;
}

interface Import {
  readonly text: string;
  readonly writing: Writing;
  /** What is wrong with the file as such; null if its lines could be read. */
  readonly fault: string | null;
  readonly lines: readonly CheckedLine[];
  /** Whether the file was none of UTF-8. */
  readonly isWindows1252: boolean;
}

const noImport: Import = {
  text: '',
  writing: 'plain',
  fault: null,
  lines: [],
  isWindows1252: false,
};

async function sendFile(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { file, writing } = await readFile(call, async (uploaded) => ({
    file: await bytesOf(uploaded, FORM_BYTES_MAX),
    writing: uploaded.fields.get('writing') ?? '',
  }));
  const decoded = textOfFile(file);
  if (decoded !== null) {
    const { text, isWindows1252 } = decoded;
    return show(context, call, { ...(await check(context, call, text, writing)), isWindows1252 });
  }
  const fault = dashboardTexts[localeOfCall(call)].invoiceImport.faults.encoding;
  return show(context, call, { ...noImport, fault });
}

async function sendText(context: PageContext, call: ImportCall): Promise<PageAnswer> {
  const { text, writing, action } = call.form;
  const checked = await check(context, call, text, writing);
  if (action !== 'create' || hasFaults(checked)) return show(context, call, checked);
  const tenant = tenantOfCall(call);
  // At the same time: the store writes them together, and a busy one has time for all.
  const ends = await Promise.allSettled(
    createsOf(call, checked.text, checked.lines).map((input) =>
      createPayment(context.deps, tenant, input),
    ),
  );
  const created = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.payment] : []));
  const [failure] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (failure !== undefined) {
    const isKnown = [...refusals, ...transient].some(({ code }) => isCode(failure, code));
    if (!isKnown) throw failure;
    // The page says which lines exist: what a refusal depends on has changed, or time ran out.
    const again = { ...context, deps: call.freshDeps() };
    return show(again, call, await check(again, call, text, writing));
  }
  const since = Math.min(...created.map(({ createdAtMs }) => createdAtMs));
  const isApproved = created.some(({ status }) => status === 'approved');
  const next = isApproved ? invitationPath(since) : '/invoices';
  return seeOther(withDone(`${viewOf(context, call).path}${next}`, 'imported'));
}

/** Some lines may be stored, and the same button creates the others. */
const transient = [{ code: 'StoreUnavailable' }, { code: 'StoreContention' }] as const;

function hasFaults({ fault, lines }: Import): boolean {
  return fault !== null || lines.some(({ faults }) => faults.length > 0);
}

/** What the lines say, and what their creates would answer. */
async function check(
  { deps }: PageContext,
  call: MemberCall,
  typed: string,
  writingName: string,
): Promise<Import> {
  const locale = localeOfCall(call);
  const texts = dashboardTexts[locale];
  const text = plainCsv(typed);
  const writing = writingNames.find((known) => known === writingName) ?? 'plain';
  const { fault, lines } = readInvoices(texts, text, writing, locale);
  if (fault !== null) {
    const shown = text.length > IMPORT_TEXT_MAX ? '' : text;
    return { ...noImport, text: shown, writing, fault };
  }
  return { ...noImport, text, writing, lines: await checkedLines(deps, call, text, lines) };
}

/**
 * A create is refused for one reason. So that a line names all of its faults at once, it is checked
 * again without those that are known, until it is not refused for another cell.
 */
async function checkedLines(
  deps: PageContext['deps'],
  call: MemberCall,
  text: string,
  lines: readonly ImportedLine[],
): Promise<readonly CheckedLine[]> {
  const texts = dashboardTexts[localeOfCall(call)];
  const found = new Map(
    lines.map((one) => [one.line, { ...one, existingId: null } as CheckedLine]),
  );
  for (let open = [...found.values()]; open.length > 0; ) {
    const creates = createsOf(call, text, open);
    const checks = await checkInvoices(deps, tenantOfCall(call), creates);
    open = open.flatMap((one, at) => {
      const next = withCheck(texts, one, checks[at]);
      found.set(one.line, next);
      return next.faults.length === one.faults.length ? [] : [next];
    });
  }
  return [...found.values()];
}

/** What no create is refused for, in place of a cell with a fault. */
function neutralOf(column: ImportColumn | null): Partial<TypedInvoice> {
  if (column === 'description' || column === 'amount') {
    return { lines: [{ item: '-', quantity: '', amount: '1000.00' }] };
  }
  if (column === 'buyer.email') return { email: 'buyer@example.com' };
  if (column === 'currency') return { currency: 'USD' };
  const field = column && importColumns[column].field;
  return field === null ? {} : { [field]: '' };
}

/**
 * The creates of lines, without what is known to be wrong with them. Text and line name those that
 * are right, so a repeat creates nothing.
 */
function createsOf(call: MemberCall, text: string, lines: readonly ImportedLine[]) {
  const { memberId, mode } = actorOf(call);
  const hash = createHash('sha256').update(text).digest('base64url');
  return lines.map(({ line, typed, externalId, faults }) => {
    const patches = faults.map(({ column }) => neutralOf(column));
    const isRight = faults.length === 0;
    return {
      ...invoiceOf(Object.assign({}, typed, ...patches)),
      externalId: isRight ? externalId : null,
      idempotencyKey: isRight ? `import-${hash}-${line}` : null,
      createdBy: memberId,
      createdByMemberId: accountableCreator(mode, memberId),
    };
  });
}

function withCheck(
  texts: DashboardTexts,
  line: CheckedLine,
  { existing, refusal }: CreateCheck = { existing: null, refusal: null },
): CheckedLine {
  const { differs } = texts.invoiceImport.faults;
  const mismatch = existing?.mismatch ?? [];
  const found = [
    ...(refusal === null ? [] : [faultOf(texts, refusal, line.typed)]),
    ...(mismatch.length === 0 ? [] : [{ column: null, text: differs(mismatch.join(', ')) }]),
  ].filter(({ column }) => line.faults.every((known) => known.column !== column));
  const existingId = existing?.payment.id ?? line.existingId;
  return { ...line, faults: [...line.faults, ...found], existingId };
}

function faultOf(
  { invoice, invoiceImport }: DashboardTexts,
  refusal: PonteError,
  { seller }: TypedInvoice,
): LineFault {
  const known = refusals.find(({ code }) => code === refusal.code);
  if (known === undefined) return { column: null, text: invoiceImport.faults.otherKind };
  if (known.field === 'seller' && hasLostZeros(seller)) {
    return { column: columnOf[known.field] ?? null, text: invoiceImport.faults.zeros(seller) };
  }
  return { column: columnOf[known.field] ?? null, text: invoice.refused[known.code] };
}

function show(context: PageContext, call: MemberCall, made: Import): Promise<PageAnswer> {
  const status = hasFaults(made) ? 422 : 200;
  return organizationPage(viewOf(context, call), (scene) => importScreen(scene, made), status);
}

function importScreen({ texts }: DashboardScene, made: Import): DashboardContent {
  const words = texts.invoiceImport;
  return {
    title: words.heading,
    lede: words.text,
    place: 'invoices',
    crumbs: [<ToPlace of="invoices" />, words.crumb],
    errors: errorsOf(texts, made),
    body: [
      made.lines.length === 0 ? <FileForm made={made} /> : <CheckedLines made={made} />,
      <TextForm made={made} />,
    ],
  };
}

/** One for each line that has faults. */
function errorsOf({ invoiceImport }: DashboardTexts, made: Import): readonly FieldError[] {
  const { fault, lines } = made;
  if (fault !== null) return [{ field: 'text', text: fault }];
  return lines
    .filter(({ faults }) => faults.length > 0)
    .map(({ line, faults }) => ({
      field: `line${line}`,
      text: faults
        .map(({ column, text }, at) => {
          const named = at === 0 ? invoiceImport.of(line, column) : column;
          const said = text.replace(/\.$/, '');
          return named === null ? said : `${named}: ${said}`;
        })
        .join('; '),
    }));
}

type ImportProps = Readonly<{ made: Import }>;

function FileForm({ made }: ImportProps) {
  const { texts } = useDashboard();
  const words = texts.invoiceImport;
  const others = Object.keys(importColumns).filter(
    (name) => !(neededColumns as readonly string[]).includes(name),
  );
  return (
    <div class="cols">
      <Form to="invoices/import/file" files="by_button" class="card stack">
        <WritingField id="fileWriting" made={made} />
        <FileField name="file" label={words.file} accept=".csv,.txt,text/csv,text/plain" />
        <Submit>{words.check}</Submit>
      </Form>
      <Card heading={words.columns} id="columns" isStack>
        <p>
          {words.needed}: <code>{neededColumns.join(', ')}</code>.
        </p>
        <p>
          {words.optional}: <code>{others.join(', ')}</code>.
        </p>
        <p>
          <ButtonLink to="invoices/import/template" icon="download" text={words.template} />
        </p>
      </Card>
    </div>
  );
}

/** Both forms of the page have it. */
function WritingField({ id, made }: ImportProps & { readonly id: string }) {
  const words = useDashboard().texts.invoiceImport;
  return (
    <SelectField
      name="writing"
      id={id}
      label={words.writing}
      value={made.writing}
      choices={writingNames.map((value) => ({ value, label: words.writings[value] }))}
    />
  );
}

function TextForm({ made }: ImportProps) {
  const { texts } = useDashboard();
  const words = texts.invoiceImport;
  const { text, lines, fault } = made;
  const count = lines.filter(({ existingId }) => existingId === null).length;
  const isReady = lines.length > 0 && !hasFaults(made) && count > 0;
  return (
    <Form to="invoices/import" class="card stack">
      <TextArea
        name="text"
        label={lines.length === 0 ? words.paste : words.lines}
        hint={words.pasteHint}
        error={fault ?? undefined}
        value={text}
        rows={8}
        maxLength={IMPORT_TEXT_MAX}
      />
      <WritingField id="writing" made={made} />
      <div class="actions">
        {isReady ? (
          <Button look="primary" name="action" value="create" text={words.create(count)} />
        ) : null}
        <Button name="action" value="check" text={words.checkText} />
      </div>
      {isReady ? <p class="small quiet">{texts.invoice.saving}</p> : null}
    </Form>
  );
}

function CheckedLines({ made }: ImportProps) {
  const { texts, view, format } = useDashboard();
  const words = texts.invoiceImport;
  const { lines } = made;
  const existing = lines.filter(({ existingId }) => existingId !== null).length;
  const isDone = existing === lines.length && !hasFaults(made);
  return (
    <section class="stack">
      {made.isWindows1252 ? <Note text={words.windows1252} /> : null}
      {hasFaults(made) ? <p>{words.none}</p> : null}
      {isDone ? <Note text={words.allExist} /> : null}
      {existing > 0 && !isDone ? (
        <Note look="warn" text={words.partly(existing, lines.length)} />
      ) : null}
      <Table
        label={words.lines}
        rows={lines}
        columns={({ column, named }) => [
          named(
            words.line, // The summary of what is wrong leads here.
            ({ line }) => <span id={`line${line}`}>{line}</span>,
          ),
          column(texts.invoice.email, ({ typed: { email, name } }) => (
            <Named text={email} below={name} />
          )),
          column(texts.invoice.item, ({ typed: { lines: items, number } }) => (
            <Named text={items[0]?.item ?? ''} below={number} />
          )),
          column(texts.invoice.due, ({ typed: { due } }) =>
            due === '' ? null : <Day day={due} />,
          ),
          column(texts.invoice.amount, 'num', ({ typed: { lines: items, currency } }) => {
            const amountMinor = parseTypedAmount(items[0]?.amount ?? '');
            return amountMinor === null ? '–' : format.money(money(amountMinor, currency));
          }),
          column(texts.payments.status, ({ faults, existingId }) => [
            faults.map(({ column, text }) => (
              <p class="error">{column === null ? text : `${column}: ${text}`}</p>
            )),
            existingId === null ? null : (
              <a href={`${view.path}/payments/${existingId}`}>{words.exists}</a>
            ),
            faults.length === 0 && existingId === null ? words.ready : null,
          ]),
        ]}
      />
    </section>
  );
}

function Named({ text, below }: { readonly text: string; readonly below: string }) {
  return [<Foreign text={text} />, below === '' ? null : <span class="sub">{foreign(below)}</span>];
}
