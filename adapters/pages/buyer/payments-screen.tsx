// The payments of a buyer to the organization in a period, as a table and as a file for its books.
import { formatInstant } from '../../../core/domain/base/instant.js';
import { dayOf, type Period, rangeOf } from '../../../core/domain/base/time-zone.js';
import type { SettlementFacts } from '../../../core/domain/commands/settlement.js';
import { helpReference, readDisplay } from '../../../core/domain/payments/display.js';
import { isTerminal, type Payment } from '../../../core/domain/payments/payment.js';
import type { NamedFile } from '../../../core/ports/outside.js';
import type { BuyerPage } from '../../../core/usecases/hosted/buyer-payments.js';
import { CONSOLIDATED_MAX } from '../../../core/usecases/hosted/consolidated-payments.js';
import { OPEN_COUNT_MAX } from '../../../core/usecases/hosted/payment-page.js';
import type { ScreenContent } from '../hosted/layout.js';
import type { BuyerPayments } from '../hosted/page-view.js';
import type { PaymentScene } from '../hosted/scene.js';
import { Button, ButtonLink, Foreign, Form, Submit } from '../kit/components.js';
import { BYTE_ORDER_MARK, csvLine } from '../kit/csv-line.js';
import { SelectField } from '../kit/fields.js';
import { formatOf, plainAmount } from '../kit/format.js';
import type { PageAnswer } from '../kit/page-route.js';
import { Table } from '../kit/pages/table.js';
import { plainText } from '../kit/plain-text.js';
import { payeeTaxId } from './payment-view.js';
import { DueDate } from './together-screen.js';

/** A file that is sent while it is made, or whole. */
export interface Download extends Omit<NamedFile, 'bytes'> {
  readonly bytes: PageAnswer['body'];
}

/** The way to the list, where one transfer for several open payments is chosen. */
export function PaymentsLink({ scene }: { readonly scene: PaymentScene }) {
  const { texts, view, payment } = scene;
  const { openPayments } = payment;
  if (openPayments === 0) return null;
  const count = openPayments <= OPEN_COUNT_MAX ? `${openPayments}` : `${OPEN_COUNT_MAX}+`;
  return (
    <p>
      <a href={`${view.path}/payments`}>
        {openPayments === 1 ? texts.payments.all : texts.payments.open(count)}
      </a>
    </p>
  );
}

export function paymentsScreen(scene: PaymentScene, list: BuyerPayments): ScreenContent {
  const { texts, view, org } = scene;
  const { period, payments, rest } = list;
  const before = `${period.year - 1}`;
  return {
    title: texts.payments.heading(org, nameOf(scene, period)),
    station: null,
    // The page is about all of them.
    about: <></>,
    body: [
      <ChoosePeriod scene={scene} period={period} />,
      <Payments scene={scene} list={list} />,
      rest ? <p>{texts.payments.newest}</p> : null,
      <div class="actions">
        {payments.length === 0 ? null : (
          <ButtonLink to={`payments.csv?period=${textOf(period)}`} icon="download">
            {texts.payments.csv}
          </ButtonLink>
        )}
        <ButtonLink to={`payments?period=${before}`} icon="newer" text={before} />
        <ButtonLink href={view.path}>{texts.frame.back}</ButtonLink>
      </div>,
    ],
  };
}

const MONTHS = 12;
/** The form whose buttons are in the table: they begin the session of another payment. */
const OPEN_FORM = 'open-other';

/** `2026`, or `2026-11`. */
function textOf({ year, month }: Period): string {
  return month === null ? `${year}` : `${year}-${`${month}`.padStart(2, '0')}`;
}

/** `2026`, or `November 2026`. */
function nameOf({ format }: PaymentScene, { year, month }: Period): string {
  return month === null ? `${year}` : format.month(Date.UTC(year, month - 1));
}

/** The year and its months so far. */
function ChoosePeriod({
  scene,
  period: { year, month },
}: Readonly<{ scene: PaymentScene; period: Period }>) {
  const { texts, view } = scene;
  const months = Array.from({ length: MONTHS }, (_, at) => ({ year, month: at + 1 }));
  const { timeZone } = scene.organization;
  const begun = months.filter((one) => rangeOf(timeZone, one).fromMs <= view.nowMs);
  const choices = [{ year, month: null }, ...begun.toReversed()].map((one) => ({
    value: textOf(one),
    label: nameOf(scene, one),
  }));
  return (
    <form method="get" action={`${view.path}/payments`} class="line noprint">
      <SelectField
        name="period"
        label={texts.payments.period}
        choices={choices}
        value={textOf({ year, month })}
        width="medium"
      />
      <Button>{texts.payments.show}</Button>
    </form>
  );
}

function Payments({ scene, list }: { readonly scene: PaymentScene; list: BuyerPayments }) {
  const { texts, view } = scene;
  const fitting = fittingIn(scene, list);
  if (list.payments.length === 0) return <p>{texts.payments.none}</p>;
  const table = <List scene={scene} list={list} />;
  const open = list.payments.filter(({ status }) => !isTerminal(status));
  const unopened = open.filter(({ status }) => status === 'awaiting_buyer').length;
  return [
    unopened === 0 ? null : (
      <Form to="payments/all" class="stack-s">
        <p>{texts.payments.unopened(unopened)}</p>
        <Submit>{texts.payments.openAll}</Submit>
      </Form>
    ),
    list.choices.size === 0 ? (
      [open.length > 1 && unopened === 0 ? <p>{texts.payments.notTogether}</p> : null, table]
    ) : (
      <Form to="payments/together" class="stack">
        <p>
          {texts.payments.chooseHint}{' '}
          {list.isAll || fitting.length < 3 ? null : (
            <a href={`${view.path}/payments?period=${textOf(list.period)}&all=yes`}>
              {texts.payments.chooseAll(fitting.length)}
            </a>
          )}
        </p>
        {open.some(({ id }) => !list.choices.has(id)) ? (
          <p class="small quiet">{texts.payments.someNotTogether}</p>
        ) : null}
        {table}
        <Submit>{texts.payments.payChosen}</Submit>
      </Form>
    ),
    <Form to="payments/open" id={OPEN_FORM} />,
  ];
}

/** Those that one transfer pays together with this payment, or else with the first that can be. */
function fittingIn({ payment: { id } }: PaymentScene, list: BuyerPayments): readonly Payment[] {
  const able = list.payments.filter((one) => list.choices.has(one.id));
  const first = able.find((one) => one.id === id) ?? able[0];
  return able
    .filter(
      ({ sellerExternalId, amount }) =>
        sellerExternalId === first?.sellerExternalId && amount.currency === first?.amount.currency,
    )
    .slice(0, CONSOLIDATED_MAX);
}

function List({ scene, list }: { readonly scene: PaymentScene; list: BuyerPayments }) {
  const { texts, format, view, org } = scene;
  const { payments, frame } = texts;
  const ids = list.isAll ? fittingIn(scene, list).map(({ id }) => id) : [scene.payment.id];
  const ticked = new Set(ids);
  const days = formatOf(view.locale, { timeZone: scene.organization.timeZone });
  return (
    <Table
      label={payments.heading(org, nameOf(scene, list.period))}
      rows={list.payments}
      folds
      columns={({ column, named }) => [
        named(frame.payment, (payment) => (
          <>
            {list.choices.has(payment.id) ? (
              <input
                type="checkbox"
                name={payment.id}
                value="yes"
                checked={ticked.has(payment.id)}
                aria-label={payments.choose(helpReference(payment))}
              />
            ) : null}{' '}
            {payment.id === scene.payment.id ? (
              <a href={view.path}>{helpReference(payment)}</a>
            ) : (
              <button
                type="submit"
                class="aslink"
                form={OPEN_FORM}
                name="payment"
                value={payment.id}
              >
                {helpReference(payment)}
              </button>
            )}
            {payment.purchaseOrder === null ? null : (
              <p class="small quiet">
                {frame.purchaseOrder} <Foreign text={payment.purchaseOrder} />
              </p>
            )}
            <DueDate scene={scene} payment={payment} />
          </>
        )),
        column(frame.payee, ({ payeeName }) => <Foreign text={payeeName ?? org} />),
        column(payments.created, ({ createdAtMs: atMs }) => (
          <time dateTime={formatInstant(atMs)}>{days.shortDay(atMs)}</time>
        )),
        column(frame.state, (payment) => stateOf(scene, payment)),
        column(frame.amount, 'num main', ({ amount }) => format.money(amount)),
      ]}
    />
  );
}

/** As a buyer calls it. */
function stateOf({ texts }: PaymentScene, { status }: Payment): string {
  if (status === 'settled') return texts.journey.paid;
  return texts.payments.states[isTerminal(status) ? 'over' : 'open'];
}

/** Amounts have a decimal point in every language; days are those of the organization. */
export function paymentsFile(
  scene: PaymentScene,
  period: Period,
  pages: AsyncIterable<BuyerPage>,
): Download {
  const { file } = scene.texts.payments;
  return {
    name: `${file}-${textOf(period)}.csv`,
    type: 'text/csv; charset=utf-8',
    bytes: linesOf(scene, pages),
  };
}

async function* linesOf(
  scene: PaymentScene,
  pages: AsyncIterable<BuyerPage>,
): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${csvLine(columns.map(([head]) => head(scene.texts)))}`;
  for await (const { payments, settlements, taxIdsLast4 } of pages) {
    for (const payment of payments) {
      const taxId = taxIdOf(scene, payment, taxIdsLast4.get(payment.id) ?? null);
      const paid = settlements.get(payment.id) ?? firstOf(payment);
      const row = { scene, payment, paid, taxId };
      yield csvLine(columns.map(([, cell]) => plainText(cell(row))));
    }
  }
}

interface Row {
  readonly scene: PaymentScene;
  readonly payment: Payment;
  /** As the receipt has it. */
  readonly paid: PaidOut | null;
  readonly taxId: string | null;
}

type Column = readonly [
  head: (texts: PaymentScene['texts']) => string,
  cell: (row: Row) => string | null,
];

/** One that is new comes last: the books of buyers may read the others by their place. */
const columns: readonly Column[] = [
  [({ frame }) => frame.payment, ({ payment }) => payment.id],
  [({ frame }) => frame.invoice, ({ payment }) => payment.number],
  [({ frame }) => frame.purchaseOrder, ({ payment }) => payment.purchaseOrder],
  [({ frame }) => frame.buyerReference, ({ payment }) => payment.buyerReference],
  [({ frame }) => frame.payee, ({ payment, scene }) => payment.payeeName ?? scene.org],
  [({ payments }) => payments.created, ({ scene, payment }) => dayIn(scene, payment.createdAtMs)],
  [({ frame }) => frame.state, ({ scene, payment }) => stateOf(scene, payment)],
  [({ frame }) => frame.amount, ({ payment }) => plainAmount(payment.amount)],
  [({ payments }) => payments.currency, ({ payment }) => payment.amount.currency],
  [({ paid }) => `${paid.paidOut} (BRL)`, settled(({ settled }) => plainAmount(settled))],
  [({ frame }) => frame.due, ({ payment }) => payment.dueDate],
  [({ paid }) => paid.receivedAt, ({ scene, payment }) => dayIn(scene, payment.coveredAtMs)],
  [({ paid }) => paid.paidOutAt, ({ scene, paid }) => dayIn(scene, paid?.settledAtMs ?? null)],
  [({ price }) => price.fees, settled(({ fees }) => plainAmount(fees))],
  [({ price }) => price.rate, settled(({ fxRate }) => fxRate)],
  [({ paid }) => paid.endToEndId, settled(({ endToEndId }) => endToEndId)],
  [({ paid }) => paid.reference, ({ payment }) => payment.payinInstructions?.reference ?? null],
  [({ payments }) => payments.taxId, ({ taxId }) => taxId],
  [({ approval }) => approval.by, ({ payment }) => approverOf(payment)],
];

function approverOf({ colleagueApproval }: Payment): string | null {
  return colleagueApproval?.state === 'approved' ? colleagueApproval.email : null;
}

function settled(textOf: (facts: SettlementFacts) => string | null): Column[1] {
  return ({ paid }) => (paid === null ? null : textOf(paid));
}

type PaidOut = SettlementFacts & Pick<Payment, 'settledAtMs'>;

function firstOf({ settlement, settledAtMs }: Payment): PaidOut | null {
  return settlement === null ? null : { ...settlement, settledAtMs };
}

function dayIn({ organization }: PaymentScene, atMs: number | null): string | null {
  return atMs === null ? null : dayOf(organization.timeZone, atMs);
}

/** As the receipt has it. */
function taxIdOf({ texts }: PaymentScene, { display }: Payment, last4: string | null) {
  const sent = payeeTaxId(readDisplay(display)?.sellerTaxId ?? null, last4);
  return sent ?? (last4 === null ? null : texts.paid.cnpj(last4));
}
