// What lists and pages of payments share: the table, the state in words, names.
import type { VNode } from 'preact';
import type { ShownView } from '../../../core/domain/payments/change.js';
import { Badge, Foreign, Scroll } from '../kit/components.js';
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

export function PaymentTable({
  rows,
  caption,
}: {
  readonly rows: readonly Shown[];
  readonly caption: string;
}): VNode {
  const { texts } = useDashboard();
  return (
    <Scroll label={caption}>
      <table>
        <caption class="vh">{caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="only-l">
              {texts.payments.created}
            </th>
            <th scope="col">{texts.payments.reference}</th>
            <th scope="col" class="wide">
              {texts.payments.payee}
            </th>
            <th scope="col" class="only-l">
              {texts.payments.buyer}
            </th>
            <th scope="col" class="num">
              {texts.payments.amount}
            </th>
            <th scope="col" class="num wide">
              BRL
            </th>
            <th scope="col" class="only-l">
              {texts.payments.status}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <PaymentRow {...row} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** On a phone, what has no column stands below the reference and the amount. */
function PaymentRow({ payment, funds }: Shown): VNode {
  const scene = useDashboard();
  const { view, format } = scene;
  const buyer = buyerOf(payment);
  const settled = payment.settlement?.settled ?? null;
  return (
    <tr>
      <td class="only-l when">{format.short(payment.createdAtMs)}</td>
      <th scope="row">
        <a href={`${view.path}/payments/${payment.id}`} class="reference">
          <Foreign text={referenceOf(payment)} />
        </a>
        <span class="sub only-s">
          <Foreign text={buyer} />
        </span>
        <span class="sub only-s">{format.short(payment.createdAtMs)}</span>
        <span class="only-s">
          <States payment={payment} funds={funds} />
        </span>
      </th>
      <td class="wide">
        <Foreign text={payeeOf(scene, payment)} />
      </td>
      <td class="only-l">
        <Foreign text={buyer} />
      </td>
      <td class="num">{format.money(payment.amount)}</td>
      <td class="num wide quiet">{settled === null ? '–' : format.digits(settled)}</td>
      <td class="only-l">
        <States payment={payment} funds={funds} />
      </td>
    </tr>
  );
}
