// What the pages of webhooks and events share: how a delivery does, and the links between them.
import type { Payment } from '../../../../core/domain/payments/payment.js';
import type { WebhookDelivery } from '../../../../core/domain/webhooks/webhook-delivery.js';
import { Badge, Foreign, foreign } from '../../kit/components.js';
import { useDashboard } from '../dashboard-scene.js';
import { buyerOf, referenceOf } from '../payment-parts.js';
import { type AttemptAnswer, answerText } from './answer-text.js';

/** Without its scheme, which is https. */
export function shownUrl(url: string): string {
  return url.replace(/^https:\/\//, '');
}

/** What a server answered, or why there is no answer. */
export function Answer(answered: AttemptAnswer) {
  const scene = useDashboard();
  return <Foreign text={answerText(scene, answered)} />;
}

/** Pending is shown as a retry once an attempt has failed. */
export function DeliveryBadge({
  delivery: { status, lastError },
  pill,
}: Readonly<{ delivery: WebhookDelivery; pill?: true }>) {
  const { texts } = useDashboard();
  const isFirst = status === 'pending' && lastError === null;
  const text = isFirst ? texts.deliveryPage.sending : texts.delivery[status];
  return <Badge look={status} text={text} {...(pill ? { pill } : {})} />;
}

/** The state of a delivery, and below it the last answer. */
export function DeliveryState({ delivery }: { readonly delivery: WebhookDelivery }) {
  const { responseStatus, lastError } = delivery;
  const isAnswered = responseStatus !== null || lastError !== null;
  return [
    <DeliveryBadge delivery={delivery} />,
    isAnswered ? (
      <span class="sub">
        <Answer responseStatus={responseStatus} error={lastError} />
      </span>
    ) : null,
  ];
}

export function deliveryPath(
  path: string,
  { subscriptionId, id }: Pick<WebhookDelivery, 'subscriptionId' | 'id'>,
): string {
  return `${path}/webhooks/${subscriptionId}/deliveries/${id}`;
}

/** Null for a subject without a page. */
export function subjectPath(path: string, subjectId: string): string | null {
  if (/^(pi|inv)_/.test(subjectId)) return `${path}/payments/${subjectId}`;
  return /^whs_/.test(subjectId) ? `${path}/webhooks/${subjectId}` : null;
}

interface PaymentNameProps {
  readonly payment: Payment | null;
  /** In a list, in which each row has one line: the buyer is its title. */
  readonly isShort?: true;
}

/** The payment that a webhook is about, by its reference and buyer. */
export function PaymentName({ payment, isShort }: PaymentNameProps) {
  const { view } = useDashboard();
  if (payment === null) return <span class="quiet">–</span>;
  const buyer = buyerOf(payment);
  const href = `${view.path}/payments/${payment.id}`;
  return [
    <a href={href} title={isShort ? buyer : undefined}>
      <Foreign text={referenceOf(payment)} />
    </a>,
    isShort ? null : <span class="sub">{foreign(buyer)}</span>,
  ];
}
