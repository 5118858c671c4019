// A new invoice: who pays what to whom, with a preview of what the buyer sees. Every button of the
// form sends all of it; only "save" creates something, once.
import { z } from 'zod';
import { accountableCreator } from '../../../../core/domain/access/api-key.js';
import { isCalendarDate } from '../../../../core/domain/base/instant.js';
import { locales } from '../../../../core/domain/base/locale.js';
import { money } from '../../../../core/domain/base/money.js';
import type { Tenant } from '../../../../core/domain/base/tenant.js';
import { payeeNameOf, readyToCollect } from '../../../../core/domain/parties/connected-account.js';
import { contentTypes } from '../../../../core/domain/parties/document.js';
import { DISPLAY_TEXT_LENGTH_MAX as TEXT_MAX } from '../../../../core/domain/payments/display.js';
import { payerRelationNames } from '../../../../core/domain/payments/payer-relation.js';
import type { Payment } from '../../../../core/domain/payments/payment.js';
import { purposeNames } from '../../../../core/domain/payments/purpose.js';
import { isCode, PonteError } from '../../../../core/errors.js';
import type { Deps } from '../../../../core/ports/deps.js';
import { listAccounts } from '../../../../core/usecases/parties/accounts.js';
import {
  type Attachment,
  type AttachmentRefusal,
  attachmentOf,
  readAttachable,
  storeAttachment,
} from '../../../../core/usecases/parties/attachments.js';
import { createPayment } from '../../../../core/usecases/payments/payments.js';
import { catalogues } from '../../hosted/texts.js';
import {
  Amount,
  Button,
  Day,
  Facts,
  Foreign,
  Form,
  foreign,
  languageNames,
} from '../../kit/components.js';
import {
  About,
  type FieldError,
  FileField,
  SelectField,
  TextArea,
  TextField,
} from '../../kit/fields.js';
import { type FormLimits, readFileForm } from '../../kit/files/uploaded-file.js';
import { Icon } from '../../kit/icons.js';
import { type PageAnswer, type PageContext, seeOther } from '../../kit/page-route.js';
import { withDone } from '../../kit/pages/declared-pages.js';
import { FormKey, newFormKey } from '../../kit/pages/form-key.js';
import { LineTable } from '../../kit/pages/table.js';
import { plainText } from '../../kit/plain-text.js';
import { countryNames } from '../../kyc/kyc-texts.js';
import { type DashboardContent, organizationPage, ToPlace } from '../dashboard-layout.js';
import { type DashboardScene, localeOfCall, useDashboard, viewOf } from '../dashboard-scene.js';
import { dashboardTexts } from '../dashboard-texts.js';
import { actorOf, type MemberCall, memberPages, tenantOfCall } from '../member-pages.js';
import {
  faultsIn,
  invoiceOf,
  isEmpty,
  LINES_MAX,
  NAME_MAX,
  NUMBER_MAX,
  noLine,
  refusals,
  type TypedField,
  type TypedInvoice,
  totalOf,
  typedAmount,
  typedIn,
} from './typed-invoice.js';

const path = '/invoices/new';
/** A form of any field names; what is no field of it is not read. */
const invoiceForm = z.record(z.string().max(40), z.string().max(4_000));
/** Each line has three fields; a character takes up to four bytes. */
const formLimits: FormLimits = { fields: 3 * LINES_MAX + 20, fieldBytesMax: 4 * 4_000 };

/** The list of sellers to choose from. */
const SELLERS_MAX = 100;
const access = { scope: 'invoices:write', proof: 'session' } as const;

export const invoiceFormPages = [
  memberPages.view({ path, access, load: readEmpty, show: formScreen }),
  memberPages.action({ path, access, form: 'multipart', run: send }),
];

async function readEmpty(context: PageContext, call: MemberCall) {
  const { deps } = context;
  const seller = (call.query.get('seller') ?? '').slice(0, 200);
  const { locale } = viewOf(context, call);
  return draftOf(context, call, typedIn({ key: newFormKey(deps), seller, locale }), []);
}

async function send(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const { memberId, mode } = actorOf(call);
  const sent = await readFileForm(call, formLimits, (file) =>
    storeAttachment(deps, tenant, { ...file, memberId }),
  );
  const { success, data: form = {} } = invoiceForm.safeParse(Object.fromEntries(sent.fields));
  if (!success) throw new PonteError('ValidationError');
  const action = form['action'];
  const before = typedIn(action === 'remove_file' ? { ...form, attachment: '' } : form);
  const stored = sent.file?.stored ?? null;
  const texts = dashboardTexts[localeOfCall(call)].invoice;
  if (typeof stored === 'string') return show(context, call, before, fileFault(texts, stored));
  const typed = stored === null ? before : { ...before, attachment: stored.documentId };
  if (action === 'add_line') {
    const lines = [...typed.lines, noLine].slice(0, LINES_MAX);
    return show(context, call, { ...typed, lines }, []);
  }
  const faults = faultsIn(texts, typed);
  if (action !== 'save' || faults.length > 0) return show(context, call, typed, faults);
  try {
    const { payment, replayed, mismatch } = await createPayment(deps, tenant, {
      ...invoiceOf(typed),
      createdBy: memberId,
      createdByMemberId: accountableCreator(mode, memberId),
    });
    const others = mismatch.filter((field) => field !== 'attachmentDocumentId');
    const isSame = mismatch.length === 0 || (await hasFile(deps, payment, stored));
    if (replayed && (others.length > 0 || !isSame)) {
      const again = { ...typed, key: newFormKey(deps) };
      return show(context, call, again, [{ field: 'number', text: texts.sentBefore }]);
    }
    return seeOther(withDone(`${viewOf(context, call).path}/payments/${payment.id}`, 'created'));
  } catch (error) {
    if (isCode(error, 'ValidationError') && (await isGone(deps, tenant, typed))) {
      return show(context, call, { ...typed, attachment: '' }, fileFault(texts, 'gone'));
    }
    const refused = refusals.find(({ code }) => isCode(error, code));
    if (refused === undefined) throw error;
    const { code, field } = refused;
    return show(context, call, typed, [{ field, text: texts.refused[code] }]);
  }
}

/** A file that is sent again is another document. */
async function hasFile(deps: Deps, payment: Payment, sent: Attachment | null): Promise<boolean> {
  if (sent === null) return false;
  const had = await deps.store.run((tx) => attachmentOf(tx, payment));
  return had?.fileName === sent.fileName && had.sizeBytes === sent.sizeBytes;
}

async function isGone(deps: Deps, tenant: Tenant, { attachment: id }: TypedInvoice) {
  return id !== '' && (await readAttachable(deps, tenant, id)) === null;
}

type InvoiceTexts = (typeof dashboardTexts)['en']['invoice'];

function fileFault({ fileRefused }: InvoiceTexts, reason: AttachmentRefusal | 'gone') {
  return [{ field: 'file', text: fileRefused[reason] }];
}

async function show(
  context: PageContext,
  call: MemberCall,
  ...of: [typed: TypedInvoice, errors: readonly FieldError[]]
): Promise<PageAnswer> {
  const draft = await draftOf(context, call, ...of);
  const status = draft.errors.length === 0 ? 200 : 422;
  return organizationPage(viewOf(context, call), (scene) => formScreen(scene, draft), status);
}

type Draft = Awaited<ReturnType<typeof draftOf>>;

async function draftOf(
  { deps }: PageContext,
  call: MemberCall,
  typed: TypedInvoice,
  errors: readonly FieldError[],
) {
  const tenant = tenantOfCall(call);
  const { attachment: id, seller } = typed;
  return {
    typed,
    errors,
    /** The file that was sent before; null if there is none. */
    attachment: id === '' ? null : await readAttachable(deps, tenant, id),
    takesFiles: deps.documents !== null,
    sellers: await sellersOf(deps, tenant, seller),
    currencies: deps.partners[tenant.mode]?.currencies ?? [],
    requiresApproval: actorOf(call).organization.requiresApproval,
  };
}

/** The newest that payments can be made to, and the chosen one. */
async function sellersOf(
  deps: Deps,
  tenant: Tenant,
  chosen: string,
): Promise<readonly Readonly<{ externalId: string; name: string }>[]> {
  const [approved, one] = await Promise.all([
    listAccounts(deps, tenant, {
      role: 'seller',
      status: 'approved',
      beforeId: null,
      limit: SELLERS_MAX,
    }),
    chosen === '' ? null : deps.store.run((tx) => tx.accounts.byExternalId(tenant, chosen)),
  ]);
  const isListed = approved.some(({ externalId }) => externalId === chosen);
  const all = one === null || isListed ? approved : [one, ...approved];
  return all.filter(readyToCollect).flatMap((account) => {
    const { externalId } = account;
    if (externalId === null) return [];
    return [{ externalId, name: plainText(payeeNameOf(account)) || externalId }];
  });
}

function formScreen({ texts: { invoice: words } }: DashboardScene, draft: Draft): DashboardContent {
  return {
    title: words.newHeading,
    place: 'invoices',
    crumbs: [<ToPlace of="invoices" />, words.newCrumb],
    errors: draft.errors,
    body: (
      <div class="cols">
        <InvoiceForm draft={draft} />
        <Preview draft={draft} />
      </div>
    ),
  };
}

type DraftProps = Readonly<{ draft: Draft }>;

function errorOf({ errors }: Draft, name: string): string | undefined {
  return errors.find(({ field }) => field === name)?.text;
}

function InvoiceForm({ draft }: DraftProps) {
  const { typed, requiresApproval } = draft;
  const words = useDashboard().texts.invoice;
  return (
    <Form to="invoices/new" class="stack" files="by_button" preview>
      <FormKey value={typed.key} />
      {/* Return presses the first button of a form. */}
      <button type="submit" name="action" value="preview" class="vh" tabIndex={-1}>
        {words.update}
      </button>
      <Who draft={draft} />
      <What draft={draft} />
      {draft.takesFiles ? <Attached draft={draft} /> : null}
      <div class="actions">
        <Button look="primary" name="action" value="save">
          {requiresApproval ? words.saveForApproval : words.save}
        </Button>
        <Button name="action" value="preview" text={words.update} />
      </div>
      <p class="small quiet">{words.saving}</p>
    </Form>
  );
}

type Named = Exclude<TypedField, 'key' | 'attachment'> | 'locale';

/** What the control of each field has; a choice also has its values, by name. */
function useInputs(draft: Draft) {
  const words = useDashboard().texts.invoice;
  const hints: Readonly<Record<string, unknown>> = words;
  const input = (name: Named) => ({
    name,
    label: words[name],
    hint: hints[`${name}Hint`] as string | undefined,
    error: errorOf(draft, name),
    value: draft.typed[name],
  });
  const choice = <V extends string>(
    name: Named,
    values: readonly V[],
    labelOf: (value: V) => string,
  ) => ({ ...input(name), choices: values.map((value) => ({ value, label: labelOf(value) })) });
  return { input, choice };
}

/** Who pays whom. */
function Who({ draft }: DraftProps) {
  const { texts, view } = useDashboard();
  const { input, choice } = useInputs(draft);
  const words = texts.invoice;
  return (
    <fieldset class="card">
      <legend>{words.who}</legend>
      <SelectField
        {...input('seller')}
        empty={plainText(view.organization?.name)}
        choices={draft.sellers.map(({ externalId, name }) => ({ value: externalId, label: name }))}
      />
      <div class="fields top-al">
        <TextField {...input('name')} maxLength={NAME_MAX} />
        <TextField {...input('email')} inputMode="email" maxLength={254} spellcheck={false} />
      </div>
      <SelectField
        {...input('country')}
        empty={words.noCountry}
        choices={countryNames(view.locale)}
        width="medium"
      />
      <SelectField {...choice('locale', locales, (one) => languageNames[one])} width="medium" />
    </fieldset>
  );
}

/** What is paid for. */
function What({ draft }: DraftProps) {
  const { texts, view } = useDashboard();
  const { input, choice } = useInputs(draft);
  const words = texts.invoice;
  const { purposes } = catalogues[view.locale];
  const relations = choice('payerRelation', payerRelationNames, (one) => words.relations[one]);
  return (
    <fieldset class="card">
      <legend>{words.what}</legend>
      <div class="fields top-al">
        <TextField {...input('number')} maxLength={NUMBER_MAX} />
        <TextField {...input('due')} type="date" />
        <SelectField {...choice('currency', draft.currencies, (code) => code)} />
      </div>
      <Lines draft={draft} />
      <div class="fields top-al">
        <TextField {...input('purchaseOrder')} maxLength={NUMBER_MAX} />
        <SelectField
          {...choice('purpose', purposeNames, (one) => purposes[one])}
          empty={words.noPurpose}
        />
      </div>
      <div class="fields top-al">
        <TextField {...input('taxId')} maxLength={NUMBER_MAX} spellcheck={false} />
        <TextField {...input('taxes')} maxLength={TEXT_MAX} />
      </div>
      <div class="fields top-al">
        <SelectField {...relations} empty={words.noPurpose} />
        <TextField {...input('bookedRate')} maxLength={21} />
      </div>
      <TextField {...input('fiscalKey')} maxLength={NUMBER_MAX} spellcheck={false} />
      <TextArea {...input('notes')} rows={3} maxLength={TEXT_MAX} />
    </fieldset>
  );
}

/** The last field: what comes after a file in the form is not known while it arrives. */
function Attached({ draft }: DraftProps) {
  const { texts, format } = useDashboard();
  const { attachment } = draft;
  const words = texts.invoice;
  return (
    <fieldset class="card">
      <legend>{texts.frame.attachment}</legend>
      {attachment === null ? null : (
        <div class="line ends">
          <input type="hidden" name="attachment" value={attachment.documentId} />
          <p>
            {words.attached} <Foreign text={attachment.fileName} />,{' '}
            {format.fileSize(attachment.sizeBytes)}
          </p>
          <Button look="sm" name="action" value="remove_file" text={words.removeFile} />
        </div>
      )}
      <FileField
        name="file"
        label={attachment === null ? words.file : words.replaceFile}
        hint={words.attachmentHint}
        error={errorOf(draft, 'file')}
        accept={contentTypes.join(',')}
      />
    </fieldset>
  );
}

function Lines({ draft }: DraftProps) {
  const { typed } = draft;
  const { texts, format } = useDashboard();
  const words = texts.invoice;
  const total = totalOf(typed);
  const input = (name: string, label: string, at: number, value: string, isNumber: boolean) => {
    const error = errorOf(draft, name);
    return (
      <div>
        <label for={name}>
          {label}
          <span class="vh"> {at + 1}</span>
        </label>
        <input
          id={name}
          name={name}
          value={value}
          class={isNumber ? 'end' : undefined}
          inputMode={isNumber ? 'decimal' : undefined}
          maxLength={isNumber ? 20 : TEXT_MAX}
          autocomplete="off"
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? undefined : `${name}-error`}
        />
        <About name={name} error={error} />
      </div>
    );
  };
  return [
    <ol class="lines" aria-label={words.lines}>
      {typed.lines.map(({ item, quantity, amount }, at) => (
        <li>
          {input(`item${at}`, words.item, at, item, false)}
          {input(`quantity${at}`, texts.frame.quantity, at, quantity, true)}
          {input(`amount${at}`, words.amount, at, amount, true)}
        </li>
      ))}
    </ol>,
    <dl class="rows right" data-part="total">
      <div class="sum">
        <dt>{words.total}</dt>
        <dd class="num">{total === null ? '–' : format.money(total)}</dd>
      </div>
    </dl>,
    typed.lines.length >= LINES_MAX ? null : (
      <p>
        <button type="submit" class="btn sm" name="action" value="add_line">
          <Icon name="add" />
          {words.addLine}
        </button>
      </p>
    ),
  ];
}

/** What the first page and the mail show, as far as it is typed. */
function Preview({ draft: { typed, sellers } }: DraftProps) {
  const { texts, view, format } = useDashboard();
  const words = texts.invoice;
  const seller = sellers.find(({ externalId }) => externalId === typed.seller);
  const total = totalOf(typed);
  const { number, due, currency } = typed;
  const lines = typed.lines
    .filter((line) => !isEmpty(line))
    .map((line) => ({ ...line, amountMinor: typedAmount(line.amount) }));
  return (
    <aside class="card stack" aria-label={words.preview} data-part="preview">
      <h2>{words.preview}</h2>
      <p class="lede">
        {words.asks(seller?.name ?? plainText(view.organization?.name))}
        {total === null ? null : (
          <>
            {' '}
            <Amount money={total} />
          </>
        )}
      </p>
      {number === '' && !isCalendarDate(due) ? null : (
        <Facts
          facts={[
            [texts.frame.invoice, number === '' ? null : <span class="digits">{number}</span>],
            [words.due, isCalendarDate(due) ? <Day day={due} /> : null],
          ]}
        />
      )}
      <LineTable
        label={words.lines}
        lines={lines.map(({ item, quantity, amountMinor }) => ({
          item,
          quantity,
          amount: amountMinor === null ? null : format.digits(money(amountMinor, currency)),
        }))}
      />
      {typed.notes === '' ? null : <p>{foreign(typed.notes)}</p>}
      <p class="small quiet">{words.previewText}</p>
    </aside>
  );
}
