// What lists and pages of payments share: the table, the state in words, names.
import type { VNode } from 'preact';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import type { ShownView } from '../../../core/domain/payments/change.js';
import {
  overdueDays,
  type SituationRule,
  situationAmounts,
  situationOf,
  situations,
} from '../../../core/domain/payments/situation.js';
import { Badge, Foreign } from '../kit/components.js';
import { sentence } from '../kit/format.js';
import type { TableColumn } from '../kit/pages/table.js';
import { plainText } from '../kit/plain-text.js';
import { type DashboardScene, useDashboard } from './dashboard-scene.js';
import { type SituationFacts, situationTexts } from './texts/situation-texts.js';

type Shown = Pick<ShownView, 'payment' | 'funds'>;

/** Where the payment and its money are, and what a sentence about it names. */
export function situationIn(scene: DashboardScene, view: Shown) {
  const { texts, format, view: page } = scene;
  const { payment } = view;
  const { status, expiresAtMs, settlement, settledAtMs } = payment;
  const situation = situationOf(view);
  const amounts = situationAmounts(view);
  const facts: SituationFacts = {
    buyer: buyerOf(payment),
    payee: payeeOf(scene, payment),
    amount: format.money(amounts.amount),
    received: format.money(amounts.received),
    missing: format.money(amounts.missing),
    goesBack: amounts.goesBack.amountMinor === 0n ? '' : format.money(amounts.goesBack),
    wentBack: format.money(amounts.wentBack),
    settled: settlement === null ? null : format.money(settlement.settled),
    settledOn: settledAtMs === null ? null : format.day(settledAtMs),
    until: expiresAtMs === null ? null : format.deadline(expiresAtMs, page.nowMs),
    status: texts.status[status],
  };
  const { what, next, pill } = situationTexts[page.locale][situation];
  return {
    situation,
    amounts,
    what: sentence(what(facts)),
    next: sentence(next(facts)),
    pill: pill?.(facts) ?? facts.status,
  };
}

interface StateText {
  readonly look: string;
  readonly text: string;
}

/** The state in a few words, which say what differs from the status. */
export function stateOf(scene: DashboardScene, view: Shown): StateText {
  const { texts, view: page } = scene;
  const { payment } = view;
  const { situation, pill } = situationIn(scene, view);
  const days = overdueDays(view, payment.dueDate, dayOf(page.timeZone, page.nowMs));
  if (days > 0) return { look: 'warn', text: texts.payments.overdue(days) };
  const rule: SituationRule = situations[situation];
  return { look: rule.look ?? payment.status, text: pill };
}

export function State({ view, pill }: { readonly view: Shown; readonly pill?: true }): VNode {
  return <Badge {...stateOf(useDashboard(), view)} {...(pill ? { pill } : {})} />;
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
export const linesOf = ({ format }: DashboardScene, isSettled = false) => ({
  groupOf: ({ payment }: Shown) => format.weekday(timeOf(payment, isSettled)),
});

function timeOf({ createdAtMs, settledAtMs }: Shown['payment'], isSettled: boolean): number {
  return isSettled ? (settledAtMs ?? createdAtMs) : createdAtMs;
}

type PaymentColumn = TableColumn<Shown>;

/** `isSettled`: by the time of the settlement. */
export function columnsOf(
  scene: DashboardScene,
  place: 'payments' | 'invoices' = 'payments',
  isSettled = false,
): readonly PaymentColumn[] {
  const { texts, view, format } = scene;
  const words = texts.payments;
  const ofPlace: Readonly<Record<typeof place, readonly PaymentColumn[]>> = {
    payments: [
      {
        head: words.receives,
        look: 'num wide c-brl',
        cells: 'quiet',
        cell: ({ payment: { settlement } }) =>
          settlement === null ? '–' : format.digits(settlement.settled),
      },
      {
        head: words.payee,
        look: 'wide',
        cells: 'quiet',
        whole: ({ payment }) => payeeOf(scene, payment),
        cell: ({ payment }) => <Foreign text={payeeOf(scene, payment)} />,
      },
    ],
    invoices: [
      {
        head: texts.invoice.due,
        look: 'num only-l c-due',
        cell: ({ payment: { dueDate } }) => (dueDate === null ? '–' : format.shortDate(dueDate)),
      },
      {
        head: texts.invoice.invitation,
        look: 'wide c-sent',
        cells: 'quiet',
        whole: ({ payment }) => sentOf(scene, payment),
        cell: ({ payment }) => sentOf(scene, payment),
      },
    ],
  };
  return [
    {
      head: words.reference,
      look: 'c-ref',
      isName: true,
      whole: ({ payment }) => referenceOf(payment),
      cell: ({ payment }) => (
        <a href={`${view.path}/payments/${payment.id}`} class="reference">
          <Foreign text={referenceOf(payment)} />
        </a>
      ),
    },
    {
      head: words.buyer,
      look: 'c-buyer',
      whole: ({ payment }) => buyerOf(payment),
      cell: ({ payment }) => <Foreign text={buyerOf(payment)} />,
    },
    {
      head: words.status,
      look: 'c-state',
      whole: (row) => stateOf(scene, row).text,
      cell: (row) => <State view={row} pill />,
    },
    {
      head: words.amount,
      look: 'num c-amount',
      cell: ({ payment }) => format.money(payment.amount),
    },
    ...ofPlace[place],
    {
      head: words.time,
      look: 'num only-l c-time',
      cells: 'quiet',
      cell: ({ payment }) => format.clock(timeOf(payment, isSettled)),
    },
  ];
}

/** Whether the buyer of an invoice was emailed, and came. */
function sentOf({ texts, format }: DashboardScene, { invitedAtMs, status }: Shown['payment']) {
  const words = texts.invoice;
  if (invitedAtMs === null) return words.unsent;
  const isOpened = !['approved', 'awaiting_buyer', 'expired', 'cancelled'].includes(status);
  return isOpened ? words.opened : words.sentOn(format.shortDay(invitedAtMs));
}
