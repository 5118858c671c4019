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
import { Badge, ButtonLink, Foreign } from '../kit/components.js';
import { sentence } from '../kit/format.js';
import type { RowColumns } from '../kit/pages/table.js';
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

/** For members who may create one. */
export function NewInvoice(): VNode {
  const { texts, view } = useDashboard();
  return (
    <ButtonLink href={`${view.path}/invoices/new`} look="primary" icon="add">
      {texts.invoice.newHeading}
    </ButtonLink>
  );
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
      ...named(words.reference, 'c-ref', ({ payment }) => (
        <a href={`${view.path}/payments/${payment.id}`} class="reference">
          <Foreign text={referenceOf(payment)} />
        </a>
      )),
      whole: ({ payment }) => referenceOf(payment),
    },
    cut(words.buyer, 'c-buyer', ({ payment }) => buyerOf(payment)),
    cut(
      words.status,
      'c-state',
      (row) => stateOf(scene, row).text,
      (row) => <State view={row} pill />,
    ),
    column(words.amount, 'num c-amount', ({ payment }) => format.money(payment.amount)),
    ...(place === 'payments'
      ? [
          column(words.receives, 'num wide c-brl quiet', ({ payment: { settlement } }) =>
            settlement === null ? '–' : format.digits(settlement.settled),
          ),
          cut(words.payee, 'wide quiet', ({ payment }) => payeeOf(scene, payment)),
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
