// What the pages of webhooks and events share: how a delivery does, and the links between them.
import type { VNode } from 'preact';
import type { WebhookDelivery } from '../../../../core/domain/webhooks/webhook-delivery.js';
import { Badge } from '../../kit/components.js';
import { useDashboard } from '../dashboard-scene.js';

/** Without its scheme, which is https. */
export function shownUrl(url: string): string {
  return url.replace(/^https:\/\//, '');
}

/** The status that a server answered with, or why there is none. */
export function Answer({
  responseStatus,
  error,
}: {
  readonly responseStatus: number | null;
  readonly error: string | null;
}): VNode {
  if (responseStatus === null) return <span lang="en">{error ?? '–'}</span>;
  return <span>{responseStatus}</span>;
}

/** Pending is shown as a retry once an attempt has failed. */
export function DeliveryBadge({
  delivery: { status, lastError },
  pill,
}: {
  readonly delivery: WebhookDelivery;
  readonly pill?: true;
}): VNode {
  const { texts } = useDashboard();
  const isFirst = status === 'pending' && lastError === null;
  const text = isFirst ? texts.deliveryPage.sending : texts.delivery[status];
  return <Badge look={status} text={text} {...(pill ? { pill } : {})} />;
}

/** The state of a delivery, and below it the last answer. */
export function DeliveryState({ delivery }: { readonly delivery: WebhookDelivery }): VNode {
  const { responseStatus, lastError } = delivery;
  const isAnswered = responseStatus !== null || lastError !== null;
  return (
    <>
      <DeliveryBadge delivery={delivery} />
      {isAnswered ? (
        <span class="sub">
          <Answer responseStatus={responseStatus} error={lastError} />
        </span>
      ) : null}
    </>
  );
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
