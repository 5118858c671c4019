// What lists and pages of payments share: the table, the state in words, names.
import type { Scope } from '../../../core/domain/access/scope.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { Amount, Badge, ButtonLink, Reference } from '../kit/components.js';
import type { RowColumns } from '../kit/pages/table.js';
import { plainText } from '../kit/plain-text.js';
import { situationIn as situationWords } from '../letters/situation-texts.js';
import { type DashboardScene, useDashboard } from './dashboard-scene.js';

type Shown = Pick<ShownView, 'payment' | 'funds'>;

/** Where the payment and its money are, in words. */
export function situationIn(
  { view: page, format }: DashboardScene,
  view: Shown,
  buyer = buyerOf(view.payment),
) {
  const payee = payeeOf({ view: page }, view.payment);
  return situationWords(page.locale, format, { ...page, view, buyer, payee });
}

export function State({ view, pill }: { readonly view: Shown; readonly pill?: true }) {
  return <Badge {...situationIn(useDashboard(), view).pill} {...(pill ? { pill } : {})} />;
}

/** For members who may create one. */
export function NewInvoice() {
  const { texts } = useDashboard();
  return <ButtonLink to="invoices/new" look="primary" icon="add" text={texts.invoice.newHeading} />;
}

/** What its form does. */
export function fiscalActionIn(
  { texts }: Pick<DashboardScene, 'texts'>,
  { fiscalDocument }: Pick<Shown['payment'], 'fiscalDocument'>,
): string {
  return fiscalDocument === null ? texts.payment.fiscalAdd : texts.payment.fiscalReplace;
}

/** The scope of changes. */
export function writesOf({ origin }: Pick<Shown['payment'], 'origin'>): Scope {
  return origin === 'invoice' ? 'invoices:write' : 'payment_intents:write';
}

/** What people call the payment. */
export function referenceOf({ number, externalId, id }: Shown['payment']): string {
  return plainText(number) || plainText(externalId) || id;
}

export function buyerOf({ buyer }: Pick<Shown['payment'], 'buyer'>): string {
  return plainText(buyer.name) || buyer.email;
}

/** A payment without a seller is for the organization. */
export function payeeOf(
  { view }: Pick<DashboardScene, 'view'>,
  { payeeName }: Pick<Shown['payment'], 'payeeName'>,
): string {
  return plainText(payeeName) || plainText(view.organization?.name);
}

/** The day of a row, which its table shows above it. */
export const linesOf = ({ view, format }: DashboardScene, isSettled = false) => ({
  groupOf: ({ payment }: Shown) => format.dayHead(timeOf(payment, isSettled), view.nowMs),
});

function timeOf({ createdAtMs, settledAtMs }: Shown['payment'], isSettled: boolean): number {
  return isSettled ? (settledAtMs ?? createdAtMs) : createdAtMs;
}

/** `time`: of what; null where a row has none, below the day of its group. */
export function columnsOf(
  scene: DashboardScene,
  place: 'payments' | 'invoices' = 'payments',
  time: 'created' | 'settled' | null = 'created',
): RowColumns<ShownView> {
  const { texts, view, format } = scene;
  const words = texts.payments;
  const sent = ({ payment }: ShownView) => sentOf(scene, payment);
  return ({ column, named, cut }) => [
    {
      ...named(texts.frame.reference, 'c-ref', ({ payment }) => (
        <a href={`${view.path}/payments/${payment.id}`} class="reference">
          <Reference text={referenceOf(payment)} />
        </a>
      )),
      whole: ({ payment }) => referenceOf(payment),
    },
    cut(words.buyer, 'c-buyer', ({ payment }) => buyerOf(payment)),
    cut(
      words.status,
      'c-state',
      (row) => situationIn(scene, row).pill.text,
      (row) => <State view={row} pill />,
    ),
    column(texts.frame.amount, 'num c-amount', ({ payment }) => <Amount money={payment.amount} />),
    ...(place === 'payments'
      ? [
          column(words.receives, 'num wide c-brl quiet', ({ payment: { settlement } }) =>
            settlement === null ? '–' : format.digits(settlement.settled),
          ),
          cut(texts.frame.payee, 'wide quiet c-payee', ({ payment }) => payeeOf(scene, payment)),
        ]
      : [
          column(texts.invoice.due, 'num only-l c-due', ({ payment: { dueDate } }) =>
            dueDate === null ? '–' : format.shortDate(dueDate),
          ),
          cut(texts.invoice.invitation, 'wide c-sent quiet', sent, sent),
        ]),
    time &&
      column(words.time, 'num only-l c-time quiet', ({ payment }) =>
        format.clock(timeOf(payment, time === 'settled')),
      ),
  ];
}

/** Whether the buyer of an invoice was emailed, and came. */
function sentOf({ texts, format }: DashboardScene, { invitedAtMs, status }: Shown['payment']) {
  const words = texts.invoice;
  if (invitedAtMs === null) return words.unsent;
  const isOpened = !['approved', 'awaiting_buyer', 'expired', 'cancelled'].includes(status);
  return isOpened ? words.opened : words.sentOn(format.shortDay(invitedAtMs));
}
