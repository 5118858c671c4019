// What lists and pages of payments share: the table, the state in words, names.
import type { VNode } from 'preact';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { Badge, Foreign } from '../kit/components.js';
import { Table } from '../kit/pages/table.js';
import { plainText } from '../kit/plain-text.js';
import { type DashboardScene, useDashboard } from './dashboard-scene.js';

type Shown = Pick<ShownView, 'payment' | 'funds'>;

/** The status, and money that goes back or needs a person. */
export function States({ payment, funds, pill }: Shown & { readonly pill?: true }): VNode {
  const { texts } = useDashboard();
  const look = { ...(pill ? { pill } : {}) };
  const needsPerson = funds.position === 'needs_review' || funds.refund === 'needs_review';
  const isBack = funds.refund !== 'none' && funds.refund !== 'needs_review';
  return (
    <>
      <Badge look={payment.status} text={texts.status[payment.status]} {...look} />
      {isBack ? (
        <>
          {' '}
          <span class="sub">
            <Badge look={funds.refund} text={texts.refund[funds.refund]} {...look} />
          </span>
        </>
      ) : null}
      {needsPerson ? (
        <>
          {' '}
          <span class="sub">
            <Badge look="operator" text={texts.refund.needs_review} {...look} />
          </span>
        </>
      ) : null}
    </>
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

/** On a phone, what has no column stands below the reference and the amount. */
export function PaymentTable({
  rows,
  caption,
}: {
  readonly rows: readonly Shown[];
  readonly caption: string;
}): VNode {
  const scene = useDashboard();
  const { texts, view, format } = scene;
  const words = texts.payments;
  return (
    <Table
      label={caption}
      rows={rows}
      columns={[
        {
          head: words.created,
          look: 'only-l',
          cells: 'when',
          cell: ({ payment }) => format.short(payment.createdAtMs),
        },
        {
          head: words.reference,
          isName: true,
          cell: (row) => (
            <>
              <a href={`${view.path}/payments/${row.payment.id}`} class="reference">
                <Foreign text={referenceOf(row.payment)} />
              </a>
              <span class="sub only-s">
                <Foreign text={buyerOf(row.payment)} />
              </span>
              <span class="sub only-s">{format.short(row.payment.createdAtMs)}</span>
              <span class="only-s">
                <States {...row} />
              </span>
            </>
          ),
        },
        {
          head: words.payee,
          look: 'wide',
          cell: ({ payment }) => <Foreign text={payeeOf(scene, payment)} />,
        },
        {
          head: words.buyer,
          look: 'only-l',
          cell: ({ payment }) => <Foreign text={buyerOf(payment)} />,
        },
        { head: words.amount, look: 'num', cell: ({ payment }) => format.money(payment.amount) },
        {
          head: 'BRL',
          look: 'num wide',
          cells: 'quiet',
          cell: ({ payment }) => {
            const settled = payment.settlement?.settled ?? null;
            return settled === null ? '–' : format.digits(settled);
          },
        },
        { head: words.status, look: 'only-l', cell: (row) => <States {...row} /> },
      ]}
    />
  );
}
